//! Commands of the host, with a clock and without.

use super::DataDrive;
use crate::ImageError;
use crate::body::Unreadable;
use crate::commits::sectors_of;
use ftlab_base::{Command, CommandKind, Completion, Lba, Outcome, SimTime};
use ftlab_cut::DRAINED_AFTER;

impl DataDrive {
    /// Takes a command, with a write's bytes.
    ///
    /// # Panics
    /// When the command reaches beyond the drive's capacity, or its bytes are not as many as its
    /// sectors hold; the caller checks.
    pub fn submit(&mut self, command: Command, data: &[u8], now: SimTime) {
        check_data(&command, data);
        let command = self.widened(command);
        if command.kind == CommandKind::Read {
            self.reads.insert(command.id);
        }
        self.commits.submitted(&command);
        self.tell_flush(&command);
        self.note_time(now);
        self.outstanding += 1;
        self.worked_at = self.worked_at.max(now);
        self.body.submit(command, data, now);
    }

    /// A flush of some sectors, as a write with FUA asks for, is one of everything on a drive whose firmware does that.
    fn widened(&self, command: Command) -> Command {
        match command.kind == CommandKind::Flush && self.file.fua_flushes_all() {
            true => Command {
                lba: Lba(0),
                sectors: 0,
                ..command
            },
            false => command,
        }
    }

    /// The earliest instant at which something happens; `None` when nothing will.
    #[must_use]
    pub fn next_event(&self) -> Option<SimTime> {
        match self.a_flush_has_ended() {
            // It was due before.
            true => Some(SimTime::ZERO),
            false => self.device().next_event().or_else(|| self.drains_at()),
        }
    }

    /// Time at which an idle drive has programmed the unit that it has begun.
    fn drains_at(&self) -> Option<SimTime> {
        let is_left = self.body.has_begun_a_unit();
        is_left.then(|| self.worked_at + DRAINED_AFTER)
    }

    /// Lets everything at or before `now` happen and appends what completed, in order. What a
    /// completion promises is kept by then; a flush that waits for the machine's storage after the drive is
    /// done with it comes later, with the instant at which the drive was done.
    pub fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let before = done.len();
        if self.device().next_event().is_some_and(|at| at <= now) {
            self.worked_at = now;
        }
        self.device_mut().advance(now, done);
        self.note_ends(&done[before..], now);
        if self.device().next_event().is_none() && self.drains_at().is_some_and(|at| at <= now) {
            self.body.note_all_programmed();
        }
        self.begin_commits_of_flushes(&done[before..]);
        self.body.commit();
        self.body.end_failed_writes(now);
        for completion in &mut done[before..] {
            let kept = self.body.end(completion.id);
            let reads = self.reads.remove(&completion.id);
            if completion.outcome == Outcome::Good && !kept && !reads {
                completion.outcome = Outcome::WriteFault;
            }
        }
        self.body.settle_cache();
        self.hold_flushes(before, done);
        self.note_failure();
        self.checkpoint_if_due();
    }

    /// The newest bytes from a sector on; of a read, when it completes.
    ///
    /// # Errors
    /// When what lies there cannot be read, or is not what was written.
    pub fn read(&mut self, lba: Lba, into: &mut [u8]) -> Result<(), ImageError> {
        let read = self.body.read(lba, into);
        read.map_err(|why| match why {
            Unreadable::Storage(why) => self.storage_error("read it", why),
            Unreadable::Damaged(lba, why) => ImageError::Damaged {
                path: self.path.clone(),
                lba,
                why,
            },
        })
    }

    /// Applies a command at once, without time. Only while nothing is outstanding. What a good outcome
    /// promises is kept by then, flushed or not.
    ///
    /// # Panics
    /// As [`DataDrive::submit`].
    pub fn apply(&mut self, command: Command, data: &[u8]) -> Outcome {
        let outcome = self.apply_unflushed(command, data);
        if command.kind != CommandKind::Flush || outcome != Outcome::Good {
            return outcome;
        }
        let commit = self.begin_commit_of(&sectors_of(&self.widened(command)));
        self.end_commits();
        self.outcome_of(commit).expect("it has ended")
    }

    /// As [`DataDrive::apply`], but a flush promises nothing before [`DataDrive::begin_commit_of`] its sectors
    /// and the end of that.
    ///
    /// # Panics
    /// As [`DataDrive::submit`].
    pub fn apply_unflushed(&mut self, command: Command, data: &[u8]) -> Outcome {
        check_data(&command, data);
        let command = self.widened(command);
        self.tell_flush(&command);
        let mut outcome = self.body.apply(command, data);
        if command.kind == CommandKind::Flush {
            self.note_flushed(&sectors_of(&command));
        }
        self.body.note_applied(&command);
        if command.kind != CommandKind::Read {
            self.body.commit();
            if self.body.failure().is_some() {
                outcome = Outcome::WriteFault;
            }
            self.note_failure();
        }
        self.checkpoint_if_due();
        outcome
    }
}

fn check_data(command: &Command, data: &[u8]) {
    let bytes = match command.kind {
        CommandKind::Write => command.bytes(),
        CommandKind::Read | CommandKind::Trim | CommandKind::Flush => 0,
    };
    assert_eq!(data.len() as u64, bytes, "the bytes of {command:?}");
}

//! A drive without time: whoever asks does the work, one after the other.
//!
//! A large request is done in pieces, and between two of them the drive goes to whoever waits longest. For the
//! machine's storage nobody is kept waiting: flushes are answered when a commit has ended that covers them.

use super::ask::{Ask, What};
use super::cut::{HardReset, ResetOutcome};
use super::pieces::{DATA_SECTORS_MAX, Piece, Pieces};
use super::statistics::Statistics;
use super::{Call, outcome};
use crate::faults::{self, Faults};
use ftlab_base::{Command, CommandKind, SECTOR_BYTES, SimTime};
use ftlab_drive::faults::Verdict;
use ftlab_image::{Commit, DataDrive};
use ftlab_nbd::NbdError;
use parking_lot::{Mutex, MutexGuard};
use std::io;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sectors of data between which others have a turn: 64 KiB, or 8 MiB of a trim. As many clients as a server takes,
/// each with a large request, then hold each other up for less than a tenth of a second, also on a machine that has
/// other work to do.
const TURN_SECTORS: u64 = DATA_SECTORS_MAX / 16;

#[derive(Default)]
struct State {
    /// Nothing once the engine has stopped, or after a panic amid a command.
    drive: Option<Box<DataDrive>>,
    statistics: Statistics,
    /// The drive is off its bus.
    is_gone: bool,
    /// What was done, and is answered when a commit has ended.
    kept_by: Vec<(Commit, Ask)>,
    /// When the drive was switched on last, and until when it is off; nothing if its power never went.
    power: Option<(Instant, Instant)>,
}

impl State {
    /// Whether a request came before the power went last.
    fn is_cut_off(&self, ask: &Ask) -> bool {
        self.power
            .is_some_and(|(on_since, _)| ask.arrived_at() < on_since)
    }
}

pub(super) struct Untimed {
    trim_sectors: Option<u64>,
    faults: Arc<Faults>,
    /// Not the standard library's, as whoever unlocks that one and locks it again has it before those who
    /// wait.
    state: Mutex<State>,
}

impl State {
    fn count(&mut self, ask: &Ask, result: &Result<(), NbdError>) {
        let range = ask.range();
        let bytes = (range.end - range.start) * SECTOR_BYTES;
        self.statistics
            .count(ask.what(), bytes, result.is_ok(), None);
    }

    /// Takes out what can be answered since its commit has ended, with the answers.
    fn kept(&mut self) -> Vec<(Ask, Result<(), NbdError>)> {
        let mut kept = Vec::new();
        let Some(drive) = &mut self.drive else {
            return kept;
        };
        for (commit, ask) in std::mem::take(&mut self.kept_by) {
            match drive.outcome_of(commit) {
                Some(ended) => kept.push((ask, outcome(ended))),
                None => self.kept_by.push((commit, ask)),
            }
        }
        for (ask, result) in &kept {
            self.count(ask, result);
        }
        kept
    }
}

impl Untimed {
    pub fn start(
        mut drive: DataDrive,
        trim_sectors: Option<u64>,
        faults: Arc<Faults>,
    ) -> io::Result<Arc<Untimed>> {
        let untimed = Arc::new(Untimed {
            trim_sectors,
            faults,
            state: Mutex::default(),
        });
        let answer = untimed.answering();
        drive.sync_beside(answer).map_err(io::Error::other)?;
        untimed.state.lock().drive = Some(Box::new(drive));
        Ok(untimed)
    }

    /// What is called when a flush may have ended.
    pub fn answering(self: &Arc<Untimed>) -> impl Fn() + Send + 'static {
        let answering = Arc::downgrade(self);
        move || {
            if let Some(untimed) = answering.upgrade() {
                untimed.answer_kept();
            }
        }
    }

    /// Waits until the drive is on, and until faults let a request go on; what is to become of that then.
    fn let_in(&self, ask: &Ask) -> Verdict {
        loop {
            let until = self.state.lock().power.map(|(_, until)| until);
            let off = until.map_or(Duration::ZERO, |until| {
                until.saturating_duration_since(Instant::now())
            });
            if off.is_zero() {
                break;
            }
            sleep(off);
        }
        let now = self.faults.time_of(Instant::now());
        let verdict = self.faults.judge(ask.what(), &ask.range(), ask.fua(), now);
        sleep(Duration::from_nanos(
            verdict.not_before.0.saturating_sub(now.0),
        ));
        verdict
    }

    pub fn ask(&self, mut ask: Ask) {
        if let Some(result) = super::answer_at_once(&ask, self.trim_sectors) {
            ask.answer(result);
            return;
        }
        let verdict = self.let_in(&ask);
        if let Some(result) = verdict.answer.map(faults::result) {
            self.state.lock().count(&ask, &result);
            ask.answer(result);
            return;
        }
        let reads = ask.what() == What::Read;
        if let Some(draw) = verdict.flips.filter(|_| !reads) {
            ask.flip(draw);
        }
        if let Some(sector) = verdict.lands_at {
            ask.land_at(sector);
        }
        let flushes = ask.what() == What::Flush || (ask.fua() && !reads && !verdict.drops_flush);
        // A flush is of everything, and has no range.
        let of = ask.range();
        let pieces = Pieces::of(ask.what(), ask.range(), self.trim_sectors, TURN_SECTORS);
        let mut pieces = pieces
            .filter(|piece| piece.kind != CommandKind::Flush)
            .chain(flushes.then(|| Piece::flush_of(of.clone())))
            .peekable();
        let mut state = self.state.lock();
        let mut result = Ok(());
        while result.is_ok()
            && let Some(piece) = pieces.next()
        {
            // Dropped, it is answered with an error.
            let Some(mut drive) = state.drive.take() else {
                return;
            };
            // Without time nobody waits for what does not come.
            result = match state.is_gone || state.is_cut_off(&ask) {
                true => Err(NbdError::Io),
                false => perform(&mut drive, &piece, &mut ask),
            };
            state.drive = Some(drive);
            if pieces.peek().is_some() {
                MutexGuard::bump(&mut state);
            }
        }
        if let Some(draw) = verdict.flips.filter(|_| reads && result.is_ok()) {
            ask.flip(draw);
        }
        if result.is_ok()
            && flushes
            && let Some(drive) = &mut state.drive
        {
            let commit = drive.begin_commit_of(&of);
            state.kept_by.push((commit, ask));
            drop(state);
            self.answer_kept();
        } else {
            state.count(&ask, &result);
            drop(state);
            ask.answer(result);
        }
    }

    /// Answers what a commit has kept that has ended.
    fn answer_kept(&self) {
        let kept = self.state.lock().kept();
        for (ask, result) in kept {
            ask.answer(result);
        }
    }

    pub fn set_presence(&self, is_there: bool) {
        self.state.lock().is_gone = !is_there;
    }

    /// What is not answered fails, and the drive comes back as its image says.
    pub fn hard_reset(self: &Arc<Untimed>, hard_reset: HardReset) {
        let mut state = self.state.lock();
        let Some(mut drive) = state.drive.take() else {
            return;
        };
        let now = Instant::now();
        let off = hard_reset.off;
        let made = (hard_reset.act)(&mut drive);
        let mut cut_off = Vec::new();
        state.is_gone |= made == ResetOutcome::Lost;
        if made == ResetOutcome::IsBack {
            // Without a thread for it, flushes wait in place.
            let _ = drive.sync_beside(self.answering());
            state.power = Some((now, now + off));
            cut_off = std::mem::take(&mut state.kept_by);
        }
        state.drive = Some(drive);
        for (_, ask) in &cut_off {
            state.count(ask, &Err(NbdError::Io));
        }
        drop(state);
        for (_, ask) in cut_off {
            ask.answer(Err(NbdError::Io));
        }
    }

    pub fn call(&self, call: Call) {
        let mut state = self.state.lock();
        if let Some(mut drive) = state.drive.take() {
            call(&mut drive);
            state.drive = Some(drive);
        }
    }

    pub fn statistics(&self) -> Statistics {
        self.state.lock().statistics.clone()
    }

    /// Waits for what is to be kept, and answers that. Gives the drive, the first time.
    pub fn stop(&self) -> Option<DataDrive> {
        let mut state = self.state.lock();
        if let Some(drive) = &mut state.drive {
            drive.end_commits();
        }
        let (kept, drive) = (state.kept(), state.drive.take());
        drop(state);
        for (ask, result) in kept {
            ask.answer(result);
        }
        drive.map(|drive| *drive)
    }
}

fn perform(drive: &mut DataDrive, piece: &Piece, ask: &mut Ask) -> Result<(), NbdError> {
    let command = Command::new(
        piece.kind,
        0,
        piece.range.start,
        piece.sectors() as u32,
        SimTime::ZERO,
    );
    outcome(drive.apply_unflushed(command, piece.data(|range| ask.part(range))))?;
    match piece.kind {
        CommandKind::Read => super::read(drive, &piece.range, ask),
        _ => Ok(()),
    }
}

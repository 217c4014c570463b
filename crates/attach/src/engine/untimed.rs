//! A drive without time: whoever asks does the work, one after the other.
//!
//! A large request is done in pieces, and between two of them the drive goes to whoever waits longest. For the
//! machine's storage nobody is kept waiting: flushes are answered when a commit has ended that covers them.

use super::cut::{HardReset, ResetOutcome};
use super::pieces::{DATA_SECTORS_MAX, Piece, Pieces};
use super::request::{IoRequest, Operation};
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
    /// Requests that are done, and answered when their commit ends.
    awaiting_commit: Vec<(Commit, IoRequest)>,
    /// Instant at which the drive was switched on last, and instant until which it is off; none if its power
    /// never went.
    power: Option<(Instant, Instant)>,
}

impl State {
    /// True if a request arrived before the power went last.
    fn is_cut_off(&self, request: &IoRequest) -> bool {
        self.power
            .is_some_and(|(on_since, _)| request.arrived_at() < on_since)
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
    fn count(&mut self, request: &IoRequest, result: &Result<(), NbdError>) {
        let range = request.range();
        let bytes = (range.end - range.start) * SECTOR_BYTES;
        self.statistics
            .count(request.operation(), bytes, result.is_ok(), None);
    }

    /// Takes out what can be answered since its commit has ended, with the answers.
    fn committed(&mut self) -> Vec<(IoRequest, Result<(), NbdError>)> {
        let mut committed = Vec::new();
        let Some(drive) = &mut self.drive else {
            return committed;
        };
        for (commit, request) in std::mem::take(&mut self.awaiting_commit) {
            match drive.outcome_of(commit) {
                Some(ended) => committed.push((request, outcome(ended))),
                None => self.awaiting_commit.push((commit, request)),
            }
        }
        for (request, result) in &committed {
            self.count(request, result);
        }
        committed
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
        let answer = untimed.commit_listener();
        drive.sync_beside(answer).map_err(io::Error::other)?;
        untimed.state.lock().drive = Some(Box::new(drive));
        Ok(untimed)
    }

    /// Callback for the end of a commit.
    pub fn commit_listener(self: &Arc<Untimed>) -> impl Fn() + Send + 'static {
        let commit_listener = Arc::downgrade(self);
        move || {
            if let Some(untimed) = commit_listener.upgrade() {
                untimed.answer_committed();
            }
        }
    }

    /// Waits until the drive is on, and until faults let a request go on; what is to become of that then.
    fn let_in(&self, request: &IoRequest) -> Verdict {
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
        let verdict = self
            .faults
            .judge(request.operation(), &request.range(), request.fua(), now);
        sleep(Duration::from_nanos(
            verdict.not_before.0.saturating_sub(now.0),
        ));
        verdict
    }

    pub fn submit(&self, mut request: IoRequest) {
        if let Some(result) = super::answer_at_once(&request, self.trim_sectors) {
            request.answer(result);
            return;
        }
        let verdict = self.let_in(&request);
        if let Some(result) = verdict.answer.map(faults::result) {
            self.state.lock().count(&request, &result);
            request.answer(result);
            return;
        }
        let reads = request.operation() == Operation::Read;
        if let Some(draw) = verdict.flips.filter(|_| !reads) {
            request.flip(draw);
        }
        if let Some(sector) = verdict.lands_at {
            request.land_at(sector);
        }
        let flushes = request.operation() == Operation::Flush
            || (request.fua() && !reads && !verdict.drops_flush);
        // A flush is of everything, and has no range.
        let of = request.range();
        let pieces = Pieces::of(
            request.operation(),
            request.range(),
            self.trim_sectors,
            TURN_SECTORS,
        );
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
            result = match state.is_gone || state.is_cut_off(&request) {
                true => Err(NbdError::Io),
                false => perform(&mut drive, &piece, &mut request),
            };
            state.drive = Some(drive);
            if pieces.peek().is_some() {
                MutexGuard::bump(&mut state);
            }
        }
        if let Some(draw) = verdict.flips.filter(|_| reads && result.is_ok()) {
            request.flip(draw);
        }
        if result.is_ok()
            && flushes
            && let Some(drive) = &mut state.drive
        {
            let commit = drive.begin_commit_of(&of);
            state.awaiting_commit.push((commit, request));
            drop(state);
            self.answer_committed();
        } else {
            state.count(&request, &result);
            drop(state);
            request.answer(result);
        }
    }

    /// Answers what a commit has kept that has ended.
    fn answer_committed(&self) {
        let committed = self.state.lock().committed();
        for (request, result) in committed {
            request.answer(result);
        }
    }

    pub fn set_presence(&self, is_there: bool) {
        self.state.lock().is_gone = !is_there;
    }

    /// Aborts the requests that are not answered. The drive comes back in the state of its image.
    pub fn hard_reset(self: &Arc<Untimed>, hard_reset: HardReset) {
        let mut state = self.state.lock();
        let Some(mut drive) = state.drive.take() else {
            return;
        };
        let now = Instant::now();
        let off = hard_reset.off;
        let outcome = (hard_reset.act)(&mut drive);
        let mut cut_off = Vec::new();
        state.is_gone |= outcome == ResetOutcome::Lost;
        if outcome == ResetOutcome::IsBack {
            // Without a thread for it, flushes wait in place.
            let _ = drive.sync_beside(self.commit_listener());
            state.power = Some((now, now + off));
            cut_off = std::mem::take(&mut state.awaiting_commit);
        }
        state.drive = Some(drive);
        for (_, request) in &cut_off {
            state.count(request, &Err(NbdError::Io));
        }
        drop(state);
        for (_, request) in cut_off {
            request.answer(Err(NbdError::Io));
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
        let (committed, drive) = (state.committed(), state.drive.take());
        drop(state);
        for (request, result) in committed {
            request.answer(result);
        }
        drive.map(|drive| *drive)
    }
}

fn perform(drive: &mut DataDrive, piece: &Piece, request: &mut IoRequest) -> Result<(), NbdError> {
    let command = Command::new(
        piece.kind,
        0,
        piece.range.start,
        piece.sectors() as u32,
        SimTime::ZERO,
    );
    outcome(drive.apply_unflushed(command, piece.data(|range| request.part(range))))?;
    match piece.kind {
        CommandKind::Read => super::read(drive, &piece.range, request),
        _ => Ok(()),
    }
}

//! Faults of requests on a drive at work: the program of `ftlab_drive::faults` by the wall clock, and what clients of the
//! network block device are answered.

pub use ftlab_drive::faults::{FaultTold, MS_MAX, Mishap, On, Rule};

use crate::engine::Operation;
use ftlab_base::{CommandKind, Nanos};
use ftlab_drive::faults::{Answered, Program, Verdict};
use ftlab_nbd::NbdError;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Kind of requests that a fault can name; none for a cache hint.
fn on(operation: Operation) -> Option<On> {
    let kind = match operation {
        Operation::Read => CommandKind::Read,
        Operation::Write | Operation::Zero { .. } => CommandKind::Write,
        Operation::Flush => CommandKind::Flush,
        Operation::Trim => CommandKind::Trim,
        Operation::Cache => return None,
    };
    Some(On::from(kind))
}

/// The error that a client gets for a request that does not reach the drive.
pub(crate) fn result(answered: Answered) -> Result<(), NbdError> {
    match answered {
        Answered::Done => Ok(()),
        Answered::Failed => Err(NbdError::Io),
        Answered::Full => Err(NbdError::NoSpc),
        Answered::Refused => Err(NbdError::Perm),
    }
}

/// Faults on a drive at work.
#[derive(Debug)]
pub struct Faults {
    began: Instant,
    size_bytes: u64,
    has_time: bool,
    is_any: AtomicBool,
    program: Mutex<Program>,
}

impl Faults {
    /// Faults of a drive file, on a drive of `size_bytes`. Their time begins now.
    pub(crate) fn of(program: Program, size_bytes: u64, has_time: bool) -> Faults {
        Faults {
            began: Instant::now(),
            size_bytes,
            has_time,
            is_any: AtomicBool::new(!program.is_empty()),
            program: Mutex::new(program),
        }
    }

    /// Instant at which the time of verdicts begins.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Time from the beginning to an instant.
    pub(crate) fn time_of(&self, instant: Instant) -> Nanos {
        let since = instant.saturating_duration_since(self.began).as_nanos();
        Nanos(u64::try_from(since).unwrap_or(u64::MAX))
    }

    fn program(&self) -> MutexGuard<'_, Program> {
        self.program.lock().expect("no panic holds the program")
    }

    /// Has something go wrong from now on; gives its number.
    ///
    /// # Errors
    /// When it cannot be on this drive; the error says what is wrong.
    pub fn add(&self, rule: Rule) -> Result<u32, String> {
        let now = self.time_of(Instant::now());
        let mut program = self.program();
        let number = program.add(rule, now, self.size_bytes, self.has_time)?;
        self.is_any.store(true, Ordering::Release);
        Ok(number)
    }

    /// Faults that are in force, and what they did so far.
    pub fn list(&self) -> Vec<FaultTold> {
        let now = self.time_of(Instant::now());
        self.program().list(now)
    }

    /// Ends a fault, or all of them; how many there were.
    pub fn clear(&self, number: Option<u32>) -> usize {
        let mut program = self.program();
        let ended = program.clear(number);
        self.is_any.store(!program.is_empty(), Ordering::Release);
        ended
    }

    /// Decides about a request for these sectors that arrives now.
    pub(crate) fn judge(
        &self,
        operation: Operation,
        range: &Range<u64>,
        fua: bool,
        now: Nanos,
    ) -> Verdict {
        match on(operation).filter(|_| self.is_any.load(Ordering::Acquire)) {
            Some(on) => self.program().judge(on, range, fua, now),
            None => Verdict::NOTHING,
        }
    }

    /// Time until which the drive is off its bus, if it is.
    pub(crate) fn away_until(&self, now: Nanos) -> Option<Nanos> {
        let is_any = self.is_any.load(Ordering::Acquire);
        is_any.then(|| self.program().away_until(now)).flatten()
    }
}

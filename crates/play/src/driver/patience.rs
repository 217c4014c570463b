//! Limits of a timed run: it ends with a result, or with the reason why it has none.
//!
//! A command that never ends is noticed when the run has nothing left to wait for, at the end of the
//! other jobs at the latest: every job ends by its amount or its time. There is no limit on how long
//! one command may take, since a drive that merges all day for a write is slow and not stuck.

use super::error::DriverError;
use ftlab_base::{Nanos, SimTime};

/// The clock goes on for half of what it can count, 292 years, so that no sum of instants and spans
/// below it reaches its end.
const LATEST: SimTime = SimTime(u64::MAX / 2);

/// Turns at one instant after which a run stands still: a job that only time ends would go on like
/// this for ever. More than there are slots of 4 KiB in a write buffer of 4 GiB, which may well take
/// data in no time until it is full.
const TURNS_AN_INSTANT_MAX: u64 = 1 << 21;

/// Turns without a completion after which the drive only seems to work. A flush that merges a
/// superblock of 4096 pages for each slot of a buffer of 16 MiB takes this many.
const TURNS_IN_VAIN_MAX: u64 = 1 << 26;

/// Counts turns of a run's loop: moves of the clock to where something happens.
#[derive(Debug)]
pub struct Patience {
    /// A job of the group ends only when its time is over.
    timed_job: bool,
    at: SimTime,
    at_this_instant: u64,
    in_vain: u64,
}

/// Finding of a turn: the run goes on, or not.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    GoOn,
    Standstill,
    Endless,
    Stuck,
}

impl Patience {
    pub fn new(start: SimTime, timed_job: bool) -> Patience {
        Patience {
            timed_job,
            at: start,
            at_this_instant: 0,
            in_vain: 0,
        }
    }

    /// The clock is about to move to `next`.
    pub fn turn(&mut self, next: SimTime) -> Verdict {
        if next > LATEST {
            return Verdict::Endless;
        }
        if next > self.at {
            (self.at, self.at_this_instant) = (next, 0);
        }
        self.at_this_instant += 1;
        self.in_vain += 1;
        let stands = self.at_this_instant > TURNS_AN_INSTANT_MAX;
        if stands && self.timed_job {
            Verdict::Standstill
        } else if stands || self.in_vain > TURNS_IN_VAIN_MAX {
            Verdict::Stuck
        } else {
            Verdict::GoOn
        }
    }

    /// Commands have ended. Where amounts end all jobs, that brings the end nearer even when the
    /// clock does not move: a drive may take no time.
    pub fn progress(&mut self) {
        self.in_vain = 0;
        if !self.timed_job {
            self.at_this_instant = 0;
        }
    }

    /// The error of a run that stands still.
    pub fn standstill(&self) -> DriverError {
        DriverError::Standstill {
            at: self.at.since(SimTime::ZERO),
            events: self.at_this_instant,
        }
    }
}

/// The latest instant of a run, as a span.
pub const LONGEST: Nanos = Nanos(LATEST.0);

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns at one instant that are let pass when each completes something.
    fn turns(timed_job: bool, most: u64) -> u64 {
        let mut patience = Patience::new(SimTime(5), timed_job);
        let going_on = (0..most).take_while(|_| {
            patience.progress();
            patience.turn(SimTime(5)) == Verdict::GoOn
        });
        going_on.count() as u64
    }

    #[test]
    fn a_standstill_is_one_only_for_jobs_that_time_ends() {
        let many = 2 * TURNS_AN_INSTANT_MAX;
        assert_eq!(turns(true, many), TURNS_AN_INSTANT_MAX);
        assert_eq!(turns(false, many), many);
    }

    #[test]
    fn without_jobs_that_time_ends_a_standstill_is_the_drives() {
        let mut patience = Patience::new(SimTime::ZERO, false);
        let verdicts = (0..=TURNS_AN_INSTANT_MAX).map(|_| patience.turn(SimTime::ZERO));
        assert_eq!(verdicts.last(), Some(Verdict::Stuck));
    }

    #[test]
    fn a_clock_that_moves_is_no_standstill_but_perhaps_in_vain() {
        let mut patience = Patience::new(SimTime::ZERO, true);
        let verdict = (1..).map(|ns| patience.turn(SimTime(ns)));
        let (turns, last) = (1..)
            .zip(verdict)
            .find(|(_, v)| *v != Verdict::GoOn)
            .unwrap();
        assert_eq!((turns, last), (TURNS_IN_VAIN_MAX + 1, Verdict::Stuck));
    }

    #[test]
    fn time_has_an_end() {
        let mut patience = Patience::new(SimTime::ZERO, true);
        assert_eq!(patience.turn(LATEST), Verdict::GoOn);
        assert_eq!(patience.turn(SimTime(LATEST.0 + 1)), Verdict::Endless);
    }
}

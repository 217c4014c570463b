//! The one loop on a clock: sources of requests act, and the clock jumps to whatever comes next.

use super::error::DriverError;
use super::io::{Ended, Io};
use super::measuring::Measuring;
use super::patience::{LONGEST, Patience, Verdict};
use ftlab_base::{CommandKind, SimTime};
use ftlab_states::watch::Stopped;

/// Turns of the clock between two looks at how far a run is.
const TURNS_A_LOOK: u64 = 1 << 14;

/// Source of requests: the jobs of a group, the programs of a scenario, a trace.
pub trait Source {
    /// Tag that tells its requests apart.
    type Tag: Copy;

    /// Submits everything that is due at `now`; returns the instant at which it next does something by itself, `NEVER`
    /// if only when a request ends.
    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, Self::Tag>) -> SimTime;

    /// Takes the end of one of its requests; returns true if somebody who waits for the drive sees that.
    fn ended(&mut self, ended: Ended<Self::Tag>) -> bool;

    /// Returns true if the source is over, having acted: what is outstanding then is waited for and counts no more.
    fn is_over(&self, wake: SimTime, outstanding: u64) -> bool;

    /// Returns true if somebody waits for the drive.
    fn waits(&self, outstanding: u64) -> bool {
        outstanding > 0
    }

    /// Returns the share of it that is done, 0 to 1; none where nobody can know.
    fn share(&self, now: SimTime, completed: u64) -> Option<f64>;

    /// Returns true if a part of it ends only when its time is over.
    fn only_time_ends(&self) -> bool {
        false
    }

    /// From when on it counts; none for from the start.
    fn counts_from(&self) -> Option<SimTime> {
        None
    }

    /// The end of its time, if that may be later than its last request.
    fn ends(&self) -> Option<SimTime> {
        None
    }

    /// Returns true if it is at work without the drive, though that ends beyond all time.
    fn is_busy_for_ever(&self) -> bool {
        false
    }
}

/// Plays a source from `start` to its end and returns the instant of that. `tell` hears the time and the share that is
/// done, and may end it there.
///
/// # Errors
/// When `tell` ends it, the drive loses a command, or nothing moves any more.
pub fn play<S: Source>(
    source: &mut S,
    io: &mut Io<'_, '_, S::Tag>,
    start: SimTime,
    measuring: &mut Measuring,
    tell: &dyn Fn(SimTime, Option<f64>) -> Result<(), Stopped>,
) -> Result<SimTime, DriverError> {
    let counts_from = source.counts_from();
    let mut patience = Patience::new(start, source.only_time_ends());
    let mut now = start;
    for turn in 0_u64.. {
        if turn.is_multiple_of(TURNS_A_LOOK) {
            tell(now, source.share(now, io.completed))?;
        }
        let wake = source.act(now, io);
        measuring.pauses.waits(now, source.waits(io.outstanding()));
        if source.is_over(wake, io.outstanding()) {
            break;
        }
        let next_event = io.target.next_event();
        if wake == SimTime::NEVER && next_event.is_none() {
            return Err(match source.is_busy_for_ever() {
                true => DriverError::Endless { after: LONGEST },
                false => io.stuck(now),
            });
        }
        let next = wake.min(next_event.unwrap_or(SimTime::NEVER)).max(now);
        match patience.turn(next) {
            Verdict::GoOn => {}
            Verdict::Standstill => return Err(patience.standstill()),
            Verdict::Endless => return Err(DriverError::Endless { after: LONGEST }),
            Verdict::Stuck => return Err(io.stuck(now)),
        }
        let begins = counts_from.filter(|_| !measuring.has_begun);
        if let Some(from) = begins.filter(|&from| next >= from) {
            measuring.begin(io.target, now.max(from));
            measuring
                .pauses
                .waits(now.max(from), source.waits(io.outstanding()));
        }
        measuring.read_until(io.target, next);
        let limit = match counts_from {
            // The counters are read before anything happens from then on.
            Some(from) if !measuring.has_begun => wake.min(SimTime(from.0 - 1)).max(next),
            _ => wake,
        };
        let limit = limit.min(measuring.next_reading()).max(next);
        let last = io.target.advance_to_completion(limit, &mut io.done);
        now = last.map_or(next, |last| last.max(next));
        let ends = complete(source, io, measuring)?;
        if ends > 0 || wake <= now {
            patience.progress();
        }
    }
    if let Some(ends) = source.ends() {
        now = ends.max(now);
        io.target.advance(now, &mut io.done);
        complete(source, io, measuring)?;
    }
    Ok(now)
}

/// Hands what has ended to the source and returns the number of requests.
#[inline]
fn complete<S: Source>(
    source: &mut S,
    io: &mut Io<'_, '_, S::Tag>,
    measuring: &mut Measuring,
) -> Result<usize, DriverError> {
    for n in 0..io.done.len() {
        let ended = io.end(io.done[n])?;
        if ended.is_good && ended.kind == CommandKind::Write {
            measuring.wrote(ended.device, ended.bytes);
        }
        let at = ended.to;
        if source.ended(ended) {
            measuring.pauses.progress(at);
        }
    }
    let ends = io.done.len();
    io.done.clear();
    measuring.mark_rounds(io.target);
    Ok(ends)
}

/// Lets what is outstanding at the end of a source end, uncounted, and returns the instant of the last.
///
/// # Errors
/// When the drive loses a command, or nothing moves any more.
pub fn wait_for_the_rest<T: Copy>(
    io: &mut Io<'_, '_, T>,
    mut now: SimTime,
) -> Result<SimTime, DriverError> {
    let mut patience = Patience::new(now, false);
    while io.outstanding() > 0 {
        let Some(next) = io.target.next_event() else {
            return Err(io.stuck(now));
        };
        if patience.turn(next) != Verdict::GoOn {
            return Err(io.stuck(now));
        }
        now = next.max(now);
        io.target.advance(now, &mut io.done);
        if !io.done.is_empty() {
            patience.progress();
        }
        for completion in std::mem::take(&mut io.done) {
            io.end(completion)?;
        }
    }
    Ok(now)
}

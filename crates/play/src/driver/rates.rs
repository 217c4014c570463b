//! Caps on what a job issues (fio's `rate` and `rate_iops`): each direction has its own and a clock of its own.
//!
//! As in fio, a cap is one of bytes: a cap of requests a second counts each as one of the smallest size. A direction
//! behind its cap catches up at full speed. A mix makes the direction that was drawn, unless that is ahead of its cap
//! and the other one is not; a direction without a cap is never ahead.

use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, Nanos};
use ftlab_workload::{PatternKind, ResolvedJob};
use rand::Rng;

/// The caps of a job, and what they have let through.
#[derive(Debug)]
pub struct Rates {
    directions: [Option<Direction>; 3],
    /// The job is a mix whose next direction its caps decide.
    pub choose: bool,
}

/// The cap on reads, writes or trims.
#[derive(Debug)]
struct Direction {
    bytes_per_second: u128,
    issued_bytes: u64,
    /// The time after the beginning at which the next one may pass. It is looked at more often than it changes.
    next: Nanos,
    /// The mean distance of requests that come at random, of the smallest size, as fio takes them, and their stream.
    mean: Nanos,
    arrivals: Option<Stream>,
}

impl Rates {
    /// Those of a job; `stream` makes a random stream by what it is for.
    pub fn of(job: &ResolvedJob, stream: &dyn Fn(&str) -> Stream) -> Rates {
        let pacing = job.pacing();
        let direction = |kind: CommandKind, arrivals: &str| {
            let least_bytes = job.spec.sizes.bs.of(kind);
            let by_ios = |ios| u128::from(ios) * u128::from(least_bytes);
            let by_bytes = pacing.rate_bytes.of(kind).map(u128::from);
            let rate = by_bytes.or(pacing.rate_iops.of(kind).map(by_ios));
            rate.map(|rate| {
                let rate = rate.max(1);
                Direction {
                    bytes_per_second: rate,
                    issued_bytes: 0,
                    next: Nanos::ZERO,
                    mean: span(least_bytes, rate),
                    arrivals: pacing.rate_poisson.then(|| stream(arrivals)),
                }
            })
        };
        let directions = [
            direction(CommandKind::Read, "arrivals of reads"),
            direction(CommandKind::Write, "arrivals of writes"),
            direction(CommandKind::Trim, "arrivals of trims"),
        ];
        let spec = &job.spec;
        let mixes = spec.pattern.kind == PatternKind::ReadWrite
            && (1..100).contains(&spec.pattern.rwmixread);
        let has_cap = directions.iter().any(Option::is_some);
        Rates {
            // What is read back is no part of the mix.
            choose: mixes && has_cap && !spec.checks.is_on,
            directions,
        }
    }

    /// Returns the time after the beginning at which the cap on a kind lets its next request pass. Flushes have none.
    #[inline]
    pub fn allow(&self, kind: CommandKind) -> Nanos {
        let direction = place(kind).and_then(|place| self.directions[place].as_ref());
        direction.map_or(Nanos::ZERO, |direction| direction.next)
    }

    /// Returns the time after the beginning at which the cap on reads or that on writes lets one pass.
    pub fn allow_any(&self) -> Nanos {
        self.allow(CommandKind::Read)
            .min(self.allow(CommandKind::Write))
    }

    /// The kind of the next request of a mix, so long after its beginning: the one that was drawn, or the other one if
    /// that may go first.
    pub fn choose(&self, drawn: CommandKind, passed: Nanos) -> CommandKind {
        let other = match drawn {
            CommandKind::Read => CommandKind::Write,
            _ => CommandKind::Read,
        };
        let [due, before] = [drawn, other].map(|kind| self.allow(kind));
        match due > passed && before < due {
            true => other,
            false => drawn,
        }
    }

    /// Counts a request towards its cap.
    #[inline]
    pub fn issued(&mut self, kind: CommandKind, bytes: u64) {
        let Some(direction) = place(kind).and_then(|place| self.directions[place].as_mut()) else {
            return;
        };
        let Some(arrivals) = &mut direction.arrivals else {
            direction.issued_bytes += bytes;
            direction.next = span(direction.issued_bytes, direction.bytes_per_second);
            return;
        };
        // The logarithm of a number above 0 and up to 1.
        let draw = ((arrivals.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        direction.next += Nanos((-draw.ln() * direction.mean.0 as f64) as u64);
    }
}

/// The time that bytes take at a rate.
fn span(bytes: u64, bytes_per_second: u128) -> Nanos {
    let span = u128::from(bytes) * 1_000_000_000 / bytes_per_second;
    Nanos(u64::try_from(span).unwrap_or(u64::MAX))
}

fn place(kind: CommandKind) -> Option<usize> {
    match kind {
        CommandKind::Read => Some(0),
        CommandKind::Write => Some(1),
        CommandKind::Trim => Some(2),
        CommandKind::Flush => None,
    }
}

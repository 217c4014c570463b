//! A limit at the port: what a cloud lets through to a volume, whatever lies behind it.
//!
//! Token buckets. One counts operations and one counts bytes; each fills at its rate, up to what it holds, and a command takes
//! its price out of both. Where a bucket has too little, the command waits, and those behind it wait too.

use ftlab_base::{Command, CommandKind, Nanos, SimTime};

/// What a port lets through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Operations; any number if none is given.
    pub operations: Option<Bucket>,
    /// Operations a second at most, however much is saved up.
    pub peak_iops: Option<f64>,
    /// Bytes a second; any number if none is given.
    pub bytes_per_s: Option<f64>,
    /// What counts as one operation: a larger command counts as several. Any size does if none is given.
    pub unit_bytes: Option<u64>,
    /// What a read takes out of the buckets, over its operations and bytes.
    pub read_cost: f64,
    /// What everything else takes.
    pub write_cost: f64,
    /// What the way there and back takes, for any number of commands at a time.
    pub latency: Nanos,
}

/// A bucket of operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Operations that come in a second.
    pub per_s: f64,
    /// Operations that it holds.
    pub holds: f64,
}

/// The limit at work; full at the beginning.
#[derive(Debug, Clone)]
pub(crate) struct Throttle {
    limit: Limit,
    operations: Option<Level>,
    peak: Option<Level>,
    bytes: Option<Level>,
    last: SimTime,
}

/// How full a bucket is, as the instant from which on it is full.
#[derive(Debug, Clone, Copy)]
struct Level {
    full_at_ps: u128,
    token_ps: f64,
    holds: f64,
}

const PS_A_NS: u128 = 1000;
const PS_A_S: f64 = 1e12;

impl Level {
    fn full(per_s: f64, holds: f64) -> Level {
        Level {
            full_at_ps: 0,
            token_ps: PS_A_S / per_s,
            holds,
        }
    }

    fn span_ps(&self, tokens: f64) -> u128 {
        (tokens * self.token_ps).round() as u128
    }

    /// The first instant from `now` on at which it has that many tokens; or is full, where it never has.
    fn has_at(&self, now: SimTime, tokens: f64) -> SimTime {
        let missing = self.span_ps((self.holds - tokens).max(0.0));
        let at_ps = self.full_at_ps.saturating_sub(missing);
        now.max(SimTime(at_ps.div_ceil(PS_A_NS) as u64))
    }

    fn take(&mut self, now: SimTime, tokens: f64) {
        let now_ps = u128::from(now.0) * PS_A_NS;
        self.full_at_ps = self.full_at_ps.max(now_ps) + self.span_ps(tokens);
    }
}

impl Throttle {
    pub fn new(limit: Limit) -> Throttle {
        Throttle {
            operations: limit
                .operations
                .map(|bucket| Level::full(bucket.per_s, bucket.holds)),
            peak: limit.peak_iops.map(|per_s| Level::full(per_s, 1.0)),
            // Nothing is saved up: a command goes when those before it have been paid for.
            bytes: limit.bytes_per_s.map(|per_s| Level::full(per_s, 0.0)),
            last: SimTime::ZERO,
            limit,
        }
    }

    /// Time begins again.
    pub fn restart(&mut self) {
        *self = Throttle::new(self.limit);
    }

    /// When a command that is ready at `now` arrives at the drive.
    pub fn admit(&mut self, command: &Command, now: SimTime) -> SimTime {
        let (operations, bytes) = self.limit.price(command);
        let mut levels = [
            (&mut self.operations, operations),
            (&mut self.peak, operations),
            (&mut self.bytes, bytes),
        ];
        let mut at = now.max(self.last);
        for (level, tokens) in &levels {
            at = level.map_or(at, |level| level.has_at(at, *tokens));
        }
        for (level, tokens) in &mut levels {
            if let Some(level) = level {
                level.take(at, *tokens);
            }
        }
        self.last = at;
        at + self.limit.latency
    }
}

impl Limit {
    /// What a command takes out of the buckets: operations and bytes.
    fn price(&self, command: &Command) -> (f64, f64) {
        let bytes = match command.kind {
            CommandKind::Read | CommandKind::Write => command.bytes(),
            CommandKind::Trim | CommandKind::Flush => 0,
        };
        let units = self
            .unit_bytes
            .map_or(1, |unit| bytes.div_ceil(unit).max(1));
        let cost = match command.kind {
            CommandKind::Read => self.read_cost,
            CommandKind::Write | CommandKind::Trim | CommandKind::Flush => self.write_cost,
        };
        (units as f64 * cost, bytes as f64 * cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::{CommandId, Content, Lba, Placement, SubmissionQueue};

    const OPEN: Limit = Limit {
        operations: None,
        peak_iops: None,
        bytes_per_s: None,
        unit_bytes: None,
        read_cost: 1.0,
        write_cost: 1.0,
        latency: Nanos::ZERO,
    };

    fn command(kind: CommandKind, sectors: u32) -> Command {
        Command {
            id: CommandId(0),
            kind,
            lba: Lba(0),
            sectors,
            content: Content::RANDOM,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        }
    }

    /// When so many commands arrive that all come at the beginning.
    fn arrivals(limit: Limit, kind: CommandKind, sectors: u32, count: usize) -> Vec<u64> {
        let mut throttle = Throttle::new(limit);
        let arrive = |_| throttle.admit(&command(kind, sectors), SimTime::ZERO).0;
        (0..count).map(arrive).collect()
    }

    #[test]
    fn what_is_saved_up_goes_at_once_and_the_rest_at_the_rate() {
        let limit = Limit {
            operations: Some(Bucket {
                per_s: 1000.0,
                holds: 3.0,
            }),
            ..OPEN
        };
        let ms = |at: &[u64]| at.iter().map(|ns| ns / 1_000_000).collect::<Vec<_>>();
        assert_eq!(
            ms(&arrivals(limit, CommandKind::Read, 8, 6)),
            [0, 0, 0, 1, 2, 3]
        );
        let peak = Limit {
            peak_iops: Some(2000.0),
            ..limit
        };
        let at = arrivals(peak, CommandKind::Write, 8, 8);
        // Half a millisecond apart while the three and what comes in meanwhile last.
        assert_eq!(at[..5], [0, 500_000, 1_000_000, 1_500_000, 2_000_000]);
        assert_eq!(at[7] - at[6], 1_000_000);
    }

    #[test]
    fn large_commands_count_as_several_and_bytes_have_a_rate_of_their_own() {
        let limit = Limit {
            operations: Some(Bucket {
                per_s: 1000.0,
                holds: 1.0,
            }),
            unit_bytes: Some(256 << 10),
            ..OPEN
        };
        // A megabyte is four operations.
        let at = arrivals(limit, CommandKind::Read, 2048, 3);
        assert_eq!(at, [0, 4_000_000, 8_000_000]);
        let bytes = Limit {
            bytes_per_s: Some(512e6),
            ..OPEN
        };
        assert_eq!(
            arrivals(bytes, CommandKind::Read, 1000, 3),
            [0, 1_000_000, 2_000_000]
        );
        assert_eq!(arrivals(bytes, CommandKind::Flush, 0, 3), [0; 3]);
    }

    #[test]
    fn a_kind_may_cost_more_and_every_command_has_its_way() {
        let limit = Limit {
            operations: Some(Bucket {
                per_s: 1000.0,
                holds: 1.0,
            }),
            write_cost: 2.0,
            latency: Nanos::from_micros(100),
            ..OPEN
        };
        let reads = arrivals(limit, CommandKind::Read, 8, 3);
        assert_eq!(reads, [100_000, 1_100_000, 2_100_000]);
        let writes = arrivals(limit, CommandKind::Write, 8, 3);
        assert_eq!(writes, [100_000, 2_100_000, 4_100_000]);
    }

    #[test]
    fn what_was_not_used_is_saved_up_to_what_the_bucket_holds() {
        let limit = Limit {
            operations: Some(Bucket {
                per_s: 1000.0,
                holds: 2.0,
            }),
            ..OPEN
        };
        let mut throttle = Throttle::new(limit);
        let mut admit = |ms: u64| {
            let now = SimTime(ms * 1_000_000);
            throttle.admit(&command(CommandKind::Read, 8), now).0 / 1_000_000
        };
        let at = [0, 0, 0, 50, 50, 50, 50].map(&mut admit);
        assert_eq!(at, [0, 0, 1, 50, 50, 51, 52]);
    }
}

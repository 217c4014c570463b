//! A limit at the port: what a cloud lets through to a volume, whatever lies behind it.
//!
//! Token buckets. One counts operations and one counts bytes; each fills at its rate, up to what it holds, and a command takes
//! its price out of both. Where a bucket has too little, the command waits, and those behind it wait too. Commands in order that
//! wait together may count as one operation ([`Limit::merge_bytes_min`]).

use ftlab_base::{Command, CommandKind, Nanos, Server, SimTime};
use std::collections::VecDeque;

/// Limits of what a port lets through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Operations; any number if none is given.
    pub operations: Option<Bucket>,
    /// Operations a second at most, however much is saved up.
    pub peak_iops: Option<f64>,
    /// Bytes; any number if none are given.
    pub bytes: Option<Bucket>,
    /// Bytes a second at most, however many are saved up.
    pub peak_bytes_per_s: Option<f64>,
    /// Bytes written a second, which then take nothing of the others.
    pub write_bytes_per_s: Option<f64>,
    /// Bytes of one operation: a larger command counts as several. Any size is one if left out.
    pub unit_bytes: Option<u64>,
    /// Reads, or writes, of this size or more that go on where another ends count with it as one operation, up to the unit, as
    /// long as that operation waits. Each counts for itself if nothing is given.
    pub merge_bytes_min: Option<u64>,
    /// Tokens that everything but a read takes, as a multiple of a read's.
    pub write_cost: f64,
    /// Time of the way there and back, for any number of commands at a time.
    pub latency: Nanos,
}

/// A bucket of operations or of bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Tokens that come in each second.
    pub per_s: f64,
    /// Tokens that it holds. Where nothing is saved up, a command goes when those before it have been paid for.
    pub holds: f64,
}

/// The limit at work; full at the beginning.
#[derive(Debug, Clone)]
pub(crate) struct Throttle {
    limit: Limit,
    operations: Option<Level>,
    peak: Option<Level>,
    bytes: Option<Level>,
    peak_bytes: Option<Level>,
    /// Bucket of written bytes, where they have one: then reads and writes wait for their bytes each by themselves.
    written: Option<Level>,
    /// The time in which reads and writes wait for bytes of their own.
    held_apart: [Server; 2],
    /// The time in which commands are held up.
    held: Server,
    /// Operations that wait and have room for commands that go on with them, in the order in which they are let through.
    open: VecDeque<Open>,
}

/// An operation that a command may still join.
#[derive(Debug, Clone, Copy)]
struct Open {
    kind: CommandKind,
    end_lba: u64,
    room_bytes: u64,
    /// Instant at which it is let through.
    at: SimTime,
}

/// Level of a bucket, as the instant from which on it is full.
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
        let full = |bucket: Bucket| Level::full(bucket.per_s, bucket.holds);
        let unsaved = |per_s: f64| Level::full(per_s, 0.0);
        Throttle {
            operations: limit.operations.map(full),
            peak: limit.peak_iops.map(|per_s| Level::full(per_s, 1.0)),
            bytes: limit.bytes.map(full),
            peak_bytes: limit.peak_bytes_per_s.map(unsaved),
            written: limit.write_bytes_per_s.map(unsaved),
            held_apart: [Server::default(); 2],
            held: Server::default(),
            open: VecDeque::new(),
            limit,
        }
    }

    /// Starts time anew, with full buckets.
    pub fn restart(&mut self) {
        *self = Throttle::new(self.limit);
    }

    /// Returns the instant at which a command that is ready at `now` arrives at the drive.
    pub fn admit(&mut self, command: &Command, now: SimTime) -> SimTime {
        let joins = self.joins(command, now);
        let units = if joins { 0 } else { self.limit.units(command) };
        let cost = self.limit.cost(command.kind);
        let (operations, bytes) = (units as f64 * cost, moved_bytes(command) as f64 * cost);
        let (all, peak) = (
            (&mut self.operations, operations),
            (&mut self.peak, operations),
        );
        let of_bytes = [(&mut self.bytes, bytes), (&mut self.peak_bytes, bytes)];
        let at = if self.written.is_none() {
            let [bytes, peak_bytes] = of_bytes;
            pass(&mut self.held, [all, peak, bytes, peak_bytes], now)
        } else {
            let at = pass(&mut self.held, [all, peak], now);
            let [reads, writes] = &mut self.held_apart;
            match command.kind {
                CommandKind::Read => pass(reads, of_bytes, at),
                CommandKind::Write => pass(writes, [(&mut self.written, bytes)], at),
                CommandKind::Trim | CommandKind::Flush => at,
            }
        };
        if !joins {
            self.open(command, units, at);
        }
        at + self.limit.latency
    }

    /// The time in which commands were held up by `now`.
    pub fn held_until(&self, now: SimTime) -> Nanos {
        let [reads, writes] = &self.held_apart;
        let held = [&self.held, reads, writes].map(|held| held.busy_until(now));
        held.into_iter().max().unwrap_or(Nanos::ZERO)
    }

    /// Returns true if a command becomes a part of an operation that still waits.
    fn joins(&mut self, command: &Command, now: SimTime) -> bool {
        while self.open.pop_front_if(|open| open.at <= now).is_some() {}
        if !self.limit.merges(command) {
            return false;
        }
        let goes_on = |open: &&mut Open| {
            open.kind == command.kind
                && open.end_lba == command.lba.0
                && open.room_bytes >= command.bytes()
        };
        let Some(open) = self.open.iter_mut().rev().find(goes_on) else {
            return false;
        };
        open.end_lba += u64::from(command.sectors);
        open.room_bytes -= command.bytes();
        true
    }

    /// Lets others join what a command begins.
    fn open(&mut self, command: &Command, units: u64, at: SimTime) {
        if let Some(unit_bytes) = self.limit.unit_bytes
            && self.limit.merges(command)
        {
            self.open.push_back(Open {
                kind: command.kind,
                end_lba: command.lba.0 + u64::from(command.sectors),
                room_bytes: units * unit_bytes - command.bytes(),
                at,
            });
        }
    }
}

/// Returns the instant at which a command that comes at `now` has its tokens of all the levels, behind those that came
/// before it.
fn pass<const N: usize>(
    held: &mut Server,
    mut levels: [(&mut Option<Level>, f64); N],
    now: SimTime,
) -> SimTime {
    let from = held.serve(now, Nanos::ZERO);
    let mut at = from;
    for (level, tokens) in &levels {
        // What joins an operation that waits takes nothing, and waits for nothing of its own.
        let level = level.filter(|_| *tokens > 0.0);
        at = level.map_or(at, |level| level.has_at(at, *tokens));
    }
    for (level, tokens) in &mut levels {
        if let Some(level) = level {
            level.take(at, *tokens);
        }
    }
    held.serve(from, at.since(from))
}

/// Bytes of data that a command moves.
fn moved_bytes(command: &Command) -> u64 {
    match command.kind {
        CommandKind::Read | CommandKind::Write => command.bytes(),
        CommandKind::Trim | CommandKind::Flush => 0,
    }
}

impl Limit {
    /// Operations that a command counts as by itself.
    fn units(&self, command: &Command) -> u64 {
        let bytes = moved_bytes(command);
        self.unit_bytes
            .map_or(1, |unit| bytes.div_ceil(unit).max(1))
    }

    /// Returns the tokens that an operation or a byte of a kind takes.
    fn cost(&self, kind: CommandKind) -> f64 {
        match kind {
            CommandKind::Read => 1.0,
            CommandKind::Write | CommandKind::Trim | CommandKind::Flush => self.write_cost,
        }
    }

    /// Returns true if commands such as this one are merged with others.
    fn merges(&self, command: &Command) -> bool {
        let bytes = moved_bytes(command);
        (self.merge_bytes_min).is_some_and(|least| bytes > 0 && bytes >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Lba;

    const OPEN: Limit = Limit {
        operations: None,
        peak_iops: None,
        bytes: None,
        peak_bytes_per_s: None,
        write_bytes_per_s: None,
        unit_bytes: None,
        merge_bytes_min: None,
        write_cost: 1.0,
        latency: Nanos::ZERO,
    };

    fn command(kind: CommandKind, sectors: u32) -> Command {
        Command::new(kind, 0, 0, sectors, SimTime::ZERO)
    }

    /// Arrivals of `count` commands that all come at the beginning.
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
            bytes: Some(Bucket {
                per_s: 512e6,
                holds: 0.0,
            }),
            ..OPEN
        };
        assert_eq!(
            arrivals(bytes, CommandKind::Read, 1000, 3),
            [0, 1_000_000, 2_000_000]
        );
        assert_eq!(arrivals(bytes, CommandKind::Flush, 0, 3), [0; 3]);
    }

    #[test]
    fn bytes_may_be_saved_up_and_what_is_written_may_have_its_own() {
        let limit = Limit {
            bytes: Some(Bucket {
                per_s: 512e6,
                holds: 1024e3,
            }),
            peak_bytes_per_s: Some(1024e6),
            write_bytes_per_s: Some(256e6),
            ..OPEN
        };
        // Of 512 kB each: at the peak until the credit and what comes in meanwhile is spent.
        let reads = arrivals(limit, CommandKind::Read, 1000, 7);
        assert_eq!(reads[..4], [0, 500_000, 1_000_000, 2_000_000]);
        assert_eq!(reads[6] - reads[5], 1_000_000);
        let writes = arrivals(limit, CommandKind::Write, 1000, 3);
        assert_eq!(writes, [0, 2_000_000, 4_000_000]);
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

    /// What EBS does: 32 KiB and more in order count together, up to 256 KiB.
    const EBS: Limit = Limit {
        operations: Some(Bucket {
            per_s: 1000.0,
            holds: 1.0,
        }),
        unit_bytes: Some(256 << 10),
        merge_bytes_min: Some(32 << 10),
        ..OPEN
    };

    /// When commands of these kinds, first sectors and sizes are let through, in ms, that all come at the beginning.
    fn let_through(commands: &[(CommandKind, u64, u32)]) -> Vec<u64> {
        let mut throttle = Throttle::new(EBS);
        let admit = |&(kind, lba, sectors): &(CommandKind, u64, u32)| {
            let command = Command {
                lba: Lba(lba),
                ..command(kind, sectors)
            };
            throttle.admit(&command, SimTime::ZERO).0 / 1_000_000
        };
        commands.iter().map(admit).collect()
    }

    const READ: CommandKind = CommandKind::Read;
    const WRITE: CommandKind = CommandKind::Write;

    #[test]
    fn what_is_in_order_and_waits_counts_together_up_to_the_unit() {
        // The first goes at once, so that nothing can join it; of the others eight are one operation.
        let in_order: Vec<_> = (0..18).map(|n| (READ, 64 * n, 64)).collect();
        let at = let_through(&in_order);
        assert_eq!(at[..9], [0, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(at[9..], [2, 2, 2, 2, 2, 2, 2, 2, 3]);
        // Two streams by turns are merged each for itself.
        let two = [0, 0, 64, 9064, 128, 9128].map(|lba| (WRITE, lba, 64));
        assert_eq!(let_through(&two), [0, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn what_is_at_random_small_or_of_another_kind_counts_for_itself() {
        let at_random = [0, 640, 64, 1280, 128].map(|lba| (READ, lba, 64));
        assert_eq!(
            let_through(&at_random),
            [0, 1, 2, 3, 3],
            "the last goes on where the third ends"
        );
        let apart = [0, 640, 1280, 1920].map(|lba| (READ, lba, 64));
        assert_eq!(let_through(&apart), [0, 1, 2, 3]);
        let small = [0, 8, 16, 24].map(|lba| (READ, lba, 8));
        assert_eq!(let_through(&small), [0, 1, 2, 3]);
        let kinds = [(READ, 0, 64), (READ, 64, 64), (WRITE, 128, 64)];
        assert_eq!(let_through(&kinds), [0, 1, 2]);
    }

    #[test]
    fn what_is_larger_than_a_unit_leaves_room_in_its_last() {
        // 384 KiB are two operations, and 128 KiB more have room there.
        let large = [
            (READ, 9000, 8),
            (READ, 0, 768),
            (READ, 768, 256),
            (READ, 1024, 256),
        ];
        assert_eq!(let_through(&large), [0, 1, 1, 3]);
    }

    #[test]
    fn one_command_at_a_time_joins_nothing() {
        let mut throttle = Throttle::new(EBS);
        let mut now = SimTime::ZERO;
        let mut next = |n: u64| {
            let read = Command {
                lba: Lba(64 * n),
                ..command(READ, 64)
            };
            now = throttle.admit(&read, now);
            now.0 / 1_000_000
        };
        assert_eq!([0, 1, 2, 3].map(&mut next), [0, 1, 2, 3]);
    }

    #[test]
    fn the_time_counts_in_which_commands_are_held_up() {
        let mut throttle = Throttle::new(EBS);
        for n in 0..3 {
            let apart = Command {
                lba: Lba(9000 * n),
                ..command(READ, 64)
            };
            throttle.admit(&apart, SimTime::ZERO);
        }
        let held = [0, 500_000, 2_000_000, 9_000_000].map(|ns| throttle.held_until(SimTime(ns)).0);
        assert_eq!(held, [0, 500_000, 2_000_000, 2_000_000]);
    }
}

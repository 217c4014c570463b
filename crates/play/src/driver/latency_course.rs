//! Latencies over time: a histogram an interval, of intervals that widen as a run goes on.

use super::stats::INTERVAL_S;
use ftlab_base::{Nanos, Octaves};
use std::ops::Range;

/// Intervals that are kept at most: as many as a chart has room for. One more, and every two of them become one.
const INTERVALS_MAX: usize = 240;

/// Buckets at most 1/64 wider than their least.
type Scale = Octaves<7>;

const BUCKETS: usize = Scale::count(u64::MAX);

/// Latencies of an interval that are kept one by one: a thousand jobs of a few commands do not take 15 KB each.
const FEW_MAX: usize = 256;

/// Latencies by the interval in which they ended.
#[derive(Debug, Clone)]
pub struct LatencyCourse {
    width_s: u64,
    /// (bucket, count) of each interval, ascending.
    intervals: Vec<Vec<(u16, u32)>>,
    /// The interval that is being counted, and its counts, which are not yet among those of the others.
    open: usize,
    /// Nanoseconds since the start that lie in it.
    open_ns: Range<u64>,
    counts: Open,
}

/// The counts of an interval that is being counted.
#[derive(Debug, Clone)]
enum Open {
    /// The bucket of each latency.
    Few(Vec<u16>),
    Many(Box<[u32; BUCKETS]>),
}

impl Open {
    #[inline]
    fn add(&mut self, bucket: u16, count: u32) {
        match self {
            Open::Many(counts) => counts[usize::from(bucket)] += count,
            Open::Few(buckets) if buckets.len() + (count as usize) <= FEW_MAX => {
                buckets.extend(std::iter::repeat_n(bucket, count as usize));
            }
            Open::Few(buckets) => {
                let mut counts = Box::new([0; BUCKETS]);
                for &few in &*buckets {
                    counts[usize::from(few)] += 1;
                }
                counts[usize::from(bucket)] += count;
                *self = Open::Many(counts);
            }
        }
    }

    /// Takes what was counted, by ascending buckets.
    fn take(&mut self) -> Vec<(u16, u32)> {
        match self {
            Open::Few(buckets) => {
                buckets.sort_unstable();
                let runs = buckets.chunk_by(|a, b| a == b);
                let counted = runs.map(|run| (run[0], run.len() as u32)).collect();
                buckets.clear();
                counted
            }
            Open::Many(counts) => {
                let counted = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
                let counted = counted
                    .map(|(bucket, &count)| (bucket as u16, count))
                    .collect();
                **counts = [0; BUCKETS];
                counted
            }
        }
    }
}

impl Default for LatencyCourse {
    fn default() -> Self {
        LatencyCourse {
            width_s: INTERVAL_S,
            intervals: Vec::new(),
            open: 0,
            open_ns: 0..Nanos::from_secs(INTERVAL_S).0,
            counts: Open::Few(Vec::new()),
        }
    }
}

impl LatencyCourse {
    /// Counts a latency that ended so long after the start.
    #[inline]
    pub fn record(&mut self, latency: Nanos, since_start: Nanos) {
        if !self.open_ns.contains(&since_start.0) {
            self.turn_to(since_start);
        }
        self.counts.add(Scale::bucket(latency.0) as u16, 1);
    }

    /// Counts everything that `other` counted, whose start was `later_s` seconds after this one's.
    pub fn merge(&mut self, other: &LatencyCourse, later_s: u64) {
        self.close();
        while self.width_s < other.width_s {
            self.widen();
        }
        for (n, theirs) in other.closed().into_iter().enumerate() {
            let since_start = Nanos::from_secs(later_s + n as u64 * other.width_s);
            self.turn_to(since_start);
            for (bucket, count) in theirs {
                self.counts.add(bucket, count);
            }
        }
        self.close();
    }

    /// Length of an interval in seconds.
    #[must_use]
    pub fn width_s(&self) -> u64 {
        self.width_s
    }

    /// Percentiles of the latencies of each interval, in nanoseconds, at most 1.6 % above the true ones; an interval in
    /// which no request ended has none.
    #[must_use]
    pub fn percentiles<const N: usize>(&self, percents: [f64; N]) -> Vec<Option<[u64; N]>> {
        let of = |counts: Vec<(u16, u32)>| {
            let all: u64 = counts.iter().map(|&(_, count)| u64::from(count)).sum();
            (all > 0).then(|| percents.map(|percent| percentile(&counts, all, percent)))
        };
        self.closed().into_iter().map(of).collect()
    }

    fn interval(&self, since_start: Nanos) -> usize {
        (since_start.0 / Nanos::from_secs(self.width_s).0) as usize
    }

    /// Closes the interval that is open, and opens that of an instant, of wider ones if it lies behind the last.
    #[cold]
    fn turn_to(&mut self, since_start: Nanos) {
        self.close();
        while self.interval(since_start) >= INTERVALS_MAX {
            self.widen();
        }
        self.open = self.interval(since_start);
        let width_ns = Nanos::from_secs(self.width_s).0;
        let from = self.open as u64 * width_ns;
        self.open_ns = from..from + width_ns;
    }

    /// Puts the counts of the open interval among the others.
    fn close(&mut self) {
        let counted = self.counts.take();
        if counted.is_empty() {
            return;
        }
        if self.intervals.len() <= self.open {
            self.intervals.resize(self.open + 1, Vec::new());
        }
        add(&mut self.intervals[self.open], &counted);
    }

    /// All intervals, the open one among them.
    fn closed(&self) -> Vec<Vec<(u16, u32)>> {
        let mut all = self.clone();
        all.close();
        all.intervals
    }

    /// Makes one interval of every two; none is open.
    fn widen(&mut self) {
        self.width_s *= 2;
        self.open /= 2;
        let pairs = self.intervals.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            if let Some(second) = pair.get(1) {
                add(&mut both, second);
            }
            both
        });
        self.intervals = pairs.collect();
    }
}

fn percentile(counts: &[(u16, u32)], all: u64, percent: f64) -> u64 {
    let rank = ((percent / 100.0 * all as f64).ceil() as u64).max(1);
    let mut below = 0;
    for &(bucket, count) in counts {
        below += u64::from(count);
        if below >= rank {
            return Scale::largest(bucket.into());
        }
    }
    counts
        .last()
        .map_or(0, |&(bucket, _)| Scale::largest(bucket.into()))
}

/// Adds counts to counts, both by ascending buckets.
fn add(mine: &mut Vec<(u16, u32)>, theirs: &[(u16, u32)]) {
    mine.extend_from_slice(theirs);
    mine.sort_unstable_by_key(|&(bucket, _)| bucket);
    mine.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 += later.1;
        }
        is_same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(us: u64) -> Nanos {
        Nanos(1_000 * us)
    }

    #[test]
    fn each_interval_has_its_own_percentiles_and_an_empty_one_none() {
        let mut course = LatencyCourse::default();
        for n in 0..100 {
            course.record(micros(100), Nanos::from_millis(n));
            course.record(
                micros(if n < 90 { 200 } else { 5_000 }),
                Nanos::from_millis(2_000 + n),
            );
        }
        let [first, second, third] = &course.percentiles([50.0, 95.0])[..] else {
            panic!("three seconds");
        };
        let near = |ns: u64, us: u64| (ns as f64 / micros(us).0 as f64 - 1.0).abs() < 0.016;
        assert!(first.is_some_and(|[half, most]| near(half, 100) && near(most, 100)));
        assert_eq!(*second, None);
        assert!(third.is_some_and(|[half, most]| near(half, 200) && near(most, 5_000)));
    }

    #[test]
    fn intervals_of_a_long_run_are_wider_and_lose_nothing() {
        let mut course = LatencyCourse::default();
        for second in 0..1_000 {
            course.record(micros(1 + second), Nanos::from_secs(second));
        }
        // One that ended before: jobs are counted one after the other.
        course.record(micros(900), Nanos::from_secs(3));
        assert_eq!(course.width_s(), 8);
        let intervals = course.percentiles([100.0]);
        assert_eq!(intervals.len(), 125);
        assert!(intervals[0].is_some_and(|[most]| most >= micros(900).0));
        assert!(intervals[124].is_some_and(|[most]| most >= micros(1_000).0));
        let counted: u32 = course
            .closed()
            .iter()
            .flatten()
            .map(|&(_, count)| count)
            .sum();
        assert_eq!(counted, 1_001);
    }

    #[test]
    fn jobs_together_count_as_one_that_did_all_of_it() {
        let (mut whole, mut early, mut late) =
            <(LatencyCourse, LatencyCourse, LatencyCourse)>::default();
        for n in 0..600 {
            whole.record(micros(50 + n), Nanos::from_secs(n));
            early.record(micros(50 + n), Nanos::from_secs(n));
        }
        for n in 0..20 {
            whole.record(micros(2_000), Nanos::from_secs(10 + n));
            late.record(micros(2_000), Nanos::from_secs(n));
        }
        let percents = [50.0, 99.0];
        let mut both = early.clone();
        both.merge(&late, 10);
        assert_eq!(both.percentiles(percents), whole.percentiles(percents));
        late.merge(&LatencyCourse::default(), 0);
        let mut other_way = LatencyCourse::default();
        other_way.merge(&late, 10);
        other_way.merge(&early, 0);
        assert_eq!(other_way.percentiles(percents), whole.percentiles(percents));
    }
}

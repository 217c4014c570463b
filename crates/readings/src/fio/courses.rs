//! Percentiles of latency over time, from logs of single latencies and of histograms.

use super::latency::{Bins, Latency, middle};
use super::logs::{Entry, KINDS, checked_ms};
use crate::object::COUNT_MAX;
use ftlab_result::LatencyCourse;
use std::collections::BTreeMap;

/// Intervals that a course has at most; they are twice as long before it has more.
const INTERVALS_MAX: u64 = 240;

/// Bins of histograms in logs: 19 powers of two of microseconds in fio 2, 29 of nanoseconds in fio 3, 64 bins each.
const BINS_OF_LOGS: [(usize, u64); 2] = [(29 * 64, 1), (19 * 64, 1000)];

/// Bins that one of a log stands for at most, as a power of two (`log_hist_coarseness`).
const COARSENESS_MAX: u32 = 6;

/// Latencies of an interval, by bin.
type Counts = BTreeMap<usize, u64>;

/// Latencies by kind and interval.
#[derive(Debug)]
pub struct Courses {
    interval_ms: u64,
    /// The shortest time between lines of different times, of logs of histograms.
    step_ms: Option<u64>,
    before_ms: u64,
    kinds: [Vec<Counts>; KINDS],
}

impl Default for Courses {
    fn default() -> Courses {
        Courses {
            interval_ms: 1000,
            step_ms: None,
            before_ms: 0,
            kinds: Default::default(),
        }
    }
}

impl Courses {
    /// Begins with another log, whose times begin again.
    pub fn begin_file(&mut self) {
        self.before_ms = 0;
    }

    /// Takes in a latency of a request, in units of `unit_ns`.
    pub fn add(&mut self, entry: Entry, unit_ns: u64) {
        let ns = entry.value.saturating_mul(unit_ns);
        self.count(entry.kind, entry.ms, Bins::bucket(ns), 1);
    }

    /// Takes in a line of a log of histograms: `time, kind, bytes, count, count, …`.
    ///
    /// # Errors
    /// When it is none: in words.
    pub fn add_histogram(&mut self, line: &str) -> Result<(), String> {
        let mut numbers = Vec::with_capacity(BINS_OF_LOGS[0].0 + 3);
        for field in line.split(',') {
            let field = field.trim();
            let number = field.parse().ok().filter(|number| *number <= COUNT_MAX);
            numbers.push(number.ok_or_else(|| {
                format!("{field:?} stands where a count belongs; is the log cut off?")
            })?);
        }
        let [ms, kind, _, counts @ ..] = &numbers[..] else {
            return Err("it has no counts; is the log cut off?".to_owned());
        };
        let form = (0..=COARSENESS_MAX).find_map(|coarse| {
            let mut known = BINS_OF_LOGS.into_iter();
            let (_, unit_ns) = known.find(|(bins, _)| bins >> coarse == counts.len())?;
            Some((coarse, unit_ns))
        });
        let Some((coarse, unit_ns)) = form else {
            return Err(format!(
                "it has {} counts, and histograms of fio have 1856 or 1216, or these halved up to six times; is the log \
                 cut off?",
                counts.len()
            ));
        };
        if *kind >= KINDS as u64 {
            return Err(format!(
                "its kind of request is {kind}, and there are 0, 1 and 2"
            ));
        }
        let ms = checked_ms(*ms)?;
        if ms > self.before_ms {
            let step = ms - self.before_ms;
            self.step_ms = Some(self.step_ms.map_or(step, |least| least.min(step)));
            self.before_ms = ms;
        }
        // A line is of the time before it: it belongs where the middle of that is.
        let middle_ms = ms.saturating_sub(self.step_ms.unwrap_or(0) / 2 + 1);
        for (n, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let last = ((n + 1) << coarse) - 1;
            let bin = Bins::bucket(Bins::largest(last).saturating_mul(unit_ns));
            self.count(*kind as usize, middle_ms, bin, *count);
        }
        Ok(())
    }

    fn count(&mut self, kind: usize, ms: u64, bin: usize, count: u64) {
        while ms / self.interval_ms >= INTERVALS_MAX {
            self.double();
        }
        let intervals = &mut self.kinds[kind];
        let interval = (ms / self.interval_ms) as usize;
        if intervals.len() <= interval {
            intervals.resize_with(interval + 1, Counts::new);
        }
        *intervals[interval].entry(bin).or_default() += count;
    }

    fn double(&mut self) {
        self.interval_ms *= 2;
        for kind in &mut self.kinds {
            let mut halves = std::mem::take(kind).into_iter();
            while let Some(mut counts) = halves.next() {
                for (bin, count) in halves.next().into_iter().flatten() {
                    *counts.entry(bin).or_default() += count;
                }
                kind.push(counts);
            }
        }
    }

    /// All latencies of a kind.
    #[must_use]
    pub fn whole(&self, kind: usize) -> Latency {
        let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
        for (bin, count) in self.kinds[kind].iter().flatten() {
            *bins.entry(middle(*bin)).or_default() += count;
        }
        Latency::of_bins(bins)
    }

    /// The courses by kind; none of a kind without requests.
    #[must_use]
    pub fn finish(mut self) -> [Option<LatencyCourse>; KINDS] {
        // An interval shorter than the steps of a log would have gaps.
        while self
            .step_ms
            .is_some_and(|step| step > self.interval_ms + self.interval_ms / 10)
        {
            self.double();
        }
        let interval_s = self.interval_ms as f64 / 1e3;
        self.kinds.map(|intervals| {
            let of = |percent: f64| {
                intervals
                    .iter()
                    .map(|counts| percentile(counts, percent))
                    .collect()
            };
            (!intervals.is_empty()).then(|| LatencyCourse {
                interval_s,
                p50: of(50.0),
                p99: of(99.0),
                p99_9: of(99.9),
            })
        })
    }
}

/// The upper end of the bin that a percentile lies in; none without any.
fn percentile(counts: &Counts, percent: f64) -> Option<u64> {
    let all: u64 = counts.values().sum();
    let wanted = (all as f64 * percent / 100.0).ceil() as u64;
    let mut seen = 0;
    let found = counts.iter().find(|(_, count)| {
        seen += **count;
        seen >= wanted
    });
    found.map(|(bin, _)| Bins::largest(*bin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ms: u64, value: u64) -> Entry {
        Entry {
            ms,
            value,
            kind: 1,
            bytes: 4096,
        }
    }

    #[test]
    fn intervals_double_before_a_course_is_long() {
        let mut courses = Courses::default();
        for second in 0..1000 {
            courses.add(entry(second * 1000, 50), 1000);
        }
        courses.add(entry(999_999, 400), 1000);
        assert_eq!(courses.whole(1).count(), 1001);
        let [reads, writes, _] = courses.finish();
        assert_eq!(reads, None);
        let writes = writes.unwrap();
        assert_eq!((writes.interval_s, writes.p50.len()), (8.0, 125));
        let near = |found: Option<u64>, ns: u64| {
            let found = found.unwrap();
            assert!((ns..ns + ns / 60).contains(&found), "{found} and {ns}");
        };
        near(writes.p99[0], 50_000);
        near(writes.p99_9[124], 400_000);
    }

    #[test]
    fn histograms_of_any_coarseness_say_the_same() {
        for coarse in [0, 3] {
            let mut counts = vec!["0"; 1856 >> coarse];
            counts[737 >> coarse] = "9";
            let mut courses = Courses::default();
            for ms in [30_000, 60_000] {
                let line = format!("{ms}, 0, 4096, {}", counts.join(", "));
                courses.add_histogram(&line).unwrap();
            }
            assert_eq!(courses.whole(0).count(), 18);
            let reads = courses.finish()[0].clone().unwrap();
            assert_eq!((reads.interval_s, reads.p50.len()), (32.0, 2));
            let p50 = reads.p50[0].unwrap();
            assert!((99_328..108_000).contains(&p50), "{p50}");
        }
        let mut counts = vec!["0"; 1216];
        counts[100] = "1";
        let mut courses = Courses::default();
        courses
            .add_histogram(&format!("5,2,0,{}", counts.join(",")))
            .unwrap();
        let p50 = courses.finish()[2].clone().unwrap().p50[0].unwrap();
        assert!((100_000..102_000).contains(&p50), "{p50}");
        let why = |line: &str| Courses::default().add_histogram(line).unwrap_err();
        assert!(why("1, 0, 4096, 1, 2").contains("has 2 counts"));
        assert!(why("1, 0").contains("cut off") && why("1, x").contains("\"x\""));
    }
}

//! Amounts over time, from the lines of a log of bandwidth or of requests.
//!
//! A log has means over windows (`log_avg_msec`), whose lines say no size, or a line for each request, which says it.

use super::logs::{Entry, KINDS};

/// Milliseconds in a second.
const SECOND_MS: u64 = 1000;

/// A part of an interval below which nothing is seen of it.
const SLIVER: f64 = 0.02;

/// What a log is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Means are requests a second.
    Requests,
    /// Means are KiB a second.
    Data,
}

/// The lines of a log so far.
#[derive(Debug, Default)]
pub struct Rates {
    /// Length of the windows, if it is known.
    window_ms: Option<u64>,
    means: Vec<Entry>,
    /// Requests and bytes of lines of single requests, by kind and second.
    singles: [Vec<[f64; 2]>; KINDS],
}

impl Rates {
    /// A log of means over windows of a length that is known.
    #[must_use]
    pub fn of_means(window_ms: u64) -> Rates {
        Rates {
            window_ms: Some(window_ms),
            ..Rates::default()
        }
    }

    /// Takes in a line.
    pub fn add(&mut self, entry: Entry) {
        if self.window_ms.is_some() || entry.bytes == 0 {
            self.means.push(entry);
            return;
        }
        let kind = &mut self.singles[entry.kind];
        let second = (entry.ms / SECOND_MS) as usize;
        if kind.len() <= second {
            kind.resize(second + 1, [0.0; 2]);
        }
        kind[second][0] += 1.0;
        kind[second][1] += entry.bytes as f64;
    }

    /// Length of the windows of means in milliseconds: as it is known, or what most lines are apart. 0 without means.
    #[must_use]
    pub fn window_ms(&self) -> u64 {
        if let Some(known) = self.window_ms {
            return known;
        }
        let mut times: Vec<u64> = self.means.iter().map(|entry| entry.ms).collect();
        times.sort_unstable();
        times.dedup();
        let mut gaps: Vec<u64> = times.windows(2).map(|two| two[1] - two[0]).collect();
        gaps.sort_unstable();
        let only = || times.first().copied();
        gaps.get(gaps.len() / 2).copied().or_else(only).unwrap_or(0)
    }

    /// The shortest interval in whole seconds that no window is longer than.
    #[must_use]
    pub fn least_interval_s(&self) -> u64 {
        let seconds = self.window_ms() as f64 / SECOND_MS as f64;
        ((seconds - SLIVER).ceil() as u64).max(1)
    }

    /// Requests or bytes in each interval, whose length in seconds comes first, by kind of request.
    #[must_use]
    pub fn amounts(&self, interval_s: u64, unit: Unit) -> [Vec<f64>; KINDS] {
        let mut kinds: [Vec<f64>; KINDS] = Default::default();
        let of_unit = match unit {
            Unit::Requests => 0,
            Unit::Data => 1,
        };
        for (kind, seconds) in kinds.iter_mut().zip(&self.singles) {
            for (second, amounts) in seconds.iter().enumerate() {
                add(kind, second / interval_s as usize, amounts[of_unit]);
            }
        }
        let window_ms = self.window_ms();
        for entry in &self.means {
            let a_second = match unit {
                Unit::Requests => entry.value as f64,
                Unit::Data => entry.value as f64 * 1024.0,
            };
            spread(
                &mut kinds[entry.kind],
                entry.ms,
                window_ms,
                interval_s,
                a_second,
            );
        }
        let last_ms = self.means.iter().map(|entry| entry.ms).max();
        if let Some(last_ms) = last_ms {
            let intervals = last_ms as f64 / (interval_s * SECOND_MS) as f64;
            let whole = (intervals + 0.5).floor().max(1.0) as usize;
            kinds.iter_mut().for_each(|kind| fold_end(kind, whole));
        }
        kinds
    }
}

fn add(kind: &mut Vec<f64>, interval: usize, amount: f64) {
    if kind.len() <= interval {
        kind.resize(interval + 1, 0.0);
    }
    kind[interval] += amount;
}

/// Spreads a mean over the intervals that its window lies in.
fn spread(kind: &mut Vec<f64>, end_ms: u64, window_ms: u64, interval_s: u64, a_second: f64) {
    let interval_ms = interval_s * SECOND_MS;
    let mut from = end_ms.saturating_sub(window_ms);
    while from < end_ms {
        let interval = from / interval_ms;
        let to = end_ms.min((interval + 1) * interval_ms);
        let seconds = (to - from) as f64 / SECOND_MS as f64;
        add(kind, interval as usize, a_second * seconds);
        from = to;
    }
}

/// Windows end some milliseconds late: what they leave behind the last whole interval belongs to it.
fn fold_end(kind: &mut Vec<f64>, whole: usize) {
    if kind.len() > whole {
        let over: f64 = kind.drain(whole..).sum();
        kind[whole - 1] += over;
    }
}

#[cfg(test)]
mod tests {
    use super::super::logs::{entry, lines};
    use super::*;

    fn rates(mut rates: Rates, text: &str) -> Rates {
        lines(text.as_bytes(), |line| {
            rates.add(entry(line)?);
            Ok(())
        })
        .unwrap();
        rates
    }

    #[track_caller]
    fn near(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-6, "{found} and {wanted}");
        }
    }

    #[test]
    fn jobs_are_added_up_by_second_and_kind() {
        let text = "1000, 100, 0, 4096, 0\n1000, 20, 1, 4096, 0\n1001, 50, 0, 4096, 0\n3000, 7, 0, 4096, 0\n";
        let all = rates(Rates::of_means(1000), text);
        let [reads, writes, trims] = all.amounts(1, Unit::Requests);
        near(&reads, &[149.95, 0.05, 7.0]);
        near(&writes, &[20.0]);
        assert!(trims.is_empty());
        near(&all.amounts(1, Unit::Data)[1], &[20.0 * 1024.0]);
    }

    #[test]
    fn windows_of_any_length_keep_their_amount() {
        let half = rates(
            Rates::default(),
            "500, 100, 0, 0, 0\n1002, 300, 0, 0, 0\n1502, 20, 0, 0, 0\n2004, 40, 0, 0, 0\n",
        );
        assert_eq!((half.window_ms(), half.least_interval_s()), (502, 1));
        let amounts = half.amounts(1, Unit::Requests);
        assert_eq!(amounts[0].len(), 2);
        let sum: f64 = amounts[0].iter().sum();
        assert!((229.0..232.0).contains(&sum), "{sum}");
        let long = rates(Rates::default(), "10000, 5, 1, 0\n20001, 7, 1, 0\n");
        assert_eq!(long.least_interval_s(), 10);
        near(&long.amounts(10, Unit::Requests)[1], &[50.0, 70.007]);
    }

    #[test]
    fn single_requests_are_counted_by_the_second_they_end_in() {
        let text = "3, 11, 0, 4096, 0\n999, 12, 0, 8192, 0\n1000, 13, 1, 512, 0\n";
        let single = rates(Rates::default(), text);
        assert_eq!((single.window_ms(), single.least_interval_s()), (0, 1));
        assert_eq!(single.amounts(1, Unit::Requests)[0], [2.0]);
        assert_eq!(single.amounts(1, Unit::Data)[0], [12_288.0]);
        assert_eq!(single.amounts(1, Unit::Requests)[1], [0.0, 1.0]);
        assert_eq!(single.amounts(2, Unit::Requests)[1], [1.0]);
    }
}

//! Drops of a rate for good: change points of a series of one value a second.
//!
//! The series is divided into two or three pieces of at least `PIECE_MIN` seconds so that the
//! squared distances from the pieces' means are least. A division counts when every piece lies lower
//! than the one before by at least `FALL_MIN`, and when it takes at least `GAIN_MIN` of what the
//! division before it left unexplained. So a wave or a single stall is no drop, and a slow decline counts as one at
//! its middle.

use super::table;
use crate::Run;
use std::collections::BTreeMap;

/// Shorter pieces are noise: collections come and go within seconds.
const PIECE_MIN: usize = 10;

/// The least fall of the mean, of what it was: below, one run differs from the next as much.
const FALL_MIN: f64 = 0.05;

/// The least share of the squared distances that another piece must take away.
const GAIN_MIN: f64 = 0.4;

/// Seconds of the beginning whose mean is reported.
const BEGINNING: usize = 30;

/// Sums over the beginning of a series, so that those over any piece are two differences.
struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn of(series: &[f64]) -> Sums {
        let running = |value: fn(f64) -> f64| {
            let sum = |sum: &mut f64, x: &f64| {
                *sum += value(*x);
                Some(*sum)
            };
            std::iter::once(0.0)
                .chain(series.iter().scan(0.0, sum))
                .collect()
        };
        Sums {
            values: running(|x| x),
            squares: running(|x| x * x),
        }
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.values[to] - self.values[from]) / (to - from) as f64
    }

    /// Squared distances from the mean of the piece.
    fn spread(&self, from: usize, to: usize) -> f64 {
        let sum = self.values[to] - self.values[from];
        let squares = self.squares[to] - self.squares[from];
        (squares - sum * sum / (to - from) as f64).max(0.0)
    }
}

/// The seconds at which a series drops for good: none, one or two.
#[must_use]
pub fn drops(series: &[f64]) -> Vec<usize> {
    let n = series.len();
    let sums = Sums::of(series);
    let mut best = Vec::new();
    let mut unexplained = if n > 0 { sums.spread(0, n) } else { 0.0 };
    for division in [one(&sums, n), two(&sums, n)].into_iter().flatten() {
        let (spread, places) = division;
        if falls(&sums, &places, n) && spread <= unexplained * (1.0 - GAIN_MIN) {
            (unexplained, best) = (spread, places);
        }
    }
    best
}

type Division = (f64, Vec<usize>);

fn one(sums: &Sums, n: usize) -> Option<Division> {
    let spread = |&at: &usize| sums.spread(0, at) + sums.spread(at, n);
    let places = PIECE_MIN..(n + 1).saturating_sub(PIECE_MIN);
    let best = places.min_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    Some((spread(&best), vec![best]))
}

fn two(sums: &Sums, n: usize) -> Option<Division> {
    let spread =
        |&(a, b): &(usize, usize)| sums.spread(0, a) + sums.spread(a, b) + sums.spread(b, n);
    let last = (n + 1).saturating_sub(PIECE_MIN);
    let firsts = PIECE_MIN..last;
    let pairs = firsts.flat_map(|a| (a + PIECE_MIN..last).map(move |b| (a, b)));
    let best = pairs.min_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    Some((spread(&best), vec![best.0, best.1]))
}

fn falls(sums: &Sums, places: &[usize], n: usize) -> bool {
    let ends: Vec<usize> = [0]
        .into_iter()
        .chain(places.iter().copied())
        .chain([n])
        .collect();
    let means: Vec<f64> = ends.windows(2).map(|w| sums.mean(w[0], w[1])).collect();
    means
        .windows(2)
        .all(|pair| pair[1] <= pair[0] * (1.0 - FALL_MIN))
}

/// Returns the metrics of a series of bytes a second: `mb_s_first_30s`; with a drop `drop_time_s`, `last_drop_time_s`,
/// `host_written_at_drop_gb`, `mb_s_before_drop` and `mb_s_after_first_drop`; with two `mb_s_after_second_drop`.
#[must_use]
pub fn metrics(series_bytes: &[u64]) -> BTreeMap<String, f64> {
    // What is left of a second at the end is none.
    let whole = &series_bytes[..series_bytes.len().saturating_sub(1)];
    let series: Vec<f64> = whole.iter().map(|&bytes| bytes as f64 / 1e6).collect();
    let mut metrics = BTreeMap::new();
    if series.is_empty() {
        return metrics;
    }
    let sums = Sums::of(&series);
    let n = series.len();
    table::MB_S_FIRST_30S.put(&mut metrics, sums.mean(0, BEGINNING.min(n)));
    let places = drops(&series);
    if let (Some(&first), Some(&last)) = (places.first(), places.last()) {
        table::DROP_TIME_S.put(&mut metrics, first as f64);
        table::LAST_DROP_TIME_S.put(&mut metrics, last as f64);
        table::HOST_WRITTEN_AT_DROP_GB.put(&mut metrics, sums.values[first] / 1e3);
        table::MB_S_BEFORE_DROP.put(&mut metrics, sums.mean(0, first));
        let second = places.get(1).copied();
        table::MB_S_AFTER_FIRST_DROP.put(&mut metrics, sums.mean(first, second.unwrap_or(n)));
        if let Some(second) = second {
            table::MB_S_AFTER_SECOND_DROP.put(&mut metrics, sums.mean(second, n));
        }
    }
    metrics
}

/// Seconds until a run's rate first drops for good, and GB moved until then; none if it does not.
#[must_use]
pub fn first(run: &Run) -> Option<(f64, f64)> {
    let series: Vec<f64> = run.series_bytes.iter().map(|&bytes| bytes as f64).collect();
    let at = *drops(&series).first()?;
    Some((at as f64, series[..at].iter().sum::<f64>() / 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels for N seconds each, with a wobble of two per cent.
    fn series(levels: &[(f64, usize)]) -> Vec<f64> {
        let level = |&(level, seconds): &(f64, usize)| std::iter::repeat_n(level, seconds);
        let wobble =
            |(n, level): (usize, f64)| level * (1.0 + 0.02 * ((n * 7 % 5) as f64 - 2.0) / 2.0);
        levels
            .iter()
            .flat_map(level)
            .enumerate()
            .map(wobble)
            .collect()
    }

    #[test]
    fn drops_are_found_where_they_are() {
        assert_eq!(
            drops(&series(&[(160.0, 60), (142.0, 60), (132.0, 60)])),
            [60, 120]
        );
        assert_eq!(drops(&series(&[(75.0, 180), (30.0, 60)])), [180]);
    }

    #[test]
    fn what_is_no_drop_is_none() {
        assert!(drops(&[]).is_empty());
        assert!(drops(&series(&[(100.0, 15)])).is_empty());
        assert!(drops(&series(&[(100.0, 240)])).is_empty());
        assert!(
            drops(&series(&[(100.0, 100), (160.0, 100)])).is_empty(),
            "it rises"
        );
        assert!(
            drops(&series(&[(100.0, 100), (97.0, 100)])).is_empty(),
            "it hardly falls"
        );
        let stall = series(&[(100.0, 100), (10.0, 3), (100.0, 100)]);
        assert!(drops(&stall).is_empty(), "it comes back");
    }

    #[test]
    fn amounts_and_levels_follow_from_the_drops() {
        let mut bytes = vec![161_000_000; 60];
        bytes.extend([142_000_000; 60]);
        bytes.extend([132_000_000; 60]);
        bytes.push(1);
        let metrics = metrics(&bytes);
        assert_eq!(metrics["drop_time_s"], 60.0);
        assert_eq!(metrics["last_drop_time_s"], 120.0);
        assert!((metrics["host_written_at_drop_gb"] - 9.66).abs() < 1e-9);
        let level = |name: &str| metrics[name].round();
        assert_eq!(level("mb_s_before_drop"), 161.0);
        assert_eq!(level("mb_s_after_first_drop"), 142.0);
        assert_eq!(level("mb_s_after_second_drop"), 132.0);
        assert_eq!(level("mb_s_first_30s"), 161.0);
    }
}

//! Speed of a drive that is written in order, over the amount written: the course, and its plateaus.
//!
//! A fill logs its rate over spans of time (`write_bw_log`, `log_avg_msec`); here the spans become stretches of equal
//! amounts. A plateau is what is left when the course is divided where the logarithms of its speeds then lie closest to
//! the means of the parts, again and again, as long as the parts differ by `STEP_MIN`.

use ftlab_play::logs::JobLog;
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{Fill, Plateau};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Stretches of a fill.
const STRETCHES: f64 = 500.0;

/// Shorter parts are no plateau: a burst of collection, or what the write buffer takes.
const PLATEAU_MIN: usize = 4;

/// By how much the speeds of neighbouring plateaus differ at least, as a factor.
const STEP_MIN: f64 = 1.25;

/// A part of a fill: what the host wrote in it, and how long that took.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    bytes: f64,
    seconds: f64,
}

impl Stretch {
    fn add(&mut self, other: Stretch) {
        self.bytes += other.bytes;
        self.seconds += other.seconds;
    }

    fn mb_s(self) -> f64 {
        self.bytes / 1e6 / self.seconds
    }
}

/// The fill that jobs logged, one after the other with a rest between them. The drive that is shown has `times` the bytes
/// of the one that was tested.
pub fn of(logs: &[Arc<JobLog>], times: f64) -> Fill {
    let jobs: Vec<Vec<Stretch>> = logs.iter().map(|log| spans(log)).collect();
    let total: f64 = jobs.iter().flatten().map(|span| span.bytes).sum();
    let mut fill = Fill::default();
    let mut written = 0.0;
    let gb = |bytes: f64| bytes * times / 1e9;
    for spans in jobs {
        if written > 0.0 {
            fill.rests_gb.push(gb(written));
        }
        let stretches = even(&spans, total / STRETCHES);
        let mut ends = vec![written];
        for stretch in &stretches {
            written += stretch.bytes;
            ends.push(written);
            fill.course.push((gb(written), stretch.mb_s()));
        }
        for part in parts(&stretches) {
            let mut all = Stretch::default();
            stretches[part.clone()].iter().for_each(|s| all.add(*s));
            fill.plateaus.push(Plateau {
                from_gb: gb(ends[part.start]),
                to_gb: gb(ends[part.end]),
                mb_s: all.mb_s(),
            });
        }
    }
    fill
}

fn spans(log: &JobLog) -> Vec<Stretch> {
    let mut before = 0.0;
    let spans = log.written();
    let spans = spans.map(|(at, bytes)| Stretch {
        bytes: bytes as f64,
        seconds: at.as_secs() - std::mem::replace(&mut before, at.as_secs()),
    });
    spans.collect()
}

/// Joins spans into stretches of about `bytes` each; the last one takes what is left over.
fn even(spans: &[Stretch], bytes: f64) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut open = Stretch::default();
    for span in spans {
        open.add(*span);
        if open.bytes >= bytes {
            stretches.push(std::mem::take(&mut open));
        }
    }
    match stretches.last_mut() {
        Some(last) => last.add(open),
        None if open.bytes > 0.0 => stretches.push(open),
        None => {}
    }
    stretches
}

type Range = std::ops::Range<usize>;

/// The plateaus of stretches.
fn parts(stretches: &[Stretch]) -> Vec<Range> {
    let logs: Vec<f64> = stretches.iter().map(|s| s.mb_s().ln()).collect();
    let mut parts = Vec::new();
    divide(&logs, 0..logs.len(), &mut parts);
    parts
}

fn divide(logs: &[f64], part: Range, parts: &mut Vec<Range>) {
    let spread = |part: &Range| {
        let mean = mean(&logs[part.clone()]);
        let off = logs[part.clone()].iter().map(|x| (x - mean) * (x - mean));
        off.sum::<f64>()
    };
    let places = part.start + PLATEAU_MIN..(part.end + 1).saturating_sub(PLATEAU_MIN);
    let halves = |at: usize| [part.start..at, at..part.end];
    let cost = |at: usize| halves(at).iter().map(spread).sum::<f64>();
    let costs = places.map(|at| (at, cost(at)));
    let best = costs.min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((at, _)) = best {
        let [one, other] = halves(at);
        let step = mean(&logs[one.clone()]) - mean(&logs[other.clone()]);
        if step.abs() >= STEP_MIN.ln() {
            divide(logs, one, parts);
            divide(logs, other, parts);
            return;
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// Figures of a fill, as reviews have them: `mean_mb_s` of all of it. Where a faster plateau comes first, `slc_gb`
/// and `slc_write_mb_s`, the size and the speed of the cache, and `after_mb_s` behind it; where that ends in a third one,
/// `direct_until_gb` and `fold_mb_s`. After a rest, `rested_mb_s`, and `rested_gb` to where it falls again.
#[must_use]
pub fn metrics(fill: &Fill) -> BTreeMap<String, f64> {
    let mut metrics = BTreeMap::new();
    let mut put = |of: &Quantity, value: f64| of.put(&mut metrics, value);
    let mut before = 0.0;
    let seconds = fill.course.iter().map(|&(gb, mb_s)| {
        let written = gb - std::mem::replace(&mut before, gb);
        written * 1e3 / mb_s
    });
    let seconds: f64 = seconds.sum();
    if seconds > 0.0 {
        put(&table::MEAN_MB_S, before * 1e3 / seconds);
    }
    let rest = fill.rests_gb.first().copied();
    // Plateaus after a rest are left out: the cache was emptied meanwhile, and is filled a second time.
    let first = fill.plateaus.iter();
    let first = first.take_while(|part| rest.is_none_or(|rest| part.from_gb < rest));
    let first: Vec<&Plateau> = first.collect();
    if let [cache, behind, ..] = first[..]
        && cache.mb_s > behind.mb_s
    {
        put(&table::SLC_GB, cache.to_gb);
        put(&table::SLC_WRITE_MB_S, cache.mb_s);
        put(&table::AFTER_MB_S, behind.mb_s);
        if let Some(third) = first.get(2).filter(|third| third.mb_s < behind.mb_s) {
            put(&table::DIRECT_UNTIL_GB, behind.to_gb);
            put(&table::FOLD_MB_S, third.mb_s);
        }
    }
    if let Some(rested) = fill.plateaus.get(first.len()) {
        put(&table::RESTED_MB_S, rested.mb_s);
        put(&table::RESTED_GB, rested.to_gb - rested.from_gb);
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(speeds: &[(usize, f64)]) -> Vec<Stretch> {
        let of = |&(count, mb_s): &(usize, f64)| {
            // Every other one is a tenth slower: that is no plateau.
            (0..count).map(move |n| Stretch {
                bytes: 1e6,
                seconds: (1.0 + 0.1 * (n % 2) as f64) / mb_s,
            })
        };
        speeds.iter().flat_map(of).collect()
    }

    #[test]
    fn a_course_is_divided_where_its_speed_changes_and_nowhere_else() {
        let three = stretches(&[(30, 3000.0), (100, 900.0), (60, 300.0)]);
        assert_eq!(parts(&three), [0..30, 30..130, 130..190]);
        assert_eq!(
            parts(&stretches(&[(90, 500.0)])),
            std::iter::once(0..90).collect::<Vec<_>>()
        );
        // A burst.
        assert_eq!(
            parts(&stretches(&[(50, 500.0), (2, 2000.0), (50, 500.0)])).len(),
            1
        );
        assert!(parts(&[]).is_empty());
    }

    #[test]
    fn figures_are_those_of_the_plateaus_before_and_behind_a_rest() {
        let plateau = |from_gb, to_gb, mb_s| Plateau {
            from_gb,
            to_gb,
            mb_s,
        };
        let fill = Fill {
            course: vec![(40.0, 4000.0), (80.0, 1000.0), (100.0, 500.0)],
            plateaus: vec![
                plateau(0.0, 40.0, 4000.0),
                plateau(40.0, 80.0, 1000.0),
                plateau(80.0, 90.0, 4000.0),
                plateau(90.0, 100.0, 500.0),
            ],
            rests_gb: vec![80.0],
        };
        let of = metrics(&fill);
        assert_eq!(
            (of["slc_gb"], of["slc_write_mb_s"], of["after_mb_s"]),
            (40.0, 4000.0, 1000.0)
        );
        assert_eq!((of["rested_mb_s"], of["rested_gb"]), (4000.0, 10.0));
        assert!((of["mean_mb_s"] - 100e3 / 90.0).abs() < 1e-9);
        assert!(!of.contains_key("fold_mb_s"), "the rest comes before");
    }

    #[test]
    fn a_drive_without_a_cache_has_no_figures_of_one() {
        let fill = Fill {
            course: vec![(100.0, 1400.0)],
            plateaus: vec![Plateau {
                from_gb: 0.0,
                to_gb: 100.0,
                mb_s: 1400.0,
            }],
            rests_gb: Vec::new(),
        };
        assert_eq!(
            metrics(&fill).into_keys().collect::<Vec<_>>(),
            ["mean_mb_s"]
        );
    }
}

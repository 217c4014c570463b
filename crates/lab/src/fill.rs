//! Speed of a drive that is written in order, over the amount written: the course, and its plateaus.
//!
//! A fill logs its rate over spans of time (`write_bw_log`, `log_avg_msec`); here the spans become stretches, short ones at the
//! beginning, since a cache may be a small part of a drive. A plateau is what is left when the course is divided where the
//! logarithms of its speeds then lie closest to the means of the parts, again and again, as long as the parts differ by more
//! than the speed scatters within them.
//!
//! The cache ends at the largest drop that lies where its cells can end it: as one bit a cell they hold so much and no more, and
//! where they are all in use otherwise comes later. Where no drop tells that, the fill says why.

use ftlab_drive::DriveFile;
use ftlab_play::logs::JobLog;
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{Fill, Plateau};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Stretches of a fill, but for its beginning.
const STRETCHES: f64 = 500.0;

/// The length of a stretch beside what was written before it: where a plateau ends is known that well.
const STRETCH_SHARE: f64 = 1.0 / 64.0;

/// Shorter parts are no plateau: a burst of collection, or what the write buffer takes.
const PLATEAU_MIN: usize = 4;
const PLATEAU_SHARE: f64 = 1e-3;

/// By how much the speeds of neighbouring plateaus differ at least, as a factor.
const STEP_MIN: f64 = 1.04;

/// By how many deviations of the speed within them they differ at least.
const STEP_DEVIATIONS: f64 = 2.0;

/// By how much a cache is faster than what is behind it at least, for its end to be told.
const DROP_MIN: f64 = 1.1;

/// By how much what is behind the cache falls where nothing is free any more, as a factor at least.
const FALL_MIN: f64 = 1.15;

/// By how much more than the buffer holds the host may be ahead in the part that it takes: units are in the controller, too.
const BUFFER_MARGIN: f64 = 1.5;

/// The drop at which it fills, as a factor at least: it would take the longer the smaller the drop.
const FILL_DROP_MIN: f64 = 1.25;

/// By how much a plateau of the cache may be longer than its cells say: the knee is known no better.
const CELLS_MARGIN: f64 = 1.03;

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

/// What is known of a drive whose fill is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Bytes of the drive that is shown for each of the one that was tested.
    pub times: f64,
    /// GB that all cells of the drive that is shown hold at one bit each; `None` of a drive without a cache of SLC.
    pub cells_gb: Option<f64>,
    /// GB of the drive that is shown for which the write buffer of the one that was tested stands: the host is ahead of the flash by
    /// so much.
    pub buffer_gb: f64,
    /// GB that the buffer of the drive that is shown takes.
    pub own_buffer_gb: f64,
}

impl Known {
    /// Reads from the file of the drive that was tested what a fill needs; the drive that is shown is `times` as large.
    pub fn of(tested: &DriveFile, times: f64) -> Known {
        let cells = || {
            let bits = f64::from(tested.bits_behind_cache()?);
            Some(tested.raw_bytes()? as f64 * times / bits / 1e9)
        };
        let buffer = tested.buffer_bytes().unwrap_or_default() as f64;
        Known {
            times,
            cells_gb: cells(),
            buffer_gb: buffer * times / 1e9,
            own_buffer_gb: buffer / 1e9,
        }
    }

    /// The write buffer of the drive that was tested is no smaller than that of the drive that is shown. Where it fills at once, what
    /// it takes is no plateau. Where it fills first when the speed falls, the host goes on as fast as before until it is full.
    /// Of the plateaus from `begun` on.
    fn leave_buffer_out(&self, plateaus: &mut Vec<Plateau>, begun: usize, stretches: &[Stretch]) {
        if let [first, second, ..] = plateaus[begun..] {
            let gb = first.to_gb - first.from_gb;
            let ahead_gb = gb * (1.0 - second.mb_s / first.mb_s);
            if ahead_gb > 0.0 && ahead_gb <= BUFFER_MARGIN * self.buffer_gb {
                let mb_s = over(&[&first, &second]);
                plateaus.remove(begun);
                (plateaus[begun].from_gb, plateaus[begun].mb_s) = (first.from_gb, mb_s);
            }
        }
        let mut is_full = plateaus.get(begun).is_some_and(|first| {
            let gb = first.to_gb - first.from_gb;
            self.most_ahead_gb(stretches, first.mb_s, gb) > self.buffer_gb / 2.0
        });
        for n in begun + 1..plateaus.len() {
            let [before, behind] = [plateaus[n - 1].mb_s, plateaus[n].mb_s];
            let fills = !is_full && before >= FILL_DROP_MIN * behind;
            let times = if fills {
                before / (before - behind)
            } else {
                1.0
            };
            is_full |= fills;
            let knee = plateaus[n].from_gb - (self.buffer_gb - self.own_buffer_gb) * times;
            let knee = knee.max(plateaus[n - 1].from_gb);
            (plateaus[n - 1].to_gb, plateaus[n].from_gb) = (knee, knee);
        }
    }

    /// By how much a host is ahead of a speed at most in the first so many GB.
    fn most_ahead_gb(&self, stretches: &[Stretch], mb_s: f64, gb: f64) -> f64 {
        let mut all = Stretch::default();
        let mut most = 0.0_f64;
        for stretch in stretches {
            all.add(*stretch);
            let written = all.bytes * self.times / 1e9;
            if written > gb {
                break;
            }
            most = most.max(written - mb_s * all.seconds * self.times / 1e3);
        }
        most
    }
}

/// Seconds in which nothing was written that are a rest, and no stall.
const REST_S: u32 = 10;

/// The fill of a drive of which nothing is known, by the bytes that were written in each second.
#[must_use]
pub fn of_seconds(bytes: &[u64]) -> Fill {
    let mut jobs: Vec<Vec<Stretch>> = vec![Vec::new()];
    let mut empty = 0_u32;
    for &bytes in bytes {
        if bytes == 0 {
            empty += 1;
            continue;
        }
        let has_begun = jobs.last().is_some_and(|job| !job.is_empty());
        let is_rest = empty >= REST_S;
        if is_rest && has_begun {
            jobs.push(Vec::new());
        }
        let job = jobs.last_mut().expect("it has one");
        job.push(Stretch {
            bytes: bytes as f64,
            // What stalled is slow.
            seconds: 1.0
                + if is_rest || !has_begun {
                    0.0
                } else {
                    f64::from(empty)
                },
        });
        empty = 0;
    }
    let unknown = Known {
        times: 1.0,
        cells_gb: None,
        buffer_gb: 0.0,
        own_buffer_gb: 0.0,
    };
    of_jobs(jobs, unknown)
}

/// The fill that jobs logged, one after the other with a rest between them.
pub fn of(logs: &[Arc<JobLog>], known: Known) -> Fill {
    of_jobs(logs.iter().map(|log| spans(log)).collect(), known)
}

fn of_jobs(jobs: Vec<Vec<Stretch>>, known: Known) -> Fill {
    let total: f64 = jobs.iter().flatten().map(|span| span.bytes).sum();
    let mut fill = Fill::default();
    let mut written = 0.0;
    let gb = |bytes: f64| bytes * known.times / 1e9;
    for (n, spans) in jobs.into_iter().enumerate() {
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
        let begun = fill.plateaus.len();
        for part in parts(&stretches, total * PLATEAU_SHARE) {
            let mut all = Stretch::default();
            stretches[part.clone()].iter().for_each(|s| all.add(*s));
            fill.plateaus.push(Plateau {
                from_gb: gb(ends[part.start]),
                to_gb: gb(ends[part.end]),
                mb_s: all.mb_s(),
            });
        }
        known.leave_buffer_out(&mut fill.plateaus, begun, &stretches);
        // Later on the cache was emptied meanwhile, and is filled a second time.
        if n == 0 {
            match cache(&fill.plateaus, known.cells_gb) {
                Ok(plateaus) => fill.cache_plateaus = plateaus,
                Err(why) => fill.doubt = Some(why),
            }
        }
    }
    fill
}

/// The plateaus, from the first, that are those of the cache; an error says why that cannot be told. A drive of which no cache is
/// known has one where its first plateau is the fastest of the first two.
fn cache(plateaus: &[Plateau], cells_gb: Option<f64>) -> Result<usize, String> {
    let drop = |n: usize| plateaus[n - 1].mb_s / plateaus[n].mb_s;
    let Some(cells_gb) = cells_gb else {
        let has = plateaus.len() > 1 && drop(1) > 1.0;
        return Ok(usize::from(has));
    };
    let [first, rest @ ..] = plateaus else {
        return Err("nothing was written".to_owned());
    };
    if rest.is_empty() {
        return Err(format!(
            "where the cache ends cannot be told: all {:.1} GB were written at {:.0} MB/s, and no part of that differs by more than the \
             speed scatters. What is behind the cache is as fast as the cache, or the cache is too short to be seen",
            first.to_gb, first.mb_s
        ));
    }
    let most = cells_gb * CELLS_MARGIN;
    let ends =
        (1..plateaus.len()).filter(|&n| plateaus[n - 1].to_gb <= most && drop(n) >= DROP_MIN);
    ends.max_by(|&a, &b| drop(a).total_cmp(&drop(b))).ok_or_else(|| {
        format!(
            "where the cache ends cannot be told: its cells hold no more than {cells_gb:.1} GB at one bit each, and up to there the speed \
             does not fall by more than it scatters ({:.0} MB/s up to {:.1} GB). What is behind the cache is as fast as the cache, or \
             the cache is too short to be seen",
            first.mb_s, first.to_gb
        )
    })
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

/// Joins spans into stretches of about `bytes` each, and shorter ones at the beginning; the last one takes what is left over.
fn even(spans: &[Stretch], bytes: f64) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut open = Stretch::default();
    let mut written = 0.0;
    for span in spans {
        open.add(*span);
        if open.bytes >= bytes.min(STRETCH_SHARE * written) {
            written += open.bytes;
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

/// Sums over the stretches before each: of bytes, and of the logarithms of their speeds and their squares, by bytes.
struct Sums(Vec<[f64; 3]>);

impl Sums {
    fn of(stretches: &[Stretch]) -> Sums {
        let mut sums = vec![[0.0; 3]];
        for stretch in stretches {
            let (log, [bytes, first, second]) = (stretch.mb_s().ln(), sums[sums.len() - 1]);
            sums.push([
                bytes + stretch.bytes,
                first + stretch.bytes * log,
                second + stretch.bytes * log * log,
            ]);
        }
        Sums(sums)
    }

    fn between(&self, part: &Range) -> [f64; 3] {
        let [from, to] = [self.0[part.start], self.0[part.end]];
        [0, 1, 2].map(|n| to[n] - from[n])
    }

    fn bytes(&self, part: &Range) -> f64 {
        self.between(part)[0]
    }

    /// The mean of the logarithms.
    fn mean(&self, part: &Range) -> f64 {
        let [bytes, first, _] = self.between(part);
        first / bytes
    }

    /// The sum of their squared distances from that.
    fn spread(&self, part: &Range) -> f64 {
        let [bytes, first, second] = self.between(part);
        (second - first * first / bytes).max(0.0)
    }
}

/// The plateaus of stretches, of so many bytes at least.
fn parts(stretches: &[Stretch], bytes_min: f64) -> Vec<Range> {
    let mut parts = Vec::new();
    divide(
        &Sums::of(stretches),
        0..stretches.len(),
        bytes_min,
        &mut parts,
    );
    parts
}

fn divide(sums: &Sums, part: Range, bytes_min: f64, parts: &mut Vec<Range>) {
    let halves = |at: usize| [part.start..at, at..part.end];
    let places = part.start + PLATEAU_MIN..(part.end + 1).saturating_sub(PLATEAU_MIN);
    let places = places.filter(|&at| halves(at).iter().all(|half| sums.bytes(half) >= bytes_min));
    let spread = |at: usize| -> f64 { halves(at).iter().map(|half| sums.spread(half)).sum() };
    let best = places
        .map(|at| (at, spread(at)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((at, spread)) = best {
        let [one, other] = halves(at);
        let step = sums.mean(&one) - sums.mean(&other);
        let deviation = (spread / sums.bytes(&part)).sqrt();
        if step.abs() >= STEP_MIN.ln().max(STEP_DEVIATIONS * deviation) {
            divide(sums, one, bytes_min, parts);
            divide(sums, other, bytes_min, parts);
            return;
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
}

/// The speed over several plateaus.
fn over(plateaus: &[&Plateau]) -> f64 {
    let gb = |part: &&Plateau| part.to_gb - part.from_gb;
    let written: f64 = plateaus.iter().map(gb).sum();
    let time: f64 = plateaus.iter().map(|part| gb(part) / part.mb_s).sum();
    written / time
}

/// Figures of a fill, as reviews have them: `mean_mb_s` of all of it. Where a cache is told, `slc_gb` and `slc_write_mb_s`, its size
/// and speed, and `after_mb_s` behind it; where that falls once more, `direct_until_gb` and `fold_mb_s`. After a rest,
/// `rested_mb_s`, and `rested_gb` to where it falls again.
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
    let first = fill.plateaus.iter();
    let first = first.take_while(|part| rest.is_none_or(|rest| part.from_gb < rest));
    let first: Vec<&Plateau> = first.collect();
    let (cache, behind) = first.split_at(fill.cache_plateaus.min(first.len()));
    if let (Some(last), false) = (cache.last(), behind.is_empty()) {
        put(&table::SLC_GB, last.to_gb);
        put(&table::SLC_WRITE_MB_S, over(cache));
        let falls = (1..behind.len()).map(|n| (n, behind[n - 1].mb_s / behind[n].mb_s));
        let fall = falls.max_by(|a, b| a.1.total_cmp(&b.1));
        match fall.filter(|(_, by)| *by >= FALL_MIN) {
            Some((n, _)) => {
                put(&table::AFTER_MB_S, over(&behind[..n]));
                put(&table::DIRECT_UNTIL_GB, behind[n].from_gb);
                put(&table::FOLD_MB_S, over(&behind[n..]));
            }
            None => put(&table::AFTER_MB_S, over(behind)),
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
        assert_eq!(parts(&three, 0.0), [0..30, 30..130, 130..190]);
        assert_eq!(
            parts(&stretches(&[(90, 500.0)]), 0.0),
            std::iter::once(0..90).collect::<Vec<_>>()
        );
        // A burst.
        let burst = stretches(&[(50, 500.0), (2, 2000.0), (50, 500.0)]);
        assert_eq!(parts(&burst, 0.0).len(), 1);
        // Closer than the speed scatters, and not.
        assert_eq!(parts(&stretches(&[(60, 530.0), (60, 500.0)]), 0.0).len(), 1);
        assert_eq!(parts(&stretches(&[(60, 580.0), (60, 500.0)]), 0.0).len(), 2);
        assert!(parts(&[], 0.0).is_empty());
    }

    fn plateaus(of: &[(f64, f64)]) -> Vec<Plateau> {
        let mut from_gb = 0.0;
        let of = of.iter().map(|&(to_gb, mb_s)| Plateau {
            from_gb: std::mem::replace(&mut from_gb, to_gb),
            to_gb,
            mb_s,
        });
        of.collect()
    }

    #[test]
    fn a_cache_ends_at_the_largest_drop_that_its_cells_allow_or_nobody_can_tell() {
        let found = |of: &[(f64, f64)]| cache(&plateaus(of), Some(360.0));
        // Cells that are in use otherwise fall deeper, and later than a cache can end.
        let three = [(280.0, 4500.0), (500.0, 2000.0), (1000.0, 500.0)];
        assert_eq!(found(&three), Ok(1));
        // A cache that begins a little faster than it goes on.
        let warm = [
            (10.0, 5000.0),
            (100.0, 4600.0),
            (900.0, 1500.0),
            (1000.0, 900.0),
        ];
        assert_eq!(found(&warm), Ok(2));
        // One speed in the cache and behind it: the first drop is that of cells which are all in use.
        let joined = found(&[(900.0, 1500.0), (1000.0, 900.0)]).unwrap_err();
        assert!(joined.contains("no more than 360.0 GB"), "{joined}");
        let one = found(&[(1000.0, 1500.0)]).unwrap_err();
        assert!(one.contains("all 1000.0 GB were written at 1500"), "{one}");
        // Nothing is known of cells.
        let falls = [(900.0, 1500.0), (1000.0, 900.0)];
        assert_eq!(cache(&plateaus(&falls), None), Ok(1));
        assert_eq!(cache(&plateaus(&[(1000.0, 1500.0)]), None), Ok(0));
    }

    #[test]
    fn what_the_buffer_of_a_smaller_drive_takes_is_left_out() {
        let known = Known {
            times: 100.0,
            cells_gb: None,
            buffer_gb: 1.0,
            own_buffer_gb: 0.0,
        };
        let found = |of: &[(f64, f64)]| {
            let mut plateaus = plateaus(of);
            let course = plateaus.iter().flat_map(|part| {
                let bytes = (part.to_gb - part.from_gb) * 1e9 / known.times / 4.0;
                let seconds = bytes / 1e6 / part.mb_s;
                std::iter::repeat_n(Stretch { bytes, seconds }, 4)
            });
            let course: Vec<Stretch> = course.collect();
            known.leave_buffer_out(&mut plateaus, 0, &course);
            let found = plateaus.iter();
            found
                .map(|part| (part.to_gb, part.mb_s))
                .collect::<Vec<_>>()
        };
        // It is full after 4 GB at 4/3 of the speed behind them, and holds its gigabyte at the knee.
        let burst = found(&[(4.0, 4000.0), (40.0, 3000.0), (100.0, 1000.0)]);
        assert_eq!((burst.len(), burst[0].0), (2, 39.0));
        // It fills at the knee, and the flash takes as much as half of what the host sends meanwhile.
        assert_eq!(
            found(&[(40.0, 2000.0), (100.0, 1000.0)]),
            [(38.0, 2000.0), (100.0, 1000.0)]
        );
    }

    #[test]
    fn seconds_tell_plateaus_and_a_rest_and_a_stall_is_none() {
        // 20 s at 2 GB/s, 30 at 0.5 with a stall of 3 s among them, a rest, 10 at 2 GB/s and 30 at 0.5.
        let at = |mb_s: u64, seconds| vec![mb_s * 1_000_000; seconds];
        let behind = [at(500, 15), at(0, 3), at(500, 15)].concat();
        let all = [at(2000, 20), behind, at(0, 30), at(2000, 10), at(500, 30)].concat();
        let fill = of_seconds(&all);
        assert_eq!((fill.plateaus.len(), fill.cache_plateaus), (4, 1));
        assert_eq!(fill.rests_gb, [55.0]);
        let of = metrics(&fill);
        assert_eq!((of["slc_gb"], of["slc_write_mb_s"]), (40.0, 2000.0));
        assert!((of["after_mb_s"] / (15_000.0 / 33.0) - 1.0).abs() < 1e-9);
        assert_eq!((of["rested_gb"], of["rested_mb_s"]), (20.0, 2000.0));
        // One speed is no cache, and nothing is nothing.
        assert_eq!(of_seconds(&at(500, 60)).cache_plateaus, 0);
        assert!(of_seconds(&[]).course.is_empty() && of_seconds(&at(0, 40)).plateaus.is_empty());
    }

    #[test]
    fn figures_are_those_of_the_plateaus_before_and_behind_a_rest() {
        let fill = Fill {
            course: vec![(40.0, 4000.0), (80.0, 1000.0), (100.0, 500.0)],
            plateaus: plateaus(&[
                (40.0, 4000.0),
                (80.0, 1000.0),
                (90.0, 4000.0),
                (100.0, 500.0),
            ]),
            rests_gb: vec![80.0],
            cache_plateaus: 1,
            doubt: None,
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
            plateaus: plateaus(&[(100.0, 1400.0)]),
            ..Fill::default()
        };
        assert_eq!(
            metrics(&fill).into_keys().collect::<Vec<_>>(),
            ["mean_mb_s"]
        );
    }
}

//! The verdicts of the front page: which drive stutters, and why.

use ftlab_result::{DriveKind, DriveSheet, Run, Traffic};

use super::View;
use crate::format;

/// A pause this long is felt as the machine hanging.
pub const STUTTER_MS: f64 = 500.0;
/// A pause this long is noticed.
pub const HESITATE_MS: f64 = 100.0;

/// Above this, flash is mostly busy with copies.
const WA_HIGH: f64 = 3.0;
/// Below this, next to nothing is copied.
const WA_LOW: f64 = 1.3;

/// The test every drive is judged by, when it ran.
const RANDOM_WRITE: &str = "randwrite-4k-qd1";
/// Random writes at other depths stand in for it, the shallowest first.
const RANDOM_WRITE_PREFIX: &str = "randwrite-4k-qd";
/// The same size and depth, in order.
const SEQUENTIAL_WRITE: &str = "seqrand-mix-4k-qd1-seq100";

/// What a person at the machine would say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feel {
    /// Pauses of half a second and more.
    Stutters,
    /// Pauses a person notices.
    Hesitates,
    /// No pause a person notices.
    Smooth,
    /// No random write ran.
    Untested,
}

impl Feel {
    /// The word shown.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stutters => "Stutters",
            Self::Hesitates => "Hesitates",
            Self::Smooth => "Smooth",
            Self::Untested => "Not tested",
        }
    }

    fn of_longest(ms: f64) -> Self {
        match ms {
            ms if ms >= STUTTER_MS => Self::Stutters,
            ms if ms >= HESITATE_MS => Self::Hesitates,
            _ => Self::Smooth,
        }
    }
}

/// One row of the front page.
pub struct Headline<'a> {
    /// The drive.
    pub drive: &'a DriveSheet,
    /// The random write that decides: of its states, the one with the longest pause.
    pub run: Option<&'a Run>,
    /// Commands a second.
    pub iops: Option<f64>,
    /// Mean latency in milliseconds.
    pub avg_ms: Option<f64>,
    /// Longest latency in milliseconds.
    pub max_ms: Option<f64>,
    /// How many times longer a random write takes than a sequential one of the same size.
    pub random_penalty: Option<f64>,
    /// The verdict.
    pub feel: Feel,
    /// The cause, in a sentence.
    pub why: String,
}

/// The verdict on every drive, in order.
pub fn headlines<'a>(view: &View<'a>) -> Vec<Headline<'a>> {
    view.set
        .drives
        .iter()
        .map(|drive| headline(view, drive))
        .collect()
}

fn headline<'a>(view: &View<'a>, drive: &'a DriveSheet) -> Headline<'a> {
    let run = deciding_run(view, &drive.drive);
    let max_ms = run.and_then(longest_ms);
    let avg_ms = run.and_then(average_ms);
    let feel = max_ms.map_or(Feel::Untested, Feel::of_longest);
    Headline {
        drive,
        run,
        iops: run.and_then(|run| metric(run, "iops", |write| write.iops)),
        avg_ms,
        max_ms,
        random_penalty: run.and_then(|run| random_penalty(view, run)),
        feel,
        why: run.map_or_else(String::new, |run| why(drive.kind, feel, run)),
    }
}

/// The shallowest 4 KiB random write of a drive, in the state in which it pauses longest.
fn deciding_run<'a>(view: &View<'a>, slug: &str) -> Option<&'a Run> {
    let candidates = || view.set.runs.iter().filter(|run| run.drive == slug);
    let test = candidates()
        .filter(|run| run.test.starts_with(RANDOM_WRITE_PREFIX))
        .map(|run| run.test.as_str())
        .min_by_key(|test| (*test != RANDOM_WRITE, queue_depth(test)))?;
    candidates().filter(|run| run.test == test).max_by(|a, b| {
        longest_ms(a)
            .unwrap_or(0.0)
            .total_cmp(&longest_ms(b).unwrap_or(0.0))
    })
}

fn queue_depth(test: &str) -> u32 {
    let digits = test.strip_prefix(RANDOM_WRITE_PREFIX).unwrap_or_default();
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(u32::MAX)
}

/// A named metric, or the same from the write totals when the bench did not name it.
fn metric(run: &Run, name: &str, from_writes: fn(&Traffic) -> f64) -> Option<f64> {
    let totals = || (run.write.ios > 0).then(|| from_writes(&run.write));
    run.metrics.get(name).copied().or_else(totals)
}

fn average_ms(run: &Run) -> Option<f64> {
    metric(run, "lat_avg_ms", |write| write.lat_ns_mean / 1e6)
}

fn longest_ms(run: &Run) -> Option<f64> {
    metric(run, "lat_max_ms", |write| write.lat_ns_max as f64 / 1e6)
}

fn random_penalty(view: &View<'_>, random: &Run) -> Option<f64> {
    let sequential = view
        .set
        .runs
        .iter()
        .filter(|run| run.drive == random.drive && run.test == SEQUENTIAL_WRITE)
        .max_by_key(|run| run.state == random.state)?;
    let sequential_ms = average_ms(sequential)?;
    let random_ms = average_ms(random)?;
    (sequential_ms > 0.0).then_some(random_ms / sequential_ms)
}

/// A wait this many times longer than all but one in ten thousand is an event of its own.
const RARE_RATIO: f64 = 20.0;

fn why(kind: DriveKind, feel: Feel, run: &Run) -> String {
    match kind {
        DriveKind::Ssd => {}
        DriveKind::Disk => {
            return "The arm has to travel for every random write: slow, but evenly so.".to_owned();
        }
        DriveKind::Ram => return "Memory has no place that is further away.".to_owned(),
    }
    let inside = &run.inside;
    if inside.wa <= 0.0 {
        return "No count of flash operations, so the cause cannot be told.".to_owned();
    }
    let cost = format!(
        "{}× the data written goes to flash",
        format::number(inside.wa)
    );
    let copies = match inside.gc_share {
        share if share > 0.0 => format!("{cost}, {} copies", most_of_it(share)),
        _ => cost.clone(),
    };
    let pauses = matches!(feel, Feel::Stutters | Feel::Hesitates);
    match (pauses, inside.wa) {
        (true, wa) if wa >= WA_HIGH => {
            format!(
                "{}{copies}: the host waits while old data is moved.",
                cost_of_one(run)
            )
        }
        (true, _) => format!("{}{}", rare_pause(run), cost_aside(&cost)),
        (false, wa) if wa <= WA_LOW => format!("{cost}: almost nothing has to be copied."),
        // A slot that is larger than the write is written whole, without a copy by collection.
        (false, _) if inside.gc_share == 0.0 => {
            format!("{cost}, as it writes larger units than the host; no copies wait behind that.")
        }
        (false, _) => format!("{copies}, in steps small enough not to be felt."),
    }
}

/// What a pause without much copying comes from, as far as the counters tell.
fn rare_pause(run: &Run) -> String {
    let usual = longest_ms(run).zip(run.metrics.get("lat_p99_99_ms").copied());
    let rare = usual.filter(|(longest, usual)| *usual > 0.0 && longest / usual >= RARE_RATIO);
    let how_often = match rare {
        Some((_, usual)) => format!(
            "A rare pause: all but one write in 10,000 take at most {}",
            format::latency_ns(usual * 1e6)
        ),
        None => "Long pauses without steady copying".to_owned(),
    };
    match run.inside.map_programs {
        0 => format!("{how_often}."),
        pages => format!(
            "{how_often}. {} pages of the mapping table went to flash meanwhile: the likely cause.",
            format::number(pages as f64)
        ),
    }
}

/// `42 % of it`; a share that would be rounded to all is not all.
fn most_of_it(share: f64) -> String {
    match share {
        share if share >= 0.995 => "nearly all of it".to_owned(),
        share => format!("{} of it", format::percent(share)),
    }
}

/// What a single write makes the drive write: the amplification, where it is felt.
fn cost_of_one(run: &Run) -> String {
    match run.write.ios {
        0 => String::new(),
        ios => {
            let bytes = run.write.bytes as f64 / ios as f64;
            format!(
                "For each write of {} KiB it writes {} of flash. ",
                format::number(format::round_to_digits(bytes / 1024.0, 3)),
                format::bytes(bytes * run.inside.wa)
            )
        }
    }
}

fn cost_aside(cost: &str) -> String {
    format!(" Little is copied: {cost}.")
}

/// The front page's answer in a sentence: who pauses, and how long at worst.
pub fn summary(headlines: &[Headline<'_>]) -> String {
    let tested: Vec<_> = headlines
        .iter()
        .filter(|h| h.feel != Feel::Untested)
        .collect();
    let stutterers: Vec<_> = tested.iter().filter(|h| h.feel == Feel::Stutters).collect();
    let worst = stutterers
        .iter()
        .filter_map(|h| h.max_ms)
        .fold(0.0, f64::max);
    match (tested.len(), stutterers.len()) {
        (0, _) => "No drive ran a small random write, so none can be judged here.".to_owned(),
        (n, 0) => {
            format!("None of the {n} drives tested pauses long enough to be called a stutter.")
        }
        (n, k) => {
            let names: Vec<&str> = stutterers.iter().map(|h| h.drive.name.as_str()).collect();
            format!(
                "{k} of {n} {drives} on small random writes: {names}, with pauses of up to {worst}.",
                drives = if k == 1 {
                    "drives stutters"
                } else {
                    "drives stutter"
                },
                names = join_names(&names),
                worst = format::latency_ns(worst * 1e6),
            )
        }
    }
}

/// `a, b and c`.
pub fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_judged_by_what_a_person_feels() {
        assert_eq!(Feel::of_longest(991.0), Feel::Stutters);
        assert_eq!(Feel::of_longest(180.0), Feel::Hesitates);
        assert_eq!(Feel::of_longest(94.2), Feel::Smooth);
    }

    #[test]
    fn the_queue_depth_of_a_test_is_read_from_its_slug() {
        assert_eq!(queue_depth("randwrite-4k-qd3-8gb"), 3);
        assert_eq!(queue_depth("randwrite-4k-qd32"), 32);
        assert_eq!(queue_depth("seqread-2m"), u32::MAX);
    }
}

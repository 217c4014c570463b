//! The verdicts of the front page: which drive stutters, and why.

use ftlab_result::quantity::table;
use ftlab_result::{DriveKind, DriveSheet, Inside, Role, Run, Traffic};

use super::standing::Standing;
use super::{View, condition};
use crate::format;

/// A wait this long is felt as the machine hanging.
pub const STUTTER_MS: f64 = 500.0;
/// A wait this long is noticed.
pub const HESITATE_MS: f64 = 100.0;
/// A time this long in which nothing at all completes, while somebody waits, is a pause: what the bench counts.
pub const PAUSE_S: f64 = 1.0;

/// A course of fewer intervals has no slowest tenth.
const INTERVALS_MIN: usize = 20;

/// A longest wait within this factor of the average is a turn in a queue, if something completes all the
/// while: who sorts a queue by place may pass one over for a sweep or two.
const EVEN_RATIO: f64 = 4.0;

/// The words of a person at the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feel {
    /// Waits of half a second and more.
    Stutters,
    /// Waits a person notices.
    Hesitates,
    /// Waits a person notices, but every write waits alike: a queue that moves slowly.
    Slow,
    /// No wait a person notices.
    Smooth,
    /// No random write ran.
    Untested,
}

impl Feel {
    /// Returns the word that is shown for the verdict.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stutters => "Stutters",
            Self::Hesitates => "Hesitates",
            Self::Slow => "Slow, evenly",
            Self::Smooth => "Smooth",
            Self::Untested => "Not tested",
        }
    }

    /// By the longest wait, the average one and the longest time without a completion, in milliseconds.
    fn of_waits(longest: f64, average: Option<f64>, still: f64) -> Self {
        let is_even = average.is_some_and(|average| longest <= EVEN_RATIO * average);
        match longest {
            ms if ms < HESITATE_MS => Self::Smooth,
            _ if is_even && still < HESITATE_MS => Self::Slow,
            ms if ms >= STUTTER_MS => Self::Stutters,
            _ => Self::Hesitates,
        }
    }
}

/// The run of a drive with most pauses.
#[derive(Debug, Clone, PartialEq)]
pub struct Pauses {
    /// Number of pauses in the run.
    pub count: f64,
    /// The longest, in seconds.
    pub longest_s: f64,
    /// The test that had them, in words.
    pub test: String,
}

/// One row of the front page.
pub struct Headline<'a> {
    /// The drive that is judged.
    pub drive: &'a DriveSheet,
    /// The small random writes that decide: of all tests and states, those with the longest wait.
    pub run: Option<&'a Run>,
    /// The test and the state of that run, in words.
    pub test: String,
    /// Commands completed a second.
    pub iops: Option<f64>,
    /// Mean latency in milliseconds.
    pub avg_ms: Option<f64>,
    /// Longest latency in milliseconds.
    pub max_ms: Option<f64>,
    /// The time of a random write over that of a sequential one of the same size, one at a time.
    pub random_penalty: Option<f64>,
    /// Pauses in any test.
    pub pauses: Option<Pauses>,
    /// The verdict on the waits.
    pub feel: Feel,
    /// Standing of the model, which decides if the verdict is one on the drive.
    pub standing: Standing,
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
    let feel = match (run, max_ms) {
        (Some(run), Some(longest)) => Feel::of_waits(longest, avg_ms, still_ms(run, longest)),
        _ => Feel::Untested,
    };
    Headline {
        drive,
        run,
        test: run.map_or_else(String::new, |run| test_and_state(view, run)),
        iops: run.and_then(|run| metric(run, table::IOPS.name, |write| write.iops)),
        avg_ms,
        max_ms,
        random_penalty: random_penalty(view, &drive.drive),
        pauses: pauses(view, &drive.drive),
        feel,
        standing: Standing::of(view, &drive.drive, Role::SmallRandomWrite),
        why: run.map_or_else(String::new, |run| why(drive.kind, feel, run)),
    }
}

/// The 4 KiB random writes of a drive, at any depth and in any state, in which it waits longest.
fn deciding_run<'a>(view: &View<'a>, slug: &str) -> Option<&'a Run> {
    let is_it = |run: &&Run| {
        run.drive == slug && view.has_role(run, Role::SmallRandomWrite) && longest_ms(run).is_some()
    };
    let longest = |run: &&Run| longest_ms(run).unwrap_or(0.0);
    // The first of equals, as the last of the reversed.
    let runs = view.set.runs.iter().filter(is_it).rev();
    runs.max_by(|a, b| longest(a).total_cmp(&longest(b)))
}

/// `4 KiB random writes against queue depth, QD 64, drive filled`.
fn test_and_state(view: &View<'_>, run: &Run) -> String {
    let state = condition::state(&run.state);
    let parts = [test_words(view, run), format!("{state} drive")];
    parts.join(", ")
}

/// The title of a run's test with its step.
fn test_words(view: &View<'_>, run: &Run) -> String {
    let Some(family) = view.family_of(&run.test) else {
        return run.test.clone();
    };
    match family.step(&run.test) {
        "" => family.title.to_owned(),
        step => format!("{}, {step}", family.title),
    }
}

/// The longest time in which nothing completed; of one write after the other the longest wait.
fn still_ms(run: &Run, longest: f64) -> f64 {
    let seconds = table::LONGEST_PAUSE_S.of(run);
    seconds.map_or(longest, |seconds| seconds * 1e3)
}

/// The run with most pauses, if any has one. A scenario may count shorter ones; they are none here.
fn pauses(view: &View<'_>, slug: &str) -> Option<Pauses> {
    let of = |run: &Run, name: &str| run.metrics.get(name).copied().unwrap_or(0.0);
    let has_some = |run: &&Run| {
        run.drive == slug
            && of(run, table::PAUSES.name) > 0.0
            && of(run, table::LONGEST_PAUSE_S.name) > PAUSE_S
    };
    let runs = view.set.runs.iter().filter(has_some).rev();
    let most =
        runs.max_by(|a, b| of(a, table::PAUSES.name).total_cmp(&of(b, table::PAUSES.name)))?;
    Some(Pauses {
        count: of(most, table::PAUSES.name),
        longest_s: of(most, table::LONGEST_PAUSE_S.name),
        test: test_words(view, most),
    })
}

/// A named metric, or the same from the write totals when the bench did not name it.
fn metric(run: &Run, name: &str, from_writes: fn(&Traffic) -> f64) -> Option<f64> {
    let totals = || (run.write.ios > 0).then(|| from_writes(&run.write));
    run.metrics.get(name).copied().or_else(totals)
}

fn average_ms(run: &Run) -> Option<f64> {
    metric(run, table::LAT_AVG_MS.name, |write| write.lat_ns_mean / 1e6)
}

fn longest_ms(run: &Run) -> Option<f64> {
    metric(run, table::LAT_MAX_MS.name, |write| {
        write.lat_ns_max as f64 / 1e6
    })
}

/// Both of one write at a time: a queue would be counted with what is asked for.
fn random_penalty(view: &View<'_>, slug: &str) -> Option<f64> {
    let runs = |role: Role| {
        let is_it = move |run: &&Run| run.drive == slug && view.has_role(run, role);
        view.set.runs.iter().filter(is_it)
    };
    let average = |run: &Run| average_ms(run).unwrap_or(0.0);
    let random =
        runs(Role::SmallRandomWriteAlone).max_by(|a, b| average(a).total_cmp(&average(b)))?;
    let sequential =
        runs(Role::SmallSequentialWriteAlone).max_by_key(|run| run.state == random.state)?;
    let (sequential_ms, random_ms) = (average_ms(sequential)?, average_ms(random)?);
    (sequential_ms > 0.0).then_some(random_ms / sequential_ms)
}

/// The causes of the waits by the counters: the cost of a write, and events that came with the waits. Every
/// amount stands as it is, so that two drives that differ little read alike.
fn why(kind: DriveKind, feel: Feel, run: &Run) -> String {
    match kind {
        DriveKind::Ssd | DriveKind::Unknown => {}
        DriveKind::Disk => {
            return "The arm travels for every random write, about as far each time; behind others a write waits its turn.".to_owned();
        }
        DriveKind::Ram => return "Memory has no place that is further away.".to_owned(),
    }
    let Some(inside) = run.inside().filter(|inside| inside.wa > 0.0) else {
        return "The run counted no flash operations, so nothing tells what the waits come from."
            .to_owned();
    };
    let mut sentences = vec![cost(run, inside)];
    match feel {
        Feel::Stutters | Feel::Hesitates => {
            sentences.extend(
                [waited(run, inside), rest_of_writes(run), slowest_tenth(run)]
                    .into_iter()
                    .flatten(),
            );
        }
        Feel::Slow => {
            sentences.push("Every write waits for those before it, each about as long.".to_owned())
        }
        Feel::Smooth => sentences.push("No write waits long enough to be noticed.".to_owned()),
        Feel::Untested => {}
    }
    sentences.join(" ")
}

/// The bytes that the drive writes to flash for a write of the host, and the share of copies among them.
fn cost(run: &Run, inside: &Inside) -> String {
    let copies = match inside.gc_share.unwrap_or(0.0) {
        0.0 => "none of it copies".to_owned(),
        // A share that would be rounded to all is not all.
        share if share >= 0.995 => "nearly all of it copies of older data".to_owned(),
        share => format!("{} of it copies of older data", format::percent(share)),
    };
    let wa = format::number(inside.wa);
    match run.write.ios {
        0 => format!("The drive writes {wa}× the host’s data to flash, {copies}."),
        ios => {
            let bytes = run.write.bytes as f64 / ios as f64;
            format!(
                "For each write of {} KiB the drive writes {} to flash, {wa}× as much, {copies}.",
                format::number(format::round_to_digits(bytes / 1024.0, 3)),
                format::bytes(bytes * inside.wa),
            )
        }
    }
}

/// The number of writes that found the buffer full, and other writes to flash.
fn waited(run: &Run, inside: &Inside) -> Option<String> {
    let stalls = inside.buffer_stalls;
    let count = |n: u64| format::number(n as f64);
    let full = match run.write.ios {
        0 => return None,
        ios if stalls >= ios => "Every write waited for room in the write buffer".to_owned(),
        ios => format!(
            "{} of {} writes waited for room in the write buffer",
            count(stalls),
            count(ios)
        ),
    };
    Some(match inside.map_programs {
        0 => format!("{full}."),
        pages => format!(
            "{full}, and the drive wrote {} pages of its mapping table.",
            count(pages)
        ),
    })
}

/// The wait that all but one write in 10,000 stay below.
fn rest_of_writes(run: &Run) -> Option<String> {
    let usual = table::LAT_P99_99_MS.of(run)?;
    (usual > 0.0 && usual < longest_ms(run)?).then(|| {
        format!(
            "All but one write in 10,000 take at most {}.",
            format::latency_ns(usual * 1e6)
        )
    })
}

/// Returns a sentence on write amplification in the slowest tenth of a run and in the rest; none of a short run.
fn slowest_tenth(run: &Run) -> Option<String> {
    let mut intervals: Vec<(u64, f64)> = run
        .series_ios
        .iter()
        .copied()
        .zip(run.only()?.series_wa.iter().copied())
        .collect();
    // The end of the run cuts the last interval off.
    intervals.pop();
    if intervals.len() < INTERVALS_MIN {
        return None;
    }
    intervals.sort_by_key(|(ios, _)| *ios);
    let (slow, rest) = intervals.split_at(intervals.len() / 10);
    let amplification = |part: &[(u64, f64)]| {
        let ios: u64 = part.iter().map(|(ios, _)| ios).sum();
        let written: f64 = part.iter().map(|(ios, wa)| *ios as f64 * wa).sum();
        (ios > 0).then(|| format::number(written / ios as f64))
    };
    Some(format!(
        "In the slowest tenth of the run it wrote {}× the host’s data, in the rest {}×.",
        amplification(slow)?,
        amplification(rest)?
    ))
}

/// True if no test tells of waits or pauses of any drive.
pub fn say_nothing(headlines: &[Headline<'_>]) -> bool {
    let says_nothing =
        |headline: &Headline<'_>| headline.feel == Feel::Untested && headline.pauses.is_none();
    headlines.iter().all(says_nothing)
}

/// Those of whom the front page's verdict is drawn, and how many that ran its tests are left out.
pub fn judged<'h, 'a>(headlines: &'h [Headline<'a>]) -> (Vec<&'h Headline<'a>>, usize) {
    let tested = headlines.iter().filter(|h| h.feel != Feel::Untested);
    let (judged, left_out): (Vec<_>, Vec<_>) =
        tested.partition(|h| h.standing != Standing::Unverified);
    (judged, left_out.len())
}

/// The front page's answer: who makes one wait, and how long at worst.
pub fn summary(headlines: &[Headline<'_>], quick: bool) -> String {
    let (tested, left_out) = judged(headlines);
    if tested.is_empty() && left_out > 0 {
        return "No published figure of small random writes vouches for a model that ran them, so the report judges none."
            .to_owned();
    }
    let mut words = sentence(&tested, quick);
    if tested.iter().any(|h| h.standing == Standing::Model) {
        words += " These models are unverified: no published figure stands beside them.";
    }
    match left_out {
        0 => {}
        1 => words += " One more ran them, whose model is unverified.",
        n => words += &format!(" {n} more ran them, whose models are unverified."),
    }
    words
}

fn sentence(tested: &[&Headline<'_>], quick: bool) -> String {
    // A quick run may end before a drive begins to stutter, and the sentence has to say so.
    let so_far = if quick { ", in quick runs" } else { "" };
    let stutterers: Vec<_> = tested.iter().filter(|h| h.feel == Feel::Stutters).collect();
    let worst = stutterers
        .iter()
        .filter_map(|h| h.max_ms)
        .fold(0.0, f64::max);
    match (tested.len(), stutterers.len()) {
        (0, _) => {
            "No drive ran a test of small random writes, so the report judges none.".to_owned()
        }
        (1, 0) => format!(
            "{} makes nobody wait long enough to call it a stutter{so_far}.",
            tested[0].drive.name
        ),
        (1, 1) => format!(
            "{} stutters on small random writes, with waits of up to {}{so_far}.",
            tested[0].drive.name,
            format::latency_ns(worst * 1e6)
        ),
        (n, 0) => {
            format!(
                "None of the {n} drives tested makes anybody wait long enough to call it a stutter{so_far}."
            )
        }
        (n, k) => {
            let names: Vec<&str> = stutterers.iter().map(|h| h.drive.name.as_str()).collect();
            format!(
                "{k} of {n} {drives} on small random writes: {names}, with waits of up to {worst}{so_far}.",
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
    fn a_wait_is_judged_by_what_a_person_feels() {
        let alone = |ms| Feel::of_waits(ms, Some(0.1), ms);
        assert_eq!(alone(991.0), Feel::Stutters);
        assert_eq!(alone(180.0), Feel::Hesitates);
        assert_eq!(alone(94.2), Feel::Smooth);
    }

    #[test]
    fn a_queue_that_moves_is_slow_and_no_stutter() {
        // A disk with 64 outstanding, and a drive that stops for a second at a time.
        assert_eq!(Feel::of_waits(839.0, Some(729.0), 60.0), Feel::Slow);
        assert_eq!(
            Feel::of_waits(34_000.0, Some(20_000.0), 980.0),
            Feel::Stutters
        );
        assert_eq!(Feel::of_waits(1_455.0, Some(553.0), 56.0), Feel::Slow);
        assert_eq!(Feel::of_waits(1_455.0, Some(53.0), 56.0), Feel::Stutters);
        assert_eq!(Feel::of_waits(180.0, None, 60.0), Feel::Hesitates);
    }

    fn hesitating(wa: f64, gc_share: f64) -> Run {
        serde_json::from_value(serde_json::json!({
            "id": "", "drive": "", "test": "", "state": "", "steps": [],
            "metrics": { "lat_max_ms": 180.0, "lat_p99_99_ms": 12.5 },
            "read": Traffic::default(), "trim": Traffic::default(),
            "write": Traffic { ios: 1000, bytes: 4_096_000, ..Traffic::default() },
            "at": [{ "inside": ftlab_result::Inside { wa, gc_share: Some(gc_share), buffer_stalls: 230, map_programs: 7, ..Default::default() },
            "series_wa": (0..31).map(|n| if n < 27 { 2.0 } else { 5.0 }).collect::<Vec<f64>>() }],
            "series_ios": (0..31).map(|n| 100 - n).collect::<Vec<u64>>(),
            "series_interval_s": 1.0
        }))
        .expect("a run")
    }

    #[test]
    fn a_cause_does_not_turn_around_between_drives_that_differ_little() {
        let of = |wa, share| why(DriveKind::Ssd, Feel::Hesitates, &hesitating(wa, share));
        let without_amounts = |text: String| text.replace(|c: char| c.is_ascii_digit(), "#");
        assert_eq!(
            without_amounts(of(3.01, 0.67)),
            without_amounts(of(2.91, 0.66))
        );
        assert_eq!(
            of(2.91, 0.66),
            "For each write of 4 KiB the drive writes 11.9 KB to flash, 2.91× as much, 66 % of it copies of older \
             data. 230 of 1,000 writes waited for room in the write buffer, and the drive wrote 7 pages of its \
             mapping table. All but one write in 10,000 take at most 12.5 ms. In the slowest tenth of the run it \
             wrote 5× the host’s data, in the rest 2×."
        );
    }
}

//! The front of the report: what this is, and which drive stutters and why.

use ftlab_result::quantity::table;
use ftlab_result::{Run, Way};
use maud::{Markup, html};
use serde::Serialize;

use super::cards;
use super::figure::{self, ChartFrame};
use super::frame;
use super::navigation::drive_id;
use crate::format;
use crate::view::View;
use crate::view::headline::{self, Feel, Headline, Pauses};
use crate::view::repeats::Repeats;
use crate::view::standing::{self, Standing};

/// Rows of the verdict chart at first.
const VERDICTS_SHOWN: usize = 10;
/// A random write that takes so much longer than one in order says that order is the cause.
const NOTABLE_PENALTY: f64 = 2.0;
/// Cards of drives that make one wait.
const CAUSES_MAX: usize = 4;
/// Columns of the table of verdicts, below which a row says why.
const VERDICT_COLUMNS: usize = 8;
/// A table of more drives is folded away.
const TABLE_OPEN_MAX: usize = 10;

/// The chart of the front page: how far the longest random write lies from the mean.
#[derive(Serialize)]
pub struct VerdictData {
    /// (drive, mean, longest, in which test) in milliseconds, longest first.
    rows: Vec<(usize, f64, f64, String)>,
    /// Places of the drives shown at first.
    pub shown: Vec<usize>,
    hesitate_ms: f64,
    stutter_ms: f64,
}

impl VerdictData {
    pub fn of(view: &View<'_>, headlines: &[Headline<'_>]) -> Option<Self> {
        let row = |headline: &Headline<'_>| {
            let (mean, longest) = (headline.avg_ms?, headline.max_ms?);
            let drive = view.drive_index(&headline.drive.drive);
            (mean > 0.0).then(|| {
                (
                    drive,
                    format::kept(mean),
                    format::kept(longest),
                    headline.test.clone(),
                )
            })
        };
        let mut rows: Vec<(usize, f64, f64, String)> = headlines.iter().filter_map(row).collect();
        rows.sort_by(|a, b| b.2.total_cmp(&a.2));
        let of_judged: Vec<usize> = (headline::judged(headlines).0.into_iter())
            .map(|headline| view.drive_index(&headline.drive.drive))
            .collect();
        let shown = (rows.iter().map(|row| row.0))
            .filter(|drive| of_judged.contains(drive))
            .take(VERDICTS_SHOWN)
            .collect();
        (!rows.is_empty()).then_some(Self {
            rows,
            shown,
            hesitate_ms: headline::HESITATE_MS,
            stutter_ms: headline::STUTTER_MS,
        })
    }
}

/// The title of the report.
pub fn title(view: &View<'_>) -> String {
    match view.set.drives.as_slice() {
        [one] if one.members.is_empty() => one.name.clone(),
        [set] => format!("{} drives under one load", set.members.len()),
        drives if view.is_of_own_load() || !view.set.plans.is_empty() => {
            format!("{} on {} drives", view.families[0].title, drives.len())
        }
        drives => match view.variants_of() {
            Some(drive) => format!("{} variants of {drive}", drives.len()),
            None => format!("{} drives on one bench", drives.len()),
        },
    }
}

/// The kind of report, by where its numbers come from.
const fn kind(way: Way) -> &'static str {
    match way {
        Way::Simulated => "Storage review, simulated",
        Way::Attached => "Storage review, of attached models",
        Way::Measured => "Storage review, measured",
    }
}

/// The top of a report without published figures.
fn own_loads(view: &View<'_>) -> &'static str {
    match view.set.drives.as_slice() {
        [_] if view.set.origin.way == Way::Measured => "The drive is a real one, measured by fio.",
        _ if view.set.origin.way == Way::Measured => {
            "Every drive here is a real one, measured by fio."
        }
        [one] if one.members.is_empty() => "The drive is a model.",
        [_] => "Every drive here is a model. The load ran on all of them together, by one clock.",
        _ => {
            "Every drive here is a model. The same load ran on each of them, from the same state and on the same machine."
        }
    }
}

pub fn header(view: &View<'_>) -> Markup {
    let set = view.set;
    let short = set.runs.iter().filter(|run| run.is_short).count();
    let repeats = Repeats::of(set);
    // A user's own loads have nothing published beside them, and the lede claims none.
    html! {
        header.front {
            p.eyebrow { (kind(set.origin.way)) }
            h1 { (title(view)) }
            p.lede {
                @if view.is_of_specification() {
                    "Every drive here is a model that ran tests of SNIA’s Performance Test Specification."
                } @else if set.figures.is_empty() {
                    (own_loads(view))
                } @else {
                    "Every drive here is a model that ran the tests of published reviews. What the \
                    reviewers measured stands beside what the model gives, figure by figure."
                }
            }
            dl.origin {
                div { dt { "Tests" } dd { (set.tests.len()) } }
                div { dt { "Runs" } dd { (format::literal(&set.runs.len().to_string())) } }
                @if !set.figures.is_empty() { div { dt { "Published figures" } dd { (set.figures.len()) } } }
                div { dt { "ftlab" } dd { (set.origin.version) } }
                div { dt { "Seed" } dd { (set.origin.seed) } }
                @if repeats.is_some() { div { dt { "Repeats" } dd { (set.origin.repeats) } } }
                @if set.origin.quick {
                    div { dt { "Length" } dd { "quick: parts of the runtimes" } }
                } @else if short > 0 {
                    div { dt { "Length" } dd { (short) " runs short, of which nothing was published" } }
                }
            }
            @if let Some(repeats) = repeats { p.small { (format::keep_units(&repeats.sentences().join(" "))) } }
        }
    }
}

/// Renders the verdict which drive stutters; nothing where no test tells.
pub fn verdicts(view: &View<'_>, headlines: &[Headline<'_>], data: Option<&VerdictData>) -> Markup {
    if headline::say_nothing(headlines) {
        return html! {};
    }
    // A quick run is a part of its runtime, so the words of the verdict are less sure.
    let quick = view.set.origin.quick;
    html! {
        section #verdicts aria-labelledby="verdicts-title" {
            h2 #verdicts-title { "Which drive stutters, and why" }
            p.answer { (format::keep_units(&headline::summary(headlines, quick))) }
            @if let Some(words) = standing::words(view) { p.small { (words) } }
            (causes(view, headlines))
            p.method {
                "An average hides a stall. Users notice the longest wait for one write: from "
                (waits(headline::HESITATE_MS)) " it is noticed, from "
                (waits(headline::STUTTER_MS)) " the machine seems to hang. Each drive \
                is judged by the test of 4\u{a0}KiB writes to random places, of any queue depth and state, in which \
                it waits longest. Where something completes all the while and no write waits much longer than the others, they queue: \
                the drive is slow and does not stutter. "
                "A " em { "pause" } " is more than "
                (waits(headline::PAUSE_S * 1e3)) " in which nothing at all completes, in any test, or as long as the test says."
            }
            @if data.is_some() {
                (figure::chart(&ChartFrame {
                    family: "",
                    kind: "verdicts",
                    title: "4\u{a0}KiB random writes: from the average to the longest wait, in the test where that is longest",
                }))
            }
            @if headlines.len() > TABLE_OPEN_MAX {
                details.behind {
                    summary { "Verdict on all " (headlines.len()) " drives" }
                    (verdict_table(view, headlines))
                }
            } @else {
                (verdict_table(view, headlines))
            }
        }
    }
}

/// A card for every drive that makes one wait: how long, and what the counters say of it.
fn causes(view: &View<'_>, headlines: &[Headline<'_>]) -> Markup {
    let quick = view.set.origin.quick;
    let mut pausing: Vec<&Headline<'_>> = (headline::judged(headlines).0.into_iter())
        .filter(|headline| matches!(headline.feel, Feel::Stutters | Feel::Hesitates))
        .collect();
    // The longest waits come first, as there is room for a few causes alone.
    pausing.sort_by(|a, b| b.max_ms.unwrap_or(0.0).total_cmp(&a.max_ms.unwrap_or(0.0)));
    html! {
        @if !pausing.is_empty() {
            div.causes style=(cards::columns(pausing.len().min(CAUSES_MAX))) {
                @for headline in pausing.iter().take(CAUSES_MAX) {
                    article.cause {
                        h3 {
                            a href={ "#" (drive_id(&headline.drive.drive)) } {
                                (format::keep_units(view.drive_name(&headline.drive.drive)))
                            }
                            " " (feel(headline, quick))
                        }
                        p.amount { b { (latency(headline.max_ms)) } " the longest wait, " (latency(headline.avg_ms)) " on average" }
                        p.small { "Test: " (format::keep_units(&headline.test)) }
                        p { (format::keep_units(&headline.why)) }
                        @if let Some(pauses) = &headline.pauses {
                            p.small { (pauses_words(pauses)) }
                        }
                        @if let Some(ratio) = headline.random_penalty.filter(|ratio| *ratio >= NOTABLE_PENALTY) {
                            p.small { "One at a time, the same writes in order are " (format::number(ratio)) "× quicker." }
                        }
                    }
                }
            }
            @if pausing.len() > CAUSES_MAX {
                p.small { (pausing.len() - CAUSES_MAX) " more drives make one wait: the table of all drives below has them." }
            }
        }
    }
}

/// `15 pauses in which nothing at all completed, the longest 2.1 s, in: Creating …`.
fn pauses_words(pauses: &Pauses) -> String {
    let noun = if pauses.count == 1.0 {
        "pause"
    } else {
        table::PAUSES.name
    };
    let words = format!(
        "{} {noun} in which nothing at all completed, the longest {}, in the test: {}",
        format::number(pauses.count),
        waits(pauses.longest_s * 1e3),
        pauses.test
    );
    format::keep_units(&words)
}

fn waits(ms: f64) -> String {
    format::keep_units(&format::latency_ns(ms * 1e6))
}

fn latency(ms: Option<f64>) -> String {
    ms.map_or("–".to_owned(), waits)
}

fn verdict_table(view: &View<'_>, headlines: &[Headline<'_>]) -> Markup {
    let quick = view.set.origin.quick;
    let value = |value: Option<f64>| value.map_or("–".to_owned(), format::number);
    let mut rows: Vec<&Headline<'_>> = headlines.iter().collect();
    let longest = |headline: &Headline<'_>| headline.max_ms.unwrap_or(0.0);
    // Models that no figure vouches for come last, however long they wait.
    rows.sort_by(|a, b| {
        let by_standing = is_unverified(a).cmp(&is_unverified(b));
        by_standing.then(longest(b).total_cmp(&longest(a)))
    });
    let caption = html! {
        "Verdict on every drive, from the 4\u{a0}KiB random writes in which it waits longest; the longest wait first"
        @if headlines.iter().any(is_unverified) { ", unverified models last" }
    };
    let columns = html! {
        (frame::words(&["Drive", "Verdict"]))
        (frame::numbers(&["IOPS", "Average", "Longest", "Random vs in order, one at a time", "Pauses"]))
        th.num scope="col" { abbr title="write amplification" { "WA" } }
    };
    let rows = html! {
        tbody {
            @for headline in rows {
                tr.unverified[is_unverified(headline)] {
                    th scope="row" {
                        a href={ "#" (drive_id(&headline.drive.drive)) } {
                            (format::keep_units(view.drive_name(&headline.drive.drive)))
                        }
                        @if is_unverified(headline) { span.sub { (standing::UNVERIFIED) } }
                        span.sub { (format::keep_units(&headline.test)) }
                    }
                    td { (feel(headline, quick)) }
                    td.num { (value(headline.iops)) }
                    td.num { (latency(headline.avg_ms)) }
                    td.num { (latency(headline.max_ms)) }
                    td.num { (penalty(headline.random_penalty)) }
                    td.num title=[headline.pauses.as_ref().map(pauses_words)] {
                        (headline.pauses.as_ref().map_or("none".to_owned(), |pauses| format::number(pauses.count)))
                    }
                    td.num { (wa(headline)) }
                }
                @if !headline.why.is_empty() {
                    tr.why-row.unverified[is_unverified(headline)] { td colspan=(VERDICT_COLUMNS) { div { (format::keep_units(&headline.why)) } } }
                }
            }
        }
    };
    frame::table(
        "verdict-caption",
        Some("verdict-table"),
        &caption,
        &columns,
        &rows,
    )
}

fn wa(headline: &Headline<'_>) -> String {
    let wa = headline.run.and_then(Run::wa);
    wa.map_or("–".to_owned(), format::number)
}

fn penalty(ratio: Option<f64>) -> String {
    match ratio {
        None => "–".to_owned(),
        Some(ratio) if ratio < 1.15 => "as fast".to_owned(),
        Some(ratio) => format!("{}× slower", format::number(ratio)),
    }
}

fn is_unverified(headline: &Headline<'_>) -> bool {
    headline.standing == Standing::Unverified
}

/// A verdict as a word and a shape; colour only repeats it. What a quick run shows is not all, and what an unverified
/// model does is not what the drive does: both are said.
pub fn feel(headline: &Headline<'_>, quick: bool) -> Markup {
    let feel = headline.feel;
    let (class, sign) = match feel {
        Feel::Stutters => ("bad", "▲"),
        Feel::Hesitates => ("fair", "◆"),
        Feel::Slow => ("fair", "■"),
        Feel::Smooth => ("good", "●"),
        Feel::Untested => ("none", "○"),
    };
    let is_tested = feel != Feel::Untested;
    let is_short = quick || headline.run.is_some_and(|run| run.is_short);
    let is_grey = is_unverified(headline);
    let class = if is_grey { "none" } else { class };
    html! {
        span.chip.(class) {
            span aria-hidden="true" { (sign) } " " (feel.word())
            @if is_short && is_tested { ", quick" }
            @if is_tested && is_grey { ", unverified" }
        }
    }
}

//! The answer of a report, ahead of everything else: verdicts on what was required as sentences, and the figures that one
//! decides by in a table.

use super::View;
use super::pts::Table;
use crate::format::{keep_units, latency_ns, number};
use crate::settling;
use ftlab_result::quantity::{self, Quantity, table};
use ftlab_result::{Finding, Judgement, Run, Traffic};

/// A table of more runs is no answer.
const ROWS_MAX: usize = 40;

/// A figure of a run, in words.
type Column = (&'static str, fn(&Run) -> Option<String>);

const COLUMNS: [Column; 12] = [
    ("IOPS", |run| {
        let all = run.read.iops + run.write.iops + run.trim.iops;
        (all > 0.0).then(|| number(all))
    }),
    ("MB/s", |run| {
        let all = run.read.bytes_per_s + run.write.bytes_per_s;
        (all > 0.0).then(|| number(all / 1e6))
    }),
    ("read p50", |run| percentile(&run.read, 50.0)),
    ("read p99", |run| percentile(&run.read, 99.0)),
    ("read p99.9", |run| percentile(&run.read, 99.9)),
    ("write p50", |run| percentile(&run.write, 50.0)),
    ("write p99", |run| percentile(&run.write, 99.0)),
    ("write p99.9", |run| percentile(&run.write, 99.9)),
    ("flush p99", |run| percentile(&run.flush, 99.0)),
    ("WA", |run| {
        // A plan's figure is that of the repeated load, as in the plan's other tables.
        let wa = quantity::value(run, table::WA.name, None)?;
        Some(marked(run, format!("{wa:.2}")))
    }),
    ("years", |run| {
        let years = run.metrics.get(table::LIFETIME_YEARS.name)?;
        Some(marked(run, number(*years)))
    }),
    ("warnings", |run| {
        let several = run.warnings.len();
        (several > 0).then(|| several.to_string())
    }),
];

/// Both follow from the write amplification, and change with it.
fn marked(run: &Run, words: String) -> String {
    settling::marked(words, settling::is_unsettled(run))
}

fn percentile(of: &Traffic, percent: f64) -> Option<String> {
    let mut all = of.lat_ns_percentiles.iter();
    let found = all.find(|(of, _)| *of == percent)?;
    (of.ios > 0).then(|| latency_ns(found.1 as f64))
}

/// What was required and which drives keep it, a sentence for each requirement; empty where nothing was required.
pub fn sentences(view: &View<'_>) -> Vec<String> {
    let mut required: Vec<&str> = Vec::new();
    for judgement in &view.set.verdicts {
        if !required.contains(&judgement.required.as_str()) {
            required.push(&judgement.required);
        }
    }
    required.iter().map(|text| sentence(view, text)).collect()
}

fn sentence(view: &View<'_>, required: &str) -> String {
    let of: Vec<&Judgement> = (view.set.verdicts.iter())
        .filter(|judgement| judgement.required == required)
        .collect();
    let with = |finding: Finding| -> Vec<String> {
        let of = of.iter().filter(|judgement| judgement.finding == finding);
        of.map(|judgement| in_words(view, judgement)).collect()
    };
    let [met, missed, unknown] = [Finding::Met, Finding::Missed, Finding::Unknown].map(with);
    let mut text = kept_or_not(&Claim::of(required), &met, &missed);
    if !unknown.is_empty() {
        text += &format!(" Unknown for {}: {required}.", listed(&unknown));
    }
    keep_units(text.trim_start())
}

/// Which drives keep a claim and which do not, in a sentence; nothing about none.
fn kept_or_not(claim: &Claim, met: &[String], missed: &[String]) -> String {
    let Claim { one, several, rest } = claim;
    match (met, missed) {
        ([], []) => String::new(),
        ([only], []) => format!("{only} {one} {rest}."),
        ([], [only]) => format!("{only} does not {several} {rest}."),
        ([_, _], []) => format!("Both {several} {rest}: {}.", listed(met)),
        ([], [_, _]) => format!("Neither {one} {rest}: {}.", listed(missed)),
        (all, []) => format!("All {} {several} {rest}: {}.", all.len(), listed(all)),
        ([], all) => format!("None of {} {one} {rest}: {}.", all.len(), listed(all)),
        (some, others) => {
            let verb = if some.len() == 1 { one } else { several };
            let not = match others {
                [other] => format!("{other} does not"),
                others => format!("{} do not", listed(others)),
            };
            let all = some.len() + others.len();
            format!(
                "{} of {all} {verb} {rest}: {}; {not}.",
                some.len(),
                listed(some)
            )
        }
    }
}

/// A requirement as a sentence about drives: one `answers` and several `answer`, `99 % of reads within 2 ms`.
struct Claim {
    one: &'static str,
    several: &'static str,
    rest: String,
}

impl Claim {
    fn of(required: &str) -> Claim {
        let plain = || Claim {
            one: "meets",
            several: "meet",
            rest: required.to_owned(),
        };
        let sign = |sign: &&str| required.contains(*sign);
        let Some(sign) = ["<=", ">=", "<", ">"].into_iter().find(sign) else {
            return plain();
        };
        let Some((name, bound)) = required.split_once(sign) else {
            return plain();
        };
        let (name, bound) = (name.trim(), spaced(bound.trim()));
        if let (Some((kind, percent)), '<') = (name.split_once(".p"), sign.as_bytes()[0] as char)
            && percent.parse::<f64>().is_ok()
        {
            let plural = if kind == "flush" { "es" } else { "s" };
            return Claim {
                one: "answers",
                several: "answer",
                rest: format!("{percent} % of {kind}{plural} within {bound}"),
            };
        }
        let Some(quantity) = Quantity::named(name) else {
            return plain();
        };
        let relation = match sign {
            "<=" => "at most",
            ">=" => "at least",
            "<" => "below",
            _ => "above",
        };
        let words = quantity.words.to_lowercase();
        let unit = quantity.unit;
        Claim {
            one: "has",
            several: "have",
            rest: format!("a {words} of {relation} {bound} {unit}")
                .trim_end()
                .to_owned(),
        }
    }
}

/// `2ms` as `2 ms`.
fn spaced(bound: &str) -> String {
    let digits = bound.trim_end_matches(|c: char| c.is_alphabetic() || c == '/');
    match &bound[digits.len()..] {
        "" | "k" | "M" => bound.to_owned(),
        unit => format!("{} {unit}", digits.trim()),
    }
}

/// A drive with its figure, and how far below or above the bound that is.
fn in_words(view: &View<'_>, judgement: &Judgement) -> String {
    let run = view.set.runs.iter().find(|run| run.id == judgement.run);
    let drive = run.map_or(judgement.run.as_str(), |run| {
        without_year(view.drive_name(&run.drive))
    });
    let is_other = |other: &Judgement| {
        let other = view.set.runs.iter().find(|run| run.id == other.run);
        other
            .zip(run)
            .is_some_and(|(other, run)| other.drive == run.drive && other.id != run.id)
    };
    let of = match run {
        Some(run) if view.set.verdicts.iter().any(is_other) => {
            format!("{drive}, {}, {}", test_name(view, run), run.state)
        }
        _ => drive.to_owned(),
    };
    let away = |margin: f64| {
        let is_below = (margin >= 0.0) == judgement.required.contains('<');
        let side = if is_below { "below" } else { "above" };
        format!(", {} % {side}", number(margin.abs().round()))
    };
    match judgement.finding {
        Finding::Unknown => of,
        _ => format!(
            "{of} ({}{})",
            judgement.measured,
            judgement.margin_pct.map_or_else(String::new, away)
        ),
    }
}

/// `Samsung PM9A3 960 GB` of `Samsung PM9A3 960 GB (2021)`.
pub fn without_year(name: &str) -> &str {
    let year = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    match name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once(" ("))
    {
        Some((before, inside)) if year(inside) => before,
        _ => name,
    }
}

/// A load in words: its title, and its step where it has steps.
fn test_name(view: &View<'_>, run: &Run) -> String {
    let Some(family) = view.family_of(&run.test) else {
        return run.test.clone();
    };
    match family.step(&run.test) {
        "" => family.title.to_owned(),
        step => format!("{}, {step}", family.title),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// The runs of loads that no published figure is about, a row each; none where there are none, or too many.
pub fn table(view: &View<'_>) -> Option<Table> {
    let set = view.set;
    let is_own = set.figures.is_empty() && set.runs.iter().all(|run| run.pts.is_none());
    // What a plan tried beside the drives as they are is in its curves.
    let is_shown = |run: &&Run| {
        let mut plans = set.plans.iter();
        set.plans.is_empty() || plans.any(|plan| plan.test == run.test)
    };
    let runs: Vec<&Run> = set.runs.iter().filter(is_shown).collect();
    if !is_own || runs.is_empty() || runs.len() > ROWS_MAX {
        return None;
    }
    let columns: Vec<&Column> = (COLUMNS.iter())
        .filter(|column| runs.iter().any(|run| (column.1)(run).is_some()))
        .collect();
    let tests = runs.iter().any(|run| run.test != runs[0].test);
    let states = runs.iter().any(|run| run.state != runs[0].state);
    let verdicts = !set.verdicts.is_empty();
    let row = |run: &&Run| -> Vec<String> {
        let mut cells = vec![without_year(view.drive_name(&run.drive)).to_owned()];
        cells.extend(tests.then(|| test_name(view, run)));
        cells.extend(states.then(|| run.state.clone()));
        cells.extend(verdicts.then(|| verdict(view, run).to_owned()));
        let figure = |column: &&Column| (column.1)(run).unwrap_or_else(|| "–".to_owned());
        cells.extend(columns.iter().map(figure).map(|text| keep_units(&text)));
        cells
    };
    let header: Vec<&str> = std::iter::once("drive")
        .chain(tests.then_some("load"))
        .chain(states.then_some("state"))
        .chain(verdicts.then_some("verdict"))
        .chain(columns.iter().map(|column| column.0))
        .collect();
    let rows = runs.iter().map(row).collect();
    Some(Table::new("Every drive in short", &header, rows))
}

/// The worst of a run's verdicts.
fn verdict(view: &View<'_>, run: &Run) -> &'static str {
    let of = |finding: Finding| {
        let mut verdicts = view.set.verdicts.iter();
        verdicts.any(|verdict| verdict.run == run.id && verdict.finding == finding)
    };
    [Finding::Missed, Finding::Unknown, Finding::Met]
        .into_iter()
        .find(|finding| of(*finding))
        .map_or("–", Finding::word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_sentences_about_drives() {
        for (required, wanted) in [
            ("read.p99 < 2ms", "answer 99 % of reads within 2 ms"),
            ("flush.p99.9<=10ms", "answer 99.9 % of flushes within 10 ms"),
            ("lifetime_years >= 3", "have a lifetime of at least 3 years"),
            ("read.iops >= 20k", "meet read.iops >= 20k"),
            ("read.p99 / read.p50 < 8", "meet read.p99 / read.p50 < 8"),
        ] {
            let claim = Claim::of(required);
            assert_eq!(format!("{} {}", claim.several, claim.rest), wanted);
        }
    }

    #[test]
    fn two_drives_are_both_or_neither_and_more_are_counted() {
        let drives =
            |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let claim = Claim::of("read.p99 < 2ms");
        for (met, missed, said) in [
            (&["A"][..], &[][..], "A answers 99 % of reads within 2 ms."),
            (
                &["A", "B"],
                &[],
                "Both answer 99 % of reads within 2 ms: A and B.",
            ),
            (
                &[],
                &["A", "B"],
                "Neither answers 99 % of reads within 2 ms: A and B.",
            ),
            (
                &["A", "B", "C"],
                &[],
                "All 3 answer 99 % of reads within 2 ms: A, B and C.",
            ),
            (
                &[],
                &["A", "B", "C"],
                "None of 3 answers 99 % of reads within 2 ms: A, B and C.",
            ),
            (
                &["A"],
                &["B"],
                "1 of 2 answers 99 % of reads within 2 ms: A; B does not.",
            ),
        ] {
            assert_eq!(kept_or_not(&claim, &drives(met), &drives(missed)), said);
        }
    }

    #[test]
    fn a_year_in_brackets_is_no_part_of_a_short_name() {
        for (name, short) in [
            ("Samsung PM9A3 960 GB (2021)", "Samsung PM9A3 960 GB"),
            (
                "Seagate Momentus 7200.2 (160 GB)",
                "Seagate Momentus 7200.2 (160 GB)",
            ),
            ("mine", "mine"),
        ] {
            assert_eq!(without_year(name), short);
        }
    }
}

//! The answer of a report, ahead of everything else: verdicts on what was required as sentences, and the figures that one
//! decides by in a table.

use super::View;
use super::pts::Table;
use crate::format::{keep_units, latency_ns, number};
use crate::settling;
use ftlab_result::quantity::table;
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
    ("write amplification", |run| {
        let words = format!("{:.2}", run.wa()?);
        Some(settling::marked(words, settling::is_unsettled(run)))
    }),
    ("years", |run| {
        let years = run.metrics.get(table::LIFETIME_YEARS.name);
        years.copied().map(number)
    }),
    ("warnings", |run| {
        let several = run.warnings.len();
        (several > 0).then(|| several.to_string())
    }),
];

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
    let verdicts = &view.set.verdicts;
    let of: Vec<&Judgement> = (verdicts.iter())
        .filter(|judgement| judgement.required == required)
        .collect();
    let with = |finding: Finding| -> Vec<String> {
        let of = of.iter().filter(|judgement| judgement.finding == finding);
        of.map(|judgement| in_words(view, judgement)).collect()
    };
    let (met, missed, unknown) = (
        with(Finding::Met),
        with(Finding::Missed),
        with(Finding::Unknown),
    );
    let verb = |names: &[String], one: &str, several: &str| match names.len() {
        1 => one.to_owned(),
        _ => several.to_owned(),
    };
    let mut parts = Vec::new();
    if !met.is_empty() {
        parts.push(format!(
            "{} {} {required}",
            listed(&met),
            verb(&met, "keeps", "keep")
        ));
    }
    if !missed.is_empty() {
        let what = if met.is_empty() { required } else { "it" };
        parts.push(format!(
            "{} {} {what}",
            listed(&missed),
            verb(&missed, "misses", "miss")
        ));
    }
    if !unknown.is_empty() {
        parts.push(format!(
            "for {} the figure of {required} is unknown",
            listed(&unknown)
        ));
    }
    let mut text = parts.join("; ") + ".";
    if let Some(first) = text.get(..1) {
        text.replace_range(..1, &first.to_uppercase());
    }
    keep_units(&text)
}

/// A drive with its figure, and the share of the bound that it leaves or goes beyond.
fn in_words(view: &View<'_>, judgement: &Judgement) -> String {
    let run = view.set.runs.iter().find(|run| run.id == judgement.run);
    let drive = run.map_or(judgement.run.as_str(), |run| view.drive_name(&run.drive));
    let several = view.set.runs.iter().any(|other| {
        run.is_some_and(|run| other.drive == run.drive && other.id != run.id)
            && view
                .set
                .verdicts
                .iter()
                .any(|verdict| verdict.run == other.id)
    });
    let of = match run {
        Some(run) if several => format!("{drive}, {}", test_name(view, run)),
        _ => drive.to_owned(),
    };
    match (judgement.finding, judgement.margin_pct) {
        (Finding::Unknown, _) => of,
        (_, Some(margin)) => {
            let away = if margin < 0.0 { "beyond" } else { "within" };
            let percent = number(margin.abs().round());
            format!(
                "{of} ({}, {percent} % {away} the bound)",
                judgement.measured
            )
        }
        (_, None) => format!("{of} ({})", judgement.measured),
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
    let is_own = set.figures.is_empty()
        && set.plans.is_empty()
        && set.runs.iter().all(|run| run.pts.is_none());
    if !is_own || set.runs.is_empty() || set.runs.len() > ROWS_MAX {
        return None;
    }
    let columns: Vec<&Column> = (COLUMNS.iter())
        .filter(|column| set.runs.iter().any(|run| (column.1)(run).is_some()))
        .collect();
    let tests = set.tests.len() > 1;
    let states = set.runs.iter().any(|run| run.state != set.runs[0].state);
    let verdicts = !set.verdicts.is_empty();
    let row = |run: &Run| -> Vec<String> {
        let mut cells = vec![view.drive_name(&run.drive).to_owned()];
        cells.extend(tests.then(|| test_name(view, run)));
        cells.extend(states.then(|| run.state.clone()));
        let figure = |column: &&Column| (column.1)(run).unwrap_or_else(|| "–".to_owned());
        cells.extend(columns.iter().map(figure).map(|text| keep_units(&text)));
        cells.extend(verdicts.then(|| verdict(view, run).to_owned()));
        cells
    };
    let header: Vec<&str> = std::iter::once("drive")
        .chain(tests.then_some("load"))
        .chain(states.then_some("state"))
        .chain(columns.iter().map(|column| column.0))
        .chain(verdicts.then_some("verdict"))
        .collect();
    let rows = set.runs.iter().map(row).collect();
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

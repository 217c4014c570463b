//! `ftlab compare OLD NEW`: results beside earlier ones, run by run.

use crate::failure::{Failure, Outcome};
use crate::verdicts::{FailOptions, Figure, change_in_words};
use crate::{results, screen};
use ftlab_result::quantity::table;
use ftlab_result::{ResultSet, Run};
use std::path::Path;

/// Figures that are shown of each run.
const SHOWN: [&str; 10] = [
    table::WA.name,
    "read.iops",
    "read.mean",
    "read.p99",
    "read.p99.9",
    "write.iops",
    "write.mean",
    "write.p99",
    "write.p99.9",
    "trim.iops",
];

/// Shows what differs between two result sets, and says whether it is too much.
///
/// # Errors
/// When one is none, they have no run in common, or a limit is passed.
pub fn command(old: &Path, new: &Path, limits: &FailOptions) -> Outcome {
    let (before, now) = (results::read(old)?, results::read(new)?);
    limits.check(&before.runs)?;
    let junit = limits.junit()?;
    let pairs = pairs(&before, &now);
    if pairs.is_empty() {
        let first = |set: &ResultSet| match set.runs.first() {
            Some(run) => format!("`{}`", run.id),
            None => "nothing".to_owned(),
        };
        return Err(Failure::Input(format!(
            "{} and {} have no run in common: the first is {} there and {} here; give results of the same drives and \
             loads",
            old.display(),
            new.display(),
            first(&before),
            first(&now)
        )));
    }
    screen::print(&text(&before, &now, &pairs))?;
    limits.judge(&before.runs, &now.runs, junit.as_ref())
}

/// The runs that both have.
fn pairs<'a>(before: &'a ResultSet, now: &'a ResultSet) -> Vec<(&'a Run, &'a Run)> {
    let both = |run: &'a Run| Some((run, now.run(&run.id)?));
    before.runs.iter().filter_map(both).collect()
}

/// Renders the differences of two result sets, and the number of runs that are the same in both.
fn text(before: &ResultSet, now: &ResultSet, pairs: &[(&Run, &Run)]) -> String {
    let mut out = String::new();
    let versions = (before.origin.model_version, now.origin.model_version);
    if versions.0 != versions.1 {
        out += &format!(
            "The model is version {} here and was version {}.\n",
            versions.1, versions.0
        );
    }
    if before.origin.seed != now.origin.seed {
        out += "The seeds differ, so that figures do by chance, too.\n";
    }
    for (there, set, other) in [("first", before, now), ("second", now, before)] {
        let alone: Vec<&str> = set.runs.iter().map(|run| run.id.as_str()).collect();
        let alone: Vec<&str> = alone
            .into_iter()
            .filter(|id| other.run(id).is_none())
            .collect();
        if !alone.is_empty() {
            out += &format!("Only in the {there} results: {}\n", alone.join(", "));
        }
    }
    let mut table = screen::table(&["run", "figure", "change"]);
    let mut same = 0;
    for (was, is) in pairs {
        let mut differs = false;
        for name in SHOWN {
            let Some(figure) = Figure::named(name) else {
                continue;
            };
            // A figure that only one of the two runs has is a difference, too.
            let change = match (figure.measured(was), figure.measured(is)) {
                (Some(was), Some(is)) if was != is => change_in_words(&figure, was, is),
                (Some(was), None) => format!("{} → not measured", figure.in_words(was)),
                (None, Some(is)) => format!("not measured → {}", figure.in_words(is)),
                _ => continue,
            };
            differs = true;
            table.add_row([was.id.as_str(), name, change.as_str()]);
        }
        same += usize::from(!differs);
    }
    if same < pairs.len() {
        out += &screen::lines(table);
    }
    out + &format!("{same} of {} runs are unchanged.\n", pairs.len())
}

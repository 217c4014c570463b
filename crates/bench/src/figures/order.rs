//! Scores of closed programs: of those only the order of drives is judged.

use super::{Answer, Bench, Judgement, Row, SCORES, records};
use crate::methods::closed_programs_2008::{FAMILIES, POINTS_PER_MB_S};
use ftlab_result::{Figure, Verdict};

/// How the rows are to be read.
pub const QUALIFIER: &str = "order";

/// Published scores within this factor are equal: they may come in any order.
const EQUAL: f64 = 1.05;

/// The scores of the drives that are there, if what stands for closed programs was run: those that a run
/// answers, and those that are only shown.
pub fn scores(bench: &Bench<'_>) -> Vec<Figure> {
    let is_part = |slug: &str| {
        let mut steps = FAMILIES.iter().flat_map(|family| family.steps);
        steps.any(|step| step.slug == slug)
    };
    if !bench.runs.iter().any(|run| is_part(&run.test)) {
        return Vec::new();
    }
    let figure = |row: Row| {
        let is_there = !bench.drives(&row.drive).0.is_empty();
        let runs = bench.answering(&row).unwrap_or_default();
        is_there.then(|| bench.figure(&row, runs))
    };
    records(SCORES).into_iter().filter_map(figure).collect()
}

/// Whether a drive stands among the others as the published score says. Without others it is shown.
pub fn judge(bench: &Bench<'_>, row: &Row, published: f64, simulated: f64) -> Judgement {
    let others = records::<Row>(SCORES).into_iter();
    let others = others.filter(|other| other.test == row.test && other.id != row.id);
    let pair = |other: Row| {
        let value = bench.simulated(&other, &bench.answering(&other)?)?.value;
        Some((other.value.parse::<f64>().ok()?, value))
    };
    let differ = |(other, _): &(f64, f64)| (published / other).ln().abs() > EQUAL.ln();
    let mut pairs = others.filter_map(pair).filter(differ).peekable();
    if pairs.peek().is_none() {
        return Judgement::SHOWN;
    }
    let holds = pairs.all(|(other, value)| (published > other) == (simulated > value));
    Judgement {
        verdict: if holds { Verdict::Pass } else { Verdict::Fail },
        error: None,
    }
}

/// The score of a suite of which every part was run.
pub fn suite<'r>(parts: &[Answer<'r>]) -> Option<Answer<'r>> {
    let (_, run) = parts.first()?;
    let logarithms: f64 = parts.iter().map(|(mb_s, _)| mb_s.ln()).sum();
    let is_whole = FAMILIES
        .iter()
        .any(|family| family.steps.len() == parts.len());
    let mean = (logarithms / parts.len() as f64).exp();
    is_whole.then_some((POINTS_PER_MB_S * mean, *run))
}

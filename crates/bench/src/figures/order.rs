//! Scores of closed programs: of those only the order of drives is judged.

use super::metric::{Compared, compared};
use super::{Bench, Judgement, Row, SCORES, records};
use crate::suites::{self, Family};
use ftlab_result::{Figure, Run, Verdict};
use std::sync::Arc;

/// The qualifier of these rows: only the order of the drives counts.
pub const QUALIFIER: &str = "order";

/// Published scores within this factor are equal: they may come in any order.
const EQUAL: f64 = 1.05;

/// The scores of closed programs that runs of their stand-ins answer.
pub fn scores(bench: &Bench<'_>) -> Vec<Figure> {
    let figure = |row: Row| Some(bench.figure(&row, bench.answering(&row)?));
    rows().into_iter().filter_map(figure).collect()
}

/// The scores that were published.
pub fn rows() -> Vec<Row> {
    records(SCORES)
}

/// The score of a family that imitates a closed program, as a row asks for it.
pub struct Score<'a> {
    family: &'static Family,
    score: &'static suites::Score,
    compared: Compared<'a>,
}

impl<'a> Score<'a> {
    /// The tests that imitate the program.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// The score that a row is of, if it is of one.
    pub fn of(row: &'a Row) -> Option<Self> {
        let has_part = |family: &&'static Arc<Family>| {
            let mut steps = family.steps.iter();
            family.slug == row.test || steps.any(|step| step.slug == row.test)
        };
        let mut scored = suites::families().filter(|family| family.score.is_some());
        let family = scored.find(has_part)?.as_ref();
        let score = family.score.as_ref()?;
        let compared = compared(&row.metric).1;
        // The others are the MB/s of a part.
        let is_of_score = row.metric == "score" || compared != Compared::Alone;
        is_of_score.then_some(Score {
            family,
            score,
            compared,
        })
    }

    /// The row's figure as these runs of one drive give it, in one of their repeats.
    pub fn answer(
        &self,
        bench: &Bench<'_>,
        row: &Row,
        runs: &[&Run],
        repeat: usize,
    ) -> Option<f64> {
        let points = self.points(&row.test, runs, repeat)?;
        let of = |other: &str| {
            let (drives, _) = bench.drives(other);
            let runs = bench.runs_of(&drives.first()?.slug, row);
            self.points(&row.test, &runs, repeat)
        };
        Some(match self.compared {
            Compared::Ratio(other) => points / of(other)?,
            Compared::Advantage(other) => 100.0 * (points / of(other)? - 1.0),
            Compared::Alone | Compared::Extra(_) => points,
        })
    }

    /// The points of a part, or of the suite if every part was run.
    fn points(&self, test: &str, runs: &[&Run], repeat: usize) -> Option<f64> {
        let points = runs.iter().filter_map(|run| self.score.points(run, repeat));
        let logarithms: Vec<f64> = points.map(f64::ln).collect();
        let parts = match test == self.family.slug {
            true => self.family.steps.len(),
            false => 1,
        };
        let mean = logarithms.iter().sum::<f64>() / parts as f64;
        (logarithms.len() == parts).then(|| mean.exp())
    }
}

/// Judges a drive's place among the others by the published score. Without others the score is only shown.
pub fn judge(bench: &Bench<'_>, row: &Row, published: f64, simulated: f64) -> Judgement {
    let stands = |holds: bool| Judgement {
        verdict: if holds { Verdict::Pass } else { Verdict::Fail },
        error: None,
    };
    match compared(&row.metric).1 {
        Compared::Ratio(_) => return stands((published > 1.0) == (simulated > 1.0)),
        Compared::Advantage(_) => return stands((published > 0.0) == (simulated > 0.0)),
        Compared::Alone | Compared::Extra(_) => {}
    }
    let others = records::<Row>(SCORES).into_iter();
    let is_other = |other: &Row| {
        (&other.test, &other.metric) == (&row.test, &row.metric) && other.id != row.id
    };
    let others = others.filter(is_other);
    let pair = |other: Row| {
        let value = bench.simulated(&other, &bench.answering(&other)?)?.value;
        Some((other.value.parse::<f64>().ok()?, value))
    };
    let differ = |(other, _): &(f64, f64)| (published / other).ln().abs() > EQUAL.ln();
    let mut pairs = others.filter_map(pair).filter(differ).peekable();
    if pairs.peek().is_none() {
        return Judgement::SHOWN;
    }
    stands(pairs.all(|(other, value)| (published > other) == (simulated > value)))
}

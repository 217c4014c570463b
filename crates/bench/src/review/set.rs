//! Runs of drives put together as a result set, with the published figures beside them.

use super::drive::Bench;
use super::{DriveRuns, Length, Plan, Subject};
use crate::figures::{self, Names};
use crate::repeats;
use crate::suites::{Test, Work};
use crate::testbeds::listed;
use ftlab_drive::MODEL_VERSION;
use ftlab_result::{Figure, Origin, ResultSet, Run, SCHEMA, Unfinished, Verdict, Way, quantity};

/// What a review gives whose drives gave this, in their order. `why` says in words why a drive that has not
/// ended has not all of its runs.
#[must_use]
pub fn result_set<'a>(
    plan: &Plan,
    drives: impl IntoIterator<Item = (&'a Subject, &'a DriveRuns)>,
    why: &str,
) -> ResultSet {
    let (mut done, mut runs, mut unfinished) = (Vec::new(), Vec::new(), Vec::new());
    for (subject, of_drive) in drives {
        let missing = of_drive.why_not_whole(why);
        if missing.is_none() || !of_drive.is_empty() {
            done.push(subject);
            runs.extend(of_drive.runs().cloned());
            debug_assert!(
                of_drive
                    .runs()
                    .flat_map(|run| run.metrics.keys())
                    .all(|name| quantity::is_metric(name)),
                "a metric that ftlab_result::quantity does not have"
            );
            unfinished.extend(without_room(plan, subject));
        }
        unfinished.extend(missing.map(|why| Unfinished {
            drive: subject.slug().to_owned(),
            why,
        }));
    }
    let names = |subject: &&Subject| Names {
        slug: subject.slug().to_owned(),
        aliases: (subject.only()).map_or_else(Vec::new, |file| file.aliases().to_vec()),
    };
    let names: Vec<Names> = done.iter().map(names).collect();
    ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: origin(plan),
        drives: done.into_iter().map(Subject::sheet).collect(),
        tests: plan.tests.iter().map(Test::sheet).collect(),
        figures: figures(plan, &names, &runs),
        runs,
        plans: Vec::new(),
        unfinished,
    }
}

/// Which tests a drive that has its runs was too small for, if any.
fn without_room(plan: &Plan, subject: &Subject) -> Option<Unfinished> {
    let bench = Bench::new(plan, subject);
    let slugs: Vec<&str> = (bench.too_large().iter())
        .map(|test| test.step.slug.as_str())
        .collect();
    (!slugs.is_empty()).then(|| Unfinished {
        drive: subject.slug().to_owned(),
        why: subject.too_small_for(&slugs),
    })
}

/// What makes the results of a plan.
#[must_use]
pub fn origin(plan: &Plan) -> Origin {
    Origin {
        version: plan.version.clone(),
        way: Way::Simulated,
        model_version: MODEL_VERSION,
        seed: plan.seed.0,
        testbed: machines(plan),
        quick: plan.length == Length::Quick,
        repeats: plan.repeats,
        seeds: repeats::seeds(plan.seed, plan.repeats),
    }
}

/// The published figures beside the runs. What takes its time, like a drop of the rate or the wear of a
/// life, is not what it was in a quick review: it is shown, and not judged.
fn figures(plan: &Plan, names: &[Names], runs: &[Run]) -> Vec<Figure> {
    let mut figures = figures::figures(names, &plan.tests, runs);
    if plan.length == Length::Quick {
        let is_within = |figure: &Figure| {
            let is_of = |test: &&Test| test.step.slug == figure.test;
            let test = plan.tests.iter().find(is_of);
            test.is_some_and(|test| match &test.step.work {
                Work::Within(..) => true,
                Work::Fact(fact) => fact.writes().is_some(),
                Work::Loads { .. } => false,
            })
        };
        for figure in figures.iter_mut().filter(|figure| is_within(figure)) {
            (figure.verdict, figure.error) = (Verdict::Shown, None);
            figure.left_out_error = None;
            figure.why.clear();
        }
    }
    figures
}

/// The machines of the review, in the order of its tests and drives.
fn machines(plan: &Plan) -> String {
    if let Some(testbed) = &plan.testbed {
        return testbed.slug.clone();
    }
    let of_test = |test| plan.drives.iter().map(move |drive| drive.testbed_of(test));
    listed(plan.tests.iter().flat_map(of_test))
}

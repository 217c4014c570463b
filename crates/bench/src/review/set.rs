//! Runs of drives put together as a result set, with the published figures beside them.

use super::item::Item;
use super::latencies;
use super::wanted::too_small_for;
use super::{Batch, Review};
use crate::ask::{self, Ends, listed};
use crate::figures::{self, Names};
use crate::loads::OwnLoad;
use crate::plan::{DAY_S, Flash};
use crate::repeats;
use crate::sheets::sheet_of;
use crate::suites::{Latencies, Test, Work};
use ftlab_lab::{Length, Subject};
use ftlab_play::driver::Clock;
use ftlab_result::quantity::table;
use ftlab_result::{Figure, Origin, ResultSet, Run, Unfinished, Verdict, quantity};
use std::collections::BTreeSet;

/// The results of the cells that have ended. `why` is the reason, in words, that a drive has not ended.
pub fn result_set(asked: &Batch, ends: &Ends, why: &str) -> ResultSet {
    let review = &asked.review;
    let mut set = ask::empty(origin(review));
    let sheet = |item| match item {
        Item::Test(test) => test.sheet(),
        Item::Load(own) => own.sheet(review.clock),
    };
    set.tests = review.items().map(sheet).collect();
    let mut published = Vec::new();
    for (n, (subject, drive)) in review.drives.iter().zip(&asked.drives).enumerate() {
        let runs = drive.items.iter().map(|of| asked.runs_of(n, of, ends));
        let runs: Vec<Option<Vec<Run>>> = runs.collect();
        let (done, all) = (runs.iter().flatten().count(), runs.len());
        let has_ended = ends.have_ended(drive.all_cells(review.repeats));
        let missing = match asked.error(drive, ends) {
            Some(error) => Some(error.to_string()),
            None => (!has_ended).then(|| why.to_owned()),
        };
        let unfinished = |why: String| Unfinished {
            drive: subject.id(),
            why,
        };
        if missing.is_none() || done > 0 {
            set.drives.push(sheet_of(subject));
            let mut runs: Vec<Run> = runs.into_iter().flatten().flatten().collect();
            for own in &review.loads {
                let of_load = runs.iter_mut().filter(|run| run.test == own.name);
                of_load.for_each(|run| add_answers(run, own, subject, review.clock));
            }
            // Published figures are of the drive as it was sold, and not of its variants.
            match subject.settings() {
                [] => published.push(names(subject)),
                changed => tell_of_change(&mut runs, review, changed),
            }
            set.runs.extend(runs);
            if !drive.too_large.is_empty() {
                let tests: Vec<&str> = drive.too_large.iter().map(String::as_str).collect();
                (set.unfinished).push(unfinished(too_small_for(subject, &tests)));
            }
        }
        set.unfinished.extend(missing.map(|why| {
            unfinished(match done {
                0 => why,
                _ => format!("{why}; {done} of its {all} tests are done"),
            })
        }));
    }
    debug_assert!(
        (set.runs.iter().flat_map(|run| run.metrics.keys())).all(|name| quantity::is_metric(name)),
        "a metric that ftlab_result::quantity does not have"
    );
    set.figures = figures(review, &published, &set.runs);
    set
}

/// Says of the runs of a changed drive that nothing was published of it, where there are figures of their tests.
fn tell_of_change(runs: &mut [Run], review: &Review, changed: &[String]) {
    let tests = review.tests.iter();
    let published: BTreeSet<&str> = tests
        .filter(|test| test.family.source.is_published())
        .map(|test| test.step.slug.as_str())
        .collect();
    for run in runs.iter_mut() {
        if published.contains(run.test.as_str()) {
            run.notes.push(format!(
                "The drive was changed ({}), and published figures are of the drive as it is sold: it is judged against none.",
                changed.join(", ")
            ));
        }
    }
}

/// Adds what is asked of a load that has a rate of its own: latencies by kind of request, and the years that a drive
/// lasts when the load goes on day and night.
fn add_answers(run: &mut Run, own: &OwnLoad, subject: &Subject, clock: Clock) {
    if clock == Clock::Untimed || !own.has_rate() {
        return;
    }
    run.metrics
        .extend(latencies::metrics(run, &Latencies::OfAll));
    let Some(flash) = subject.only().and_then(Flash::of) else {
        return;
    };
    // Without a write amplification no cycles are known; an announced amount does not depend on it.
    let wa = run.wa();
    let flash = Flash {
        cycles: flash.cycles.filter(|_| wa.is_some()),
        ..flash
    };
    let wear = flash.wear(wa.unwrap_or(1.0), run.write.bytes_per_s * DAY_S);
    if let Some(years) = wear.years() {
        table::LIFETIME_YEARS.put(&mut run.metrics, years);
    }
}

pub fn names(subject: &Subject) -> Names {
    Names {
        slug: subject.slug().to_owned(),
        aliases: (subject.only()).map_or_else(Vec::new, |file| file.aliases().to_vec()),
    }
}

/// The origin that a result set states: seeds, machines, and whether the review was quick.
fn origin(review: &Review) -> Origin {
    let items: Vec<Item> = review.items().collect();
    let of_item = |item| {
        let drives = review.drives.iter();
        drives.map(move |drive| Item::testbed(item, drive))
    };
    let machines = match &review.testbed {
        Some(testbed) => testbed.slug.clone(),
        // In the order of its tests and drives.
        None => listed(items.iter().flat_map(of_item)),
    };
    let quick = review.length == Length::Quick;
    Origin {
        repeats: review.repeats,
        seeds: repeats::seeds(review.seed, review.repeats),
        ..ask::origin(review.seed.0, machines, quick)
    }
}

/// The published figures beside the runs. What takes its time, like a drop of the rate, what a drive in use loses in
/// minutes or the wear of a life, is not what it was in a quick review: it is shown, and not judged.
fn figures(review: &Review, names: &[Names], runs: &[Run]) -> Vec<Figure> {
    let mut figures = figures::figures(names, &review.tests, runs);
    if review.length == Length::Quick {
        let takes_its_time = |figure: &Figure| {
            let is_of = |test: &&Test| test.step.slug == figure.test;
            let test = review.tests.iter().find(is_of);
            test.is_some_and(|test| match &test.step.work {
                Work::Within(..) => true,
                Work::Fact(fact) => fact.writes().is_some(),
                Work::Loads { .. } => matches!(figure.state.as_str(), "used" | "seasoned"),
            })
        };
        for figure in figures.iter_mut().filter(|figure| takes_its_time(figure)) {
            (figure.verdict, figure.error) = (Verdict::Shown, None);
            figure.left_out_error = None;
            figure.why.clear();
        }
    }
    figures
}

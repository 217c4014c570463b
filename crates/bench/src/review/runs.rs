//! The runs of a test or a load, made of the outcomes of its cells.

use super::item::Item;
use super::wanted::{Needs, OfItem};
use super::{Batch, facts, latencies};
use crate::ask::Ends;
use crate::repeats::{Metrics, joined};
use crate::suites::{NO_STATE, Series, Step, Work};
use ftlab_lab::{Length, Outcome, Subject, fill_metrics};
use ftlab_result::quantity::{drops, table};
use ftlab_result::{Fill, Run};

impl Batch {
    /// The runs of an item on a drive: one for each state, data and port that it asks for, in that order, repeats taken
    /// together. None until all of them are there.
    pub(super) fn runs_of(&self, drive: usize, of: &OfItem, ends: &Ends) -> Option<Vec<Run>> {
        let of_drive = &self.drives[drive];
        let mut repeats = (0..self.review.repeats as usize).map(|repeat| {
            let first = of_drive.first_cell + repeat * of_drive.cells;
            self.once(&self.review.drives[drive], of, first, ends)
        });
        let first = repeats.next()??;
        let figures = |runs: Vec<Run>| runs.into_iter().map(|run| run.metrics).collect();
        let others: Option<Vec<Vec<Metrics>>> = repeats.map(|runs| runs.map(figures)).collect();
        Some(joined(first, &others?))
    }

    /// The runs of one repeat, whose cells begin at a number.
    fn once(&self, subject: &Subject, of: &OfItem, first: usize, ends: &Ends) -> Option<Vec<Run>> {
        let item = &of.item;
        let named = |state: &str, run: Run| named(subject, item, state, run);
        match (&of.needs, item.work()) {
            (Needs::Loads(loads), _) => {
                let mut runs = Vec::new();
                let (_, first_load) = loads.first()?;
                let first_load = &self.cells[first + first_load].playing()?.load;
                for (asked, at) in loads {
                    let playing = self.cells[first + at].playing()?;
                    let [outcome] = ends.outcomes(first + at)? else {
                        return None;
                    };
                    // A drive that was loaded is in the state in which it was saved.
                    let state = match outcome.run.saved_state {
                        Some(_) => outcome.run.state.as_str(),
                        None => asked.name(),
                    };
                    let mut run = named(state, read(item, outcome));
                    if playing.port.is_some() {
                        run.id += &format!("/{}", run.link);
                    }
                    if playing.load != *first_load {
                        run.id += &format!("/{}", run.data);
                    }
                    runs.push(run);
                }
                Some(runs)
            }
            (Needs::Course(at), Some(Work::Within(_, job))) => {
                let outcomes = ends.outcomes(first + at)?.iter();
                let of_job = outcomes.filter(|outcome| outcome.load == job.name());
                let run = |outcome: &Outcome| {
                    let state = &outcome.run.state;
                    let mut run = named(state, read(item, outcome));
                    let words = of.length.words_of_procedure(job);
                    run.is_short = words.is_some();
                    run.notes.extend(words);
                    run
                };
                Some(of_job.map(run).collect())
            }
            (needs, Some(Work::Fact(fact))) => {
                let worn = match needs {
                    Needs::Course(at) => Some(&ends.outcomes(first + at)?.first()?.run),
                    _ => None,
                };
                let mut told = facts::tell(subject.first(), *fact, worn, of.length);
                told.is_short = worn.is_some() && of.length == Length::Quick;
                Some(vec![named(NO_STATE, told)])
            }
            _ => None,
        }
    }
}

/// The run of an outcome, with the figures that a test reads off it beside totals.
fn read(item: &Item, outcome: &Outcome) -> Run {
    let mut run = outcome.run.clone();
    if let Item::Test(test) = item {
        read_off(
            &test.step,
            &mut run,
            outcome.fill.clone().unwrap_or_default(),
        );
    }
    run
}

/// Adds to a run the figures that a step reads off it beside totals, whoever made it. `fill` is the speed of a drive at
/// what its jobs wrote.
pub fn read_off(step: &Step, run: &mut Run, fill: Fill) {
    match step.series {
        Series::Unread => {}
        Series::Drops => run.metrics.extend(drops::metrics(&run.series_bytes)),
        Series::Plateaus => {
            run.metrics.extend(fill_metrics(&fill));
            run.notes.extend(fill.doubt.clone());
            run.fill = Some(fill);
        }
    }
    let latencies = latencies::metrics(run, &step.latencies);
    run.metrics.extend(latencies);
    if let Some(writes) = step.writes_a_page {
        let pages_per_s = run.write.iops / f64::from(writes.get());
        table::PAGES_PER_S.put(&mut run.metrics, pages_per_s);
    }
}

/// A run as that of an item on a drive in a state.
fn named(subject: &Subject, item: &Item, state: &str, run: Run) -> Run {
    let (drive, test) = (subject.id(), item.name());
    let settings = subject.settings().iter();
    Run {
        id: format!("{drive}/{test}/{state}"),
        drive,
        test: test.to_owned(),
        state: state.to_owned(),
        settings: settings
            .filter_map(|setting| setting.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        series_interval_s: ftlab_play::driver::INTERVAL_S as f64,
        ..run
    }
}

//! The tests that a drive runs in a review, and the cells that they are made of.

use super::Review;
use super::facts::Wearing;
use super::item::Item;
use super::procedure::Acts;
use crate::suites::{Span, Work};
use ftlab_base::amount::decimal;
use ftlab_drive::{DriveFile, Kind};
use ftlab_host::{Port, Testbed};
use ftlab_lab::{self as lab, Begin, Cell, Course, LabError, Length, Playing, Subject};
use ftlab_play::driver::{Clock, DriverError};
use ftlab_play::load::{Load, What};
use ftlab_states::State;
use ftlab_workload::JobSpec;
use ftlab_workload::script::ScriptError;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The tests and loads of a drive, and where their cells are.
#[derive(Debug)]
pub struct OfDrive {
    /// Its tests and loads, in the order of the review.
    pub items: Vec<OfItem>,
    /// Tests asked for by name that it has no room for, beside others that it has.
    pub too_large: Vec<String>,
    /// The error that keeps it from running anything, such as a test whose jobs lie beyond its end.
    pub refused: Option<Arc<LabError>>,
    /// The number of its first cell.
    pub first_cell: usize,
    /// The cells of one repeat.
    pub cells: usize,
}

/// A test or a load, and the cells of it by their numbers in a repeat.
#[derive(Debug)]
pub struct OfItem {
    pub item: Item,
    /// The length of its runs.
    pub length: Length,
    pub needs: Needs,
}

/// The cells that a test is made of.
#[derive(Debug)]
pub enum Needs {
    /// Loads, each with the state that it was asked in.
    Loads(Vec<(State, usize)>),
    /// A course, by the number of its cell: a procedure, or writes that wear the drive.
    Course(usize),
    /// No cell at all, as the drive's file answers.
    Nothing,
}

/// Pairs of a drive and a test that figures are made from.
type Asked = BTreeSet<(String, String)>;

impl OfDrive {
    /// The tests of a drive; those that are not among `asked` are short, if that is given.
    pub fn new(review: &Review, drive: usize, asked: Option<&Asked>) -> OfDrive {
        let subject = &review.drives[drive];
        let wanted = review.wanted.as_ref().map(|wanted| &wanted[drive]);
        let wanted = |item: &Item| wanted.is_none_or(|slugs| slugs.contains(item.name()));
        let meant = |item: &Item| {
            let on = item.only_on().filter(|_| review.is_everything);
            on.is_none_or(|drives| drives.iter().any(|slug| slug == subject.slug()))
        };
        // An unknown machine is reported when the test is to run on it.
        let fits = |item: &Item| {
            let machine = review.machine(subject, item);
            machine.map_or(true, |machine| has_room(subject, item, &machine))
        };
        // A disk has no flash: nothing to erase, to trim, to wear or to spare. And what is done to one drive, or
        // said of it, is not of several.
        let is_ssd = (subject.only()).is_some_and(|file| file.kind() == Kind::Ssd);
        let possible = |item: &Item| is_ssd || !item.loads().is_empty();
        let candidates = review.items().filter(wanted).filter(meant).filter(possible);
        let (mut items, mut too_large): (Vec<Item>, Vec<Item>) = candidates.partition(fits);
        if review.is_everything {
            too_large.clear();
        } else if items.is_empty() {
            // The run itself says best why it cannot be made.
            items = std::mem::take(&mut too_large);
        }
        let mut of_a_suite = items.iter().filter(|item| item.work().is_some());
        let beyond = of_a_suite.find(|item| !has_room_for_jobs(subject, item));
        let refused = beyond.map(|item| {
            let why = too_small_for(subject, &[item.name()]);
            Arc::new(LabError::Refused(format!(
                "drive {}: {why}",
                subject.slug()
            )))
        });
        let is_asked = |item: &Item| {
            let pair = (subject.slug().to_owned(), item.name().to_owned());
            asked.is_none_or(|asked| asked.contains(&pair))
        };
        // Tests share runs: one that has a run in common with a test that is asked is as long.
        let needed: Vec<&Item> = items.iter().filter(|item| is_asked(item)).collect();
        let lengths: Vec<Length> = (items.iter())
            .map(|item| match needed.iter().any(|of| of.shares_with(item)) {
                true => review.length,
                false => Length::Quick,
            })
            .collect();
        let of_item = |(item, length): (Item, Length)| OfItem {
            item,
            length,
            needs: Needs::Nothing,
        };
        OfDrive {
            items: items.into_iter().zip(lengths).map(of_item).collect(),
            too_large: too_large
                .iter()
                .map(|item| item.name().to_owned())
                .collect(),
            refused,
            first_cell: 0,
            cells: 0,
        }
    }

    /// The cells of all repeats.
    pub fn all_cells(&self, repeats: u32) -> Range<usize> {
        self.first_cell..self.first_cell + self.cells * repeats as usize
    }

    /// The distinct cells of them: loads in their order, then procedures, then what wears it.
    pub fn cells(
        &mut self,
        review: &Review,
        subject: &Arc<Subject>,
    ) -> Result<Vec<Cell>, LabError> {
        let mut cells = Cells {
            review,
            subject,
            all: Vec::new(),
        };
        if self.refused.is_some() {
            return Ok(cells.all);
        }
        for of in &mut self.items {
            let mut loads = Vec::new();
            for (asked, playing) in loads_of(review, subject, of) {
                loads.push((asked, cells.of_load(&of.item, playing)?));
            }
            if !loads.is_empty() {
                of.needs = Needs::Loads(loads);
            }
        }
        // Two passes, as the courses that wear a drive come after the procedures of all items.
        for wears in [false, true] {
            for of in &mut self.items {
                if let Some(course) = course_of(of, wears) {
                    of.needs = Needs::Course(cells.of_course(&of.item, course, wears)?);
                }
            }
        }
        Ok(cells.all)
    }
}

/// The cells of a drive, each once.
struct Cells<'a> {
    review: &'a Review,
    subject: &'a Arc<Subject>,
    all: Vec<Cell>,
}

impl Cells<'_> {
    /// The number of the cell of a load.
    fn of_load(&mut self, item: &Item, playing: Playing) -> Result<usize, LabError> {
        let is_it = |other: &Playing| {
            other.load == playing.load
                && other.begin.state == playing.begin.state
                && other.port == playing.port
        };
        let machine = self.review.machine(self.subject, item)?;
        let is_it =
            |other: &Cell| other.machine.slug == machine.slug && other.playing().is_some_and(is_it);
        let there = self.all.iter().position(is_it);
        Ok(there.unwrap_or_else(|| self.add(machine, lab::Work::Load(playing))))
    }

    /// The number of the cell of a course; no machine matters to one that only wears the drive.
    fn of_course(
        &mut self,
        item: &Item,
        course: Arc<dyn Course>,
        wears: bool,
    ) -> Result<usize, LabError> {
        let machine = self.review.machine(self.subject, item)?;
        let is_it = |other: &Cell| match &other.work {
            lab::Work::Course(known) => {
                known.name() == course.name() && (wears || other.machine.slug == machine.slug)
            }
            lab::Work::Load(_) => false,
        };
        let there = self.all.iter().position(is_it);
        Ok(there.unwrap_or_else(|| self.add(machine, lab::Work::Course(course))))
    }

    fn add(&mut self, machine: Testbed, work: lab::Work) -> usize {
        self.all.push(Cell {
            subject: Arc::clone(self.subject),
            work,
            machine: Arc::new(machine),
            seed: self.review.seed,
        });
        self.all.len() - 1
    }
}

/// The course of a test, if it is one: one that wears the drive, or a procedure.
fn course_of(of: &OfItem, wears: bool) -> Option<Arc<dyn Course>> {
    let length = of.length;
    match of.item.work()? {
        Work::Within(procedure, _) if !wears => Some(Arc::new(Acts {
            procedure: Arc::clone(procedure),
            length,
        })),
        Work::Fact(fact) if wears => Some(Arc::new(Wearing {
            writes: fact.writes()?,
            length,
        })),
        _ => None,
    }
}

/// The loads of an item as they are played on its drives, each with the state that it is asked in: those of the item or, if
/// one is asked for, that. The first of a state answers figures that ask for no data and no port.
fn loads_of(review: &Review, subject: &Subject, of: &OfItem) -> Vec<(State, Playing)> {
    let item = &of.item;
    let loads = item.loads();
    let kinds = match subject.files().any(DriveFile::compresses) {
        true => loads.len(),
        false => 1,
    };
    let states = review.state.as_ref();
    let states = states.map_or(item.states(), std::slice::from_ref);
    let slower = |port: &Option<Port>| {
        port.is_none_or(|port| subject.files().any(|file| file.waits_for(port)))
    };
    let mut asked = Vec::new();
    for &state in states {
        let begin = Begin {
            state: match subject.has_flash() {
                true => state,
                // A disk has one state: it runs in that and answers for all of them.
                false => State::New,
            },
            saved: review.saved.clone(),
            rest: review.rest,
        };
        for load in loads.iter().take(kinds) {
            for &port in item.ports().iter().filter(|port| slower(port)) {
                let playing = Playing {
                    load: load.clone(),
                    begin: begin.clone(),
                    clock: review.clock,
                    port,
                    length: of.length,
                };
                asked.push((state, playing));
            }
        }
    }
    asked
}

/// Words for a message: the drives' capacity is too small for the files of these tests.
pub fn too_small_for(subject: &Subject, tests: &[&str]) -> String {
    format!(
        "it has {}, which is too little for the files of {}",
        decimal(subject.capacity_bytes() as f64, "B"),
        tests.join(", ")
    )
}

/// Returns true if drives have room for the span of a test's jobs, and for the files that its programs use. A load that
/// is wrong on any drive counts as one that fits: its run reports the error.
fn has_room(subject: &Subject, item: &Item, machine: &Testbed) -> bool {
    let fits = |load: &Load| {
        !matches!(
            lab::check(load, subject, machine, Clock::Timed),
            Err(DriverError::Script(ScriptError::BeyondDrive { .. })
                | DriverError::SystemBeyondDrive { .. })
        )
    };
    let is_job = |load: &&Load| matches!(load.what(), What::Job(_));
    has_room_for_jobs(subject, item) && item.loads().iter().filter(|load| !is_job(load)).all(fits)
}

/// Returns true if the whole span of a test's jobs lies on the drive. Several drives are not checked.
fn has_room_for_jobs(subject: &Subject, item: &Item) -> bool {
    let Some(only) = subject.only() else {
        return true;
    };
    let bytes = only.capacity_bytes();
    let fits = |job: &JobSpec| job.resolve(bytes).is_ok_and(|job| job.bytes_beyond == 0);
    let all_fit = |load: &Load| (load.job_file()).is_none_or(|file| file.jobs.iter().all(fits));
    match item.work() {
        // On a part of a drive jobs are cut to it.
        Some(Work::Within(procedure, job)) => procedure.span != Span::Whole || all_fit(job),
        _ => item.loads().iter().all(all_fit),
    }
}

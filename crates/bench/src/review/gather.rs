//! Repeats of a drive's tests as they come in, from any thread, until they are all there.

use super::ReviewError;
use crate::repeats::{Metrics, joined};
use ftlab_result::Run;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// One repeat of all tests on one drive.
#[derive(Debug, Clone, Copy)]
pub struct Unit {
    /// Number of the drive in the plan.
    pub drive: usize,
    /// From 0.
    pub repeat: u32,
}

impl Unit {
    /// The repeats of these drives, those of one drive together: it is done before the next begins.
    pub fn of(drives: impl Iterator<Item = usize>, repeats: u32) -> Vec<Unit> {
        let of_drive = |drive| (0..repeats).map(move |repeat| Unit { drive, repeat });
        drives.flat_map(of_drive).collect()
    }
}

/// What is kept of a test's repeat: a run holds its courses and distributions, and these only once.
enum Kept {
    /// The first run's.
    Whole(Vec<Run>),
    /// The others', run by run.
    Figures(Vec<Metrics>),
}

/// What has come of each repeat of a drive; nothing yet of those that are under way.
struct Ends {
    tests: BTreeMap<String, Vec<Option<Kept>>>,
    drive: Vec<Option<Result<(), ReviewError>>>,
}

/// What has come of each repeat of each drive.
pub struct Repeats {
    /// How often each run is made.
    repeats: u32,
    /// By drive of the plan.
    of_drives: Mutex<Vec<Ends>>,
}

impl Repeats {
    pub fn new(drives: usize, repeats: u32) -> Self {
        let none = || Ends {
            tests: BTreeMap::new(),
            drive: (0..repeats).map(|_| None).collect(),
        };
        Repeats {
            repeats,
            of_drives: Mutex::new((0..drives).map(|_| none()).collect()),
        }
    }

    /// Takes what a repeat of a test gave. With the last one: the test's runs.
    pub fn take(&self, unit: Unit, test: &str, runs: Vec<Run>) -> Option<Vec<Run>> {
        let kept = match unit.repeat {
            0 => Kept::Whole(runs),
            _ => Kept::Figures(runs.into_iter().map(|run| run.metrics).collect()),
        };
        let mut of_drives = self.of_drives.lock().expect("no holder panics");
        let tests = &mut of_drives[unit.drive].tests;
        let none = || (0..self.repeats).map(|_| None).collect();
        let of_test = tests.entry(test.to_owned()).or_insert_with(none);
        of_test[unit.repeat as usize] = Some(kept);
        if of_test.iter().any(Option::is_none) {
            return None;
        }
        Some(together(std::mem::take(of_test)))
    }

    /// Takes how a repeat of a drive ended. With the last one: how the drive did, which is what went wrong in
    /// the first of its repeats that failed, if any did.
    pub fn end(&self, unit: Unit, end: Result<(), ReviewError>) -> Option<Result<(), ReviewError>> {
        let mut of_drives = self.of_drives.lock().expect("no holder panics");
        let ends = &mut of_drives[unit.drive].drive;
        ends[unit.repeat as usize] = Some(end);
        if ends.iter().any(Option::is_none) {
            return None;
        }
        Some(std::mem::take(ends).into_iter().flatten().collect())
    }
}

fn together(repeats: Vec<Option<Kept>>) -> Vec<Run> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for kept in repeats.into_iter().flatten() {
        match kept {
            Kept::Whole(runs) => first = runs,
            Kept::Figures(figures) => others.push(figures),
        }
    }
    joined(first, &others)
}

//! Repeats of a drive's tests as they come in, from any thread, until they are all there.

use super::ReviewError;
use crate::repeats::{Metrics, joined};
use ftlab_result::Run;
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
    pub fn of(drives: &[usize], repeats: u32) -> Vec<Unit> {
        let of_drive = |&drive| (0..repeats).map(move |repeat| Unit { drive, repeat });
        drives.iter().flat_map(of_drive).collect()
    }
}

/// What is kept of a repeat: a run holds its courses and distributions, and these only once.
enum Kept {
    /// Of the first.
    Whole(Vec<Run>),
    /// Of any other, run by run.
    Figures(Vec<Metrics>),
}

/// What has come of the repeats of a drive; nothing yet of those that are under way.
type Ends = Vec<Option<Result<Kept, ReviewError>>>;

/// What has come of each repeat of each drive.
pub struct Repeats {
    /// By drive of the plan.
    of_drives: Mutex<Vec<Ends>>,
}

impl Repeats {
    pub fn new(drives: usize, repeats: u32) -> Self {
        let none = || (0..repeats).map(|_| None).collect();
        Repeats {
            of_drives: Mutex::new((0..drives).map(|_| none()).collect()),
        }
    }

    /// Takes what came of a repeat. With the last one of a drive: the drive's runs, or what went wrong in
    /// the first of its repeats that failed.
    pub fn take(
        &self,
        unit: Unit,
        end: Result<Vec<Run>, ReviewError>,
    ) -> Option<Result<Vec<Run>, ReviewError>> {
        let kept = end.map(|runs| match unit.repeat {
            0 => Kept::Whole(runs),
            _ => Kept::Figures(runs.into_iter().map(|run| run.metrics).collect()),
        });
        let mut of_drives = self.of_drives.lock().expect("no holder panics");
        let ends = &mut of_drives[unit.drive];
        ends[unit.repeat as usize] = Some(kept);
        if ends.iter().any(Option::is_none) {
            return None;
        }
        let all: Result<Vec<Kept>, ReviewError> =
            std::mem::take(ends).into_iter().flatten().collect();
        Some(all.map(together))
    }
}

fn together(repeats: Vec<Kept>) -> Vec<Run> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for kept in repeats {
        match kept {
            Kept::Whole(runs) => first = runs,
            Kept::Figures(figures) => others.push(figures),
        }
    }
    joined(first, &others)
}

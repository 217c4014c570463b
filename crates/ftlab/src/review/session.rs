//! A review under way: keeps each drive that is done, of an interrupted one its tests, and leaves what is done
//! readable however it ends.

use super::kept::Keep;
use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::files::Folder;
use crate::progress::Progress;
use crate::results;
use ftlab_bench::review::{
    self, DriveRuns, Plan, Progress as Step, ReviewError, Watch, result_set,
};
use ftlab_drive::DriveFile;
use ftlab_result::{ResultSet, Run};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a drive that has not ended is not whole.
const INTERRUPTED: &str = "the review was interrupted before this drive was done";

/// A review under way.
pub struct Session {
    plan: Plan,
    folder: Folder,
    keep: Keep,
    /// The call that goes on with it.
    go_on: String,
    progress: Progress,
    so_far: Mutex<SoFar>,
}

/// What has come of it.
struct SoFar {
    /// In the order of the plan.
    drives: Vec<DriveRuns>,
    /// The first drive's file that could not be kept.
    unkept: Option<Failure>,
    /// Whether results and report are written, so that an interruption changes nothing.
    is_over: bool,
}

impl Session {
    pub fn new(
        plan: Plan,
        folder: Folder,
        keep: Keep,
        go_on: String,
        progress: Progress,
    ) -> Session {
        let drives = DriveRuns::of_plan(&plan);
        Session {
            plan,
            folder,
            keep,
            go_on,
            progress,
            so_far: Mutex::new(SoFar {
                drives,
                unkept: None,
                is_over: false,
            }),
        }
    }

    /// Runs what is not kept, and writes results and report; with `resume`, takes what is kept. Drives
    /// that failed are reported beside the results of the others.
    ///
    /// # Errors
    /// When there are no results.
    pub fn run(self, resume: bool) -> Result<(ResultSet, Outcome), Failure> {
        let session = Arc::new(self);
        if resume {
            session.take_up();
        } else {
            session.keep.forget(&session.plan)?;
        }
        let handler = Arc::clone(&session);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let wanted: Vec<Vec<String>> = session.so_far().wanted();
        review::run(&session.plan, &wanted, session.as_ref())?;
        session.end()
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what is kept.
    fn take_up(&self) {
        let mut so_far = self.so_far();
        for (n, drive) in so_far.drives.iter_mut().enumerate() {
            match self.keep.take(&self.plan, n) {
                Ok(tests) => {
                    for (test, runs) in tests {
                        drive.take(&test, runs);
                    }
                    if drive.missing().is_empty() {
                        drive.ended(Ok(()));
                    }
                }
                Err(why) => eprintln!("not taken up: {why}; the drive is run again"),
            }
        }
    }

    /// The result set of what is done.
    fn set(&self, so_far: &SoFar) -> ResultSet {
        let drives = self.plan.drives.iter().zip(&so_far.drives);
        result_set(&self.plan, drives, INTERRUPTED)
    }

    /// Keeps what is done of a drive.
    fn keep(&self, so_far: &SoFar, drive: usize) -> Outcome {
        self.keep
            .keep(&self.plan, drive, &so_far.drives[drive], INTERRUPTED)
    }

    /// Makes what is done readable, and keeps what is done of drives that are under way.
    fn leave(&self, so_far: &SoFar) -> Outcome {
        for drive in so_far.under_way() {
            self.keep(so_far, drive)?;
        }
        results::write(&self.folder, &self.set(so_far))
    }

    /// Everything has run: writes what there is; with it comes what went wrong.
    fn end(&self) -> Result<(ResultSet, Outcome), Failure> {
        self.progress.clear();
        let mut so_far = self.so_far();
        so_far.is_over = true;
        let failed = match failure(&so_far.drives) {
            Err(failure) if so_far.drives.iter().all(DriveRuns::is_empty) => return Err(failure),
            failed => failed,
        };
        let set = self.set(&so_far);
        results::write(&self.folder, &set)?;
        let unkept = so_far.unkept.take().map_or(Ok(()), Err);
        Ok((set, failed.and(unkept)))
    }

    /// Ctrl-C: makes what is done readable, says how to go on, and ends the program.
    fn interrupt(&self) -> ! {
        self.progress.clear();
        // Held to the end: no file is left half written.
        let so_far = self.so_far();
        if !so_far.is_over {
            eprintln!("interrupted: {}", so_far.words(&self.plan.drives));
            if !so_far.drives.iter().all(DriveRuns::is_empty) {
                match self.leave(&so_far) {
                    Ok(()) => eprint!("{}", results::places(self.folder.path())),
                    Err(failure) => failure.say(),
                }
            }
            eprintln!("to go on: {}", self.go_on);
        }
        std::process::exit(EXIT_INTERRUPTED)
    }
}

impl SoFar {
    /// The tests of each drive that are to be run.
    fn wanted(&self) -> Vec<Vec<String>> {
        self.drives.iter().map(DriveRuns::missing).collect()
    }

    /// The drives that are under way.
    fn under_way(&self) -> impl Iterator<Item = usize> {
        let drives = self.drives.iter().enumerate();
        drives
            .filter(|(_, drive)| !drive.has_ended() && !drive.is_empty())
            .map(|(n, _)| n)
    }

    /// How much is done, of these drives.
    fn words(&self, drives: &[DriveFile]) -> String {
        let done = self.drives.iter().filter(|drive| drive.is_whole()).count();
        let mut words = format!("{done} of {} drives are done", self.drives.len());
        for n in self.under_way() {
            let tests = self.drives[n].done().count();
            let all = tests + self.drives[n].missing().len();
            words += &format!(", {tests} of {all} tests of {}", drives[n].slug());
        }
        words
    }
}

/// What went wrong with drives, all of it, in one line.
fn failure(drives: &[DriveRuns]) -> Outcome {
    let errors: Vec<&ReviewError> = drives.iter().filter_map(DriveRuns::error).collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let (failed, all) = (errors.len(), drives.len());
    let mut message = words.join("; ");
    if failed < all {
        message = format!("{failed} of {all} drives failed, the report has the others: {message}");
    }
    Err(if first.is_input() {
        Failure::Input(message)
    } else {
        Failure::Running(message)
    })
}

impl Watch for Session {
    fn ran(&self, step: Step<'_>) {
        let message = format!("{}/{} {}", step.done, step.total, step.label);
        self.progress.set_share(step.share, &message);
    }

    fn tested(&self, drive: usize, test: &str, runs: Vec<Run>) {
        self.so_far().drives[drive].take(test, runs);
    }

    fn ended(&self, drive: usize, end: Result<(), ReviewError>) {
        let mut so_far = self.so_far();
        let mut what = self.plan.drives[drive].slug().to_owned();
        if end.is_err() {
            what += " failed";
        }
        so_far.drives[drive].ended(end);
        if !so_far.drives[drive].is_empty() {
            let kept = self.keep(&so_far, drive);
            so_far.unkept = so_far.unkept.take().or(kept.err());
        }
        // One drive's end is the review's.
        let all = so_far.drives.len();
        if all > 1 {
            let ended = so_far.drives.iter().filter(|drive| drive.has_ended());
            let ended = ended.count();
            self.progress
                .log(&format!("{ended} of {all} drives: {what}"));
        }
    }
}

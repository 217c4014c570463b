//! A review under way: keeps each drive that is done, and leaves what is done readable however it ends.

use super::kept::Keep;
use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::files::Folder;
use crate::progress::Progress;
use crate::results;
use ftlab_bench::review::{Plan, Progress as Step, Review, ReviewError, Watch, result_set};
use ftlab_result::{ResultSet, Run};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a drive of which nothing is known has no runs.
const INTERRUPTED: &str = "the review was interrupted before this drive was done";

/// What came of a drive.
type DriveEnd = Result<Vec<Run>, ReviewError>;

impl SoFar {
    /// How many drives have their runs.
    fn done(&self) -> usize {
        let ends = self.drives.iter().flatten();
        ends.filter(|end| end.is_ok()).count()
    }
}

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
    /// By number of the drive.
    drives: Vec<Option<DriveEnd>>,
    /// The first drive's file that could not be kept.
    unkept: Option<Failure>,
    /// Whether results and report are written, so that an interruption changes nothing.
    is_over: bool,
}

impl Session {
    pub fn new(plan: Plan, folder: Folder, keep: Keep, go_on: String) -> Session {
        let drives = plan.drives.iter().map(|_| None).collect();
        Session {
            plan,
            folder,
            keep,
            go_on,
            progress: Progress::shares(),
            so_far: Mutex::new(SoFar {
                drives,
                unkept: None,
                is_over: false,
            }),
        }
    }

    /// Runs what is not kept, and writes results and report; with `resume`, takes what is kept. Drives
    /// that failed are told of beside the results of the others.
    ///
    /// # Errors
    /// When there are no results.
    pub fn run(self, resume: bool) -> Result<(ResultSet, Outcome), Failure> {
        let session = Arc::new(self);
        if !resume {
            session.keep.forget(&session.plan)?;
        }
        let review = Review::new(&session.plan);
        if resume {
            session.take_up(&review);
        }
        let handler = Arc::clone(&session);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let wanted = session.wanted();
        let watch = Watching {
            session: &session,
            review: &review,
        };
        review.run(&wanted, &watch)?;
        session.end()
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The drives that have not been run.
    fn wanted(&self) -> Vec<usize> {
        let so_far = self.so_far();
        let drives = 0..so_far.drives.len();
        drives.filter(|&n| so_far.drives[n].is_none()).collect()
    }

    fn take_up(&self, review: &Review<'_>) {
        let mut so_far = self.so_far();
        for n in 0..self.plan.drives.len() {
            match self.keep.take(&self.plan, review, n) {
                Ok(runs) => so_far.drives[n] = runs.map(Ok),
                Err(why) => eprintln!("not taken up: {why}; the drive is run again"),
            }
        }
    }

    /// The result set of what is done; `why` says it of a drive of which nothing is known.
    fn set(&self, so_far: &SoFar, why: &str) -> ResultSet {
        let of_drive = |end: &Option<DriveEnd>| match end {
            Some(Ok(runs)) => Ok(runs.clone()),
            Some(Err(error)) => Err(error.to_string()),
            None => Err(why.to_owned()),
        };
        result_set(&self.plan, so_far.drives.iter().map(of_drive).collect())
    }

    /// Everything has run: writes what there is; with it comes what went wrong.
    fn end(&self) -> Result<(ResultSet, Outcome), Failure> {
        self.progress.clear();
        let mut so_far = self.so_far();
        so_far.is_over = true;
        let failed = match failure(&so_far.drives) {
            Err(failure) if so_far.done() == 0 => return Err(failure),
            failed => failed,
        };
        let set = self.set(&so_far, INTERRUPTED);
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
            let (done, all) = (so_far.done(), so_far.drives.len());
            eprintln!("interrupted: {done} of {all} drives are done");
            if done > 0 {
                let set = self.set(&so_far, INTERRUPTED);
                match results::write(&self.folder, &set) {
                    Ok(()) => eprint!("{}", results::places(self.folder.path())),
                    Err(failure) => failure.say(),
                }
            }
            eprintln!("to go on: {}", self.go_on);
        }
        std::process::exit(EXIT_INTERRUPTED)
    }
}

/// What went wrong with drives, all of it, in one line.
fn failure(drives: &[Option<DriveEnd>]) -> Outcome {
    let ends = drives.iter().flatten();
    let errors: Vec<&ReviewError> = ends.filter_map(|end| end.as_ref().err()).collect();
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

/// Hears of the drives of a session.
struct Watching<'a> {
    session: &'a Session,
    review: &'a Review<'a>,
}

impl Watch for Watching<'_> {
    fn ran(&self, step: Step<'_>) {
        let message = format!("{}/{} {}", step.done, step.total, step.label);
        self.session.progress.set_share(step.share, &message);
    }

    fn finished(&self, drive: usize, runs: DriveEnd) {
        let session = self.session;
        let mut so_far = session.so_far();
        let mut what = session.plan.drives[drive].slug().to_owned();
        match &runs {
            Ok(runs) => {
                let kept = session.keep.keep(&session.plan, self.review, drive, runs);
                so_far.unkept = so_far.unkept.take().or(kept.err());
            }
            Err(_) => what += " failed",
        }
        so_far.drives[drive] = Some(runs);
        // One drive's end is the review's.
        let all = so_far.drives.len();
        if all > 1 {
            let ended = so_far.drives.iter().flatten().count();
            session
                .progress
                .log(&format!("{ended} of {all} drives: {what}"));
        }
    }
}

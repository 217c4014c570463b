//! Tests of a plan under way: what is done of its drives is taken up as it comes in, and left readable however it
//! ends.

use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::progress::Progress;
use crate::screen;
use ftlab_base::Blame;
use ftlab_bench::review::{
    self, Devices, DriveRuns, Loaded, Plan, Progress as Step, ReviewError, Visit, Watch,
};
use ftlab_drive::{Device, DriveFile};
use ftlab_play::record::Record;
use ftlab_result::Run;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a drive that has not ended has not all of its runs.
pub const INTERRUPTED: &str = "interrupted before it was done";

/// What a command makes of what is done, and does to drives meanwhile.
pub trait Command: Sized + Send + Sync + 'static {
    /// What it calls the drives of its plan.
    const DRIVES: &'static str = "drives";

    /// Makes what is done readable, and says where it is.
    fn leave(&self, plan: &Plan, ends: &[DriveRuns]) -> Result<String, Failure>;

    /// Nothing more comes of a drive now: keeps what is done of it.
    fn keep(&self, _plan: &Plan, _ends: &[DriveRuns], _drive: usize) -> Outcome {
        Ok(())
    }

    /// What a log calls a drive, if there is one.
    fn log(&self, _plan: &Plan, _drive: usize) -> Option<String> {
        None
    }

    /// The call that goes on with what is kept, if there is one.
    fn go_on(&self) -> Option<&str> {
        None
    }

    /// As [`Watch::ran`].
    fn ran(session: &Session<Self>, step: Step<'_>) {
        let message = format!("{}/{} {}", step.done, step.total, step.label);
        session.progress.set_share(step.share, &message);
    }

    /// As [`Watch::doing`].
    fn doing(_session: &Session<Self>, _drive: usize, _what: &str, _share: Option<f64>) {}

    /// As [`Watch::load`].
    fn load(&self, _file: &DriveFile, _device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        Ok(None)
    }

    /// As [`Watch::before`].
    fn before(
        _session: &Session<Self>,
        _visit: &Visit<'_>,
        _devices: &mut Devices,
    ) -> Result<(), String> {
        Ok(())
    }

    /// As [`Watch::after`].
    fn after(
        _session: &Session<Self>,
        _visit: &Visit<'_>,
        _devices: &mut Devices,
        _record: &Record,
    ) -> Result<(), String> {
        Ok(())
    }
}

/// Tests under way.
pub struct Session<C> {
    pub plan: Plan,
    pub command: C,
    pub progress: Progress,
    so_far: Mutex<SoFar>,
}

/// What has come of them.
struct SoFar {
    /// In the order of the plan.
    ends: Vec<DriveRuns>,
    /// The first drive that could not be kept.
    unkept: Option<Failure>,
    /// Whether everything has run, so that an interruption leaves what is being written alone.
    is_over: bool,
}

impl<C: Command> Session<C> {
    /// The rest of a plan, of which this has come so far.
    pub fn new(plan: Plan, ends: Vec<DriveRuns>, command: C, progress: Progress) -> Arc<Self> {
        Arc::new(Session {
            plan,
            command,
            progress,
            so_far: Mutex::new(SoFar {
                ends,
                unkept: None,
                is_over: false,
            }),
        })
    }

    /// Runs what is missing: what came of each drive, and whether all could be kept.
    ///
    /// # Errors
    /// When nothing can run, or nothing would hear of Ctrl-C.
    pub fn run(self: &Arc<Self>) -> Result<(Vec<DriveRuns>, Outcome), Failure> {
        let handler = Arc::clone(self);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let wanted: Vec<Vec<String>> = self.so_far().ends.iter().map(DriveRuns::missing).collect();
        review::run(&self.plan, &wanted, self.as_ref())?;
        self.progress.clear();
        let mut so_far = self.so_far();
        so_far.is_over = true;
        let kept = so_far.unkept.take().map_or(Ok(()), Err);
        Ok((std::mem::take(&mut so_far.ends), kept))
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ctrl-C: makes what is done readable, says how to go on, and ends the program.
    fn interrupt(&self) -> ! {
        self.progress.clear();
        // Held to the end: nothing comes in while it is written.
        let so_far = self.so_far();
        if !so_far.is_over {
            screen::say(&format!("interrupted: {}\n", self.words(&so_far.ends)));
            if !so_far.ends.iter().all(DriveRuns::is_empty) {
                match self.leave(&so_far.ends) {
                    Ok(places) => screen::say(&places),
                    Err(failure) => failure.say(),
                }
            }
            if let Some(call) = self.command.go_on() {
                screen::say(&format!("to go on: {call}\n"));
            }
        }
        std::process::exit(EXIT_INTERRUPTED)
    }

    /// Makes what is done readable, and keeps what is done of drives that are under way.
    fn leave(&self, ends: &[DriveRuns]) -> Result<String, Failure> {
        for drive in under_way(ends) {
            self.command.keep(&self.plan, ends, drive)?;
        }
        self.command.leave(&self.plan, ends)
    }

    /// How much is done.
    fn words(&self, ends: &[DriveRuns]) -> String {
        let done = ends.iter().filter(|end| end.is_whole()).count();
        let mut words = format!("{done} of {} {} are done", ends.len(), C::DRIVES);
        for drive in under_way(ends) {
            let tests = ends[drive].done().count();
            let all = tests + ends[drive].missing().len();
            let slug = self.plan.drives[drive].slug();
            words += &format!(", {tests} of {all} tests of {slug}");
        }
        words
    }
}

/// The drives that are under way.
fn under_way(ends: &[DriveRuns]) -> impl Iterator<Item = usize> {
    let is_one = |&drive: &usize| !ends[drive].has_ended() && !ends[drive].is_empty();
    (0..ends.len()).filter(is_one)
}

impl<C: Command> Watch for Session<C> {
    fn ran(&self, step: Step<'_>) {
        C::ran(self, step);
    }

    fn tested(&self, drive: usize, test: &str, runs: Vec<Run>) {
        self.so_far().ends[drive].take(test, runs);
    }

    fn ended(&self, drive: usize, end: Result<(), ReviewError>) {
        let mut so_far = self.so_far();
        let failed = if end.is_err() { " failed" } else { "" };
        so_far.ends[drive].ended(end);
        if !so_far.ends[drive].is_empty() {
            let kept = self.command.keep(&self.plan, &so_far.ends, drive);
            so_far.unkept = so_far.unkept.take().or(kept.err());
        }
        // One drive's end is that of all.
        let all = so_far.ends.len();
        if let Some(name) = self.command.log(&self.plan, drive).filter(|_| all > 1) {
            let ended = so_far.ends.iter().filter(|end| end.has_ended()).count();
            self.progress
                .log(&format!("{ended} of {all} {}: {name}{failed}", C::DRIVES));
        }
    }

    fn doing(&self, drive: usize, what: &str, share: Option<f64>) {
        C::doing(self, drive, what, share);
    }

    fn load(&self, file: &DriveFile, device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        self.command.load(file, device)
    }

    fn before(&self, visit: &Visit<'_>, devices: &mut Devices) -> Result<(), String> {
        C::before(self, visit, devices)
    }

    fn after(
        &self,
        visit: &Visit<'_>,
        devices: &mut Devices,
        record: &Record,
    ) -> Result<(), String> {
        C::after(self, visit, devices, record)
    }
}

/// What went wrong with drives, all of it, in one line; `words` says it of one.
///
/// # Errors
/// That, if something did.
pub fn failure(
    ends: &[DriveRuns],
    drives: &str,
    words: impl Fn(usize, &ReviewError) -> String,
) -> Outcome {
    let errors = ends.iter().enumerate();
    let errors = errors.filter_map(|(drive, end)| Some((drive, end.error()?)));
    let errors: Vec<(usize, &ReviewError)> = errors.collect();
    let Some((_, first)) = errors.first() else {
        return Ok(());
    };
    let each = errors.iter().map(|(drive, error)| words(*drive, error));
    let mut message = each.collect::<Vec<_>>().join("; ");
    let (failed, all) = (errors.len(), ends.len());
    if failed < all {
        message = format!("{failed} of {all} {drives} failed, the others are done: {message}");
    }
    Err(Failure::of(first.is_input(), message))
}

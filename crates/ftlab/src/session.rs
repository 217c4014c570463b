//! Cells under way: outcomes are taken up as they come in, and left readable however the session ends.

use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::memory;
use crate::options::Work;
use crate::own;
use crate::progress::Progress;
use crate::screen;
use ftlab_base::Blame;
use ftlab_bench::ask::{Asker, Ends, drives};
use ftlab_bench::review::Batch;
use ftlab_lab::{Cell, Event, Lab, LabError, Store, Subject};
use ftlab_result::ResultSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The option that goes on with what is kept.
const RESUME: &str = "--resume";

/// The reason for which a drive that has not ended lacks runs.
pub const INTERRUPTED: &str = "interrupted before it was done";

/// A command's part of a session: it listens while cells run, and writes their results.
pub trait Command: Send + Sync + 'static {
    /// Makes results readable, and says where they are.
    fn leave(&self, set: &ResultSet) -> Result<String, Failure>;

    /// Hears what happens to a cell, and says how far that is.
    fn hear(
        &self,
        _cell: (usize, &Cell),
        _event: &mut Event<'_>,
        _progress: &Progress,
    ) -> Result<(), LabError> {
        Ok(())
    }

    /// True if the progress line counts the parts that are done.
    fn counts_parts(&self) -> bool {
        true
    }

    /// Returns the log's words for a drive that has ended; none where the command keeps no log of drives.
    fn log(&self, _subject: &Subject) -> Option<String> {
        None
    }
}

/// Outcomes that are kept as they come in.
pub struct Cache {
    pub store: Store,
    /// True if outcomes of an earlier session count.
    pub resumes: bool,
}

/// Cells under way, and their outcomes so far.
pub struct Session<A, C> {
    pub batch: A,
    pub command: C,
    pub progress: Progress,
    /// The command's word for its drives.
    pub called: &'static str,
    /// The cells of each drive.
    drives: Vec<Range<usize>>,
    /// True if outcomes that were there count.
    resumes: bool,
    so_far: Mutex<SoFar>,
}

/// The outcomes so far.
struct SoFar {
    ends: Ends,
    store: Option<Store>,
    /// Numbers of parts of each cell that are done.
    parts: Vec<usize>,
    worth: f64,
    /// The first outcome that could not be kept.
    unkept: Option<Failure>,
    /// True once everything has run, so that an interruption leaves what is being written alone.
    is_over: bool,
}

impl<A: Asker + 'static, C: Command> Session<A, C> {
    /// Cells that are to run, but for those whose outcomes are kept.
    pub fn new(
        batch: A,
        cache: Option<Cache>,
        command: C,
        called: &'static str,
        progress: Progress,
    ) -> Arc<Self> {
        let mut ends = Ends::none(&batch);
        let resumes = cache.as_ref().is_some_and(|cache| cache.resumes);
        let store = cache.map(|cache| cache.store);
        // Outcomes in the store count as ended, so that a resumed session runs the others alone.
        for (n, cell) in batch.cells().iter().enumerate() {
            let there = store.as_ref().and_then(|store| store.outcomes(&cell.id()));
            if let Some(outcomes) = there {
                ends.take(&batch, n, Ok(outcomes));
            }
        }
        let so_far = SoFar {
            parts: vec![0; batch.cells().len()],
            ends,
            store,
            worth: 0.0,
            unkept: None,
            is_over: false,
        };
        Arc::new(Session {
            drives: drives(&batch).into_iter().map(|(_, cells)| cells).collect(),
            batch,
            command,
            progress,
            called,
            resumes,
            so_far: Mutex::new(so_far),
        })
    }

    /// Runs what is missing: how each cell ended, and whether all could be kept.
    ///
    /// # Errors
    /// When nothing can run, or nothing would hear of Ctrl-C.
    pub fn run(self: &Arc<Self>, work: &Work) -> Result<(Ends, Outcome), Failure> {
        let handler = Arc::clone(self);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let lab = Lab::new(work.machine.threads(), work.machine.memory_bytes())?;
        let missing = self.so_far().ends.missing();
        let all = self.batch.cells().len();
        if self.resumes && !missing.is_empty() {
            let there = all - missing.len();
            work.signs
                .tell(&format!("{there} of {all} runs are there already\n"));
        }
        memory::tell(work.signs, lab.most_bytes_of(self.batch.cells(), &missing));
        let costs = missing.iter().map(|&n| self.batch.costs(n));
        let (mut parts, mut worth) = (0, 0.0);
        for costs in costs {
            (parts, worth) = (parts + costs.len(), worth + costs.iter().sum::<f64>());
        }
        let hear = |n: usize, event: Event<'_>| self.hear(n, event, (parts, worth));
        lab.run_some(self.batch.cells(), &missing, &hear)?;
        self.progress.clear();
        let mut so_far = self.so_far();
        so_far.is_over = true;
        let kept = so_far.unkept.take().map_or(Ok(()), Err);
        let ends = std::mem::replace(&mut so_far.ends, Ends::none(&self.batch));
        Ok((ends, kept))
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(
        &self,
        n: usize,
        mut event: Event<'_>,
        (parts, worth): (usize, f64),
    ) -> Result<(), LabError> {
        let cell = (n, &self.batch.cells()[n]);
        self.command.hear(cell, &mut event, &self.progress)?;
        match event {
            Event::Part(label) if self.command.counts_parts() => {
                // Told under the lock, so that nobody hears of less than before.
                let mut so_far = self.so_far();
                let costs = self.batch.costs(n);
                so_far.worth += costs.get(so_far.parts[n]).copied().unwrap_or(0.0);
                so_far.parts[n] += 1;
                let done: usize = so_far.parts.iter().sum();
                let message = format!("{done}/{parts} {label}{}", self.batch.remark(n));
                self.progress.set_share(so_far.worth / worth, &message);
            }
            Event::Done(end) => {
                let mut so_far = self.so_far();
                if let (Ok(outcomes), Some(store)) = (&end, &mut so_far.store) {
                    let kept = store.put(&self.batch.cells()[n].id(), outcomes);
                    let unkept = kept.err().map(|error| Failure::Running(error.to_string()));
                    so_far.unkept = so_far.unkept.take().or(unkept);
                }
                so_far.ends.take(&self.batch, n, end);
                self.tell_of_drive(n, &so_far.ends);
            }
            _ => {}
        }
        Ok(())
    }

    /// Says so when the last cell of a drive has ended; one drive's end is that of all.
    fn tell_of_drive(&self, n: usize, ends: &Ends) {
        let all = self.drives.len();
        let has_ended = |cells: &&Range<usize>| ends.have_ended(Range::clone(cells));
        let drive = self.drives.iter().find(|cells| cells.contains(&n));
        let Some(drive) = drive.filter(has_ended).filter(|_| all > 1) else {
            return;
        };
        if let Some(name) = self.command.log(&self.batch.cells()[n].subject) {
            let ended = self.drives.iter().filter(has_ended).count();
            let failed = match ends.error(drive.clone()) {
                Some(_) => " failed",
                None => "",
            };
            let called = self.called;
            self.progress
                .log(&format!("{ended} of {all} {called}: {name}{failed}"));
        }
    }

    /// Ctrl-C: makes what is done readable, says how to go on, and ends the program.
    fn interrupt(&self) -> ! {
        self.progress.clear();
        // Held to the end: nothing comes in while it is written.
        let so_far = self.so_far();
        if !so_far.is_over {
            screen::say(&format!("interrupted: {}\n", self.words(&so_far.ends)));
            let set = self.batch.set(&so_far.ends, INTERRUPTED);
            if !set.runs.is_empty() {
                match self.command.leave(&set) {
                    Ok(places) => screen::say(&places),
                    Err(failure) => failure.say(),
                }
            }
            if so_far.store.is_some() {
                screen::say(&format!("to go on: {}\n", call_to_go_on()));
            }
        }
        std::process::exit(EXIT_INTERRUPTED)
    }

    /// Renders the number of drives that are done, and of runs of those under way.
    fn words(&self, ends: &Ends) -> String {
        let is_whole = |cells: &&Range<usize>| ends.done(Range::clone(cells)) == cells.len();
        let whole = self.drives.iter().filter(is_whole).count();
        let mut words = format!("{whole} of {} {} are done", self.drives.len(), self.called);
        for cells in &self.drives {
            let (done, all) = (ends.done(cells.clone()), cells.len());
            if (1..all).contains(&done) {
                let slug = self.batch.cells()[cells.start].subject.slug();
                words += &format!(", {done} of {all} runs of {slug}");
            }
        }
        words
    }
}

/// This call, for a shell, so that it goes on with what is kept.
fn call_to_go_on() -> String {
    let words = own::words();
    let words = words.iter().map(|word| word.to_string_lossy().into());
    let mut words: Vec<String> = words.collect();
    if !words.iter().any(|word| word == RESUME) {
        // What follows `--` are words of fio's.
        let end = words.iter().position(|word| word == "--");
        words.insert(end.unwrap_or(words.len()), RESUME.to_owned());
    }
    // No argument of a program holds the one character that cannot be quoted.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

/// Says in one line which drives or variants of a review failed, and why.
///
/// # Errors
/// That, if something did.
pub fn failed(batch: &Batch, ends: &Ends, called: &str) -> Outcome {
    let words = |(drive, error): (usize, &'_ Arc<LabError>)| {
        let name = &batch.review.drives[drive].as_variant().name;
        let words = match name.as_str() {
            "" => error.to_string(),
            swept => format!("{swept}: {error}"),
        };
        (words, error.is_input())
    };
    let errors: Vec<(String, bool)> = batch.errors(ends).map(words).collect();
    let all = batch.review.drives.len();
    let Some((_, is_input)) = errors.first() else {
        return Ok(());
    };
    let each = errors.iter().map(|(words, _)| words.as_str());
    let mut message = each.collect::<Vec<_>>().join("; ");
    let failed = errors.len();
    if failed < all {
        message = format!("{failed} of {all} {called} failed, the others are done: {message}");
    }
    Err(Failure::of(*is_input, message))
}

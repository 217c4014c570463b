//! A comparison under way: what is done is readable, however it ends.

use super::grid::{self, Grid};
use super::sweep::Sweeps;
use super::{CHART, chart};
use crate::failure::{EXIT_INTERRUPTED, Failure};
use crate::files::Folder;
use crate::progress::Progress;
use crate::results;
use crate::variants::{Variant, put_together};
use ftlab_bench::review::{self, DriveRuns, Plan, Progress as Step, ReviewError, Watch};
use ftlab_result::{ResultSet, Run};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why a variant of which nothing is known has no runs.
const INTERRUPTED: &str = "the comparison was interrupted before this variant was done";

/// A comparison under way.
pub struct Session {
    pub plan: Plan,
    pub sweeps: Sweeps,
    /// As many as the plan has drives.
    pub variants: Vec<Variant>,
    /// Metrics to show.
    pub metrics: Vec<String>,
    pub folder: Folder,
    progress: Progress,
    so_far: Mutex<SoFar>,
}

/// What is done of it.
struct SoFar {
    ends: Vec<DriveRuns>,
    /// Whether everything has run, so that an interruption leaves what is being written alone.
    is_over: bool,
}

/// What the variants gave.
pub struct Compared {
    pub set: ResultSet,
    pub grids: Vec<Grid>,
}

impl Session {
    pub fn new(
        plan: Plan,
        sweeps: Sweeps,
        variants: Vec<Variant>,
        metrics: Vec<String>,
        folder: Folder,
        progress: Progress,
    ) -> Session {
        let ends = DriveRuns::of_plan(&plan);
        Session {
            plan,
            sweeps,
            variants,
            metrics,
            folder,
            progress,
            so_far: Mutex::new(SoFar {
                ends,
                is_over: false,
            }),
        }
    }

    /// Runs every variant: what came of each, in their order.
    ///
    /// # Errors
    /// When nothing can run, or nothing would hear of Ctrl-C.
    pub fn run(self: &Arc<Self>) -> Result<Vec<DriveRuns>, Failure> {
        let handler = Arc::clone(self);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let wanted: Vec<Vec<String>> = self.so_far().ends.iter().map(DriveRuns::missing).collect();
        review::run(&self.plan, &wanted, self.as_ref())?;
        self.progress.clear();
        let mut so_far = self.so_far();
        so_far.is_over = true;
        Ok(std::mem::take(&mut so_far.ends))
    }

    /// What the variants gave; those of which nothing is known were interrupted.
    pub fn compared(&self, ends: &[DriveRuns]) -> Compared {
        let (set, of_variants) = put_together(&self.plan, &self.variants, ends, INTERRUPTED);
        let grids = grid::grids(&self.sweeps, &of_variants, &set.tests, &self.metrics);
        Compared { set, grids }
    }

    /// Writes results and report, and the chart if there is anything to draw.
    pub fn write(&self, compared: &Compared) -> Result<(), Failure> {
        results::write(&self.folder, &compared.set)?;
        if compared.grids.is_empty() {
            return Ok(());
        }
        let svg = chart::draw(&self.plan.drives[0], &self.sweeps, &compared.grids);
        self.folder.write(&[(CHART, svg.as_bytes())])
    }

    /// Where they are.
    pub fn places(&self, compared: &Compared) -> String {
        let others = results::places(self.folder.path());
        if compared.grids.is_empty() {
            return others;
        }
        let chart = self.folder.join(CHART);
        format!("Chart:   {}\n{others}", chart.display())
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ctrl-C: makes what is done readable, and ends the program.
    fn interrupt(&self) -> ! {
        self.progress.clear();
        // Held to the end: nothing comes in while it is written.
        let so_far = self.so_far();
        if !so_far.is_over {
            let done = so_far.ends.iter().filter(|end| end.is_whole()).count();
            let all = so_far.ends.len();
            eprintln!("interrupted: {done} of {all} variants are done");
            if !so_far.ends.iter().all(DriveRuns::is_empty) {
                let compared = self.compared(&so_far.ends);
                match self.write(&compared) {
                    Ok(()) => eprint!("{}", self.places(&compared)),
                    Err(failure) => failure.say(),
                }
            }
        }
        std::process::exit(EXIT_INTERRUPTED)
    }
}

impl Watch for Session {
    fn ran(&self, step: Step<'_>) {
        let message = format!("{}/{} {}", step.done, step.total, step.label);
        self.progress.set_share(step.share, &message);
    }

    fn tested(&self, variant: usize, test: &str, runs: Vec<Run>) {
        self.so_far().ends[variant].take(test, runs);
    }

    fn ended(&self, variant: usize, end: Result<(), ReviewError>) {
        let mut so_far = self.so_far();
        so_far.ends[variant].ended(end);
        let all = so_far.ends.len();
        let ended = so_far.ends.iter().filter(|end| end.has_ended()).count();
        let name = &self.variants[variant].name;
        self.progress
            .log(&format!("{ended} of {all} variants: {name}"));
    }
}

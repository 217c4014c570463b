//! The start of a run: a state to prepare, or one that was saved.

use crate::failure::{Failure, Outcome};
use crate::files::{self, NewFile, Replaces};
use crate::options;
use crate::provenance;
use clap::Args;
use ftlab_bench::review::Review;
use ftlab_drive::saved::{self, Origin};
use ftlab_lab::{Devices, LabError, Saved, Visit};
use ftlab_play::driver::Clock;
use ftlab_play::load::What;
use ftlab_sheet::magic;
use ftlab_states::State;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Advice for a preparation that takes long.
const QUICKER: &str = "--state steady-fast is quicker; --save-state keeps it for the next time";

#[derive(Debug, Clone, Args)]
pub struct StartOptions {
    /// State of the drive before the run
    #[arg(long, default_value = State::Filled.name(), value_parser = options::state())]
    state: State,
    /// Start from a state saved before, of the same drive with the same settings, instead of
    /// preparing one
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    from_state: Option<PathBuf>,
    /// Save the drive as the job finds it: prepared, before the first command
    #[arg(long, value_name = "FILE")]
    save_state: Option<PathBuf>,
    /// Save the drive as the job leaves it; after a job with a clock it is flushed first
    #[arg(long, value_name = "FILE")]
    save_after: Option<PathBuf>,
    /// Let what is saved take the place of states that are there; nothing else is ever replaced by one
    #[arg(long)]
    replace: bool,
}

/// The files to save to.
pub struct Targets {
    before: Option<NewFile>,
    after: Option<NewFile>,
}

impl StartOptions {
    /// The state that drives are brought to.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns advice on a quicker preparation, where there is one.
    pub fn advice(&self) -> Option<&'static str> {
        let prepares = self.from_state.is_none();
        (prepares && self.state() == State::Steady).then_some(QUICKER)
    }

    /// Checks that what is to be saved or loaded is of one drive.
    pub fn check(&self, review: &Review) -> Outcome {
        let drives: usize = (review.drives.iter())
            .map(|subject| subject.members().len())
            .sum();
        let saves = self.save_state.is_some() || self.save_after.is_some();
        let wrong = |why: &str| Err(Failure::Input(why.to_owned()));
        if saves && review.repeats > 1 {
            return wrong(
                "--repeats makes the run on several drives, and --save-state and --save-after save one; leave out \
                 one or the other",
            );
        }
        if saves && drives * review.loads.len() > 1 {
            return wrong(
                "--save-state and --save-after save one drive, under one load; give one of each, or leave them out",
            );
        }
        if self.from_state.is_some() && drives > 1 {
            return wrong(
                "--from-state: a saved state is that of one drive with its settings; give one drive, or leave it out",
            );
        }
        if self.replace && !saves {
            return wrong(
                "--replace is for --save-state and --save-after: give one of them, or leave it out",
            );
        }
        Ok(())
    }

    /// Tries the files to save to, before any work is done for them.
    pub fn targets(&self) -> Result<Targets, Failure> {
        let replaces = Replaces::Same {
            kind: magic::Kind::SavedState,
            asked: self.replace,
        };
        let ready = |path: &Option<PathBuf>, option| {
            let path = path.as_deref();
            path.map(|path| NewFile::ready_for(path, option, replaces))
                .transpose()
        };
        Ok(Targets {
            before: ready(&self.save_state, "--save-state")?,
            after: ready(&self.save_after, "--save-after")?,
        })
    }

    /// The saved drive to start from, if one is.
    pub fn saved(&self) -> Result<Option<Saved>, Failure> {
        let Some(path) = &self.from_state else {
            return Ok(None);
        };
        let file = path.display().to_string();
        let mut from = files::open(path, "a state saved with --save-state")?;
        let bytes = saved::whole(&mut from)
            .map_err(|error| Failure::Input(format!("cannot start from {file}: {error}")))?;
        let bytes = Arc::from(bytes);
        Ok(Some(Saved { file, bytes }))
    }
}

/// Makes of a failure beside a load the error that ends its run.
pub fn refused(failure: Failure) -> LabError {
    match failure {
        Failure::Input(why) | Failure::Running(why) | Failure::Verdict(why) => {
            LabError::Refused(why)
        }
        Failure::PipeClosed => LabError::Refused("nobody reads it".to_owned()),
    }
}

impl Targets {
    /// Tells if the drive is to be saved after its load.
    pub fn wants_after(&self) -> bool {
        self.after.is_some()
    }

    /// Saves the drive before its load, if that is asked for.
    pub fn save_before(&self, visit: Visit<'_>, devices: &Devices) -> Result<(), Failure> {
        match &self.before {
            Some(file) => Ok(file.write(&saved::write(&origin(visit), devices[0].as_ref()))?),
            None => Ok(()),
        }
    }

    /// Saves the drive after its load, if that is asked for.
    pub fn save_after(&self, visit: Visit<'_>, devices: &Devices) -> Result<(), Failure> {
        let Some(file) = &self.after else {
            return Ok(());
        };
        let path = Path::new(visit.playing.load.name());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut origin = origin(visit);
        origin.version = provenance::version().to_owned();
        origin.state = format!("{} + {name}", origin.state);
        origin.steps.push(step(visit, &name));
        Ok(file.write(&saved::write(&origin, devices[0].as_ref()))?)
    }
}

/// Returns the history of a drive before its load.
fn origin(visit: Visit<'_>) -> Origin {
    match visit.loaded {
        Some(loaded) => loaded.origin.clone(),
        None => {
            let steps = visit.steps.to_vec();
            let version = provenance::version();
            Origin::new(
                version,
                visit.cell.subject.first(),
                visit.playing.begin.state.name(),
                steps,
                visit.cell.seed.0,
            )
        }
    }
}

/// Returns the words for a load as a step of the drive's history.
fn step(visit: Visit<'_>, name: &str) -> String {
    let seed = visit.cell.seed.0;
    match (visit.playing.load.what(), visit.playing.clock) {
        (What::Job(_), Clock::Timed) => {
            format!("Then the job file {name} with seed {seed}, and a flush.")
        }
        (What::Job(_), Clock::Untimed) => {
            format!("Then the job file {name} with seed {seed}, without a clock.")
        }
        (What::Script(_), _) => format!(
            "Then the script {name} with seed {seed}, and a flush; what the operating system had yet to write \
             back is lost."
        ),
        (What::Recording(_), Clock::Untimed) => format!("Then the trace {name}, without a clock."),
        (What::Recording(_), Clock::Timed) => format!("Then the trace {name}, and a flush."),
        (What::Trace(_), _) => format!("Then the trace {name} with seed {seed}, and a flush."),
    }
}

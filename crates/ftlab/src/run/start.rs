//! What a run starts from: a state to prepare, or one that was saved.

use crate::cli::StateName;
use crate::failure::Failure;
use crate::files::{self, NewFile};
use crate::progress::Progress;
use crate::provenance;
use clap::Args;
use ftlab_base::{Content, RootSeed};
use ftlab_drive::saved::{self, Origin};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_play::states::{Settling, State};
use ftlab_play::{states, streams};
use std::path::PathBuf;

/// What to do about a preparation that takes long.
const QUICKER: &str = "--state steady-fast is quicker; --save-state keeps it for the next time";

#[derive(Debug, Clone, Args)]
pub struct StartOptions {
    /// What the drive has been through
    #[arg(long, value_enum, default_value_t = StateName::Filled)]
    state: StateName,
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
}

/// Where a drive comes from.
pub struct Start {
    /// Name of its state, of where it comes from, and its seed.
    pub origin: Origin,
    /// How it settled, if it was prepared here to be steady.
    pub settling: Option<Settling>,
    /// The file it was loaded from.
    pub file: Option<PathBuf>,
}

/// The files to save to.
pub struct Targets {
    before: Option<NewFile>,
    after: Option<NewFile>,
}

impl StartOptions {
    /// Whether the drive is to be saved, before or after.
    pub fn saves(&self) -> bool {
        self.save_state.is_some() || self.save_after.is_some()
    }

    /// Tries the files to save to, before any work is done for them.
    pub fn targets(&self) -> Result<Targets, Failure> {
        if self.save_state.is_some() && self.save_state == self.save_after {
            return Err(Failure::Input(
                "--save-state and --save-after name the same file; give two".to_owned(),
            ));
        }
        let ready = |path: &Option<PathBuf>, option| {
            let path = path.as_deref();
            path.map(|path| NewFile::ready(path, option)).transpose()
        };
        Ok(Targets {
            before: ready(&self.save_state, "--save-state")?,
            after: ready(&self.save_after, "--save-after")?,
        })
    }

    /// Brings a drive fresh from its file to where the job starts.
    pub fn prepare(
        &self,
        drive: &DriveFile,
        device: &mut dyn Device,
        seed: u64,
        progress: &Progress,
    ) -> Result<Start, Failure> {
        if let Some(path) = &self.from_state {
            progress.say("loading");
            let mut from = files::open(path, "a state saved with --save-state")?;
            let origin = saved::read(&mut from, drive, device).map_err(|error| {
                Failure::Input(format!("cannot start from {}: {error}", path.display()))
            })?;
            return Ok(Start {
                origin,
                settling: None,
                file: Some(path.clone()),
            });
        }
        let state = State::from(self.state);
        let settling = match drive.kind() {
            Kind::Ssd => {
                let seed = streams::drive_seed(RootSeed(seed), drive.slug());
                progress.advise((state == State::Steady).then_some(QUICKER));
                let watch = |what: &str, share| progress.say_share(what, share);
                let way = (State::New, state);
                let settling = states::prepare_with(device, way, seed, Content::RANDOM, &watch)?;
                progress.advise(None);
                settling
            }
            Kind::Disk | Kind::Ram => None,
        };
        let steps = states::steps(drive.kind(), state, settling.as_ref());
        Ok(Start {
            origin: Origin::new(provenance::version(), drive, state.name(), steps, seed),
            settling,
            file: None,
        })
    }
}

impl Start {
    /// Whether the drive's garbage collection had settled.
    pub fn has_settled(&self) -> bool {
        let state = State::named(&self.origin.state);
        state.is_some_and(|state| state.has_settled(self.settling.as_ref()))
    }
}

impl Targets {
    /// Saves the drive before the job, if that is asked for.
    pub fn save_before(&self, start: &Start, device: &dyn Device) -> Result<(), Failure> {
        match &self.before {
            Some(file) => file.write(&saved::write(&start.origin, device)),
            None => Ok(()),
        }
    }

    /// Whether the drive is to be saved after the job.
    pub fn wants_after(&self) -> bool {
        self.after.is_some()
    }

    /// Saves the drive after the job, if that is asked for; `step` is what the job did.
    pub fn save_after(
        &self,
        start: &Start,
        step: String,
        job: &str,
        device: &dyn Device,
    ) -> Result<(), Failure> {
        let Some(file) = &self.after else {
            return Ok(());
        };
        let mut origin = start.origin.clone();
        origin.version = provenance::version().to_owned();
        origin.state = format!("{} + {job}", origin.state);
        origin.steps.push(step);
        file.write(&saved::write(&origin, device))
    }
}

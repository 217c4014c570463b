//! What every run begins and ends with, whatever it runs: a drive that is prepared, and saved.

use super::Options;
use super::load::Load;
use super::start::{Start, Targets};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use ftlab_base::{RootSeed, SimTime};
use ftlab_drive::{Catalog, Device, DriveFile};
use ftlab_host::Testbed;
use ftlab_play::driver::Clock;
use ftlab_play::{states, streams};

/// A drive in the state that a run starts from.
pub struct Prepared {
    pub drive: DriveFile,
    pub testbed: Testbed,
    pub device: Box<dyn Device>,
    pub start: Start,
    /// What runs, by the name of its file: a label that changes no number.
    pub name: String,
    /// Root of the requests' random streams.
    pub seed: RootSeed,
    targets: Targets,
    /// Says how far the run is.
    pub progress: Progress,
}

impl Prepared {
    /// Builds the drive of the options and brings it to its state, if the load fits it: nothing is made and
    /// filled in vain.
    pub fn new(
        options: &Options,
        testbed: Testbed,
        load: &Load,
        clock: Clock,
    ) -> Result<Prepared, Failure> {
        let drive = Catalog::load(&options.drive, &options.settings)?;
        if options.smart && drive.smart_vendor().is_none() {
            return Err(Failure::Input(format!(
                "--smart: the drive file of {} does not say whose attributes it reports; add [smart] \
                 with vendor, or --set smart.vendor=intel",
                drive.slug()
            )));
        }
        load.check(drive.capacity_bytes(), &testbed, clock)?;
        let targets = options.start.targets()?;
        let progress = options.signs.spinner("preparing");
        let root = RootSeed(options.seed);
        let mut device = drive.build(&testbed, streams::drive_seed(root, drive.slug()))?;
        let start = options
            .start
            .prepare(&drive, device.as_mut(), options.seed, &progress)?;
        device.rest(24.0 * options.rest_days, options.rest_celsius);
        targets.save_before(&start, device.as_ref())?;
        progress.say("running");
        Ok(Prepared {
            seed: streams::seed_of_text(root, &load.text),
            drive,
            testbed,
            device,
            start,
            name: load.name.clone(),
            targets,
            progress,
        })
    }

    /// Saves the drive as the run has left it, if that is asked for: after a flush once it has
    /// `ended`, if it had a clock. `step` is what the run did, `failed` why it ended early.
    pub fn save_after(&mut self, failed: Outcome, ended: Option<SimTime>, step: String) -> Outcome {
        if !self.targets.wants_after() {
            return Ok(());
        }
        failed?;
        self.progress.say("saving");
        if let Some(ended) = ended {
            states::come_to_rest(self.device.as_mut(), ended)?;
        }
        let (start, device) = (&self.start, self.device.as_ref());
        self.targets.save_after(start, step, &self.name, device)
    }
}

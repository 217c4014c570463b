//! What every run begins and ends with, whatever it runs: a drive that is prepared, and saved.

use super::Options;
use super::start::{Start, Targets};
use crate::failure::{Failure, Outcome};
use crate::health::{SmartRow, smart, smart_table};
use crate::progress::Progress;
use ftlab_base::{RootSeed, SimTime};
use ftlab_drive::{Catalog, Device, DriveFile, Testbed};
use ftlab_play::driver::DriverError;
use ftlab_play::{states, streams};
use std::ffi::OsStr;

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
    /// Builds the drive of the options and brings it to its state. What runs has this name and text;
    /// `check` says of the drive's bytes whether it fits them, before the drive is made and filled for nothing.
    pub fn new(
        options: &Options,
        testbed: Testbed,
        (name, text): (Option<&OsStr>, &str),
        check: &dyn Fn(u64, &Testbed) -> Result<(), DriverError>,
    ) -> Result<Prepared, Failure> {
        let drive = Catalog::load(&options.drive, &options.settings)?;
        if options.smart && drive.smart_vendor().is_none() {
            return Err(Failure::Input(format!(
                "--smart: the drive file of {} does not say whose attributes it reports; add [smart] \
                 with vendor, or --set smart.vendor=intel",
                drive.slug()
            )));
        }
        check(drive.capacity_bytes(), &testbed)?;
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
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        Ok(Prepared {
            seed: streams::seed_of_text(root, text),
            drive,
            testbed,
            device,
            start,
            name,
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

    /// The drive's SMART attributes, if its file says whose.
    pub fn smart(&self) -> Option<Vec<SmartRow>> {
        Some(smart(self.drive.smart_vendor()?, &self.device.health()?))
    }

    /// The same as a table below a text, if it was asked for.
    pub fn smart_below(&self, options: &Options) -> String {
        let rows = self.smart().filter(|_| options.smart);
        rows.map_or(String::new(), |rows| format!("\n{}", smart_table(&rows)))
    }
}

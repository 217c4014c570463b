//! Cases as they run: a drive is prepared once for each state, and each case gets a copy of its own.

use super::case::{Case, run};
use super::{Length, ReviewError};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_play::driver::DriverError;
use ftlab_play::record::Record;
use ftlab_play::states::{self, Settling, State};
use ftlab_play::streams::drive_seed;
use ftlab_play::watch;
use rayon::prelude::*;
use std::sync::Mutex;

/// A drive whose cases run.
pub struct FromStates<'a> {
    /// The drive.
    pub file: &'a DriveFile,
    /// Of all streams.
    pub root: RootSeed,
    /// How long jobs run.
    pub length: Length,
    /// The machine of that name.
    pub machine: &'a (dyn Fn(&str) -> Result<Testbed, ReviewError> + Sync),
}

/// What a case came to.
pub struct Ran {
    /// What ran, in words.
    pub label: String,
    /// Its result.
    pub record: Record,
    /// How the drive settled before, if its state is one to settle in.
    pub settling: Option<Settling>,
}

/// What takes each case by its number, from any thread.
pub type Take<'a> = dyn Fn(usize, Ran) -> Result<(), ReviewError> + Sync + 'a;

impl FromStates<'_> {
    /// Runs cases, those of a state in parallel. `ran` takes each as soon as it is done, by its number.
    pub fn run(&self, cases: &[Case], ran: &Take<'_>) -> Result<(), ReviewError> {
        // Drives are prepared once with each kind of data.
        let mut left: Vec<usize> = (0..cases.len()).collect();
        while let Some(&first) = left.first() {
            let before = cases[first].before;
            let (now, later): (Vec<usize>, Vec<usize>) =
                left.into_iter().partition(|&n| cases[n].before == before);
            self.run_alike(before, cases, &now, ran)?;
            left = later;
        }
        Ok(())
    }

    /// Runs cases that begin with a drive prepared with the same data.
    fn run_alike(
        &self,
        before: Content,
        cases: &[Case],
        alike: &[usize],
        ran: &Take<'_>,
    ) -> Result<(), ReviewError> {
        let seed = drive_seed(self.root, self.file.slug());
        let machine = (self.machine)(&cases[alike[0]].testbed)?;
        let mut device = self.build(seed, &machine)?;
        let mut reached = State::New;
        for state in State::ALL {
            let here: Vec<usize> = (alike.iter().copied())
                .filter(|&n| cases[n].state == state)
                .collect();
            if here.is_empty() {
                continue;
            }
            let mut settling = None;
            if self.file.kind() == Kind::Ssd {
                if !reached.leads_to(state) {
                    device = self.build(seed, &machine)?;
                    reached = State::New;
                }
                let prepared = states::prepare_with(
                    device.as_mut(),
                    (reached, state),
                    seed,
                    before,
                    &watch::nobody,
                );
                settling = prepared.map_err(|error| ReviewError::Prepare {
                    drive: self.file.slug().to_owned(),
                    error,
                })?;
                reached = state;
            }
            let prepared = Mutex::new(&mut device);
            let record = |&n: &usize| {
                let copy = prepared.lock().expect("no holder panics").snapshot();
                let (label, record) = self.record(copy, &cases[n])?;
                let settling = settling.clone();
                let record = match state.has_settled(settling.as_ref()) {
                    true => record.begun_settled(),
                    false => record,
                };
                ran(
                    n,
                    Ran {
                        label,
                        record,
                        settling,
                    },
                )
            };
            // All of them, in order: which error is reported must not depend on the threads.
            let ends: Vec<Result<(), ReviewError>> = here.par_iter().map(record).collect();
            ends.into_iter().collect::<Result<(), ReviewError>>()?;
        }
        Ok(())
    }

    fn build(&self, seed: RootSeed, machine: &Testbed) -> Result<Box<dyn Device>, ReviewError> {
        let built = self.file.build(machine, seed);
        built.map_err(|error| ReviewError::Drive {
            drive: self.file.slug().to_owned(),
            error,
        })
    }

    /// Runs a case: what ran, and what it came to.
    fn record(
        &self,
        mut device: Box<dyn Device>,
        case: &Case,
    ) -> Result<(String, Record), ReviewError> {
        let name = case.load.name();
        let port = case
            .port
            .map_or(String::new(), |port| format!(", {}", port.name()));
        let label = format!("{} {name} ({}{port})", self.file.slug(), case.state.name());
        let machine = (self.machine)(&case.testbed)?;
        device.plug(&match case.port {
            None => machine.host(),
            port => machine.on(port),
        });
        let seed = case.load.seed(self.root);
        let record = run(&case.load, device.as_mut(), &machine, self.length, seed);
        let record = record.map_err(|error: DriverError| ReviewError::Run {
            run: label.clone(),
            error: Box::new(error),
        })?;
        Ok((label, record))
    }
}

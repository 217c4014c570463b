//! Cases as they run: a drive is prepared once for each state, and each case gets a copy of its own.

use super::case::{Case, How, run};
use super::{Length, ReviewError, Visit, Watch};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::saved::Origin;
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_play::driver::{Clock, DriverError};
use ftlab_play::record::Record;
use ftlab_play::states::{self, Settling, State};
use ftlab_play::streams::drive_seed;
use rayon::prelude::*;
use std::sync::Mutex;

/// A drive whose cases run.
pub struct FromStates<'a> {
    /// The drive.
    pub file: &'a DriveFile,
    /// All streams.
    pub root: RootSeed,
    /// How long jobs run.
    pub length: Length,
    /// With a clock or without.
    pub clock: Clock,
    /// What hears of it, and the number that it knows the drive by.
    pub watch: (usize, &'a dyn Watch),
    /// The machine of that name.
    pub machine: &'a (dyn Fn(&str) -> Result<Testbed, ReviewError> + Sync),
}

/// What a case gave.
pub struct Ran {
    /// What ran, in words.
    pub label: String,
    /// Its result.
    pub record: Record,
    /// How the drive came to where it began.
    pub begun: Begun,
}

/// How a drive came to where its cases begin.
#[derive(Debug, Clone, Default)]
pub struct Begun {
    /// How it settled, if its state is one to settle in.
    pub settling: Option<Settling>,
    /// Where it was loaded from, if it was not prepared.
    pub loaded: Option<Loaded>,
}

/// A saved drive that was loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its file, as it was given.
    pub file: String,
    /// What it had been through.
    pub origin: Origin,
}

impl Begun {
    /// Whether garbage collection had settled on a drive that was to begin in a state.
    fn has_settled(&self, state: State) -> bool {
        match &self.loaded {
            None => state.has_settled(self.settling.as_ref()),
            Some(loaded) => State::named(&loaded.origin.state).is_some_and(|s| s.has_settled(None)),
        }
    }

    /// What the drive had been through, in words; `before` is what was written on the way to the state.
    pub fn steps(&self, kind: Kind, state: State, before: Content) -> Vec<String> {
        if let Some(loaded) = &self.loaded {
            return loaded.origin.steps.clone();
        }
        let mut steps = states::steps(kind, state, self.settling.as_ref());
        if before != Content::RANDOM {
            steps.push(WRITTEN_ALIKE.to_owned());
        }
        steps
    }
}

/// How a drive was prepared for a test of data that compress.
pub(super) const WRITTEN_ALIKE: &str =
    "All of that with data as compressible as those of the test.";

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
        let (mut reached, mut done) = (State::New, 0);
        for state in State::ALL {
            let here: Vec<usize> = (alike.iter().copied())
                .filter(|&n| cases[n].state == state)
                .collect();
            if here.is_empty() {
                continue;
            }
            let mut begun = Begun {
                settling: None,
                loaded: (self.watch.1.load(self.file, device.as_mut()))
                    .map_err(ReviewError::Refused)?,
            };
            if self.file.kind() == Kind::Ssd && begun.loaded.is_none() {
                if !reached.leads_to(state) {
                    device = self.build(seed, &machine)?;
                    reached = State::New;
                }
                let prepared = states::prepare_with(
                    device.as_mut(),
                    (reached, state),
                    seed,
                    before,
                    &|what, share| self.watch.1.doing(self.watch.0, what, share),
                );
                begun.settling = prepared.map_err(|error| ReviewError::Prepare {
                    drive: self.file.slug().to_owned(),
                    error,
                })?;
                reached = state;
            }
            done += here.len();
            // Nobody else needs the last one.
            if here.len() == 1 && done == alike.len() {
                return ran(here[0], self.case(device, &cases[here[0]], begun)?);
            }
            let prepared = Mutex::new(&mut device);
            let case = |&n: &usize| {
                let copy = prepared.lock().expect("no holder panics").snapshot();
                ran(n, self.case(copy, &cases[n], begun.clone())?)
            };
            // All of them, in order: which error is reported must not depend on the threads.
            let ends: Vec<Result<(), ReviewError>> = here.par_iter().map(case).collect();
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

    /// Runs a case on a drive of its own.
    fn case(
        &self,
        mut device: Box<dyn Device>,
        case: &Case,
        begun: Begun,
    ) -> Result<Ran, ReviewError> {
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
        let (drive, watch) = self.watch;
        let visit = Visit {
            drive,
            file: self.file,
            load: &case.load,
            root: self.root,
            state: case.state,
            steps: &begun.steps(self.file.kind(), case.state, case.before),
            loaded: begun.loaded.as_ref(),
        };
        (watch.before(&visit, device.as_mut())).map_err(ReviewError::Refused)?;
        let how = How {
            length: self.length,
            clock: self.clock,
            seed: case.load.seed(self.root),
            has_settled: begun.has_settled(case.state),
            watch: &|what, share| watch.doing(drive, what, share),
        };
        let record = run(&case.load, self.file, device.as_mut(), &machine, &how);
        let record = record.map_err(|error: DriverError| ReviewError::Run {
            run: label.clone(),
            error: Box::new(error),
        })?;
        (watch.after(&visit, device.as_mut(), &record)).map_err(ReviewError::Refused)?;
        Ok(Ran {
            label,
            record,
            begun,
        })
    }
}

//! Cases as they run: a drive is prepared once for each state, and each case gets a copy of its own.

use super::case::{Case, How, run};
use super::subject::{Devices, Member, Subject};
use super::{Length, ReviewError, Visit, Watch};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::Kind;
use ftlab_drive::saved::Origin;
use ftlab_host::Testbed;
use ftlab_play::driver::{Clock, DriverError};
use ftlab_play::record::Record;
use ftlab_play::states::{self, Settling, State};
use rayon::prelude::*;
use std::sync::Mutex;

/// A subject whose cases run.
pub struct FromStates<'a> {
    /// The drive, or the drives.
    pub subject: &'a Subject,
    /// All streams.
    pub root: RootSeed,
    /// How long jobs run.
    pub length: Length,
    /// With a clock or without.
    pub clock: Clock,
    /// What hears of it, and the number that it knows the subject by.
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
    /// How each drive came to where it began.
    pub begun: Vec<Begun>,
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
    fn steps(&self, kind: Kind, state: State, before: Content) -> Vec<String> {
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

/// What the drives of a subject had been through, in words, those of one after the other.
pub fn steps(subject: &Subject, begun: &[Begun], state: State, before: Content) -> Vec<String> {
    let of = |(member, begun): (&Member, &Begun)| {
        let steps = begun.steps(member.file.kind(), state, before);
        match member.name.as_str() {
            "" => steps,
            name => vec![format!("{name}: {}", steps.join(" "))],
        }
    };
    subject.members().iter().zip(begun).flat_map(of).collect()
}

/// How a drive was prepared for a test of data that compress.
pub(super) const WRITTEN_ALIKE: &str =
    "All of that with data as compressible as those of the test.";

/// What takes how each case ended by its number, from any thread. What it makes an error of ends the run once the
/// cases of the same state are done.
pub type Take<'a> = dyn Fn(usize, Result<Ran, ReviewError>) -> Result<(), ReviewError> + Sync + 'a;

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
        let machine = (self.machine)(&cases[alike[0]].testbed)?;
        let mut devices = self.build(&machine)?;
        let (mut reached, mut done) = (State::New, 0);
        for state in State::ALL {
            let here: Vec<usize> = (alike.iter().copied())
                .filter(|&n| cases[n].state == state)
                .collect();
            if here.is_empty() {
                continue;
            }
            if !reached.leads_to(state) {
                devices = self.build(&machine)?;
                reached = State::New;
            }
            let begun = self.prepare(&mut devices, (reached, state), before)?;
            reached = state;
            done += here.len();
            // Nobody else needs the last ones.
            if here.len() == 1 && done == alike.len() {
                return ran(here[0], self.case(devices, &cases[here[0]], begun));
            }
            let prepared = Mutex::new(&mut devices);
            let case = |&n: &usize| {
                let prepared = prepared.lock().expect("no holder panics");
                let copies = prepared.iter().map(|device| device.snapshot()).collect();
                drop(prepared);
                ran(n, self.case(copies, &cases[n], begun.clone()))
            };
            // All of them, in order: which error is reported must not depend on the threads.
            let ends: Vec<Result<(), ReviewError>> = here.par_iter().map(case).collect();
            ends.into_iter().collect::<Result<(), ReviewError>>()?;
        }
        Ok(())
    }

    /// Brings the drives of flash from one state to the next, or loads them with what was saved.
    fn prepare(
        &self,
        devices: &mut Devices,
        from_to: (State, State),
        before: Content,
    ) -> Result<Vec<Begun>, ReviewError> {
        let (number, watch) = self.watch;
        let mut begun = Vec::new();
        for (member, device) in self.subject.members().iter().zip(devices) {
            let loaded = watch.load(&member.file, device.as_mut());
            let loaded = loaded.map_err(ReviewError::Refused)?;
            let mut settling = None;
            if member.file.kind() == Kind::Ssd && loaded.is_none() {
                let tell = |what: &str, share| match member.name.as_str() {
                    "" => watch.doing(number, what, share),
                    name => watch.doing(number, &format!("{name}: {what}"), share),
                };
                let seed = self.subject.seed(member, self.root);
                let prepared = states::prepare_with(device.as_mut(), from_to, seed, before, &tell);
                settling = prepared.map_err(|error| ReviewError::Prepare {
                    drive: member.file.slug().to_owned(),
                    error,
                })?;
            }
            begun.push(Begun { settling, loaded });
        }
        Ok(begun)
    }

    fn build(&self, machine: &Testbed) -> Result<Devices, ReviewError> {
        let built = self.subject.build(machine, self.root);
        built.map_err(|error| ReviewError::Drive {
            drive: self.subject.slug().to_owned(),
            error,
        })
    }

    /// Runs a case on drives of its own.
    fn case(
        &self,
        mut devices: Devices,
        case: &Case,
        begun: Vec<Begun>,
    ) -> Result<Ran, ReviewError> {
        let name = case.load.name();
        let port = case
            .port
            .map_or(String::new(), |port| format!(", {}", port.name()));
        let label = format!(
            "{} {name} ({}{port})",
            self.subject.slug(),
            case.state.name()
        );
        let machine = (self.machine)(&case.testbed)?;
        for device in &mut devices {
            device.plug(&match case.port {
                None => machine.host(),
                port => machine.on(port),
            });
        }
        let (drive, watch) = self.watch;
        let visit = Visit {
            drive,
            subject: self.subject,
            load: &case.load,
            root: self.root,
            state: case.state,
            steps: &steps(self.subject, &begun, case.state, case.before),
            loaded: begun[0].loaded.as_ref(),
        };
        (watch.before(&visit, &mut devices)).map_err(ReviewError::Refused)?;
        let how = How {
            length: self.length,
            clock: self.clock,
            seed: case.load.seed(self.root),
            has_settled: begun.iter().all(|begun| begun.has_settled(case.state)),
            watch: &|what, share| watch.doing(drive, what, share),
        };
        let record = run(&case.load, self.subject, &mut devices, &machine, &how);
        let record = record.map_err(|error: DriverError| ReviewError::Run {
            run: label.clone(),
            error: Box::new(error),
        })?;
        (watch.after(&visit, &mut devices, &record)).map_err(ReviewError::Refused)?;
        Ok(Ran {
            label,
            record,
            begun,
        })
    }
}

//! A run under way: what it says of itself, and what it does to drives before and after their loads.

use super::logs::Logs;
use super::start::{self, StartOptions, Targets};
use super::wall::Time;
use crate::failure::Failure;
use crate::files::Folder;
use crate::results;
use crate::session::{Command, INTERRUPTED, Session};
use ftlab_base::SimTime;
use ftlab_bench::review::{Devices, DriveRuns, Loaded, Plan, Progress as Step, Visit};
use ftlab_bench::suites::Test;
use ftlab_bench::variants::{Variant, put_together};
use ftlab_drive::{Device, DriveFile};
use ftlab_export::fio::Wall;
use ftlab_play::driver::Clock;
use ftlab_play::record::Record;
use ftlab_play::states;
use ftlab_result::ResultSet;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What lies between a drive's preparation and its load.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    /// Without power.
    pub hours: f64,
    /// Degrees at which it lies.
    pub celsius: f64,
}

/// The number of a drive and the name of a load, which tell the runs of a plan apart.
type Key = (usize, String);

/// When each load began, and what the clock on the wall says of it once it has ended; of the first repeat.
#[derive(Default)]
pub struct Walls {
    began: BTreeMap<Key, (Time, Instant)>,
    ended: BTreeMap<Key, Wall>,
}

pub struct Running {
    pub start: StartOptions,
    pub targets: Targets,
    pub rest: Rest,
    /// As many as the plan has drives.
    pub variants: Vec<Variant>,
    /// Where results are to be written, if they are.
    pub folder: Option<Folder>,
    /// Where the logs go that jobs ask for, if they are written.
    pub logs: Option<Logs>,
    pub walls: Mutex<Walls>,
}

impl Running {
    /// What there is to show, which is written if it is to be.
    pub fn write(&self, plan: &Plan, ends: &[DriveRuns]) -> Result<ResultSet, Failure> {
        let (set, _) = put_together(plan, &self.variants, ends, INTERRUPTED);
        if let Some(folder) = self.folder.as_ref().filter(|_| !set.runs.is_empty()) {
            results::write(folder, &set)?;
        }
        Ok(set)
    }

    /// Where results are, if they are written.
    pub fn places(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        Some(results::places(folder.path()))
    }

    /// How long each of the runs took, in the order of the plan.
    pub fn walls(&self, plan: &Plan, ends: &[DriveRuns]) -> Vec<Wall> {
        let mut times = self.times();
        let mut walls = Vec::new();
        for (drive, end) in ends.iter().enumerate() {
            let is_done = |test: &&Test| end.done().any(|slug| slug == test.step.slug);
            for load in plan.tests.iter().filter(is_done).flat_map(Test::loads) {
                walls.extend(times.ended.remove(&(drive, load.name().to_owned())));
            }
        }
        walls
    }

    fn times(&self) -> MutexGuard<'_, Walls> {
        self.walls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a visit's time is kept; that of the first repeat alone is.
fn key(plan: &Plan, visit: &Visit<'_>) -> Option<Key> {
    let is_first = visit.root == plan.seed;
    is_first.then(|| (visit.drive, visit.load.name().to_owned()))
}

impl Command for Running {
    fn leave(&self, plan: &Plan, ends: &[DriveRuns]) -> Result<String, Failure> {
        self.write(plan, ends)?;
        Ok(self.places().unwrap_or_default())
    }

    /// It says what it does.
    fn ran(_session: &Session<Self>, _step: Step<'_>) {}

    fn doing(session: &Session<Self>, drive: usize, what: &str, share: Option<f64>) {
        match &session.plan.drives[..] {
            [_] => session.progress.say_share(what, share),
            drives => {
                let slug = drives[drive].slug();
                (session.progress).say_share(&format!("{slug}: {what}"), share);
            }
        }
    }

    fn load(&self, file: &DriveFile, device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        self.start.load(file, device)
    }

    fn before(
        session: &Session<Self>,
        visit: &Visit<'_>,
        devices: &mut Devices,
    ) -> Result<(), String> {
        let running = &session.command;
        for device in devices.iter_mut() {
            device.rest(running.rest.hours, running.rest.celsius);
        }
        running.targets.save_before(visit, devices)?;
        session.progress.advise(None);
        Self::doing(session, visit.drive, "running", None);
        if let Some(key) = key(&session.plan, visit) {
            let began = (Time::now(), Instant::now());
            running.times().began.insert(key, began);
        }
        Ok(())
    }

    fn after(
        session: &Session<Self>,
        visit: &Visit<'_>,
        devices: &mut Devices,
        record: &Record,
    ) -> Result<(), String> {
        let running = &session.command;
        if let Some(key) = key(&session.plan, visit) {
            let mut times = running.times();
            if let Some((time, since)) = times.began.remove(&key) {
                let wall = Wall {
                    timestamp_ms: time.unix_ms(),
                    time: time.words(),
                    seconds: since.elapsed().as_secs_f64(),
                };
                times.ended.insert(key, wall);
            }
            drop(times);
            if let Some(logs) = &running.logs {
                let written = logs.write(&session.plan, &running.variants, visit, record);
                written.map_err(start::words)?;
            }
        }
        let failed = record.run.jobs.iter().any(|job| job.errors > 0);
        if !running.targets.wants_after() || failed {
            return Ok(());
        }
        Self::doing(session, visit.drive, "saving", None);
        if session.plan.clock == Clock::Timed {
            let ended = SimTime::ZERO + record.answered;
            for device in devices.iter_mut() {
                states::come_to_rest(device.as_mut(), ended).map_err(|error| error.to_string())?;
            }
        }
        running.targets.save_after(visit, &session.plan, devices)
    }
}

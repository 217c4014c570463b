//! A run under way: what it says of itself, and what it does to drives before and after their loads.

use super::start::{StartOptions, Targets};
use super::wall::Time;
use crate::failure::Failure;
use crate::progress::{Progress, Signs};
use ftlab_base::SimTime;
use ftlab_bench::review::{
    self, DriveRuns, Loaded, Plan, Progress as Step, ReviewError, Visit, Watch,
};
use ftlab_bench::suites::Test;
use ftlab_drive::{Device, DriveFile};
use ftlab_export::fio::Wall;
use ftlab_play::driver::Clock;
use ftlab_play::record::Record;
use ftlab_play::states;
use ftlab_result::Run;
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

pub struct Session<'a> {
    plan: &'a Plan,
    start: &'a StartOptions,
    targets: Targets,
    rest: Rest,
    progress: Progress,
    so_far: Mutex<SoFar>,
}

#[derive(Default)]
struct SoFar {
    ends: Vec<DriveRuns>,
    /// When each load began, and what the clock on the wall says of it once it has ended; of the first repeat.
    began: BTreeMap<Key, (Time, Instant)>,
    walls: BTreeMap<Key, Wall>,
}

impl<'a> Session<'a> {
    pub fn new(
        plan: &'a Plan,
        start: &'a StartOptions,
        targets: Targets,
        rest: Rest,
        signs: Signs,
    ) -> Self {
        let progress = signs.spinner("preparing");
        progress.advise(start.advice());
        Session {
            plan,
            start,
            targets,
            rest,
            progress,
            so_far: Mutex::new(SoFar {
                ends: DriveRuns::of_plan(plan),
                ..SoFar::default()
            }),
        }
    }

    /// Runs everything: what came of each drive, and how long each of the runs took, in the order of the plan.
    ///
    /// # Errors
    /// When nothing can run.
    pub fn run(self) -> Result<(Vec<DriveRuns>, Vec<Wall>), Failure> {
        let wanted: Vec<Vec<String>> = self.so_far().ends.iter().map(DriveRuns::missing).collect();
        review::run(self.plan, &wanted, &self)?;
        self.progress.clear();
        let mut so_far = std::mem::take(&mut *self.so_far());
        let mut walls = Vec::new();
        for (drive, end) in so_far.ends.iter().enumerate() {
            let is_done = |test: &&Test| end.done().any(|slug| slug == test.step.slug);
            for load in self.plan.tests.iter().filter(is_done).flat_map(Test::loads) {
                walls.extend(so_far.walls.remove(&(drive, load.name().to_owned())));
            }
        }
        Ok((so_far.ends, walls))
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a visit's time is kept; that of the first repeat alone is.
    fn key(&self, visit: &Visit<'_>) -> Option<Key> {
        let is_first = visit.root == self.plan.seed;
        is_first.then(|| (visit.drive, visit.load.name().to_owned()))
    }
}

impl Watch for Session<'_> {
    fn ran(&self, _step: Step<'_>) {}

    fn doing(&self, drive: usize, what: &str, share: Option<f64>) {
        match self.plan.drives.len() {
            1 => self.progress.say_share(what, share),
            _ => {
                let slug = self.plan.drives[drive].slug();
                self.progress.say_share(&format!("{slug}: {what}"), share);
            }
        }
    }

    fn tested(&self, drive: usize, test: &str, runs: Vec<Run>) {
        self.so_far().ends[drive].take(test, runs);
    }

    fn ended(&self, drive: usize, end: Result<(), ReviewError>) {
        self.so_far().ends[drive].ended(end);
    }

    fn load(&self, file: &DriveFile, device: &mut dyn Device) -> Result<Option<Loaded>, String> {
        self.start.load(file, device)
    }

    fn before(&self, visit: &Visit<'_>, device: &mut dyn Device) -> Result<(), String> {
        device.rest(self.rest.hours, self.rest.celsius);
        self.targets.save_before(visit, device)?;
        self.progress.advise(None);
        self.doing(visit.drive, "running", None);
        if let Some(key) = self.key(visit) {
            let began = (Time::now(), Instant::now());
            self.so_far().began.insert(key, began);
        }
        Ok(())
    }

    fn after(
        &self,
        visit: &Visit<'_>,
        device: &mut dyn Device,
        record: &Record,
    ) -> Result<(), String> {
        if let Some(key) = self.key(visit) {
            let mut so_far = self.so_far();
            if let Some((time, since)) = so_far.began.remove(&key) {
                let wall = Wall {
                    timestamp_ms: time.unix_ms(),
                    time: time.words(),
                    seconds: since.elapsed().as_secs_f64(),
                };
                so_far.walls.insert(key, wall);
            }
        }
        let failed = record.run.jobs.iter().any(|job| job.errors > 0);
        if !self.targets.wants_after() || failed {
            return Ok(());
        }
        self.doing(visit.drive, "saving", None);
        if self.plan.clock == Clock::Timed {
            let ended = SimTime::ZERO + record.answered;
            states::come_to_rest(device, ended).map_err(|error| error.to_string())?;
        }
        self.targets.save_after(visit, self.plan, device)
    }
}

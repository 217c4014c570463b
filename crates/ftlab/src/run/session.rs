//! A run under way: what it says of itself, and what it does to drives before and after their loads.

use super::logs::Logs;
use super::start::{self, Targets};
use super::wall::Time;
use crate::failure::Failure;
use crate::files::Folder;
use crate::progress::Progress;
use crate::results;
use crate::session::Command;
use ftlab_base::{RootSeed, SimTime};
use ftlab_export::fio::Wall;
use ftlab_lab::{Cell, Devices, Event, LabError, Subject, Visit};
use ftlab_play::driver::Clock;
use ftlab_play::record::Record;
use ftlab_result::ResultSet;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Starts of loads, and their times on the wall's clock once they have ended, by their cells; of the first repeat.
#[derive(Default)]
pub struct Walls {
    began: BTreeMap<usize, (Time, Instant)>,
    ended: BTreeMap<usize, Wall>,
}

pub struct Running {
    /// Root of the first repeat.
    pub seed: RootSeed,
    /// True if there are several drives.
    pub are_several: bool,
    pub targets: Targets,
    /// The folder for results, if they are to be written.
    pub folder: Option<Folder>,
    /// The folder for the logs that jobs ask for, if they are written.
    pub logs: Option<Logs>,
    pub walls: Mutex<Walls>,
}

impl Running {
    /// Returns the paths of the results, if they are written.
    pub fn places(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        Some(results::places(folder.path()))
    }

    /// Takes the times of the runs on the wall's clock, in the order of their cells.
    pub fn walls(&self) -> Vec<Wall> {
        std::mem::take(&mut self.times().ended)
            .into_values()
            .collect()
    }

    fn times(&self) -> MutexGuard<'_, Walls> {
        self.walls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, progress: &Progress, subject: &Subject, what: &str, share: Option<f64>) {
        match self.are_several {
            false => progress.say_share(what, share),
            true => progress.say_share(&format!("{}: {what}", subject.slug()), share),
        }
    }

    fn ended(
        &self,
        n: usize,
        visit: Visit<'_>,
        devices: &mut Devices,
        record: &Record,
        progress: &Progress,
    ) -> Result<(), LabError> {
        // Repeats have other seeds: times and logs are those of the first.
        if visit.cell.seed == self.seed {
            let mut times = self.times();
            if let Some((time, since)) = times.began.remove(&n) {
                let wall = Wall {
                    timestamp_ms: time.unix_ms(),
                    time: time.words(),
                    seconds: since.elapsed().as_secs_f64(),
                };
                times.ended.insert(n, wall);
            }
            drop(times);
            if let Some(logs) = &self.logs {
                logs.write(visit, record).map_err(start::refused)?;
            }
        }
        let failed = record.run.jobs.iter().any(|job| job.errors > 0);
        if !self.targets.wants_after() || failed {
            return Ok(());
        }
        self.say(progress, &visit.cell.subject, "saving", None);
        if visit.playing.clock == Clock::Timed {
            let ended = SimTime::ZERO + record.answered;
            for device in devices.iter_mut() {
                let rested = ftlab_states::come_to_rest(device.as_mut(), ended);
                rested.map_err(|error| LabError::Refused(error.to_string()))?;
            }
        }
        self.targets
            .save_after(visit, devices)
            .map_err(start::refused)
    }
}

impl Command for Running {
    fn leave(&self, set: &ResultSet) -> Result<String, Failure> {
        if let Some(folder) = self.folder.as_ref().filter(|_| !set.runs.is_empty()) {
            results::write(folder, set)?;
        }
        Ok(self.places().unwrap_or_default())
    }

    /// It says what it does.
    fn counts_parts(&self) -> bool {
        false
    }

    fn hear(
        &self,
        cell: (usize, &Cell),
        event: &mut Event<'_>,
        progress: &Progress,
    ) -> Result<(), LabError> {
        let (n, cell) = cell;
        match event {
            Event::Doing(what, share) => self.say(progress, &cell.subject, what, *share),
            Event::Ready(visit, devices) => {
                let saved = self.targets.save_before(*visit, devices);
                saved.map_err(start::refused)?;
                progress.advise(None);
                self.say(progress, &cell.subject, "running", None);
                if cell.seed == self.seed {
                    let began = (Time::now(), Instant::now());
                    self.times().began.insert(n, began);
                }
            }
            Event::Played(visit, devices, record) => {
                self.ended(n, *visit, devices, record, progress)?;
            }
            Event::Part(_) | Event::Done(_) => {}
        }
        Ok(())
    }
}

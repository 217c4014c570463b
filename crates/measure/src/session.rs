//! A plan under way: the drive is looked at again before each step, and a run is handed out after each measurement.

use crate::device::held::Held;
use crate::device::refusal::Refusal;
use crate::device::system::{Node, System};
use crate::fio::{Fio, FioError};
use crate::plan::{Course, Plan, Step, Writes, round};
use crate::run::{About, runs};
use crate::stop::Stop;
use crate::{purge, run};
use ftlab_base::Blame;
use ftlab_readings::fio::FioJob;
use ftlab_result::Run;
use ftlab_states::steady_rule::{ROUNDS_MAX, is_steady};
use std::io;
use std::process::{Command, Stdio};
use thiserror::Error;

/// Lines of the kernel's log that an error ends with.
const KERNEL_LINES: usize = 3;

/// The step of a drive to which nothing was done before.
const FOUND: &str = "The drive as it was found.";

/// Reason why a plan was not done to its end. What was measured before was handed out.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The drive may not be used any more.
    #[error("{at}: {why}")]
    Device {
        /// What was to be done.
        at: String,
        /// Why not.
        why: Refusal,
    },
    /// fio failed.
    #[error("{at}: {why}{kernel}")]
    Fio {
        /// What was to be done.
        at: String,
        /// In fio's words.
        why: FioError,
        /// The kernel's last words about the drive, if it may be asked.
        kernel: String,
    },
    /// The drive cannot be erased.
    #[error("{at}: cannot erase the drive: {why}")]
    Purge {
        /// What was to be done.
        at: String,
        /// In the system's words.
        why: io::Error,
    },
    /// What was measured cannot be kept.
    #[error("{0}")]
    Kept(String),
    /// The user has ended it.
    #[error("interrupted")]
    Stopped,
}

impl Blame for SessionError {
    fn is_input(&self) -> bool {
        matches!(self, SessionError::Device { why, .. } if why.is_input())
    }
}

/// Whoever started a session.
pub trait Listener {
    /// Hears what begins, in words: a measurement with its number among all, or a step before one.
    fn begins(&mut self, words: &str);

    /// Keeps the runs of a measurement.
    ///
    /// # Errors
    /// When they cannot be kept, in words.
    fn keep(&mut self, runs: Vec<Run>) -> Result<(), String>;
}

/// A plan on a drive.
pub struct Session<'a> {
    /// The drive.
    pub held: &'a Held,
    /// fio on it.
    pub fio: &'a Fio,
    /// Slug of the drive.
    pub drive: &'a str,
    /// Notes on each run.
    pub notes: &'a [String],
    /// Ends it.
    pub stop: &'a Stop,
}

impl Session<'_> {
    /// Does a plan.
    ///
    /// # Errors
    /// The first thing that fails; what was measured until then was kept.
    pub fn run(&self, plan: &Plan, listener: &mut dyn Listener) -> Result<(), SessionError> {
        let all = plan.measures().count();
        let mut done = 0;
        for course in &plan.courses {
            done = self.course(course, (done, all), listener)?;
        }
        Ok(())
    }

    fn course(
        &self,
        course: &Course,
        (mut done, all): (usize, usize),
        listener: &mut dyn Listener,
    ) -> Result<usize, SessionError> {
        let mut steps = vec![FOUND.to_owned()];
        let mut names = course
            .measures()
            .map(|measure| measure.ids().next().unwrap_or_default());
        let mut next = names.next().unwrap_or_default();
        for step in &course.steps {
            self.look_again(&next)?;
            match step {
                Step::Purge => {
                    listener.begins(&format!("erasing, for {next}"));
                    let purged = purge::purge(self.held, self.stop);
                    // What was there before is gone.
                    steps = vec![self.purged(&next, purged)?];
                }
                Step::Trim(bytes) => {
                    let trimmed = purge::trim(self.held, *bytes, self.stop);
                    steps.push(self.purged(&next, trimmed)?);
                }
                Step::Write(writes) => {
                    listener.begins(&format!("preparing, for {next}: {}", writes.words));
                    self.write(&next, writes)?;
                    steps.push(writes.words.clone());
                }
                Step::Settle => {
                    listener.begins(&format!("settling, for {next}"));
                    steps.push(self.settle(&next)?);
                }
                Step::Measure(measure) => {
                    done += 1;
                    listener.begins(&format!("{done} of {all}: {next}"));
                    let jobs = crate::fio::JobText::of(&measure.file);
                    let ended = self.fio.run(&jobs, true, self.stop);
                    let ended = ended.map_err(|why| self.failed(&next, why))?;
                    let about = About {
                        drive: self.drive,
                        steps: &steps,
                        notes: self.notes,
                    };
                    listener
                        .keep(runs(measure, &ended, &about))
                        .map_err(SessionError::Kept)?;
                    if course.is_whole {
                        steps.push(format!(
                            "{}, measured ({}).",
                            run::jobs_of(measure),
                            measure.state
                        ));
                    }
                    next = names.next().unwrap_or_default();
                }
            }
        }
        Ok(done)
    }

    /// Before anything is done to the drive it is the one that was named, and nobody else's.
    fn look_again(&self, at: &str) -> Result<(), SessionError> {
        if self.stop.is_called() {
            return Err(SessionError::Stopped);
        }
        self.held.verify().map_err(|why| SessionError::Device {
            at: at.to_owned(),
            why,
        })
    }

    fn write(&self, at: &str, writes: &Writes) -> Result<f64, SessionError> {
        let ended = self.fio.run(&writes.jobs, false, self.stop);
        let ended = ended.map_err(|why| self.failed(at, why))?;
        let jobs = &ended.output.jobs;
        let seconds: f64 = jobs.iter().map(FioJob::seconds).sum();
        let ios: u64 = jobs.iter().map(|job| job.write.total_ios).sum();
        Ok(if seconds > 0.0 {
            ios as f64 / seconds
        } else {
            0.0
        })
    }

    /// Rounds until SNIA's rule holds for the rate of each.
    fn settle(&self, at: &str) -> Result<String, SessionError> {
        let bytes = self.held.device().bytes;
        let mut rates = Vec::new();
        while rates.len() < ROUNDS_MAX && !is_steady(&rates) {
            self.look_again(at)?;
            rates.push(self.write(at, &round(rates.len(), bytes))?);
        }
        let is_not = if is_steady(&rates) { "" } else { "NOT " };
        Ok(format!(
            "Then rounds of random writes of 4 KiB over the whole drive, its capacity in each, until over five rounds the \
             writes a second range over at most 20 % of their mean and their fitted line moves by at most 10 % (after SNIA \
             SSS PTS). It was {is_not}steady after {} rounds.",
            rates.len()
        ))
    }

    fn purged(&self, at: &str, done: io::Result<String>) -> Result<String, SessionError> {
        if self.stop.is_called() {
            return Err(SessionError::Stopped);
        }
        done.map_err(|why| SessionError::Purge {
            at: at.to_owned(),
            why,
        })
    }

    fn failed(&self, at: &str, why: FioError) -> SessionError {
        match why {
            FioError::Stopped => SessionError::Stopped,
            why => SessionError::Fio {
                at: at.to_owned(),
                why,
                kernel: self.kernel(),
            },
        }
    }

    /// The kernel's last words about the drive; nothing where it may not be asked.
    fn kernel(&self) -> String {
        let Node::Block(number) = self.held.device().node else {
            return String::new();
        };
        let name = System::here().block(number).map(|block| block.name());
        let name = name.or_else(|| {
            Some(
                self.held
                    .device()
                    .path
                    .file_name()?
                    .to_string_lossy()
                    .into_owned(),
            )
        });
        let log = Command::new("dmesg").stdin(Stdio::null()).output();
        let log = log
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default();
        let about = |line: &&str| name.as_deref().is_some_and(|name| line.contains(name));
        let lines: Vec<&str> = log.lines().filter(about).collect();
        match &lines[lines.len().saturating_sub(KERNEL_LINES)..] {
            [] => String::new(),
            last => format!("; the kernel says: {}", last.join("; ")),
        }
    }
}

//! A plan under way: the drive is looked at again before each step, and a run is handed out after each measurement.

use crate::device::held::Held;
use crate::device::refusal::Refusal;
use crate::device::system::Node;
use crate::fio::{Ended, Fio, FioError, JobText};
use crate::health::{Health, Monitor};
use crate::heat::{COOLER_BY, Heat, Watch};
use crate::kernel::KernelLog;
use crate::plan::{Course, Measure, Plan, Rounds, Step, Writes, round, writes_to};
use crate::programs::Programs;
use crate::purge::{self, Eraser};
use crate::run::{self, About, runs};
use crate::stop::Stop;
use ftlab_base::Blame;
use ftlab_readings::fio::FioJob;
use ftlab_result::{CountedStep, Run, Settling};
use ftlab_states::steady_rule::{ROUNDS_MAX, is_steady};
use std::io;
use thiserror::Error;

/// The step of a drive to which nothing was done before.
const FOUND: &str = "The drive as it was found.";

/// Reason why a plan was not done to its end. What was measured before was handed out.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The drive may not be used any more.
    #[error("{at}: {why}{kernel}")]
    Device {
        /// What was to be done.
        at: String,
        /// Why not.
        why: Box<Refusal>,
        /// The kernel's last words about the drive, if it may be asked.
        kernel: String,
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
    #[error("{at}: cannot erase the drive: {why}{kernel}")]
    Purge {
        /// What was to be done.
        at: String,
        /// In the system's words.
        why: io::Error,
        /// The kernel's last words about the drive, if it may be asked.
        kernel: String,
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
    /// Programs that erase the drive.
    pub programs: &'a Programs,
    /// Asks the drive what it counts.
    pub monitor: &'a Monitor,
    /// Pauses while the drive is too warm.
    pub heat: Option<Heat<'a>>,
    /// The kernel's log since it began.
    pub kernel: &'a KernelLog,
    /// Ends it.
    pub stop: &'a Stop,
}

/// What was done to the drive since it was found or erased.
struct Way {
    /// Steps in words.
    steps: Vec<String>,
    /// What the drive counted in each.
    counted: Vec<CountedStep>,
    /// Rounds until it was steady.
    settled: Settled,
    /// What it said after the last one.
    health: Health,
}

/// Rounds of random writes since a drive was erased.
#[derive(Default)]
struct Settled {
    /// Writes a second of each.
    rates: Vec<f64>,
    /// Write amplification of each, as far as the drive tells it.
    wa: Vec<f64>,
}

impl Settled {
    /// What results have of it; none without a round.
    fn settling(&self) -> Option<Settling> {
        (!self.rates.is_empty()).then(|| Settling {
            rounds: self.rates.len() as u64,
            settled: is_steady(&self.rates),
            // A place in the list says which round it is: all rounds are listed, or none is.
            wa: match self.wa.len() == self.rates.len() {
                true => self.wa.clone(),
                false => Vec::new(),
            },
        })
    }
}

impl Way {
    /// Adds a step, after which the drive says this.
    fn went(&mut self, step: String, health: Health) {
        self.counted.extend(health.step(&self.health, &step));
        self.steps.push(step);
        self.health = health;
    }
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
        let mut way = Way {
            steps: vec![FOUND.to_owned()],
            counted: Vec::new(),
            settled: Settled::default(),
            health: self.monitor.ask(),
        };
        let mut names = course
            .measures()
            .map(|measure| measure.ids().next().unwrap_or_default());
        let mut next = names.next().unwrap_or_default();
        for step in &course.steps {
            self.look_again(&next)?;
            self.cool(&next, listener)?;
            match step {
                Step::Measure(measure) => {
                    done += 1;
                    listener.begins(&format!("{done} of {all}: {next}"));
                    self.measure(&next, measure, &mut way, course.is_whole, listener)?;
                    next = names.next().unwrap_or_default();
                }
                step => self.prepare(&next, step, &mut way, listener)?,
            }
        }
        Ok(done)
    }

    /// Does a step before a measurement.
    fn prepare(
        &self,
        next: &str,
        step: &Step,
        way: &mut Way,
        listener: &mut dyn Listener,
    ) -> Result<(), SessionError> {
        let words = match step {
            Step::Purge => {
                listener.begins(&format!("erasing, for {next}"));
                let words = self.purged(next, purge::purge(self.held, &self.eraser()))?;
                // What was there before is gone.
                way.steps.clear();
                way.counted.clear();
                way.settled = Settled::default();
                words
            }
            Step::Trim(bytes) => {
                self.purged(next, purge::trim(self.held, *bytes, &self.eraser()))?
            }
            Step::Write(writes) => {
                listener.begins(&format!("preparing, for {next}: {}", writes.words));
                self.write(next, writes)?;
                writes.words.clone()
            }
            Step::Settle(rounds) => {
                listener.begins(&format!("settling, for {next}"));
                self.settle(next, *rounds, way, listener)?
            }
            Step::Measure(_) => unreachable!("a measurement prepares nothing"),
        };
        way.went(words, self.monitor.ask());
        Ok(())
    }

    fn measure(
        &self,
        at: &str,
        measure: &Measure,
        way: &mut Way,
        is_of_procedure: bool,
        listener: &mut dyn Listener,
    ) -> Result<(), SessionError> {
        let ended = self.fio(at, &JobText::of(&measure.file), true)?;
        let health = self.monitor.ask();
        let jobs = run::jobs_of(measure);
        let own = health.step(&way.health, &format!("{jobs}, measured."));
        let mut notes = self.notes.to_vec();
        notes.extend(self.monitor.silence(&health));
        let settling = way.settled.settling();
        let about = About {
            drive: self.drive,
            steps: &way.steps,
            notes: &notes,
            before: &way.counted,
            own: own.as_ref(),
            settling: settling.as_ref(),
            health: &health,
        };
        listener
            .keep(runs(measure, &ended, &about))
            .map_err(SessionError::Kept)?;
        way.health = health;
        // What only reads leaves the drive as it was; a procedure goes on.
        if is_of_procedure || writes_to(&measure.file) {
            way.counted.extend(own);
            way.steps
                .push(format!("{jobs}, measured ({}).", measure.state));
        }
        Ok(())
    }

    /// Before anything is done to the drive it is the one that was named, and nobody else's.
    fn look_again(&self, at: &str) -> Result<(), SessionError> {
        if self.stop.is_called() {
            return Err(SessionError::Stopped);
        }
        self.held.verify().map_err(|why| SessionError::Device {
            at: at.to_owned(),
            why: Box::new(why),
            kernel: self.kernel(),
        })
    }

    /// Waits while the drive is too warm, and looks at it again.
    fn cool(&self, at: &str, listener: &mut dyn Listener) -> Result<(), SessionError> {
        let Some((heat, celsius)) = self.heat.and_then(|heat| Some((heat, heat.is_reached()?)))
        else {
            return Ok(());
        };
        listener.begins(&format!(
            "pausing, for {at}: the drive has {celsius} °C and goes on at {} °C",
            heat.limit_celsius - COOLER_BY
        ));
        while !self.stop.is_called() && !heat.is_over() {
            std::thread::sleep(heat.look_every);
        }
        self.look_again(at)
    }

    fn fio(&self, at: &str, jobs: &JobText, with_logs: bool) -> Result<Ended, SessionError> {
        let watch = Watch {
            stop: self.stop,
            heat: self.heat,
        };
        let ended = self.fio.run(jobs, with_logs, &watch);
        ended.map_err(|why| match why {
            FioError::Stopped => SessionError::Stopped,
            why => SessionError::Fio {
                at: at.to_owned(),
                why,
                kernel: self.kernel(),
            },
        })
    }

    fn write(&self, at: &str, writes: &Writes) -> Result<f64, SessionError> {
        let ended = self.fio(at, &writes.jobs, false)?;
        let jobs = &ended.output.jobs;
        let seconds: f64 = jobs.iter().map(FioJob::seconds).sum();
        let ios: u64 = jobs.iter().map(|job| job.write.total_ios).sum();
        Ok(if seconds > 0.0 {
            ios as f64 / seconds
        } else {
            0.0
        })
    }

    /// Random writes, round after round, until the rule of the steady state holds. Says so.
    fn settle(
        &self,
        at: &str,
        rounds: Rounds,
        way: &mut Way,
        listener: &mut dyn Listener,
    ) -> Result<String, SessionError> {
        let Settled { rates, wa } = &mut way.settled;
        let before = rates.len();
        let mut counters = self.monitor.ask();
        while rates.len() == before || (rates.len() < before + ROUNDS_MAX && !is_steady(rates)) {
            self.look_again(at)?;
            self.cool(at, listener)?;
            rates.push(self.write(at, &round(rates.len(), rounds.bytes))?);
            let after = self.monitor.ask();
            wa.extend(after.wa_since(&counters));
            counters = after;
        }
        let (count, is_not) = (
            rates.len() - before,
            if is_steady(rates) { "" } else { "NOT " },
        );
        Ok(match rounds.go_on {
            true => format!(
                "Then such rounds again, one at least, until with those before the same rule held. It was {is_not}steady after {count} more."
            ),
            false => format!(
                "Then rounds of random writes of 4 KiB over all of the drive that is used, as much in each as it holds, until over five \
                 rounds the writes a second range over at most 20 % of their mean and their fitted line moves by at most 10 % (after \
                 SNIA SSS PTS). It was {is_not}steady after {count} rounds."
            ),
        })
    }

    fn eraser(&self) -> Eraser<'_> {
        Eraser {
            programs: self.programs,
            fio: self.fio,
            stop: self.stop,
        }
    }

    fn purged(&self, at: &str, done: io::Result<String>) -> Result<String, SessionError> {
        if self.stop.is_called() {
            return Err(SessionError::Stopped);
        }
        done.map_err(|why| SessionError::Purge {
            at: at.to_owned(),
            why,
            kernel: self.kernel(),
        })
    }

    /// The kernel's last words about the drive; nothing where it may not be asked.
    fn kernel(&self) -> String {
        let device = self.held.device();
        if !matches!(device.node(), Some(Node::Block(_))) {
            return String::new();
        }
        // One that has gone leaves its path.
        let path = device.path.file_name();
        let name = self.held.block().map(|block| block.name());
        let name = name.or_else(|| Some(path?.to_string_lossy().into_owned()));
        let name = name.unwrap_or_default();
        // Of NVMe the controller's words count too: `nvme0n1` is a namespace of `nvme0`.
        let is_nvme = |controller: &&str| controller.starts_with("nvme");
        let controller = name.rsplit_once('n').map(|(controller, _)| controller);
        let controller = controller.filter(is_nvme).map(str::to_owned);
        let names: Vec<String> = controller.into_iter().chain([name]).collect();
        self.kernel.about(&names)
    }
}

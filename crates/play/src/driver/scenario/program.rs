//! A program at work: its steps, one after the other.

use super::computing::Computation;
use super::owner::Owner;
use super::system::System;
use crate::driver::io::Io;
use crate::driver::stats::JobReport;
use ftlab_base::{Content, Nanos, RootSeed, SimTime};
use ftlab_workload::script::{Process, ScriptError, Step, StepStream};
use std::collections::VecDeque;

/// A step whose read was asked for.
#[derive(Debug)]
struct Pending {
    step: Step,
    reading: bool,
    computed: bool,
    /// Its writes that were handed over.
    handed: usize,
    /// Its checks that were asked for.
    checked: usize,
}

/// A process of a scenario.
pub struct Program {
    pub report: JobReport,
    pub background: bool,
    index: usize,
    /// CPU time on the reference machine for a second on the script's.
    cpu_factor: f64,
    stream: StepStream,
    in_phase: bool,
    depth: u32,
    ahead: u32,
    through: bool,
    /// Nature of the data that it writes.
    content: Content,
    /// It does nothing before: its start, then the think time of each phase.
    rests_until: SimTime,
    begins: SimTime,
    /// The step after those of the window, if it is known.
    next: Option<Step>,
    /// Steps from the one at work to the last one read ahead.
    window: VecDeque<Pending>,
    /// Number of the first step of the window.
    first_step: u64,
    phase_is_read: bool,
    computing: Option<Computation>,
    reading: u32,
    /// A check is under way. It is somebody else's request: the program's depth does not bound it.
    is_checked: bool,
    writing: u32,
    /// Bytes handed to the system, whose writing back is not the program's.
    pub buffered_bytes: u64,
    /// It waits for room under the dirty limit.
    pub is_stalled: bool,
    pub ended: Option<SimTime>,
}

impl Program {
    pub fn new(
        index: usize,
        process: &Process,
        capacity_bytes: u64,
        cpu_factor: f64,
        seed: RootSeed,
    ) -> Result<Program, ScriptError> {
        let begins = SimTime::ZERO + process.start;
        let depth = process.script.phases.iter().map(|phase| phase.depth).max();
        let mut report = JobReport::new(process.name.clone(), 0, depth.unwrap_or(1));
        report.measured_from = begins;
        Ok(Program {
            report,
            background: process.background,
            index,
            cpu_factor,
            stream: StepStream::new(
                &process.script,
                capacity_bytes,
                seed.derive(&format!("process/{}", process.name)),
            )?,
            // The first call of `act` takes the first phase up, at the program's own start.
            in_phase: false,
            depth: 1,
            ahead: 0,
            through: false,
            content: Content::RANDOM,
            rests_until: begins,
            begins,
            next: None,
            window: VecDeque::new(),
            first_step: 0,
            phase_is_read: false,
            computing: None,
            reading: 0,
            is_checked: false,
            writing: 0,
            buffered_bytes: 0,
            is_stalled: false,
            ended: None,
        })
    }

    /// Does what it can at `now`, and computes at `pace`.
    pub fn act(
        &mut self,
        now: SimTime,
        pace: f64,
        io: &mut Io<'_, '_, Owner>,
        system: &mut Option<System>,
    ) {
        self.is_stalled = false;
        loop {
            if self.ended.is_some() || now < self.rests_until {
                return;
            }
            if !self.in_phase {
                self.next_phase(now);
                continue;
            }
            self.read_ahead(now, io);
            if let Some(computation) = &self.computing {
                if now < computation.end() {
                    return;
                }
                self.computing = None;
            }
            // Steps end in their order: one whose read is there waits for those before it.
            let Some(head) = self.window.front_mut() else {
                if self.writing > 0 {
                    return;
                }
                self.in_phase = false;
                continue;
            };
            if head.reading {
                return;
            }
            if !std::mem::replace(&mut head.computed, true) && head.step.cpu > Nanos::ZERO {
                let work_ns = head.step.cpu.0 as f64 * self.cpu_factor;
                self.computing = Some(Computation::new(work_ns, pace, now));
                continue;
            }
            if !self.hand_over(now, io, system) || !self.is_through_checks(now, io) {
                return;
            }
            self.window.pop_front();
            self.first_step += 1;
        }
    }

    fn next_phase(&mut self, now: SimTime) {
        match self.stream.next_phase() {
            None => self.ended = Some(now),
            Some(phase) => {
                self.in_phase = true;
                self.phase_is_read = false;
                (self.depth, self.ahead) = (phase.depth, phase.ahead);
                self.through = phase.through;
                self.content = phase.content();
                self.rests_until = now + phase.think;
            }
        }
    }

    /// Asks for the reads of the steps to come.
    fn read_ahead(&mut self, now: SimTime, io: &mut Io<'_, '_, Owner>) {
        while !self.phase_is_read
            && self.window.len() <= self.ahead as usize
            && self.reading < self.depth
        {
            let Some(step) = self.next.take().or_else(|| self.stream.next_step()) else {
                self.phase_is_read = true;
                return;
            };
            // The system reads within a file ahead, and cannot know which one the program opens next.
            if step.opens_file && self.window.len() >= self.depth as usize {
                self.next = Some(step);
                return;
            }
            if let Some(run) = step.read {
                let owner = Owner::Read {
                    program: self.index,
                    step: self.first_step + self.window.len() as u64,
                };
                self.reading += 1;
                self.report.note_depth(self.reading + self.writing);
                owner.submit(run, Content::RANDOM, now, io);
            }
            self.window.push_back(Pending {
                reading: step.read.is_some(),
                computed: false,
                handed: 0,
                checked: 0,
                step,
            });
        }
    }

    /// Hands over the writes of the step at work; returns true if all of them are.
    fn hand_over(
        &mut self,
        now: SimTime,
        io: &mut Io<'_, '_, Owner>,
        system: &mut Option<System>,
    ) -> bool {
        let head = self.window.front_mut().expect("a step is at work");
        // A file is in the tables of the file system before its data are written.
        if let Some(system) = system.as_mut().filter(|_| !self.through) {
            system.begin_files(std::mem::take(&mut head.step.files_begun));
        }
        while let Some(&run) = head.step.writes.get(head.handed) {
            if self.through {
                if self.writing >= self.depth {
                    return false;
                }
                self.writing += 1;
                self.report.note_depth(self.reading + self.writing);
                let program = self.index;
                Owner::Through { program }.submit(run, self.content, now, io);
            } else {
                let system = system.as_mut().expect("checked before the run");
                if !system.admit(self.index, run, self.content, now) {
                    self.is_stalled = true;
                    return false;
                }
                self.buffered_bytes += u64::from(run.sectors) * ftlab_base::SECTOR_BYTES;
            }
            head.handed += 1;
        }
        true
    }

    /// Asks for the next check of the step at work; returns true if all of them are over.
    fn is_through_checks(&mut self, now: SimTime, io: &mut Io<'_, '_, Owner>) -> bool {
        if self.is_checked {
            return false;
        }
        let head = self.window.front_mut().expect("a step is at work");
        let Some(&run) = head.step.checks.get(head.checked) else {
            return true;
        };
        head.checked += 1;
        self.is_checked = true;
        let program = self.index;
        Owner::Check { program }.submit(run, Content::RANDOM, now, io);
        false
    }

    /// A check has ended.
    pub fn has_checked(&mut self) {
        self.is_checked = false;
    }

    /// The read of a step has ended.
    pub fn has_read(&mut self, step: u64) {
        self.reading -= 1;
        self.window[(step - self.first_step) as usize].reading = false;
    }

    /// A write has ended that it waited for.
    pub fn has_written(&mut self) {
        self.writing -= 1;
    }

    /// Returns true if the program computes.
    pub fn computes(&self) -> bool {
        self.computing.is_some()
    }

    /// Goes on computing at another pace.
    pub fn keep_pace(&mut self, pace: f64, now: SimTime) {
        if let Some(computation) = &mut self.computing {
            computation.keep_pace(pace, now);
        }
    }

    /// Returns the instant at which it can go on by itself, or `NEVER`.
    pub fn next(&self, now: SimTime) -> SimTime {
        if now < self.rests_until {
            return self.rests_until;
        }
        let computation = self.computing.as_ref();
        computation.map_or(SimTime::NEVER, Computation::end)
    }

    /// Returns true if it waits for the drive.
    pub fn waits(&self) -> bool {
        self.reading + self.writing > 0 || self.is_checked || self.is_stalled
    }

    /// Returns the time that it ran, if it came to its end.
    pub fn seconds(&self) -> Option<Nanos> {
        self.ended.map(|at| at.since(self.begins))
    }
}

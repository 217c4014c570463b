//! Jobs that run at the same time, on a clock.

use super::DriverError;
use super::meter::Meter;
use super::patience::{LONGEST, Patience, Verdict};
use super::pauses::{PAUSE, Pauses};
use super::report::RunReport;
use super::rounds::Rounds;
use super::worker::Worker;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Nanos, Outcome, RootSeed, SECTOR_BYTES, SimTime,
};
use ftlab_drive::{Counters, Device};
use ftlab_workload::ResolvedJob;

/// Low bits of a command's id that name its slot: as many as jobs and depths of a file allow. The
/// rest counts commands, so that ids are unique within a run.
const SLOT_BITS: u32 = 28;

/// Turns of the clock between two looks at how far a run is.
pub const TURNS_A_LOOK: u64 = 1 << 14;

/// The drive's counters, its energy and its pauses from the end of the first ramp on.
pub struct Counting {
    at_start: Counters,
    after_ramp: Option<Counters>,
    pub rounds: Rounds,
    pub meter: Meter,
    pub pauses: Pauses,
}

impl Counting {
    pub fn new(device: &dyn Device) -> Self {
        let at_start = device.counters();
        Counting {
            at_start,
            after_ramp: None,
            rounds: Self::rounds(device, at_start),
            meter: Meter::new(device),
            pauses: Pauses::new(PAUSE),
        }
    }

    fn rounds(device: &dyn Device, start: Counters) -> Rounds {
        Rounds::new(device.capacity_sectors() * SECTOR_BYTES, start)
    }

    pub fn finish(&self, end: Counters) -> Counters {
        end.since(&self.after_ramp.unwrap_or(self.at_start))
    }
}

/// A command on its way.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    id: CommandId,
    worker: u32,
    kind: CommandKind,
    bytes: u64,
    at: SimTime,
}

/// Jobs that run at the same time.
pub struct Group {
    workers: Vec<Worker>,
    now: SimTime,
    slots: Vec<Option<InFlight>>,
    free: Vec<u32>,
    submitted: u64,
    completed: u64,
    done: Vec<Completion>,
}

impl Group {
    pub fn new(index: usize, jobs: &[&ResolvedJob], seed: RootSeed, start: SimTime) -> Self {
        Group {
            workers: jobs
                .iter()
                .map(|job| Worker::new(job, index, seed, start))
                .collect(),
            now: start,
            slots: Vec::new(),
            free: Vec::new(),
            submitted: 0,
            completed: 0,
            done: Vec::new(),
        }
    }

    /// Runs the jobs to their ends; returns when the last one ended. `tell` hears now and then which share
    /// of the work is done.
    pub fn run(
        &mut self,
        device: &mut dyn Device,
        counting: &mut Counting,
        tell: &dyn Fn(f64),
    ) -> Result<SimTime, DriverError> {
        let counts_from = self.workers.iter().map(|w| w.report.measured_from).min();
        let mut patience = Patience::new(self.now, self.workers.iter().any(Worker::only_time_ends));
        for turn in 0_u64.. {
            if turn.is_multiple_of(TURNS_A_LOOK) {
                tell(self.share());
            }
            let next_request = self.issue_due(device);
            counting.pauses.waits(self.now, self.outstanding() > 0);
            if next_request == SimTime::NEVER && self.outstanding() == 0 {
                break;
            }
            let next_event = device.next_event();
            if next_request == SimTime::NEVER && next_event.is_none() {
                return Err(self.stuck());
            }
            let next_event = next_event.unwrap_or(SimTime::NEVER);
            let next = next_request.min(next_event).max(self.now);
            match patience.turn(next) {
                Verdict::GoOn => {}
                Verdict::Standstill => return Err(patience.standstill()),
                Verdict::Endless => return Err(DriverError::Endless { after: LONGEST }),
                Verdict::Stuck => return Err(self.stuck()),
            }
            if counting.after_ramp.is_none() && counts_from.is_some_and(|from| next >= from) {
                let counters = device.counters();
                counting.after_ramp = Some(counters);
                counting.rounds = Counting::rounds(device, counters);
                let from = self.now.max(counts_from.unwrap_or(self.now));
                counting.meter.begin(device, from);
                counting.pauses = Pauses::new(PAUSE);
                counting.pauses.waits(from, self.outstanding() > 0);
            }
            counting.meter.read_until(device, next);
            self.now = next;
            let limit = match counts_from {
                // The counters are read before anything happens from then on.
                Some(from) if counting.after_ramp.is_none() => {
                    next_request.min(SimTime(from.0 - 1)).max(next)
                }
                _ => next_request,
            };
            let limit = limit.min(counting.meter.next_reading()).max(next);
            let completed = self.completed;
            let last = device.advance_to_completion(limit, &mut self.done);
            self.now = last.map_or(next, |last| last.max(next));
            self.complete_all(counting)?;
            if counting.rounds.is_full() {
                counting.rounds.mark(device.counters());
            }
            if self.completed > completed {
                patience.progress();
            }
        }
        let ends = self
            .workers
            .iter()
            .map(Worker::ends)
            .max()
            .unwrap_or(self.now);
        self.now = ends.max(self.now);
        device.advance(self.now, &mut self.done);
        self.complete_all(counting)?;
        Ok(self.now)
    }

    /// Adds what the group did to the run's report.
    pub fn report(self, report: &mut RunReport) {
        assert_eq!(
            self.submitted, self.completed,
            "every command is waited for"
        );
        report.submitted += self.submitted;
        report.completed += self.completed;
        report
            .jobs
            .extend(self.workers.into_iter().map(Worker::finish));
    }

    /// Issues every request that is due; returns when the next one is.
    fn issue_due(&mut self, device: &mut dyn Device) -> SimTime {
        let mut next = SimTime::NEVER;
        for index in 0..self.workers.len() {
            loop {
                let at = self.workers[index].issues_at(self.now);
                if at > self.now {
                    next = next.min(at);
                    break;
                }
                self.submit(index, device);
            }
        }
        next
    }

    fn submit(&mut self, index: usize, device: &mut dyn Device) {
        let request = self.workers[index].issue();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        let command = Command {
            id: CommandId(self.submitted << SLOT_BITS | u64::from(slot)),
            kind: request.kind,
            lba: request.lba,
            sectors: request.sectors,
            content: request.content,
            at: self.now,
        };
        self.slots[slot as usize] = Some(InFlight {
            id: command.id,
            worker: index as u32,
            kind: command.kind,
            bytes: command.bytes(),
            at: self.now,
        });
        self.submitted += 1;
        device.submit(command, self.now);
    }

    /// Hands the completions to their jobs.
    fn complete_all(&mut self, counting: &mut Counting) -> Result<(), DriverError> {
        for n in 0..self.done.len() {
            let completion = self.done[n];
            self.complete(completion, &mut counting.rounds)?;
            counting.pauses.progress(completion.at);
            counting.pauses.waits(completion.at, self.outstanding() > 0);
        }
        self.done.clear();
        Ok(())
    }

    fn complete(&mut self, completion: Completion, rounds: &mut Rounds) -> Result<(), DriverError> {
        let slot = (completion.id.0 & ((1 << SLOT_BITS) - 1)) as u32;
        let entry = self.slots.get_mut(slot as usize);
        let Some(command) = entry.and_then(|e| e.take_if(|c| c.id == completion.id)) else {
            return Err(DriverError::Unexpected {
                id: completion.id.0 >> SLOT_BITS,
            });
        };
        self.free.push(slot);
        self.completed += 1;
        let worker = &mut self.workers[command.worker as usize];
        match completion.outcome {
            Outcome::Good => {
                worker.complete(command.kind, command.bytes, command.at, completion.at);
                if command.kind == CommandKind::Write {
                    rounds.wrote(command.bytes);
                }
            }
            Outcome::WriteFault | Outcome::Unrecoverable | Outcome::Gone => {
                worker.fail(completion.at)
            }
        }
        Ok(())
    }

    /// How much of the work is done, 0 to 1: the jobs end with the last of them.
    fn share(&self) -> f64 {
        let shares = self.workers.iter().map(|worker| worker.share(self.now));
        shares.fold(1.0, f64::min)
    }

    fn outstanding(&self) -> usize {
        (self.submitted - self.completed) as usize
    }

    fn elapsed(&self) -> Nanos {
        self.now.since(SimTime::ZERO)
    }

    fn stuck(&self) -> DriverError {
        let oldest = self.slots.iter().flatten().map(|command| command.at).min();
        DriverError::Stuck {
            at: self.elapsed(),
            outstanding: self.outstanding(),
            since: oldest.unwrap_or(self.now).since(SimTime::ZERO),
        }
    }
}

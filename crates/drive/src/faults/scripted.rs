//! A drive in virtual time whose requests have the faults of its file.

use super::{Answered, On, Program, Verdict};
use crate::device::{CacheRefused, Device, EraseRefused};
use crate::occupancy::Occupancy;
use crate::passes_on::passes_on;
use crate::state::DeviceState;
use ftlab_base::{Command, CommandId, CommandKind, Completion, Lba, Nanos, Outcome, SimTime};
use ftlab_host::Host;
use std::collections::BTreeMap;

/// An event that is held, and done later.
#[derive(Clone)]
enum Later {
    /// A command arrives at the drive.
    Begin(Command, Verdict),
    /// The host sees a command end.
    End(Completion),
}

/// A drive and the faults of its requests. What is applied without time has none: their time never comes.
#[derive(Clone)]
pub struct Scripted {
    device: Box<dyn Device>,
    /// Time of a request that is answered and not done.
    answer_time: Nanos,
    /// As its file has them.
    script: Program,
    program: Program,
    /// By time, and at one instant in the order in which they came.
    laters: BTreeMap<(SimTime, u64), Later>,
    number: u64,
    /// Commands that take longer than the drive does: since when, and how many times as long.
    slow: BTreeMap<CommandId, (SimTime, f64)>,
    ended: Vec<Completion>,
}

impl Scripted {
    /// A drive with faults, whose time begins with the drive's. What it answers without doing it takes `answer_time`.
    #[must_use]
    pub fn new(device: Box<dyn Device>, script: Program, answer_time: Nanos) -> Scripted {
        Scripted {
            device,
            answer_time,
            program: script.clone(),
            script,
            laters: BTreeMap::new(),
            number: 0,
            slow: BTreeMap::new(),
            ended: Vec::new(),
        }
    }

    fn push(&mut self, at: SimTime, later: Later) {
        self.number += 1;
        self.laters.insert((at, self.number), later);
    }

    fn begin(&mut self, mut command: Command, verdict: &Verdict, now: SimTime) {
        if let Some(answered) = verdict.answer {
            let at = now + self.answer_time;
            let end = Completion {
                id: command.id,
                at,
                outcome: outcome(answered, command.kind),
            };
            self.push(at, Later::End(end));
            return;
        }
        if verdict.times > 1.0 {
            self.slow.insert(command.id, (now, verdict.times));
        }
        if let Some(sector) = verdict.lands_at {
            command.lba = Lba(sector);
        }
        self.device.submit(command, now);
    }

    /// Lets the drive go on, and what it has done leave at its time.
    fn let_go_on(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let mut ended = std::mem::take(&mut self.ended);
        self.device.advance(now, &mut ended);
        for mut end in ended.drain(..) {
            let slow = self.slow.remove(&end.id);
            let slow = slow
                .map(|(began, times)| began + Nanos((end.at.since(began).0 as f64 * times) as u64));
            let away = self.program.away_until(end.at.since(SimTime::ZERO));
            let away = away.map(|until| SimTime::ZERO + until);
            let leaves = slow.into_iter().chain(away).max();
            match leaves.filter(|leaves| *leaves > end.at) {
                Some(leaves) => {
                    end.at = leaves;
                    self.push(leaves, Later::End(end));
                }
                None => done.push(end),
            }
        }
        self.ended = ended;
    }
}

/// Outcome of a command that was answered for the drive.
fn outcome(answered: Answered, kind: CommandKind) -> Outcome {
    match (answered, kind) {
        (Answered::Done, _) => Outcome::Good,
        (_, CommandKind::Read) => Outcome::Unrecoverable,
        _ => Outcome::WriteFault,
    }
}

impl Device for Scripted {
    passes_on!();

    fn submit(&mut self, command: Command, now: SimTime) {
        let range = command.lba.0..command.lba.0 + u64::from(command.sectors);
        let since = now.since(SimTime::ZERO);
        let verdict = self
            .program
            .judge(On::from(command.kind), &range, false, since);
        let not_before = SimTime::ZERO + verdict.not_before;
        match not_before > now {
            true => self.push(not_before, Later::Begin(command, verdict)),
            false => self.begin(command, &verdict, now),
        }
    }

    fn next_event(&self) -> Option<SimTime> {
        let later = self.laters.first_key_value().map(|((at, _), _)| *at);
        self.device.next_event().into_iter().chain(later).min()
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while let Some(at) = self.next_event().filter(|at| *at <= now) {
            self.let_go_on(at, done);
            while let Some(first) = self.laters.first_entry()
                && first.key().0 <= at
            {
                match first.remove() {
                    Later::Begin(command, verdict) => self.begin(command, &verdict, at),
                    Later::End(end) => done.push(end),
                }
            }
        }
        self.let_go_on(now, done);
    }

    fn apply(&mut self, command: Command) -> Outcome {
        self.device.apply(command)
    }

    fn occupancy(&self, now: SimTime) -> Option<Occupancy> {
        self.device.occupancy(now)
    }

    fn host_busy(&self, now: SimTime) -> Option<Nanos> {
        self.device.host_busy(now)
    }

    fn set_write_cache(&mut self, on: bool) -> Result<(), CacheRefused> {
        self.device.set_write_cache(on)
    }

    fn plug(&mut self, host: &Host) {
        self.device.plug(host);
    }

    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        self.device.secure_erase()
    }

    fn save(&self) -> DeviceState {
        assert!(self.laters.is_empty(), "saving a drive at work");
        self.device.save()
    }

    fn snapshot(&self) -> Box<dyn Device> {
        assert!(self.laters.is_empty(), "a snapshot of a drive at work");
        Box::new(Scripted::new(
            self.device.snapshot(),
            self.script.clone(),
            self.answer_time,
        ))
    }
}

//! A drive in virtual time whose requests have faults.

use super::{Answered, FaultTold, On, Program, Rule, Verdict};
use crate::device::{CacheRefused, Device, EraseRefused};
use crate::occupancy::Occupancy;
use crate::passes_on::passes_on;
use crate::state::DeviceState;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Lba, Nanos, Outcome, SECTOR_BYTES, SimTime,
};
use ftlab_host::Host;
use std::collections::BTreeMap;

/// What becomes of a command's data on their way, for who carries them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Id by which a store behind the drive hears of the command; none if the command never comes to the drive.
    pub at_store: Option<CommandId>,
    /// A number that says which bit of its data is flipped, if one is.
    pub flips: Option<u64>,
    /// The first sector of where its data go instead.
    pub lands_at: Option<u64>,
}

/// The id under which the drive gets a command, or the answer that it has instead.
type Way = Result<CommandId, Answered>;

/// An event that is held, and done later.
#[derive(Clone)]
enum Later {
    /// A command comes to the drive, or gets its answer.
    Begin(Command, Verdict, Way),
    /// The host sees a command end.
    End(Completion),
}

/// A drive and the faults of its requests. What is applied without time has none: their time never comes.
#[derive(Clone)]
pub struct Scripted {
    device: Box<dyn Device>,
    /// Time of a request that is answered and not done.
    answer_time: Nanos,
    /// As it was made with them.
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

    /// The drive behind the faults.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Has something go wrong from `now` on; gives its number.
    ///
    /// # Errors
    /// When it cannot be on this drive; the error says what is wrong.
    pub fn add(&mut self, rule: Rule, now: SimTime) -> Result<u32, String> {
        let size_bytes = self.device.capacity_sectors() * SECTOR_BYTES;
        let since = now.since(SimTime::ZERO);
        self.program.add(rule, since, size_bytes, true)
    }

    /// Ends a fault, or all of them; returns their number. What one has held until a time stays held.
    pub fn clear(&mut self, number: Option<u32>) -> usize {
        self.program.clear(number)
    }

    /// Faults that were asked for and not cleared, with what came of them by `now`.
    #[must_use]
    pub fn list(&self, now: SimTime) -> Vec<FaultTold> {
        self.program.list(now.since(SimTime::ZERO))
    }

    /// Returns true if commands and their ends pass as they are.
    #[must_use]
    pub fn passes_all(&self) -> bool {
        self.program.is_empty() && self.laters.is_empty() && self.slow.is_empty()
    }

    /// Has another drive behind the same faults, as after a power cut: what was under way is gone, and what was counted
    /// stays.
    pub fn replace(&mut self, device: Box<dyn Device>) {
        self.device = device;
        self.laters.clear();
        self.slow.clear();
    }

    /// Takes a command as [`Device::submit`] does, and says what becomes of its data.
    pub fn pass(&mut self, command: Command, now: SimTime) -> Passage {
        let range = command.lba.0..command.lba.0 + u64::from(command.sectors);
        let since = now.since(SimTime::ZERO);
        let verdict = self
            .program
            .judge(On::from(command.kind), &range, false, since);
        let way = match verdict.answer {
            None => Ok(self.device.announce(&command)),
            Some(answered) => Err(answered),
        };
        let passage = Passage {
            at_store: way.ok(),
            flips: verdict.flips,
            lands_at: verdict.lands_at,
        };
        let not_before = SimTime::ZERO + verdict.not_before;
        match not_before > now {
            true => self.push(not_before, Later::Begin(command, verdict, way)),
            false => self.begin(command, &verdict, way, now),
        }
        passage
    }

    /// Advances as [`Device::advance`] does. What the drive has ended and a fault keeps from the host goes to `held`: what
    /// such an end promises is so from then on.
    pub fn advance_holding(
        &mut self,
        now: SimTime,
        done: &mut Vec<Completion>,
        held: &mut Vec<Completion>,
    ) {
        while let Some(at) = self.next_event().filter(|at| *at <= now) {
            self.let_go_on(at, done, held);
            while let Some(first) = self.laters.first_entry()
                && first.key().0 <= at
            {
                match first.remove() {
                    Later::Begin(command, verdict, way) => self.begin(command, &verdict, way, at),
                    Later::End(end) => done.push(end),
                }
            }
        }
        self.let_go_on(now, done, held);
    }

    fn push(&mut self, at: SimTime, later: Later) {
        self.number += 1;
        self.laters.insert((at, self.number), later);
    }

    fn begin(&mut self, mut command: Command, verdict: &Verdict, way: Way, now: SimTime) {
        match way {
            Ok(at_store) => {
                if verdict.times > 1.0 {
                    self.slow.insert(command.id, (now, verdict.times));
                }
                if let Some(sector) = verdict.lands_at {
                    command.lba = Lba(sector);
                }
                self.device.submit_announced(command, at_store, now);
            }
            Err(answered) => {
                let at = now + self.answer_time;
                let end = Completion {
                    id: command.id,
                    at,
                    outcome: outcome(answered, command.kind),
                };
                self.push(at, Later::End(end));
            }
        }
    }

    /// Lets the drive go on, and what it has done leave at its time.
    fn let_go_on(&mut self, now: SimTime, done: &mut Vec<Completion>, held: &mut Vec<Completion>) {
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
                    held.push(end);
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
        self.pass(command, now);
    }

    fn next_event(&self) -> Option<SimTime> {
        let later = self.laters.first_key_value().map(|((at, _), _)| *at);
        self.device.next_event().into_iter().chain(later).min()
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        match self.passes_all() {
            true => self.device.advance(now, done),
            false => self.advance_holding(now, done, &mut Vec::new()),
        }
    }

    fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        if self.passes_all() {
            return self.device.advance_to_completion(limit, done);
        }
        let (before, mut last) = (done.len(), None);
        while done.len() == before
            && let Some(at) = self.next_event().filter(|at| *at <= limit)
        {
            self.advance(at, done);
            last = Some(at);
        }
        last
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

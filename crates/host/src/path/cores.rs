//! The cores of a host at work on requests.

use super::{Path, Sees, up_to_next};
use ftlab_base::{Command, CommandId, CommandKind, Completion, Nanos, SimTime};
use slab::Slab;
use std::collections::VecDeque;

/// The cores that programs and their requests run on: each does one thing after the other, and takes along what belongs to
/// what it has not begun. Requests of jobs that share a core share its queue.
#[derive(Debug, Clone)]
pub struct Cores {
    path: Path,
    /// The most sectors that one command moves: a larger request is several, each with its cost.
    transfer_max: Option<u32>,
    cores: Vec<Core>,
    /// The next event of each core, and the earliest of them, with its core: they are asked for more often than they change.
    next: Vec<SimTime>,
    first: (SimTime, usize),
    /// Requests under way, by the ids that the drive knows them by; ids are used again.
    requests: Slab<Request>,
}

/// A request under way.
#[derive(Debug, Clone, Copy)]
struct Request {
    /// Its id to the program.
    id: CommandId,
    core: u32,
    /// Time that it costs its core on its way back.
    back: Nanos,
}

#[derive(Debug, Clone, Default)]
struct Core {
    /// Work under way or to be done, in order.
    work: VecDeque<Work>,
    /// What the calls among it send, and what the looks among it show, in order.
    commands: VecDeque<Command>,
    completions: VecDeque<Completion>,
    free_at: SimTime,
    busy: Nanos,
    /// Completions that wait for an interrupt, its cost, and the latest instant at which it comes.
    ended: Vec<Completion>,
    cost: Nanos,
    interrupt_at: Option<SimTime>,
    /// Since when it polls.
    polls_since: Option<SimTime>,
}

#[derive(Debug, Clone)]
struct Work {
    begins: SimTime,
    ends: SimTime,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// So many requests go to the drive, all at the end.
    Call(usize),
    /// Programs see that so many have ended, all at the end.
    Seen(usize),
}

impl Core {
    fn queue(&mut self, begins: SimTime, span: Nanos, what: What) {
        self.free_at = begins + span;
        self.busy += span;
        self.work.push_back(Work {
            begins,
            ends: self.free_at,
            what,
        });
    }

    /// Adds time to the last work in line.
    fn lengthen(&mut self, span: Nanos) {
        if let Some(last) = self.work.back_mut() {
            last.ends += span;
            self.free_at = last.ends;
            self.busy += span;
        }
    }

    fn call(&mut self, command: Command, now: SimTime, path: &Path, cost: Nanos) {
        if let Some(last) = self.work.back_mut()
            && let What::Call(commands) = &mut last.what
            && last.begins >= now
            && *commands < path.batch as usize
        {
            *commands += 1;
            self.lengthen(cost);
        } else {
            let begins = self.free_at.max(now);
            self.queue(begins, path.call + cost, What::Call(1));
        }
        self.commands.push_back(command);
        self.polls_since.get_or_insert(now);
    }

    fn end(&mut self, completion: Completion, path: &Path, cost: Nanos) {
        let now = completion.at;
        if let Some(last) = self.work.back_mut()
            && let What::Seen(completions) = &mut last.what
            && last.ends > now
        {
            *completions += 1;
            self.completions.push_back(completion);
            return self.lengthen(cost);
        }
        self.ended.push(completion);
        self.cost += cost;
        match path.sees {
            Sees::Interrupts {
                coalescing: Some(coalescing),
                ..
            } if self.ended.len() < coalescing.threshold as usize => {
                self.interrupt_at.get_or_insert(now + coalescing.time);
            }
            _ => self.see(now, path),
        }
    }

    /// The core turns to what has ended.
    fn see(&mut self, now: SimTime, path: &Path) {
        let (begins, cost) = match path.sees {
            Sees::Interrupts { cost, .. } => (self.free_at.max(now), cost),
            Sees::Polling(period) => {
                let idle = now.since(self.free_at);
                let looks = Nanos(up_to_next(idle.0, period.0));
                (self.free_at + looks, Nanos::ZERO)
            }
        };
        let work = cost + std::mem::take(&mut self.cost);
        self.interrupt_at = None;
        self.queue(begins, work, What::Seen(self.ended.len()));
        self.completions.extend(self.ended.drain(..));
    }

    fn next(&self) -> SimTime {
        let ends = self.work.front().map_or(SimTime::NEVER, |work| work.ends);
        ends.min(self.interrupt_at.unwrap_or(SimTime::NEVER))
    }

    /// Does what is due; gives what it sends, and what programs see.
    fn advance(
        &mut self,
        now: SimTime,
        path: &Path,
        mut send: impl FnMut(Command),
        seen: &mut Vec<Completion>,
    ) {
        if self.interrupt_at.is_some_and(|at| at <= now) {
            self.see(now, path);
        }
        while let Some(work) = self.work.pop_front_if(|work| work.ends <= now) {
            match work.what {
                What::Call(commands) => {
                    for _ in 0..commands {
                        self.commands.pop_front().into_iter().for_each(&mut send);
                    }
                }
                What::Seen(completions) => {
                    for _ in 0..completions {
                        let ended = self.completions.pop_front();
                        seen.extend(ended.map(|end| Completion { at: now, ..end }));
                    }
                }
            }
        }
    }

    /// Work by `now`: of what is asked for, without looks that find nothing.
    fn worked_until(&self, now: SimTime) -> Nanos {
        Nanos(self.busy.0.saturating_sub(self.free_at.since(now).0))
    }

    fn busy_until(&self, now: SimTime, path: &Path) -> Nanos {
        match path.sees {
            Sees::Interrupts { .. } => self.worked_until(now),
            Sees::Polling(_) => self
                .polls_since
                .map_or(Nanos::ZERO, |since| now.since(since)),
        }
    }
}

impl Cores {
    /// Cores with nothing to do.
    #[must_use]
    pub fn new(path: Path, transfer_max: Option<u32>) -> Cores {
        Cores {
            path,
            transfer_max,
            cores: Vec::new(),
            next: Vec::new(),
            first: (SimTime::NEVER, 0),
            requests: Slab::new(),
        }
    }

    /// Commands that a request is to the drive.
    fn parts(&self, command: &Command) -> u64 {
        match (command.kind, self.transfer_max) {
            (CommandKind::Read | CommandKind::Write, Some(most)) => {
                u64::from(command.sectors.div_ceil(most))
            }
            _ => 1,
        }
    }

    /// A program makes a request.
    pub fn submit(&mut self, command: Command, now: SimTime) {
        let id = self.announce(&command);
        self.call(command, id, now);
    }

    /// A program is about to make a request; gives the id that the drive will know it by.
    pub fn announce(&mut self, command: &Command) -> CommandId {
        let number = usize::from(command.queue.number);
        let core = self
            .path
            .cores
            .map_or(number, |cores| number % cores as usize);
        if core >= self.cores.len() {
            self.cores.resize_with(core + 1, Core::default);
            self.next.resize(core + 1, SimTime::NEVER);
        }
        let place = self.requests.insert(Request {
            id: command.id,
            core: core as u32,
            back: self.path.complete * self.parts(command),
        });
        CommandId(place as u64)
    }

    /// A program makes the request that was announced, by the id that this gave.
    pub fn call(&mut self, command: Command, id: CommandId, now: SimTime) {
        let core = self.requests[id.0 as usize].core as usize;
        let there = self.path.submit * self.parts(&command);
        self.cores[core].call(Command { id, ..command }, now, &self.path, there);
        self.note(core);
    }

    /// The drive has ended a request.
    pub fn end(&mut self, completion: Completion) {
        let Request { id, core, back } = self.requests.remove(completion.id.0 as usize);
        let core = core as usize;
        self.cores[core].end(Completion { id, ..completion }, &self.path, back);
        self.note(core);
    }

    /// A core has been given something to do.
    #[inline]
    fn note(&mut self, core: usize) {
        let next = self.cores[core].next();
        self.next[core] = next;
        if core == self.first.1 {
            // It may have been lengthened.
            self.first = self.least();
        } else if (next, core) < self.first {
            self.first = (next, core);
        }
    }

    /// The core that does something first: of several, the lowest.
    #[inline]
    fn least(&self) -> (SimTime, usize) {
        let mut first = (SimTime::NEVER, 0);
        for (core, &next) in self.next.iter().enumerate() {
            if next < first.0 {
                first = (next, core);
            }
        }
        first
    }

    /// Returns the instant of the next event; [`SimTime::NEVER`] when everything has been seen.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> SimTime {
        self.first.0
    }

    /// Carries out the events at `now`, which no event is before: requests are sent to the drive, and programs see
    /// completions.
    #[inline]
    pub fn advance(
        &mut self,
        now: SimTime,
        mut send: impl FnMut(Command),
        seen: &mut Vec<Completion>,
    ) {
        while self.first.0 <= now {
            let core = self.first.1;
            self.cores[core].advance(now, &self.path, &mut send, seen);
            self.note(core);
        }
    }

    /// Time that the cores have worked by `now`, all together. One that polls works all the time.
    #[must_use]
    pub fn busy_until(&self, now: SimTime) -> Nanos {
        let busy = |core: &Core| core.busy_until(now, &self.path);
        self.cores
            .iter()
            .map(busy)
            .fold(Nanos::ZERO, |sum, one| sum + one)
    }

    /// Time that each core has worked for requests by `now`. Looks of one that polls and finds nothing are not among it.
    pub fn worked_until(&self, now: SimTime) -> impl Iterator<Item = Nanos> {
        self.cores.iter().map(move |core| core.worked_until(now))
    }

    /// Returns true if nothing is under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.requests.is_empty() && self.first.0 == SimTime::NEVER
    }
}

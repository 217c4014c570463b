//! The operation scheduler: a queue for every die, one bus for every channel, one agenda of events.
//!
//! A read senses (die), then moves data out (channel), then is done. A program moves data in
//! (channel), then programs (die). An erase occupies the die alone. A die works on one operation
//! at a time, in issue order unless its [`Scheduling`] lets some pass others; a channel serves
//! transfers in the order in which they become ready and fills any gap. The die holds its
//! operation from start to end, the page register included; while a program or an erase is
//! suspended, a second register serves the reads.
//!
//! The queues of the dies are bounded, and whoever issues more should wait while they are full
//! ([`Dispatch`]). With one list of work an operation whose die has no room holds up all behind it: the
//! scheduler then has a backlog, and only reads that pass what a die has queued go round it. With a list for
//! each die nothing waits for another die's queue, and the room is that of all queues together.

mod apart;
mod config;
mod die;
mod planes;
mod shared;
mod supply;
mod suspension;
mod usage;

use crate::energy::NandActivity;
use crate::fences::{Fences, NOBODY};
use crate::policy::{Decision, DieView, Scheduling, keep_order};
pub use config::{Dispatch, SchedulerConfig};
use die::{Die, Phase};
use ftlab_base::{DieId, Divisor, Geometry, Lanes, Nanos, SimTime};
use ftlab_nand::{Fence, NandOp, OpKind};
use planes::Planes;
use shared::{Channel, Follows, Shared};
use std::collections::VecDeque;
use supply::Supply;
pub use usage::ArrayOccupancy;
use usage::Usage;

/// The scheduler. All times are virtual.
#[derive(Debug, Clone)]
pub struct Scheduler {
    scheduling: Scheduling,
    /// True if every die works in issue order, one operation after the other, and finishes what it began.
    is_plain: bool,
    pages_per_block: Divisor,
    /// The dies, and behind them the registers of planes that read by themselves.
    dies: Vec<Die>,
    shared: Shared,
    dispatch: Dispatch,
    /// Operations that the queue of a die has room for.
    die_queue: u32,
    /// Operations dispatched and not done, of those that take room, on all dies.
    occupied: u64,
    /// Operations that the queues of all dies have room for.
    room: u64,
    /// Issued, and not dispatched to their dies yet.
    backlog: VecDeque<NandOp>,
}

impl Scheduler {
    /// Idle dies and channels.
    ///
    /// # Panics
    /// When no die may program, or when programs are joined that may be suspended.
    #[must_use]
    pub fn new(geometry: Geometry, config: SchedulerConfig) -> Scheduler {
        let SchedulerConfig {
            timing,
            order: scheduling,
            die_queue,
            ..
        } = config;
        let pages_per_block = Divisor::new(geometry.pages_per_block);
        let channel_of = |die: u32| geometry.channel_of_die(DieId(die as u16));
        Scheduler {
            scheduling,
            is_plain: scheduling.is_plain() && config.planes_apart == 1,
            pages_per_block,
            dies: (0..config.planes_apart)
                .flat_map(|_| 0..geometry.dies())
                .map(|die| Die::new(channel_of(die)))
                .collect(),
            shared: Shared {
                timing,
                register_frees: config.register_frees,
                supply: Supply::for_programs(config.programs_max),
                planes: Planes::new(geometry.planes_per_die, pages_per_block, &config),
                channels: (0..geometry.channels)
                    // At first each channel counts as held by its lowest die: nobody has moved data yet.
                    .map(|first_die| Channel::free(first_die as u16))
                    .collect(),
                fences: Fences::new(),
                agenda: Lanes::default(),
                usage: Usage::of(geometry.dies()),
                channel_busy: Nanos::ZERO,
                begun: [0; 3],
                sectors_moved: 0,
                spent: Vec::new(),
                reached: VecDeque::new(),
            },
            dispatch: config.dispatch,
            die_queue,
            occupied: 0,
            room: u64::from(die_queue) * u64::from(geometry.dies()),
            backlog: VecDeque::new(),
        }
    }

    /// Returns the work and rest of dies and channels until `now`.
    #[must_use]
    pub fn occupancy(&self, now: SimTime) -> ArrayOccupancy {
        let mut usage = self.shared.usage;
        usage.pass(now, !self.wants_more());
        ArrayOccupancy {
            dies: self.dies.len() as u32 / self.shared.planes.apart.count,
            idle: usage.idle,
            starved: usage.starved,
            channels: self.shared.channels.len() as u32,
            channels_busy: self.shared.channel_busy,
        }
    }

    /// Returns the counts of all that dies and channels began so far.
    #[must_use]
    pub fn activity(&self) -> NandActivity {
        let begun = |kind: OpKind| self.shared.begun[kind as usize];
        NandActivity {
            pages_read: begun(OpKind::Read),
            pages_programmed: begun(OpKind::Program),
            blocks_erased: begun(OpKind::Erase),
            sectors_moved: self.shared.sectors_moved,
        }
    }

    /// Takes a batch of operations in issue order.
    pub fn issue(&mut self, now: SimTime, ops: &[NandOp]) {
        self.shared.usage.pass(now, !self.wants_more());
        // All waiters are counted before the first can be served and the fence be reused.
        for op in ops.iter().filter(|op| op.order.waits.is_some()) {
            self.shared.fences.get(op.order.waits).waiters += 1;
        }
        if !self.shared.planes.senses_together() {
            ops.iter().for_each(|op| self.issue_one(*op, now));
            return;
        }
        let mut rest = ops;
        while !rest.is_empty() {
            let (taken, op) = self.shared.planes.first_read(rest);
            rest = &rest[taken..];
            self.issue_one(op, now);
        }
    }

    #[inline(always)]
    fn issue_one(&mut self, op: NandOp, now: SimTime) {
        for fence in op.order.signals.into_iter().filter(|f| f.is_counted()) {
            self.shared.fences.get(fence).open += 1;
        }
        let has_way = if self.backlog.is_empty() {
            self.has_room(&op)
        } else {
            self.is_express(&op) && self.passes_backlog(&op)
        };
        if has_way {
            self.dispatch(op, now);
        } else {
            self.backlog.push_back(op);
        }
    }

    /// Holds a fence open until an operation that is still to come signals it.
    pub fn promise(&mut self, fence: Fence) {
        self.shared.fences.get(fence).open += 1;
    }

    /// The operation that a promise was about has been issued.
    ///
    /// # Panics
    /// When none holds the fence open.
    pub fn keep(&mut self, fence: Fence) {
        let open = &mut self.shared.fences.get(fence).open;
        assert!(*open > 1, "{fence:?} is kept without an operation");
        *open -= 1;
    }

    /// Returns true if nothing that waits to be dispatched must be done before `op`.
    fn passes_backlog(&self, op: &NandOp) -> bool {
        let mut of_the_die = self.backlog.iter().filter(|other| other.die == op.die);
        of_the_die.all(|other| self.scheduling.may_pass(op, other, self.pages_per_block))
    }

    /// Returns true if the queues have room for more.
    #[must_use]
    #[inline]
    pub fn wants_more(&self) -> bool {
        match self.dispatch {
            Dispatch::InOrder => self.backlog.is_empty(),
            Dispatch::ByDie => self.occupied < self.room,
        }
    }

    #[inline]
    fn has_room(&self, op: &NandOp) -> bool {
        self.dispatch == Dispatch::ByDie
            || self.dies[op.die.index()].occupied < self.die_queue
            || self.is_express(op)
    }

    /// As [`Scheduling::is_express`], which nothing is where every die works in issue order.
    #[inline]
    fn is_express(&self, op: &NandOp) -> bool {
        !self.is_plain && self.scheduling.is_express(op)
    }

    #[inline]
    fn dispatch(&mut self, op: NandOp, now: SimTime) {
        let takes_room = !self.is_express(&op);
        self.occupied += u64::from(takes_room);
        let is_apart = self.reads_apart();
        let die = &mut self.dies[op.die.index()];
        die.occupied += u32::from(takes_room);
        let is_idle = die.phase == Phase::Idle;
        let begins = is_idle && die.queue.is_empty() && !is_apart;
        if begins && self.shared.fences.is_reached(op.order.waits) {
            let follows = self.shared.begin(die, op.die.0, &op, now);
            self.follow(follows, op.die.0, now);
            return;
        }
        die.queue.push_back(op);
        if self.is_plain {
            // One that is idle sleeps already, and goes on sleeping, unless this is its first.
            if is_idle && !die.is_asleep {
                self.sleep(op.die.0);
            }
        } else if self.may_begin(op.die.0) {
            self.start(op.die.0, now);
        } else {
            self.suspend_if_due(op.die.0, now);
        }
    }

    fn dispatch_backlog(&mut self, now: SimTime) {
        while let Some(op) = self.backlog.front().copied().filter(|op| self.has_room(op)) {
            self.backlog.pop_front();
            self.dispatch(op, now);
        }
    }

    /// Sets if from now on a program for the host tells its fences when its data are in the page register of their die,
    /// and not when it ends. Only valid while nothing is under way.
    pub fn free_by_register(&mut self, frees: bool) {
        self.shared.register_frees = frees;
    }

    #[inline]
    fn tell(&mut self, signals: [Fence; 2], now: SimTime) {
        for fence in signals {
            if fence.is_counted() {
                self.signal(fence, now);
            } else if fence.is_some() {
                self.shared.reached.push_back(fence);
            }
        }
    }

    /// Lets time begin again from any instant: channels forget until when they were busy.
    ///
    /// # Panics
    /// When something is still to be done.
    pub fn restart_clock(&mut self) {
        assert!(
            self.next_event() == SimTime::NEVER && self.backlog.is_empty(),
            "a clock is restarted while the array is at work"
        );
        for channel in &mut self.shared.channels {
            channel.free_at = SimTime::ZERO;
        }
        self.shared.usage.restart_clock();
    }

    /// Has the scheduler report the instant at which `fence` is reached. An operation that signals it must still be
    /// unfinished or to come.
    pub fn watch(&mut self, fence: Fence) {
        self.shared.fences.get(fence).watched = true;
    }

    /// Returns the instant of the next event; [`SimTime::NEVER`] when nothing will happen.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> SimTime {
        self.shared.agenda.first_at()
    }

    /// Lets events happen up to `limit`, until one of them concerns whoever issues: a watched fence is reached, or
    /// there is room for more, if it has more. Gives the instant of the last; `None` when there is none at or before
    /// `limit`.
    pub fn run(&mut self, limit: SimTime, has_more: bool) -> Option<SimTime> {
        let mut last = None;
        while let Some(at) = self.step(limit) {
            last = Some(at);
            if !self.shared.reached.is_empty() || has_more && self.wants_more() {
                break;
            }
        }
        last
    }

    /// Lets the earliest event happen, if it is not after `limit`, and returns its instant.
    #[inline(always)]
    fn step(&mut self, limit: SimTime) -> Option<SimTime> {
        let at = self.shared.agenda.first_at();
        if at > limit {
            return None;
        }
        let die = self.shared.agenda.pop()?;
        let state = &mut self.dies[usize::from(die)];
        match state.phase {
            Phase::Transfer => self.end_transfer(die, at),
            Phase::Array if state.at_work.kind == OpKind::Read => self.want_channel(die, at),
            Phase::Array => self.finish(die, at),
            Phase::Suspending => self.end_suspending(die, at),
            phase => unreachable!("event for a die in phase {phase:?}"),
        }
        Some(at)
    }

    /// Returns true if a fence was reached or spent since the last time they were taken.
    #[must_use]
    #[inline]
    pub fn has_news(&self) -> bool {
        !self.shared.reached.is_empty() || !self.shared.spent.is_empty()
    }

    /// The first of the watched fences that were reached.
    #[inline]
    pub fn pop_reached(&mut self) -> Option<Fence> {
        self.shared.reached.pop_front()
    }

    /// A fence that all its waiters have passed: free for reuse.
    #[inline]
    pub fn pop_spent(&mut self) -> Option<Fence> {
        self.shared.spent.pop()
    }

    /// Starts what a die that may begin something does next, if anything can start.
    #[inline]
    fn start(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        if !self.is_plain {
            self.start_by_policy(index, now);
        } else if let Some(first) = die.queue.front() {
            if !self.shared.fences.is_reached(first.order.waits) {
                self.sleep(index);
            } else if let Some(op) = die.queue.pop_front() {
                let follows = self.shared.begin(die, index, &op, now);
                self.follow(follows, index, now);
            }
        }
    }

    #[inline(never)]
    fn start_by_policy(&mut self, index: u16, now: SimTime) {
        if self.reads_apart() {
            return self.start_apart(index, now);
        }
        let die = &self.dies[usize::from(index)];
        let suspended = die.suspended.as_ref().map(|suspended| &suspended.op);
        match self.scheduling.decide(&self.view(die, suspended)) {
            Decision::Start(place) => {
                let op = self.take(index, place);
                let die = &mut self.dies[usize::from(index)];
                let follows = self.shared.begin(die, index, &op, now);
                self.follow(follows, index, now);
            }
            Decision::Resume => self.resume(index, now),
            Decision::Wait => self.sleep(index),
        }
    }

    /// Takes the operation at `place` out of a die's queue.
    fn take(&mut self, index: u16, place: usize) -> NandOp {
        let die = &mut self.dies[usize::from(index)];
        let op = die.queue.remove(place);
        let op = op.expect("a policy names a place of the queue");
        let suspended = die.suspended.as_ref().map(|suspended| &suspended.op);
        for other in die.queue.range(..place).chain(suspended) {
            assert!(
                !keep_order(&op, other, self.pages_per_block),
                "{op:?} passes {other:?}"
            );
        }
        die.overtaken = if place > 0 || suspended.is_some() {
            die.overtaken + 1
        } else {
            0
        };
        op
    }

    fn view<'a>(&'a self, die: &'a Die, suspended: Option<&'a NandOp>) -> DieView<'a> {
        DieView {
            queue: &die.queue,
            suspended,
            overtaken: die.overtaken,
            fences: &self.shared.fences,
            pages_per_block: self.pages_per_block,
            planes: self.shared.planes.apart,
            reading: die.reading,
        }
    }

    /// Lets a die with nothing to start sleep until the first fence that holds it up is reached.
    fn sleep(&mut self, index: u16) {
        let die = &mut self.dies[usize::from(index)];
        if die.is_asleep {
            return;
        }
        let mut fences = die.queue.iter().map(|op| op.order.waits);
        if let Some(fence) = fences.find(|&fence| !self.shared.fences.is_reached(fence)) {
            die.is_asleep = true;
            let first = &mut self.shared.fences.get(fence).first_sleeper;
            die.next_sleeper = std::mem::replace(first, index);
        }
    }

    /// Does what else follows from the work that a die began.
    #[inline(always)]
    fn follow(&mut self, follows: Follows, index: u16, now: SimTime) {
        match follows {
            Follows::Nothing => {}
            Follows::OwnerIsAwaited(owner) => {
                self.shared
                    .await_transfer(&mut self.dies[usize::from(owner)], owner);
            }
            // A read may have come while it waited for the channel.
            Follows::MaySuspend => self.suspend_if_due(index, now),
        }
    }

    /// Begins the transfer of a die, which has no event, or lets it wait.
    #[inline]
    fn want_channel(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        let follows = self.shared.want_channel(die, index, now);
        self.follow(follows, index, now);
    }

    #[inline(always)]
    fn end_transfer(&mut self, index: u16, now: SimTime) {
        let die = &self.dies[usize::from(index)];
        let is_program = die.at_work.kind == OpKind::Program;
        if let Some(next) = self.shared.free(die.channel) {
            let die = &mut self.dies[usize::from(next)];
            let follows = self.shared.begin_transfer(die, next, now);
            self.follow(follows, next, now);
        }
        if !is_program {
            return self.finish(index, now);
        }
        let op = self.dies[usize::from(index)].at_work;
        if !self.join_next_plane(index, now) {
            self.program_when_supplied(index, now);
        }
        if self.shared.tells_early(&op) {
            self.shared.usage.pass(now, !self.wants_more());
            self.tell(op.order.signals, now);
        }
    }

    /// Ends a die's operation, or that of a plane by itself, tells its fences and starts what follows.
    fn finish(&mut self, register: u16, now: SimTime) {
        self.shared.usage.pass(now, !self.wants_more());
        self.shared.usage.idle_dies += 1;
        let die = &mut self.dies[usize::from(register)];
        die.phase = Phase::Idle;
        let op = die.at_work;
        if self.is_plain {
            die.occupied -= 1;
            self.occupied -= 1;
        } else {
            self.leave(&op);
        }
        let index = op.die.0;
        if op.kind == OpKind::Program {
            self.pass_supply_on(now);
        }
        if !self.shared.tells_early(&op) {
            self.tell(op.order.signals, now);
        }
        self.end_joined(index, now);
        self.start(index, now);
        if !self.backlog.is_empty() {
            self.dispatch_backlog(now);
        }
    }

    /// An operation leaves the room and the planes that it took of its die.
    fn leave(&mut self, op: &NandOp) {
        if self.reads_apart() {
            self.leave_planes(op);
        }
        let took_room = !self.scheduling.is_express(op);
        self.dies[op.die.index()].occupied -= u32::from(took_room);
        self.occupied -= u64::from(took_room);
    }

    fn signal(&mut self, fence: Fence, now: SimTime) {
        let state = self.shared.fences.get(fence);
        state.open -= 1;
        if state.open > 0 {
            return;
        }
        if std::mem::take(&mut state.watched) {
            self.shared.reached.push_back(fence);
        }
        let mut sleeper = std::mem::replace(&mut state.first_sleeper, NOBODY);
        while sleeper != NOBODY {
            let die = &mut self.dies[usize::from(sleeper)];
            let next = std::mem::replace(&mut die.next_sleeper, NOBODY);
            die.is_asleep = false;
            // It may have been given something to do since it fell asleep.
            if die.phase == Phase::Idle {
                self.start(sleeper, now);
            }
            sleeper = next;
        }
    }
}

#[cfg(test)]
mod tests;

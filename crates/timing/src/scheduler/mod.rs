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

mod config;
mod die;
mod planes;
mod supply;
mod suspension;
mod usage;

use crate::energy::NandActivity;
use crate::fences::{Fences, NOBODY};
use crate::nand_timing::NandTiming;
use crate::policy::{Decision, DieView, Scheduling, keep_order};
pub use config::{Dispatch, SchedulerConfig};
use die::{Die, Phase};
use ftlab_base::{DieId, Divisor, Geometry, Lanes, Nanos, SimTime};
use ftlab_nand::{Cause, Fence, NandOp, OpKind};
use planes::Planes;
use std::collections::VecDeque;
use supply::Supply;
pub use usage::ArrayOccupancy;
use usage::Usage;

/// Lanes of the agenda: the array's work by kind of operation, which takes about as long each time, and what is short.
const LANES: usize = 4;
const SHORT: usize = 3;

#[derive(Debug, Clone)]
struct Channel {
    /// The die whose transfer began last, and when that ends.
    owner: u16,
    free_at: SimTime,
    waiting: VecDeque<u16>,
}

/// The scheduler. All times are virtual.
#[derive(Debug, Clone)]
pub struct Scheduler {
    timing: NandTiming,
    scheduling: Scheduling,
    /// True if a program for the host tells its fences when its data are in the page register, rather than when they
    /// are in the cells.
    register_frees: bool,
    /// True if every die works in issue order and finishes what it began.
    is_plain: bool,
    supply: Supply,
    planes: Planes,
    pages_per_block: Divisor,
    dies: Vec<Die>,
    channels: Vec<Channel>,
    fences: Fences,
    /// The next phase change of every die that has one, by what it is the end of.
    agenda: Lanes<u16, LANES>,
    dispatch: Dispatch,
    /// Operations that the queue of a die has room for.
    die_queue: u32,
    /// Operations dispatched and not done, of those that take room, on all dies.
    occupied: u64,
    /// Operations that the queues of all dies have room for.
    room: u64,
    /// Issued, and not dispatched to their dies yet.
    backlog: VecDeque<NandOp>,
    usage: Usage,
    channel_busy: Nanos,
    /// Pages and blocks that dies began, by kind of operation.
    begun: [u64; 3],
    sectors_moved: u64,
    /// Fences that operations waited for and that nobody needs any more.
    spent: Vec<Fence>,
    /// Watched fences that were reached.
    reached: VecDeque<Fence>,
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
            timing,
            scheduling,
            register_frees: config.register_frees,
            is_plain: scheduling.is_plain(),
            supply: Supply::for_programs(config.programs_max),
            planes: Planes::new(geometry.planes_per_die, pages_per_block, &config),
            pages_per_block,
            dies: (0..geometry.dies())
                .map(|die| Die::new(channel_of(die)))
                .collect(),
            channels: (0..geometry.channels)
                .map(|first_die| Channel {
                    // At first each channel counts as held by its lowest die: nobody has moved data yet.
                    owner: first_die as u16,
                    free_at: SimTime::ZERO,
                    waiting: VecDeque::new(),
                })
                .collect(),
            fences: Fences::new(),
            agenda: Lanes::default(),
            dispatch: config.dispatch,
            die_queue,
            occupied: 0,
            room: u64::from(die_queue) * u64::from(geometry.dies()),
            backlog: VecDeque::new(),
            usage: Usage::of(geometry.dies()),
            channel_busy: Nanos::ZERO,
            begun: [0; 3],
            sectors_moved: 0,
            spent: Vec::new(),
            reached: VecDeque::new(),
        }
    }

    /// Returns the work and rest of dies and channels until `now`.
    #[must_use]
    pub fn occupancy(&self, now: SimTime) -> ArrayOccupancy {
        let mut usage = self.usage;
        usage.pass(now, !self.wants_more());
        ArrayOccupancy {
            dies: self.dies.len() as u32,
            idle: usage.idle,
            starved: usage.starved,
            channels: self.channels.len() as u32,
            channels_busy: self.channel_busy,
        }
    }

    /// Returns the counts of all that dies and channels began so far.
    #[must_use]
    pub fn activity(&self) -> NandActivity {
        let begun = |kind: OpKind| self.begun[kind as usize];
        NandActivity {
            pages_read: begun(OpKind::Read),
            pages_programmed: begun(OpKind::Program),
            blocks_erased: begun(OpKind::Erase),
            sectors_moved: self.sectors_moved,
        }
    }

    /// Takes a batch of operations in issue order.
    pub fn issue(&mut self, now: SimTime, ops: &[NandOp]) {
        self.usage.pass(now, !self.wants_more());
        // All waiters are counted before the first can be served and the fence be reused.
        for op in ops.iter().filter(|op| op.order.waits.is_some()) {
            self.fences.get(op.order.waits).waiters += 1;
        }
        if !self.planes.senses_together() {
            ops.iter().for_each(|op| self.issue_one(*op, now));
            return;
        }
        let mut rest = ops;
        while !rest.is_empty() {
            let (taken, op) = self.planes.first_read(rest);
            rest = &rest[taken..];
            self.issue_one(op, now);
        }
    }

    #[inline(always)]
    fn issue_one(&mut self, op: NandOp, now: SimTime) {
        for fence in op.order.signals.into_iter().filter(|f| f.is_counted()) {
            self.fences.get(fence).open += 1;
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
        self.fences.get(fence).open += 1;
    }

    /// The operation that a promise was about has been issued.
    ///
    /// # Panics
    /// When none holds the fence open.
    pub fn keep(&mut self, fence: Fence) {
        let open = &mut self.fences.get(fence).open;
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
        let die = &mut self.dies[op.die.index()];
        die.occupied += u32::from(takes_room);
        let is_idle = die.phase == Phase::Idle;
        if is_idle && die.queue.is_empty() && self.fences.is_reached(op.order.waits) {
            self.begin(op.die.0, &op, now);
            return;
        }
        die.queue.push_back(op);
        if self.is_plain {
            // One that is idle sleeps already, and goes on sleeping, unless this is its first.
            if is_idle && !die.is_asleep {
                self.sleep(op.die.0);
            }
        } else if is_idle {
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
        self.register_frees = frees;
    }

    /// Returns true if an operation tells its fences at the end of its transfer.
    #[inline]
    fn tells_early(&self, op: &NandOp) -> bool {
        self.register_frees && op.kind == OpKind::Program && op.cause == Cause::Host
    }

    #[inline]
    fn tell(&mut self, signals: [Fence; 2], now: SimTime) {
        for fence in signals {
            if fence.is_counted() {
                self.signal(fence, now);
            } else if fence.is_some() {
                self.reached.push_back(fence);
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
        for channel in &mut self.channels {
            channel.free_at = SimTime::ZERO;
        }
        self.usage.restart_clock();
    }

    /// Has the scheduler report the instant at which `fence` is reached. An operation that signals it must still be
    /// unfinished or to come.
    pub fn watch(&mut self, fence: Fence) {
        self.fences.get(fence).watched = true;
    }

    /// Returns the instant of the next event; [`SimTime::NEVER`] when nothing will happen.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> SimTime {
        self.agenda.first_at()
    }

    /// Lets events happen up to `limit`, until one of them concerns whoever issues: a watched fence is reached, or
    /// there is room for more, if it has more. Gives the instant of the last; `None` when there is none at or before
    /// `limit`.
    pub fn run(&mut self, limit: SimTime, has_more: bool) -> Option<SimTime> {
        let mut last = None;
        while let Some(at) = self.step(limit) {
            last = Some(at);
            if !self.reached.is_empty() || has_more && self.wants_more() {
                break;
            }
        }
        last
    }

    /// Lets the earliest event happen, if it is not after `limit`, and returns its instant.
    #[inline(always)]
    fn step(&mut self, limit: SimTime) -> Option<SimTime> {
        let at = self.agenda.first_at();
        if at > limit {
            return None;
        }
        let die = self.agenda.pop()?;
        match self.dies[usize::from(die)].phase {
            Phase::Transfer => self.end_transfer(die, at),
            Phase::Array => self.end_array(die, at),
            Phase::Suspending => self.end_suspending(die, at),
            phase => unreachable!("event for a die in phase {phase:?}"),
        }
        Some(at)
    }

    /// Returns true if a fence was reached or spent since the last time they were taken.
    #[must_use]
    #[inline]
    pub fn has_news(&self) -> bool {
        !self.reached.is_empty() || !self.spent.is_empty()
    }

    /// The first of the watched fences that were reached.
    #[inline]
    pub fn pop_reached(&mut self) -> Option<Fence> {
        self.reached.pop_front()
    }

    /// A fence that all its waiters have passed: free for reuse.
    #[inline]
    pub fn pop_spent(&mut self) -> Option<Fence> {
        self.spent.pop()
    }

    /// Starts what a die that is idle does next, if anything can start.
    #[inline]
    fn start(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        debug_assert_eq!(die.phase, Phase::Idle);
        if !self.is_plain {
            self.start_by_policy(index, now);
        } else if let Some(first) = die.queue.front() {
            if !self.fences.is_reached(first.order.waits) {
                self.sleep(index);
            } else if let Some(op) = die.queue.pop_front() {
                self.begin(index, &op, now);
            }
        }
    }

    #[inline(never)]
    fn start_by_policy(&mut self, index: u16, now: SimTime) {
        let die = &self.dies[usize::from(index)];
        let suspended = die.suspended.as_ref().map(|suspended| &suspended.op);
        match self.scheduling.decide(&self.view(die, suspended)) {
            Decision::Start(place) => {
                let op = self.take(index, place);
                self.begin(index, &op, now);
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
            fences: &self.fences,
            pages_per_block: self.pages_per_block,
        }
    }

    /// Lets a die with nothing to start sleep until the first fence that holds it up is reached.
    fn sleep(&mut self, index: u16) {
        let die = &mut self.dies[usize::from(index)];
        if die.is_asleep {
            return;
        }
        let mut fences = die.queue.iter().map(|op| op.order.waits);
        if let Some(fence) = fences.find(|&fence| !self.fences.is_reached(fence)) {
            die.is_asleep = true;
            let first = &mut self.fences.get(fence).first_sleeper;
            die.next_sleeper = std::mem::replace(first, index);
        }
    }

    /// Begins an operation that its die has nothing to do before.
    #[inline(always)]
    fn begin(&mut self, index: u16, op: &NandOp, now: SimTime) {
        self.pass_fence(op.order.waits);
        self.usage.idle_dies -= 1;
        self.begun[op.kind as usize] += u64::from(op.planes);
        let die = &mut self.dies[usize::from(index)];
        die.at_work = *op;
        die.suspensions = 0;
        let span = match op.kind {
            OpKind::Program => return self.want_channel(index, now),
            OpKind::Read => self.planes.times(&self.timing, op).0,
            OpKind::Erase => self.timing.t_erase,
        };
        die.work(now, span);
        self.agenda.enter(op.kind as usize, die.works_until, index);
    }

    /// One of those that wait for a fence has passed it.
    #[inline]
    fn pass_fence(&mut self, fence: Fence) {
        if fence.is_some() {
            let state = self.fences.get(fence);
            state.waiters -= 1;
            if state.waiters == 0 {
                self.spent.push(fence);
            }
        }
    }

    /// Lets the array of a die work for `span` from `from` on.
    #[inline]
    fn begin_array(&mut self, index: u16, from: SimTime, span: Nanos) {
        let die = &mut self.dies[usize::from(index)];
        die.work(from, span);
        self.agenda
            .enter(die.at_work.kind as usize, die.works_until, index);
    }

    /// Begins the transfer of a die, which has no event, or lets it wait.
    #[inline]
    fn want_channel(&mut self, index: u16, now: SimTime) {
        let channel = &mut self.channels[usize::from(self.dies[usize::from(index)].channel)];
        let owner = &mut self.dies[usize::from(channel.owner)];
        let is_moving = owner.phase == Phase::Transfer;
        if channel.free_at <= now && !is_moving {
            self.begin_transfer(index, now);
            return;
        }
        // From now on somebody wants to know when the present transfer, a program's, ends.
        if !is_moving {
            owner.phase = Phase::Transfer;
            let owner = channel.owner;
            self.agenda
                .remove(OpKind::Program as usize, |die| die == owner);
            self.agenda.enter(SHORT, channel.free_at, owner);
        }
        channel.waiting.push_back(index);
        self.dies[usize::from(index)].phase = Phase::WantsChannel;
    }

    /// Begins the transfer of a die on its channel, which is free.
    fn begin_transfer(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        let op = &die.at_work;
        let is_program = op.kind == OpKind::Program;
        let least = match op.kind {
            OpKind::Read => self.timing.read_sectors_least * u64::from(op.planes),
            OpKind::Program | OpKind::Erase => 0,
        };
        let sectors = u64::from(op.sectors).max(least);
        let span = self.timing.command_transfer + self.timing.sector_transfer * sectors;
        self.channel_busy += span;
        self.sectors_moved += sectors;
        let channel = &mut self.channels[usize::from(die.channel)];
        let moved = now + span;
        channel.owner = index;
        channel.free_at = moved;
        // A program goes on by itself: while nobody wants the channel or its register, the end of the
        // transfer is no event.
        if is_program
            && channel.waiting.is_empty()
            && !(self.register_frees && op.cause == Cause::Host)
            && !self.supply.is_limited()
            && !self.planes.program
        {
            let (_, t_program) = self.planes.times(&self.timing, op);
            die.work(moved, t_program);
            self.agenda
                .enter(OpKind::Program as usize, die.works_until, index);
            // A read may have come while it waited for the channel.
            self.suspend_if_due(index, now);
        } else {
            die.phase = Phase::Transfer;
            self.agenda.enter(SHORT, moved, index);
        }
    }

    #[inline(always)]
    fn end_transfer(&mut self, index: u16, now: SimTime) {
        let die = &self.dies[usize::from(index)];
        let is_program = die.at_work.kind == OpKind::Program;
        let channel = &mut self.channels[usize::from(die.channel)];
        if let Some(next) = channel.waiting.pop_front() {
            self.begin_transfer(next, now);
        }
        if !is_program {
            return self.finish(index, now);
        }
        let op = self.dies[usize::from(index)].at_work;
        if !self.join_next_plane(index, now) {
            self.program_when_supplied(index, now);
        }
        if self.tells_early(&op) {
            self.usage.pass(now, !self.wants_more());
            self.tell(op.order.signals, now);
        }
    }

    #[inline(always)]
    fn end_array(&mut self, index: u16, now: SimTime) {
        match self.dies[usize::from(index)].at_work.kind {
            OpKind::Read => self.want_channel(index, now),
            _ => self.finish(index, now),
        }
    }

    /// Ends a die's operation, tells its fences and starts what follows.
    fn finish(&mut self, index: u16, now: SimTime) {
        self.usage.pass(now, !self.wants_more());
        self.usage.idle_dies += 1;
        let die = &mut self.dies[usize::from(index)];
        die.phase = Phase::Idle;
        let op = die.at_work;
        let took_room = self.is_plain || !self.scheduling.is_express(&op);
        die.occupied -= u32::from(took_room);
        self.occupied -= u64::from(took_room);
        if op.kind == OpKind::Program {
            self.pass_supply_on(now);
        }
        if !self.tells_early(&op) {
            self.tell(op.order.signals, now);
        }
        self.end_joined(index, now);
        self.start(index, now);
        if !self.backlog.is_empty() {
            self.dispatch_backlog(now);
        }
    }

    fn signal(&mut self, fence: Fence, now: SimTime) {
        let state = self.fences.get(fence);
        state.open -= 1;
        if state.open > 0 {
            return;
        }
        if std::mem::take(&mut state.watched) {
            self.reached.push_back(fence);
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

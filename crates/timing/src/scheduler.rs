//! The operation scheduler: a queue for every die, one bus for every channel, one heap of events.
//!
//! A read senses (die), then moves data out (channel), then is done. A program moves data in
//! (channel), then programs (die). An erase occupies the die alone. A die works on one operation
//! at a time and in issue order, so operations within a block are never reordered; a channel
//! serves transfers in the order in which they become ready and fills any gap. The die holds its
//! operation from start to end, the page register included.
//!
//! The queues of the dies are bounded. Operations are dispatched in issue order, so one whose die
//! has no room holds up all behind it: the scheduler then has a backlog, and whoever issues more
//! should wait until it is gone.

use ftlab_base::{Geometry, Nanos, SimTime};
use ftlab_nand::{Fence, NandOp, OpKind};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What the phases of an operation take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NandTiming {
    /// Sensing a page into the register (tR).
    pub t_read: Nanos,
    /// Programming a page from the register (tPROG).
    pub t_program: Nanos,
    /// Erasing a block (tBERS).
    pub t_erase: Nanos,
    /// Moving one sector of 512 bytes, with its share of the spare bytes, over the channel.
    pub sector_transfer: Nanos,
    /// Command, address and status cycles of one operation on the channel.
    pub command_transfer: Nanos,
}

/// Where a die is with its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing to do, or its first operation waits for a fence.
    Idle,
    /// The operation is ready for the channel.
    WantsChannel,
    /// Data move.
    Transfer,
    /// The array works.
    Array,
}

#[derive(Debug, Clone)]
struct Die {
    queue: VecDeque<NandOp>,
    phase: Phase,
    /// The next die that sleeps on the same fence.
    next_sleeper: u16,
}

#[derive(Debug, Clone, Default)]
struct Channel {
    busy: bool,
    waiting: VecDeque<u16>,
}

/// How many unfinished operations hold a fence open, how many wait for it, and which dies sleep on
/// it.
#[derive(Debug, Clone, Copy)]
struct FenceState {
    open: u32,
    waiters: u32,
    first_sleeper: u16,
    /// The drive waits for it.
    watched: bool,
}

const NOBODY: u16 = u16::MAX;

impl FenceState {
    const CLEAR: FenceState = FenceState {
        open: 0,
        waiters: 0,
        first_sleeper: NOBODY,
        watched: false,
    };
}

/// The scheduler. All times are virtual.
#[derive(Debug, Clone)]
pub struct Scheduler {
    geometry: Geometry,
    timing: NandTiming,
    dies: Vec<Die>,
    channels: Vec<Channel>,
    fences: Vec<FenceState>,
    /// (time, sequence, die): the next phase change of a die.
    events: BinaryHeap<Reverse<(SimTime, u64, u16)>>,
    sequence: u64,
    /// Operations that the queue of a die has room for.
    die_queue: usize,
    /// Issued, and not dispatched to their dies yet.
    backlog: VecDeque<NandOp>,
    queued: usize,
    die_busy: Nanos,
    channel_busy: Nanos,
    /// Fences that operations waited for and that nobody needs any more.
    spent: Vec<Fence>,
    /// Watched fences that were reached.
    reached: VecDeque<Fence>,
}

impl Scheduler {
    /// Idle dies and channels; each die queues `die_queue` operations, the one at work included.
    #[must_use]
    pub fn new(geometry: Geometry, timing: NandTiming, die_queue: u32) -> Scheduler {
        let die = Die {
            queue: VecDeque::new(),
            phase: Phase::Idle,
            next_sleeper: NOBODY,
        };
        Scheduler {
            geometry,
            timing,
            dies: vec![die; geometry.dies() as usize],
            channels: vec![Channel::default(); geometry.channels as usize],
            fences: vec![FenceState::CLEAR],
            events: BinaryHeap::new(),
            sequence: 0,
            die_queue: die_queue as usize,
            backlog: VecDeque::new(),
            queued: 0,
            die_busy: Nanos::ZERO,
            channel_busy: Nanos::ZERO,
            spent: Vec::new(),
            reached: VecDeque::new(),
        }
    }

    /// Operations issued and not done.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// Summed busy time of all dies and of all channels.
    #[must_use]
    pub fn busy(&self) -> (Nanos, Nanos) {
        (self.die_busy, self.channel_busy)
    }

    /// Takes a batch of operations in issue order.
    pub fn issue(&mut self, now: SimTime, ops: &[NandOp]) {
        // All waiters are counted before the first can be served and the fence be reused.
        for op in ops.iter().filter(|op| op.order.waits.is_some()) {
            self.fence(op.order.waits).waiters += 1;
        }
        for op in ops {
            for fence in op.order.signals.into_iter().filter(|f| f.is_some()) {
                self.fence(fence).open += 1;
            }
            self.queued += 1;
            if self.backlog.is_empty() && self.has_room(op) {
                self.dispatch(*op, now);
            } else {
                self.backlog.push_back(*op);
            }
        }
    }

    /// Whether everything issued has been dispatched to its die.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        self.backlog.is_empty()
    }

    fn has_room(&self, op: &NandOp) -> bool {
        self.dies[op.die.index()].queue.len() < self.die_queue
    }

    fn dispatch(&mut self, op: NandOp, now: SimTime) {
        let die = &mut self.dies[op.die.index()];
        die.queue.push_back(op);
        if die.queue.len() == 1 {
            self.start(op.die.0, now);
        }
    }

    fn dispatch_backlog(&mut self, now: SimTime) {
        while let Some(op) = self.backlog.front().copied().filter(|op| self.has_room(op)) {
            self.backlog.pop_front();
            self.dispatch(op, now);
        }
    }

    /// Asks to be told when `fence` is reached. An operation that signals it must still be
    /// unfinished or to come.
    pub fn watch(&mut self, fence: Fence) {
        self.fence(fence).watched = true;
    }

    /// When something happens next.
    #[must_use]
    pub fn next_event(&self) -> Option<SimTime> {
        self.events.peek().map(|Reverse((at, ..))| *at)
    }

    /// Lets the earliest event happen; `None` when there is none at or before `now`.
    pub fn step(&mut self, now: SimTime) -> Option<SimTime> {
        let &Reverse((at, _, die)) = self.events.peek()?;
        if at > now {
            return None;
        }
        self.events.pop();
        match self.dies[usize::from(die)].phase {
            Phase::Transfer => self.end_transfer(die, at),
            Phase::Array => self.end_array(die, at),
            phase => unreachable!("event for a die in phase {phase:?}"),
        }
        Some(at)
    }

    /// The first of the watched fences that were reached.
    pub fn pop_reached(&mut self) -> Option<Fence> {
        self.reached.pop_front()
    }

    /// A fence that all its waiters have passed: free for reuse.
    pub fn pop_spent(&mut self) -> Option<Fence> {
        self.spent.pop()
    }

    fn fence(&mut self, fence: Fence) -> &mut FenceState {
        if fence.index() >= self.fences.len() {
            self.fences.resize(fence.index() + 1, FenceState::CLEAR);
        }
        &mut self.fences[fence.index()]
    }

    /// Starts the first operation of a die that is idle, unless it waits for a fence.
    fn start(&mut self, index: u16, now: SimTime) {
        let die = &self.dies[usize::from(index)];
        debug_assert_eq!(die.phase, Phase::Idle);
        let Some(op) = die.queue.front() else { return };
        let (kind, waits) = (op.kind, op.order.waits);
        if waits.is_some() {
            let state = &mut self.fences[waits.index()];
            if state.open > 0 {
                let next = std::mem::replace(&mut state.first_sleeper, index);
                self.dies[usize::from(index)].next_sleeper = next;
                return;
            }
            state.waiters -= 1;
            if state.waiters == 0 {
                self.spent.push(waits);
            }
        }
        match kind {
            OpKind::Read => self.begin_array(index, now, self.timing.t_read),
            OpKind::Program => self.want_channel(index, now),
            OpKind::Erase => self.begin_array(index, now, self.timing.t_erase),
        }
    }

    fn begin_array(&mut self, index: u16, now: SimTime, span: Nanos) {
        self.dies[usize::from(index)].phase = Phase::Array;
        self.die_busy += span;
        self.schedule(now + span, index);
    }

    fn want_channel(&mut self, index: u16, now: SimTime) {
        let channel = self.channel_of(index);
        if self.channels[channel].busy {
            self.dies[usize::from(index)].phase = Phase::WantsChannel;
            self.channels[channel].waiting.push_back(index);
        } else {
            self.begin_transfer(index, now);
        }
    }

    fn begin_transfer(&mut self, index: u16, now: SimTime) {
        let channel = self.channel_of(index);
        self.channels[channel].busy = true;
        let die = &mut self.dies[usize::from(index)];
        die.phase = Phase::Transfer;
        let sectors = die
            .queue
            .front()
            .expect("a transfer has an operation")
            .sectors;
        let span = self.timing.command_transfer + self.timing.sector_transfer * u64::from(sectors);
        self.channel_busy += span;
        self.schedule(now + span, index);
    }

    fn end_transfer(&mut self, index: u16, now: SimTime) {
        let channel = self.channel_of(index);
        self.channels[channel].busy = false;
        if let Some(next) = self.channels[channel].waiting.pop_front() {
            self.begin_transfer(next, now);
        }
        match self.dies[usize::from(index)].queue[0].kind {
            OpKind::Program => self.begin_array(index, now, self.timing.t_program),
            _ => self.finish(index, now),
        }
    }

    fn end_array(&mut self, index: u16, now: SimTime) {
        match self.dies[usize::from(index)].queue[0].kind {
            OpKind::Read => self.want_channel(index, now),
            _ => self.finish(index, now),
        }
    }

    /// Ends a die's operation, tells its fences and starts what follows.
    fn finish(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        die.phase = Phase::Idle;
        let op = die.queue.pop_front().expect("a busy die has an operation");
        self.queued -= 1;
        for fence in op.order.signals.into_iter().filter(|f| f.is_some()) {
            self.signal(fence, now);
        }
        self.start(index, now);
        self.dispatch_backlog(now);
    }

    fn signal(&mut self, fence: Fence, now: SimTime) {
        let state = &mut self.fences[fence.index()];
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
            self.start(sleeper, now);
            sleeper = next;
        }
    }

    fn schedule(&mut self, at: SimTime, die: u16) {
        self.sequence += 1;
        self.events.push(Reverse((at, self.sequence, die)));
    }

    fn channel_of(&self, die: u16) -> usize {
        usize::from(die) % self.geometry.channels as usize
    }
}

#[cfg(test)]
mod tests;

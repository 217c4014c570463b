//! What the dies of an array share: channels, fences, the agenda of events, and the sums of what they did.
//!
//! Work begins here, on one die and what all share; what that means for other dies is told to the scheduler.

use super::die::{Die, Phase};
use super::planes::Planes;
use super::supply::Supply;
use super::usage::Usage;
use crate::fences::Fences;
use crate::nand_timing::NandTiming;
use ftlab_base::{Lanes, Nanos, SimTime};
use ftlab_nand::{Cause, Fence, NandOp, OpKind};
use std::collections::VecDeque;

/// Lanes of the agenda: the array's work by kind of operation, which takes about as long each time, and what is short.
const LANES: usize = 4;
pub(super) const SHORT: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Channel {
    /// The die whose transfer began last, and when that ends.
    pub(super) owner: u16,
    pub(super) free_at: SimTime,
    /// True if that end is an event to come.
    pub(super) is_awaited: bool,
    waiting: VecDeque<u16>,
}

impl Channel {
    /// A channel that nothing has crossed.
    pub(super) fn free(owner: u16) -> Channel {
        Channel {
            owner,
            free_at: SimTime::ZERO,
            is_awaited: false,
            waiting: VecDeque::new(),
        }
    }
}

/// What else follows from the work that a die began.
#[derive(Debug, Clone, Copy)]
pub(super) enum Follows {
    Nothing,
    /// The die waits for the channel, and the transfer of this one, a program's, ends without an event so far.
    OwnerIsAwaited(u16),
    /// The array programs, and may be suspended for a read.
    MaySuspend,
}

/// What the dies share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) timing: NandTiming,
    /// True if a program for the host tells its fences when its data are in the page register, rather than when they
    /// are in the cells.
    pub(super) register_frees: bool,
    pub(super) supply: Supply,
    pub(super) planes: Planes,
    pub(super) channels: Vec<Channel>,
    pub(super) fences: Fences,
    /// The next phase change of every die that has one, by what it is the end of.
    pub(super) agenda: Lanes<u16, LANES>,
    pub(super) usage: Usage,
    pub(super) channel_busy: Nanos,
    /// Pages and blocks that dies began, by kind of operation.
    pub(super) begun: [u64; 3],
    pub(super) sectors_moved: u64,
    /// Fences that operations waited for and that nobody needs any more.
    pub(super) spent: Vec<Fence>,
    /// Watched fences that were reached.
    pub(super) reached: VecDeque<Fence>,
}

impl Shared {
    /// Returns true if an operation tells its fences at the end of its transfer.
    #[inline]
    pub(super) fn tells_early(&self, op: &NandOp) -> bool {
        self.register_frees && op.kind == OpKind::Program && op.cause == Cause::Host
    }

    /// Begins an operation that its die has nothing to do before.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        die: &mut Die,
        index: u16,
        op: &NandOp,
        now: SimTime,
    ) -> Follows {
        self.pass_fence(op.order.waits);
        self.usage.idle_dies -= 1;
        self.begun[op.kind as usize] += u64::from(op.planes);
        die.at_work = *op;
        die.suspensions = 0;
        let span = match op.kind {
            OpKind::Program => return self.want_channel(die, index, now),
            OpKind::Read => self.planes.times(&self.timing, op).0,
            OpKind::Erase => self.timing.t_erase,
        };
        self.begin_array(die, index, now, span);
        Follows::Nothing
    }

    /// One of those that wait for a fence has passed it.
    #[inline]
    pub(super) fn pass_fence(&mut self, fence: Fence) {
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
    pub(super) fn begin_array(&mut self, die: &mut Die, index: u16, from: SimTime, span: Nanos) {
        die.work(from, span);
        let kind = die.at_work.kind;
        self.agenda.enter(kind as usize, die.works_until, index);
    }

    /// Begins the transfer of a die, which has no event, or lets it wait.
    #[inline]
    pub(super) fn want_channel(&mut self, die: &mut Die, index: u16, now: SimTime) -> Follows {
        let channel = &mut self.channels[usize::from(die.channel)];
        if channel.free_at <= now && !channel.is_awaited {
            return self.begin_transfer(die, index, now);
        }
        channel.waiting.push_back(index);
        die.phase = Phase::WantsChannel;
        match channel.is_awaited {
            true => Follows::Nothing,
            false => Follows::OwnerIsAwaited(channel.owner),
        }
    }

    /// From now on somebody wants to know when the transfer of the die that has its channel ends, a program's.
    #[cold]
    pub(super) fn await_transfer(&mut self, owner: &mut Die, index: u16) {
        owner.phase = Phase::Transfer;
        let channel = &mut self.channels[usize::from(owner.channel)];
        channel.is_awaited = true;
        let program = OpKind::Program as usize;
        self.agenda.remove(program, |die| die == index);
        self.agenda.enter(SHORT, channel.free_at, index);
    }

    /// Begins the transfer of a die on its channel, which is free.
    #[inline]
    pub(super) fn begin_transfer(&mut self, die: &mut Die, index: u16, now: SimTime) -> Follows {
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
        let goes_on = is_program
            && channel.waiting.is_empty()
            && !(self.register_frees && op.cause == Cause::Host)
            && !self.supply.is_limited()
            && !self.planes.program;
        channel.is_awaited = !goes_on;
        if goes_on {
            let (_, t_program) = self.planes.times(&self.timing, op);
            self.begin_array(die, index, moved, t_program);
            Follows::MaySuspend
        } else {
            die.phase = Phase::Transfer;
            self.agenda.enter(SHORT, moved, index);
            Follows::Nothing
        }
    }

    /// The transfer on a channel has ended; gives the die whose turn it is.
    #[inline]
    pub(super) fn free(&mut self, channel: u16) -> Option<u16> {
        let channel = &mut self.channels[usize::from(channel)];
        channel.is_awaited = false;
        channel.waiting.pop_front()
    }
}

//! One die, as the scheduler keeps it.

use crate::fences::NOBODY;
use crate::plane_set::PlaneSet;
use ftlab_base::{DieId, Nanos, PageId, SimTime};
use ftlab_nand::{Cause, NandOp, OpKind, Order};
use std::collections::VecDeque;

/// Stage of a die's operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing to do, or its first operation waits for a fence.
    Idle,
    /// The operation is ready for the channel.
    WantsChannel,
    /// Data move, and somebody wants to know when they have: the operation ends with that, or the
    /// channel is wanted.
    Transfer,
    /// The array works; or a program's data still move and it will work when they have.
    Array,
    /// A program's data are in the register, and as many arrays program as may at a time.
    WantsSupply,
    /// The array is about to suspend its operation.
    Suspending,
}

/// An operation in the middle of its work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspended {
    pub(super) op: NandOp,
    /// Number of suspensions, this one included.
    pub(super) times: u32,
    /// Time that its array still takes.
    pub(super) left: Nanos,
}

/// A die: what it works on, and what waits for it.
#[derive(Debug, Clone)]
pub(super) struct Die {
    pub(super) phase: Phase,
    pub(super) channel: u16,
    /// The next die that sleeps on the same fence.
    pub(super) next_sleeper: u16,
    /// True if the die sleeps on a fence.
    pub(super) is_asleep: bool,
    /// Operations dispatched and not done, of those that take room.
    pub(super) occupied: u32,
    /// The operation at work, unless idle.
    pub(super) at_work: NandOp,
    /// Programs of the planes before, whose data are in their registers.
    pub(super) joined: Vec<NandOp>,
    /// Number of times that the operation was suspended.
    pub(super) suspensions: u32,
    pub(super) works_from: SimTime,
    pub(super) works_until: SimTime,
    /// The operation that lets reads pass in the middle of its work.
    pub(super) suspended: Option<Suspended>,
    /// Number of times that others have passed the suspended operation, or else the first of the queue.
    pub(super) overtaken: u32,
    /// Operations dispatched and not started.
    pub(super) queue: VecDeque<NandOp>,
    /// Planes at work on reads of their own, a bit each; none where a die does one thing at a time.
    pub(super) reading: PlaneSet,
}

impl Die {
    /// An idle die on a channel.
    pub(super) fn new(channel: u32) -> Die {
        Die {
            phase: Phase::Idle,
            channel: channel as u16,
            next_sleeper: NOBODY,
            is_asleep: false,
            occupied: 0,
            at_work: NandOp {
                kind: OpKind::Read,
                cause: Cause::Host,
                planes: 0,
                slc: false,
                die: DieId(0),
                sectors: 0,
                page: PageId(0),
                order: Order::FREE,
            },
            joined: Vec::new(),
            suspensions: 0,
            works_from: SimTime::ZERO,
            works_until: SimTime::ZERO,
            suspended: None,
            overtaken: 0,
            queue: VecDeque::new(),
            reading: PlaneSet::default(),
        }
    }

    /// Its array works for `span` from `from` on.
    #[inline]
    pub(super) fn work(&mut self, from: SimTime, span: Nanos) {
        self.phase = Phase::Array;
        self.works_from = from;
        self.works_until = from + span;
    }
}

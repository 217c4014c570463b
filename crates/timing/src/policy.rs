//! Scheduling policies: what a die does next, decided over a read-only view.
//!
//! A policy never breaks the order that the data need: within a block, an operation passes another
//! only when both read, or when a read for the host passes a program that does not hold its data. Only what waits for no fence, or for one that is
//! reached, passes anything, so whatever is issued first can always go on.

use crate::fences::Fences;
use crate::plane_set::{PlaneSet, PlanesApart};
use ftlab_base::{Divisor, Nanos};
use ftlab_nand::{Cause, NandOp, OpKind};
use std::collections::VecDeque;

/// In which order a die works off its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DieOrder {
    /// First come, first served: in the order of issue.
    Fcfs,
    /// Reads for the host before everything else.
    ReadFirst,
    /// Reads before everything else, those for the host before those of collection: what collection programs next is
    /// read while the dies program what it read before.
    AllReadsFirst,
}

/// Operations that a read for the host may suspend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspend {
    /// No operation is suspended.
    Nothing,
    /// An erase that runs.
    Erase,
    /// A running erase or program.
    ProgramErase,
}

/// Scheduling of the operations of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheduling {
    /// The order of a die's queue.
    pub order: DieOrder,
    /// True if collection and wear levelling let operations for the host pass.
    pub gc_preemptible: bool,
    /// Number of times that one operation lets others pass while it is next or suspended.
    pub overtake_max: u32,
    /// Operations that a read for the host may suspend.
    pub suspend: Suspend,
    /// Distance of the points at which an operation can be suspended, counted from where its array began to work; zero
    /// where it can be anywhere.
    pub suspend_every: Nanos,
    /// From such a point until the die takes a read.
    pub suspend_time: Nanos,
    /// From the command to resume until the array works again.
    pub resume_time: Nanos,
    /// Number of times that one operation may be suspended.
    pub suspend_max: u32,
    /// The least that is left of an operation for which it is suspended: a read waits for one that is nearer to its end.
    pub suspend_left_min: Nanos,
}

impl Scheduling {
    /// Every die works in issue order and finishes what it began.
    pub const FCFS: Scheduling = Scheduling {
        order: DieOrder::Fcfs,
        gc_preemptible: false,
        overtake_max: 0,
        suspend: Suspend::Nothing,
        suspend_every: Nanos::ZERO,
        suspend_time: Nanos::ZERO,
        resume_time: Nanos::ZERO,
        suspend_max: 0,
        suspend_left_min: Nanos::ZERO,
    };
}

/// The next step of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Start the operation at this place of the queue.
    Start(usize),
    /// Go on with what is suspended.
    Resume,
    /// Nothing can start now.
    Wait,
}

/// A die as a policy sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DieView<'a> {
    /// Operations that have not started, as dispatched.
    pub(crate) queue: &'a VecDeque<NandOp>,
    /// The suspended operation, if there is one.
    pub(crate) suspended: Option<&'a NandOp>,
    /// Number of times that others have passed the suspended operation, or else the first of the queue.
    pub(crate) overtaken: u32,
    pub(crate) fences: &'a Fences,
    pub(crate) pages_per_block: Divisor,
    pub(crate) planes: PlanesApart,
    /// Planes at work on reads of their own, beside which only reads of others begin.
    pub(crate) reading: PlaneSet,
}

impl DieView<'_> {
    /// Returns true if nothing that the die does keeps an operation from beginning.
    fn is_free_for(&self, op: &NandOp) -> bool {
        self.reading.is_empty()
            || op.kind == OpKind::Read && self.planes.of_read(op).is_apart_from(self.reading)
    }

    /// Going on with what is suspended, as soon as nothing reads.
    fn resume(&self) -> Decision {
        match self.reading.is_empty() {
            true => Decision::Resume,
            false => Decision::Wait,
        }
    }
}

/// Done for the drive itself rather than the host.
fn is_internal(op: &NandOp) -> bool {
    matches!(op.cause, Cause::Gc | Cause::Wear)
}

fn is_host_read(op: &NandOp) -> bool {
    op.kind == OpKind::Read && !is_internal(op)
}

/// Returns true if an operation must not pass another of its die that was issued before it: they work on one block, and
/// not both only read it. A read for the host passes programs: pages before theirs were programmed already, and what
/// collection has yet to copy is read where it was. Planes that work together have blocks of neighbouring numbers.
pub(crate) fn keep_order(a: &NandOp, b: &NandOp, pages_per_block: Divisor) -> bool {
    if a.kind == OpKind::Read && b.kind == OpKind::Read {
        return false;
    }
    if is_host_read(a) && b.kind == OpKind::Program && (is_internal(b) || a.page != b.page) {
        return false;
    }
    let blocks = |op: &NandOp| {
        let first = pages_per_block.divide(op.page.0).0;
        first..first + u32::from(op.planes)
    };
    let (a, b) = (blocks(a), blocks(b));
    a.start < b.end && b.start < a.end
}

impl Scheduling {
    /// Returns true if every die works in issue order and finishes what it began.
    #[inline]
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.reorders() && self.suspend == Suspend::Nothing
    }

    #[inline]
    fn reorders(&self) -> bool {
        self.order != DieOrder::Fcfs || self.gc_preemptible
    }

    /// Returns true if an operation takes no room in the queue of its die and may go round the backlog: it would pass
    /// most of it anyway. The host's queue bounds their number.
    #[inline]
    pub(crate) fn is_express(&self, op: &NandOp) -> bool {
        self.reorders() && is_host_read(op) && !op.order.waits.is_some()
    }

    /// The lower, the sooner.
    fn rank(&self, op: &NandOp) -> u8 {
        match self.order {
            DieOrder::ReadFirst | DieOrder::AllReadsFirst if is_host_read(op) => 0,
            DieOrder::AllReadsFirst if op.kind == OpKind::Read => 1,
            _ if self.gc_preemptible && is_internal(op) => 3,
            _ => 2,
        }
    }

    /// Returns true if `op` may be done before `other`, which was issued before it for the same die.
    pub(crate) fn may_pass(&self, op: &NandOp, other: &NandOp, pages_per_block: Divisor) -> bool {
        if is_host_read(op) && is_host_read(other) {
            return self.reorders();
        }
        self.rank(op) < self.rank(other) && !keep_order(op, other, pages_per_block)
    }

    /// Decides the next step of a die that does nothing.
    pub(crate) fn decide(&self, view: &DieView<'_>) -> Decision {
        let is_ready = |op: &NandOp| view.fences.is_reached(op.order.waits);
        let otherwise = match view.suspended {
            Some(_) => view.resume(),
            None => Decision::Wait,
        };
        if view.overtaken >= self.overtake_max {
            match view.queue.front() {
                _ if view.suspended.is_some() => return view.resume(),
                Some(first) if is_ready(first) => {
                    return match view.is_free_for(first) {
                        true => Decision::Start(0),
                        false => Decision::Wait,
                    };
                }
                _ => {}
            }
        }
        let best = (0..view.queue.len())
            .filter(|&place| self.may_start(place, view) && is_ready(&view.queue[place]))
            .filter(|&place| view.is_free_for(&view.queue[place]))
            .min_by_key(|&place| (self.rank(&view.queue[place]), place));
        best.map_or(otherwise, Decision::Start)
    }

    /// Returns true if the operation at `place` may go before all that is ahead of it.
    fn may_start(&self, place: usize, view: &DieView<'_>) -> bool {
        let op = &view.queue[place];
        // The reads that a suspension is for need no rank to pass what is suspended.
        let passes_suspended = view.suspended.is_none_or(|suspended| {
            is_host_read(op) && !keep_order(op, suspended, view.pages_per_block)
        });
        let mut ahead = view.queue.range(..place);
        passes_suspended && ahead.all(|other| self.may_pass(op, other, view.pages_per_block))
    }

    /// Returns the span for which an operation that has worked for `worked` goes on before it can be suspended.
    pub(crate) fn until_suspendable(&self, worked: Nanos) -> Nanos {
        match worked.0.checked_rem(self.suspend_every.0) {
            None | Some(0) => Nanos::ZERO,
            Some(beyond) => Nanos(self.suspend_every.0 - beyond),
        }
    }

    /// Returns true if a running operation, which `view` shows as suspended already, is to be suspended: it was `times`
    /// times before, and takes `left` after that.
    pub(crate) fn suspends(&self, view: &DieView<'_>, times: u32, left: Nanos) -> bool {
        let is_suspendable = match view.suspended.map(|op| op.kind) {
            Some(OpKind::Erase) => self.suspend != Suspend::Nothing,
            Some(OpKind::Program) => self.suspend == Suspend::ProgramErase,
            Some(OpKind::Read) | None => false,
        };
        is_suspendable
            && times < self.suspend_max
            && left > self.suspend_time.max(self.suspend_left_min)
            && matches!(self.decide(view), Decision::Start(_))
    }
}

//! Work that the planes of a die do together.
//!
//! Reads for the host, or of collection, that are issued together: the planes sense together, and their data cross the
//! channel one after the other. Programs that queue one behind the other: with a page's data in its
//! register, a die takes those of the next plane, and then programs both at once.

use super::config::SchedulerConfig;
use super::{Phase, Scheduler};
use crate::nand_timing::NandTiming;
use crate::plane_set::PlanesApart;
use crate::policy::Suspend;
use ftlab_base::{Divisor, Nanos, SimTime};
use ftlab_nand::{Cause, NandOp, OpKind};

/// Rules of which operations belong together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planes {
    /// Planes that program together.
    planes_per_die: u32,
    pages_per_block: Divisor,
    /// Planes that sense together what is read for the host; 1 where each senses alone.
    read: u32,
    /// Planes that one read of collection senses together.
    collect: u32,
    /// True if programs are joined over planes.
    pub(super) program: bool,
    /// Planes that sense by themselves.
    pub(super) apart: PlanesApart,
}

impl Planes {
    pub(super) fn new(
        planes_per_die: u32,
        pages_per_block: Divisor,
        config: &SchedulerConfig,
    ) -> Planes {
        assert!(
            !(config.joins_planes && config.order.suspend == Suspend::ProgramErase),
            "programs that are joined are suspended"
        );
        Planes {
            planes_per_die,
            pages_per_block,
            read: config.planes_read,
            collect: config.planes_collected,
            program: config.joins_planes,
            apart: PlanesApart {
                count: config.planes_apart,
                pages_per_block,
            },
        }
    }

    /// Returns true if `next` does to the planes right behind those of `first` the same, at the same page, where so
    /// many planes work together.
    fn follows(&self, next: &NandOp, first: &NandOp, planes: u32) -> bool {
        let distance = u32::from(first.planes) * self.pages_per_block.get();
        let block = self.pages_per_block.quotient(next.page.0);
        (next.kind, next.die, next.slc) == (first.kind, first.die, first.slc)
            && next.page.0 == first.page.0 + distance
            && !block.is_multiple_of(planes)
    }

    /// Sensing and programming the page of an operation, or the first of them.
    #[inline]
    pub(super) fn times(&self, timing: &NandTiming, op: &NandOp) -> (Nanos, Nanos) {
        let page_type = match timing.page_types {
            1 => 0,
            types => self.page_type(op, types, timing.pages_per_program),
        };
        timing.of(op, page_type)
    }

    /// Returns the number of the page type that an operation begins with, within its word line. Pages that are
    /// programmed together are counted as planes, and others follow one another in their block.
    fn page_type(&self, op: &NandOp, types: u32, pages_per_program: u32) -> u32 {
        let (block, page) = self.pages_per_block.divide(op.page.0);
        if pages_per_program > 1 {
            block % self.planes_per_die / (self.planes_per_die / pages_per_program)
        } else {
            page % types
        }
    }

    /// Returns true if any pages are sensed together.
    pub(super) fn senses_together(&self) -> bool {
        self.read.max(self.collect) > 1
    }

    /// Planes that sense together for a cause.
    fn sensing(&self, cause: Cause) -> u32 {
        match cause {
            Cause::Host => self.read,
            Cause::Gc | Cause::Wear => self.collect,
            Cause::Map => 1,
        }
    }

    /// Returns the number of the first operations that are one read, and that read. Collection goes through a
    /// superblock page by page unless its reads are done together, too.
    pub(super) fn first_read(&self, ops: &[NandOp]) -> (usize, NandOp) {
        let mut read = ops[0];
        let mut taken = 1;
        while let Some(next) = ops.get(taken)
            && read.kind == OpKind::Read
            && self.follows(next, &read, self.sensing(read.cause))
            && read.cause == next.cause
            && read.order == next.order
            // Waiters of a fence are counted one by one.
            && !read.order.waits.is_some()
        {
            read.planes += next.planes;
            read.sectors += next.sectors;
            taken += 1;
        }
        (taken, read)
    }
}

impl Scheduler {
    /// Lets a die take the data of the next plane, if they wait to be programmed; false if there are none.
    #[inline]
    pub(super) fn join_next_plane(&mut self, index: u16, now: SimTime) -> bool {
        self.shared.planes.program && self.join_what_follows(index, now)
    }

    fn join_what_follows(&mut self, index: u16, now: SimTime) -> bool {
        let die = &self.dies[usize::from(index)];
        let planes = self.shared.planes.planes_per_die;
        let next = die.queue.front().filter(|next| {
            self.shared.planes.follows(next, &die.at_work, planes)
                && self.shared.fences.is_reached(next.order.waits)
        });
        let Some(&next) = next else {
            return false;
        };
        let die = &mut self.dies[usize::from(index)];
        die.queue.pop_front();
        die.joined.push(die.at_work);
        die.at_work = next;
        // Its transfer is over, so the channel is not its own any more.
        die.phase = Phase::WantsChannel;
        self.shared.pass_fence(next.order.waits);
        self.shared.begun[OpKind::Program as usize] += u64::from(next.planes);
        self.want_channel(index, now);
        true
    }

    /// Ends the programs that a die joined to the operation that is done now.
    #[inline]
    pub(super) fn end_joined(&mut self, index: u16, now: SimTime) {
        if self.shared.planes.program {
            self.end_all_joined(index, now);
        }
    }

    fn end_all_joined(&mut self, index: u16, now: SimTime) {
        while let Some(op) = self.dies[usize::from(index)].joined.pop() {
            let takes_room = !self.is_express(&op);
            self.dies[usize::from(index)].occupied -= u32::from(takes_room);
            self.occupied -= u64::from(takes_room);
            if !self.shared.tells_early(&op) {
                self.tell(op.order.signals, now);
            }
        }
    }
}

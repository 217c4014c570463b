//! Planes of a die that sense by themselves: independent plane reads.
//!
//! Each plane of such a die has a register of its own, which the list of the dies has behind all dies: that of plane `n` of
//! a die is `n` times the number of dies behind it. A die reads on all planes that are free, side by side, and begins nothing
//! else before all of them are.

use super::die::Phase;
use super::{Decision, Scheduler};
use ftlab_base::SimTime;
use ftlab_nand::{NandOp, OpKind};

impl Scheduler {
    /// Returns true if a die may begin something: it does nothing, or has planes that are free beside those that read.
    pub(super) fn may_begin(&self, index: u16) -> bool {
        let die = &self.dies[usize::from(index)];
        die.phase == Phase::Idle || self.reads_apart() && die.at_work.kind == OpKind::Read
    }

    /// Returns true if planes sense by themselves.
    #[inline]
    pub(super) fn reads_apart(&self) -> bool {
        self.shared.planes.apart.count > 1
    }

    /// Starts what a die does next, and what its free planes can read beside.
    pub(super) fn start_apart(&mut self, index: u16, now: SimTime) {
        while self.may_begin(index) {
            let die = &self.dies[usize::from(index)];
            let suspended = die.suspended.as_ref().map(|suspended| &suspended.op);
            match self.scheduling.decide(&self.view(die, suspended)) {
                Decision::Start(place) => self.begin_apart(index, place, now),
                Decision::Resume => self.resume(index, now),
                Decision::Wait => return self.sleep(index),
            }
        }
    }

    fn begin_apart(&mut self, index: u16, place: usize, now: SimTime) {
        let op = self.take(index, place);
        let planes = self.shared.planes.apart.of_read(&op);
        let die = &mut self.dies[usize::from(index)];
        let is_beside = !die.reading.is_empty();
        die.reading.add(planes);
        let dies = self.dies.len() / self.shared.planes.apart.count as usize;
        let register = match planes.is_empty() {
            true => usize::from(index),
            false => usize::from(index) + planes.first() * dies,
        };
        // A die that is at work already is not one less at rest.
        self.shared.usage.idle_dies += u32::from(is_beside);
        let die = &mut self.dies[register];
        let follows = self.shared.begin(die, register as u16, &op, now);
        self.follow(follows, register as u16, now);
    }

    /// A read has ended whose planes sense by themselves.
    pub(super) fn leave_planes(&mut self, op: &NandOp) {
        let planes = self.shared.planes.apart.of_read(op);
        let die = &mut self.dies[op.die.index()];
        die.reading.remove(planes);
        self.shared.usage.idle_dies -= u32::from(!die.reading.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SUSPENDING, US, config, geometry, op, run};
    use super::*;
    use crate::policy::Scheduling;
    use crate::scheduler::SchedulerConfig;
    use ftlab_base::PageId;
    use ftlab_nand::{Fence, Order};

    /// One die of two planes that read by themselves; a page takes 50 us to sense and 100 to cross the channel.
    fn scheduler(scheduling: Scheduling) -> Scheduler {
        let config = SchedulerConfig {
            planes_apart: 2,
            ..config(scheduling)
        };
        Scheduler::new(geometry(1, 1, 2), config)
    }

    /// An operation on the first page of a block; blocks lie on the planes in turn.
    fn on_block(kind: OpKind, block: u32) -> NandOp {
        NandOp {
            page: PageId(block * 8),
            ..op(kind, 0, Order::FREE)
        }
    }

    fn reads(blocks: [u32; 2]) -> [NandOp; 2] {
        blocks.map(|block| on_block(OpKind::Read, block))
    }

    #[test]
    fn planes_sense_side_by_side_and_share_the_channel() {
        let mut apart = scheduler(SUSPENDING);
        apart.issue(SimTime::ZERO, &reads([0, 1]));
        assert_eq!(run(&mut apart), 50 + 2 * 100);
        // The die has worked from the first sense to the last transfer, once.
        let occupancy = apart.occupancy(SimTime(300 * US));
        assert_eq!((occupancy.dies, occupancy.idle.0), (1, 50 * US));
        // Two pages of one plane come one after the other.
        let mut one = scheduler(SUSPENDING);
        one.issue(SimTime::ZERO, &reads([0, 2]));
        assert_eq!(run(&mut one), 2 * (50 + 100));
    }

    #[test]
    fn a_read_of_both_planes_needs_both() {
        let both = NandOp {
            planes: 2,
            ..on_block(OpKind::Read, 0)
        };
        let mut apart = scheduler(SUSPENDING);
        apart.issue(SimTime::ZERO, &[both, on_block(OpKind::Read, 1)]);
        assert_eq!(run(&mut apart), 2 * (50 + 100));
    }

    #[test]
    fn a_program_begins_when_all_planes_are_free_and_reads_suspend_it() {
        let mut apart = scheduler(SUSPENDING);
        apart.issue(SimTime::ZERO, &reads([0, 1]));
        apart.issue(SimTime::ZERO, &[on_block(OpKind::Program, 3)]);
        // 250 us of reads, a transfer of 100 and a program of 900.
        assert_eq!(run(&mut apart), 250 + 100 + 900);
        let mut apart = scheduler(SUSPENDING);
        apart.issue(SimTime::ZERO, &[on_block(OpKind::Program, 3)]);
        for (number, mut read) in (0..).zip(reads([0, 1])) {
            read.order = Order::FREE.signalling(Fence::of_command(number));
            apart.issue(SimTime(400 * US), &[read]);
        }
        let mut told = Vec::new();
        while let Some(at) = apart.run(SimTime::NEVER, false) {
            told.extend(std::iter::from_fn(|| apart.pop_reached()).map(|_| at.0 / US));
        }
        // Both pass in one suspension.
        assert_eq!(told, [400 + 50 + 100, 400 + 50 + 2 * 100]);
        assert_eq!(apart.next_event(), SimTime::NEVER);
    }
}

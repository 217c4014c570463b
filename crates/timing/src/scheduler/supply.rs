//! Limit of dies that program at a time: what the supply of a drive bears, or what its firmware allows to stay within
//! it.

use super::{Phase, Scheduler};
use ftlab_base::SimTime;
use std::collections::VecDeque;

/// Dies that program, and those that wait to.
#[derive(Debug, Clone, Default)]
pub(super) struct Supply {
    /// Arrays that may program at a time, if that is limited.
    most: Option<u32>,
    /// Arrays that program, those included whose program is suspended.
    programming: u32,
    /// Dies whose data are in their registers, first come first served.
    waiting: VecDeque<u16>,
}

impl Supply {
    /// Enough for `most` programs at a time, or for all.
    pub(super) fn for_programs(most: Option<u32>) -> Supply {
        assert!(most != Some(0), "a supply for no program at all");
        Supply {
            most,
            ..Supply::default()
        }
    }

    /// Returns true if a program may have to wait.
    #[inline]
    pub(super) fn is_limited(&self) -> bool {
        self.most.is_some()
    }
}

impl Scheduler {
    /// Lets the array of a die, which has no event, program what its register holds, now or when another one is done.
    #[inline]
    pub(super) fn program_when_supplied(&mut self, index: u16, now: SimTime) {
        let supply = &mut self.shared.supply;
        match supply.most {
            Some(most) if supply.programming >= most => {
                supply.waiting.push_back(index);
                self.dies[usize::from(index)].phase = Phase::WantsSupply;
            }
            _ => self.program(index, now),
        }
    }

    /// A program is done: the one that waits longest begins.
    #[inline]
    pub(super) fn pass_supply_on(&mut self, now: SimTime) {
        if self.shared.supply.is_limited() {
            self.begin_next_program(now);
        }
    }

    fn begin_next_program(&mut self, now: SimTime) {
        self.shared.supply.programming -= 1;
        if let Some(next) = self.shared.supply.waiting.pop_front() {
            self.program(next, now);
        }
    }

    fn program(&mut self, index: u16, now: SimTime) {
        self.shared.supply.programming += u32::from(self.shared.supply.is_limited());
        let die = &mut self.dies[usize::from(index)];
        let (_, t_program) = (self.shared.planes).times(&self.shared.timing, &die.at_work);
        self.shared.begin_array(die, index, now, t_program);
        self.suspend_if_due(index, now);
    }
}

//! Suspending a program or an erase for a read, and resuming it.

use super::Scheduler;
use super::die::{Phase, Suspended};
use super::shared::SHORT;
use crate::policy::Suspend;
use ftlab_base::{Nanos, SimTime};
use ftlab_nand::OpKind;

impl Scheduler {
    /// Suspends what a die works on if its policy says so.
    #[inline]
    pub(super) fn suspend_if_due(&mut self, index: u16, now: SimTime) {
        // Most drives suspend nothing.
        if self.scheduling.suspend != Suspend::Nothing {
            self.suspend_by_policy(index, now);
        }
    }

    fn suspend_by_policy(&mut self, index: u16, now: SimTime) {
        let die = &self.dies[usize::from(index)];
        // What is suspended already lets others pass as they come up.
        if die.phase != Phase::Array || die.suspended.is_some() {
            return;
        }
        let begun = die.works_from.max(now);
        let wait = (self.scheduling).until_suspendable(begun.since(die.works_from));
        let left = die.works_until.since(begun);
        let left = Nanos(left.0.saturating_sub(wait.0));
        let mut view = self.view(die, Some(&die.at_work));
        view.overtaken = 0;
        if !self.scheduling.suspends(&view, die.suspensions, left) {
            return;
        }
        let is_moving = die.at_work.kind == OpKind::Program
            && self.shared.channels[usize::from(die.channel)].owner == index
            && self.shared.channels[usize::from(die.channel)].free_at > now;
        let die = &mut self.dies[usize::from(index)];
        let kind = die.at_work.kind;
        self.shared
            .agenda
            .remove(kind as usize, |other| other == index);
        if is_moving {
            // Its data still move: it is suspended when they have, if a read still waits then.
            die.phase = Phase::Transfer;
            let channel = &mut self.shared.channels[usize::from(die.channel)];
            channel.is_awaited = true;
            self.shared.agenda.enter(SHORT, channel.free_at, index);
            return;
        }
        die.suspended = Some(Suspended {
            op: die.at_work,
            times: die.suspensions + 1,
            left,
        });
        die.overtaken = 0;
        die.phase = Phase::Suspending;
        self.shared
            .agenda
            .enter(SHORT, now + wait + self.scheduling.suspend_time, index);
    }

    pub(super) fn end_suspending(&mut self, index: u16, now: SimTime) {
        self.shared.usage.pass(now, !self.wants_more());
        self.dies[usize::from(index)].phase = Phase::Idle;
        self.shared.usage.idle_dies += 1;
        self.start(index, now);
    }

    /// Goes on with what is suspended.
    pub(super) fn resume(&mut self, index: u16, now: SimTime) {
        let die = &mut self.dies[usize::from(index)];
        let Suspended { op, times, left } = die
            .suspended
            .take()
            .expect("a policy resumes what is suspended");
        die.at_work = op;
        die.suspensions = times;
        die.overtaken = 0;
        self.shared.usage.idle_dies -= 1;
        let begins = now + self.scheduling.resume_time;
        self.shared.begin_array(die, index, begins, left);
    }
}

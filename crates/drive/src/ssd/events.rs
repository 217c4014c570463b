//! The drive's own events: what happens to commands between the stages that serve them.
//!
//! Every stage serves in order of arrival, so the events it causes come in order too, and a queue
//! for each stage takes the place of a heap.

use ftlab_base::{Lanes, SimTime};

/// Next event of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The host's CPU has sent it: it wants the link and the firmware core.
    Sent,
    /// The firmware has decided what to do about what is no read.
    Decided,
    /// The firmware has it, and the first of a write's data.
    Ready,
    /// The firmware has a read, which may take another time than a write does.
    ReadReady,
    /// The entries of the mapping table that a read needs have come out of the host's memory.
    LookedUp,
    /// A read's last byte has crossed the link.
    DataOut,
    /// The record of a round of flushes is programmed; of the first of them.
    Recorded,
    /// A write is in the buffer, and all of its data have arrived.
    Written,
    /// It is done for the host.
    Done,
    /// It is over and was not done: the flash takes no more writes.
    Failed,
    /// It is over and nobody answered it.
    GivenUp,
}

/// Purpose of the pages that are being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The data of a command.
    Data(u32),
    /// A page of the mapping table.
    Table(u32),
    /// Pages that the firmware needs to go on.
    Firmware,
}

/// The stages, each with a queue of the events it causes.
const STAGES: usize = 9;

impl Event {
    /// The queue of the stage that causes the event. What is over ends at once, whether it was
    /// done or not.
    const fn stage(self) -> usize {
        match self {
            Event::Sent => 0,
            Event::Ready => 1,
            Event::DataOut => 2,
            Event::Written => 3,
            Event::Done | Event::Failed | Event::GivenUp => 4,
            Event::ReadReady => 5,
            Event::Decided => 6,
            Event::LookedUp => 7,
            Event::Recorded => 8,
        }
    }
}

/// Events by time, and at one instant in the order in which they were scheduled.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    stages: Lanes<(Event, u32), STAGES>,
}

impl Events {
    /// Schedules what happens to a command.
    ///
    /// # Panics
    /// When the stage has scheduled something later already: it did not serve in order.
    #[inline]
    pub(super) fn schedule(&mut self, at: SimTime, event: Event, command: u32) {
        let stage = event.stage();
        let last = self.stages.last_at(stage);
        assert!(last <= at, "{event:?} at {at:?}, after {last:?}");
        self.stages.enter(stage, at, (event, command));
    }

    /// Instant of the earliest event; [`SimTime::NEVER`] when there is none.
    #[inline]
    pub(super) fn first_at(&self) -> SimTime {
        self.stages.first_at()
    }

    /// Takes the earliest event and its command.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Event, u32)> {
        self.stages.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_and_then_as_scheduled() {
        let mut events = Events::default();
        events.schedule(SimTime(20), Event::Ready, 0);
        events.schedule(SimTime(10), Event::Sent, 1);
        events.schedule(SimTime(10), Event::Done, 2);
        events.schedule(SimTime(10), Event::Failed, 3);
        events.schedule(SimTime(10), Event::Sent, 4);
        events.schedule(SimTime(5), Event::DataOut, 5);
        assert_eq!(events.first_at(), SimTime(5));
        let order: Vec<u32> = std::iter::from_fn(|| events.pop())
            .map(|(_, command)| command)
            .collect();
        assert_eq!(order, [5, 1, 2, 3, 4, 0]);
        assert_eq!(events.first_at(), SimTime::NEVER);
    }

    #[test]
    #[should_panic(expected = "Ready at SimTime(9)")]
    fn a_stage_that_does_not_serve_in_order_is_a_bug() {
        let mut events = Events::default();
        events.schedule(SimTime(10), Event::Ready, 0);
        events.schedule(SimTime(9), Event::Ready, 1);
    }
}

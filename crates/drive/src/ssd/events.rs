//! The drive's own events: what happens to commands between the stages that serve them.
//!
//! Every stage serves in order of arrival, so the events it causes come in order too, and a queue
//! for each stage takes the place of a heap.

use ftlab_base::SimTime;
use std::collections::VecDeque;

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
const STAGES: usize = 8;

const STAGE_BITS: u32 = 3;

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
        }
    }
}

/// Time, sequence and stage of an event, the most significant first, so that events compare as numbers and the
/// earliest says where it is.
type Key = u128;

/// The instant of a queue without an event: later than anything.
const NOTHING: Key = Key::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    event: Event,
    command: u32,
}

/// Events by time, and at one instant in the order in which they were scheduled.
#[derive(Debug)]
pub(super) struct Events {
    queues: [VecDeque<Entry>; STAGES],
    /// The key of the first entry of each queue that has one.
    heads: [Key; STAGES],
    /// A bit for each of these queues: of eight, two or three have something at a time.
    live: u8,
    /// The key of the earliest event of all.
    first: Key,
    sequence: u64,
}

impl Events {
    pub(super) fn new() -> Events {
        Events {
            queues: Default::default(),
            heads: [NOTHING; STAGES],
            live: 0,
            first: NOTHING,
            sequence: 0,
        }
    }

    /// Schedules what happens to a command.
    ///
    /// # Panics
    /// When the stage has scheduled something later already: it did not serve in order.
    #[inline]
    pub(super) fn schedule(&mut self, at: SimTime, event: Event, command: u32) {
        self.sequence += 1;
        let stage = event.stage();
        let key = Key::from(at.0) << 64 | Key::from(self.sequence << STAGE_BITS | stage as u64);
        match self.queues[stage].back() {
            Some(last) => assert!(last.key < key, "{event:?} at {at:?}, after {last:?}"),
            None => {
                self.heads[stage] = key;
                self.live |= 1 << stage;
                self.first = self.first.min(key);
            }
        }
        self.queues[stage].push_back(Entry {
            key,
            event,
            command,
        });
    }

    /// Instant of the earliest event; [`SimTime::NEVER`] when there is none.
    #[inline]
    pub(super) fn first_at(&self) -> SimTime {
        SimTime((self.first >> 64) as u64)
    }

    /// Takes the earliest event and its command.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Event, u32)> {
        if self.first == NOTHING {
            return None;
        }
        let stage = (self.first as u64 & ((1 << STAGE_BITS) - 1)) as usize;
        let queue = &mut self.queues[stage];
        let Entry { event, command, .. } = queue.pop_front()?;
        match queue.front() {
            Some(next) => self.heads[stage] = next.key,
            None => self.live &= !(1 << stage),
        }
        let (mut live, mut first) = (self.live, NOTHING);
        while live != 0 {
            first = first.min(self.heads[live.trailing_zeros() as usize]);
            live &= live - 1;
        }
        self.first = first;
        Some((event, command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_and_then_as_scheduled() {
        let mut events = Events::new();
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
        let mut events = Events::new();
        events.schedule(SimTime(10), Event::Ready, 0);
        events.schedule(SimTime(9), Event::Ready, 1);
    }
}

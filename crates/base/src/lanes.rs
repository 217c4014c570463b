//! Events in lanes: each lane gets its events nearly in the order of their times, so a queue takes the place of a heap.

use crate::time::SimTime;
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    at: SimTime,
    /// Number of the event: at one instant they come as they were entered.
    sequence: u64,
    event: T,
}

/// Events by time, and at one instant in the order in which they were entered, in at most sixteen lanes.
///
/// The first event of each lane is kept beside those of the other lanes, so that most events touch no queue.
#[derive(Debug, Clone)]
pub struct Lanes<T, const LANES: usize> {
    /// Instant of the first event of each lane that has one.
    at: [SimTime; LANES],
    sequences: [u64; LANES],
    events: [Option<T>; LANES],
    /// Instant of the last event of each lane; zero if it has none.
    last_at: [SimTime; LANES],
    /// The other events of each lane.
    queues: [VecDeque<Entry<T>>; LANES],
    /// A bit for each lane with an event: mostly few of them have something at a time.
    live: u16,
    /// The earliest event of all: its instant, and its lane.
    first: (SimTime, usize),
    sequence: u64,
}

impl<T: Copy, const LANES: usize> Default for Lanes<T, LANES> {
    fn default() -> Self {
        const { assert!(LANES <= u16::BITS as usize) };
        Lanes {
            at: [SimTime::NEVER; LANES],
            sequences: [0; LANES],
            events: [None; LANES],
            last_at: [SimTime::ZERO; LANES],
            queues: std::array::from_fn(|_| VecDeque::new()),
            live: 0,
            first: (SimTime::NEVER, 0),
            sequence: 0,
        }
    }
}

impl<T: Copy, const LANES: usize> Lanes<T, LANES> {
    /// Enters an event into a lane. It costs the less the fewer events of the lane come later.
    #[inline]
    pub fn enter(&mut self, lane: usize, at: SimTime, event: T) {
        self.sequence += 1;
        let entry = Entry {
            at,
            sequence: self.sequence,
            event,
        };
        if at < self.last_at[lane] {
            return self.enter_before(lane, entry);
        }
        self.last_at[lane] = at;
        if self.live & 1 << lane != 0 {
            self.queues[lane].push_back(entry);
            return;
        }
        self.live |= 1 << lane;
        self.set_head(lane, entry);
        if at < self.first.0 {
            self.first = (at, lane);
        }
    }

    /// Enters an event before others of its lane.
    #[cold]
    #[inline(never)]
    fn enter_before(&mut self, lane: usize, mut entry: Entry<T>) {
        if entry.at < self.at[lane] {
            let head = Entry {
                at: self.at[lane],
                sequence: self.sequences[lane],
                event: self.events[lane].expect("something of the lane comes later"),
            };
            self.set_head(lane, entry);
            entry = head;
        }
        let queue = &mut self.queues[lane];
        let before = queue
            .iter()
            .rposition(|other| (other.at, other.sequence) < (entry.at, entry.sequence));
        queue.insert(before.map_or(0, |before| before + 1), entry);
        self.find_first();
    }

    /// Instant of the earliest event; [`SimTime::NEVER`] when there is none.
    #[must_use]
    #[inline]
    pub fn first_at(&self) -> SimTime {
        self.first.0
    }

    /// Instant of the last event of a lane; [`SimTime::ZERO`] when it has none.
    #[must_use]
    #[inline]
    pub fn last_at(&self, lane: usize) -> SimTime {
        self.last_at[lane]
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.live == 0 {
            return None;
        }
        let lane = self.first.1;
        let event = self.events[lane];
        self.take_head(lane);
        event
    }

    /// Removes the last event of a lane of which `is_it` is true; does nothing if there is none.
    pub fn remove(&mut self, lane: usize, is_it: impl Fn(T) -> bool) {
        let queue = &mut self.queues[lane];
        if let Some(place) = queue.iter().rposition(|entry| is_it(entry.event)) {
            queue.remove(place);
            self.last_at[lane] = queue.back().map_or(self.at[lane], |last| last.at);
        } else if self.live & 1 << lane != 0 && self.events[lane].is_some_and(is_it) {
            self.take_head(lane);
        }
    }

    #[inline]
    fn set_head(&mut self, lane: usize, entry: Entry<T>) {
        self.at[lane] = entry.at;
        self.sequences[lane] = entry.sequence;
        self.events[lane] = Some(entry.event);
    }

    /// Removes the first event of a lane, which has one.
    #[inline]
    fn take_head(&mut self, lane: usize) {
        match self.queues[lane].pop_front() {
            Some(next) => self.set_head(lane, next),
            None => {
                self.live &= !(1 << lane);
                self.last_at[lane] = SimTime::ZERO;
            }
        }
        self.find_first();
    }

    /// Finds the earliest of the first events.
    #[inline]
    fn find_first(&mut self) {
        let (mut live, mut first) = (self.live, (SimTime::NEVER, 0));
        let mut sequence = 0;
        while live != 0 {
            let lane = live.trailing_zeros() as usize % LANES;
            let at = self.at[lane];
            if at < first.0 || at == first.0 && self.sequences[lane] < sequence {
                first = (at, lane);
                sequence = self.sequences[lane];
            }
            live &= live - 1;
        }
        self.first = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RootSeed;
    use rand::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn it_gives_the_events_of_a_sorted_map_in_the_same_order() {
        let mut rng = RootSeed(1).stream("lanes");
        let (mut lanes, mut sorted) = (Lanes::<u32, 4>::default(), BTreeMap::new());
        for entered in 0..20_000_u32 {
            let word = rng.next_u64();
            let lane = (word % 4) as usize;
            match word >> 61 {
                0..4 => {
                    // Few instants, so that many events share one.
                    let at = SimTime(word >> 32 & 15);
                    lanes.enter(lane, at, entered);
                    sorted.insert((at, entered), lane);
                }
                4 => {
                    let of_lane = sorted.iter().filter(|&(_, &of)| of == lane);
                    if let Some(key) = of_lane.map(|(&key, _)| key).next_back() {
                        sorted.remove(&key);
                        lanes.remove(lane, |event| event == key.1);
                    }
                }
                _ => {
                    let first = sorted.pop_first().map(|((_, event), _)| event);
                    assert_eq!(lanes.pop(), first);
                }
            }
            let first = sorted.first_key_value();
            assert_eq!(
                lanes.first_at(),
                first.map_or(SimTime::NEVER, |(key, _)| key.0)
            );
        }
    }
}

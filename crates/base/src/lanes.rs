//! Events in lanes: each lane gets its events nearly in the order of their times, so a queue takes the place of a heap.

use crate::time::SimTime;
use std::collections::VecDeque;

/// Time, sequence and lane of the first event of a lane, the most significant first, so that they compare as numbers and the
/// earliest says where it is.
type Key = u128;

/// The key of a lane without an event: later than anything.
const NOTHING: Key = Key::MAX;

const LANE_BITS: u32 = 3;

#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    at: SimTime,
    /// Number of the event and, below, of its lane.
    sequence: u64,
    event: T,
}

impl<T> Entry<T> {
    #[inline]
    fn key(&self) -> Key {
        Key::from(self.at.0) << 64 | Key::from(self.sequence)
    }
}

/// Events by time, and at one instant in the order in which they were entered, in at most eight lanes.
#[derive(Debug, Clone)]
pub struct Lanes<T, const LANES: usize> {
    queues: [VecDeque<Entry<T>>; LANES],
    /// The key of the first event of each lane that has one.
    heads: [Key; LANES],
    /// A bit for each of these lanes: mostly few of them have something at a time.
    live: u8,
    /// The key of the earliest event of all.
    first: Key,
    sequence: u64,
}

impl<T: Copy, const LANES: usize> Default for Lanes<T, LANES> {
    fn default() -> Self {
        const { assert!(LANES <= 1 << LANE_BITS) };
        Lanes {
            queues: std::array::from_fn(|_| VecDeque::new()),
            heads: [NOTHING; LANES],
            live: 0,
            first: NOTHING,
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
            sequence: self.sequence << LANE_BITS | lane as u64,
            event,
        };
        let queue = &mut self.queues[lane];
        match queue.back() {
            Some(last) if last.at > at => self.enter_before(lane, entry),
            Some(_) => queue.push_back(entry),
            None => {
                queue.push_back(entry);
                self.live |= 1 << lane;
                self.heads[lane] = entry.key();
                self.first = self.first.min(entry.key());
            }
        }
    }

    /// Enters an event before others of its lane.
    #[cold]
    fn enter_before(&mut self, lane: usize, entry: Entry<T>) {
        let queue = &mut self.queues[lane];
        let before = queue.iter().rposition(|other| other.at <= entry.at);
        queue.insert(before.map_or(0, |before| before + 1), entry);
        self.heads[lane] = queue[0].key();
        self.first = self.first.min(entry.key());
    }

    /// Instant of the earliest event; [`SimTime::NEVER`] when there is none.
    #[must_use]
    #[inline]
    pub fn first_at(&self) -> SimTime {
        SimTime((self.first >> 64) as u64)
    }

    /// Instant of the last event of a lane, if it has one.
    #[must_use]
    #[inline]
    pub fn last_at(&self, lane: usize) -> Option<SimTime> {
        self.queues[lane].back().map(|last| last.at)
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.first == NOTHING {
            return None;
        }
        let lane = (self.first as u64 & ((1 << LANE_BITS) - 1)) as usize;
        let entry = self.queues[lane].pop_front()?;
        self.look_at(lane);
        Some(entry.event)
    }

    /// Removes the last event of a lane of which `is_it` is true; does nothing if there is none.
    pub fn remove(&mut self, lane: usize, is_it: impl Fn(T) -> bool) {
        let place = self.queues[lane]
            .iter()
            .rposition(|entry| is_it(entry.event));
        if let Some(place) = place {
            self.queues[lane].remove(place);
            self.look_at(lane);
        }
    }

    /// Looks at what is first in a lane, and of all.
    #[inline]
    fn look_at(&mut self, lane: usize) {
        match self.queues[lane].front() {
            Some(first) => self.heads[lane] = first.key(),
            None => self.live &= !(1 << lane),
        }
        let (mut live, mut first) = (self.live, NOTHING);
        while live != 0 {
            first = first.min(self.heads[live.trailing_zeros() as usize % LANES]);
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

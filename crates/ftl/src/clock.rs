//! Parts of a mapping table on flash that are in memory, and those of them that flash does not know yet. The layer
//! decides what a part is: an entry or a page of the table.
//!
//! Parts leave by *clock* (second chance; Corbató 1968): a hand goes round, passes what was looked
//! up since it came by last, and takes the first part that was not. A hit sets one bit. A part
//! comes in without the bit, so what is looked up once, as when collection moves cold data, is among
//! the first to leave.

use ftlab_base::deltas;
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Set for a part that is in memory.
const HELD: u8 = 1;
/// Set for a part that was looked up since the hand came by.
const USED: u8 = 2;
/// Set for a part that is newer than what flash holds.
const DIRTY: u8 = 4;

/// Marks of each part of a mapping table, by number.
#[derive(Debug, Clone)]
pub(crate) struct Marks(Vec<u8>);

/// Parts of a mapping table of one size.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    capacity: usize,
    /// The parts that are held, in the order the hand meets them.
    ring: Vec<u32>,
    /// The next part that may have to leave; 0 until the ring is full.
    hand: usize,
    marks: Marks,
}

/// A [`Clock`] in a saved state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClockState {
    /// Numbers of the parts that are held, in the order of the ring.
    #[serde(with = "deltas")]
    pub ring: Vec<u32>,
    /// Marks of the same parts, without [`HELD`].
    marks: Vec<u8>,
    pub hand: u32,
}

impl ClockState {
    /// Returns true if some part is newer than what flash holds.
    pub fn has_dirty(&self) -> bool {
        self.marks.iter().any(|mark| mark & DIRTY != 0)
    }
}

impl Marks {
    /// None of `parts` is held.
    pub fn new(parts: u32) -> Marks {
        Marks(vec![0; parts as usize])
    }

    /// Returns true if a part is held, and marks it as looked up then.
    #[inline]
    pub fn look_up(&mut self, part: u32) -> bool {
        let mark = &mut self.0[part as usize];
        let held = *mark & HELD != 0;
        if held {
            *mark |= USED;
        }
        held
    }

    /// Returns true if a part is held.
    pub fn holds(&self, part: u32) -> bool {
        self.0[part as usize] & HELD != 0
    }

    /// Returns true if a part is newer than what flash holds.
    pub fn is_dirty(&self, part: u32) -> bool {
        self.0[part as usize] & DIRTY != 0
    }

    /// A held part has changed.
    #[inline]
    pub fn change(&mut self, part: u32) {
        debug_assert!(self.holds(part));
        self.0[part as usize] |= DIRTY;
    }

    /// A held part is what flash holds.
    pub fn clean(&mut self, part: u32) {
        self.0[part as usize] &= !DIRTY;
    }

    /// A part comes in.
    pub fn bring_in(&mut self, part: u32) {
        debug_assert!(!self.holds(part));
        self.0[part as usize] = HELD;
    }

    /// A part leaves; it is clean.
    pub fn leave(&mut self, part: u32) {
        let mark = std::mem::take(&mut self.0[part as usize]);
        debug_assert_eq!(mark, HELD, "it was used, or is dirty");
    }

    /// Returns true if a held part was looked up since the hand came by last, and takes that mark from it.
    pub fn takes_chance(&mut self, part: u32) -> bool {
        let mark = &mut self.0[part as usize];
        let was_used = *mark & USED != 0;
        *mark &= !USED;
        was_used
    }

    /// Saves the ring with the marks of its parts, for the time that the drive is off.
    pub fn state(&self, ring: Vec<u32>, hand: u32) -> ClockState {
        let marks = ring.iter().map(|&part| self.0[part as usize] & !HELD);
        let marks = marks.collect();
        ClockState { ring, marks, hand }
    }

    /// Takes over what was held; nothing is held yet.
    ///
    /// # Errors
    /// Says which part cannot be.
    pub fn take_over(&mut self, saved: &ClockState) -> Result<(), StateError> {
        let (held, marks) = (saved.ring.len(), saved.marks.len());
        StateError::unless(marks == held, || {
            format!("{held} parts of the map with {marks} marks")
        })?;
        for (&part, &mark) in saved.ring.iter().zip(&saved.marks) {
            match self.0.get_mut(part as usize) {
                Some(place) if *place == 0 && mark & !(USED | DIRTY) == 0 => *place = HELD | mark,
                _ => return Err(StateError(format!("part {part} of the map is impossible"))),
            }
        }
        Ok(())
    }
}

impl Clock {
    /// Holds none of `parts`; `capacity` is at least 1.
    pub fn new(capacity: u32, parts: u32) -> Clock {
        assert!(capacity > 0, "memory for no part of the map");
        Clock {
            capacity: capacity as usize,
            ring: Vec::new(),
            hand: 0,
            marks: Marks::new(parts),
        }
    }

    /// Returns true if a part is held, and marks it as looked up then.
    #[inline]
    pub fn look_up(&mut self, part: u32) -> bool {
        self.marks.look_up(part)
    }

    /// Returns true if a part is held.
    pub fn holds(&self, part: u32) -> bool {
        self.marks.holds(part)
    }

    /// Returns true if a part is newer than what flash holds.
    pub fn is_dirty(&self, part: u32) -> bool {
        self.marks.is_dirty(part)
    }

    /// A held part has changed.
    #[inline]
    pub fn change(&mut self, part: u32) {
        self.marks.change(part);
    }

    /// A held part is what flash holds.
    pub fn clean(&mut self, part: u32) {
        self.marks.clean(part);
    }

    /// The part that has to leave before another one comes in, if there is no room.
    pub fn next_to_leave(&mut self) -> Option<u32> {
        if self.ring.len() < self.capacity {
            return None;
        }
        loop {
            let part = self.ring[self.hand];
            if !self.marks.takes_chance(part) {
                return Some(part);
            }
            self.hand = self.after_hand();
        }
    }

    /// A part comes in, in the place of the one that has to leave, which is clean.
    pub fn bring_in(&mut self, part: u32) {
        self.marks.bring_in(part);
        if self.ring.len() < self.capacity {
            self.ring.push(part);
            return;
        }
        let left = std::mem::replace(&mut self.ring[self.hand], part);
        self.marks.leave(left);
        self.hand = self.after_hand();
    }

    /// Looks a part up; returns true if it was not held, and has come in. Nothing is dirty.
    pub fn touch(&mut self, part: u32) -> bool {
        let comes_in = !self.look_up(part);
        if comes_in {
            self.next_to_leave();
            self.bring_in(part);
        }
        comes_in
    }

    fn after_hand(&self) -> usize {
        if self.hand + 1 == self.capacity {
            0
        } else {
            self.hand + 1
        }
    }

    /// Saves the parts that are held, for the time that the drive is off.
    pub fn state(&self) -> ClockState {
        self.marks.state(self.ring.clone(), self.hand as u32)
    }

    /// Takes over such a state; nothing is held yet.
    ///
    /// # Errors
    /// Says what memory of this size cannot hold.
    pub fn take_over(&mut self, saved: &ClockState) -> Result<(), StateError> {
        let (held, capacity, hand) = (saved.ring.len(), self.capacity, saved.hand);
        StateError::unless(held <= capacity, || {
            format!("{held} parts of the map; the drive holds {capacity}")
        })?;
        let hands = if held == capacity { capacity } else { 1 };
        StateError::unless((hand as usize) < hands, || {
            format!("part {hand} of the map in memory is the next to leave")
        })?;
        self.marks.take_over(saved)?;
        self.ring.clone_from(&saved.ring);
        self.hand = hand as usize;
        Ok(())
    }

    /// Checks that marks and ring agree.
    ///
    /// # Panics
    /// When they do not.
    pub fn check(&self) {
        assert!(self.ring.len() <= self.capacity);
        assert!(self.hand == 0 || self.ring.len() == self.capacity);
        let marks = &self.marks.0;
        let held = marks.iter().filter(|&&mark| mark & HELD != 0).count();
        assert_eq!(held, self.ring.len(), "parts held");
        let outside = self.ring.iter().find(|&&part| !self.holds(part));
        assert_eq!(outside, None, "in the ring and not held");
        let stray = marks.iter().position(|&mark| mark != 0 && mark & HELD == 0);
        assert_eq!(stray, None, "marked and not held");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up a part; gives what had to leave for it.
    fn touch(clock: &mut Clock, part: u32) -> Option<u32> {
        let before = clock.ring.clone();
        assert_eq!(clock.touch(part), !before.contains(&part));
        clock.check();
        before.into_iter().find(|&part| !clock.holds(part))
    }

    #[test]
    fn what_was_looked_up_again_gets_a_second_chance() {
        let mut clock = Clock::new(3, 10);
        for part in [0, 1, 2, 0] {
            assert_eq!(touch(&mut clock, part), None);
        }
        assert_eq!(touch(&mut clock, 3), Some(1), "0 was used, 1 was not");
        assert_eq!(touch(&mut clock, 4), Some(2));
        assert_eq!(touch(&mut clock, 5), Some(0), "its chance is over");
        assert_eq!(touch(&mut clock, 0), Some(3));
    }

    #[test]
    fn when_all_were_used_the_hand_comes_round() {
        let mut clock = Clock::new(2, 10);
        for part in [0, 1, 0, 1] {
            touch(&mut clock, part);
        }
        assert_eq!(touch(&mut clock, 2), Some(0));
    }
}

//! Which entries of the mapping table are in memory, and which of them flash does not know yet.
//!
//! Entries leave by *clock* (second chance; Corbató 1968): a hand goes round, passes what was looked
//! up since it came by last, and takes the first entry that was not. A hit sets one bit. An entry
//! comes in without the bit, so what is looked up once, as when collection moves cold data, is among
//! the first to leave.

/// In memory.
const HELD: u8 = 1;
/// Looked up since the hand came by.
const USED: u8 = 2;
/// Newer than what flash holds.
const DIRTY: u8 = 4;

/// Entries of the mapping table, by logical slot.
#[derive(Debug, Clone)]
pub(super) struct EntryCache {
    capacity: usize,
    /// The logical slots whose entries are held, in the order the hand meets them.
    ring: Vec<u32>,
    /// The next entry that may have to leave; 0 until the ring is full.
    hand: usize,
    /// What is known of the entry of each logical slot.
    marks: Vec<u8>,
}

impl EntryCache {
    /// Holds nothing; `capacity` is at least 1.
    pub fn new(capacity: u32, slots: u32) -> EntryCache {
        assert!(capacity > 0, "a cache of no entries");
        EntryCache {
            capacity: capacity as usize,
            ring: Vec::new(),
            hand: 0,
            marks: vec![0; slots as usize],
        }
    }

    /// Whether the entry of a slot is held; if so, it has been looked up.
    #[inline]
    pub fn look_up(&mut self, slot: u32) -> bool {
        let mark = &mut self.marks[slot as usize];
        let held = *mark & HELD != 0;
        if held {
            *mark |= USED;
        }
        held
    }

    /// Whether the entry of a slot is held.
    pub fn holds(&self, slot: u32) -> bool {
        self.marks[slot as usize] & HELD != 0
    }

    /// Whether the entry of a slot is newer than what flash holds.
    pub fn is_dirty(&self, slot: u32) -> bool {
        self.marks[slot as usize] & DIRTY != 0
    }

    /// A held entry has changed.
    #[inline]
    pub fn change(&mut self, slot: u32) {
        debug_assert!(self.holds(slot));
        self.marks[slot as usize] |= DIRTY;
    }

    /// A held entry is what flash holds.
    pub fn clean(&mut self, slot: u32) {
        self.marks[slot as usize] &= !DIRTY;
    }

    /// The entry that has to leave before another one comes in, if there is no room.
    pub fn next_to_leave(&mut self) -> Option<u32> {
        if self.ring.len() < self.capacity {
            return None;
        }
        loop {
            let slot = self.ring[self.hand];
            let mark = &mut self.marks[slot as usize];
            if *mark & USED == 0 {
                return Some(slot);
            }
            *mark &= !USED;
            self.hand = self.after_hand();
        }
    }

    /// The entry of a slot comes in, in the place of the one that has to leave, which is clean.
    pub fn bring_in(&mut self, slot: u32) {
        debug_assert!(!self.holds(slot));
        self.marks[slot as usize] = HELD;
        if self.ring.len() < self.capacity {
            self.ring.push(slot);
            return;
        }
        let left = std::mem::replace(&mut self.ring[self.hand], slot);
        debug_assert_eq!(self.marks[left as usize], HELD, "it was used, or is dirty");
        self.marks[left as usize] = 0;
        self.hand = self.after_hand();
    }

    fn after_hand(&self) -> usize {
        if self.hand + 1 == self.capacity {
            0
        } else {
            self.hand + 1
        }
    }

    /// What is held, in the order of the ring, each with whether it was used and is dirty; and where
    /// the hand is.
    pub fn state(&self) -> (Vec<u32>, Vec<u8>, u32) {
        let marks = self.ring.iter().map(|&slot| self.marks[slot as usize]);
        let marks = marks.map(|mark| mark & !HELD).collect();
        (self.ring.clone(), marks, self.hand as u32)
    }

    /// Takes over such a state; the cache is empty.
    ///
    /// # Errors
    /// Says what no cache of this size can hold.
    pub fn take_over(&mut self, ring: &[u32], marks: &[u8], hand: u32) -> Result<(), String> {
        if ring.len() > self.capacity || marks.len() != ring.len() {
            return Err(format!(
                "{} entries of the map with {} marks; the drive holds {}",
                ring.len(),
                marks.len(),
                self.capacity
            ));
        }
        let is_full = ring.len() == self.capacity;
        if hand as usize >= if is_full { self.capacity } else { 1 } {
            return Err(format!("entry {hand} of the map is the next to leave"));
        }
        for (&slot, &mark) in ring.iter().zip(marks) {
            let place = self.marks.get_mut(slot as usize);
            match place {
                Some(place) if *place == 0 && mark & !(USED | DIRTY) == 0 => *place = HELD | mark,
                _ => return Err(format!("an impossible entry of the map: of slot {slot}")),
            }
        }
        self.ring = ring.to_vec();
        self.hand = hand as usize;
        Ok(())
    }

    /// That marks and ring agree.
    ///
    /// # Panics
    /// When they do not.
    pub fn check(&self) {
        assert!(self.ring.len() <= self.capacity);
        assert!(self.hand == 0 || self.ring.len() == self.capacity);
        let held = self.marks.iter().filter(|&&mark| mark & HELD != 0).count();
        assert_eq!(held, self.ring.len(), "entries held");
        let outside = self.ring.iter().find(|&&slot| !self.holds(slot));
        assert_eq!(outside, None, "in the ring and not held");
        let stray = self
            .marks
            .iter()
            .position(|&mark| mark != 0 && mark & HELD == 0);
        assert_eq!(stray, None, "marked and not held");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up a slot, and brings its entry in if it is not held; gives what had to leave.
    fn touch(cache: &mut EntryCache, slot: u32) -> Option<u32> {
        if cache.look_up(slot) {
            return None;
        }
        let leaves = cache.next_to_leave();
        cache.bring_in(slot);
        cache.check();
        leaves
    }

    #[test]
    fn what_was_looked_up_again_gets_a_second_chance() {
        let mut cache = EntryCache::new(3, 10);
        for slot in [0, 1, 2, 0] {
            assert_eq!(touch(&mut cache, slot), None);
        }
        assert_eq!(touch(&mut cache, 3), Some(1), "0 was used, 1 was not");
        assert_eq!(touch(&mut cache, 4), Some(2));
        assert_eq!(touch(&mut cache, 5), Some(0), "its chance is over");
        assert_eq!(touch(&mut cache, 0), Some(3));
    }

    #[test]
    fn when_all_were_used_the_hand_comes_round() {
        let mut cache = EntryCache::new(2, 10);
        for slot in [0, 1, 0, 1] {
            touch(&mut cache, slot);
        }
        assert_eq!(touch(&mut cache, 2), Some(0));
    }
}

//! Look-ups in a mapping table that lies in flash, of which memory holds a few pages.
//!
//! For layers that keep their table themselves but do not say where: a read whose entries are not in
//! memory waits until their page has been read. It waits for the time alone, since where the page
//! lies, and which die that keeps busy, is not known here.

use super::Ssd;
use super::events::Event;
use super::params::TableCache;
use ftlab_base::{Command, SimTime};

/// Which pages of the table are in memory. A page that is needed takes the place of one that was not
/// asked for since the hand of the clock passed it last.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    cache: TableCache,
    /// By page of the table: whether it is in memory, and asked for since the hand passed.
    is_in: Vec<bool>,
    was_asked: Vec<bool>,
    /// The pages in memory.
    held: Vec<u32>,
    hand: usize,
}

impl Lookup {
    /// Memory without any page of the table.
    pub(super) fn new(cache: TableCache) -> Lookup {
        let pages = cache.table_pages as usize;
        Lookup {
            cache,
            is_in: vec![false; pages],
            was_asked: vec![false; pages],
            held: Vec::new(),
            hand: 0,
        }
    }

    /// Brings the entries of so many slots into memory; whether any was not there.
    fn bring(&mut self, first: u32, slots: u32) -> bool {
        let of = |slot: u32| slot / self.cache.entries_per_page;
        let pages = of(first)..=of(first + slots.max(1) - 1);
        let mut misses = false;
        for page in pages {
            if self.is_in[page as usize] {
                self.was_asked[page as usize] = true;
            } else {
                misses = true;
                self.take_in(page);
            }
        }
        misses
    }

    fn take_in(&mut self, page: u32) {
        self.is_in[page as usize] = true;
        if self.held.len() < self.cache.pages as usize {
            self.held.push(page);
            return;
        }
        loop {
            let place = self.hand;
            self.hand = (self.hand + 1) % self.held.len();
            let old = self.held[place] as usize;
            if !std::mem::take(&mut self.was_asked[old]) {
                self.is_in[old] = false;
                self.held[place] = page;
                return;
            }
        }
    }
}

impl Ssd {
    /// A read wants its entries of the mapping table.
    pub(super) fn look_up(&mut self, number: u32, command: &Command, now: SimTime) {
        let (first, slots) = self.slot.touched(command);
        if let Some(lookup) = &mut self.lookup
            && lookup.bring(first.0, slots)
        {
            let at = now + lookup.cache.read;
            self.events.schedule(at, Event::LookedUp, number);
            return;
        }
        self.begin_read(number, command, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Nanos;

    #[test]
    fn pages_that_are_asked_for_stay() {
        let mut lookup = Lookup::new(TableCache {
            pages: 2,
            entries_per_page: 10,
            table_pages: 4,
            read: Nanos(1),
        });
        // 0 and 1 come in; 0 is asked for again, so 2 takes the place of 1.
        assert!(lookup.bring(0, 1) && lookup.bring(19, 1));
        assert!(!lookup.bring(9, 1));
        assert!(lookup.bring(20, 1));
        assert!(!lookup.bring(5, 1) && lookup.bring(10, 1));
        // Slots on both sides of a border need both pages.
        assert!(lookup.bring(29, 2));
        assert!(!lookup.bring(29, 2));
    }
}

//! Look-ups in a mapping table that lies in flash, of which memory holds a few pages.
//!
//! For layers that keep their table themselves but do not say where: its pages are taken to lie spread
//! over the dies. A read whose entries are not in memory waits until their pages have been read. A write
//! does not wait, but a page must be read as well for the entry that it changes, so writes all over a
//! drive keep its dies busy with the table. That changed pages are written again is left out.

use super::Ssd;
use super::params::TableCache;
use super::reads::Awaited;
use ftlab_base::{Command, DieId, Geometry, Lpn, SECTOR_BYTES, SimTime};
use ftlab_nand::{Cause, Fence, NandOp, OpKind, Order};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Which pages of the table are in memory. A page that is needed takes the place of one that was not
/// asked for since the hand of the clock passed it last.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    cache: TableCache,
    /// By page of the table: whether it has a place in memory, and was asked for since the hand passed.
    is_in: Vec<bool>,
    was_asked: Vec<bool>,
    /// The pages that have a place in memory.
    held: Vec<u32>,
    hand: usize,
    /// Pages that are being read, each with the commands that wait for it.
    coming: BTreeMap<u32, Vec<u32>>,
    /// By command: how many pages it waits for.
    missing: BTreeMap<u32, u32>,
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
            coming: BTreeMap::new(),
            missing: BTreeMap::new(),
        }
    }

    /// The pages with the entries of so many slots.
    fn pages(&self, first: Lpn, slots: u32) -> RangeInclusive<u32> {
        let of = |slot: u32| slot / self.cache.entries_per_page;
        of(first.0)..=of(first.0 + slots.max(1) - 1)
    }

    /// A page is wanted, by a command that waits for it or by none; whether it must be read.
    fn ask(&mut self, page: u32, waiting: Option<u32>) -> bool {
        let is_coming = self.coming.contains_key(&page);
        if self.is_in[page as usize] {
            self.was_asked[page as usize] = true;
            if !is_coming {
                return false;
            }
        } else {
            self.take_in(page);
        }
        self.coming.entry(page).or_default().extend(waiting);
        if let Some(command) = waiting {
            *self.missing.entry(command).or_default() += 1;
        }
        !is_coming
    }

    /// A page has been read; the commands that wait for none any more.
    fn came(&mut self, page: u32) -> Vec<u32> {
        let mut waiting = self.coming.remove(&page).unwrap_or_default();
        waiting.retain(|command| {
            let missing = self.missing.get_mut(command).expect("it waits for a page");
            *missing -= 1;
            let is_ready = *missing == 0;
            if is_ready {
                self.missing.remove(command);
            }
            is_ready
        });
        waiting
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

/// Reads a page of the table.
fn read_page(geometry: &Geometry, page: u32, done: Fence) -> NandOp {
    let die = DieId((page % geometry.dies()) as u16);
    NandOp {
        kind: OpKind::Read,
        cause: Cause::Map,
        planes: 1,
        die,
        sectors: (u64::from(geometry.page_bytes) / SECTOR_BYTES) as u16,
        page: geometry.page(geometry.block(die, 0), 0),
        order: Order::FREE.signalling(done),
    }
}

impl Ssd {
    /// A read wants its entries of the mapping table.
    pub(super) fn look_up(&mut self, number: u32, command: &Command, now: SimTime) {
        let (first, slots) = self.slot.touched(command);
        if self.fetch_entries(first, slots, Some(number)) {
            self.issue(now);
        } else {
            self.begin_read(number, command, now);
        }
    }

    /// Brings entries of the mapping table into memory; whether `waiting` must wait for them.
    pub(super) fn fetch_entries(&mut self, first: Lpn, slots: u32, waiting: Option<u32>) -> bool {
        let Some(mut lookup) = self.lookup.take() else {
            return false;
        };
        let geometry = self.mapped.layer.layout().geometry;
        let mut misses = 0;
        for page in lookup.pages(first, slots) {
            if lookup.ask(page, waiting) {
                let done = self.mapped.batch.fence();
                self.mapped.batch.push(read_page(&geometry, page, done));
                self.wait_for(done, Awaited::Table(page));
                misses += 1;
            }
        }
        self.mapped
            .layer
            .array_mut()
            .count_reads(Cause::Map, misses);
        let waits = waiting.is_some_and(|command| lookup.missing.contains_key(&command));
        self.lookup = Some(lookup);
        waits
    }

    /// A page of the mapping table is in memory.
    pub(super) fn table_came(&mut self, page: u32, now: SimTime) {
        let lookup = self.lookup.as_mut().expect("it reads pages of its table");
        for number in lookup.came(page) {
            let command = *self.commands.get(number);
            self.begin_read(number, &command, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory_of_two() -> Lookup {
        Lookup::new(TableCache {
            pages: 2,
            entries_per_page: 10,
            table_pages: 4,
        })
    }

    #[test]
    fn pages_that_are_asked_for_stay() {
        let mut lookup = memory_of_two();
        let mut read = |first, slots| {
            let pages = lookup.pages(Lpn(first), slots);
            let read: Vec<u32> = pages.filter(|&page| lookup.ask(page, None)).collect();
            for &page in &read {
                assert!(lookup.came(page).is_empty(), "nobody waits");
            }
            read
        };
        // 0 and 1 come in; 0 is asked for again, so 2 takes the place of 1.
        assert_eq!([read(0, 1), read(19, 1)], [[0], [1]]);
        assert!(read(9, 1).is_empty());
        assert_eq!(read(20, 1), [2]);
        assert!(read(5, 1).is_empty());
        assert_eq!(read(10, 1), [1]);
        // Slots on both sides of a border need both pages.
        assert_eq!(read(29, 2), [2, 3]);
        assert!(read(29, 2).is_empty());
    }

    #[test]
    fn whoever_asks_for_a_page_on_its_way_waits_for_the_same_read() {
        let mut lookup = memory_of_two();
        assert!(lookup.ask(0, Some(70)) && lookup.ask(1, Some(70)));
        assert!(!lookup.ask(1, Some(71)), "it is being read");
        assert!(!lookup.ask(1, None), "a write asks and does not wait");
        // Others take the place of 0 and 1, which come all the same.
        assert!(lookup.ask(2, None) && lookup.ask(3, None));
        assert!(!lookup.ask(0, Some(72)), "it is being read still");
        assert_eq!(lookup.came(1), [71]);
        assert_eq!(lookup.came(0), [70, 72]);
        assert!(lookup.missing.is_empty());
    }
}

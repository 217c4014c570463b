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

    /// Brings the entries of so many slots into memory; gives the pages that were not there.
    fn bring(&mut self, first: u32, slots: u32) -> impl Iterator<Item = u32> {
        let of = |slot: u32| slot / self.cache.entries_per_page;
        let pages = of(first)..=of(first + slots.max(1) - 1);
        pages.filter(|&page| {
            let was_in = self.is_in[page as usize];
            if was_in {
                self.was_asked[page as usize] = true;
            } else {
                self.take_in(page);
            }
            !was_in
        })
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
        if self.lookup.is_some() {
            let (first, slots) = self.slot.touched(command);
            let done = self.mapped.batch.fence();
            if self.fetch_entries(first, slots, done) {
                self.issue(now);
                self.wait_for(done, Awaited::Entries(number));
                return;
            }
            self.mapped.batch.recycle(done);
        }
        self.begin_read(number, command, now);
    }

    /// Brings entries of the mapping table into memory; whether pages of it must be read for them.
    pub(super) fn fetch_entries(&mut self, first: Lpn, slots: u32, done: Fence) -> bool {
        let Some(lookup) = &mut self.lookup else {
            return false;
        };
        let geometry = self.mapped.layer.layout().geometry;
        let mut misses = 0;
        for page in lookup.bring(first.0, slots) {
            self.mapped.batch.push(read_page(&geometry, page, done));
            misses += 1;
        }
        self.mapped
            .layer
            .array_mut()
            .count_reads(Cause::Map, misses);
        misses > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_asked_for_stay() {
        let mut lookup = Lookup::new(TableCache {
            pages: 2,
            entries_per_page: 10,
            table_pages: 4,
        });
        // 0 and 1 come in; 0 is asked for again, so 2 takes the place of 1.
        let mut bring = |first, slots| lookup.bring(first, slots).collect::<Vec<_>>();
        assert_eq!([bring(0, 1), bring(19, 1)], [[0], [1]]);
        assert!(bring(9, 1).is_empty());
        assert_eq!(bring(20, 1), [2]);
        assert!(bring(5, 1).is_empty());
        assert_eq!(bring(10, 1), [1]);
        // Slots on both sides of a border need both pages.
        assert_eq!(bring(29, 2), [2, 3]);
        assert!(bring(29, 2).is_empty());
    }
}

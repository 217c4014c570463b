//! Look-ups in the mapping table, which lies in flash and of which memory holds a few pages.
//!
//! The host's data can be read once their entries are in memory, so the drive has them looked up first
//! and waits for the pages of the table that are read. A write does not wait, but a page must be read as
//! well for the entry that it changes, so writes all over a drive keep its dies busy with the table. That
//! changed pages are written again is left out: the logs of the superblocks have the address of each slot.
//! The pages of the table lie spread over the dies, in blocks that the controller keeps for itself.

use super::PackedLayer;
use crate::clock::{Clock, ClockState};
use ftlab_base::{ConfigError, DieId, Lpn};
use ftlab_nand::{Cause, OpBatch, Order, StateError};
use std::ops::Range;

/// A mapping table of which memory holds a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableConfig {
    /// Pages of the table that memory has room for.
    pub cached_pages: u32,
    /// Entries of a page.
    pub entries_per_page: u32,
}

impl TableConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        match (self.cached_pages, self.entries_per_page) {
            (1.., 1..) => Ok(()),
            (pages, entries) => Err(ConfigError(format!(
                "memory for {pages} pages of the mapping table, of {entries} entries each; at least \
                 one page of one entry"
            ))),
        }
    }
}

/// Pages of the table that are in memory.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    entries_per_page: u32,
    memory: Clock,
}

impl Lookup {
    /// Nothing is in memory yet.
    pub fn new(config: TableConfig, user_slots: u32) -> Lookup {
        let pages = user_slots.div_ceil(config.entries_per_page);
        Lookup {
            entries_per_page: config.entries_per_page,
            memory: Clock::new(config.cached_pages, pages),
        }
    }

    /// The pages with the entries of some slots, at least one.
    fn pages(&self, first: Lpn, slots: u32) -> Range<u32> {
        let of = |slot: u32| slot / self.entries_per_page;
        of(first.0)..of(first.0 + slots - 1) + 1
    }

    pub fn state(&self) -> ClockState {
        self.memory.state()
    }

    pub fn check(&self) {
        self.memory.check();
    }
}

impl PackedLayer {
    /// Brings the pages of the table with the entries of some slots into memory; gives their numbers, if
    /// memory does not hold all of the table.
    #[inline]
    pub(super) fn bring_in_entries(
        &mut self,
        first: Lpn,
        slots: u32,
        batch: &mut OpBatch,
    ) -> Range<u32> {
        let Some(lookup) = self.lookup.as_ref().filter(|_| slots > 0) else {
            return 0..0;
        };
        let pages = lookup.pages(first, slots);
        for page in pages.clone() {
            let lookup = self.lookup.as_mut();
            if lookup.is_some_and(|lookup| lookup.memory.touch(page)) {
                let come = batch.fence();
                let (die, order) = (self.die_of_table(page), Order::FREE.signalling(come));
                self.array.read_own(die, Cause::Map, order, batch);
                batch.table_read(page, come);
            }
        }
        pages
    }

    /// The die that has failed, whatever has been done about it.
    pub(super) fn missing_die(&self) -> Option<DieId> {
        let rebuilt = self.failed.map(|die| DieId(die as u16));
        rebuilt.or_else(|| self.array.dead_die())
    }

    /// The die that a page of the table lies on. What one that failed has held, the next one has.
    fn die_of_table(&self, page: u32) -> DieId {
        let dies = self.stripe.layout.geometry.dies();
        let die = DieId((page % dies) as u16);
        match self.missing_die() {
            Some(dead) if dead == die => DieId(((page + 1) % dies) as u16),
            _ => die,
        }
    }

    /// Takes over what was in memory.
    pub(super) fn restore_lookup(&mut self, saved: Option<&ClockState>) -> Result<(), StateError> {
        let (lookup, saved) = match (&mut self.lookup, saved) {
            (None, None) => return Ok(()),
            (Some(lookup), Some(saved)) => (lookup, saved),
            (own, _) => {
                let own = if own.is_some() { "only a part" } else { "all" };
                return Err(StateError(format!(
                    "this drive has {own} of its mapping table in memory, unlike the one saved"
                )));
            }
        };
        lookup.memory.take_over(saved)?;
        StateError::unless(!saved.has_dirty(), || {
            "pages of the mapping table wait to be written, which this drive writes none of".into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_on_both_sides_of_a_border_need_both_pages() {
        let config = TableConfig {
            cached_pages: 2,
            entries_per_page: 10,
        };
        let lookup = Lookup::new(config, 35);
        assert_eq!(lookup.pages(Lpn(0), 10), 0..1);
        assert_eq!(lookup.pages(Lpn(29), 2), 2..4);
        assert_eq!(lookup.pages(Lpn(34), 1), 3..4);
    }
}

//! A mapping table that does not fit into memory: it lies on flash in *translation pages*, and
//! memory caches entries of it (DFTL; Gupta, Kim and Urgaonkar, ASPLOS 2009).
//!
//! - A request for a slot whose entry is not cached reads its translation page. What has to be read of
//!   the slot waits for that. A write of a whole slot does not: all it learns is which slot it has
//!   made invalid, which is for collection to know. The page last read stays at hand, so that
//!   neighbours cost one read.
//! - A read for the host takes in all entries of its sector of the translation page, since reads come
//!   in runs; a write takes in one, since what it changes is to stay until there is more of it.
//! - Data that collection moves change their entries in the cache; nothing is read for that.
//! - A changed entry that has to leave is written back together with all other changed entries of
//!   its translation page, so the more of them a page has gathered, the less each costs.
//! - Where nothing was ever mapped there is no translation page, and nothing to read.
//!
//! Which translation page lies where (one number for each) is always in memory.

mod leaves;
mod runs;
mod state;
mod store;

pub use state::TranslationState;

use super::table::NOWHERE;
use super::{Group, PageLayer};
use crate::clock::Clock;
use crate::{Extent, Refusal};
use ftlab_base::{BlockId, Layout, Lpn, PagePlace, Ppa, SECTOR_BYTES, SuperblockId};
use ftlab_nand::{Cause, Fence, OpBatch, Order};
use runs::Runs;
use store::{NONE, Store};

/// A mapping table of which only a part is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranslationConfig {
    /// Entries that are held in memory.
    pub cached_entries: u32,
    /// True if neighbours whose data follow each other share an entry; a look-up that misses stops the firmware then.
    pub runs: bool,
    /// Entries of a translation page, which is a page of flash.
    pub entries_per_page: u32,
}

impl TranslationConfig {
    /// Translation pages of a table for N slots.
    fn pages(&self, user_slots: u32) -> u32 {
        user_slots.div_ceil(self.entries_per_page)
    }

    /// Superblocks that hold translation pages and nothing else.
    pub(super) fn superblocks(&self, user_slots: u32, layout: &Layout) -> u32 {
        store::superblocks_needed(self.pages(user_slots), layout.pages_per_superblock)
    }

    /// Superblocks that a group of dies holds of them, at most.
    pub(super) fn superblocks_of_group(&self, user_slots: u32, layout: &Layout) -> u32 {
        self.superblocks(user_slots, layout).div_ceil(layout.groups)
    }

    /// Checks that there can be such a table; an error says why not.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.cached_entries == 0 {
            return Err("a cache of no entries of the mapping table; it must hold one".into());
        }
        if self.entries_per_page == 0 {
            return Err("translation pages without entries; each must hold one".into());
        }
        Ok(())
    }
}

/// The part of the table that is in memory.
#[derive(Debug, Clone)]
enum Memory {
    /// Entries, one a slot.
    Entries(Clock),
    /// Whole translation pages, as lists of runs.
    Runs(Runs),
}

/// The table on flash and what of it is in memory.
#[derive(Debug, Clone)]
pub(super) struct Translation {
    entries_per_page: u32,
    /// Entries in a sector of a translation page.
    entries_per_sector: u32,
    memory: Memory,
    store: Store,
    /// The translation page last read for a request, or [`NONE`].
    at_hand: u32,
}

impl Translation {
    /// A table with nothing mapped; takes its superblocks off the groups' lists.
    pub fn new(
        config: TranslationConfig,
        user_slots: u32,
        layout: &Layout,
        groups: &mut [Group],
    ) -> Translation {
        let superblocks = config.superblocks(user_slots, layout) as usize;
        let turns = (0..groups.len()).cycle().take(superblocks);
        let taken = turns.map(|g| {
            groups[g].writable_slots -= layout.slots_per_superblock;
            let last = groups[g].free.pop_back();
            last.expect("the configuration was checked to leave room")
        });
        let taken = taken.collect();
        Translation {
            entries_per_page: config.entries_per_page,
            entries_per_sector: (config.entries_per_page
                / (layout.geometry.page_bytes / SECTOR_BYTES as u32))
                .max(1),
            memory: match config.runs {
                false => Memory::Entries(Clock::new(config.cached_entries, user_slots)),
                true => Memory::Runs(Runs::new(config.cached_entries, config.pages(user_slots))),
            },
            store: Store::new(config.pages(user_slots), layout.pages_per_superblock, taken),
            at_hand: NONE,
        }
    }

    /// Superblocks of the translation pages.
    pub fn superblocks(&self) -> impl Iterator<Item = SuperblockId> + '_ {
        self.store.superblocks()
    }

    #[inline]
    fn page_of(&self, lpn: u32) -> u32 {
        lpn / self.entries_per_page
    }

    /// Returns true if the entries of slots are in memory, as those are that flash has no page for.
    pub fn holds(&self, mut slots: std::ops::Range<u32>) -> bool {
        slots.all(|lpn| {
            let page = self.page_of(lpn);
            let is_held = match &self.memory {
                Memory::Entries(cache) => cache.holds(lpn),
                Memory::Runs(runs) => runs.holds(page),
            };
            is_held || self.store.place(page).is_none()
        })
    }

    /// The logical slots whose entries a translation page holds.
    fn entries(&self, page: u32, user_slots: u32) -> std::ops::Range<u32> {
        let first = page * self.entries_per_page;
        first..user_slots.min(first.saturating_add(self.entries_per_page))
    }

    /// Nothing of a translation page is mapped any more.
    fn forget(&mut self, page: u32, entries: std::ops::Range<u32>) {
        self.store.forget(page);
        match &mut self.memory {
            Memory::Entries(cache) => entries.for_each(|lpn| cache.clean(lpn)),
            Memory::Runs(runs) => runs.forget(page),
        }
        if self.at_hand == page {
            self.at_hand = NONE;
        }
    }
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// A host write looks up the entry of its slot and changes it. The old data can be read in the
    /// order that this gives.
    #[inline(always)]
    pub(super) fn entry_for_write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        batch: &mut OpBatch,
    ) -> Order {
        match self
            .translation
            .as_deref_mut()
            .map(|table| &mut table.memory)
        {
            Some(Memory::Entries(cache)) if !FLAT => {
                if cache.look_up(lpn.0) {
                    cache.change(lpn.0);
                    return Order::FREE;
                }
                self.missed_write(lpn, extent, batch)
            }
            Some(Memory::Runs(_)) if !FLAT => self.run_for_write(lpn, extent, batch),
            _ => Order::FREE,
        }
    }

    fn missed_write(&mut self, lpn: Lpn, extent: Extent, batch: &mut OpBatch) -> Order {
        let mut order = Order::FREE;
        if let Some(place) = self.page_to_read(lpn) {
            let old = self.table.slot_of(lpn);
            let fence = if extent == Extent::Part && self.is_on_flash(old) {
                let known = batch.fence();
                order = Order::after(known);
                known
            } else {
                Fence::NONE
            };
            self.read_translation(place, Order::FREE.signalling(fence), batch);
        }
        self.bring_in(lpn, batch);
        self.cache_mut().change(lpn.0);
        order
    }

    /// Looks up the entries of slots that the host reads; all are in one translation page. Gives the
    /// order in which they can be read.
    fn entries_for_read(
        &mut self,
        slots: std::ops::Range<u32>,
        done: Fence,
        batch: &mut OpBatch,
    ) -> Order {
        let mut order = Order::FREE.signalling(done);
        for lpn in slots.clone().map(Lpn) {
            let translation = self.translation_mut();
            let is_written = translation
                .store
                .place(translation.page_of(lpn.0))
                .is_some();
            // What a page that was never written maps is in memory.
            let is_held = match &mut translation.memory {
                Memory::Entries(cache) => cache.look_up(lpn.0),
                Memory::Runs(_) => self.run_is_held(lpn),
            };
            if is_held || !is_written {
                continue;
            }
            // Before anything is written back: that may erase what is to be read.
            if let Some(place) = self.page_to_read(lpn) {
                let mut slots = slots.clone().map(|lpn| self.table.slot_of(Lpn(lpn)));
                let mut first = order;
                if slots.any(|slot| self.is_on_flash(slot)) {
                    let known = batch.fence();
                    first = Order::FREE.signalling(known);
                    order.waits = known;
                }
                self.read_translation(place, first, batch);
            }
            match &mut self.translation_mut().memory {
                Memory::Entries(_) => self.bring_in_sector(lpn, batch),
                Memory::Runs(_) => self.hold_run(lpn, batch),
            }
        }
        order
    }

    /// Reads slots for the host, those of each translation page after their entries.
    pub(super) fn read_after_entries(
        &mut self,
        first: Lpn,
        slots: u32,
        done: Fence,
        batch: &mut OpBatch,
    ) {
        let (mut first, end) = (first.0, first.0 + slots);
        while first < end {
            let translation = self.translation_mut();
            let page = translation.page_of(first);
            let next = translation.entries(page, end).end;
            let order = self.entries_for_read(first..next, done, batch);
            self.read_mapped(Lpn(first), next - first, order, batch);
            first = next;
        }
    }

    /// The data of a logical slot have moved away from `from`, by collection.
    #[inline(always)]
    pub(super) fn entry_moved(&mut self, from: u32, to: u32, batch: &mut OpBatch) {
        if !FLAT && self.translation.is_some() {
            let lpn = self.table.owner_of(to);
            self.change_entry(lpn, from, batch);
        }
    }

    /// Changes an entry that said `old`.
    fn change_entry(&mut self, lpn: Lpn, old: u32, batch: &mut OpBatch) {
        let Memory::Entries(cache) = &mut self.translation_mut().memory else {
            self.run_changed(lpn, old, batch);
            return;
        };
        if !cache.holds(lpn.0) {
            self.bring_in(lpn, batch);
        }
        self.cache_mut().change(lpn.0);
    }

    /// Trims slots. A translation page that maps nothing any more is forgotten.
    pub(super) fn trim_entries(&mut self, first: Lpn, slots: u32, batch: &mut OpBatch) {
        let (mut first, end) = (first.0, first.0 + slots);
        let user_slots = self.config.user_slots;
        while first < end {
            let translation = self.translation_mut();
            let page = translation.page_of(first);
            let entries = translation.entries(page, user_slots);
            let next = entries.end.min(end);
            let mut others = (entries.start..first).chain(next..entries.end);
            let keeps_some = others.any(|lpn| self.table.slot_of(Lpn(lpn)) != NOWHERE);
            for lpn in (first..next).map(Lpn) {
                let old = self.table.slot_of(lpn);
                if self.table.forget(lpn) && keeps_some {
                    self.change_entry(lpn, old, batch);
                }
            }
            if !keeps_some {
                self.translation_mut().forget(page, entries);
            }
            first = next;
        }
    }

    /// Place of the translation page of a slot, if it has to be read: it is on flash and not at hand. It is at hand
    /// from now on.
    fn page_to_read(&mut self, lpn: Lpn) -> Option<PagePlace> {
        let translation = self.translation_mut();
        let page = translation.page_of(lpn.0);
        let (superblock, n) = translation.store.place(page)?;
        if std::mem::replace(&mut translation.at_hand, page) == page {
            return None;
        }
        Some(self.layout.page(superblock, n))
    }

    /// Makes room for the entry of a slot, and caches it.
    fn bring_in(&mut self, lpn: Lpn, batch: &mut OpBatch) {
        if let Some(leaves) = self.cache_mut().next_to_leave()
            && self.cache_mut().is_dirty(leaves)
        {
            let page = self.translation_mut().page_of(leaves);
            self.write_back(page, Fence::NONE, batch);
        }
        self.cache_mut().bring_in(lpn.0);
    }

    /// Caches the entries of the sector of the translation page that a slot's entry is in.
    fn bring_in_sector(&mut self, lpn: Lpn, batch: &mut OpBatch) {
        let user_slots = self.config.user_slots;
        let translation = self.translation_mut();
        let entries = translation.entries(translation.page_of(lpn.0), user_slots);
        let sector = translation.entries_per_sector;
        let first = lpn.0 - (lpn.0 - entries.start) % sector;
        for near in (first..entries.end.min(first.saturating_add(sector))).map(Lpn) {
            if !self.cache_mut().holds(near.0) {
                self.bring_in(near, batch);
            }
        }
    }

    /// Writes a translation page with everything that has changed in it; `gone` is reached when its memory is free, with the program.
    fn write_back(&mut self, page: u32, gone: Fence, batch: &mut OpBatch) {
        let user_slots = self.config.user_slots;
        let translation = self.translation_mut();
        let mut is_cached = true;
        let entries = translation.entries(page, user_slots);
        match &mut translation.memory {
            Memory::Entries(cache) => {
                for lpn in entries {
                    is_cached &= cache.holds(lpn);
                    cache.clean(lpn);
                }
            }
            Memory::Runs(runs) => runs.clean(page),
        }
        // What is not in memory has to be read first, unless the page is at hand.
        let on_flash = translation.store.place(page);
        let needed = on_flash.filter(|_| !is_cached && translation.at_hand != page);
        self.append_translation(page, needed, gone, batch);
        self.collect_translation(batch);
    }

    /// Programs a translation page, after it has been read from `source`; `gone` is reached when it is there.
    fn append_translation(
        &mut self,
        page: u32,
        source: Option<(SuperblockId, u32)>,
        gone: Fence,
        batch: &mut OpBatch,
    ) {
        if self.is_worn_out() {
            return;
        }
        let mut order = Order::FREE;
        if let Some((superblock, n)) = source {
            let read = batch.fence();
            let place = self.layout.page(superblock, n);
            self.read_translation(place, Order::FREE.signalling(read), batch);
            order = Order::after(read);
        }
        let superblock = self.translation_mut().store.open();
        let n = self.translation_mut().store.append(page);
        let place = self.layout.page(superblock, n);
        let order = order.signalling(gone);
        let status = self.array.program(place, 1, Cause::Map, order, batch);
        assert!(status.is_good(), "a block of the log is trusted");
    }

    /// Copies what is owed of the log's victim, and exchanges it for a free superblock when it is
    /// empty, so that translation pages wear all of the group's.
    fn collect_translation(&mut self, batch: &mut OpBatch) {
        if self.is_worn_out() {
            return;
        }
        self.translation_mut().store.earn();
        while let Some(page) = self.translation_mut().store.next_copy() {
            let source = self.translation_mut().store.place(page);
            self.append_translation(page, source, Fence::NONE, batch);
        }
        if let Some(emptied) = self.translation_mut().store.emptied() {
            let g = self.layout.group_of(emptied) as usize;
            let slots = self.layout.slots_per_superblock;
            self.groups[g].free.push_back(emptied);
            self.groups[g].writable_slots += slots;
            if let Some(other) = self.take_free(g, Cause::Map, batch) {
                self.groups[g].writable_slots -= slots;
                self.trust(other);
                self.translation_mut().store.free.push_back(other);
            }
        }
    }

    /// A superblock of the log fails when it is erased, or not at all.
    fn trust(&mut self, superblock: SuperblockId) {
        let planes = self.layout.geometry.planes_per_die;
        for (_, first) in self.layout.blocks(superblock) {
            for block in (first.0..first.0 + planes).map(BlockId) {
                self.array.trust(block);
            }
        }
    }

    /// Returns true if the drive writes nothing any more, tables included.
    fn is_worn_out(&self) -> bool {
        self.refusal.as_ref().is_some_and(Refusal::is_final)
    }

    fn read_translation(&mut self, place: PagePlace, order: Order, batch: &mut OpBatch) {
        let bytes = self.layout.geometry.page_bytes;
        self.array.read(place, bytes, Cause::Map, order, batch);
    }

    /// Returns true if a physical slot is programmed: it may still be in the controller, or nowhere.
    fn is_on_flash(&self, slot: u32) -> bool {
        if slot == NOWHERE {
            return false;
        }
        let (superblock, n) = self.layout.locate(Ppa(slot));
        let (first, _) = self.pages_of_slot(n);
        let place = self.layout.page(superblock, first);
        place.page < self.array.programmed_pages(place.block)
    }

    #[inline]
    fn translation_mut(&mut self) -> &mut Translation {
        self.translation.as_mut().expect("the table is on flash")
    }

    #[inline]
    fn cache_mut(&mut self) -> &mut Clock {
        match &mut self.translation_mut().memory {
            Memory::Entries(cache) => cache,
            Memory::Runs(_) => unreachable!("a table of runs has no entries for slots"),
        }
    }

    /// Checks what is in memory and on flash of the mapping table.
    ///
    /// # Errors
    /// Says what does not hold.
    pub(super) fn check_translation(&self) -> Result<(), String> {
        let (Some(translation), Some(config)) = (&self.translation, self.config.translation) else {
            return Ok(());
        };
        // A drive at its end writes no tables, and has nothing to exchange superblocks for.
        if self.is_worn_out() {
            return Ok(());
        }
        let user_slots = self.config.user_slots;
        let superblocks = config.superblocks(user_slots, &self.layout);
        translation.store.check(superblocks as usize)?;
        for page in 0..config.pages(user_slots) {
            if translation.store.place(page).is_some() {
                continue;
            }
            let mut entries = translation.entries(page, user_slots);
            let lost = entries.find(|&lpn| {
                let is_dirty = match &translation.memory {
                    Memory::Entries(cache) => cache.is_dirty(lpn),
                    Memory::Runs(runs) => runs.is_dirty(page),
                };
                self.table.slot_of(Lpn(lpn)) != NOWHERE && !is_dirty
            });
            if let Some(lpn) = lost {
                return Err(format!(
                    "the entry of slot {lpn} is neither on flash nor in memory"
                ));
            }
            if translation.at_hand == page {
                return Err(format!(
                    "translation page {page} is at hand and was never written"
                ));
            }
        }
        Ok(())
    }

    /// Checks the cache of entries.
    ///
    /// # Panics
    /// When something does not hold.
    pub(super) fn check_cache(&self) {
        if let (Some(translation), Some(config)) = (&self.translation, self.config.translation) {
            match &translation.memory {
                Memory::Entries(cache) => cache.check(),
                Memory::Runs(runs) => runs.check(&self.count_runs(config)),
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! The page-mapped layer as whoever writes to it sees it.

use super::streams::StreamTraffic;
use super::streams::host_frontier;
use super::table::NOWHERE;
use super::victim::NOT_A_CANDIDATE;
use super::{HostPlace, PageConfig, PageLayer, PageMapped, PageMapping, is_flat};
use crate::{Extent, LayerState, Refusal, Room, RoomSize, Spare, TranslationLayer};
use ftlab_base::{ConfigError, Content, Layout, Lpn, Placement, Ppa, SECTOR_BYTES};
use ftlab_nand::{Array, Cause, DataMove, Fence, OpBatch, Order, StateError};
use std::ops::Range;

/// A page-mapped translation layer on an unworn array, with nothing written.
///
/// # Errors
/// When the array cannot hold the user's slots, the reserve and one slot more in each group.
pub fn layer(layout: Layout, config: PageConfig) -> Result<Box<dyn TranslationLayer>, ConfigError> {
    let known = is_flat(&layout) && config.translation.is_none() && config.slc.is_none();
    Ok(if known {
        Box::new(PageLayer::<true>::new(layout, config)?)
    } else {
        Box::new(PageLayer::<false>::new(layout, config)?)
    })
}

impl<const FLAT: bool> TranslationLayer for PageLayer<FLAT> {
    fn slots(&self) -> u32 {
        self.config.user_slots
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn array(&self) -> &Array {
        &self.array
    }

    fn array_mut(&mut self) -> &mut Array {
        &mut self.array
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppa> {
        let slot = self.table.slot_of(lpn);
        (slot != NOWHERE).then_some(Ppa(slot))
    }

    fn holds_entries(&self, first: Lpn, slots: u32) -> bool {
        let translation = self.translation.as_deref();
        translation.is_none_or(|table| table.holds(first.0..first.0 + slots))
    }

    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch) {
        if !FLAT && self.translation.is_some() {
            self.read_after_entries(first, slots, done, batch);
        } else {
            self.read_mapped(first, slots, Order::FREE.signalling(done), batch);
        }
        self.lost.read(first, slots, &mut self.array);
    }

    fn read_part(&mut self, lpn: Lpn, sectors: Range<u32>, done: Fence, batch: &mut OpBatch) {
        if self.translation.is_some() {
            self.read(lpn, 1, done, batch);
            return;
        }
        let slot = self.table.slot_of(lpn);
        if slot != NOWHERE {
            let bytes = |sectors: u32| sectors * SECTOR_BYTES as u32;
            let wanted = bytes(sectors.start)..bytes(sectors.end);
            self.read_bytes_of(Ppa(slot), wanted, Order::FREE.signalling(done), batch);
        }
        self.lost.read(lpn, 1, &mut self.array);
    }

    fn can_read(&self, lpn: Lpn) -> bool {
        let Some(slot) = self.lookup(lpn) else {
            return true;
        };
        let (superblock, n) = self.layout.locate(slot);
        let (first, pages) = self.layout.pages_of_slot(n);
        let mut places = (first..first + pages).map(|n| self.layout.page(superblock, n));
        !self.lost.contains(lpn)
            && places.all(|place| {
                // What is not programmed yet is still in the controller.
                place.page >= self.array.programmed_pages(place.block)
                    || self.can_have(superblock, place)
            })
    }

    fn write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        _content: Content,
        placement: Placement,
        batch: &mut OpBatch,
    ) -> Result<Fence, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        let stream = self.stream_of_write(lpn, placement);
        let g = self.next_group[stream];
        let f = self.frontier_for_host(g * self.streams.count() + stream, batch);
        if self.config.one_log || self.frontiers[f].is_closed() {
            self.make_room_for_host(g, batch)?;
        }
        if self.frontiers[f].is_closed() {
            // Before anything changes: where blocks fail, none may be left to open.
            if self.array.can_fail() && !self.open(f, Cause::Host, batch) {
                return Err(self.refusal.expect("said by the opening that failed"));
            }
        }
        let old = self.table.slot_of(lpn);
        let known = self.entry_for_write(lpn, extent, batch);
        let mut kept = true;
        if old != NOWHERE {
            if extent == Extent::Part {
                let ready = self.frontiers[f].ready(batch);
                kept = self.read_slots(Ppa(old), 1, known.signalling(ready), batch);
            }
            self.table.invalidate(old);
        }
        if !kept || !self.lost.is_empty() {
            self.lost.written(lpn, extent, kept);
        }
        let done = self.frontiers[f].done(batch);
        let (to, superblock) = self
            .append(f, Cause::Host, batch)
            .expect("the superblock is open");
        self.count_taken(f, g, 1);
        self.table.place(lpn, to, superblock);
        self.run_changed(lpn, old, batch);
        self.note_birth(superblock, None);
        batch.data(DataMove::Write { lpn, to: Ppa(to) });
        if self.frontiers[f].unit_is_complete() {
            self.next_group[stream] = self.group_after(g);
        }
        self.collect(g, batch);
        self.checkpoint(batch);
        Ok(done)
    }

    fn expect(&self, lpn: Lpn) {
        self.table.fetch_entry(lpn);
    }

    fn trim(&mut self, first: Lpn, slots: u32, batch: &mut OpBatch) {
        if !FLAT && self.translation.is_some() {
            self.trim_entries(first, slots, batch);
        } else {
            for lpn in first.0..first.0 + slots {
                self.table.forget(Lpn(lpn));
            }
        }
        self.free_what_is_empty();
        self.lost.trimmed(first, slots);
        // What was trimmed may be worth collecting.
        self.in_vain = 0;
        self.refusal = self.refusal.filter(Refusal::is_final);
    }

    fn work_ahead(&mut self, batch: &mut OpBatch) -> bool {
        self.work_in_pause(batch)
    }

    fn owes_turn(&self) -> bool {
        self.owes_turn_to_drive()
    }

    fn take_turn(&mut self, batch: &mut OpBatch) -> bool {
        self.copy_owed_rows(batch)
    }

    fn secure_erase(&mut self, batch: &mut OpBatch) {
        let slots = self.layout.slots_per_superblock;
        crate::purge::erase_used(&self.layout, slots, &mut self.array, batch);
        let mut layer = Self::around(self.array.clone(), self.layout, self.config.clone());
        if layer.set_bad_blocks_aside().is_err() {
            layer.refuse_as_worn_out();
        } else {
            layer.set_translation_up();
        }
        layer.spare_at_first = self.spare_at_first;
        *self = layer;
    }

    fn flush(&mut self, batch: &mut OpBatch) {
        for g in 0..self.groups.len() {
            self.fill_up(g, batch);
        }
        // The open units were the next groups': their turn is over.
        for stream in 0..self.next_group.len() {
            self.next_group[stream] = self.group_after(self.next_group[stream]);
        }
    }

    fn boxed(&self) -> Box<dyn TranslationLayer> {
        Box::new(self.clone())
    }

    fn page_layer(&self) -> Option<&dyn PageMapped> {
        Some(self)
    }

    fn save_in(&self, room: Room) -> LayerState {
        LayerState::Page(self.state(room))
    }

    fn room_size(&self) -> RoomSize {
        RoomSize {
            words: self.table.map().len(),
            bytes: 0,
        }
    }

    fn restore(&mut self, state: LayerState) -> Result<(), StateError> {
        match state {
            LayerState::Page(state) => self.take_over(state),
            other => Err(other.of_another_scheme("page")),
        }
    }

    fn spare(&self) -> Spare {
        Spare {
            at_first: self.spare_at_first,
            left: self.spare_left(),
        }
    }

    fn check_invariants(&self) {
        self.check_all();
    }
}

impl<const FLAT: bool> PageMapped for PageLayer<FLAT> {
    fn mapping(&self) -> PageMapping {
        let layout = &self.layout;
        let group_slots = layout.superblocks_per_group * layout.slots_per_superblock;
        // A checkpoint begins in the last superblock of the one before, which goes with the next: beside its pages it
        // keeps, on average, the rest of one superblock before it and of one behind it.
        let tables = self.config.checkpoint.map_or(0, |checkpoint| {
            let pages = checkpoint.pages + layout.pages_per_superblock;
            (u64::from(pages) * u64::from(layout.slots_per_superblock)
                / u64::from(layout.pages_per_superblock)) as u32
        });
        let translation = self.config.translation.map_or(0, |translation| {
            translation.superblocks_of_group(self.config.user_slots, layout)
                * layout.slots_per_superblock
        });
        PageMapping {
            policy: self.config.policy.name(),
            streams: self.streams.count() as u32,
            has_slc: self.config.slc.is_some(),
            slot_bytes: layout.geometry.slot_bytes,
            user_slots: self.config.user_slots,
            groups: layout.groups,
            superblocks_per_group: layout.superblocks_per_group,
            slots_per_superblock: layout.slots_per_superblock,
            slots_per_turn: self.unit_slots(),
            programmed_per_slot: (layout.data_units_per_parity())
                .map_or(1.0, |data_units| 1.0 + 1.0 / f64::from(data_units)),
            data_slots_per_group: group_slots
                - self.low_water
                - tables.div_ceil(layout.groups)
                - translation
                - self.own_superblocks() * layout.slots_per_superblock,
        }
    }

    fn host_place(&self) -> HostPlace {
        let group = self.next_group[0];
        let host = &self.frontiers[host_frontier(group * self.streams.count())];
        let slots = self.layout.slots_per_superblock;
        HostPlace {
            group: group as u32,
            filled: host.open_superblock().map_or(0, |_| slots - host.left()),
        }
    }

    fn handles(&self) -> &[StreamTraffic] {
        self.streams.of_handles()
    }

    fn valid_slots(&self) -> Vec<u32> {
        let counts = self.table.valid_slots().iter().copied();
        counts.filter(|&valid| valid < NOT_A_CANDIDATE).collect()
    }

    fn mapped_slots(&self) -> u32 {
        self.table.mapped()
    }

    fn free_superblocks(&self) -> u32 {
        self.groups
            .iter()
            .map(|group| group.free.len() as u32)
            .sum()
    }
}

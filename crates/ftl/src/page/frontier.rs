//! Places of the next slots: open superblocks, and program units that fill up.

use super::PageLayer;
use super::streams::{collected_frontier, host_frontier};
use crate::Refusal;
use crate::donors::Erasing;
use ftlab_base::{PagePlace, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};
use std::collections::VecDeque;

/// The open superblock that data are appended to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frontier {
    pub(super) superblock: SuperblockId,
    /// Slot that the next data go to.
    pub(super) next: u32,
    /// One past the last slot of the superblock; equal to `next` when none is open.
    pub(super) end: u32,
    /// Slots until the open unit is complete.
    pub(super) unit_left: u32,
    /// The first page of the superblock.
    pub(super) first: PagePlace,
    /// The next page to program.
    pub(super) place: PagePlace,
    /// Reached when what the open unit copies has been read.
    pub(super) ready: Fence,
    /// Reached when the open unit is programmed.
    pub(super) done: Fence,
}

impl Frontier {
    /// No superblock is open.
    pub fn closed(unit_slots: u32) -> Frontier {
        Frontier {
            superblock: SuperblockId(0),
            next: 0,
            end: 0,
            unit_left: unit_slots,
            first: NO_PLACE,
            place: NO_PLACE,
            ready: Fence::NONE,
            done: Fence::NONE,
        }
    }

    /// The fence that the open unit's program waits for.
    pub fn ready(&mut self, batch: &mut OpBatch) -> Fence {
        if !self.ready.is_some() {
            self.ready = batch.fence();
        }
        self.ready
    }

    /// The fence of the open unit's program.
    #[inline]
    pub fn done(&mut self, batch: &mut OpBatch) -> Fence {
        if !self.done.is_some() {
            self.done = batch.fence();
        }
        self.done
    }

    /// Returns true if no unit with a fence of its own is partly filled.
    #[inline]
    pub fn unit_is_complete(&self) -> bool {
        !self.done.is_some()
    }

    /// Slots that the open unit still takes.
    #[inline]
    pub fn unit_left(&self) -> u32 {
        self.unit_left
    }

    /// Makes `ready` the fence that the open unit's program waits for.
    #[inline]
    pub fn wait_for(&mut self, ready: Fence) {
        self.ready = ready;
    }

    /// Takes the slots of a whole unit; gives the first.
    pub fn take_unit(&mut self, slots: u32) -> (u32, SuperblockId) {
        let first = self.next;
        self.next += slots;
        self.unit_left = 0;
        (first, self.superblock)
    }

    /// Nobody will program the open unit; whoever waits for it waits for nothing.
    pub fn forget_unit(&mut self, unit_slots: u32) {
        self.unit_left = unit_slots;
        (self.ready, self.done) = (Fence::NONE, Fence::NONE);
    }

    /// Slots left in the open superblock.
    pub fn left(&self) -> u32 {
        self.end - self.next
    }

    /// Returns true if the next slot opens a superblock.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.next == self.end
    }

    /// The open superblock, if one is.
    pub fn open_superblock(&self) -> Option<SuperblockId> {
        (self.next < self.end).then_some(self.superblock)
    }
}

const NO_PLACE: PagePlace = PagePlace {
    die: ftlab_base::DieId(0),
    block: ftlab_base::BlockId(0),
    page: 0,
};

/// The tables of the last checkpoint, and where they are written.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    /// The open superblock and the pages programmed there.
    pub open: Option<(SuperblockId, u32)>,
    /// Superblocks that hold tables, oldest first, the open one last.
    pub held: VecDeque<SuperblockId>,
    /// Host slots written since the last checkpoint.
    pub slots_since: u32,
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Frontier that the collected data of a cell go to.
    pub(super) fn collection_frontier(&self, cell: usize) -> usize {
        if self.config.one_log {
            return host_frontier(cell);
        }
        let streams = self.streams.count();
        match self.streams.of_collected() {
            Some(last) => collected_frontier(cell / streams * streams + last),
            None => collected_frontier(cell),
        }
    }

    /// Takes the next slot of a frontier; `None` when none is left, because blocks have failed.
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        f: usize,
        cause: Cause,
        batch: &mut OpBatch,
    ) -> Option<(u32, SuperblockId)> {
        if self.frontiers[f].next == self.frontiers[f].end && !self.open(f, cause, batch) {
            return None;
        }
        let frontier = &mut self.frontiers[f];
        let (slot, superblock) = (frontier.next, frontier.superblock);
        frontier.next += 1;
        frontier.unit_left -= 1;
        if frontier.unit_left == 0 {
            let order = self.order_of_unit(f);
            if let Err(known) = self.program_unit(f, cause, order, batch) {
                return Some(self.write_elsewhere(f, cause, known, batch));
            }
        }
        Some((slot, superblock))
    }

    /// Fences that the program of the open unit waits for and signals.
    #[inline(always)]
    pub(super) fn order_of_unit(&self, f: usize) -> Order {
        Order {
            waits: self.frontiers[f].ready,
            signals: [self.frontiers[f].done, Fence::NONE],
        }
    }

    /// Programs the unit whose last slot was taken, and closes the superblock after its last unit.
    ///
    /// # Errors
    /// When a program fails: the fence that is reached when that is known. The unit is still open.
    #[inline(always)]
    pub(super) fn program_unit(
        &mut self,
        f: usize,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> Result<(), Fence> {
        let (first, mut place) = (self.frontiers[f].first, self.frontiers[f].place);
        place = self.program_at((first, place), cause, order, batch)?;
        for _ in 1..self.units_per_slot() {
            place = self.program_at((first, place), cause, order, batch)?;
        }
        let unit_left = self.unit_slots();
        let frontier = &mut self.frontiers[f];
        frontier.place = place;
        (frontier.ready, frontier.done) = (Fence::NONE, Fence::NONE);
        frontier.unit_left = unit_left;
        if frontier.next == frontier.end {
            let superblock = frontier.superblock;
            self.close(f, superblock);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn close(&mut self, f: usize, superblock: SuperblockId) {
        self.closed += 1;
        self.closed_at[superblock.index()] = self.closed;
        if self.is_slc_frontier(f) {
            let g = self.cell_of_frontier(f);
            self.groups[g].slc.push_back(superblock);
        } else {
            self.table.set_candidate(superblock, true);
        }
    }

    /// Programs the partly filled units of a group; what is missing stays empty.
    pub(super) fn fill_up(&mut self, g: usize, batch: &mut OpBatch) {
        let cells = g * self.streams.count()..(g + 1) * self.streams.count();
        for cell in cells {
            for (f, cause) in [
                (host_frontier(cell), Cause::Host),
                (collected_frontier(cell), Cause::Gc),
            ] {
                let takes_copies = f == self.collection_frontier(cell);
                if self.frontiers[f].unit_left < self.unit_slots() && takes_copies {
                    let missing = self.frontiers[f].unit_left;
                    self.end_collection_without(g, (f, missing), batch);
                }
                // What is left now: a collection that ended may have completed the unit.
                self.fill_up_unit(f, g, cause, batch);
            }
        }
        if self.config.slc.is_some() {
            self.fill_up_unit(self.slc_frontier(g), g, Cause::Host, batch);
        }
    }

    /// Programs the unit of a frontier of group `g` if it is partly filled.
    fn fill_up_unit(&mut self, f: usize, g: usize, cause: Cause, batch: &mut OpBatch) {
        let missing = self.frontiers[f].unit_left;
        if missing == self.unit_slots() {
            return;
        }
        self.frontiers[f].next += missing;
        self.count_taken(f, g, missing);
        let order = self.order_of_unit(f);
        if let Err(known) = self.program_unit(f, cause, order, batch) {
            self.write_elsewhere(f, cause, known, batch);
        }
    }

    /// Opens a free superblock of the frontier's group for data that are written for `cause`, erasing it if it was used
    /// before. Returns true if one was left; there always is unless blocks fail.
    #[cold]
    #[inline(never)]
    pub(super) fn open(&mut self, f: usize, cause: Cause, batch: &mut OpBatch) -> bool {
        let cell = self.cell_of_frontier(f);
        let g = self.group_of_cell(cell);
        let Some(superblock) = self.take_free(g, cause, batch) else {
            return false;
        };
        if self.is_slc_frontier(f) {
            self.enter_slc(g, superblock);
        }
        self.table.assign(superblock, cell);
        self.forget_births(superblock);
        let first = self.layout.first_page(superblock);
        let slot = self.layout.slot(superblock, 0).0;
        let end = slot + self.slots_of(superblock);
        let frontier = &mut self.frontiers[f];
        *frontier = Frontier {
            superblock,
            next: slot,
            end,
            first,
            place: first,
            ..*frontier
        };
        true
    }

    /// Takes a free superblock for what `cause` writes, erased and without bad blocks. Those that cannot
    /// be made so are retired on the way.
    pub(super) fn take_free(
        &mut self,
        g: usize,
        cause: Cause,
        batch: &mut OpBatch,
    ) -> Option<SuperblockId> {
        let erasing = Erasing {
            // Whatever needs the room, an erase is part of collection, but for the table's.
            cause: if cause == Cause::Map {
                cause
            } else {
                Cause::Gc
            },
            order: Order::FREE,
            always: false,
        };
        loop {
            let Some(superblock) = self.choose_free(g, cause) else {
                assert!(
                    self.array.can_fail(),
                    "collection keeps a superblock free for every frontier"
                );
                self.refuse_as_worn_out();
                return None;
            };
            if self.make_ready(superblock, erasing, batch) {
                batch.data(DataMove::Erase {
                    first: self.layout.slot(superblock, 0),
                    slots: self.layout.slots_per_superblock,
                });
                return Some(superblock);
            }
            self.groups[g].writable_slots -= self.layout.slots_per_superblock;
            self.retire(g, superblock);
        }
    }

    /// Takes a superblock off the free list of a group, whatever its blocks are like.
    fn choose_free(&mut self, g: usize, cause: Cause) -> Option<SuperblockId> {
        let levelling = self.config.wear;
        let mut free = std::mem::take(&mut self.groups[g].free);
        let wear = |s: SuperblockId| self.worn[s.index()];
        let full = || self.full(g).candidates().map(|c| wear(c.superblock));
        let taken = levelling.take(&mut free, cause, wear, self.wear_bounds[g], || full().min());
        self.groups[g].free = free;
        taken
    }

    /// Writes the tables if it is time.
    #[inline]
    pub(super) fn checkpoint(&mut self, batch: &mut OpBatch) {
        let Some(checkpoint) = self.config.checkpoint else {
            return;
        };
        self.tables.slots_since += 1;
        if self.tables.slots_since < checkpoint.every_slots {
            return;
        }
        self.tables.slots_since = 0;
        let dead = self.tables.held.len().saturating_sub(1);
        for _ in 0..checkpoint.pages {
            if self.append_table_page(batch).is_err() {
                // The next write is refused. The tables written before stay.
                return;
            }
        }
        for superblock in self.tables.held.drain(..dead).collect::<Vec<_>>() {
            self.release(superblock);
        }
    }

    /// Writes one page of tables.
    ///
    /// # Errors
    /// When that needs another superblock and collection makes no progress.
    fn append_table_page(&mut self, batch: &mut OpBatch) -> Result<(), Refusal> {
        loop {
            let (superblock, n) = match self.tables.open {
                Some(open) => open,
                None => {
                    let g = self.next_group[0];
                    self.make_room(g, batch)?;
                    let Some(superblock) = self.take_free(g, Cause::Gc, batch) else {
                        return Err(self.refusal.expect("said where none was left"));
                    };
                    self.groups[g].writable_slots -= self.layout.slots_per_superblock;
                    self.tables.held.push_back(superblock);
                    (superblock, 0)
                }
            };
            let page = self.layout.page(superblock, n);
            let status = self.array.program(page, 1, Cause::Map, Order::FREE, batch);
            let left = status.is_good() && n + 1 < self.layout.pages_per_superblock;
            self.tables.open = left.then_some((superblock, n + 1));
            if status.is_good() {
                return Ok(());
            }
        }
    }
}

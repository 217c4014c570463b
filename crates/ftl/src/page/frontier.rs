//! Where the next slot goes: open superblocks, and program units that fill up.

use super::PageLayer;
use crate::Refusal;
use ftlab_base::{Layout, PagePlace, SuperblockId};
use ftlab_nand::{Array, Cause, DataMove, Fence, OpBatch, Order};
use std::collections::VecDeque;

/// Frontiers of a cell: one for host data, one for collected data.
pub(super) const FRONTIERS_PER_CELL: usize = 2;

/// The frontier for host data of a cell.
#[inline]
pub(super) fn host_frontier(cell: usize) -> usize {
    cell * FRONTIERS_PER_CELL
}

/// The frontier for collected data of a cell.
#[inline]
pub(super) fn collected_frontier(cell: usize) -> usize {
    cell * FRONTIERS_PER_CELL + 1
}

/// The open superblock that data are appended to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frontier {
    pub(super) superblock: SuperblockId,
    /// The next slot.
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

    /// Whether no unit with a fence of its own is partly filled.
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

    /// Slots left in the open superblock.
    pub fn left(&self) -> u32 {
        self.end - self.next
    }

    /// Whether the next slot opens a superblock.
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
    /// Takes the next slot of a frontier.
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        f: usize,
        cause: Cause,
        batch: &mut OpBatch,
    ) -> (u32, SuperblockId) {
        if self.frontiers[f].next == self.frontiers[f].end {
            self.open(f, batch);
        }
        let frontier = &mut self.frontiers[f];
        let (slot, superblock) = (frontier.next, frontier.superblock);
        frontier.next += 1;
        frontier.unit_left -= 1;
        if frontier.unit_left == 0 {
            self.program_unit(f, cause, batch);
        }
        (slot, superblock)
    }

    /// Programs the unit whose last slot was taken, and closes the superblock after its last unit.
    #[inline(always)]
    fn program_unit(&mut self, f: usize, cause: Cause, batch: &mut OpBatch) {
        let (planes, units) = (self.planes(), self.units_per_slot());
        let frontier = self.frontiers[f];
        let order = Order {
            waits: frontier.ready,
            signals: [frontier.done, Fence::NONE],
        };
        let mut place = frontier.place;
        self.array.program(place, planes, cause, order, batch);
        place = self.next_unit(frontier.first, place);
        for _ in 1..units {
            self.array.program(place, planes, cause, order, batch);
            place = self.next_unit(frontier.first, place);
        }
        let unit_left = self.unit_slots();
        let frontier = &mut self.frontiers[f];
        frontier.place = place;
        (frontier.ready, frontier.done) = (Fence::NONE, Fence::NONE);
        frontier.unit_left = unit_left;
        if frontier.next == frontier.end {
            let superblock = frontier.superblock;
            self.close(superblock);
        }
    }

    #[cold]
    fn close(&mut self, superblock: SuperblockId) {
        self.closed += 1;
        self.closed_at[superblock.index()] = self.closed;
        self.table.set_candidate(superblock, true);
    }

    /// Programs the partly filled units of a group; what is missing stays empty.
    pub(super) fn fill_up(&mut self, g: usize, batch: &mut OpBatch) {
        let cells = g * self.streams.count()..(g + 1) * self.streams.count();
        for cell in cells {
            for (f, cause) in [
                (host_frontier(cell), Cause::Host),
                (collected_frontier(cell), Cause::Gc),
            ] {
                if self.frontiers[f].unit_left < self.unit_slots() && cause == Cause::Gc {
                    let missing = self.frontiers[f].unit_left;
                    self.end_collection_without(g, (f, missing), batch);
                }
                // Of what is left now: a collection that ended may have completed the unit.
                let missing = self.frontiers[f].unit_left;
                if missing < self.unit_slots() {
                    self.frontiers[f].next += missing;
                    self.groups[g].writable_slots -= missing;
                    self.program_unit(f, cause, batch);
                }
            }
        }
    }

    /// Opens a free superblock of the frontier's group, erasing it if it was used before.
    #[cold]
    fn open(&mut self, f: usize, batch: &mut OpBatch) {
        let cell = f / FRONTIERS_PER_CELL;
        let superblock = self.take_free(self.group_of_cell(cell), batch);
        self.table.assign(superblock, cell);
        self.forget_births(superblock);
        let first = self.layout.first_page(superblock);
        let slot = self.layout.slot(superblock, 0).0;
        let frontier = &mut self.frontiers[f];
        *frontier = Frontier {
            superblock,
            next: slot,
            end: slot + self.layout.slots_per_superblock,
            first,
            place: first,
            ..*frontier
        };
    }

    /// Takes a free superblock, erased.
    fn take_free(&mut self, g: usize, batch: &mut OpBatch) -> SuperblockId {
        let superblock = self.pick_free(g);
        self.erase(superblock, Cause::Gc, batch);
        superblock
    }

    /// Takes the next superblock off a group's list of free ones.
    pub(super) fn pick_free(&mut self, g: usize) -> SuperblockId {
        let wear = |s| wear_of(&self.layout, &self.array, s);
        let free = &mut self.groups[g].free;
        let superblock = self.config.wear.allocation.take(free, wear);
        superblock.expect("collection keeps a superblock free for every frontier")
    }

    /// Erases a superblock where it was used before.
    pub(super) fn erase(&mut self, superblock: SuperblockId, cause: Cause, batch: &mut OpBatch) {
        let planes = self.layout.geometry.planes_per_die;
        for (die, block) in self.layout.blocks(superblock) {
            if self.array.programmed_pages(block) > 0 {
                self.array
                    .erase((die, block), planes, cause, Order::FREE, batch);
            }
        }
        batch.data(DataMove::Erase {
            first: self.layout.slot(superblock, 0),
            slots: self.layout.slots_per_superblock,
        });
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
        let (superblock, n) = match self.tables.open {
            Some(open) => open,
            None => {
                let g = self.next_group[0];
                self.make_room(g, batch)?;
                let superblock = self.take_free(g, batch);
                self.groups[g].writable_slots -= self.layout.slots_per_superblock;
                self.tables.held.push_back(superblock);
                (superblock, 0)
            }
        };
        let page = self.layout.page(superblock, n);
        self.array.program(page, 1, Cause::Map, Order::FREE, batch);
        let left = n + 1 < self.layout.pages_per_superblock;
        self.tables.open = left.then_some((superblock, n + 1));
        Ok(())
    }
}

/// Erases of a superblock: its blocks are erased together.
pub(super) fn wear_of(layout: &Layout, array: &Array, superblock: SuperblockId) -> u32 {
    array.erase_count(layout.first_page(superblock).block)
}

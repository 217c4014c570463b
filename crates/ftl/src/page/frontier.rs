//! Where the next slot goes: open superblocks, and program units that fill up.

use super::PageLayer;
use super::victim::NOT_A_CANDIDATE;
use ftlab_base::{Divisor, Layout, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};

/// The open superblock of one stream of data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frontier {
    pub(super) superblock: Option<SuperblockId>,
    /// Slots written or given away.
    pub(super) next: u32,
    /// Pages programmed.
    pub(super) programmed: u32,
    /// Reached when what the open unit copies has been read.
    pub(super) ready: Fence,
    /// Reached when the open unit is programmed.
    pub(super) done: Fence,
}

impl Frontier {
    /// The fence that the open unit's program waits for.
    pub(super) fn ready(&mut self, batch: &mut OpBatch) -> Fence {
        if !self.ready.is_some() {
            self.ready = batch.fence();
        }
        self.ready
    }

    /// Whether no unit is partly filled.
    pub(super) fn unit_is_complete(&self) -> bool {
        !self.done.is_some()
    }

    /// Whether the `nth` next slot begins a program unit.
    pub(super) fn begins_unit(&self, nth: u32, unit_slots: Divisor) -> bool {
        unit_slots.divide(self.next + nth).1 == 0
    }

    /// Makes `ready` the fence that the open unit's program waits for.
    pub(super) fn wait_for(&mut self, ready: Fence) {
        self.ready = ready;
    }

    /// Slots left in the open superblock.
    pub(super) fn left(&self, layout: &Layout) -> u32 {
        self.superblock
            .map_or(0, |_| layout.slots_per_superblock - self.next)
    }
}

impl PageLayer {
    /// Takes the next slot for host data; gives the fence of its program.
    pub(super) fn append_host(&mut self, g: usize, batch: &mut OpBatch) -> (Ppa, Fence) {
        let mut frontier = self.groups[g].host;
        if frontier.unit_is_complete() {
            frontier.done = batch.fence();
        }
        let done = frontier.done;
        let slot = self.append(g, &mut frontier, Cause::Host, batch);
        self.groups[g].host = frontier;
        (slot, done)
    }

    /// Takes the next slot for collected data.
    pub(super) fn append_collected(&mut self, g: usize, batch: &mut OpBatch) -> Ppa {
        let mut frontier = self.groups[g].collected;
        let slot = self.append(g, &mut frontier, Cause::Gc, batch);
        self.groups[g].collected = frontier;
        slot
    }

    /// Writes one page of tables.
    pub(super) fn append_table_page(&mut self, batch: &mut OpBatch) {
        let mut frontier = self.tables.frontier;
        if frontier.superblock.is_none() {
            let g = self.next_group;
            self.make_room(g, batch);
            let superblock = self.open(g, &mut frontier, batch);
            self.groups[g].writable_slots -= self.layout.slots_per_superblock;
            self.tables.held.push_back(superblock);
        }
        let superblock = frontier.superblock.expect("just opened");
        let page = self.layout.page(superblock, frontier.programmed);
        self.array.program(page, 1, Cause::Map, Order::FREE, batch);
        frontier.programmed += 1;
        if frontier.programmed == self.layout.pages_per_superblock {
            frontier = Frontier::default();
        }
        self.tables.frontier = frontier;
    }

    /// Programs the partly filled units of a group; what is missing stays empty.
    pub(super) fn fill_up(&mut self, g: usize, batch: &mut OpBatch) {
        for cause in [Cause::Host, Cause::Gc] {
            let mut frontier = self.frontier(g, cause);
            let begun = self.unit_slots.divide(frontier.next).1;
            if frontier.superblock.is_some() && begun > 0 {
                let missing = self.unit_slots.get() - begun;
                frontier.next += missing;
                self.groups[g].writable_slots -= missing;
                self.program_complete_units(&mut frontier, cause, batch);
                *self.frontier_mut(g, cause) = frontier;
            }
        }
    }

    fn frontier(&self, g: usize, cause: Cause) -> Frontier {
        let group = &self.groups[g];
        if cause == Cause::Host {
            group.host
        } else {
            group.collected
        }
    }

    fn frontier_mut(&mut self, g: usize, cause: Cause) -> &mut Frontier {
        let group = &mut self.groups[g];
        if cause == Cause::Host {
            &mut group.host
        } else {
            &mut group.collected
        }
    }

    #[inline]
    fn append(
        &mut self,
        g: usize,
        frontier: &mut Frontier,
        cause: Cause,
        batch: &mut OpBatch,
    ) -> Ppa {
        let superblock = match frontier.superblock {
            Some(superblock) => superblock,
            None => self.open(g, frontier, batch),
        };
        let slot = self.layout.slot(superblock, frontier.next);
        frontier.next += 1;
        self.groups[g].writable_slots -= 1;
        if frontier.begins_unit(0, self.unit_slots) {
            self.program_complete_units(frontier, cause, batch);
        }
        slot
    }

    /// Opens the group's oldest free superblock, erasing it if it was used before.
    fn open(&mut self, g: usize, frontier: &mut Frontier, batch: &mut OpBatch) -> SuperblockId {
        let superblock = self.groups[g].free.pop_front();
        let superblock = superblock.expect("collection keeps a superblock free for every frontier");
        let planes = self.layout.geometry.planes_per_die;
        for (die, block) in self.layout.blocks(superblock) {
            if self.array.programmed_pages(block) > 0 {
                self.array
                    .erase((die, block), planes, Cause::Gc, Order::FREE, batch);
            }
        }
        let first = self.layout.slot(superblock, 0);
        batch.data(DataMove::Erase {
            first,
            slots: self.layout.slots_per_superblock,
        });
        *frontier = Frontier {
            superblock: Some(superblock),
            done: frontier.done,
            ready: frontier.ready,
            ..Frontier::default()
        };
        superblock
    }

    /// Programs every unit whose slots are all there, and closes the superblock after the last.
    #[inline]
    fn program_complete_units(
        &mut self,
        frontier: &mut Frontier,
        cause: Cause,
        batch: &mut OpBatch,
    ) {
        let superblock = frontier.superblock.expect("a frontier with slots is open");
        let planes = self.layout.geometry.planes_per_die;
        let (first, pages) = self.layout.pages_of_slot(frontier.next - 1);
        let complete = first + pages;
        let order = Order::after(frontier.ready).signalling(frontier.done);
        while frontier.programmed + planes <= complete {
            let page = self.layout.page(superblock, frontier.programmed);
            self.array.program(page, planes, cause, order, batch);
            frontier.programmed += planes;
        }
        (frontier.ready, frontier.done) = (Fence::NONE, Fence::NONE);
        if frontier.next == self.layout.slots_per_superblock {
            self.close(superblock);
            *frontier = Frontier::default();
        }
    }

    fn close(&mut self, superblock: SuperblockId) {
        self.closed += 1;
        self.closed_at[superblock.index()] = self.closed;
        // The slot being written is counted by the remap that follows.
        self.valid_slots[superblock.index()] &= !NOT_A_CANDIDATE;
    }
}

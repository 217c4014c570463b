//! Places of the next chunks: open superblocks, their units and rows.
//!
//! Units of the host are programmed when they are full. What is collected is programmed row by row,
//! so that all dies read before all program.

use super::PackedLayer;
use super::stripe::{Skip, Stripe};
use ftlab_base::{PagePlace, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order, Status};

/// The frontier for host data.
pub(super) const HOST: usize = 0;
/// The frontier for collected data.
pub(super) const COLLECTED: usize = 1;

/// On whose behalf each frontier programs.
pub(super) const CAUSES: [Cause; 2] = [Cause::Host, Cause::Gc];

/// The open superblock that chunks are appended to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frontier {
    pub superblock: SuperblockId,
    pub is_open: bool,
    /// The next chunk of the superblock.
    pub next: u32,
    /// Units that are programmed.
    pub programmed: u32,
    /// Fences that the programs wait for: of the host, of the open unit and the one after it; of collected data, of the
    /// open row and the one after it.
    pub ready: [Fence; 2],
    /// The host's fence: reached when the open unit, or the one after it, is programmed.
    pub done: [Fence; 2],
    /// The host's: the unit before signals the fence of the open unit, too.
    pub straddled: bool,
}

impl Frontier {
    /// No superblock is open.
    pub fn closed() -> Frontier {
        Frontier {
            superblock: SuperblockId(0),
            is_open: false,
            next: 0,
            programmed: 0,
            ready: [Fence::NONE; 2],
            done: [Fence::NONE; 2],
            straddled: false,
        }
    }

    /// The open superblock, if one is.
    pub fn open_superblock(&self) -> Option<SuperblockId> {
        self.is_open.then_some(self.superblock)
    }

    /// Returns true if it is open on a superblock.
    pub fn is_at(&self, superblock: SuperblockId) -> bool {
        self.is_open && self.superblock == superblock
    }

    /// Returns true if N chunks go into the open superblock.
    #[inline]
    pub fn fits(&self, chunks: u32, stripe: &Stripe) -> bool {
        self.is_open && self.next + chunks <= stripe.superblock
    }

    /// Chunks left in the open superblock.
    pub fn left(&self, stripe: &Stripe) -> u32 {
        if self.is_open {
            stripe.superblock - self.next
        } else {
            0
        }
    }

    /// The next chunk of the superblock.
    pub fn position(&self) -> u32 {
        self.next
    }

    /// Returns true if a unit is not programmed yet, and so still in the controller.
    #[inline]
    pub fn holds(&self, superblock: SuperblockId, unit: u32) -> bool {
        self.is_open && self.superblock == superblock && unit >= self.programmed
    }

    /// Returns true if chunks from the next one on reach into the unit after the open one.
    fn straddles(&self, chunks: u32, stripe: &Stripe) -> bool {
        stripe.unit_of(self.next + chunks - 1) > self.programmed
    }

    /// Order of a read whose data go into the next chunks: the programs of these wait for it.
    pub fn order_of_reads(&mut self, chunks: u32, stripe: &Stripe, batch: &mut OpBatch) -> Order {
        let straddles = self.straddles(chunks, stripe);
        let order = Order::FREE.signalling(made(&mut self.ready[0], batch));
        if straddles {
            order.signalling(made(&mut self.ready[1], batch))
        } else {
            order
        }
    }

    /// Fence that the programs of collected data wait for: in this pass, or after it.
    pub fn ready(&mut self, after: bool, batch: &mut OpBatch) -> Fence {
        made(&mut self.ready[usize::from(after)], batch)
    }
}

/// A fence, made if there is none.
#[inline]
fn made(fence: &mut Fence, batch: &mut OpBatch) -> Fence {
    if !fence.is_some() {
        *fence = batch.fence();
    }
    *fence
}

impl PackedLayer {
    /// Takes chunks of the host's superblock; gives the first and the fence of the last.
    #[inline]
    pub(super) fn append_for_host(&mut self, chunks: u32, batch: &mut OpBatch) -> (u32, Fence) {
        let frontier = &mut self.frontiers[HOST];
        let straddles = frontier.straddles(chunks, &self.stripe);
        let done = made(&mut frontier.done[usize::from(straddles)], batch);
        (self.take(HOST, chunks), done)
    }

    /// Takes chunks of a frontier's superblock, where there is room; gives the first.
    #[inline]
    pub(super) fn take(&mut self, f: usize, chunks: u32) -> u32 {
        let frontier = &mut self.frontiers[f];
        let at = self.stripe.first(frontier.superblock) + frontier.next;
        frontier.next += chunks;
        self.writable -= chunks;
        at
    }

    /// Programs the host's unit that has become full, and closes the superblock after its last.
    #[inline]
    pub(super) fn program_full_units(&mut self, batch: &mut OpBatch) {
        let frontier = self.frontiers[HOST];
        let full = self.stripe.unit_of(frontier.next);
        if full > frontier.programmed {
            self.program_unit_of_host(batch);
            if self.frontiers[HOST].next == self.stripe.superblock {
                self.close(HOST);
            }
        }
    }

    /// Programs the host's open unit.
    fn program_unit_of_host(&mut self, batch: &mut OpBatch) {
        let frontier = &mut self.frontiers[HOST];
        let (ready, done) = (frontier.ready, frontier.done);
        if std::mem::replace(&mut frontier.straddled, done[1].is_some()) {
            batch.keep(done[0]);
        }
        if done[1].is_some() {
            batch.promise(done[1]);
        }
        frontier.ready = [ready[1], Fence::NONE];
        frontier.done = [done[1], Fence::NONE];
        let order = Order::after(ready[0])
            .signalling(done[0])
            .signalling(done[1]);
        self.program_next(HOST, order, batch);
    }

    /// Programs the rows of collected data that are full, or all units that hold anything.
    pub(super) fn program_collected(&mut self, all: bool, batch: &mut OpBatch) {
        let frontier = self.frontiers[COLLECTED];
        let end = if all {
            frontier.next.div_ceil(self.stripe.unit)
        } else {
            frontier.next / self.stripe.row * self.stripe.row_units
        };
        for _ in frontier.programmed..end {
            self.program_next(COLLECTED, Order::after(frontier.ready[0]), batch);
        }
    }

    /// Ends a pass: the next programs wait for what was read for later.
    pub(super) fn end_pass(&mut self) {
        let [_, next] = self.frontiers[COLLECTED].ready;
        self.frontiers[COLLECTED].ready = [next, Fence::NONE];
    }

    /// Programs the next unit of a frontier, and the parity after the last one of a row. By then the
    /// controller has seen all of the row, since the data of its other units were sent before.
    fn program_next(&mut self, f: usize, order: Order, batch: &mut OpBatch) {
        let Frontier {
            superblock,
            programmed,
            ..
        } = self.frontiers[f];
        self.frontiers[f].programmed += 1;
        let planes = self.stripe.layout.geometry.planes_per_die;
        let skip = self.skip[superblock.index()];
        let at = (f, superblock);
        let place = self.stripe.place(superblock, programmed, skip);
        self.program(at, place, planes, order, batch);
        let (row, is_last) = self.stripe.row_of(programmed);
        if is_last && skip == Skip::Parity {
            let die = self.stripe.parity_die(superblock, row);
            let place = self.stripe.unit_on(superblock, row, die);
            self.program(at, place, planes, Order::after(order.waits), batch);
        }
    }

    #[inline]
    fn program(
        &mut self,
        at: (usize, SuperblockId),
        place: PagePlace,
        planes: u32,
        order: Order,
        batch: &mut OpBatch,
    ) {
        let cause = CAUSES[at.0];
        let status = self.array.program(place, planes, cause, order, batch);
        if let Status::Failed { known } = status {
            self.program_elsewhere(at, place, order, known, batch);
        }
    }

    /// Programs what waits in a frontier; the rest of the last unit stays empty.
    pub(super) fn fill_up(&mut self, f: usize, batch: &mut OpBatch) {
        let frontier = self.frontiers[f];
        if frontier.next <= frontier.programmed * self.stripe.unit {
            return;
        }
        let end = frontier.next.next_multiple_of(self.stripe.unit);
        self.leave_empty(f, end - frontier.next);
        match f {
            HOST => self.program_unit_of_host(batch),
            _ => {
                self.program_collected(true, batch);
                self.end_pass();
            }
        }
        if end == self.stripe.superblock {
            self.close(f);
        }
    }

    pub(super) fn leave_empty(&mut self, f: usize, chunks: u32) {
        self.take(f, chunks);
        self.table.fill_up(self.frontiers[f].superblock, chunks);
    }

    /// Closes the open superblock, whose end has no room for what comes next, and opens a free one.
    pub(super) fn close_and_open(&mut self, f: usize, batch: &mut OpBatch) {
        if self.frontiers[f].is_open {
            self.end_superblock(f, batch);
        }
        self.open(f, batch);
    }

    /// Fills up the open superblock, of which less than a slot is left.
    fn end_superblock(&mut self, f: usize, batch: &mut OpBatch) {
        let left = self.frontiers[f].left(&self.stripe);
        self.leave_empty(f, left);
        match f {
            HOST => self.program_unit_of_host(batch),
            // Its rows are full.
            _ => self.program_collected(false, batch),
        }
        self.close(f);
    }

    /// A superblock takes no more, and may be collected.
    pub(super) fn close(&mut self, f: usize) {
        let frontier = &mut self.frontiers[f];
        let superblock = frontier.superblock;
        self.writable -= frontier.left(&self.stripe);
        // A pass that fills a superblock goes on in the next one.
        *frontier = Frontier {
            ready: frontier.ready,
            ..Frontier::closed()
        };
        self.closed += 1;
        self.closed_at[superblock.index()] = self.closed;
        self.table.set_candidate(superblock, true);
    }

    /// Opens a free superblock, erasing it if it was used before.
    fn open(&mut self, f: usize, batch: &mut OpBatch) {
        let superblock = self.take_free(usize::from(f == HOST), batch);
        if let Some(die) = self.failed {
            self.skip[superblock.index()] = Skip::Failed(die);
        }
        self.table.clear(superblock);
        batch.data(DataMove::Erase {
            first: Ppa(self.stripe.first(superblock)),
            slots: self.stripe.superblock,
        });
        let frontier = &mut self.frontiers[f];
        frontier.superblock = superblock;
        frontier.is_open = true;
    }
}

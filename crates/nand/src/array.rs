//! The state of every block: how far it is programmed, how often it was erased, whether it is bad.

mod faults;
mod injected;
mod state;

pub use faults::FaultCounters;
pub use injected::InjectionRefused;
pub use state::ArrayState;

use crate::op::{Cause, Fence, NandOp, OpBatch, OpKind, OpWord, Order};
use faults::Faults;
use ftlab_base::geometry::Geometry;
use ftlab_base::{BlockId, DieId, PagePlace, SECTOR_BYTES, StreamHash};
use serde::{Deserialize, Serialize};

/// Operations counted by cause. Programs and reads are counted in pages, erases in blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NandCounters {
    reads: [u64; 4],
    programs: [u64; 4],
    erases: [u64; 4],
}

impl NandCounters {
    /// Pages read, over all causes.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.reads.iter().sum()
    }

    /// Pages programmed, over all causes.
    #[must_use]
    pub fn programs(&self) -> u64 {
        self.programs.iter().sum()
    }

    /// Blocks erased, over all causes.
    #[must_use]
    pub fn erases(&self) -> u64 {
        self.erases.iter().sum()
    }

    /// Pages programmed for one cause.
    #[must_use]
    pub fn programs_for(&self, cause: Cause) -> u64 {
        self.programs[cause as usize]
    }

    /// Pages read for one cause.
    #[must_use]
    pub fn reads_for(&self, cause: Cause) -> u64 {
        self.reads[cause as usize]
    }

    /// Returns the counts added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &NandCounters) -> NandCounters {
        let minus = |a: &[u64; 4], b: &[u64; 4]| std::array::from_fn(|i| a[i] - b[i]);
        NandCounters {
            reads: minus(&self.reads, &earlier.reads),
            programs: minus(&self.programs, &earlier.programs),
            erases: minus(&self.erases, &earlier.erases),
        }
    }
}

/// Marks, in a count of programmed pages, a block that needs a closer look before it is programmed: it
/// is bad, or in its last cycle. No page has such a number, so the one check of a program finds it.
const WATCHED: u32 = 1 << 31;

/// Marks, in the same count, a block that holds one bit a cell until it is erased.
const SLC: u32 = 1 << 30;

/// Bits of the word that are marks, not part of the count of pages.
const MARKS: u32 = WATCHED | SLC;

/// The outcome of an operation that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Status {
    /// The operation was done.
    Good,
    /// The block is bad now. What it held before can be read as before.
    Failed {
        /// Reached when the failure is known, if the operation had a signal to spare.
        known: Fence,
    },
}

impl Status {
    /// Returns true if the operation was done.
    #[must_use]
    #[inline]
    pub fn is_good(self) -> bool {
        self == Status::Good
    }
}

/// The array's state. Illegal use is a bug of the translation layer and aborts, naming the
/// operation and the address.
#[derive(Debug, Clone)]
pub struct Array {
    geometry: Geometry,
    /// Pages programmed since the last erase, by block; may be marked [`WATCHED`] and [`SLC`].
    programmed: Vec<u32>,
    /// Pages that a block has as SLC; none where no block may be.
    slc_pages: u32,
    /// Number of erases of each block.
    erases: Vec<u32>,
    /// True for each block that is out of use.
    bad: Vec<bool>,
    counters: NandCounters,
    stream: StreamHash,
    /// Faults of the blocks, if anything can fail.
    faults: Option<Box<Faults>>,
}

impl Array {
    /// An array fresh from the factory: all blocks good, erased and unworn.
    #[must_use]
    pub fn new(geometry: Geometry) -> Array {
        let blocks = geometry.blocks() as usize;
        Array {
            geometry,
            programmed: vec![0; blocks],
            slc_pages: 0,
            erases: vec![0; blocks],
            bad: vec![false; blocks],
            counters: NandCounters::default(),
            stream: StreamHash::default(),
            faults: None,
        }
    }

    /// Returns the geometry of the array.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the counts of operations so far.
    #[must_use]
    pub fn counters(&self) -> NandCounters {
        self.counters
    }

    /// Hash over all operations so far, in issue order.
    #[must_use]
    pub fn stream_hash(&self) -> u64 {
        self.stream.value()
    }

    /// Starts the operation hash anew, so that a run's hash does not depend on what came before.
    pub fn reset_stream_hash(&mut self) {
        self.stream = StreamHash::default();
    }

    /// Returns the number of erases of a block.
    #[must_use]
    pub fn erase_count(&self, block: BlockId) -> u32 {
        self.erases[block.index()]
    }

    /// Erase counts of all blocks, by block.
    #[must_use]
    pub fn erase_counts(&self) -> &[u32] {
        &self.erases
    }

    /// Pages of a block programmed since its last erase.
    #[must_use]
    #[inline]
    pub fn programmed_pages(&self, block: BlockId) -> u32 {
        self.programmed[block.index()] & !MARKS
    }

    /// Returns true if a block is as an erase leaves it: it holds nothing, and may have all its bits.
    #[must_use]
    #[inline]
    pub fn is_erased(&self, block: BlockId) -> bool {
        self.programmed[block.index()] & !WATCHED == 0
    }

    /// Lets blocks hold one bit a cell, and `pages` pages then.
    pub fn allow_slc(&mut self, pages: u32) {
        self.slc_pages = pages;
    }

    /// Has an erased block hold one bit a cell until it is erased again.
    ///
    /// # Panics
    /// When blocks may not, or the block holds something.
    pub fn set_slc(&mut self, block: BlockId) {
        assert!(self.slc_pages > 0, "{block} as SLC: no block may be");
        let programmed = self.programmed_pages(block);
        assert_eq!(programmed, 0, "{block} as SLC: it is not erased");
        self.programmed[block.index()] |= SLC;
    }

    /// Returns true if a block holds one bit a cell.
    #[must_use]
    #[inline]
    pub fn is_slc(&self, block: BlockId) -> bool {
        self.programmed[block.index()] & SLC != 0
    }

    /// Takes a block out of use; what it holds stays readable.
    pub fn mark_bad(&mut self, block: BlockId) {
        self.bad[block.index()] = true;
        self.programmed[block.index()] |= WATCHED;
    }

    /// Lets no program of a good block fail until it is erased again: for what the controller writes
    /// for itself, and would write twice without telling.
    pub fn trust(&mut self, block: BlockId) {
        if !self.bad[block.index()] {
            self.programmed[block.index()] &= !WATCHED;
        }
    }

    /// Returns true if a block is out of use.
    #[must_use]
    #[inline]
    pub fn is_bad(&self, block: BlockId) -> bool {
        self.bad[block.index()]
    }

    /// Reads a page of what the controller keeps for itself on a die, in blocks that are no layer's: it is
    /// always there, can be corrected and never wears. The operation bears the address of the die's first
    /// page.
    pub fn read_own(&mut self, die: DieId, cause: Cause, order: Order, batch: &mut OpBatch) {
        let (block, page) = (self.geometry.block(die, 0), 0);
        let (place, bytes) = (PagePlace { die, block, page }, self.geometry.page_bytes);
        self.counters.reads[cause as usize] += 1;
        let op = self.op(OpKind::Read, place, 1, bytes, cause, order);
        self.issue(op, batch);
    }

    /// Reads `bytes` of a page; again, as often as ECC needs it. Returns true if the data could be corrected.
    ///
    /// # Panics
    /// When the page was not programmed since its block's last erase.
    #[inline(always)]
    pub fn read(
        &mut self,
        place: PagePlace,
        bytes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        if let Some(faults) = &mut self.faults
            && !faults.reads_calmly(place.block)
        {
            return self.read_closely(place, bytes, cause, order, batch);
        }
        let programmed = self.programmed_pages(place.block);
        if place.page >= programmed {
            wrong_read(place, programmed);
        }
        self.counters.reads[cause as usize] += 1;
        let op = self.op(OpKind::Read, place, 1, bytes, cause, order);
        self.issue(op, batch);
        true
    }

    /// Reads a page of an array in which a read may fail: as often as ECC needs it. Returns true if the data can be
    /// had.
    #[inline(never)]
    fn read_closely(
        &mut self,
        place: PagePlace,
        bytes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let programmed = self.programmed_pages(place.block);
        if place.page >= programmed {
            wrong_read(place, programmed);
        }
        let (retries, readable) = self.correct(place);
        for _ in 0..=retries {
            self.counters.reads[cause as usize] += 1;
            let op = self.op(OpKind::Read, place, 1, bytes, cause, order);
            self.issue(op, batch);
        }
        readable
    }

    /// Programs the next page of a block, or of `planes` neighbouring blocks together.
    ///
    /// # Panics
    /// When the page is not the next one of its block, or the block is bad.
    #[inline(always)]
    pub fn program(
        &mut self,
        place: PagePlace,
        planes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> Status {
        let mut is_next = self.programmed[place.block.index()] == place.page;
        for n in 1..planes {
            is_next &= self.programmed[place.block.index() + n as usize] == place.page;
        }
        if !is_next {
            return self.program_closely(place, planes, cause, order, batch);
        }
        self.programmed[place.block.index()] += 1;
        for n in 1..planes {
            self.programmed[place.block.index() + n as usize] += 1;
        }
        self.counters.programs[cause as usize] += u64::from(planes);
        let bytes = planes * self.geometry.page_bytes;
        let op = self.op(OpKind::Program, place, planes, bytes, cause, order);
        self.issue(op, batch);
        Status::Good
    }

    /// Programs pages that are not the next of their block, or whose block is watched. A program that fails takes its
    /// time, and then the controller knows.
    #[cold]
    #[inline(never)]
    fn program_closely(
        &mut self,
        place: PagePlace,
        planes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> Status {
        let (mut order, mut good) = (order, true);
        for block in (place.block.0..place.block.0 + planes).map(BlockId) {
            good &= self.advance_closely(block, place.page);
        }
        let mut known = Fence::NONE;
        if !good && !order.signals[1].is_some() {
            known = batch.fence();
            order = order.signalling(known);
        }
        self.counters.programs[cause as usize] += u64::from(planes);
        let bytes = planes * self.geometry.page_bytes;
        let op = self.op(OpKind::Program, place, planes, bytes, cause, order);
        self.issue(op, batch);
        match good {
            true => Status::Good,
            false => Status::Failed { known },
        }
    }

    /// Counts a page of a block as programmed; returns false if the program fails.
    fn advance_closely(&mut self, block: BlockId, page: u32) -> bool {
        let (bad, marked) = (self.bad[block.index()], self.programmed[block.index()]);
        let is_full = marked & SLC != 0 && page >= self.slc_pages;
        if bad || marked & !MARKS != page || is_full {
            wrong_program(block, page, bad, marked & !MARKS);
        }
        if marked & WATCHED != 0 {
            return self.advance_watched(block, page);
        }
        self.programmed[block.index()] += 1;
        true
    }

    /// Copies pages of the block of `from` to the next pages of another block, each read before it is programmed, in an array
    /// where nothing can fail. `bytes` of each are read. Returns the fence of the last read.
    ///
    /// # Panics
    /// When a page was not programmed since its block's last erase, or `to` is not the next page of its block.
    #[inline]
    pub fn copy(
        &mut self,
        (from, pages): (
            PagePlace,
            impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone,
        ),
        to: PagePlace,
        bytes: u32,
        cause: Cause,
        batch: &mut OpBatch,
    ) -> Fence {
        debug_assert!(!self.can_fail());
        let programmed = self.programmed_pages(from.block);
        if let Some(page) = pages.clone().next_back()
            && page >= programmed
        {
            wrong_read(PagePlace { page, ..from }, programmed);
        }
        let next = self.programmed[to.block.index()];
        if next != to.page {
            wrong_program(to.block, to.page, self.is_bad(to.block), next & !MARKS);
        }
        let count = pages.len();
        self.programmed[to.block.index()] += count as u32;
        self.counters.reads[cause as usize] += count as u64;
        self.counters.programs[cause as usize] += count as u64;
        let mut read = self.op(OpKind::Read, from, 1, bytes, cause, Order::FREE);
        let page_bytes = self.geometry.page_bytes;
        let mut program = self.op(OpKind::Program, to, 1, page_bytes, cause, Order::FREE);
        let first = self.geometry.page(from.block, 0).0;
        let mut stream = self.stream;
        let mut ready = Fence::NONE;
        for page in pages {
            ready = batch.fence_of_copy(from.die, to.die);
            read.page.0 = first + page;
            read.order.signals[0] = ready;
            program.order.waits = ready;
            stream.word(OpWord::of(&read).0);
            stream.word(OpWord::of(&program).0);
            if batch.keeps_operations() {
                batch.push(read);
                batch.push(program);
            }
            program.page.0 += 1;
        }
        self.stream = stream;
        ready
    }

    /// Erases a block of a die, or `planes` neighbouring blocks together. Returns true if all of them were erased;
    /// those that were not are bad.
    ///
    /// # Panics
    /// When a block is bad.
    pub fn erase(
        &mut self,
        (die, first): (DieId, BlockId),
        planes: u32,
        cause: Cause,
        order: Order,
        batch: &mut OpBatch,
    ) -> bool {
        let mut good = true;
        for block in (first.0..first.0 + planes).map(BlockId) {
            assert!(!self.bad[block.index()], "erase of {block}: it is bad");
            self.programmed[block.index()] = 0;
            self.erases[block.index()] += 1;
            good &= self.faults.is_none() || self.erased(block);
        }
        self.counters.erases[cause as usize] += u64::from(planes);
        let place = PagePlace {
            die,
            block: first,
            page: 0,
        };
        let op = self.op(OpKind::Erase, place, planes, 0, cause, order);
        self.issue(op, batch);
        good
    }

    #[inline(always)]
    fn issue(&mut self, op: NandOp, batch: &mut OpBatch) {
        self.stream.word(OpWord::of(&op).0);
        if batch.keeps_operations() {
            batch.push(op);
        }
    }

    #[inline(always)]
    fn op(
        &self,
        kind: OpKind,
        place: PagePlace,
        planes: u32,
        bytes: u32,
        cause: Cause,
        order: Order,
    ) -> NandOp {
        NandOp {
            kind,
            cause,
            planes: planes as u8,
            slc: self.is_slc(place.block),
            die: place.die,
            sectors: (bytes / SECTOR_BYTES as u32) as u16,
            page: self.geometry.page(place.block, place.page),
            order,
        }
    }
}

/// A program is illegal.
#[cold]
fn wrong_program(block: BlockId, page: u32, bad: bool, next: u32) -> ! {
    assert!(!bad, "program of {block}, page {page}: the block is bad");
    panic!("program of {block}, page {page}: the next page to program is {next}")
}

/// A read is illegal.
#[cold]
fn wrong_read(place: PagePlace, programmed: u32) -> ! {
    panic!(
        "read of {}, page {}: only {programmed} pages of the block are programmed",
        place.block, place.page
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toy() -> (Array, OpBatch) {
        let geometry = Geometry {
            channels: 1,
            dies: 2,
            planes_per_die: 2,
            blocks_per_die: 4,
            pages_per_block: 4,
            page_bytes: 4096,
            slot_bytes: 4096,
        };
        (Array::new(geometry), OpBatch::default())
    }

    #[test]
    fn copies_are_reads_and_programs_one_after_the_other() {
        let (mut one, mut batch) = toy();
        for page in 0..3 {
            let status = one.program(place(0, page), 1, Cause::Host, Order::FREE, &mut batch);
            assert!(status.is_good());
        }
        let (mut other, mut batch_of_other) = (one.clone(), batch.clone());
        one.copy(
            (place(0, 0), [0, 2].into_iter()),
            place(1, 0),
            4096,
            Cause::Gc,
            &mut batch,
        );
        for (from, to) in [(0, 0), (2, 1)] {
            let batch = &mut batch_of_other;
            let read = batch.fence();
            let signals = Order::FREE.signalling(read);
            assert!(other.read(place(0, from), 4096, Cause::Gc, signals, batch));
            let waits = Order::after(read);
            assert!(
                other
                    .program(place(1, to), 1, Cause::Gc, waits, batch)
                    .is_good()
            );
        }
        assert_eq!(batch.ops(), batch_of_other.ops());
        assert_eq!(one.stream_hash(), other.stream_hash());
        assert_eq!(one.counters(), other.counters());
        assert_eq!(one.programmed_pages(BlockId(1)), 2);
    }

    #[test]
    #[should_panic(expected = "only 1 pages of the block are programmed")]
    fn what_was_not_programmed_is_not_copied() {
        let (mut array, mut batch) = toy();
        let _ = array.program(place(0, 0), 1, Cause::Host, Order::FREE, &mut batch);
        array.copy(
            (place(0, 0), [0, 1].into_iter()),
            place(1, 0),
            4096,
            Cause::Gc,
            &mut batch,
        );
    }

    fn place(block: u32, page: u32) -> PagePlace {
        PagePlace {
            die: DieId((block / 4) as u16),
            block: BlockId(block),
            page,
        }
    }

    fn program(array: &mut Array, batch: &mut OpBatch, block: u32, n: u32) {
        let status = array.program(place(block, n), 1, Cause::Host, Order::FREE, batch);
        assert!(status.is_good());
    }

    #[test]
    fn pages_of_a_block_are_programmed_in_order() {
        let (mut array, mut batch) = toy();
        (0..4).for_each(|n| program(&mut array, &mut batch, 5, n));
        assert_eq!(array.programmed_pages(BlockId(5)), 4);
        assert_eq!(batch.ops().len(), 4);
        assert_eq!(batch.ops()[0].die, ftlab_base::DieId(1));
    }

    #[test]
    #[should_panic(expected = "program of block 5, page 2: the next page to program is 0")]
    fn a_page_out_of_order_aborts() {
        let (mut array, mut batch) = toy();
        program(&mut array, &mut batch, 5, 2);
    }

    #[test]
    #[should_panic(expected = "the next page to program is 1")]
    fn programming_twice_without_erase_aborts() {
        let (mut array, mut batch) = toy();
        program(&mut array, &mut batch, 5, 0);
        program(&mut array, &mut batch, 5, 0);
    }

    #[test]
    #[should_panic(expected = "program of block 5, page 0: the block is bad")]
    fn programming_a_bad_block_aborts() {
        let (mut array, mut batch) = toy();
        array.mark_bad(BlockId(5));
        program(&mut array, &mut batch, 5, 0);
    }

    #[test]
    #[should_panic(expected = "read of block 5, page 1: only 1 pages")]
    fn reading_an_erased_page_aborts() {
        let (mut array, mut batch) = toy();
        program(&mut array, &mut batch, 5, 0);
        array.read(place(5, 1), 4096, Cause::Host, Order::FREE, &mut batch);
    }

    #[test]
    fn planes_work_together_and_wear_each() {
        let (mut array, mut batch) = toy();
        let _ = array.program(place(2, 0), 2, Cause::Gc, Order::FREE, &mut batch);
        array.erase(
            (DieId(0), BlockId(2)),
            2,
            Cause::Gc,
            Order::FREE,
            &mut batch,
        );
        assert_eq!(
            (array.erase_count(BlockId(2)), array.erase_count(BlockId(3))),
            (1, 1)
        );
        assert_eq!(array.counters().programs_for(Cause::Gc), 2);
        assert_eq!(array.counters().erases(), 2);
        assert_eq!(batch.ops()[0].sectors, 16);
    }

    #[test]
    fn reading_wears_nothing() {
        let (mut array, mut batch) = toy();
        program(&mut array, &mut batch, 0, 0);
        for _ in 0..100 {
            array.read(place(0, 0), 4096, Cause::Host, Order::FREE, &mut batch);
        }
        assert!(array.erase_counts().iter().all(|&n| n == 0));
        assert_eq!(array.counters().reads(), 100);
    }

    #[test]
    fn the_hash_sees_order_and_starts_anew() {
        let (mut a, mut batch) = toy();
        program(&mut a, &mut batch, 0, 0);
        program(&mut a, &mut batch, 1, 0);
        let (mut b, _) = toy();
        program(&mut b, &mut batch, 1, 0);
        program(&mut b, &mut batch, 0, 0);
        assert_ne!(a.stream_hash(), b.stream_hash());
        a.reset_stream_hash();
        assert_eq!(a.stream_hash(), toy().0.stream_hash());
    }
}

//! Place of each logical slot, and the number of valid slots in each superblock.

use super::bitmap::Bitmap;
use super::victim::NOT_A_CANDIDATE;
use ftlab_base::memory::{LargeTable, prefetch};
use ftlab_base::{Divisor, Layout, Lpn, SuperblockId};

/// A table entry that points nowhere.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A table entry as it lies in memory, and back: what points nowhere is zero, so that entries of slots that were never written
/// take no memory.
#[inline(always)]
const fn word(entry: u32) -> u32 {
    !entry
}

/// The mapping table with its inverse, and counts of valid slots.
///
/// Superblocks are counted by *cell*: the superblocks of one stream in one group of dies.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Physical slot of each logical one, as [`word`] has it.
    map: LargeTable<u32>,
    /// Logical slot that was written to each physical one, if any was.
    owner: LargeTable<u32>,
    /// Physical slots that are the newest copy.
    valid: Bitmap,
    /// Valid slots of each superblock; free and open ones are marked.
    valid_slots: Vec<u32>,
    /// Cell of each superblock.
    cell_of: Vec<u16>,
    /// Valid slots of each cell.
    valid_of_cell: Vec<u32>,
    /// Valid slots of all.
    mapped: u32,
    by_superblock_slots: Divisor,
}

impl Table {
    /// Nothing is mapped; every superblock is free and in the first cell of its group.
    pub fn new(layout: &Layout, user_slots: u32, streams: usize) -> Table {
        let superblocks = layout.superblocks();
        let cell = |s| layout.group_of(SuperblockId(s)) as usize * streams;
        Table {
            map: LargeTable::zeroes(user_slots as usize),
            owner: LargeTable::zeroes(layout.slots() as usize),
            valid: Bitmap::new(layout.slots()),
            valid_slots: vec![NOT_A_CANDIDATE; superblocks as usize],
            cell_of: (0..superblocks).map(|s| cell(s) as u16).collect(),
            valid_of_cell: vec![0; layout.groups as usize * streams],
            mapped: 0,
            by_superblock_slots: Divisor::new(layout.slots_per_superblock),
        }
    }

    /// Place of a logical slot, or [`NOWHERE`].
    #[inline]
    pub fn slot_of(&self, lpn: Lpn) -> u32 {
        word(self.map[lpn.index()])
    }

    /// Fetches the table entry of a slot that will soon be looked up.
    #[inline]
    pub fn fetch_entry(&self, lpn: Lpn) {
        prefetch(&self.map, lpn.index());
    }

    /// The first valid slot in `from..end`.
    #[inline]
    pub fn next_valid(&self, from: u32, end: u32) -> Option<u32> {
        self.valid.next_set(from, end)
    }

    /// Physical slot of each logical one, or [`NOWHERE`].
    pub fn map(&self) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.map.iter().map(|&entry| word(entry))
    }

    /// Returns true if a physical slot holds the newest copy of something.
    pub fn is_valid(&self, slot: u32) -> bool {
        self.valid.get(slot)
    }

    /// Valid slots of a superblock.
    #[inline]
    pub fn valid_in(&self, superblock: SuperblockId) -> u32 {
        self.valid_slots[superblock.index()] & !NOT_A_CANDIDATE
    }

    /// Valid slots of all superblocks, free and open ones marked: what a policy looks at.
    pub fn valid_slots(&self) -> &[u32] {
        &self.valid_slots
    }

    /// Valid slots of a cell.
    #[inline]
    pub fn valid_of_cell(&self, cell: usize) -> u32 {
        self.valid_of_cell[cell]
    }

    /// Valid slots of all.
    #[inline]
    pub fn mapped(&self) -> u32 {
        self.mapped
    }

    #[inline]
    pub fn superblock_of(&self, slot: u32) -> SuperblockId {
        SuperblockId(self.by_superblock_slots.quotient(slot))
    }

    /// The cell of a superblock.
    #[inline]
    pub fn cell_of(&self, superblock: SuperblockId) -> usize {
        usize::from(self.cell_of[superblock.index()])
    }

    /// A superblock without valid slots goes to a cell.
    pub fn assign(&mut self, superblock: SuperblockId, cell: usize) {
        debug_assert_eq!(self.valid_in(superblock), 0);
        self.cell_of[superblock.index()] = cell as u16;
    }

    /// Returns true if a policy may choose a superblock: it is full and not being collected.
    #[inline]
    pub fn is_candidate(&self, superblock: SuperblockId) -> bool {
        self.valid_slots[superblock.index()] < NOT_A_CANDIDATE
    }

    /// Says whether a policy may choose a superblock.
    pub fn set_candidate(&mut self, superblock: SuperblockId, candidate: bool) {
        let valid = self.valid_in(superblock);
        let mark = if candidate { 0 } else { NOT_A_CANDIDATE };
        self.valid_slots[superblock.index()] = valid | mark;
    }

    /// Marks a slot as out of date.
    #[inline(always)]
    pub fn invalidate(&mut self, slot: u32) {
        self.valid.clear(slot);
        let superblock = self.superblock_of(slot).index();
        self.valid_slots[superblock] -= 1;
        self.valid_of_cell[usize::from(self.cell_of[superblock])] -= 1;
        self.mapped -= 1;
    }

    /// A logical slot's newest data lie in a slot of `superblock`.
    #[inline(always)]
    pub fn place(&mut self, lpn: Lpn, slot: u32, superblock: SuperblockId) {
        self.map[lpn.index()] = word(slot);
        self.owner[slot as usize] = lpn.0;
        self.valid.set(slot);
        let superblock = superblock.index();
        self.valid_slots[superblock] += 1;
        self.valid_of_cell[usize::from(self.cell_of[superblock])] += 1;
        self.mapped += 1;
    }

    /// Valid data move from one slot to another.
    #[inline(always)]
    pub fn relocate(&mut self, (from, of): (u32, SuperblockId), (to, at): (u32, SuperblockId)) {
        let lpn = self.owner[from as usize];
        self.map[lpn as usize] = word(to);
        self.owner[to as usize] = lpn;
        self.valid.clear(from);
        self.valid.set(to);
        self.valid_slots[of.index()] -= 1;
        self.valid_slots[at.index()] += 1;
        let (left, entered) = (self.cell_of[of.index()], self.cell_of[at.index()]);
        if left != entered {
            self.valid_of_cell[usize::from(left)] -= 1;
            self.valid_of_cell[usize::from(entered)] += 1;
        }
    }

    /// The first valid slots of `of` from `from` on move to those from `to` on, as many as there is room for in `slots`, which
    /// gets where they were. Both superblocks are of one cell.
    ///
    /// # Panics
    /// When there are fewer.
    #[inline]
    pub fn relocate_run(
        &mut self,
        (from, of): (u32, SuperblockId),
        (to, at): (u32, SuperblockId),
        slots: &mut [u32],
    ) {
        debug_assert_eq!(self.cell_of(of), self.cell_of(at));
        self.valid.take(from, slots);
        let count = slots.len() as u32;
        self.valid.set_all(to, count);
        for (&from, to) in slots.iter().zip(to..) {
            let lpn = self.owner[from as usize];
            self.map[lpn as usize] = word(to);
            self.owner[to as usize] = lpn;
        }
        self.valid_slots[of.index()] -= count;
        self.valid_slots[at.index()] += count;
    }

    /// Unmaps a logical slot; returns true if it was mapped.
    pub fn forget(&mut self, lpn: Lpn) -> bool {
        let slot = word(std::mem::replace(&mut self.map[lpn.index()], word(NOWHERE)));
        if slot != NOWHERE {
            self.invalidate(slot);
        }
        slot != NOWHERE
    }

    /// The logical slot that was written to a physical one.
    #[inline]
    pub fn owner_of(&self, slot: u32) -> Lpn {
        Lpn(self.owner[slot as usize])
    }

    /// Fetches what says of a slot whose it is and whether it is valid; it will soon be placed.
    #[inline]
    pub fn fetch_slot(&self, slot: u32) {
        prefetch(&self.owner, slot as usize);
        self.valid.fetch(slot);
    }

    /// Fetches the table entries of the valid slots among `from..end`, which are about to move. They
    /// lie all over the table: asked for together, they come out of memory side by side instead of
    /// one after the other.
    pub fn fetch(&self, from: u32, end: u32) {
        let mut next = from;
        while let Some(slot) = self.valid.next_set(next, end) {
            prefetch(&self.map, self.owner[slot as usize] as usize);
            next = slot + 1;
        }
    }

    /// Checks that map, inverse and counts agree.
    ///
    /// # Panics
    /// When they do not.
    pub fn check(&self) {
        let mut mapped = 0;
        for (lpn, slot) in self.map().enumerate() {
            if slot == NOWHERE {
                continue;
            }
            mapped += 1;
            assert!(
                self.valid.get(slot),
                "LPN {lpn} maps to slot {slot}, which is not valid"
            );
            let owner = self.owner[slot as usize] as usize;
            assert_eq!(owner, lpn, "slot {slot} belongs to another LPN");
        }
        assert_eq!(self.mapped, mapped, "mapped slots");
        let mut of_cell = vec![0; self.valid_of_cell.len()];
        let slots = self.by_superblock_slots.get();
        for s in (0..self.valid_slots.len() as u32).map(SuperblockId) {
            let count = self.valid.count(s.0 * slots, (s.0 + 1) * slots);
            assert_eq!(self.valid_in(s), count, "count of valid slots of {s}");
            of_cell[self.cell_of(s)] += count;
        }
        assert_eq!(self.valid_of_cell, of_cell, "valid slots by cell");
        let valid: u32 = of_cell.iter().sum();
        assert_eq!(valid, mapped, "valid slots against mapped ones");
    }
}

//! The logical space: slots dealt out to the groups row by row, and cut into logical blocks. A row
//! is one page of every plane of every die of a group. Every zone begins at another group, so that
//! rows a power of two apart, as file systems place what they write most, do not share a group.
//!
//! ```text
//! LPN       0  1  2  3  4  5  6  7   8  9 10 11 12 13 14 15  …
//! group     0  0  1  1  0  0  1  1   1  1  0  0  1  1  0  0     (2 groups of 2 dies, 4-slot blocks)
//! zone      0  0  0  0  0  0  0  0   1  1  1  1  1  1  1  1
//! offset    0  1  0  1  2  3  2  3   0  1  0  1  2  3  2  3
//! ```

use ftlab_base::{Layout, Lpn};

/// A logical block: the slots that one data superblock holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogicalBlock {
    /// The group whose superblocks hold it.
    pub group: u32,
    /// Its number in the group. A zone is the blocks of one number over all groups.
    pub zone: u32,
}

/// Converts between logical addresses. All counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub slots: u32,
    pub groups: u32,
    pub zones: u32,
    pub slots_per_block: u32,
    pub slots_per_row: u32,
}

impl Space {
    pub fn new(layout: &Layout, slots: u32) -> Space {
        let slots_per_row = layout.stripe_dies * layout.geometry.planes_per_die;
        let slots_per_group = slots.div_ceil(layout.groups * slots_per_row) * slots_per_row;
        Space {
            slots,
            groups: layout.groups,
            zones: slots_per_group.div_ceil(layout.slots_per_superblock),
            slots_per_block: layout.slots_per_superblock,
            slots_per_row,
        }
    }

    /// Logical blocks over all groups.
    pub fn blocks(&self) -> usize {
        self.groups as usize * self.zones as usize
    }

    /// A logical block as an index into a table.
    pub fn index(&self, block: LogicalBlock) -> usize {
        block.group as usize * self.zones as usize + block.zone as usize
    }

    /// The logical block at an index into a table.
    pub fn block(&self, index: usize) -> LogicalBlock {
        LogicalBlock {
            group: (index / self.zones as usize) as u32,
            zone: (index % self.zones as usize) as u32,
        }
    }

    /// The block of a slot, and where in the block it lies, from 0.
    pub fn locate(&self, lpn: Lpn) -> (LogicalBlock, u32) {
        let row = lpn.0 / self.slots_per_row;
        let in_group = row / self.groups * self.slots_per_row + lpn.0 % self.slots_per_row;
        let zone = in_group / self.slots_per_block;
        let group = (row + zone) % self.groups;
        (
            LogicalBlock { group, zone },
            in_group % self.slots_per_block,
        )
    }

    /// The slot at an offset of a block: the inverse of [`Space::locate`].
    pub fn lpn(&self, block: LogicalBlock, offset: u32) -> Lpn {
        let in_group = block.zone * self.slots_per_block + offset;
        let first_group = block.zone % self.groups;
        let in_row = (block.group + self.groups - first_group) % self.groups;
        let row = in_group / self.slots_per_row * self.groups + in_row;
        Lpn(row * self.slots_per_row + in_group % self.slots_per_row)
    }

    /// `slots` slots from `first` on.
    ///
    /// # Panics
    /// When some lie beyond the end.
    pub fn run(&self, first: Lpn, slots: u32) -> impl Iterator<Item = Lpn> + use<> {
        let end = first.0.checked_add(slots).filter(|&e| e <= self.slots);
        let end = end
            .unwrap_or_else(|| panic!("{slots} slots from {first}: there are only {}", self.slots));
        (first.0..end).map(Lpn)
    }
}

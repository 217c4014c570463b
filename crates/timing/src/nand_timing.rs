//! Times of the phases of an operation.

use ftlab_base::Nanos;
use ftlab_nand::NandOp;

/// Page types there are at the most: as many as a cell holds bits.
pub const MOST_PAGE_TYPES: usize = 4;

/// Times of the phases of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NandTiming {
    /// Sensing a page into the register (tR), in the mean over the page types.
    pub t_read: Nanos,
    /// Programming a page from the register (tPROG).
    pub t_program: Nanos,
    /// Page types with times of their own: the pages that share the cells of a word line; 1 where all are alike.
    pub page_types: u32,
    /// Sensing a page of each type.
    pub of_type: [Nanos; MOST_PAGE_TYPES],
    /// Pages of a word line that are programmed together. They are counted one behind the other, as pages of planes of
    /// their own.
    pub pages_per_program: u32,
    /// Erasing a block (tBERS).
    pub t_erase: Nanos,
    /// Sensing and programming a page of a block that holds one bit a cell.
    pub slc: (Nanos, Nanos),
    /// Moving one sector of 512 bytes, with its share of the spare bytes, over the channel.
    pub sector_transfer: Nanos,
    /// Command, address and status cycles of one operation on the channel.
    pub command_transfer: Nanos,
    /// Sectors of each page that a read moves at least: what the controller needs of it.
    pub read_sectors_least: u64,
}

impl NandTiming {
    /// Sensing and programming the page of an operation, which is of a type.
    #[inline]
    pub(crate) fn of(&self, op: &NandOp, page_type: u32) -> (Nanos, Nanos) {
        if op.slc {
            self.slc
        } else if self.page_types == 1 {
            (self.t_read, self.t_program)
        } else {
            (self.of_type[page_type as usize], self.t_program)
        }
    }
}

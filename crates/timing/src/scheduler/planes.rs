//! Reads of the planes of a die that sense together.

use ftlab_base::Divisor;
use ftlab_nand::{Cause, NandOp, OpKind};

/// Which reads for the host one command of a die can do at once: the same page of neighbouring planes.
/// Collection goes through a superblock page by page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planes {
    per_die: u32,
    pages_per_block: Divisor,
}

impl Planes {
    pub(super) fn new(per_die: u32, pages_per_block: Divisor) -> Planes {
        Planes {
            per_die,
            pages_per_block,
        }
    }

    /// How many of the first operations are one read, and that read: planes sense together, and their
    /// data cross the channel one after the other.
    pub(super) fn first_read(&self, ops: &[NandOp]) -> (usize, NandOp) {
        let mut read = ops[0];
        let mut taken = 1;
        while let Some(next) = ops.get(taken)
            && self.belongs(&read, next)
        {
            read.planes += next.planes;
            read.sectors += next.sectors;
            taken += 1;
        }
        (taken, read)
    }

    fn belongs(&self, read: &NandOp, next: &NandOp) -> bool {
        let (block, page) = self.pages_per_block.divide(read.page.0);
        let place = (block + u32::from(read.planes), page);
        read.kind == OpKind::Read
            && next.kind == OpKind::Read
            && (read.cause, next.cause) == (Cause::Host, Cause::Host)
            && (read.die, read.order) == (next.die, next.order)
            // Waiters of a fence are counted one by one.
            && !read.order.waits.is_some()
            && self.pages_per_block.divide(next.page.0) == place
            && !place.0.is_multiple_of(self.per_die)
    }
}

//! Planes of a die that sense by themselves, and which of them an operation needs.

use ftlab_base::Divisor;
use ftlab_nand::{NandOp, OpKind};

/// Planes of a die, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PlaneSet(u64);

impl PlaneSet {
    /// So many planes from one on.
    fn of(first: u32, planes: u32) -> PlaneSet {
        PlaneSet(((1 << planes) - 1) << first)
    }

    /// The lowest of them.
    pub(crate) fn first(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if none of them is one of the others.
    pub(crate) fn is_apart_from(self, others: PlaneSet) -> bool {
        self.0 & others.0 == 0
    }

    pub(crate) fn add(&mut self, others: PlaneSet) {
        self.0 |= others.0;
    }

    pub(crate) fn remove(&mut self, others: PlaneSet) {
        self.0 &= !others.0;
    }
}

/// The planes of each die that sense by themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanesApart {
    /// Their number; 1 where a die does one thing at a time.
    pub(crate) count: u32,
    pub(crate) pages_per_block: Divisor,
}

impl PlanesApart {
    /// Returns the planes that an operation needs for itself, where planes sense by themselves; none for what is no read.
    pub(crate) fn of_read(self, op: &NandOp) -> PlaneSet {
        if self.count == 1 || op.kind != OpKind::Read {
            return PlaneSet::default();
        }
        // Pages that are programmed together are counted as planes, too.
        let first = self.pages_per_block.quotient(op.page.0) % self.count;
        PlaneSet::of(first, u32::from(op.planes).min(self.count))
    }
}

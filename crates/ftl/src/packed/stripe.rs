//! Places of chunks: superblocks as one run of chunks, laid over dies with or without parity.
//!
//! A superblock spans all dies. A *row* is the program unit of the same number on each die; with
//! RAISE one unit of every row is parity, on a die that changes from row to row. The others are
//! filled in order of dies, and their chunks are numbered through:
//!
//! ```text
//! die      0     1     2     3
//! row 0    P     0     1     2        (numbers of units)
//! row 1    3     P     4     5
//! ```

use ftlab_base::{BlockId, Divisor, Layout, PagePlace, SuperblockId};

/// Arrangement of chunks on superblocks. All sizes are in chunks unless they say otherwise.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stripe {
    pub layout: Layout,
    pub chunk_bytes: u32,
    /// True if a unit of each row is parity.
    pub raise: bool,
    pub page: u32,
    pub unit: u32,
    /// Units of a row that hold data.
    pub row_units: u32,
    pub row: u32,
    pub superblock: u32,
    by_superblock: Divisor,
    by_unit: Divisor,
    by_row_units: Divisor,
    by_page: Divisor,
}

/// The die, counted from 0, whose unit of a row holds no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skip {
    /// Every unit holds data.
    Nothing,
    /// The one with the parity, which moves from row to row.
    Parity,
    /// One that failed: in a superblock written since, which has no parity.
    Failed(u32),
}

impl Stripe {
    pub fn new(layout: Layout, chunk_bytes: u32, raise: bool) -> Stripe {
        let page = layout.geometry.page_bytes / chunk_bytes;
        let unit = page * layout.geometry.planes_per_die;
        let row_units = layout.stripe_dies - u32::from(raise);
        let row = unit * row_units;
        let superblock = row * layout.geometry.pages_per_block;
        Stripe {
            layout,
            chunk_bytes,
            raise,
            page,
            unit,
            row_units,
            row,
            superblock,
            by_superblock: Divisor::new(superblock),
            by_unit: Divisor::new(unit),
            by_row_units: Divisor::new(row_units),
            by_page: Divisor::new(page),
        }
    }

    /// The number of a superblock's first chunk.
    #[inline]
    pub fn first(&self, superblock: SuperblockId) -> u32 {
        superblock.0 * self.superblock
    }

    /// Chunks that a superblock takes for sure: at its end less than a slot may be left.
    pub fn sure_chunks(&self, slot_chunks: u32) -> u32 {
        self.superblock - (slot_chunks - 1)
    }

    /// The superblock of a chunk, and where in it the chunk lies.
    #[inline]
    pub fn locate(&self, chunk: u32) -> (SuperblockId, u32) {
        let (superblock, n) = self.by_superblock.divide(chunk);
        (SuperblockId(superblock), n)
    }

    /// The unit of a chunk of a superblock.
    #[inline]
    pub fn unit_of(&self, n: u32) -> u32 {
        self.by_unit.quotient(n)
    }

    /// The page of a chunk of a superblock, in order of chunks.
    #[inline]
    pub fn page_of(&self, n: u32) -> u32 {
        self.by_page.quotient(n)
    }

    /// The unit of a page.
    #[inline]
    pub fn unit_of_page(&self, page: u32) -> u32 {
        self.unit_of(page * self.page)
    }

    /// The row of a unit, and whether the unit is the last of it.
    #[inline]
    pub fn row_of(&self, unit: u32) -> (u32, bool) {
        let (row, n) = self.by_row_units.divide(unit);
        (row, n + 1 == self.row_units)
    }

    /// The die of the parity of a row.
    pub fn parity_die(&self, superblock: SuperblockId, row: u32) -> u32 {
        (superblock.0 % self.layout.stripe_dies + row) % self.layout.stripe_dies
    }

    /// The unit on a die of a row: the first of its pages.
    pub fn unit_on(&self, superblock: SuperblockId, row: u32, die: u32) -> PagePlace {
        let unit = row * self.layout.stripe_dies + die;
        let planes = self.layout.geometry.planes_per_die;
        self.layout.page(superblock, unit * planes)
    }

    /// First page of a data unit.
    #[inline]
    pub fn place(&self, superblock: SuperblockId, unit: u32, skip: Skip) -> PagePlace {
        let (row, n) = self.by_row_units.divide(unit);
        let skipped = match skip {
            Skip::Nothing => self.layout.stripe_dies,
            Skip::Parity => self.parity_die(superblock, row),
            Skip::Failed(die) => die,
        };
        self.unit_on(superblock, row, n + u32::from(n >= skipped))
    }

    /// The number of the page of data at a place of a superblock, unless it is parity or left out.
    pub fn data_page(&self, superblock: SuperblockId, place: PagePlace, skip: Skip) -> Option<u32> {
        let planes = self.layout.geometry.planes_per_die;
        let row = place.page;
        let pages = row * self.row_units * planes..(row + 1) * self.row_units * planes;
        pages
            .into_iter()
            .find(|&page| self.page_place(superblock, page, skip) == place)
    }

    /// Place of a page of data.
    pub fn page_place(&self, superblock: SuperblockId, page: u32, skip: Skip) -> PagePlace {
        let unit = self.unit_of_page(page);
        let plane = page - unit * self.layout.geometry.planes_per_die;
        on_plane(self.place(superblock, unit, skip), plane)
    }
}

/// The page of the same unit on another plane.
pub(super) fn on_plane(first: PagePlace, plane: u32) -> PagePlace {
    PagePlace {
        block: BlockId(first.block.0 + plane),
        ..first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Geometry;
    use std::collections::BTreeSet;

    fn stripe(raise: bool) -> Stripe {
        let geometry = Geometry {
            channels: 2,
            dies: 4,
            planes_per_die: 2,
            blocks_per_die: 6,
            pages_per_block: 5,
            page_bytes: 8192,
            slot_bytes: 4096,
        };
        Stripe::new(Layout::new(geometry, 4).unwrap(), 512, raise)
    }

    #[test]
    fn pages_of_data_and_parity_are_all_pages_once() {
        for raise in [false, true] {
            let s = stripe(raise);
            let skip = if raise { Skip::Parity } else { Skip::Nothing };
            let mut seen = BTreeSet::new();
            for superblock in (0..3).map(SuperblockId) {
                let pages = s.superblock / s.page;
                let data = (0..pages).map(|page| s.page_place(superblock, page, skip));
                let parity = (0..5).flat_map(|row| {
                    let first = s.unit_on(superblock, row, s.parity_die(superblock, row));
                    [first, on_plane(first, 1)]
                });
                let all: Vec<_> = data.chain(parity.filter(|_| raise)).collect();
                assert_eq!(all.len(), 40);
                seen.extend(all.iter().map(|place| (place.block, place.page)));
            }
            assert_eq!(seen.len(), 120);
        }
    }

    #[test]
    fn parity_goes_round_the_dies() {
        let s = stripe(true);
        let dies: Vec<u32> = (0..5)
            .map(|row| s.parity_die(SuperblockId(1), row))
            .collect();
        assert_eq!(dies, [1, 2, 3, 0, 1]);
        let places = (0..3).map(|unit| s.place(SuperblockId(1), unit, Skip::Parity).die.0);
        assert_eq!(Vec::from_iter(places), [0, 2, 3]);
        let without = (0..3).map(|unit| s.place(SuperblockId(1), unit, Skip::Failed(0)).die.0);
        assert_eq!(Vec::from_iter(without), [1, 2, 3]);
    }
}

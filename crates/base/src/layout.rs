//! Superblocks: how blocks of several dies form one stripe, and in which order its slots are
//! programmed.
//!
//! Dies are divided into *groups* of `stripe_dies` neighbours. A superblock is one block of every
//! plane of every die of a group; its blocks are allocated, filled and erased together. Slots run
//! plane by plane, then die by die, then page row by page row:
//!
//! ```text
//! slot    0     1     2     3     4     5   …
//! die     0     0     1     1     0     0        (2 dies, 2 planes, slot = page)
//! plane   0     1     0     1     0     1
//! page    0     0     0     0     1     1
//! ```
//!
//! so that a run of slots spreads over as many dies as there are, and the pages of one program
//! unit (all planes of a die) lie side by side.

use crate::divisor::Divisor;
use crate::ids::{BlockId, DieId, Ppa};
use crate::{ConfigError, Geometry};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A superblock, numbered group by group.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct SuperblockId(pub u32);

impl SuperblockId {
    /// The superblock as an index into a table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for SuperblockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "superblock {}", self.0)
    }
}

/// Address of a page on the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagePlace {
    /// Number of the die.
    pub die: DieId,
    /// The block, on that die.
    pub block: BlockId,
    /// The page of the block, from 0.
    pub page: u32,
}

/// Places of superblocks on the array. All fields are counts; see the module for the order of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Geometry of the array.
    pub geometry: Geometry,
    /// Dies that a superblock spans.
    pub stripe_dies: u32,
    /// Groups of dies; each allocates its own superblocks.
    pub groups: u32,
    /// Superblocks of a group.
    pub superblocks_per_group: u32,
    /// Pages of a superblock that hold data.
    pub pages_per_superblock: u32,
    /// Slots of a superblock.
    pub slots_per_superblock: u32,
    /// Pages that a slot touches, at least one.
    pub pages_per_slot: u32,
    /// Binary logarithm of the slots of a page; 0 when a slot is a page or more.
    slots_per_page_log2: u32,
    by_superblock_slots: Divisor,
    by_group_superblocks: Divisor,
    by_stripe: Divisor,
    by_planes: Divisor,
    /// Program units of data before each unit of parity; without parity, none.
    by_parity: Option<Divisor>,
}

impl Layout {
    /// Lays superblocks over `stripe_dies` dies each.
    ///
    /// # Errors
    /// When the geometry itself is wrong, the stripe does not divide the dies, or a superblock
    /// does not hold a whole number of slots.
    pub fn new(geometry: Geometry, stripe_dies: u32) -> Result<Layout, ConfigError> {
        geometry.check()?;
        if stripe_dies == 0 || !geometry.dies().is_multiple_of(stripe_dies) {
            return Err(ConfigError(format!(
                "a stripe of {stripe_dies} dies does not divide the {} dies of the array",
                geometry.dies()
            )));
        }
        let pages = stripe_dies * geometry.planes_per_die * geometry.pages_per_block;
        let bytes = u64::from(pages) * u64::from(geometry.page_bytes);
        if !bytes.is_multiple_of(u64::from(geometry.slot_bytes)) {
            return Err(ConfigError(format!(
                "a superblock of {bytes} bytes does not hold a whole number of slots of {} bytes",
                geometry.slot_bytes
            )));
        }
        let superblocks_per_group = geometry.blocks_per_die / geometry.planes_per_die;
        let slots_per_superblock = (bytes / u64::from(geometry.slot_bytes)) as u32;
        Ok(Layout {
            geometry,
            stripe_dies,
            groups: geometry.dies() / stripe_dies,
            superblocks_per_group,
            pages_per_superblock: pages,
            slots_per_superblock,
            pages_per_slot: geometry.pages_per_slot(),
            slots_per_page_log2: geometry.slots_per_page().max(1).ilog2(),
            // Divisors are worked out once: every address takes several divisions.
            by_superblock_slots: Divisor::new(slots_per_superblock),
            by_group_superblocks: Divisor::new(superblocks_per_group),
            by_stripe: Divisor::new(stripe_dies),
            by_planes: Divisor::new(geometry.planes_per_die),
            by_parity: None,
        })
    }

    /// Returns the layout with a program unit of parity behind every `data_units` of data, in programming order.
    ///
    /// # Errors
    /// When a superblock is no whole number of such stripes, or one stripe no whole number of slots.
    pub fn with_parity(self, data_units: u32) -> Result<Layout, ConfigError> {
        let unit_pages = self.geometry.planes_per_die;
        let units = self.pages_per_superblock / unit_pages;
        let stripe = u64::from(data_units) + 1;
        if data_units == 0 || !u64::from(units).is_multiple_of(stripe) {
            return Err(ConfigError(format!(
                "{data_units} program units of data for one of parity; the {units} program units of a superblock must be \
                 whole stripes of both"
            )));
        }
        let stripe_bytes = u64::from(data_units * unit_pages) * u64::from(self.geometry.page_bytes);
        if !stripe_bytes.is_multiple_of(u64::from(self.geometry.slot_bytes)) {
            return Err(ConfigError(format!(
                "{data_units} program units of data for one of parity hold no whole number of slots of {} bytes",
                self.geometry.slot_bytes
            )));
        }
        let stripes = (u64::from(units) / stripe) as u32;
        let slots = (stripe_bytes / u64::from(self.geometry.slot_bytes)) as u32 * stripes;
        Ok(Layout {
            pages_per_superblock: stripes * data_units * unit_pages,
            slots_per_superblock: slots,
            by_superblock_slots: Divisor::new(slots),
            by_parity: Some(Divisor::new(data_units)),
            ..self
        })
    }

    /// Slots of a program unit, which is a page of each plane; 1 when a slot is larger.
    #[must_use]
    pub const fn slots_per_unit(&self) -> u32 {
        let geometry = &self.geometry;
        let slots = geometry.planes_per_die * geometry.page_bytes / geometry.slot_bytes;
        if slots == 0 { 1 } else { slots }
    }

    /// Slots of a row, which is a program unit on each die of a stripe.
    #[must_use]
    pub const fn slots_per_row(&self) -> u32 {
        self.stripe_dies * self.slots_per_unit()
    }

    /// Program units of data for each unit of parity, if there is any.
    #[must_use]
    #[inline]
    pub fn data_units_per_parity(&self) -> Option<u32> {
        self.by_parity.map(|data_units| data_units.get())
    }

    /// Returns the number of pages of a superblock, parity included, that are programmed once `data_pages` of data are.
    #[must_use]
    pub const fn pages_programmed(&self, data_pages: u32) -> u32 {
        let planes = self.geometry.planes_per_die;
        data_pages + self.parity_before(self.by_planes.quotient(data_pages)) * planes
    }

    /// Units of parity before the `data_unit`-th unit of data of a superblock.
    #[inline]
    const fn parity_before(&self, data_unit: u32) -> u32 {
        match self.by_parity {
            Some(parity) => parity.quotient(data_unit),
            None => 0,
        }
    }

    /// The unit of parity that the unit programmed at `place` completes a stripe for, in the superblock whose first
    /// page is `first`.
    #[must_use]
    #[inline]
    pub fn parity_behind(&self, first: PagePlace, place: PagePlace) -> Option<PagePlace> {
        let stripe = self.data_units_per_parity()? + 1;
        let nth_die = u32::from(place.die.0 - first.die.0);
        let unit = place.page * self.stripe_dies + nth_die;
        ((unit + 2).is_multiple_of(stripe)).then(|| self.next_unit(first, place))
    }

    /// Superblocks of the array.
    #[must_use]
    pub const fn superblocks(&self) -> u32 {
        self.groups * self.superblocks_per_group
    }

    /// Slots of the array.
    #[must_use]
    pub const fn slots(&self) -> u32 {
        self.superblocks() * self.slots_per_superblock
    }

    /// The group of a superblock.
    #[must_use]
    #[inline]
    pub const fn group_of(&self, superblock: SuperblockId) -> u32 {
        self.by_group_superblocks.quotient(superblock.0)
    }

    /// Slot `n` of a superblock.
    #[must_use]
    #[inline]
    pub const fn slot(&self, superblock: SuperblockId, n: u32) -> Ppa {
        Ppa(superblock.0 * self.slots_per_superblock + n)
    }

    /// The superblock of a slot.
    #[must_use]
    #[inline]
    pub const fn superblock_of(&self, slot: Ppa) -> SuperblockId {
        SuperblockId(self.by_superblock_slots.quotient(slot.0))
    }

    /// The superblock of a slot, and where in it the slot lies, from 0.
    #[must_use]
    #[inline]
    pub const fn locate(&self, slot: Ppa) -> (SuperblockId, u32) {
        let (superblock, n) = self.by_superblock_slots.divide(slot.0);
        (SuperblockId(superblock), n)
    }

    /// The pages (in programming order within the superblock) that hold slot `n`:
    /// first page and number of pages.
    #[must_use]
    #[inline]
    pub const fn pages_of_slot(&self, n: u32) -> (u32, u32) {
        (
            (n >> self.slots_per_page_log2) * self.pages_per_slot,
            self.pages_per_slot,
        )
    }

    /// A number that the slots of one page share and no other slot has.
    #[inline]
    #[must_use]
    pub const fn page_of_slot(&self, slot: Ppa) -> u32 {
        slot.0 >> self.slots_per_page_log2
    }

    /// The first page of a superblock.
    #[must_use]
    #[inline]
    pub const fn first_page(&self, superblock: SuperblockId) -> PagePlace {
        let (group, of_group) = self.by_group_superblocks.divide(superblock.0);
        let die = DieId((group * self.stripe_dies) as u16);
        let block = self
            .geometry
            .block(die, of_group * self.geometry.planes_per_die);
        PagePlace {
            die,
            block,
            page: 0,
        }
    }

    /// The page that is `n`-th in programming order in the superblock whose first page is `first`.
    #[must_use]
    #[inline]
    pub const fn page_from(&self, first: PagePlace, n: u32) -> PagePlace {
        if self.is_one_block() {
            return PagePlace { page: n, ..first };
        }
        let (unit, plane) = self.by_planes.divide(n);
        self.page_of_unit(first, unit + self.parity_before(unit), plane)
    }

    /// Returns true if a superblock is a block, with all of its pages for data.
    #[inline]
    const fn is_one_block(&self) -> bool {
        self.by_parity.is_none() && self.pages_per_superblock == self.geometry.pages_per_block
    }

    /// A page of the `unit`-th program unit, units of parity counted, of the superblock whose first page is `first`.
    #[must_use]
    #[inline]
    pub const fn page_of_unit(&self, first: PagePlace, unit: u32, plane: u32) -> PagePlace {
        let (page, nth_die) = self.by_stripe.divide(unit);
        PagePlace {
            die: DieId(first.die.0 + nth_die as u16),
            block: BlockId(first.block.0 + nth_die * self.geometry.blocks_per_die + plane),
            page,
        }
    }

    /// The page that is `n`-th in programming order in a superblock.
    #[must_use]
    #[inline]
    pub const fn page(&self, superblock: SuperblockId, n: u32) -> PagePlace {
        self.page_from(self.first_page(superblock), n)
    }

    /// The first page of the program unit after that at `place`, be it of data or of parity, in the superblock whose
    /// first page is `first`: the next die, or the next row on the first one.
    #[must_use]
    #[inline]
    pub const fn next_unit(&self, first: PagePlace, place: PagePlace) -> PagePlace {
        if place.die.0 as u32 + 1 < first.die.0 as u32 + self.stripe_dies {
            PagePlace {
                die: DieId(place.die.0 + 1),
                block: BlockId(place.block.0 + self.geometry.blocks_per_die),
                page: place.page,
            }
        } else {
            PagePlace {
                page: place.page + 1,
                ..first
            }
        }
    }

    /// The dies of a superblock, each with its first block there; with several planes the
    /// neighbours of that block follow.
    pub fn blocks(
        &self,
        superblock: SuperblockId,
    ) -> impl Iterator<Item = (DieId, BlockId)> + use<> {
        let layout = *self;
        let first = self.first_page(superblock);
        (0..self.stripe_dies).map(move |n| {
            let place = layout.page_of_unit(first, n, 0);
            (place.die, place.block)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn layout(planes: u32, slot_bytes: u32, stripe_dies: u32) -> Layout {
        let geometry = Geometry {
            channels: 2,
            dies: 4,
            planes_per_die: planes,
            blocks_per_die: 4,
            pages_per_block: 8,
            page_bytes: 4096,
            slot_bytes,
        };
        Layout::new(geometry, stripe_dies).unwrap()
    }

    #[test]
    fn every_page_is_in_one_superblock_once() {
        for (planes, stripe_dies) in [(1, 1), (1, 4), (2, 2), (2, 4)] {
            let l = layout(planes, 4096, stripe_dies);
            let pages: BTreeSet<u32> = (0..l.superblocks())
                .flat_map(|s| (0..l.pages_per_superblock).map(move |n| (s, n)))
                .map(|(s, n)| l.page(SuperblockId(s), n))
                .map(|place| place.block.0 * 8 + place.page)
                .collect();
            assert_eq!(pages.len() as u32, l.geometry.pages());
        }
    }

    #[test]
    fn slots_run_over_planes_then_dies_then_rows() {
        let l = layout(2, 4096, 2);
        let at: Vec<(u16, u32, u32)> = (0..6)
            .map(|n| l.page(SuperblockId(0), n))
            .map(|place| (place.die.0, place.block.0 % 2, place.page))
            .collect();
        assert_eq!(
            at,
            [
                (0, 0, 0),
                (0, 1, 0),
                (1, 0, 0),
                (1, 1, 0),
                (0, 0, 1),
                (0, 1, 1)
            ]
        );
    }

    #[test]
    fn units_follow_one_another_in_programming_order() {
        for (planes, stripe_dies) in [(1, 1), (1, 4), (2, 2), (2, 4)] {
            let l = layout(planes, 4096, stripe_dies);
            let superblock = SuperblockId(l.superblocks() - 1);
            let first = l.first_page(superblock);
            let mut place = first;
            for n in (0..l.pages_per_superblock).step_by(planes as usize) {
                assert_eq!(place, l.page(superblock, n));
                place = l.next_unit(first, place);
            }
        }
    }

    #[test]
    fn behind_every_three_units_of_data_comes_one_of_parity() {
        for (planes, stripe_dies) in [(1, 1), (1, 4), (2, 2), (2, 4)] {
            let plain = layout(planes, 4096, stripe_dies);
            let l = plain.with_parity(3).unwrap();
            assert_eq!(l.pages_per_superblock * 4, plain.pages_per_superblock * 3);
            assert_eq!(l.slots_per_superblock * 4, plain.slots_per_superblock * 3);
            let superblock = SuperblockId(l.superblocks() - 1);
            let first = l.first_page(superblock);
            let (mut place, mut data) = (first, 0);
            for unit in 0..plain.pages_per_superblock / planes {
                assert_eq!(place, plain.page(superblock, unit * planes));
                if unit % 4 != 3 {
                    assert_eq!(place, l.page(superblock, data * planes));
                    data += 1;
                    let next = l.next_unit(first, place);
                    let parity = (unit % 4 == 2).then_some(next);
                    assert_eq!(l.parity_behind(first, place), parity);
                }
                place = l.next_unit(first, place);
            }
        }
    }

    #[test]
    fn parity_whose_stripes_do_not_fill_a_superblock_is_refused() {
        let plain = layout(1, 4096, 4);
        for data_units in [0, 4, u32::MAX] {
            let refused = plain.with_parity(data_units).unwrap_err().0;
            assert!(refused.contains("whole stripes"), "{refused}");
        }
    }

    #[test]
    fn slots_smaller_and_larger_than_a_page_find_their_pages() {
        assert_eq!(layout(1, 2048, 4).pages_of_slot(5), (2, 1));
        assert_eq!(layout(1, 16384, 4).pages_of_slot(3), (12, 4));
    }

    #[test]
    fn a_stripe_that_does_not_divide_is_refused() {
        let geometry = layout(1, 4096, 1).geometry;
        assert!(
            Layout::new(geometry, 3)
                .unwrap_err()
                .0
                .contains("stripe of 3")
        );
    }
}

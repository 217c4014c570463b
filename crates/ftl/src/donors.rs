//! Superblocks made whole again: what is left of superblocks that were taken apart replaces bad blocks.
//!
//! A superblock is erased as a stripe over dies and planes, so one bad block would cost all of it.
//! Firmware therefore links stripes anew: a bad block's place is taken by a good one of the same
//! plane. Where none is left, the superblock itself is taken apart, and its good blocks replace the
//! next bad ones. So a stripe is lost for as many bad blocks as the worst plane has, not for every bad
//! block. Where a superblock is a single block, there is nothing to link, and each bad one is lost.

use ftlab_base::{BlockId, DieId, Layout, SuperblockId};
use ftlab_nand::{Array, Cause, OpBatch, Order};

/// Good blocks of superblocks that were taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Donors {
    planes_per_die: u32,
    /// By die and plane.
    blocks: Vec<Vec<BlockId>>,
    /// A die that failed: nothing replaces its blocks.
    without: Option<DieId>,
}

/// On whose behalf superblocks are erased, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Erasing {
    /// The cause of the operations.
    pub cause: Cause,
    /// The order that they keep among other operations.
    pub order: Order,
    /// True to erase blocks that hold nothing as well.
    pub always: bool,
}

impl Donors {
    pub fn new(layout: &Layout) -> Donors {
        let planes = layout.geometry.dies() * layout.geometry.planes_per_die;
        Donors {
            planes_per_die: layout.geometry.planes_per_die,
            blocks: vec![Vec::new(); planes as usize],
            without: None,
        }
    }

    /// From now on stripes do without a die.
    pub fn do_without(&mut self, die: DieId) {
        self.without = Some(die);
    }

    /// Returns true if some plane has none.
    pub fn is_short(&self) -> bool {
        let per_die = self.planes_per_die;
        let mut planes = (0..).zip(&self.blocks);
        planes.any(|(n, donors)| {
            donors.is_empty() && self.without != Some(DieId((n / per_die) as u16))
        })
    }

    /// Erases a superblock and replaces what is bad. Returns true if it is whole then; if not, it is taken apart, and
    /// must never be used again.
    pub fn make_ready(
        &mut self,
        layout: &Layout,
        superblock: SuperblockId,
        array: &mut Array,
        erasing: Erasing,
        batch: &mut OpBatch,
    ) -> bool {
        let planes = layout.geometry.planes_per_die;
        let mut good = true;
        let without = self.without;
        for (die, first) in layout.blocks(superblock) {
            if without == Some(die) {
                continue;
            }
            let blocks = || (first.0..first.0 + planes).map(BlockId);
            let used = erasing.always || blocks().any(|b| !array.is_erased(b));
            if !array.can_fail() {
                if used {
                    array.erase((die, first), planes, erasing.cause, erasing.order, batch);
                }
            } else if blocks().any(|b| array.is_bad(b)) {
                for block in blocks().filter(|_| used) {
                    // Those beside a bad one are erased one by one.
                    if !array.is_bad(block) {
                        array.erase((die, block), 1, erasing.cause, erasing.order, batch);
                    }
                }
                good = false;
            } else if used {
                good &= array.erase((die, first), planes, erasing.cause, erasing.order, batch);
            }
        }
        good || self.mend(layout, superblock, array, erasing, batch)
    }

    /// Replaces the bad blocks of a superblock, or takes it apart.
    #[cold]
    fn mend(
        &mut self,
        layout: &Layout,
        superblock: SuperblockId,
        array: &mut Array,
        erasing: Erasing,
        batch: &mut OpBatch,
    ) -> bool {
        let planes = layout.geometry.planes_per_die;
        let mut whole = true;
        let without = self.without;
        for (die, first) in layout.blocks(superblock) {
            for block in (first.0..first.0 + planes).map(BlockId) {
                if array.is_bad(block) && without != Some(die) {
                    let mut alone = block;
                    whole &= self.replace(layout, (die, block), array, erasing, batch, &mut alone);
                }
            }
        }
        if !whole {
            self.take_apart(layout, superblock, array);
        }
        whole
    }

    /// Makes the good blocks of a superblock donors.
    pub fn take_apart(&mut self, layout: &Layout, superblock: SuperblockId, array: &Array) {
        let planes = layout.geometry.planes_per_die;
        for (die, first) in layout.blocks(superblock) {
            for plane in 0..planes {
                let block = BlockId(first.0 + plane);
                if !array.is_bad(block) {
                    self.blocks[(u32::from(die.0) * planes + plane) as usize].push(block);
                }
            }
        }
    }

    /// Makes a superblock that was taken apart whole again: with blocks of the controller's own reserve
    /// in the place of bad ones.
    pub fn take_back(&mut self, layout: &Layout, superblock: SuperblockId, array: &mut Array) {
        let planes = layout.geometry.planes_per_die;
        for (die, first) in layout.blocks(superblock) {
            let blocks = first.0..first.0 + planes;
            let donors = self.blocks[(u32::from(die.0) * planes) as usize..].iter_mut();
            for donors in donors.take(planes as usize) {
                donors.retain(|donor| !blocks.contains(&donor.0));
            }
            for block in blocks.map(BlockId) {
                if array.is_bad(block) && self.without != Some(die) {
                    array.replace_from_reserve(block);
                }
            }
        }
    }

    /// Puts a donor in the place of a bad block; returns true if there was one that could be erased. `held_by`
    /// is the address of a block that may have to make room, and follows it.
    pub fn replace(
        &mut self,
        layout: &Layout,
        (die, block): (DieId, BlockId),
        array: &mut Array,
        erasing: Erasing,
        batch: &mut OpBatch,
        held_by: &mut BlockId,
    ) -> bool {
        let planes = layout.geometry.planes_per_die;
        let plane = block.0 % layout.geometry.blocks_per_die % planes;
        let donors = &mut self.blocks[(u32::from(die.0) * planes + plane) as usize];
        // The least worn first: in an order that does not depend on how they came here.
        while let Some(n) =
            (0..donors.len()).min_by_key(|&n| (array.erase_count(donors[n]), donors[n]))
        {
            let donor = donors.swap_remove(n);
            array.exchange(block, donor);
            if *held_by == block {
                *held_by = donor;
            }
            if array.is_erased(block)
                || array.erase((die, block), 1, erasing.cause, erasing.order, batch)
            {
                return true;
            }
        }
        false
    }
}

/// Erases of all superblocks, by number.
pub(crate) fn wear_of_all(layout: &Layout, array: &Array) -> Vec<u32> {
    let all = (0..layout.superblocks()).map(SuperblockId);
    all.map(|s| wear_of(layout, array, s)).collect()
}

/// Erases of a superblock: its blocks are erased together. Where one may replace another, those of its
/// most worn block.
pub(crate) fn wear_of(layout: &Layout, array: &Array, superblock: SuperblockId) -> u32 {
    if !array.can_fail() {
        return array.erase_count(layout.first_page(superblock).block);
    }
    let planes = layout.geometry.planes_per_die;
    let blocks = layout.blocks(superblock);
    let blocks = blocks.flat_map(|(_, first)| (first.0..first.0 + planes).map(BlockId));
    let most = blocks.map(|block| array.erase_count(block)).max();
    most.expect("a superblock has a block")
}

//! Secure erase: every block that holds anything is erased, at one wear each.

use ftlab_base::{BlockId, Layout, SuperblockId};
use ftlab_nand::{Array, Cause, DataMove, OpBatch, Order};

/// Erases every good block that was programmed since its last erase.
pub(crate) fn erase_used(layout: &Layout, array: &mut Array, batch: &mut OpBatch) {
    let planes = layout.geometry.planes_per_die;
    for superblock in (0..layout.superblocks()).map(SuperblockId) {
        for (die, first) in layout.blocks(superblock) {
            let mut blocks = (first.0..first.0 + planes).map(BlockId);
            let is_used = blocks
                .clone()
                .any(|block| array.programmed_pages(block) > 0);
            if is_used && blocks.all(|block| !array.is_bad(block)) {
                // One that fails is bad from now on, and set aside by the layer.
                let _ = array.erase((die, first), planes, Cause::Host, Order::FREE, batch);
            }
        }
        batch.data(DataMove::Erase {
            first: layout.slot(superblock, 0),
            slots: layout.slots_per_superblock,
        });
    }
}

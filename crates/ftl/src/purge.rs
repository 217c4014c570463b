//! Secure erase: every block that holds anything is erased, at one wear each.

use ftlab_base::{BlockId, Layout, Ppa, SuperblockId};
use ftlab_nand::{Array, Cause, DataMove, OpBatch, Order};

/// Erases every good block that was programmed since its last erase. The layer tells `places` places of
/// data apart in a superblock.
pub(crate) fn erase_used(layout: &Layout, places: u32, array: &mut Array, batch: &mut OpBatch) {
    let planes = layout.geometry.planes_per_die;
    for superblock in (0..layout.superblocks()).map(SuperblockId) {
        for (die, first) in layout.blocks(superblock) {
            let mut blocks = (first.0..first.0 + planes).map(BlockId);
            let is_used = blocks.clone().any(|block| !array.is_erased(block));
            if is_used && blocks.all(|block| !array.is_bad(block)) {
                // One that fails is bad from now on, and set aside by the layer.
                let _ = array.erase((die, first), planes, Cause::Host, Order::FREE, batch);
            }
        }
        batch.data(DataMove::Erase {
            first: Ppa(superblock.0 * places),
            slots: places,
        });
    }
}

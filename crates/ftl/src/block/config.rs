//! Configuration of a block-mapped layer.

use super::space::Space;
use ftlab_base::{ConfigError, Layout};

/// Parameters of a block-mapped layer. All counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockConfig {
    /// Zones that may have logs at the same time, at least one.
    pub log_blocks: u32,
    /// A wear-levelling pass follows every N partial and full merges; 0 for never.
    pub wear_every_merges: u32,
    /// Logical blocks that a wear-levelling pass moves at most.
    pub wear_blocks: u32,
}

/// Superblocks of a group kept free: one that a full merge or a wear move fills, and one so that
/// the queue of free superblocks never holds only the one just erased.
pub(super) const MERGE_RESERVE: u32 = 2;

impl BlockConfig {
    /// Checks that a layer of `user_slots` slots can be built of this on `layout`, without making one.
    ///
    /// # Errors
    /// When slots are not pages, a count is zero, or data, logs and merges need more superblocks than there are.
    pub fn check(&self, layout: &Layout, user_slots: u32) -> Result<(), ConfigError> {
        let fail = |why: String| Err(ConfigError(why));
        let (slot, page) = (layout.geometry.slot_bytes, layout.geometry.page_bytes);
        if slot != page {
            return fail(format!(
                "slots of {slot} bytes on pages of {page}; a block-mapped layer needs slots of one page"
            ));
        }
        if self.log_blocks == 0 {
            return fail("log_blocks is 0; it must be at least 1".to_owned());
        }
        if user_slots == 0 {
            return fail("0 user slots; there must be at least 1".to_owned());
        }
        let data = Space::new(layout, user_slots).zones;
        // A zone that has a log may have one in every group; more logs than zones are never open.
        let logs = self.log_blocks.min(data);
        let needed = u64::from(data) + u64::from(logs) + u64::from(MERGE_RESERVE);
        let superblocks = layout.superblocks_per_group;
        if needed > u64::from(superblocks) {
            return fail(format!(
                "{user_slots} user slots take {data} superblocks of every group, logs {logs} and merges \
                 {MERGE_RESERVE}: more than the {superblocks} there are; lower the user slots or log_blocks"
            ));
        }
        Ok(())
    }
}

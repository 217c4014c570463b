//! What a block-mapped layer can be told, and why it may refuse.

use super::space::Space;
use ftlab_base::Layout;
use std::fmt;

/// Parameters of a block-mapped layer. All counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockConfig {
    /// Zones that may have logs at the same time, at least one.
    pub log_blocks: u32,
    /// Pages that one merge may have between their read and the end of their program: what the
    /// controller can buffer. `None` when the buffer is no limit.
    pub copy_window_pages: Option<u32>,
    /// A wear-levelling pass follows every N partial and full merges; 0 for never.
    pub wear_every_merges: u32,
    /// Logical blocks that a wear-levelling pass moves at most.
    pub wear_blocks: u32,
}

/// Why a block-mapped layer cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockConfigError {
    /// The mapping unit is not a page.
    SlotIsNoPage {
        /// Bytes of a slot.
        slot_bytes: u32,
        /// Bytes of a page.
        page_bytes: u32,
    },
    /// No zone may have a log, so nothing could ever be overwritten.
    NoLogs,
    /// The host would see nothing.
    NoSlots,
    /// The buffer does not hold what is programmed at once.
    WindowTooSmall {
        /// Pages of the window.
        window_pages: u32,
        /// Pages of a program unit: the planes of a die.
        unit_pages: u32,
    },
    /// Data, logs and the reserve for merges need more superblocks than bad blocks leave.
    FactoryBadBlocks {
        /// Superblocks of a group that can be made of good blocks.
        good: u32,
        /// Superblocks of a group that are needed.
        needed: u32,
    },
    /// Data, logs and the reserve for merges need more superblocks than a group has.
    NoRoom {
        /// Slots that the host is to see.
        user_slots: u32,
        /// Superblocks of a group that these slots take.
        data: u32,
        /// Superblocks of a group that logs may take.
        logs: u32,
        /// Superblocks of a group.
        superblocks: u32,
    },
}

impl fmt::Display for BlockConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SlotIsNoPage {
                slot_bytes,
                page_bytes,
            } => write!(
                f,
                "slots of {slot_bytes} bytes on pages of {page_bytes}; a block-mapped layer needs \
                 slots of one page"
            ),
            Self::NoLogs => f.write_str("log_blocks is 0; it must be at least 1"),
            Self::NoSlots => f.write_str("0 user slots; there must be at least 1"),
            Self::WindowTooSmall {
                window_pages,
                unit_pages,
            } => write!(
                f,
                "copy_window_pages is {window_pages}; it must hold one program unit of \
                 {unit_pages} pages"
            ),
            Self::FactoryBadBlocks { good, needed } => write!(
                f,
                "factory bad blocks leave {good} superblocks of a group of dies, and data, logs and \
                 merges need {needed}; lower reliability.factory_bad, the user slots or log_blocks"
            ),
            Self::NoRoom {
                user_slots,
                data,
                logs,
                superblocks,
            } => write!(
                f,
                "{user_slots} user slots take {data} superblocks of every group, logs {logs} and \
                 merges {MERGE_RESERVE}: more than the {superblocks} there are; lower the user \
                 slots or log_blocks"
            ),
        }
    }
}

impl std::error::Error for BlockConfigError {}

/// Superblocks of a group kept free: one that a full merge or a wear move fills, and one so that
/// the queue of free superblocks never holds only the one just erased.
pub(super) const MERGE_RESERVE: u32 = 2;

impl BlockConfig {
    /// Whether a layer of `user_slots` slots can be built of this on `layout`; makes none.
    ///
    /// # Errors
    /// When slots are not pages, a count is zero, the copy window holds less than a program unit,
    /// or data, logs and merges need more superblocks than there are.
    pub fn check(&self, layout: &Layout, user_slots: u32) -> Result<(), BlockConfigError> {
        let geometry = &layout.geometry;
        if geometry.slot_bytes != geometry.page_bytes {
            return Err(BlockConfigError::SlotIsNoPage {
                slot_bytes: geometry.slot_bytes,
                page_bytes: geometry.page_bytes,
            });
        }
        if self.log_blocks == 0 {
            return Err(BlockConfigError::NoLogs);
        }
        if user_slots == 0 {
            return Err(BlockConfigError::NoSlots);
        }
        if let Some(window_pages) = self.copy_window_pages
            && window_pages < geometry.planes_per_die
        {
            return Err(BlockConfigError::WindowTooSmall {
                window_pages,
                unit_pages: geometry.planes_per_die,
            });
        }
        let data = Space::new(layout, user_slots).zones;
        // A zone that has a log may have one in every group; more logs than zones are never open.
        let logs = self.log_blocks.min(data);
        let needed = u64::from(data) + u64::from(logs) + u64::from(MERGE_RESERVE);
        if needed > u64::from(layout.superblocks_per_group) {
            return Err(BlockConfigError::NoRoom {
                user_slots,
                data,
                logs,
                superblocks: layout.superblocks_per_group,
            });
        }
        Ok(())
    }
}

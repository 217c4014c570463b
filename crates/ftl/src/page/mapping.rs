//! View of a page-mapped layer, for whoever prepares or studies a drive.

use super::streams::StreamTraffic;

/// A layer that shows its page mapping.
pub trait PageMapped {
    /// Layout of host data.
    fn mapping(&self) -> PageMapping;

    /// Place of the next slot of host data; with several streams, of the first one's.
    fn host_place(&self) -> HostPlace;

    /// Traffic of each placement handle: host writes, and copies of what they wrote; empty where the drive has no
    /// handles.
    fn handles(&self) -> &[StreamTraffic];

    /// Valid slots of every full superblock, by superblock: what a victim policy chooses from.
    fn valid_slots(&self) -> Vec<u32>;

    /// Slots of the host that hold something.
    fn mapped_slots(&self) -> u32;

    /// Superblocks without valid data.
    fn free_superblocks(&self) -> u32;
}

/// Layout of host data in a page-mapped layer. Sizes are in slots where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageMapping {
    /// Name of the victim policy in a drive file.
    pub policy: &'static str,
    /// Bytes of a slot.
    pub slot_bytes: u32,
    /// Streams of data that are kept apart.
    pub streams: u32,
    /// True if a cache of SLC takes host data first.
    pub has_slc: bool,
    /// Slots the host sees.
    pub user_slots: u32,
    /// Groups of dies, each with superblocks of its own.
    pub groups: u32,
    /// Superblocks of a group.
    pub superblocks_per_group: u32,
    /// Slots of a superblock.
    pub slots_per_superblock: u32,
    /// Slots that a group takes before it is the next group's turn.
    pub slots_per_turn: u32,
    /// Slots programmed for each slot of data, itself included: more than 1 with parity.
    pub programmed_per_slot: f64,
    /// Slots of each group that a new drive programs before it collects anything. User data and
    /// what is invalid of it share them from then on.
    pub data_slots_per_group: u32,
}

impl PageMapping {
    /// Slots that hold user data or invalid slots, over the user's: the α of closed forms.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        f64::from(self.groups) * f64::from(self.data_slots_per_group) / f64::from(self.user_slots)
    }
}

/// Place of the next slot of host data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPlace {
    /// The group of dies.
    pub group: u32,
    /// Slots that the group's open superblock for host data has taken; 0 when the next one opens.
    pub filled: u32,
}

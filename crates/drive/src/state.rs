//! States of drives while they are off, as values.

use crate::counters::{Counters, HostCommands};
use crate::heat::HeatTotals;
use ftlab_base::{Command, Outcome};
use ftlab_ftl::{LayerState, Refusal};
use serde::{Deserialize, Serialize};

/// State of a drive while it is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, for as long as it takes to write it"
)]
pub enum DeviceState {
    /// Everything that an SSD keeps.
    Ssd(SsdState),
    /// A disk, or a RAM disk: its totals.
    Flashless(Counters),
}

/// Everything that an SSD keeps while it is off, and its totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SsdState {
    pub(crate) layer: LayerState,
    /// True if the last command came with a clock, or none came yet.
    pub(crate) timed: bool,
    pub(crate) totals: Totals,
    pub(crate) refusal: Option<Refusal>,
}

/// Counts of an SSD beside those of its array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Commands completed or applied.
    pub host_ios: u64,
    /// Bytes the host wrote that have left the write buffer for the flash, or were dropped there by a trim.
    pub host_bytes_written: u64,
    /// Times a host write had to wait for room in the write buffer.
    pub buffer_stalls: u64,
    /// Trims that freed nothing, as they covered no whole slot.
    pub void_trims: u64,
    /// Reads and writes of the host, and what failed.
    pub host: HostCommands,
    /// Effects of heat on the drive.
    pub heat: HeatTotals,
}

impl Totals {
    /// Counts a command that came to its end.
    #[inline]
    pub(crate) fn count(&mut self, command: &Command, outcome: Outcome, slot_sectors: u32) {
        self.host_ios += 1;
        self.host.count(command, outcome, slot_sectors);
    }
}

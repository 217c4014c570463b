//! Health of a drive: what it has been through, and what is left of it.

use crate::scale::Scale;
use ftlab_ftl::Spare;
use ftlab_nand::{FaultCounters, WearHistogram};

/// Health of an SSD, from its own counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Erase counts of all blocks, bad ones included.
    pub wear: WearHistogram,
    /// P/E cycles that the maker guarantees, if the drive file says.
    pub rated_cycles: Option<u32>,
    /// Bad blocks by when and how they failed, and reads that were difficult.
    pub faults: FaultCounters,
    /// Superblocks that are left to replace bad blocks with.
    pub spare: Spare,
    /// Bytes the host wrote.
    pub host_bytes_written: u64,
    /// Bytes of the pages that were programmed.
    pub nand_bytes_programmed: u64,
    /// Pages programmed for the host, and for all else.
    pub pages_programmed: [u64; 2],
}

impl Health {
    /// Health of the full drive of which this one, divided by `scale`, is the measure: it has N times the blocks, each
    /// with N times the cycles, and `bytes` of it were moved for each of this one. Shares stay as they are.
    #[must_use]
    pub fn of_full(&self, scale: Scale, bytes: f64, rated_cycles: Option<u32>) -> Health {
        let moved = |count: u64| (count as f64 * bytes).round() as u64;
        let blocks = |count: u32| count.saturating_mul(scale.blocks);
        Health {
            wear: self.wear.times(scale.blocks, scale.cycles),
            rated_cycles,
            faults: FaultCounters {
                factory_bad: blocks(self.faults.factory_bad),
                erase_failed: blocks(self.faults.erase_failed),
                program_failed: blocks(self.faults.program_failed),
                retries: moved(self.faults.retries),
                unreadable: moved(self.faults.unreadable),
                made_good: moved(self.faults.made_good),
            },
            spare: Spare {
                at_first: blocks(self.spare.at_first),
                left: blocks(self.spare.left),
            },
            host_bytes_written: moved(self.host_bytes_written),
            nand_bytes_programmed: moved(self.nand_bytes_programmed),
            pages_programmed: self.pages_programmed.map(moved),
        }
    }

    /// Blocks that went bad since the drive was made.
    #[must_use]
    pub fn grown_bad(&self) -> u32 {
        self.faults.erase_failed + self.faults.program_failed
    }

    /// The mean P/E count over the rated one, without limit; 0 when no rating is known.
    #[must_use]
    pub fn worn_share(&self) -> f64 {
        let rated = self.rated_cycles.map_or(f64::INFINITY, f64::from);
        self.wear.mean() / rated
    }

    /// Share of the spare superblocks that is left, from 0 to 1; all of it when there was none.
    #[must_use]
    pub fn spare_share(&self) -> f64 {
        match self.spare.at_first {
            0 => 1.0,
            at_first => f64::from(self.spare.left) / f64::from(at_first),
        }
    }
    /// Percent of the spare superblocks that are left, rounded down: none left must not look like some.
    #[must_use]
    pub fn spare_percent(&self) -> u8 {
        (100.0 * self.spare_share()).floor() as u8
    }
}

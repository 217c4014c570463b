//! The scale of a drive that makes its life short enough to be simulated.

use ftlab_base::Blame;
use ftlab_drive::{DriveFile, Extent, Scale};
use ftlab_play::driver::DriverError;
use ftlab_sheet::SheetError;
use ftlab_states::PrepareError;
use ftlab_states::watch::Stopped;
use thiserror::Error;

/// Superblocks of a group that a scaled drive keeps at least: enough that its spare area is many
/// of them.
const SUPERBLOCKS: u32 = 1024;

/// Slots of a superblock that a page-mapped one keeps at least: write amplification hardly depends on
/// more.
const SUPERBLOCK_SLOTS: u32 = 128;

/// Cycles that the median block of a scaled drive keeps at least, and cycles of its rating: fewer would be
/// a coarse measure of wear.
const CYCLES: u32 = 60;
const RATED_CYCLES: u32 = 30;

/// The reason that a life could not be simulated.
#[derive(Debug, Error)]
pub enum EnduranceError {
    /// The drive cannot be scaled or built.
    #[error(transparent)]
    Drive(#[from] SheetError),
    /// The job does not fit it.
    #[error(transparent)]
    Job(#[from] DriverError),
    /// It cannot be filled.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// Its blocks last for ever.
    #[error(
        "{drive}: the drive file does not say how blocks fail, so that they last for ever; give \
         reliability.rated_cycles, median_cycles, life_shape and erase_share, in the file or with --set"
    )]
    LastsForEver {
        /// The slug of the drive's file.
        drive: String,
    },
    /// It takes no more writes before its time.
    #[error("the drive takes no more writes: {0}")]
    Refused(String),
    /// The watch ended the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Nothing is ever written.
    #[error("the job writes nothing, and reading does not wear a drive out; give it writes")]
    NoWrites,
    /// It would live for ever.
    #[error(
        "after {lives} times the median life of its blocks the drive still takes writes: it stores \
         less than the host writes, or the job hardly writes"
    )]
    Endless {
        /// Median lives of its blocks that it has outlived.
        lives: u32,
    },
}

impl EnduranceError {
    /// Returns true if the watch ended the work.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            EnduranceError::Stopped(_)
                | EnduranceError::Job(DriverError::Stopped(_))
                | EnduranceError::Prepare(PrepareError::Stopped(_))
        )
    }
}

impl Blame for EnduranceError {
    fn is_input(&self) -> bool {
        match self {
            EnduranceError::Drive(_)
            | EnduranceError::LastsForEver { .. }
            | EnduranceError::NoWrites => true,
            EnduranceError::Job(error) => error.is_input(),
            EnduranceError::Prepare(error) => error.is_input(),
            EnduranceError::Refused(_)
            | EnduranceError::Stopped(_)
            | EnduranceError::Endless { .. } => false,
        }
    }
}

/// The scale of a simulated life.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The divisors of blocks, pages and cycles.
    pub scale: Scale,
}

impl Plan {
    /// A scale with which the pages times the cycles of a drive are at most `programs`, as far as the
    /// least sizes allow.
    ///
    /// # Errors
    /// When the drive has no flash that wears out.
    pub fn within(file: &DriveFile, programs: f64) -> Result<Plan, EnduranceError> {
        let extent: Extent = file.extent()?;
        let median_cycles = Plan::median_cycles(file, &extent)?;
        let mut over = extent.pages as f64 * f64::from(median_cycles) / programs;
        let mut take = |most: u32| {
            let divisor = (over.ceil().clamp(1.0, f64::from(most.max(1)))) as u32;
            over /= f64::from(divisor);
            divisor
        };
        // First what matters least: the number of blocks, then their size, then the cycles.
        // Log blocks are few however many blocks there are, so a smaller block-mapped drive would have more of
        // them for what a client writes.
        let blocks = if extent.is_block_mapped {
            1
        } else {
            take(extent.superblocks / SUPERBLOCKS)
        };
        let smallest = if extent.is_block_mapped {
            extent.superblock_slots
        } else {
            SUPERBLOCK_SLOTS
        };
        let pages = take((extent.superblock_slots / smallest).min(extent.pages_per_block));
        let rated_cycles = file.rated_cycles().unwrap_or(median_cycles);
        let cycles = take((median_cycles / CYCLES).min(rated_cycles / RATED_CYCLES));
        Ok(Plan {
            scale: Scale {
                blocks,
                pages,
                cycles,
            },
        })
    }

    /// The life of the median block.
    ///
    /// # Errors
    /// When blocks last for ever.
    pub(super) fn median_cycles(file: &DriveFile, extent: &Extent) -> Result<u32, EnduranceError> {
        let none = || EnduranceError::LastsForEver {
            drive: file.slug().to_owned(),
        };
        extent.median_cycles.ok_or_else(none)
    }

    /// Host bytes of the full drive for each of the scaled one: capacities as they came out, since
    /// blocks and slots are whole, times the cycles.
    #[must_use]
    pub fn scale_of_bytes(&self, full_bytes: u64, scaled_bytes: u64) -> f64 {
        full_bytes as f64 / scaled_bytes as f64 * f64::from(self.scale.cycles)
    }
}

//! Ranges of a drive that hold data, and those that do not.

use super::{Engine, Stopped};
use ftlab_base::{Lba, SECTOR_BYTES};
use ftlab_image::DataDrive;
use std::ops::Range;

/// The most runs of one look, and the most sectors, 1 GiB: others wait for the drive meanwhile.
const RUNS_MAX: usize = 1024;
const LOOK_SECTORS_MAX: u64 = (1 << 30) / SECTOR_BYTES;

/// Sectors one behind the other that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// True if the drive holds data there. If not, reads return zeroes.
    pub is_mapped: bool,
    /// Length in sectors, at least one.
    pub sectors: u64,
}

impl Engine {
    /// Says what the drive holds from the first of these sectors on: of one sector at least, and of all of
    /// them only if that is no long work.
    ///
    /// # Errors
    /// When the engine has stopped.
    pub fn runs(&self, sectors: Range<u64>) -> Result<Vec<Run>, Stopped> {
        let end = sectors.end.min(sectors.start + LOOK_SECTORS_MAX);
        self.look(move |drive| runs(drive, sectors.start..end))
    }
}

fn runs(drive: &DataDrive, sectors: Range<u64>) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = sectors.start;
    while at < sectors.end && runs.len() < RUNS_MAX {
        let (is_mapped, length) = drive.is_mapped(Lba(at), sectors.end - at);
        let sectors = length.max(1);
        runs.push(Run { is_mapped, sectors });
        at += sectors;
    }
    runs
}

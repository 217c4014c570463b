//! A drive written to its end: how much the host could write, and what gave out first.
//!
//! A whole life is real writes without time on a drive scaled down (`DriveFile::scaled`): fewer and
//! smaller blocks, fewer cycles, the same ratios. What is reported is what the full drive would have
//! taken: bytes times the scale. Days pass with the bytes the host writes, and age the data.

mod client;
mod life;
mod plan;
mod report;

pub use client::{CLIENT, RANDOM, SEQUENTIAL, write_amplification};
pub use life::{Ending, Life, Mark};
pub use plan::{EnduranceError, Plan};
pub use report::{Announced, Lived, MarkRow, Rated, Report, ScaleRow, Way};

use crate::proportion::in_proportion;
use ftlab_base::{Content, RootSeed};
use ftlab_drive::{Device, DriveFile};
use ftlab_host::Testbed;
use ftlab_play::streams;
use ftlab_states::watch::Watch;
use ftlab_states::{PrepareError, State, prepare_with};
use ftlab_workload::JobFile;
use life::{FullDrive, Liver};

/// The days of a drive's life, each like the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Daily {
    /// Bytes the host writes a day.
    pub bytes: f64,
    /// Degrees Celsius at which the drive works and its data age.
    pub celsius: f64,
}

/// Writes a drive by a job, over and over, until it takes no more. `watch` gets the share of the median block's life
/// that is used, and no share while the drive is filled.
///
/// # Errors
/// When the drive cannot be scaled or built, the job does not fit it, or it cannot be filled.
pub fn live(
    file: &DriveFile,
    job: &JobFile,
    plan: &Plan,
    daily: Daily,
    testbed: &Testbed,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<Life, EnduranceError> {
    let scaled = file.scaled(plan.scale)?;
    let drive_seed = streams::drive_seed(seed, file.slug());
    let mut device = scaled.build(testbed, drive_seed)?;
    fill(device.as_mut(), drive_seed, &|what, _| watch(what, None))?;
    let (full, small) = (file.capacity_bytes(), scaled.capacity_bytes());
    let job = in_proportion(job, small as f64 / full as f64);
    let full = FullDrive {
        scale: plan.scale,
        bytes: plan.scale_of_bytes(full, small),
        rated_cycles: file.rated_cycles(),
    };
    let extent = scaled.extent()?;
    let cycles = Plan::median_cycles(&scaled, &extent)?;
    let liver = Liver::new(device, extent.pages * u64::from(cycles), daily, full);
    liver.live(&job, seed, watch)
}

/// Fills a new drive.
fn fill(device: &mut dyn Device, seed: RootSeed, watch: &Watch<'_>) -> Result<(), PrepareError> {
    let way = (State::New, State::Filled);
    prepare_with(device, way, seed, Content::RANDOM, watch).map(drop)
}

#[cfg(test)]
mod tests;

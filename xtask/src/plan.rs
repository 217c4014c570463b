//! The review that figures are asked of.

use anyhow::Result;
use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites::Test;
use ftlab_drive::DriveFile;
use ftlab_lab::{Lab, Subject};
use ftlab_result::ResultSet;
use std::num::NonZeroUsize;

/// Bytes that drives and their copies may take together.
pub const MEMORY_BYTES: u64 = 8 << 30;

/// Whole tests on drives, as a review of everything makes them.
pub fn review(
    drives: Vec<DriveFile>,
    tests: Vec<Test>,
    seed: u64,
    threads: usize,
) -> Result<ResultSet> {
    let drives = drives.into_iter().map(Subject::from).collect();
    let review = Review {
        is_everything: true,
        ..Review::of(drives, tests, RootSeed(seed))
    };
    let lab = Lab::new(threads, MEMORY_BYTES)?;
    Ok(review.results(&lab, &|_, _| Ok(()))?)
}

/// As many jobs at a time as were asked for, or as there are cores.
pub fn threads(jobs: Option<NonZeroUsize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    jobs.map_or_else(cores, NonZeroUsize::get)
}

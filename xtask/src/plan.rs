//! The review that figures are asked of.

use ftlab_base::RootSeed;
use ftlab_bench::review::{Length, Plan, Subject};
use ftlab_bench::suites::Test;
use ftlab_drive::DriveFile;
use ftlab_play::driver::Clock;
use std::num::NonZeroUsize;

/// Bytes that drives and their copies may take together.
pub const MEMORY_BYTES: u64 = 8 << 30;

/// Whole tests on drives, as a review of everything makes them.
pub fn plan_of(drives: Vec<DriveFile>, tests: Vec<Test>, seed: u64, threads: usize) -> Plan {
    Plan {
        tests,
        drives: drives.into_iter().map(Subject::from).collect(),
        is_everything: true,
        state: None,
        length: Length::Full,
        clock: Clock::Timed,
        testbed: None,
        memory_bytes: MEMORY_BYTES,
        seed: RootSeed(seed),
        repeats: 1,
        threads,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// As many jobs at a time as were asked for, or as there are cores.
pub fn threads(jobs: Option<NonZeroUsize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    jobs.map_or_else(cores, NonZeroUsize::get)
}

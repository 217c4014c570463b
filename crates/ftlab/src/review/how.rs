//! How tests of reviews run: options that the commands which run them share.

use crate::cli::{self, TestbedsOption};
use crate::failure::Failure;
use crate::memory;
use crate::progress::Signs;
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_bench::repeats::REPEATS_MAX;
use ftlab_bench::review::{Length, Plan};
use ftlab_bench::suites::Test;
use ftlab_drive::DriveFile;
use ftlab_play::driver::Clock;
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
pub struct How {
    /// Let timed jobs and traces end after 150,000 requests or 4 GiB, procedures after a twelfth of their
    /// time: means of what is steady from the start are nearly the same; longest latencies and what a drive does
    /// once its spare area is used up are not. Each run says what was cut
    #[arg(long)]
    quick: bool,
    /// Memory for drives and their copies, for example 4 or 0.5; by default half of what is free
    #[arg(long, value_name = "GIB", value_parser = memory::gib)]
    memory: Option<u64>,
    /// Root of every random stream: the same seed gives the same bytes
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = cli::seed)]
    seed: u64,
    /// Make each run N times, every time with another seed that follows from the root: figures are means
    /// with 95 % confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    repeats: u32,
    /// Jobs at a time; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = cli::at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    testbed: TestbedsOption,
    #[command(flatten)]
    pub signs: Signs,
}

impl How {
    /// The plan of these tests on these drives.
    pub fn plan(
        &self,
        drives: Vec<DriveFile>,
        tests: Vec<Test>,
        is_everything: bool,
    ) -> Result<Plan, Failure> {
        Ok(Plan {
            drives,
            tests,
            is_everything,
            state: None,
            length: if self.quick {
                Length::Quick
            } else {
                Length::Full
            },
            clock: Clock::Timed,
            memory_bytes: self.memory.unwrap_or_else(memory::half_of_free),
            testbed: self.testbed.load()?,
            seed: RootSeed(self.seed),
            repeats: self.repeats,
            threads: self.jobs.map_or_else(memory::cores, NonZeroUsize::get),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

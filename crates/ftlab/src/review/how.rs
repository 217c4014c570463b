//! Options for running tests of reviews, shared by the commands that run them.

use crate::failure::Failure;
use crate::options::{TestbedOption, Work};
use clap::Args;
use ftlab_bench::repeats::REPEATS_MAX;
use ftlab_bench::review::Review;
use ftlab_bench::suites::Test;
use ftlab_lab::{Length, Subject};

#[derive(Debug, Args)]
pub struct How {
    /// Let timed jobs and traces end after 150,000 requests or 4 GiB, procedures after a twelfth of their
    /// time: means of what is steady from the start are nearly the same; longest latencies and what a drive does
    /// once its spare area is used up are not. Each run says what was cut
    #[arg(long)]
    quick: bool,
    /// Make each run N times, every time with another seed that follows from the root: figures are means
    /// with 95 % confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    repeats: u32,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    pub work: Work,
}

impl How {
    /// The review by these tests on these drives.
    pub fn review(
        &self,
        drives: Vec<Subject>,
        tests: Vec<Test>,
        is_everything: bool,
    ) -> Result<Review, Failure> {
        Ok(Review {
            is_everything,
            length: match self.quick {
                true => Length::Quick,
                false => Length::Full,
            },
            testbed: self.testbed.load()?,
            repeats: self.repeats,
            ..Review::of(drives, tests, self.work.root())
        })
    }
}

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
        allow_negative_numbers = true, value_parser = repeats)]
    repeats: u32,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    pub work: Work,
}

/// Reads how often a run is made.
fn repeats(text: &str) -> Result<u32, String> {
    let times = text
        .parse()
        .ok()
        .filter(|times| (1..=REPEATS_MAX).contains(times));
    times.ok_or_else(|| format!("give how often each run is made, from 1 to {REPEATS_MAX} times"))
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

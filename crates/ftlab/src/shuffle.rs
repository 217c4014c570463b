//! `--shuffle`: jobs whose hot blocks lie all over a drive.

use crate::options::choice;
use crate::progress::Signs;
use clap::Args;
use clap::builder::TypedValueParser;
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::suites::Test;
use ftlab_workload::Shuffle;

#[derive(Debug, Args)]
pub struct ShuffleOption {
    /// Spread the ranks of zipf, pareto and normal, and the blocks of zones, over all blocks, by a permutation for each clone of
    /// a job; fio's hash leaves some blocks out. With shared it is one permutation, so that the clones of numjobs have the same
    /// hot blocks. Jobs that have the word `shuffle` keep to that
    #[arg(long, value_name = "each|shared", num_args = 0..=1, require_equals = true, default_missing_value = "each",
        value_parser = words(), hide_possible_values = true)]
    shuffle: Option<Shuffle>,
}

/// Reads the word for a rule. What jobs call `none` is here to leave the option out.
fn words() -> impl TypedValueParser<Value = Shuffle> {
    choice([
        (Shuffle::Each.word(), Shuffle::Each, ""),
        (Shuffle::Shared.word(), Shuffle::Shared, ""),
    ])
}

impl ShuffleOption {
    /// The rule that was asked for, if one was.
    pub fn rule(&self) -> Option<Shuffle> {
        self.shuffle
    }

    /// Tests as they were asked for. Those that make other requests for it are no longer what was published, which `signs` tell
    /// of.
    pub fn shuffle(&self, tests: Vec<Test>, signs: Signs) -> Vec<Test> {
        let Some(how) = self.shuffle else {
            return tests;
        };
        let were_published = count_published(&tests);
        let tests: Vec<Test> = tests.into_iter().map(|test| test.shuffled(how)).collect();
        let others = were_published - count_published(&tests);
        if others > 0 {
            signs.tell(&format!(
                "note: --shuffle: {others} of the tests make other requests than the published ones, and are judged against none\n"
            ));
        }
        tests
    }
}

fn count_published(tests: &[Test]) -> usize {
    let is_published = |test: &&Test| test.family.source.is_published();
    tests.iter().filter(is_published).count()
}

/// Tells where the hot blocks of the clones of jobs lie.
pub fn tell_of_clones(loads: &[OwnLoad], signs: Signs) {
    let files = loads.iter().filter_map(|own| own.load.job_file());
    let of_clones = files.filter(|file| file.jobs.iter().any(|job| job.clones.numjobs > 1));
    for words in of_clones.flat_map(|file| file.hot_places()) {
        signs.tell(&format!("note: {words}\n"));
    }
}

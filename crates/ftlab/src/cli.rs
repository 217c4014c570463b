//! What can be typed. The options of a command stand with it.

use crate::{endurance, review, run, show, theory};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ftlab_drive::{Catalog, DriveError, Testbed};

/// A software SSD and the bench to review it.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ftlab drives                               the drives that come with ftlab
  ftlab show intel-x25-m-g1-80               every number of one, with its source
  ftlab review                               the five drives of the 2008 review, all tests
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used
                                             a fio job file on a used drive
  ftlab endurance --drive intel-x25-m-g1-80  how long it lives, and how it wears
  ftlab theory --quick                       write amplification beside its closed forms

Exit codes: 0 done, 1 failed while running, 2 wrong input.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the drives that come with ftlab
    Drives,
    /// Show every number of a drive with its unit, source and confidence
    Show(show::Options),
    /// Run a fio job file on a drive
    Run(run::Options),
    /// Write a drive to its end: how much it takes, how it wears, what gives out first
    Endurance(endurance::Options),
    /// Run the reviews' tests on drives and write a report
    Review(review::Options),
    /// Compare simulated write amplification with its closed forms and write a page with charts
    Theory(theory::Options),
}

/// What a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Normal,
    /// For programs
    Json,
}

/// The test machine.
#[derive(Debug, Args)]
pub struct TestbedOption {
    /// Test machine: a name, or a path to a .toml file
    #[arg(long, value_name = "TESTBED", default_value = "anandtech-2008")]
    testbed: String,
}

impl TestbedOption {
    pub fn load(&self) -> Result<Testbed, DriveError> {
        Catalog::testbed(&self.testbed)
    }
}

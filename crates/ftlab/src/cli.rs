//! What can be typed. The options of a command stand with it.

use crate::{
    accuracy, claims, compare, endurance, image, provenance, pts, report, review, run, serve, show,
    tests, theory, tools,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ftlab_host::Testbed;
use ftlab_play::State;
use ftlab_sheet::SheetError;
use std::num::NonZeroUsize;

/// A software SSD and the bench to review it.
#[derive(Debug, Parser)]
#[command(version = provenance::version(), arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ftlab drives                               the drives that come with ftlab
  ftlab show intel-x25-m-g1-80               every number of one, with its source
  ftlab tests                                the tests, by code and by name
  ftlab review                               the five drives of the 2008 review, its tests
  ftlab pts intel-x25-m-g2-80                SNIA's Performance Test Specification
  ftlab report before after                  two reviews side by side
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.28 --test E1 --quick
                                             what if a drive had more spare area?
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used
                                             a fio job file on a used drive
  ftlab endurance --drive intel-x25-m-g1-80  how long it lives, and how it wears
  ftlab theory --quick                       write amplification beside its closed forms
  ftlab serve --drive jmf602-mlc-64 --image disk.img
                                             a drive as a block device that keeps its data
  ftlab claims C052 C057                     two statements of the sources, checked

Exit codes: 0 done, 1 failed while running, 2 wrong input, 130 interrupted (review, compare).";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the drives that come with ftlab
    Drives,
    /// List the tests of `review` and `compare`, and what they measure
    Tests(tests::Options),
    /// Show every number of a drive with its unit, source and confidence
    Show(show::Options),
    /// Run fio job files, application scripts and traces on drives
    Run(run::Options),
    /// Show what an image of a drive is, and what the drive has been through
    Info(image::Options),
    /// Check an image of a drive: whether everything lies there as it was written
    ///
    /// Nothing in it changes, unless --accept or --rebuild is given. Exit code 1 when something is damaged.
    Fsck(image::FsckOptions),
    /// Write a drive to its end: how much it takes, how it wears, what gives out first
    Endurance(endurance::Options),
    /// Run the reviews' tests on drives and write a report
    Review(review::Options),
    /// Run SNIA's Performance Test Specification (PTS) on drives and write a report
    Pts(pts::Options),
    /// Draw the report of results again, write them as tables, or compare several of them
    Report(report::Options),
    /// Try numbers of a drive file at several values: a table and a chart of what tests give
    Compare(compare::Options),
    /// Write a page about how close a review's figures are to the published ones
    Accuracy(accuracy::Options),
    /// Compare simulated write amplification with its closed forms and write a page with charts
    Theory(theory::Options),
    /// Check what the sources say in words: which claims hold on the simulated drives
    Claims(claims::Options),
    /// Attach a drive as a block device that keeps its data
    Serve(serve::Options),
    /// End a server in the background in order, and wait until it has ended
    Stop(serve::StopOptions),
    /// Show an attached drive's SMART attributes, as smartctl does
    Smart(tools::SmartOptions),
    /// Watch an attached drive at work
    Top(tools::TopOptions),
    /// Erase an attached drive as a whole (ATA SECURITY ERASE UNIT)
    Erase(tools::EraseOptions),
    /// Tell an attached drive what it need not keep (TRIM)
    Trim(tools::TrimOptions),
    /// Have something go wrong with an attached drive
    Fault(tools::FaultOptions),
    /// Change what the host can address of an attached drive (ATA SET MAX)
    SetMax(tools::SetMaxOptions),
    /// Give an attached drive new firmware; what it holds stays
    Firmware(tools::FirmwareOptions),
}

/// What a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Normal,
    /// For programs
    Json,
}

/// What a drive has been through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateName {
    /// Nothing was ever written
    New,
    /// Every sector written once, in order
    Filled,
    /// Every sector written once, in random order
    FilledRandom,
    /// Filled, then up to a quarter of the capacity written at random
    Used,
    /// Used, then an image of a system restored: the first 30 GiB in order
    Restored,
    /// Written at random until SNIA's steady-state rule holds; begins where a closed form says, if
    /// one is known, or else filled
    Steady,
    /// Set up as a closed form says, without the rule: greedy and FIFO page mapping only
    SteadyFast,
}

impl From<StateName> for State {
    fn from(name: StateName) -> State {
        match name {
            StateName::New => State::New,
            StateName::Filled => State::Filled,
            StateName::FilledRandom => State::FilledRandom,
            StateName::Used => State::Used,
            StateName::Restored => State::Restored,
            StateName::Steady => State::Steady,
            StateName::SteadyFast => State::SteadyFast,
        }
    }
}

/// The test machine of a review.
#[derive(Debug, Args)]
pub struct TestbedsOption {
    /// Test machine for all tests: a name, or a path to a .toml file; by default that of each test's
    /// review
    #[arg(long, value_name = "TESTBED")]
    testbed: Option<String>,
}

/// Reads how many of something there are to be.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "give a whole number, 1 or more".to_owned())
}

/// Reads a number from the one to the other.
pub fn number(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let number = text.parse().ok();
        // Which neither a word nor what is not a number lies within.
        let within = number.filter(|number| (least..=most).contains(number));
        within.ok_or_else(|| format!("give a number from {least} to {most}"))
    }
}

/// Reads the root of random streams.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("give a whole number from 0 to {}", u64::MAX))
}

impl TestbedsOption {
    pub fn load(&self) -> Result<Option<Testbed>, SheetError> {
        self.testbed.as_deref().map(Testbed::load).transpose()
    }
}

/// The test machine.
#[derive(Debug, Clone, Args)]
pub struct TestbedOption {
    /// Test machine: a name, or a path to a .toml file
    ///
    /// If left out, anandtech-2008; for a script, the one that its file names
    #[arg(long, value_name = "TESTBED")]
    testbed: Option<String>,
}

impl TestbedOption {
    pub fn load(&self) -> Result<Testbed, SheetError> {
        self.load_or("anandtech-2008")
    }

    /// The one asked for, else the one called `name`.
    pub fn load_or(&self, name: &str) -> Result<Testbed, SheetError> {
        Testbed::load(self.testbed.as_deref().unwrap_or(name))
    }
}

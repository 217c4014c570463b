//! The commands that can be typed. The options of a command stand with it.

use crate::{
    calibrate, claims, compare, completions, endurance, import, list_tests, man, plan, provenance,
    pts, report, review, run, show, sweep, trace,
};
use clap::{Parser, Subcommand};

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
  ftlab sweep sweep.toml --out out/sweep     a thousand runs as one table
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used
                                             a fio job file on a used drive
  ftlab run prxy_0.csv.gz --drive generic-mlc-8 --fit compact --untimed
                                             a recorded trace on a drive
  ftlab fio --drive intel-x25-m-g1-80 --name=a --rw=randwrite --bs=4k --runtime=10 --time_based
                                             fio's command line as it stands
  ftlab import mqsim ssdconfig.xml workload.xml
                                             another simulator's drive and load
  ftlab calibrate ./my-nvme.toml --fio seqwrite.json --fio randread.json --out fitted.toml
                                             a drive file fitted to what fio measured
  ftlab plan job.fio --drive generic-mlc-8 --per-day 50GB --life 5y --p99 5ms
                                             years, latencies and spare area under a load
  ftlab endurance --drive intel-x25-m-g1-80  how long it lives, and how it wears
  ftlab serve --drive jmf602-mlc-64 --image disk.img
                                             a drive as a block device that keeps its data
  ftlab serve --base aged.img --image changes.img
                                             a drive on an image that is only read
  ftlab crash disk.crash --check ./check.sh  whether what was written survives power cuts
  ftlab claims C052 C057                     two statements of the sources, checked

Exit codes: 0 done, 1 failed while running, 2 wrong input, 3 a requirement was missed (crash: a state fails), 130 interrupted (review, compare, run, sweep, crash).";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the drives that come with ftlab
    Drives,
    /// List the tests of `review` and `compare`, and what they measure
    Tests(list_tests::Options),
    /// Show every number of a drive with its unit, source and confidence
    Show(show::Options),
    /// Run fio job files, application scripts and traces, recorded ones too, on drives
    Run(run::Options),
    /// Take over drives and loads of other simulators: MQSim, SimpleSSD, FEMU, NVMeVirt
    #[command(subcommand)]
    Import(import::Command),
    /// Fit a drive file to what fio measured on a drive
    Calibrate(calibrate::Options),
    /// Read recorded traces: what is in one, and one in another format
    #[command(subcommand)]
    Trace(trace::Command),
    /// Run fio's command line on drives: `ftlab fio --drive D --name=a --rw=randwrite …`
    Fio(run::Options),
    /// Say how long drives last under a load, how fast they answer, and how much spare area that takes
    Plan(plan::Options),
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
    /// Run every drive with every setting, load and seed of a grid: a table of one row a run
    Sweep(sweep::Options),
    /// Check what the sources say in words: which claims hold on the simulated drives
    Claims(claims::Options),
    #[cfg(feature = "attach")]
    #[command(flatten)]
    Disk(ftlab_disk::Command),
    /// Print a script with which a shell completes commands, options and drives
    Completions(completions::Options),
    /// Write the manual: a page for ftlab and one for each command
    #[command(hide = true)]
    Man(man::Options),
}

//! The commands that can be typed. The options of a command stand with it.

#[cfg(feature = "attach")]
use crate::measure;
use crate::{
    calibrate, card, claims, compare, completions, drives, endurance, fit, import, list_tests, man,
    plan, predict, provenance, pts, report, review, run, show, sweep, trace,
};
use clap::{CommandFactory, Parser, Subcommand};

/// A software SSD and the bench to review it.
#[derive(Debug, Parser)]
#[command(version = provenance::version(), arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The widest line of help, on a terminal and in a pipe.
const COLUMNS: usize = 80;

/// Commands in the order and under the headings of `ftlab --help`.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Drives",
        &[
            "drives",
            "show",
            "import",
            "card",
            "calibrate",
            "fit",
            "predict",
        ],
    ),
    (
        "Run loads",
        &["run", "fio", "trace", "compare", "sweep", "report"],
    ),
    ("Plan a purchase", &["plan", "endurance"]),
    (
        "Serve a drive that keeps data",
        &[
            "serve", "stop", "top", "smart", "fault", "mark", "crash", "trim", "erase", "snapshot",
            "reset",
        ],
    ),
    ("Study", &["tests", "review", "pts", "measure", "claims"]),
    (
        "Maintain",
        &[
            "info",
            "fsck",
            "pack",
            "unpack",
            "set-max",
            "firmware",
            "completions",
            "help",
        ],
    ),
];

const EXAMPLES: &str = "\
Examples:
  ftlab drives --year 2018.. --nvme
                                  drives of today
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used
                                  a fio job file on a used drive
  ftlab run prxy_0.csv.gz --drive generic-mlc-8 --fit compact --untimed
                                  a recorded trace on a drive
  ftlab plan job.fio --drive generic-mlc-8 --per-day 50GB --life 5y --p99 5ms
                                  years, latencies and spare area under a load
  ftlab compare generic-mlc-8 --set spare.op=0.07,0.28 --test E1 --quick
                                  the same drive with more spare area
  ftlab serve --drive jmf602-mlc-64 --image disk.img
                                  a drive as a block device that keeps its data
  ftlab review                    the drives and tests of the 2008 review

`ftlab COMMAND --help` shows the options of a command, and more examples.

Exit codes:
  0    done
  1    failed while running
  2    wrong input
  3    a requirement was missed, or a state of `crash` failed
  130  interrupted: review, compare, run, sweep, crash";

/// Examples of commands that have no options of their own, or share them with another command.
const OF_SHOW: &str = "\
Examples:
  ftlab show intel-x25-m-g1-80
  ftlab show ./my-drive.toml --set spare.op=28%
  ftlab show intel-x25-m-g1-80 --output-format json";
const OF_TRACE: &str = "\
Examples:
  ftlab trace info prxy_0.csv.gz
  ftlab trace convert prxy_0.csv.gz prxy_0.parquet";
const OF_FIO: &str = "\
Examples:
  ftlab fio --drive generic-mlc-8 --name=a --rw=randwrite --bs=4k \\
      --iodepth=4 --number_ios=10k
  ftlab fio --drive intel-x25-m-g1-80 --state used job.fio
  ftlab fio --drive generic-mlc-8 --section=log job.fio
  ftlab fio --cmdhelp=iodepth     explain one of fio's words
  ftlab fio --cmdhelp             list all of them

Paste a fio command line, put `ftlab` before it and add --drive. Each --name
begins a job, and options before the first --name apply to all jobs:

  --rw=MODE          read, write, randread, randwrite, rw, randrw, trim
  --rwmixread=70     share of reads in rw and randrw, in percent
  --bs=4k            size of a request; --bssplit mixes sizes
  --size, --offset   part of the drive that the job uses
  --io_size, --number_ios
                     how much the job does before it ends
  --runtime=10 --time_based
                     end after this time instead
  --iodepth=32       requests under way at a time
  --rate_iops=5k     requests per second; --rate limits bytes per second
  --numjobs=4        copies of the job
  --fsync=1          flush after this number of writes
  --random_distribution=zipf:1.1
                     how often each block is used

docs/fio.md lists all words of fio, and which of them have no effect here.
The options above are those of `ftlab run`.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the drives that ftlab knows
    Drives(drives::Options),
    /// List the tests of `review` and `compare`
    Tests(list_tests::Options),
    /// Show every number of a drive with its unit and source
    #[command(after_help = OF_SHOW)]
    Show(show::Options),
    /// Run fio jobs, application scripts and traces on drives
    Run(run::Options),
    /// Convert other simulators' files, and results of fio and its tools
    #[command(subcommand)]
    Import(import::Command),
    /// Write a drive, and a load, as another simulator's files
    Card(card::Options),
    /// Fit a drive file to fio's measurements of a real drive
    Calibrate(calibrate::Options),
    /// Fit a whole drive file to what a suite measured on a drive
    Fit(fit::Options),
    /// Predict figures of a drive from its data sheet, each with a range
    Predict(predict::Options),
    /// Describe a recorded trace, or convert it
    #[command(subcommand, after_help = OF_TRACE)]
    Trace(trace::Command),
    /// Run fio's command line on drives
    #[command(after_help = OF_FIO)]
    Fio(run::Options),
    /// Say how long drives last under a load and how fast they are
    Plan(plan::Options),
    /// Write to a drive until it fails: lifetime and wear
    Endurance(endurance::Options),
    /// Run the reviews' tests on drives and write a report
    Review(review::Options),
    /// Run SNIA's Performance Test Specification (PTS)
    Pts(pts::Options),
    /// Run a suite on a real drive by fio
    #[cfg(feature = "attach")]
    Measure(measure::Options),
    /// Draw a report again, export tables, or compare results
    Report(report::Options),
    /// Try several values for numbers of a drive file
    Compare(compare::Options),
    /// Run a grid of drives, settings, loads and seeds
    Sweep(sweep::Options),
    /// Check statements of the sources by simulation
    Claims(claims::Options),
    #[cfg(feature = "attach")]
    #[command(flatten)]
    Disk(ftlab_disk::Command),
    /// Print a script with which a shell completes words
    Completions(completions::Options),
    /// Write the manual: a page for ftlab and one for each command
    #[command(hide = true)]
    Man(man::Options),
}

/// Returns the command line as it is read, shown and described in the manual.
pub fn command() -> clap::Command {
    let cli = Cli::command().term_width(COLUMNS);
    let groups = groups(&cli);
    cli.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// Returns the commands under their headings, a line each.
fn groups(cli: &clap::Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        // Without the feature `attach` a whole group may be absent.
        let lines: Vec<String> = (names.iter())
            .filter_map(|name| Some(format!("  {name:<13}{}\n", about(cli, name)?)))
            .collect();
        if !lines.is_empty() {
            text += &format!("{heading}:\n{}\n", lines.concat());
        }
    }
    text
}

/// Returns the line about a command, if there is one of that name.
fn about(cli: &clap::Command, name: &str) -> Option<String> {
    match name {
        "help" => Some("Show the help of a command".to_owned()),
        name => cli
            .find_subcommand(name)?
            .get_about()
            .map(ToString::to_string),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cli, GROUPS};
    use clap::CommandFactory;

    #[test]
    fn every_command_stands_in_one_group_of_the_help() {
        let cli = Cli::command();
        let shown = cli
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
        shown.push("help");
        shown.sort_unstable();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }
}

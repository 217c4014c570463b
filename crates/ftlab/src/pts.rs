//! `ftlab pts`: SNIA's Performance Test Specification on drives, and a report.

use crate::drives::load;
use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::options::{TestbedOption, Work};
use crate::session::{Command, INTERRUPTED, Session};
use crate::shrink::ShrinkOption;
use crate::{results, screen};
use clap::{Args, ValueEnum};
use ftlab_bench::ask::Asker;
use ftlab_bench::pts::{self, CLIENT, ENTERPRISE, Pts, Scale};
use ftlab_drive::{Catalog, Kind};
use ftlab_lab::Subject;
use ftlab_result::ResultSet;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab pts intel-x25-m-g2-80
  ftlab pts intel-x25-m-g2-80 crucial-m4-128 --test iops --test wsat --out out
  ftlab pts intel-dc-s3700-200 --class enterprise --test latency
  ftlab pts generic-mlc-8 --set spare.op=28% --test iops
  ftlab pts samsung-pm9a3-960 --class enterprise --test latency --shrink-to 16g
  ftlab pts generic-mlc-8 --test latency --scale 1

The standard asks for one minute per access pattern and up to 25 rounds of 56
patterns. By default a minute is shorter, in proportion to the drive's capacity,
and only the beginning of a pattern runs with time. The tables give the scale.
--scale 1 is the standard as written, and takes hours.")]
pub struct Options {
    /// Drives of flash of `ftlab drives`, or paths to drive files
    #[arg(required = true, value_parser = crate::drives::name(), hide_possible_values = true)]
    drives: Vec<String>,
    /// A test; may be repeated; none: all
    #[arg(long = "test", value_name = "TEST", value_enum)]
    tests: Vec<Test>,
    /// Settings for what kind of drive: PTS-C with the write cache on, 75 % of the drive and 2 × 16
    /// commands outstanding, or PTS-E with it off, all of the drive and 4 × 32
    #[arg(long, value_enum, default_value_t = Class::Client)]
    class: Class,
    /// Make the standard's minute N times shorter; 1 is the standard as it is; by default what suits
    /// the drive's capacity
    #[arg(long, value_name = "N", value_parser = scale)]
    scale: Option<Scale>,
    /// Change a number of the drive files, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    shrink: ShrinkOption,
    #[command(flatten)]
    testbed: TestbedOption,
    /// Continue interrupted tests: finished drives are taken from their directory, if model version, seed,
    /// tests, scale, test machine and drive file are the same
    #[arg(long)]
    resume: bool,
    /// Directory for results.json and index.html
    #[arg(long, value_name = "DIR", default_value = "ftlab-pts")]
    out: PathBuf,
    #[command(flatten)]
    work: Work,
}

/// A test of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Test {
    /// Random accesses, seven mixes by eight sizes
    Iops,
    /// Accesses in order, 1024 and 128 KiB
    Throughput,
    /// One command at a time, three mixes by three sizes
    Latency,
    /// Write saturation: random writes from a purged drive on
    Wsat,
    /// Host idle recovery: random writes with pauses
    Hir,
    /// Cross-stimulus recovery: writes in order, at random, in order
    Xsr,
}

impl Test {
    const fn of_standard(self) -> pts::Test {
        match self {
            Test::Iops => pts::Test::Iops,
            Test::Throughput => pts::Test::Throughput,
            Test::Latency => pts::Test::Latency,
            Test::Wsat => pts::Test::WriteSaturation,
            Test::Hir => pts::Test::HostIdleRecovery,
            Test::Xsr => pts::Test::CrossStimulusRecovery,
        }
    }
}

/// What kind of drive the settings are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Class {
    /// PTS-C
    Client,
    /// PTS-E
    Enterprise,
}

fn scale(text: &str) -> Result<Scale, String> {
    let number: Result<f64, _> = text.parse();
    number
        .ok()
        .and_then(Scale::of)
        .ok_or_else(|| "give a number from 1 on; 1 is the standard as it is".to_owned())
}

/// The tests' part of their session.
struct Testing(Folder);

impl Command for Testing {
    fn leave(&self, set: &ResultSet) -> Result<String, Failure> {
        results::write(&self.0, set)?;
        Ok(results::places(self.0.path()))
    }
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let batch = pts(options, catalog)?.batch()?;
    let folder = results::folder(&options.out)?;
    let drives = 0..batch.cells().len();
    let cache = results::cache(&folder, options.resume, catalog)?;
    let session = Session::new(
        batch,
        Some(cache),
        Testing(folder),
        "drives",
        options.work.signs.shares(),
    );
    let (ends, kept) = session.run(&options.work)?;
    if let Some(error) = ends.error(drives) {
        return Err(Arc::clone(error).into());
    }
    let set = session.batch.set(&ends, INTERRUPTED);
    let places = session.command.leave(&set)?;
    let width = usize::from(screen::width());
    let tables = ftlab_report::terminal::render(&set, width, screen::has_colours());
    screen::print_in_colours(&format!("{tables}\n{places}"))?;
    kept
}

fn pts(options: &Options, catalog: &Catalog) -> Result<Pts, Failure> {
    let mut tests: Vec<pts::Test> = Vec::new();
    for test in options.tests.iter().map(|test| test.of_standard()) {
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    if tests.is_empty() {
        tests = pts::Test::ALL.to_vec();
    }
    Ok(Pts {
        drives: drives(options, catalog)?,
        tests,
        settings: match options.class {
            Class::Client => CLIENT,
            Class::Enterprise => ENTERPRISE,
        },
        scale: options.scale,
        testbed: options.testbed.load()?,
        seed: options.work.root(),
    })
}

fn drives(options: &Options, catalog: &Catalog) -> Result<Vec<Subject>, Failure> {
    let drives = load(catalog, &options.drives, &options.settings)?;
    if let Some(file) = drives.iter().find(|file| file.kind() != Kind::Ssd) {
        return Err(Failure::Input(format!(
            "{} has no flash, and the specification is for solid-state storage; leave it out, or run \
             its tests with ftlab review",
            file.slug()
        )));
    }
    let drives = drives.into_iter().map(Subject::from).collect();
    options.shrink.fit(drives, options.work.signs)
}

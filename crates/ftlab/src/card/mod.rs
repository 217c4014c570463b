//! `ftlab card`: a drive as other programs read it.

mod configured;
mod measured;

use crate::drives;
use crate::failure::{Failure, Outcome};
use crate::files::NewFile;
use crate::options::{OutputFormat, TestbedOption, Work, choice, state};
use crate::screen;
use crate::shrink::ShrinkOption;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use ftlab_bench::cards::Setting;
use ftlab_card::{Off, Planes, TARGETS, Target, Unit, Way};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::{Lab, Subject};
use ftlab_states::State;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size of the form in which a larger drive runs: as predictions have it.
const MEASURED_BYTES: u64 = 16_000_000_000;

const EXAMPLES: &str = "\
Examples:
  ftlab card --for json samsung-980-pro-1000 --out drive.json
  ftlab card --for json generic-mlc-8 --sizes 4k,8k --depths 1,32 --reads 100
  ftlab card --for iocost intel-dc-s3700-200 --state steady-fast --out iocost.sh
  ftlab card --for seastar micron-7450-max-800 > io_properties.yaml
  ftlab card --for simple intel-x25-m-g2-80
  ftlab card --for femu samsung-pm9a3-960 --unit slot --out femu.sh
  ftlab card --for nvmevirt samsung-pm9a3-960 --out ssd_config.h
  ftlab card --for mqsim samsung-pm9a3-960 --shrink-to 16g --unit slot \\
      --load 'rw=randwrite bs=4k iodepth=32 number_ios=300k' --filled --out m

json, iocost, seastar and simple hold figures: the drive runs loads, each from
the state. A drive of more than 16 GB runs in a form of that size; --shrink-to
gives another one. Each card says how far its form is off: what follows from
its numbers under other loads, beside what the model gives.

mqsim, femu and nvmevirt hold the drive's numbers as those programs have them.
What they have no key for is listed, first what decides speed; so is what was
assumed because no drive file says it. `ftlab import` reads such files, and
cards for femu and nvmevirt say how far the drive that it makes of them is off.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file
    #[arg(value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// The program that reads the card
    #[arg(long = "for", value_name = "PROGRAM", value_parser = names())]
    target: String,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    shrink: ShrinkOption,
    /// State of the drive before each load that runs; by default filled
    #[arg(long, value_parser = state())]
    state: Option<State>,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    axes: measured::Axes,
    #[command(flatten)]
    load: configured::LoadOptions,
    /// What becomes a page, where the simulator maps by pages of the flash; by default page
    #[arg(long, value_parser = choice([
        ("page", Unit::Page, "pages of the flash stay; small writes take a whole one"),
        ("slot", Unit::Slot, "slots of the map; each takes its part of a program"),
    ]))]
    unit: Option<Unit>,
    /// What becomes of the planes of a die, where the simulator programs several together only if their writes meet; by
    /// default apart
    #[arg(long, value_parser = choice([
        ("apart", Planes::Apart, "they stay"),
        ("joined", Planes::Joined, "they are one, which programs as fast as all of them together and reads one page at a time"),
    ]))]
    planes: Option<Planes>,
    /// File to write to, or folder for mqsim, which has several; without it the card is printed
    #[arg(long, value_name = "FILE|FOLDER")]
    out: Option<PathBuf>,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
    #[command(flatten)]
    work: Work,
}

fn names() -> PossibleValuesParser {
    let of = |target: &Target| PossibleValue::new(target.name).help(target.about);
    PossibleValuesParser::new(TARGETS.iter().map(of))
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let target = Target::named(&options.target);
    let target = target.expect("clap knows the names of all targets alone");
    refuse_what_has_no_place(options, target)?;
    let drive = catalog.load(&options.drive, &options.settings)?;
    match target.way {
        Way::Drive { write, back } => configured::command(options, target, (write, back), drive),
        Way::Figures(form) => measured::command(options, form, drive),
    }
}

/// Refuses an option that says nothing to this target.
fn refuse_what_has_no_place(options: &Options, target: &Target) -> Outcome {
    let axes = &options.axes;
    let load = &options.load;
    let given: [(bool, &str, &[&str]); 9] = [
        (axes.sizes.is_some(), "--sizes", &["json", "simple"]),
        (axes.depths.is_some(), "--depths", &["json", "simple"]),
        (axes.reads.is_some(), "--reads", &["json", "simple"]),
        (load.job.is_some(), "--job", &["mqsim"]),
        (load.load.is_some(), "--load", &["mqsim"]),
        (load.filled, "--filled", &["mqsim"]),
        (options.unit.is_some(), "--unit", &["mqsim", "femu"]),
        (options.planes.is_some(), "--planes", &["mqsim", "femu"]),
        (
            options.state.is_some(),
            "--state",
            &["json", "iocost", "seastar", "simple", "femu", "nvmevirt"],
        ),
    ];
    let misplaced = given
        .iter()
        .find(|(given, _, takers)| *given && !takers.contains(&target.name));
    match misplaced {
        None => Ok(()),
        Some((_, option, takers)) => Err(Failure::Input(format!(
            "{option} says nothing to --for {}; it is for {}: leave it out",
            target.name,
            takers.join(", ")
        ))),
    }
}

/// The one file of a card: where it goes, looked at before any work is done; none for the terminal.
fn ready(options: &Options) -> Result<Option<NewFile>, Failure> {
    let Some(path) = &options.out else {
        return Ok(None);
    };
    if path.is_file() && !options.force {
        return Err(is_there(path, "--out"));
    }
    Ok(Some(NewFile::ready(path, "--out")?))
}

fn is_there(path: &Path, option: &str) -> Failure {
    Failure::Input(format!(
        "{} is there already; write over it with --force, or give another {option}",
        path.display()
    ))
}

/// The drive in the size that runs.
fn subject(options: &Options, drive: DriveFile) -> Result<Arc<Subject>, Failure> {
    let signs = options.work.signs;
    let drives = vec![Subject::from(drive)];
    let mut drives = options.shrink.fit_or(drives, MEASURED_BYTES, signs)?;
    Ok(Arc::new(drives.remove(0)))
}

/// What decides figures beside the loads.
fn setting(options: &Options, drive: DriveFile) -> Result<Setting, Failure> {
    let machine = options.testbed.load_for(&drive)?;
    Ok(Setting {
        subject: subject(options, drive)?,
        machine: Arc::new(machine),
        state: options.state.unwrap_or(State::Filled),
        seed: options.work.root(),
    })
}

/// Threads and memory of this machine.
fn lab(options: &Options) -> Result<Lab, Failure> {
    let machine = &options.work.machine;
    Ok(Lab::new(machine.threads(), machine.memory_bytes())?)
}

/// A table of how far a card's form is off.
fn off_table(off: &[Off]) -> String {
    let mut table = screen::table(&["off in", "median", "worst", "worst load", "of", "over"]);
    for off in off {
        table.add_row([
            &off.figure,
            &format!("{:.1} %", off.median_pct),
            &format!("{:.1} %", off.worst_pct),
            &off.worst_load,
            &off.compared.to_string(),
            &off.loads,
        ]);
    }
    screen::lines(table)
}

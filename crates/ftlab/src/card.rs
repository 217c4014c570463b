//! `ftlab card`: a drive and a load as the files of another simulator.

use crate::drives;
use crate::failure::{Failure, Outcome};
use crate::files::{self, Folder};
use crate::options::{OutputFormat, choice};
use crate::screen;
use crate::shrink::ShrinkOption;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use ftlab_card::{Asked, Card, Dropped, Planes, Row, TARGETS, Target, Unit};
use ftlab_drive::Catalog;
use ftlab_workload::JobFile;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlab card --for mqsim generic-mlc-8 --out mqsim
  ftlab card --for mqsim samsung-pm9a3-960 --shrink-to 16g --unit slot \\
      --load 'rw=randwrite bs=4k iodepth=32 number_ios=300k' --filled --out m
  ftlab card --for mqsim ./my-drive.toml --set spare.op=28% --job job.fio \\
      --out mqsim

What the other program has no key for is listed, first what decides speed; so
is what was assumed because no drive file says it. The files say it, too.
`ftlab import mqsim` reads such files.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file
    #[arg(value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// The simulator
    #[arg(long = "for", value_name = "SIMULATOR", value_parser = names())]
    target: String,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    shrink: ShrinkOption,
    /// A job file in fio's words whose jobs are the load
    #[arg(long, value_name = "FILE", conflicts_with = "load")]
    job: Option<PathBuf>,
    /// The load as words of a job, for example 'rw=randread bs=4k iodepth=4 number_ios=100k'
    #[arg(long, value_name = "WORDS")]
    load: Option<String>,
    /// The drive holds data before the load runs; else it is new
    #[arg(long)]
    filled: bool,
    /// What becomes a page, where the simulator maps by pages of the flash
    #[arg(long, default_value = "page", value_parser = choice([
        ("page", Unit::Page, "pages of the flash stay; small writes take a whole one"),
        ("slot", Unit::Slot, "slots of the map; each takes its part of a program"),
    ]))]
    unit: Unit,
    /// What becomes of the planes of a die, where the simulator programs several together only if their writes meet
    #[arg(long, default_value = "apart", value_parser = choice([
        ("apart", Planes::Apart, "they stay"),
        ("joined", Planes::Joined, "they are one, which programs as fast as all of them together and reads one page at a time"),
    ]))]
    planes: Planes,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

fn names() -> PossibleValuesParser {
    let of = |target: &Target| PossibleValue::new(target.name).help(target.about);
    PossibleValuesParser::new(TARGETS.iter().map(of))
}

/// What was written, as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    files: Vec<String>,
    written: &'a [Row],
    assumed: &'a [Row],
    dropped: &'a [Dropped],
    remarks: &'a [String],
}

pub fn command(options: &Options) -> Outcome {
    let target = TARGETS.iter().find(|target| target.name == options.target);
    let target = target.expect("clap knows the names of all targets alone");
    let drive = Catalog::load(&options.drive, &options.settings)?;
    let drive = options.shrink.shrunk(drive)?;
    let load = load(options)?;
    let asked = Asked {
        drive: &drive,
        load: load.as_ref().map(|(name, jobs)| (name.as_str(), jobs)),
        filled: options.filled,
        unit: options.unit,
        planes: options.planes,
    };
    let card = (target.write)(&asked)?;
    let paths = written(options, &card)?;
    let report = Report {
        files: paths,
        written: &card.written,
        assumed: &card.assumed,
        dropped: &card.dropped,
        remarks: &card.remarks,
    };
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(target.program, &report),
        OutputFormat::Json => screen::json(&report)?,
    })
}

/// The jobs of a load and the name of their file, if one was given.
fn load(options: &Options) -> Result<Option<(String, JobFile)>, Failure> {
    let (name, path, text) = match (&options.job, &options.load) {
        (Some(path), _) => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            (name, path.as_path(), files::read(path, "a job file")?)
        }
        (None, Some(words)) => {
            let words: Vec<&str> = words.split_whitespace().collect();
            let text = format!("[load]\n{}\n", words.join("\n"));
            ("--load".to_owned(), Path::new("--load"), text)
        }
        (None, None) => return Ok(None),
    };
    let jobs = files::guarded(path, || Ok(JobFile::parse(&text, &name)?))?;
    Ok(Some((name, jobs)))
}

/// Writes the files, all or none, and returns their paths.
fn written(options: &Options, card: &Card) -> Result<Vec<String>, Failure> {
    let folder = Folder::ready(&options.out)?;
    let there = card
        .files
        .iter()
        .find(|(name, _)| folder.join(name).exists());
    if let Some((name, _)) = there.filter(|_| !options.force) {
        return Err(Failure::Input(format!(
            "{} is there already; write over it with --force, or give another --out",
            folder.join(name).display()
        )));
    }
    let files: Vec<(&str, &[u8])> = (card.files.iter())
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    folder.write(&files)?;
    let paths = card.files.iter();
    let paths = paths.map(|(name, _)| folder.join(name).display().to_string());
    Ok(paths.collect())
}

fn normal(program: &str, report: &Report<'_>) -> String {
    let mut text = String::new();
    for path in &report.files {
        let _ = writeln!(text, "wrote {path}");
    }
    for decides in [true, false] {
        let title = match decides {
            true => "dropped, decides speed",
            false => "dropped, decides no speed",
        };
        let mut table = screen::table(&[title, "value", "why"]);
        for row in report
            .dropped
            .iter()
            .filter(|row| row.decides_speed == decides)
        {
            table.add_row([&row.key, &row.value, &row.why]);
        }
        if table.row_count() > 0 {
            text += &format!("\n{}", screen::lines(table));
        }
    }
    let mut assumed = screen::table(&["assumed", "value", "why"]);
    for row in report.assumed {
        assumed.add_row([&row.key, &row.value, &row.note]);
    }
    let mut written = screen::table(&[program, "value", "from", "note"]);
    for row in report.written {
        written.add_row([&row.key, &row.value, &row.from.join(", "), &row.note]);
    }
    text += &format!("\n{}\n{}", screen::lines(assumed), screen::lines(written));
    if !report.remarks.is_empty() {
        text += "\nalso different\n";
    }
    for remark in report.remarks {
        let _ = writeln!(text, "  {remark}");
    }
    text
}

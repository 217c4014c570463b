//! `ftlab calibrate`: a drive file fitted to what was measured on a drive, or made from its data sheet.

use crate::failure::{Failure, Outcome};
use crate::files::{self, NewFile};
use crate::options::{self, OutputFormat, TestbedOption};
use crate::{drives, screen};
use clap::Args;
use comfy_table::{Cell, CellAlignment, Table};
use ftlab_bench::calibrate::{
    Calibrated, Fitted, Measured, MeasuredWa, Pinned, PinnedBy, Sheet, calibrate, from_sheet,
};
use ftlab_drive::Catalog;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Letters of a line of keys.
const LINE_LETTERS: usize = 110;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab calibrate --sheet my-nvme.sheet.toml --out my-nvme.toml
  ftlab calibrate ./my-nvme.toml --fio seqwrite.json --fio randread.json \\
      --fio randwrite.json --out fitted.toml
  ftlab calibrate generic-dc-tlc-1920 --wa 3.1 --used 90 --fio seqwrite.json \\
      --out my-nvme.toml

A data sheet makes the whole drive: its class, with the numbers that what is
announced pins. docs/guides/model-my-nvme.md shows such a file. Figures that are
measured can be fitted after it, or to a drive that there is. Each sets one
number, in this order. --wa sets nand.blocks_per_die, by
the closed form of write amplification. Sequential writes (rw=write, bs=64k or
more) set nand.t_program. Single reads and writes (rw=randread or randwrite,
iodepth=1) set firmware.read_pipeline and firmware.write_pipeline. Write the
drive once from end to end before you measure it.")]
pub struct Options {
    /// The drive to begin with: one of `ftlab drives`, or a path to a drive file
    #[arg(value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true, required_unless_present = "sheet")]
    drive: Option<String>,
    /// What the maker's data sheet says: a file with `kind = "sheet"`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["drive", "settings"])]
    sheet: Option<PathBuf>,
    /// Output of `fio --output-format=json` for one job; may be repeated
    #[arg(long = "fio", value_name = "FILE", required_unless_present_any = ["wa", "sheet"])]
    fio: Vec<PathBuf>,
    /// Write amplification of random writes of one slot, when it is steady: bytes programmed over bytes written
    #[arg(long, value_name = "WA", value_parser = options::number(1.0, 1e3))]
    wa: Option<f64>,
    /// How much of the drive was in use for that, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0, requires = "wa", value_parser = options::number(1.0, 100.0))]
    used: f64,
    /// Change a number of the drive file first, for example nand.channels=8; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The name of the drive; by default that of the drive to begin with
    #[arg(long)]
    name: Option<String>,
    /// The drive file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    testbed: TestbedOption,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let sheet = options.sheet.as_deref().map(sheet).transpose()?;
    let base = match &options.drive {
        Some(drive) => Some(catalog.load(drive, &options.settings)?),
        None => None,
    };
    let out = NewFile::ready(&options.out, "--out")?;
    let mut figures = Vec::new();
    for path in &options.fio {
        let text = files::read(path, "what `fio --output-format=json` wrote")?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let read = || Ok(Measured::read(&name.to_string_lossy(), &text)?);
        figures.push(files::guarded(path, read)?);
    }
    let wa = options.wa.map(|wa| MeasuredWa {
        wa,
        used: options.used / 100.0,
    });
    let announced = sheet.as_ref().map(|sheet| from_sheet(sheet, catalog));
    let announced = announced.transpose()?;
    let base = base.or(announced.as_ref().map(|made| made.file.clone()));
    let base = base.expect("a drive or a sheet is required");
    let made = if figures.is_empty() && wa.is_none() {
        None
    } else {
        let name = options.name.as_deref().unwrap_or(base.name());
        let testbed = options.testbed.load_for(&base)?;
        Some(calibrate(&base, name, wa, &figures, &testbed)?)
    };
    let steps: Vec<&Calibrated> = announced.iter().chain(&made).collect();
    out.write(steps.last().expect("one of them").text.as_bytes())?;
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(&steps, options),
        OutputFormat::Json => screen::json(&Report::of(&steps, options))?,
    })
}

/// Reads a data sheet.
fn sheet(path: &Path) -> Result<Sheet, Failure> {
    let text = files::read(path, "a data sheet")?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let read = || Ok(Sheet::parse(&name.to_string_lossy(), &text)?);
    files::guarded(path, read)
}

/// The calibration as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    drive: String,
    fitted: Vec<&'a Fitted>,
    contradictions: Vec<&'a str>,
    remarks: Vec<&'a str>,
    pinned: Vec<&'a Pinned>,
}

impl Report<'_> {
    fn of<'a>(steps: &[&'a Calibrated], options: &Options) -> Report<'a> {
        fn all<'a, T>(steps: &[&'a Calibrated], of: fn(&'a Calibrated) -> &'a [T]) -> Vec<&'a T> {
            steps.iter().flat_map(|step| of(step)).collect()
        }
        let texts = |of: fn(&Calibrated) -> &[String]| {
            let texts = steps.iter().flat_map(|step| of(step));
            texts.map(String::as_str).collect()
        };
        Report {
            drive: options.out.display().to_string(),
            fitted: all(steps, |step| &step.fitted),
            contradictions: texts(|step| &step.contradictions),
            remarks: texts(|step| &step.remarks),
            pinned: all(steps, |step| &step.pinned),
        }
    }
}

fn normal(steps: &[&Calibrated], options: &Options) -> String {
    let mut text = String::new();
    for step in steps {
        let is_sheet = !step.pinned.is_empty();
        text += &screen::lines(table(step, is_sheet));
        for why in &step.contradictions {
            text += &format!("\ncontradiction: {why}\n");
        }
        for remark in &step.remarks {
            text += &format!("\n{remark}\n");
        }
        if is_sheet {
            text += &format!("\n{}", pinned(&step.pinned));
        }
        text += "\n";
    }
    text + &format!("wrote {}\n", options.out.display())
}

/// What pins which number, in three lists.
fn pinned(pinned: &[Pinned]) -> String {
    let list = |by: PinnedBy, words: &str| {
        let keys: Vec<&str> = pinned
            .iter()
            .filter(|number| number.by == by)
            .map(|number| number.key.as_str())
            .collect();
        folded(&format!("{words}:"), &keys)
    };
    [
        list(PinnedBy::Sheet, "pinned by the sheet"),
        list(PinnedBy::Class, "pinned by the class"),
        list(
            PinnedBy::Nothing,
            "pinned by nothing, as the class assumes it",
        ),
    ]
    .concat()
}

/// Words in lines, a comma behind each but the last.
fn folded(head: &str, words: &[&str]) -> String {
    let (mut text, mut line) = (String::new(), head.to_owned());
    for (n, word) in words.iter().enumerate() {
        let comma = if n + 1 < words.len() { "," } else { "" };
        if line.len() + word.len() > LINE_LETTERS {
            text += &format!("{line}\n");
            line = " ".to_owned();
        }
        line += &format!(" {word}{comma}");
    }
    text + &line + "\n"
}

fn table(step: &Calibrated, is_sheet: bool) -> Table {
    let header = [
        "figure",
        if is_sheet { "announced" } else { "measured" },
        "model before",
        "now",
        "number",
        "was",
        "is",
    ];
    let mut table = screen::table(&header);
    for row in &step.fitted {
        let [name, unit] = row.figure;
        // A ratio has no unit that could be shown.
        let with_unit = |value: f64, unit: &str| match unit {
            "" | "1" => screen::short(value),
            unit => format!("{} {unit}", screen::short(value)),
        };
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let was = row
            .was
            .map_or("–".to_owned(), |was| with_unit(was, row.unit));
        table.add_row([
            Cell::new(name),
            right(with_unit(row.measured, unit)),
            right(with_unit(row.model[0], unit)),
            right(with_unit(row.model[1], unit)),
            Cell::new(row.key),
            right(was),
            right(with_unit(row.is, row.unit)),
        ]);
    }
    table
}

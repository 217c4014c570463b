//! `ftlab calibrate`: a drive file fitted to what was measured on a drive.

use crate::failure::Outcome;
use crate::files::{self, NewFile};
use crate::options::{self, OutputFormat, TestbedOption};
use crate::{drives, screen};
use clap::Args;
use comfy_table::{Cell, CellAlignment};
use ftlab_bench::calibrate::{Calibrated, Fitted, Measured, MeasuredWa, calibrate};
use ftlab_drive::Catalog;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab calibrate ./my-nvme.toml --fio seqwrite.json --fio randread.json \\
      --fio randwrite.json --out fitted.toml
  ftlab calibrate generic-dc-tlc-1920 --wa 3.1 --used 90 --fio seqwrite.json \\
      --out my-nvme.toml

Each figure sets one number, in this order. --wa sets nand.blocks_per_die, by
the closed form of write amplification. Sequential writes (rw=write, bs=64k or
more) set nand.t_program. Single reads and writes (rw=randread or randwrite,
iodepth=1) set firmware.read_pipeline and firmware.write_pipeline. Write the
drive once from end to end before you measure it.")]
pub struct Options {
    /// The drive to begin with: one of `ftlab drives`, or a path to a drive file
    #[arg(value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// Output of `fio --output-format=json` for one job; may be repeated
    #[arg(long = "fio", value_name = "FILE", required_unless_present = "wa")]
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

pub fn command(options: &Options) -> Outcome {
    let base = Catalog::load(&options.drive, &options.settings)?;
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
    let name = options.name.as_deref().unwrap_or(base.name());
    let testbed = options.testbed.load_for(&base)?;
    let made = calibrate(&base, name, wa, &figures, &testbed)?;
    out.write(made.text.as_bytes())?;
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(&made, options),
        OutputFormat::Json => screen::json(&Report {
            drive: options.out.display().to_string(),
            fitted: &made.fitted,
        })?,
    })
}

/// The calibration as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    drive: String,
    fitted: &'a [Fitted],
}

/// Formats a value with about four digits.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

fn normal(made: &Calibrated, options: &Options) -> String {
    let header = [
        "figure",
        "measured",
        "model before",
        "now",
        "number",
        "was",
        "is",
    ];
    let mut table = screen::table(&header);
    for row in &made.fitted {
        let [name, unit] = row.figure;
        // A ratio has no unit that could be shown.
        let with_unit = |value: f64, unit: &str| match unit {
            "" | "1" => short(value),
            unit => format!("{} {unit}", short(value)),
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
    let out = options.out.display();
    format!("{}\nwrote {out}\n", screen::lines(table))
}

//! `ftlab predict`: what a drive will give that is known by its data sheet, with a range, kept before a figure is read.

use crate::failure::{Failure, Outcome};
use crate::files::{self, Folder};
use crate::options::Machine;
use crate::progress::Signs;
use crate::run::wall::Time;
use crate::screen;
use clap::Args;
use comfy_table::{Cell, CellAlignment};
use ftlab_bench::forecast::{self, Forecast, Request, Residuals, Row};
use ftlab_drive::Catalog;
use ftlab_lab::Lab;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab predict my-nvme.toml
  ftlab predict my-nvme.toml other.toml --out predictions --members 40

A SHEET is what `ftlab calibrate --sheet` reads, with tables that say what is to
be predicted:

  [[predict]]
  job = \"nvme-randread-4k-qd1.fio\"  a job of ftlab, or a file beside the sheet
  state = \"filled\"                the drive before it; else it is new
  metric = \"read.iops\"            or write.p99, slc_gb, mean_mb_s …
  testbed = \"spdk-2024\"           else the machine of the drive's time

Members of the drive's class run each job, with all that the sheet pins. The
range is that of the middle four fifths of them, wider by what the model is off
by on drives that are known. It goes to DIR/DATE-SHEET.csv, and a prediction
that is there is not replaced.")]
pub struct Options {
    /// Data sheets with the figures to predict
    #[arg(required = true, value_name = "SHEET")]
    sheets: Vec<PathBuf>,
    /// Members of the drive's class that are run
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    members: u32,
    /// Directory for the predictions
    #[arg(long, value_name = "DIR", default_value = "predictions")]
    out: PathBuf,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    signs: Signs,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let date = Time::now().day();
    let requests = options.sheets.iter().map(|path| request(path));
    let requests: Vec<Request> = requests.collect::<Result<_, _>>()?;
    let folder = Folder::ready(&options.out)?;
    let name = |request: &Request| format!("{date}-{}.csv", request.slug);
    for (n, request) in requests.iter().enumerate() {
        let path = folder.join(&name(request));
        if path.exists() {
            return Err(Failure::Input(format!(
                "{} is there, and a prediction is not replaced; give another directory with --out",
                path.display()
            )));
        }
        if requests[..n].iter().any(|other| other.slug == request.slug) {
            return Err(Failure::Input(format!(
                "two sheets are called {}: each needs a name of its own",
                request.slug
            )));
        }
    }
    let residuals = Residuals::shipped();
    let lab = Lab::new(options.machine.threads(), options.machine.memory_bytes())?;
    let mut text = String::new();
    for request in &requests {
        let progress = options.signs.spinner(&request.slug);
        let made = forecast::forecast(request, catalog, options.members, &date, &residuals, &lab)?;
        progress.clear();
        let name = name(request);
        if !made.rows.is_empty() {
            folder.write(&[(&name, forecast::text(&made.rows).as_bytes())])?;
        }
        text += &shown(request, &made, &folder.join(&name));
    }
    screen::print(&text)
}

/// Reads a sheet.
fn request(path: &Path) -> Result<Request, Failure> {
    let text = files::read(path, "a data sheet")?;
    files::guarded(path, || Ok(Request::parse(path, &text)?))
}

fn shown(request: &Request, made: &Forecast, path: &Path) -> String {
    let mut table = screen::table(&["figure", "middle", "low", "high", "unit"]);
    for row in &made.rows {
        let Row {
            id, unit, middle, ..
        } = row;
        let numbers = [*middle, row.low, row.high].map(screen::short);
        let id = id
            .strip_prefix(&request.slug)
            .unwrap_or(id)
            .trim_start_matches(':');
        let mut cells = vec![Cell::new(id)];
        cells.extend(numbers.map(|text| Cell::new(text).set_alignment(CellAlignment::Right)));
        cells.push(Cell::new(unit));
        table.add_row(cells);
    }
    let mut text = format!("# {}\n{}", request.slug, screen::lines(table));
    for why in made.remarks.iter().chain(&made.lacking) {
        text += &format!("\n{why}\n");
    }
    match made.rows.is_empty() {
        true => text + "\nnothing is predicted, and no file was written\n\n",
        false => text + &format!("\nwrote {}\n\n", path.display()),
    }
}

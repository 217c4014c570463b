//! `ftlab endurance`: a drive written to its end.

mod page;

use crate::failure::{Failure, Outcome};
use crate::files::{self, NewFile};
use crate::health::{bars, smart_table};
use crate::options::{self, OutputFormat, TestbedOption};
use crate::progress::Signs;
use crate::{drives, plan, provenance, screen};
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_base::amount::{decimal, three_digits};
use ftlab_bench::endurance::{self, Announced, CLIENT, Daily, Lived, Rated, Report, ScaleRow, Way};
use ftlab_drive::Catalog;
use ftlab_workload::JobFile;
use std::path::PathBuf;

/// Bytes of a terabyte and a gigabyte.
const TB: f64 = 1e12;
const GB: f64 = 1e9;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab endurance --drive intel-x25-m-g1-80
  ftlab endurance --drive intel-x25-m-g1-80 jobs/uniform-random-4k.fio \\
      --per-day 20GB --years 5
  ftlab endurance --drive generic-mlc-8 --set reliability.median_cycles=9000 \\
      --programs 1e9
  ftlab endurance --drive intel-x25-m-g1-80 --html life.html

The writes of the job are repeated until the drive takes no more. So that a life
takes a minute, the drive is made smaller and its blocks shorter-lived in
proportion. The scale is printed, and all bytes and years are those of the full
drive. Regions of the job shrink with the drive, unless they are percentages.")]
pub struct Options {
    /// A drive of `ftlab drives`, or a path to a drive file; it needs a section `[reliability]`
    #[arg(long, value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// A fio job file; a client's writes if left out
    #[arg(value_name = "LOAD")]
    load: Option<PathBuf>,
    /// Bytes that the host writes per day, for example 50GB or 2TB
    #[arg(long, value_name = "BYTES", default_value = "100GB", allow_hyphen_values = true, value_parser = per_day)]
    per_day: PerDay,
    /// Years that the drive should last, for example 5 or 5y
    #[arg(long, visible_alias = "life", default_value = "5y", value_parser = plan::years)]
    years: f64,
    /// Degrees Celsius at which the data age
    #[arg(long, visible_alias = "rest-celsius", value_name = "DEGREES", default_value_t = 40.0, allow_negative_numbers = true,
        value_parser = options::number(-100.0, 200.0))]
    celsius: f64,
    /// Pages programmed in a life at most, as far as the drive can be scaled
    #[arg(long, default_value_t = 1.5e8, value_parser = options::number(1.0, 1e12))]
    programs: f64,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Root of every random stream: the same seed gives the same life
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = options::seed)]
    seed: u64,
    /// Write a page of the answer and its charts; only of a life that is simulated
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    signs: Signs,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// An amount per day.
#[derive(Debug, Clone, Copy)]
struct PerDay {
    bytes: f64,
    /// Written as a bare number of gigabytes, as it was before amounts had units here.
    is_bare: bool,
}

fn per_day(text: &str) -> Result<PerDay, String> {
    if text.trim().parse::<f64>().is_ok() {
        let gb = options::number(0.001, 1e9)(text)?;
        return Ok(PerDay {
            bytes: gb * GB,
            is_bare: true,
        });
    }
    Ok(PerDay {
        bytes: plan::bytes_per_day(text)?,
        is_bare: false,
    })
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    if options.per_day.is_bare {
        let gb = options.per_day.bytes / GB;
        screen::say(&format!(
            "note: --per-day {gb} is read as {gb}GB; write the unit\n"
        ));
    }
    let (job_name, job_text) = match &options.load {
        Some(path) => (
            path.display().to_string(),
            files::read(path, "a fio job file")?,
        ),
        None => (CLIENT.0.to_owned(), CLIENT.1.to_owned()),
    };
    let job = JobFile::parse(&job_text, &job_name)?;
    let drive = catalog.load(&options.drive, &options.settings)?;
    let testbed = options.testbed.load_for(&drive)?;
    let daily = Daily {
        bytes: options.per_day.bytes,
        celsius: options.celsius,
    };
    let plan = match Way::of(&drive, options.programs, daily, options.years)? {
        Way::Simulated(plan) => plan,
        Way::Known(_) if options.html.is_some() => {
            return Err(Failure::Input(
                "--html: the announced amount is all that is known of this drive, and there is no life to draw".to_owned(),
            ));
        }
        Way::Known(rated) => return print_rated(*rated, options),
    };
    let html = options.html.as_deref();
    let html = html
        .map(|path| NewFile::ready(path, "--html"))
        .transpose()?;
    let progress = options.signs.spinner("writing the drive to its end");
    let tell = |_: &str, lived: Option<f64>| {
        let lived = 100.0 * lived.unwrap_or_default();
        progress.say(&format!("{lived:.0} % of the median block's life"));
        Ok(())
    };
    let life = endurance::live(
        &drive,
        &job,
        &plan,
        daily,
        &testbed,
        RootSeed(options.seed),
        &tell,
    )?;
    // The line of progress ends before the report takes its place.
    drop(progress);
    let lived = Lived {
        job: job_name,
        seed: options.seed,
        daily,
        years: options.years,
    };
    let report = Report {
        provenance: Some(provenance::here()),
        ..lived.report(&drive, &plan, &life)
    };
    let text = normal(&report);
    if let Some(file) = html {
        file.write(page::render(&report, &text).as_bytes())?;
    }
    screen::print(&match options.output_format {
        OutputFormat::Normal => text,
        OutputFormat::Json => screen::json(&report)?,
    })
}

/// Prints what the announced amount alone says.
fn print_rated(rated: Rated, options: &Options) -> Outcome {
    let rated = Rated {
        provenance: Some(provenance::here()),
        ..rated
    };
    screen::print(&match options.output_format {
        OutputFormat::Normal => rated_in_words(&rated),
        OutputFormat::Json => screen::json(&rated)?,
    })
}

fn rated_in_words(rated: &Rated) -> String {
    let lasts = match rated.announced.lasts {
        true => "it lasts",
        false => "it does not last",
    };
    format!(
        "{}\n{:<24}{}\n{:<24}{lasts} {} years at {} a day\nnote: its file does not say how blocks wear, so its life is not \
             simulated; give reliability.rated_cycles, median_cycles, life_shape and erase_share, in the file or with --set\n",
        rated.drive,
        "announced amount",
        announced_words(&rated.announced),
        "verdict",
        rated.years,
        decimal(rated.per_day_gb * GB, "B"),
    )
}

fn announced_words(announced: &Announced) -> String {
    let whose = match announced.assumed {
        true => "usual in its class (no source gives its own)",
        false => "as its maker announces",
    };
    format!(
        "{} of host writes, {whose}: {} years",
        terabytes(announced.host_tb),
        three_digits(announced.years)
    )
}

fn terabytes(tb: f64) -> String {
    decimal(tb * TB, "B")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn normal(report: &Report) -> String {
    let ScaleRow {
        blocks,
        pages,
        cycles,
    } = report.scale;
    let (drive, job, seed) = (&report.drive, &report.job, report.seed);
    let mut out = format!(
        "{drive} under {job}, seed {seed}\nscale: 1/{blocks} of the blocks, 1/{pages} of the pages of a block, \
         1/{cycles} of the cycles; bytes and years are the full drive's\n\n{}\n",
        life(report)
    );
    for (name, value) in figures(report) {
        out += &format!("{name:<24}{value}\n");
    }
    if let Some(announced) = &report.announced {
        out += &format!("{:<24}{}\n", "announced amount", announced_words(announced));
    }
    out += "\nblocks by erases at the end, of the scaled drive\n";
    out += &format!("{}\n", bars(&report.wear));
    if !report.smart.is_empty() {
        out += "SMART at the end, of the full drive\n";
        out += &format!("{}\n", smart_table(&report.smart));
    }
    out
}

/// The life as a table.
fn life(report: &Report) -> String {
    let mut table = screen::table(&[
        "host writes",
        "WA",
        "rated cycles used",
        "over-worn blocks",
        "bad blocks",
        "spare left",
    ]);
    for row in &report.life {
        table.add_row([
            terabytes(row.host_tb),
            format!("{:.3}", row.wa),
            percent(row.worn_share),
            percent(row.over_worn_share),
            percent(row.bad_share),
            percent(row.spare_share),
        ]);
    }
    screen::lines(table)
}

/// Figures of the life by their names.
fn figures(report: &Report) -> [(String, String); 9] {
    // What was seen at a look happened after the one before.
    let within = |after: Option<f64>, by: Option<f64>| match (after, by) {
        (Some(after), Some(by)) => format!("between {} and {}", terabytes(after), terabytes(by)),
        _ => "never".to_owned(),
    };
    let (wear, then) = (&report.wear, &report.then);
    let failed = format!(
        "{} in an erase, {} in a program, {} from the factory, of {}",
        wear.erase_failed_blocks, wear.program_failed_blocks, wear.factory_bad_blocks, wear.blocks
    );
    let reads = format!(
        "{} retries, {} uncorrectable, {} made good from parity",
        wear.read_retries, report.unreadable, wear.made_good
    );
    let lasts = match report.lasts {
        true => "it lasts",
        false => "it does not last",
    };
    let lived = three_digits(report.lived_years);
    let asked = report.years;
    let then = format!(
        "{} of the rated cycles used, {} of the blocks over-worn, {} bad, {} of the spare left",
        percent(then.worn_share),
        percent(then.over_worn_share),
        percent(then.bad_share),
        percent(then.spare_share)
    );
    let per_day = format!("{} a day", decimal(report.per_day_gb * GB, "B"));
    [
        (
            "host writes",
            format!("{} until the end", terabytes(report.host_tb)),
        ),
        (
            "write amplification",
            format!("{:.3} over the life", report.wa),
        ),
        (
            "rated cycles used up",
            within(report.rated_after_tb, report.rated_tb),
        ),
        (
            "first bad block",
            within(report.first_bad_after_tb, report.first_bad_tb),
        ),
        ("failed blocks", failed),
        ("reads", reads),
        ("the end", report.ending.clone()),
        (
            per_day.as_str(),
            format!("{lived} years; {asked} years asked for: {lasts}"),
        ),
        ("then", then),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}

//! `ftlab endurance`: a drive written to its end.

use crate::failure::Outcome;
use crate::files;
use crate::health::{bars, smart_table};
use crate::options::{self, OutputFormat, TestbedOption};
use crate::progress::Signs;
use crate::{drives, plan, provenance, screen};
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_base::amount::{decimal, three_digits};
use ftlab_bench::endurance::{self, CLIENT, Daily, Ending, Life, Mark, Plan};
use ftlab_drive::{Catalog, DriveFile, MODEL_VERSION};
use ftlab_lab::smart_of;
use ftlab_play::record::erases;
use ftlab_result::{Erases, Provenance, SmartAttribute};
use ftlab_workload::JobFile;
use serde::Serialize;
use std::path::PathBuf;

const DAYS_A_YEAR: f64 = 365.0;

/// Rows of the table of a life.
const ROWS: usize = 16;

/// Bytes of a terabyte and a gigabyte.
const TB: f64 = 1e12;
const GB: f64 = 1e9;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab endurance intel-x25-m-g1-80
  ftlab endurance --drive intel-x25-m-g1-80 jobs/uniform-random-4k.fio \\
      --per-day 20GB --years 5
  ftlab endurance generic-mlc-8 --set reliability.median_cycles=9000 \\
      --programs 1e9

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
    #[arg(long, value_name = "BYTES", default_value = "100GB", value_parser = per_day)]
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
    #[command(flatten)]
    testbed: TestbedOption,
    #[command(flatten)]
    signs: Signs,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// A life, as JSON. Bytes are the full drive's.
#[derive(Debug, Serialize)]
struct Report {
    model_version: u32,
    provenance: Provenance,
    drive: String,
    job: String,
    seed: u64,
    scale: ScaleRow,
    per_day_gb: f64,
    years: f64,
    /// True if the drive still took writes after N years.
    lasts: bool,
    /// Years until it took no more.
    lived_years: f64,
    host_tb: f64,
    /// Host terabytes when a block had gone bad.
    first_bad_tb: Option<f64>,
    /// Host terabytes when none had yet: the drive is looked at now and then.
    first_bad_after_tb: Option<f64>,
    /// Host terabytes when the mean block had used its rated cycles.
    rated_tb: Option<f64>,
    /// Host terabytes when it had not yet.
    rated_after_tb: Option<f64>,
    wa: f64,
    unreadable: u64,
    ending: String,
    /// The drive after the years asked for, or at its end if it did not live that long.
    then: MarkRow,
    life: Vec<MarkRow>,
    /// The scaled drive's figure at its end.
    wear: Erases,
    /// The full drive's figure at its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    smart: Vec<SmartAttribute>,
}

/// By how much the drive was divided.
#[derive(Debug, Serialize)]
struct ScaleRow {
    blocks: u32,
    pages: u32,
    cycles: u32,
}

#[derive(Debug, Serialize)]
struct MarkRow {
    host_tb: f64,
    wa: f64,
    worn_share: f64,
    over_worn_share: f64,
    bad_share: f64,
    spare_share: f64,
}

impl MarkRow {
    fn of(mark: &Mark) -> MarkRow {
        MarkRow {
            host_tb: mark.host_bytes / TB,
            wa: mark.wa,
            worn_share: mark.worn_share,
            over_worn_share: mark.over_worn_share,
            bad_share: mark.bad_share,
            spare_share: mark.spare_share,
        }
    }
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

pub fn command(options: &Options) -> Outcome {
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
    let drive = Catalog::load(&options.drive, &options.settings)?;
    let testbed = options.testbed.load_for(&drive)?;
    let plan = Plan::within(&drive, options.programs)?;
    let daily = Daily {
        bytes: options.per_day.bytes,
        celsius: options.celsius,
    };
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
    let report = report(&drive, job_name, options, daily, &plan, &life);
    screen::print(&match options.output_format {
        OutputFormat::Normal => normal(&report),
        OutputFormat::Json => screen::json(&report)?,
    })
}

fn report(
    drive: &DriveFile,
    job: String,
    options: &Options,
    daily: Daily,
    plan: &Plan,
    life: &Life,
) -> Report {
    let lived_years = life.days(daily) / DAYS_A_YEAR;
    let asked_bytes = daily.bytes * options.years * DAYS_A_YEAR;
    let end = life.marks.last().expect("a life has an end");
    let then = life.at(asked_bytes).unwrap_or(end);
    let Ending::ReadOnly(ending) = life.ending.clone();
    // A life has more marks than a screen has rows; its end is always among those kept.
    let step = life.marks.len().div_ceil(ROWS);
    let kept = |n: usize| n.is_multiple_of(step) || n + 1 == life.marks.len();
    let rows = life.marks.iter().enumerate().filter(|(n, _)| kept(*n));
    Report {
        model_version: MODEL_VERSION,
        provenance: provenance::here(),
        drive: drive.slug().to_owned(),
        job,
        seed: options.seed,
        scale: ScaleRow {
            blocks: plan.scale.blocks,
            pages: plan.scale.pages,
            cycles: plan.scale.cycles,
        },
        per_day_gb: options.per_day.bytes / GB,
        years: options.years,
        lasts: lived_years >= options.years,
        lived_years,
        host_tb: life.host_bytes / TB,
        first_bad_tb: life.first_bad_bytes.map(|bytes| bytes / TB),
        first_bad_after_tb: life
            .first_bad_bytes
            .map(|bytes| life.seen_before(bytes) / TB),
        rated_tb: life.rated_bytes.map(|bytes| bytes / TB),
        rated_after_tb: life.rated_bytes.map(|bytes| life.seen_before(bytes) / TB),
        wa: life.wa,
        unreadable: life.unreadable,
        ending,
        then: MarkRow::of(then),
        life: rows.map(|(_, mark)| MarkRow::of(mark)).collect(),
        wear: erases(&end.health),
        smart: smart_of(drive, &end.of_full),
    }
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

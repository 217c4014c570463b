//! `ftlab run`: a fio job file, an application script or a trace on a drive.

mod load;
mod prepared;
mod repeats;
mod start;
mod text;
mod wall;

use crate::cli::{self, OutputFormat, TestbedOption};
use crate::failure::{Failure, Outcome};
use crate::health::smart_table;
use crate::progress::Signs;
use crate::{provenance, screen};
use clap::Args;
use ftlab_bench::repeats::REPEATS_MAX;
use ftlab_bench::review::{sheet, smart_of};
use ftlab_drive::MODEL_VERSION;
use ftlab_export::fio::{self, Wall};
use ftlab_play::driver::Clock;
use ftlab_play::states::Settling;
use ftlab_result::{Origin, ResultSet, Run, SCHEMA, SavedState, Way};
use load::Load;
use prepared::Prepared;
use repeats::Others;
use start::StartOptions;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ftlab run job.fio --drive intel-x25-m-g1-80
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used --output-format json
  ftlab run job.fio --drive generic-mlc-8 --set spare.op=28% --untimed
  ftlab run job.fio --drive intel-x25-m-g1-80 --state steady --save-state steady.state
  ftlab run job.fio --drive generic-mlc-8 --repeats 5
  ftlab run other.fio --drive intel-x25-m-g1-80 --from-state steady.state
  ftlab run scripts/multitask1-extract-photoshop.toml --drive samsung-slc-64
  ftlab run traces/atsb2011-light.toml --drive intel-520-240

Keys that only matter to a real machine (ioengine, direct, iodepth_batch, …) are accepted and listed.
An untimed run gives write amplification and wear, no latencies; it is much faster.
A saved state fits the drive it was saved of, with the same settings; the seed may differ.")]
pub struct Options {
    /// A fio job file, or an application script, a scenario or a trace (.toml)
    job: PathBuf,
    /// A drive of `ftlab drives`, or a path to a drive file
    #[arg(long)]
    drive: String,
    #[command(flatten)]
    start: StartOptions,
    /// Change a number of the drive file, for example spare.op=28%; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Without a clock: write amplification only, as fast as possible
    #[arg(long)]
    untimed: bool,
    /// Root of every random stream: the same seed gives the same run
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = cli::seed)]
    seed: u64,
    /// Make the run N times, every time with another seed that follows from the root: below what is told of the first
    /// stand means with 95 % confidence intervals
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    repeats: u32,
    #[command(flatten)]
    testbed: TestbedOption,
    /// Let the prepared drive lie without power for so many days before the job: its data age
    #[arg(long, value_name = "DAYS", default_value_t = 0.0, value_parser = cli::number(0.0, 1e6))]
    rest_days: f64,
    /// Degrees Celsius at which it lies
    #[arg(long, value_name = "DEGREES", default_value_t = 30.0, allow_negative_numbers = true,
        value_parser = cli::number(-100.0, 200.0))]
    rest_celsius: f64,
    /// Print the drive's SMART attributes after the run, as smartctl does
    #[arg(long)]
    smart: bool,
    #[command(flatten)]
    signs: Signs,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

pub fn command(options: &Options) -> Outcome {
    let load = Load::read(&options.job)?;
    let clock = match options.untimed {
        true => load.untimed()?,
        false => Clock::Timed,
    };
    let others = Others::run(options, |options| {
        let played = play(options, &load, clock)?;
        failed(&played.run)?;
        Ok(played.run.metrics)
    })?;
    let mut played = play(options, &load, clock)?;
    let seeds = others.join(&mut played.run);
    let set = set(options, &load, played.prepared, seeds, played.run);
    let run = &set.runs[0];
    let text = match options.output_format {
        OutputFormat::Normal => {
            let smart = match options.smart {
                true => format!("\n{}", smart_table(&run.smart)),
                false => String::new(),
            };
            text::render(&set, run, &played.wall) + &smart + &repeats::table(&set, run)
        }
        OutputFormat::Json => fio::render(&set, run, Some(&played.wall)),
    };
    screen::print(&text)?;
    failed(run)
}

/// A run, and what was at hand for it.
struct Played {
    prepared: Prepared,
    run: Run,
    wall: Wall,
}

fn play(options: &Options, load: &Load, clock: Clock) -> Result<Played, Failure> {
    let testbed = options.testbed.load_or(load.testbed())?;
    let mut prepared = Prepared::new(options, testbed, load, clock)?;
    let (began, running) = (wall::Time::now(), Instant::now());
    let has_settled = prepared.start.has_settled();
    let (record, answered) = load.run(&mut prepared, clock, has_settled)?;
    let wall = Wall {
        timestamp_ms: began.unix_ms(),
        time: began.words(),
        seconds: running.elapsed().as_secs_f64(),
    };
    let record = record.on(prepared.device.as_ref());
    let smart = record
        .health
        .as_ref()
        .map(|health| smart_of(&prepared.drive, health));
    let (drive, start) = (&prepared.drive, &prepared.start);
    let run = Run {
        id: format!("{}/{}/{}", drive.slug(), load.slug, start.origin.state),
        drive: drive.slug().to_owned(),
        test: load.slug.clone(),
        state: start.origin.state.clone(),
        testbed: prepared.testbed.slug.clone(),
        steps: start.origin.steps.clone(),
        settling: start.settling.as_ref().map(Settling::sheet),
        saved_state: start.file.as_ref().map(|file| SavedState {
            file: file.display().to_string(),
            seed: start.origin.seed,
        }),
        smart: smart.unwrap_or_default(),
        ..record.run()
    };
    let ended = (clock == Clock::Timed).then_some(answered);
    let step = load.step(options.seed, clock);
    prepared.save_after(failed(&run), ended, step)?;
    Ok(Played {
        prepared,
        run,
        wall,
    })
}

/// The run as a result set.
fn set(options: &Options, load: &Load, prepared: Prepared, seeds: Vec<u64>, run: Run) -> ResultSet {
    ResultSet {
        schema: SCHEMA,
        provenance: Some(provenance::here()),
        origin: Origin {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            way: Way::Simulated,
            model_version: MODEL_VERSION,
            seed: options.seed,
            testbed: prepared.testbed.slug,
            quick: false,
            repeats: options.repeats,
            seeds,
        },
        drives: vec![sheet(&prepared.drive)],
        tests: vec![load.sheet()],
        figures: Vec::new(),
        runs: vec![run],
        unfinished: Vec::new(),
    }
}

/// Whether the drive answered all commands.
fn failed(run: &Run) -> Outcome {
    match run.jobs.iter().find(|job| job.errors > 0) {
        None => Ok(()),
        Some(job) => Err(Failure::Running(format!(
            "`{}` ended early: the drive answered a command with an error",
            job.name
        ))),
    }
}

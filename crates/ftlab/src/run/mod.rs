//! `ftlab run`: the user's own loads on drives. A run is a review whose tests are the loads: the same machinery runs
//! it, and everything printed or written is made of its result set.

mod lay_out;
mod logs;
mod members;
mod outputs;
mod session;
mod start;
mod text;
pub mod wall;

use crate::failure::{Failure, Outcome};
use crate::loads;
use crate::review::How;
use crate::session::{self as under_way, Command, INTERRUPTED, Session};
use crate::shrink::ShrinkOption;
use crate::shuffle::{ShuffleOption, tell_of_clones};
use crate::trace::{ReplayOptions, tell_of_trace};
use crate::variants::SetOption;
use crate::verdicts::{RequireOptions, conclude};
use crate::{drives, fio_words, options, provenance, screen};
use clap::Args;
use ftlab_bench::ask::Asker;
use ftlab_bench::loads::{OwnLoad, Reading};
use ftlab_bench::review::Review;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_export::fio;
use ftlab_lab::{Rest, Subject};
use ftlab_play::driver::Clock;
use ftlab_result::{ResultSet, Run};
use ftlab_workload::Sections;
use logs::Logs;
use members::MembersOption;
use outputs::OutputOptions;
use session::Running;
use start::StartOptions;
use std::path::PathBuf;
use std::sync::Mutex;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab run job.fio --drive intel-x25-m-g1-80
  ftlab run job.fio --drive intel-x25-m-g1-80 --drive crucial-m4-64 --out out
  ftlab run job.fio --drive intel-x25-m-g1-80 --state used --output-format json
  ftlab run job.fio --drive generic-mlc-8 --set spare.op=7%,28% --out out/spare
  ftlab run job.fio --drive intel-x25-m-g1-80 --state steady \\
      --save-state steady.state
  ftlab run other.fio --drive intel-x25-m-g1-80 --from-state steady.state
  ftlab run job.fio --drive generic-mlc-8 --repeats 5
  ftlab run two.fio --drive nvme0=generic-mlc-8 --drive nvme1=intel-520-240
  ftlab run job.fio --drive generic-mlc-8 --require 'write.p99 < 5ms' \\
      --require 'wa <= 2.1'
  ftlab run --drive generic-mlc-8 -- --name=a --rw=randwrite --bs=4k \\
      --iodepth=4 --number_ios=10k
  ftlab run job.fio --showcmd
  ftlab run job.fio --engine-report
  ftlab run two-files.fio --drive generic-mlc-8 --lay-out
  ftlab run scripts/multitask1-extract-photoshop.toml --drive samsung-slc-64
  ftlab run traces/atsb2011-light.toml --drive intel-520-240
  ftlab run prxy_0.csv.gz --drive generic-mlc-8 --pace scaled=2x --fit compact

The options of fio's command line come after a --. They mean the same as in a
job file. Keys that only matter to a real machine (ioengine, direct,
iodepth_batch, …) are accepted and listed.

An untimed run gives write amplification and wear, but no latencies. It is much
faster. A saved state fits the drive that it was saved from, with the same
settings; the seed may differ.")]
pub struct Options {
    /// fio job files, application scripts, scenarios or traces (.toml), and recorded traces of any format: each runs on
    /// each drive, from the same state; - reads one from standard input
    #[arg(required_unless_present_any = ["words", "cmdhelp", "enghelp"], value_name = "LOAD")]
    loads: Vec<PathBuf>,
    /// fio's command line: --name=a --rw=randwrite …
    #[arg(last = true, value_name = "FIO OPTIONS", allow_hyphen_values = true)]
    words: Vec<String>,
    /// A drive of `ftlab drives`, or a path to a drive file; may be repeated. With the name that filenames of jobs
    /// have for it (--drive nvme0=DRIVE --drive nvme1=DRIVE), each job runs on the drives that it names
    #[arg(long = "drive", required_unless_present = "show", value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drives: Vec<String>,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    set: SetOption,
    #[command(flatten)]
    members: MembersOption,
    #[command(flatten)]
    shrink: ShrinkOption,
    #[command(flatten)]
    shuffle: ShuffleOption,
    /// Without a clock: write amplification only, as fast as possible
    #[arg(long)]
    untimed: bool,
    /// Directory for results.json and index.html, the report; without it nothing is written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Directory for the logs that jobs ask for (write_bw_log, write_iops_log, write_lat_log, write_hist_log, write_iolog), with fio's names and columns; of several runs each has one of its own in it
    #[arg(long, value_name = "DIR", conflicts_with = "untimed")]
    logs: Option<PathBuf>,
    /// Let the prepared drive lie without power for N days before the job: its data age
    #[arg(long, value_name = "DAYS", default_value_t = 0.0, value_parser = options::number(0.0, 1e6))]
    rest_days: f64,
    /// Degrees Celsius at which it lies
    #[arg(long, visible_alias = "celsius", value_name = "DEGREES", default_value_t = 30.0, allow_negative_numbers = true,
        value_parser = options::number(-100.0, 200.0))]
    rest_celsius: f64,
    /// Print the drive's SMART attributes after the run, as smartctl does; of an NVMe drive its logs
    #[arg(long)]
    smart: bool,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    require: RequireOptions,
    #[command(flatten)]
    how: How,
    /// Run only the job of that name of job files; may be repeated
    #[arg(long = "section", value_name = "NAME")]
    sections: Vec<String>,
    /// Refuse jobs that write or trim
    #[arg(long)]
    readonly: bool,
    #[command(flatten)]
    output: OutputOptions,
}

/// What is shown of fio's job files instead of running them.
#[derive(Debug, Args)]
#[group(id = "show", multiple = false)]
struct Show {
    /// Print the job files as fio's command lines, and run nothing
    #[arg(long)]
    showcmd: bool,
    /// Print fio's options as a job file, and run nothing
    #[arg(long)]
    showjob: bool,
    /// Print what each option of the jobs does to a drive, which do nothing, and why; run nothing
    #[arg(long)]
    engine_report: bool,
    /// Print where on the drive the files of the jobs lie, and run nothing
    #[arg(long)]
    lay_out: bool,
    /// Read the loads and say what is wrong with them; run nothing
    #[arg(long)]
    parse_only: bool,
    /// Print what one of fio's options does here; without a name, all of them
    #[arg(long, value_name = "OPTION", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    cmdhelp: Option<String>,
    /// Print fio's engines, or what becomes of one of them
    #[arg(long, value_name = "ENGINE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    enghelp: Option<String>,
}

/// Shows fio's words instead of running them, if that is asked for.
fn show(options: &Options, catalog: &Catalog) -> Option<Outcome> {
    let Show {
        showcmd,
        showjob,
        engine_report,
        lay_out,
        parse_only,
        cmdhelp,
        enghelp,
    } = &options.show;
    let load = fio_words::Words {
        words: &options.words,
        files: &options.loads,
        sections: &options.sections,
    };
    if *showcmd {
        return Some(load.show_command());
    }
    if *showjob {
        return Some(load.show_job());
    }
    if *engine_report {
        return Some(load.report());
    }
    if let Some(option) = cmdhelp {
        return Some(fio_words::help(option));
    }
    if let Some(engine) = enghelp {
        return Some(fio_words::engines(engine));
    }
    if *lay_out {
        return Some(lay_out::show(options, catalog));
    }
    // To parse is to read all that a run would read, its drives too if it has any.
    parse_only.then(|| match options.drives.is_empty() {
        true => loads(options).map(drop),
        false => review(options, catalog).map(drop),
    })
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    if let Some(shown) = show(options, catalog) {
        return shown;
    }
    let formats = options.output.formats();
    let review = review(options, catalog)?;
    tell_of_clones(&review.loads, options.how.work.signs);
    let runs = review.drives.len() * review.loads.len();
    if formats.json && runs > 1 {
        return Err(Failure::Input(format!(
            "--output-format json prints one run, and these are {runs}; write them with --out DIR, and as fio's \
             JSON with `ftlab report DIR --fio-json`"
        )));
    }
    // Targets are made ready before the runs, so that a wrong path does not cost them.
    let targets = options.start.targets()?;
    let folder = options.out.as_deref();
    let folder = folder.map(crate::results::folder).transpose()?;
    let logs = options.logs.as_deref();
    let logs = logs.map(|path| Logs::ready(path, &review)).transpose()?;
    if logs.is_none() && asks_for_logs(&review) {
        screen::say("note: jobs ask for logs of their requests, which --logs DIR writes\n");
    }
    let running = Running {
        seed: review.seed,
        are_several: review.drives.len() > 1,
        targets,
        folder,
        logs,
        walls: Mutex::default(),
    };
    let subjects = review.drives.clone();
    let batch = review.batch()?;
    let junit = options.require.junit()?;
    let file = options.output.file()?;
    let progress = options.how.work.signs.spinner("preparing");
    progress.advise(options.start.advice());
    let session = Session::new(batch, None, running, "drives", progress);
    let (ends, _) = session.run(&options.how.work)?;
    let running = &session.command;
    let went = under_way::failed(&session.batch, &ends, session.called);
    let mut set = session.batch.set(&ends, INTERRUPTED);
    set.verdicts = options.require.verdicts(&set.runs);
    running.leave(&set)?;
    if set.runs.is_empty() {
        return went;
    }
    let walls = running.walls();
    set.provenance = Some(provenance::here());
    let mut out = match options.members.is_given() && formats.normal {
        true => members::text(&set, &subjects),
        false => formats.render(&set, &walls, |run, wall| {
            text(&set, run, wall, options.smart)
        }),
    };
    if let (Some(places), true) = (running.places(), formats.normal) {
        out += &format!("\n{places}");
    }
    match &file {
        Some(file) => file.write(out.as_bytes())?,
        None => screen::print(&out)?,
    }
    went.and_then(|()| set.runs.iter().try_for_each(failed))?;
    let is_for_programs = file.is_none() && !formats.normal;
    conclude(&set.verdicts, junit.as_ref(), is_for_programs)
}

/// Tells if a job asks for logs, and there is a clock to make them by.
fn asks_for_logs(review: &Review) -> bool {
    review.clock == Clock::Timed
        && review.loads.iter().any(|own| {
            let mut jobs = (own.load.job_file())
                .into_iter()
                .flat_map(|file| &file.jobs);
            jobs.any(|job| job.logs.any())
        })
}

/// A run as text; what it is of several is its heading.
fn text(set: &ResultSet, run: &Run, wall: &fio::Wall, smart: bool) -> String {
    let heading = match set.runs.len() {
        1 => String::new(),
        _ => format!("# {}\n", run.id),
    };
    let smart = if smart {
        text::smart(run)
    } else {
        String::new()
    };
    heading + &text::render(set, run, wall) + &smart + &text::repeats(set, run)
}

/// The loads that were asked for.
fn loads(options: &Options) -> Result<Vec<OwnLoad>, Failure> {
    let clock = match options.untimed {
        true => Clock::Untimed,
        false => Clock::Timed,
    };
    let words = Sections::of_arguments(&options.words)?;
    let defaults = (!options.words.is_empty()).then(|| words.defaults());
    let reading = Reading {
        clock,
        replay: &options.replay.replay(),
        shuffle: options.shuffle.rule(),
        sections: &options.sections,
        defaults: defaults.as_ref(),
        machine: &fio_words::this_machine(),
        before_trace: &tell_of_trace(options.how.work.signs),
        ..Reading::default()
    };
    let read = options.loads.iter();
    let read = read.map(|path| loads::read(path, &reading));
    let mut loads: Vec<OwnLoad> = read.collect::<Result<_, _>>()?;
    let has_jobs = |own: &OwnLoad| own.load.job_file().is_some();
    // Words without jobs of their own, beside a job file, are defaults of its jobs and no load.
    let are_defaults = !words.has_jobs() && loads.iter().any(has_jobs);
    if !options.words.is_empty() && !are_defaults {
        loads.push(fio_words::load(words, &reading)?);
    }
    loads::distinct(&[], &loads)?;
    if options.readonly {
        loads.iter().try_for_each(loads::only_reads)?;
    }
    options.replay.check(&loads)?;
    Ok(loads)
}

/// Everything that can be wrong with what was asked is found here, before any work is done for it.
fn review(options: &Options, catalog: &Catalog) -> Result<Review, Failure> {
    let loads = loads(options)?;
    let drives = options.set.drives(catalog, &options.drives)?;
    let drives = options.members.of(drives, options.how.work.signs)?;
    let drives = options.shrink.fit(drives, options.how.work.signs)?;
    let mut members = drives.iter().flat_map(Subject::members);
    let is_silent = |file: &DriveFile| !file.is_nvme() && file.smart_vendor().is_none();
    if let Some(silent) = members.find(|member| is_silent(&member.file))
        && options.smart
    {
        let slug = silent.file.slug();
        return Err(Failure::Input(format!(
            "--smart: the drive file of {slug} does not say whose attributes it reports; add [smart] with vendor, or \
             --set smart.vendor=intel"
        )));
    }
    let review = Review {
        loads,
        state: Some(options.start.state()),
        clock: match options.untimed {
            true => Clock::Untimed,
            false => Clock::Timed,
        },
        rest: Rest {
            hours: 24.0 * options.rest_days,
            celsius: match options.rest_days {
                0.0 => 0.0,
                _ => options.rest_celsius,
            },
        },
        ..options.how.review(drives, Vec::new(), false)?
    };
    review.check()?;
    options.start.check(&review)?;
    Ok(Review {
        saved: options.start.saved()?,
        ..review
    })
}

/// Returns an error if the drive did not answer all commands of a job, or a job missed a limit of its own.
fn failed(run: &Run) -> Outcome {
    match run.jobs.iter().find(|job| job.errors > 0) {
        None => Ok(()),
        Some(job) => {
            let early = format!("job `{}` ended early", job.name);
            let missed = job.missed.as_deref();
            let why = missed.unwrap_or("the drive answered a command with an error");
            Err(Failure::Running(format!("{early}: {why}")))
        }
    }
}

//! `ftlab measure`: the bench on a real drive.

mod identify;
mod pack;
mod planned;
mod results;

use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::options::{OutputFormat, SEED, number};
use crate::progress::Signs;
use crate::suite::SuiteOption;
use crate::{results as files, screen};
use clap::Args;
use ftlab_bench::suites::Test;
use ftlab_lab::Length;
use ftlab_measure::device::held::{Access, Held};
use ftlab_measure::device::id::Id;
use ftlab_measure::device::system::System;
use ftlab_measure::device::{Device, Kind};
use ftlab_measure::fio::{Fio, Processors};
use ftlab_measure::health::Monitor;
use ftlab_measure::heat::{Heat, LOOK_EVERY};
use ftlab_measure::kernel::KernelLog;
use ftlab_measure::machine::{Described, max_celsius};
use ftlab_measure::plan::{Plan, Target, mark};
use ftlab_measure::programs::Programs;
use ftlab_measure::session::{Session, SessionError};
use ftlab_measure::stop::Stop;
use results::{Kept, Measured};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab measure --identify /dev/nvme0n1
  ftlab measure --identify disk.img --output-format json
  ftlab measure disk.img --suite modern --test N6 --dry-run
  ftlab measure disk.img --suite my-suite.toml --quick --destroy ID
  ftlab measure disk.img --suite my-suite.toml --destroy ID --resume
  ftlab measure --pack ftlab-measure --date 2026-12-01 --licence CC0-1.0 --out measured

fio 3.33 or later runs the jobs of the suite. What is on the drive is LOST: it has
to be named twice, by its path and by the id that --identify prints. Without
--destroy, tests that only read measure the drive as it is, and nothing is
written. A drive that is in use is left alone.")]
pub struct Options {
    /// A whole disk, a loop device, a regular file or an NBD export (nbd://HOST:PORT/EXPORT)
    #[arg(required_unless_present = "pack")]
    device: Option<PathBuf>,
    #[command(flatten)]
    pack: pack::PackOptions,
    /// Print the id of the device and whether it may be measured; nothing is opened
    #[arg(long, conflicts_with_all = ["suite", "tests", "destroy", "dry_run", "resume"])]
    identify: bool,
    /// Form of what --identify prints
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "normal",
        requires = "identify"
    )]
    output_format: OutputFormat,
    #[command(flatten)]
    suite: SuiteOption,
    /// A code or a name of `ftlab tests --suite`; may be repeated; by default all tests of the suite
    #[arg(long = "test", value_name = "TEST")]
    tests: Vec<String>,
    /// Cut timed jobs short
    #[arg(long)]
    quick: bool,
    /// Id of the device, whose data are lost
    #[arg(long, value_name = "ID")]
    destroy: Option<Id>,
    /// Print what would be written and how long it would take, and end
    #[arg(long)]
    dry_run: bool,
    /// MB/s that the drive is assumed to move, for the estimate
    #[arg(long, value_name = "MB/S", default_value_t = 500.0, value_parser = number(0.1, 1e6))]
    assume_mb_s: f64,
    /// TB that the drive's maker lets be written to it, for the estimate
    #[arg(long, value_name = "TB", value_parser = number(0.001, 1e9))]
    rated_tbw: Option<f64>,
    /// Degrees Celsius from which work pauses until the drive has cooled down; by default those that the drive itself
    /// warns of
    #[arg(long, value_name = "CELSIUS", value_parser = clap::value_parser!(i32).range(20..=150))]
    max_celsius: Option<i32>,
    /// Processors that fio runs on; by default all that this process may use
    #[arg(long, value_name = "LIST")]
    cpus: Option<Processors>,
    /// Name of the drive in results; that of a modelled drive compares with it
    #[arg(long = "as", value_name = "NAME")]
    called: Option<String>,
    /// Continue an interrupted measurement: tests that are in its directory are not run again
    #[arg(long)]
    resume: bool,
    /// Directory for results.json and index.html, or for the entry that --pack makes
    #[arg(long, value_name = "DIR", default_value = "ftlab-measure")]
    out: PathBuf,
    #[command(flatten)]
    signs: Signs,
}

impl Options {
    fn length(&self) -> Length {
        match self.quick {
            true => Length::Quick,
            false => Length::Full,
        }
    }

    fn selected(&self) -> Result<Vec<Test>, Failure> {
        if !self.suite.is_given() {
            return Err(Failure::Input(
                "there is nothing to measure: give a suite with --suite, or --identify for the id of the device".to_owned(),
            ));
        }
        let (tests, loads) = self.suite.select(&self.tests, None)?;
        match loads.first() {
            None => Ok(tests),
            Some(load) => Err(Failure::Input(format!(
                "{} is no test of the suite: write a suite with a row for it (docs/guides/run-my-own-suite.md)",
                load.name
            ))),
        }
    }

    /// The temperature from which work pauses: the one that is asked for, or that it warns of itself.
    fn limit_celsius(&self, monitor: &Monitor) -> Result<Option<i32>, Failure> {
        match self.max_celsius {
            None => Ok(monitor.warning_celsius()),
            Some(_) if monitor.ask().celsius().is_none() => Err(Failure::Input(
                "the drive does not say how warm it is, so --max-celsius cannot be kept: leave it out, or install nvme-cli \
                 and smartmontools and be root"
                    .to_owned(),
            )),
            asked => Ok(asked),
        }
    }

    /// What tests do to a drive, and what they may do: without its id those that only read measure it as it is.
    fn plan(
        &self,
        tests: &[Test],
        target: Target,
        device: &Device,
    ) -> Result<(Plan, Access), Failure> {
        if let Some(id) = &self.destroy {
            return Ok((
                Plan::of(tests, target, self.length()),
                Access::Destroy(id.clone()),
            ));
        }
        let plan = Plan::as_found(tests, target, self.length());
        if plan.measures().next().is_some() && !plan.has_writers() {
            return Ok((plan, Access::Read));
        }
        if self.dry_run {
            return Ok((Plan::of(tests, target, self.length()), Access::Read));
        }
        Err(Failure::Input(format!(
            "this writes to {0}, and what is there is lost: name the device a second time, with --destroy and the id that \
             `ftlab measure --identify {0}` prints",
            device.path.display(),
        )))
    }
}

pub fn command(options: &Options) -> Outcome {
    let Some(device) = &options.device else {
        return pack::command(&options.pack, options.called.as_deref(), &options.out);
    };
    match options.identify {
        true => identify::command(device, options.output_format),
        false => measure(options, device),
    }
}

fn measure(options: &Options, device: &Path) -> Outcome {
    let tests = options.selected()?;
    let system = System::here();
    let device = Device::find(&system, device)?;
    device.check(&system)?;
    let described = Described::of(&system, &device);
    let target = Target {
        bytes: device.bytes,
        kind: device.kind,
        has_flash: device.kind != Kind::Disk || !described.is_spinning,
    };
    let folder = files::folder(&options.out)?;
    let (mut plan, access) = options.plan(&tests, target, &device)?;
    let words = planned::words(&plan, &device, options.assume_mb_s, options.rated_tbw);
    if options.dry_run {
        return screen::print(&words);
    }
    let held = Held::open(&system, device, access)?;
    let fio = Fio::find(&held, SEED, options.cpus.as_ref())?;
    let programs = Programs::here();
    let monitor = Monitor::of(&held, programs.clone());
    let limit_celsius = options.limit_celsius(&monitor)?;
    let drive = match &options.called {
        Some(name) => name.clone(),
        None => results::slug(described.model.as_deref(), held.device()),
    };
    let mut sheet = described.sheet(&drive, held.device(), &fio, mark(&tests, options.length()));
    sheet.parameters.extend(limit_celsius.map(max_celsius));
    let mut measured = Measured::new(sheet, &tests, &plan, options.quick);
    if options.resume {
        measured.resume(&options.out)?;
        plan.forget(|id| measured.has(id));
    }
    options.signs.tell(&words);
    let stop = Arc::new(Stop::default());
    let called = Arc::clone(&stop);
    ctrlc::set_handler(move || called.call())
        .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
    let mut kept = Kept {
        measured,
        folder,
        signs: options.signs,
    };
    let session = Session {
        held: &held,
        fio: &fio,
        drive: &drive,
        notes: &results::notes(&fio),
        programs: &programs,
        monitor: &monitor,
        heat: limit_celsius.map(|limit_celsius| Heat {
            monitor: &monitor,
            limit_celsius,
            look_every: LOOK_EVERY,
        }),
        kernel: &KernelLog::now(),
        stop: &stop,
    };
    let ended = session.run(&plan, &mut kept);
    finish(kept, ended)
}

/// Says where the results are, whatever ended the session.
fn finish(mut kept: Kept, ended: Result<(), SessionError>) -> Outcome {
    let is_stopped = matches!(ended, Err(SessionError::Stopped));
    if let Err(why) = &ended {
        kept.measured.unfinished(&why.to_string());
    }
    let set = &kept.measured.set;
    if !set.runs.is_empty() {
        files::write(&kept.folder, set)?;
        let table = ftlab_report::terminal::render(
            set,
            usize::from(screen::width()),
            screen::has_colours(),
        );
        screen::print_in_colours(&format!("{table}\n{}", files::places(kept.folder.path())))?;
    }
    if is_stopped {
        screen::say("interrupted: the same call with --resume goes on\n");
        std::process::exit(EXIT_INTERRUPTED);
    }
    ended.map_err(Failure::from)
}

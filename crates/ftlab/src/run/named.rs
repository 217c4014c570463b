//! A job file on several drives at a time: each job runs on those that its `filename` names.

use super::wall::Time;
use super::{Options, failed};
use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::{loads, provenance, results, screen, variants};
use ftlab_base::amount::decimal;
use ftlab_bench::review::{Length, origin, sheet};
use ftlab_bench::suites::Test;
use ftlab_drive::{Catalog, Device, DriveFile, Kind};
use ftlab_export::fio::{self, Wall};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, DeviceReport, Target};
use ftlab_play::record::Record;
use ftlab_play::{states, streams};
use ftlab_result::{DriveSheet, ResultSet, Run, SCHEMA};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// A name that jobs use, and a drive.
type Named = (String, String);

/// The drives with their names, if they were given any: `NAME=DRIVE`.
pub fn of(drives: &[String]) -> Result<Option<Vec<Named>>, Failure> {
    let named = |text: &String| {
        let (name, drive) = text.split_once('=')?;
        // A file may be called so.
        (!Path::new(text).exists()).then(|| (name.to_owned(), drive.to_owned()))
    };
    let all: Vec<Option<Named>> = drives.iter().map(named).collect();
    if all.iter().all(Option::is_none) {
        return Ok(None);
    }
    let Some(named) = all.into_iter().collect::<Option<Vec<Named>>>() else {
        return wrong(
            "--drive: give every drive the name that its jobs use, as in --drive nvme0=DRIVE, or none a name",
        );
    };
    let names: BTreeSet<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    if names.len() < named.len() || names.contains("") {
        return wrong(
            "--drive: every drive needs a name of its own, as in --drive nvme0=DRIVE --drive nvme1=DRIVE",
        );
    }
    Ok(Some(named))
}

fn wrong<T>(why: &str) -> Result<T, Failure> {
    Err(Failure::Input(why.to_owned()))
}

/// Runs the jobs on all drives by one clock: one run, of all of them together.
pub fn command(options: &Options, named: &[Named]) -> Outcome {
    let clock = match options.untimed {
        true => Clock::Untimed,
        false => Clock::Timed,
    };
    let [path] = &options.loads[..] else {
        return wrong("drives with names run one job file at a time; give one");
    };
    let test = loads::read(path, options.start.state(), clock)?;
    let load = &test.loads()[0];
    let Some(file) = load.job_file() else {
        return wrong(
            "scripts, scenarios and traces run on one drive; give --drive without a name",
        );
    };
    let settings = variants::all(&variants::read(&options.settings)?);
    let [variant] = &settings[..] else {
        return wrong("drives with names have one value of each --set; give one");
    };
    let drives: Vec<DriveFile> = (named.iter())
        .map(|(_, drive)| Catalog::load(drive, &variant.settings))
        .collect::<Result<_, _>>()?;
    let names = || named.iter().map(|(name, _)| name.as_str());
    let sizes = drives.iter().map(DriveFile::capacity_bytes);
    driver::check(file, &names().zip(sizes).collect::<Vec<_>>(), clock)?;
    let plan = (options.how).plan(drives, vec![test.clone()], false)?;
    let of_one = [
        ("--repeats", plan.repeats > 1),
        ("--quick", plan.length == Length::Quick),
        ("--smart", options.smart),
        (
            "--from-state, --save-state or --save-after",
            options.start.has_files(),
        ),
    ];
    if let Some((option, _)) = of_one.iter().find(|(_, is_given)| *is_given) {
        return wrong(&format!(
            "{option}: drives with names cannot; leave it out, or give one --drive without a name"
        ));
    }
    let folder = options.out.as_deref().map(Folder::ready).transpose()?;
    let machine = match &plan.testbed {
        Some(testbed) => testbed.clone(),
        None => Testbed::load(&test.family.testbed)?,
    };

    let progress = options.how.signs.spinner("preparing");
    progress.advise(options.start.advice());
    let state = options.start.state();
    let (mut devices, mut steps, mut has_settled) = (Vec::new(), Vec::new(), true);
    for (name, drive) in names().zip(&plan.drives) {
        // Two of one model are not the same drive.
        let seed = streams::drive_seed(plan.seed, drive.slug()).derive(name);
        let mut device = drive.build(&machine, seed)?;
        let settling = match drive.kind() {
            Kind::Ssd => states::prepare(device.as_mut(), states::State::New, state, seed)?,
            Kind::Disk | Kind::Ram => None,
        };
        has_settled &= state.has_settled(settling.as_ref());
        let words = states::steps(drive.kind(), state, settling.as_ref());
        steps.push(format!("{name}: {}", words.join(" ")));
        device.rest(24.0 * options.rest_days, options.rest_celsius);
        devices.push(device);
    }
    progress.advise(None);
    let (began, running) = (Time::now(), Instant::now());
    let each = names().zip(&mut devices);
    let each = each.map(|(name, device)| (name.to_owned(), &mut **device as &mut dyn Device));
    let watch = |what: &str, share| progress.say_share(what, share);
    let report = driver::run_on(
        file,
        &mut Target::named(each),
        clock,
        load.seed(plan.seed),
        &watch,
    )?;
    let wall = Wall {
        timestamp_ms: began.unix_ms(),
        time: began.words(),
        seconds: running.elapsed().as_secs_f64(),
    };
    progress.clear();
    let record = Record::of_jobs(file, &report).settled(report.settled(has_settled));
    let sheet = together(named, &plan.drives);
    let set = ResultSet {
        schema: SCHEMA,
        provenance: Some(provenance::here()),
        origin: origin(&plan),
        tests: vec![Test::sheet(&test)],
        figures: Vec::new(),
        runs: vec![Run {
            id: format!("{}/{}/{}", sheet.drive, test.step.slug, state.name()),
            drive: sheet.drive.clone(),
            test: test.step.slug.clone(),
            state: state.name().to_owned(),
            testbed: machine.slug,
            steps,
            ..record.run
        }],
        drives: vec![sheet],
        unfinished: Vec::new(),
    };
    if let Some(folder) = &folder {
        results::write(folder, &set)?;
    }
    let run = &set.runs[0];
    let mut out = match options.output_format {
        OutputFormat::Normal => {
            let each = table(&report.devices, &plan.drives);
            format!("{}\n{each}", super::text::render(&set, run, &wall))
        }
        OutputFormat::Json => fio::render(&set, run, Some(&wall)),
    };
    if let (Some(folder), OutputFormat::Normal) = (&folder, options.output_format) {
        out += &format!("\n{}", results::places(folder.path()));
    }
    screen::print(&out)?;
    failed(run)
}

/// The drives as one: the sheet of the first under the names of all.
fn together(named: &[Named], drives: &[DriveFile]) -> DriveSheet {
    let each = named.iter().zip(drives);
    let words: Vec<String> = each
        .map(|((name, _), drive)| format!("{name}={}", drive.slug()))
        .collect();
    DriveSheet {
        drive: words.join("+"),
        name: words.join(", "),
        ..sheet(&drives[0])
    }
}

/// What happened at each drive.
fn table(devices: &[DeviceReport], drives: &[DriveFile]) -> String {
    let mut table = screen::table(&["drive", "model", "I/Os", "written", "WA", "erases"]);
    for (device, drive) in devices.iter().zip(drives) {
        let counters = &device.counters;
        let wa = match counters.nand_bytes_programmed {
            0 => "–".to_owned(),
            _ => format!("{:.3}", device.wa.total),
        };
        table.add_row([
            device.name.clone(),
            drive.slug().to_owned(),
            counters.host_ios.to_string(),
            decimal(counters.host_bytes_written as f64, "B"),
            wa,
            counters.nand_erases.to_string(),
        ]);
    }
    screen::lines(table)
}

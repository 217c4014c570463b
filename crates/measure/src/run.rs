//! A measurement as a run of results.

use crate::fio::Ended;
use crate::health::Health;
use crate::plan::Measure;
use ftlab_base::Nanos;
use ftlab_bench::review::read_off;
use ftlab_bench::suites::Test;
use ftlab_lab::fill_of_seconds;
use ftlab_readings::fio::seconds_of_groups;
use ftlab_result::quantity::table;
use ftlab_result::{At, CountedStep, Run, Settling, Warning};
use ftlab_workload::JobFile;

/// What brought the drive to where a measurement began, and what is to be said of it.
pub struct About<'a> {
    /// Slug of the drive.
    pub drive: &'a str,
    /// Steps, in words.
    pub steps: &'a [String],
    /// Notes on machine, program and drive.
    pub notes: &'a [String],
    /// What the drive counted in the steps before.
    pub before: &'a [CountedStep],
    /// What it counted in the measurement.
    pub own: Option<&'a CountedStep>,
    /// Rounds until it was steady.
    pub settling: Option<&'a Settling>,
    /// What it said afterwards.
    pub health: &'a Health,
}

/// The jobs of a measurement, by name.
pub fn jobs_of(measure: &Measure) -> String {
    let names: Vec<&str> = measure
        .file
        .jobs
        .iter()
        .map(|job| job.name.as_str())
        .collect();
    names.join(", ")
}

/// The run of each test that reads a measurement.
pub fn runs(measure: &Measure, ended: &Ended, about: &About<'_>) -> Vec<Run> {
    let whole = whole(measure, ended, about);
    measure
        .tests
        .iter()
        .map(|test| of_test(test, measure, whole.clone(), about))
        .collect()
}

fn of_test(test: &Test, measure: &Measure, run: Run, about: &About<'_>) -> Run {
    let (drive, slug) = (about.drive, &test.step.slug);
    let fill = fill_of_seconds(&run.series_bytes);
    let mut run = Run {
        id: format!("{drive}/{slug}/{}", measure.suffix),
        drive: drive.to_owned(),
        test: slug.clone(),
        ..run
    };
    let has_cache = fill.cache_plateaus > 0;
    read_off(&test.step, &mut run, fill);
    if has_cache && run.fill.is_some() {
        run.notes.push(
            "Nothing is known of the drive's cache: it is taken to end where the speed falls for the first time.".to_owned(),
        );
    }
    run
}

fn whole(measure: &Measure, ended: &Ended, about: &About<'_>) -> Run {
    let mut notes = about.notes.to_vec();
    notes.extend(measure.short.clone());
    if !ended.unknown.is_empty() {
        let words: Vec<&str> = ended.unknown.iter().map(String::as_str).collect();
        notes.push(format!(
            "Words that were left out, as this fio does not have them or they have no effect on a model: {}.",
            words.join(", ")
        ));
    }
    let output = &ended.output;
    let seconds = seconds_of_groups(&output.jobs) + rests(&measure.file).as_secs();
    let mut run = Run {
        state: measure.state.clone(),
        data: measure.data.clone(),
        steps: about.steps.to_vec(),
        notes,
        is_short: measure.short.is_some(),
        warnings: paused(ended.paused_s).into_iter().collect(),
        at: vec![at(about)],
        ..ftlab_readings::fio::run(&output.jobs, &output.global, seconds, &ended.course)
    };
    if let Some(wa) = about.own.and_then(|own| own.wa) {
        table::WA.put(&mut run.metrics, wa);
    }
    run
}

/// The time for which jobs that follow one another rest, which fio counts to none of them.
fn rests(file: &JobFile) -> Nanos {
    let of_group = |group: &Vec<usize>| {
        let rests = group.iter().map(|&job| file.jobs[job].order.rest);
        rests.max().unwrap_or_default()
    };
    let rests = file.groups();
    Nanos(rests.iter().map(of_group).map(|rest| rest.0).sum())
}

/// The drive, as far as it says anything of itself.
fn at(about: &About<'_>) -> At {
    At {
        settling: about.settling.cloned(),
        smart: about.health.smart.clone(),
        nvme: about.health.nvme.clone(),
        counted: about.before.iter().chain(about.own).cloned().collect(),
        ..At::default()
    }
}

/// The remark on a measurement that was paused.
fn paused(seconds: f64) -> Option<Warning> {
    (seconds > 0.0).then(|| Warning {
        saw: format!(
            "The drive reached its limit of temperature, and fio was paused for about {seconds:.0} s."
        ),
        why: "Rates and longest latencies of this run count the pause.".to_owned(),
        option: "Cool the drive better, or give a higher --max-celsius.".to_owned(),
    })
}

//! The tests that follow a rate: write saturation, host idle recovery, cross-stimulus recovery.

use super::rounds::{self, MINUTE, Variable};
use super::subject::{Length, Load, Subject};
use super::{Finding, metrics};
use ftlab_base::amount::decimal;
use ftlab_base::{CommandKind, Nanos};
use ftlab_lab::LabError;
use ftlab_play::record::traffic;
use ftlab_result::pts::{Course, Point, Rate};
use ftlab_result::quantity::table;

/// Samples of a minute until write saturation is over: a day.
const SATURATION_SAMPLES: u32 = 24 * 60;

/// Or when N capacities have been written.
const SATURATION_CAPACITIES: u64 = 4;

/// The share of the capacity, in percent, that a scaled sample of write saturation writes.
const SATURATION_SAMPLE_PERCENT: u64 = 2;

/// Samples whose mean is the rate at the end.
const LAST: usize = 5;

/// Seconds of an access of host idle recovery.
const ACCESS: Nanos = Nanos::from_secs(5);

/// The accesses of an idle state in a row: half an hour without the pauses.
const ACCESSES: u32 = 360;

/// Minutes of a round before the pauses when it is scaled: as many as one of the IOPS test has.
const ROUND: u64 = 56;

/// The accesses of an idle state when it is scaled: they run with time all through.
const ACCESSES_SCALED: u32 = 12;

/// Pauses between accesses, in accesses' lengths: the idle states.
const IDLE_STATES: [u64; 5] = [1, 2, 3, 5, 10];

/// Samples of a minute of each access group of cross-stimulus recovery: eight hours.
const GROUP_SAMPLES: u32 = 8 * 60;

/// Samples of a group when it is scaled; each lasts as many minutes as are left out.
const GROUP_SAMPLES_SCALED: u32 = 48;

/// The share of the rate before a change of load at which the drive has recovered.
const RECOVERED: f64 = 0.9;

/// Random writes of one size, with as many outstanding as the settings ask for.
fn random_writes(subject: &Subject<'_>, block_bytes: u64) -> Load {
    Load {
        random: true,
        read_pct: 0,
        block_bytes,
        outstanding: subject.settings.threads * subject.settings.depth,
    }
}

/// IOPS of random writes of 4 KiB from a purged drive on.
pub fn write_saturation(subject: &mut Subject<'_>) -> Result<Finding, LabError> {
    let load = random_writes(subject, 4 << 10);
    let capacity = subject.file.capacity_bytes();
    let enough = subject.written_bytes + SATURATION_CAPACITIES * capacity;
    let (samples, length) = if subject.scale.is_standard() {
        (SATURATION_SAMPLES, Length::Span(MINUTE))
    } else {
        let samples = SATURATION_CAPACITIES * 100 / SATURATION_SAMPLE_PERCENT;
        let longest = MINUTE.0 * u64::from(SATURATION_SAMPLES) / samples;
        let bytes = capacity / 100 * SATURATION_SAMPLE_PERCENT;
        (samples as u32, Length::Written(bytes, Nanos(longest)))
    };
    let mut course = Vec::new();
    for _ in 0..samples {
        sample(subject, load, length, &mut course)?;
        // The standard ends the test by time or by the capacities written, whichever comes first.
        if subject.written_bytes >= enough {
            break;
        }
    }
    subject.steps.push(format!(
        "Random writes of 4 KiB, {} in all: {:.1} times the capacity.",
        decimal(subject.written_bytes as f64, "B"),
        subject.written_bytes as f64 / capacity as f64
    ));
    let first = course.first().map_or(0.0, |point| point.rate.iops);
    Ok(Finding {
        metrics: metrics(&[
            (table::IOPS.name, last(&course, |rate| rate.iops)),
            (table::FRESH_IOPS.name, first),
        ]),
        courses: vec![Course {
            name: "RND 4 KiB, R/W 0/100".to_owned(),
            points: course,
        }],
        ..Finding::default()
    })
}

/// IOPS of random writes of 4 KiB in accesses of five seconds, with pauses between that get longer.
pub fn host_idle_recovery(subject: &mut Subject<'_>) -> Result<Finding, LabError> {
    let load = random_writes(subject, 4 << 10);
    let round = Nanos(
        MINUTE.0
            * if subject.scale.is_standard() {
                1
            } else {
                ROUND
            },
    );
    let (steady, cells) = rounds::run(subject, &[load], round, Variable::Iops, &[0])?;
    subject.elapsed_s = 0.0;
    let accesses = match subject.scale.is_standard() {
        true => ACCESSES,
        false => ACCESSES_SCALED,
    };
    let mut courses = Vec::new();
    for state in IDLE_STATES {
        let idle = Nanos(ACCESS.0 * state);
        let name = format!(
            "{} s of writes, {} s idle",
            ACCESS.as_secs(),
            idle.as_secs()
        );
        courses.push(accesses_of(subject, load, accesses, idle, name)?);
        let name = format!("no pause, after {} s", idle.as_secs());
        courses.push(accesses_of(subject, load, accesses, Nanos::ZERO, name)?);
    }
    // The last course but one had the longest pauses, and the last had none.
    let longest = courses.iter().rev().nth(1);
    let after_idle = longest.map_or(0.0, |course| mean(&course.points, |rate| rate.iops));
    let first = courses.first();
    let after_first = first.map_or(0.0, |course| mean(&course.points, |rate| rate.iops));
    Ok(Finding {
        metrics: metrics(&[
            (table::IOPS.name, cells[0].mean.iops),
            (table::IDLE_5S_IOPS.name, after_first),
            (table::IDLE_50S_IOPS.name, after_idle),
        ]),
        steady: Some(steady),
        cells,
        courses,
    })
}

/// Accesses in a row, with the same pause before each.
fn accesses_of(
    subject: &mut Subject<'_>,
    load: Load,
    accesses: u32,
    idle: Nanos,
    name: String,
) -> Result<Course, LabError> {
    let mut job = subject.job(load);
    (job.length.time_based, job.length.runtime) = (true, Some(ACCESS));
    // The stonewall keeps an access from beginning in the one before.
    (job.order.rest, job.order.stonewall) = (idle, true);
    let jobs = (0..accesses).map(|n| {
        let mut job = job.clone();
        job.index = n as usize;
        job
    });
    let (written, from_s) = (subject.written_bytes, subject.elapsed_s);
    let report = subject.run(jobs.collect(), load)?;
    subject.elapsed_s += report.simulated.as_secs();
    let mut so_far = 0;
    let mut points = Vec::new();
    for job in &report.jobs {
        let writes = traffic(job.direction(CommandKind::Write), job.measured);
        so_far += writes.bytes;
        points.push(Point {
            written_bytes: written + so_far,
            at_s: from_s + (job.measured_from.as_secs() + job.measured.as_secs()),
            rate: Rate {
                iops: writes.iops,
                mb_s: writes.bytes_per_s / 1e6,
                lat_avg_ms: writes.lat_ns_mean / 1e6,
                lat_max_ms: writes.lat_ns_max as f64 / 1e6,
            },
        });
    }
    Ok(Course { name, points })
}

/// MB/s of large writes in order, then of small random ones, then of large ones in order again.
pub fn cross_stimulus_recovery(subject: &mut Subject<'_>) -> Result<Finding, LabError> {
    let large = Load {
        random: false,
        read_pct: 0,
        block_bytes: 1024 << 10,
        outstanding: 32,
    };
    let small = random_writes(subject, 8 << 10);
    let groups = [
        ("SEQ 1024 KiB, first", large),
        ("RND 8 KiB", small),
        ("SEQ 1024 KiB, again", large),
    ];
    let samples = match subject.scale.is_standard() {
        true => GROUP_SAMPLES,
        false => GROUP_SAMPLES_SCALED,
    };
    // A group lasts as long however many samples it has.
    let group = Nanos(MINUTE.0 * u64::from(GROUP_SAMPLES));
    let length = Length::Span(Nanos(subject.scale.span(group).0 / u64::from(samples)));
    let mut courses = Vec::new();
    for (name, load) in groups {
        let mut points = Vec::new();
        for _ in 0..samples {
            sample(subject, load, length, &mut points)?;
        }
        courses.push(Course {
            name: name.to_owned(),
            points,
        });
    }
    subject.steps.push(format!(
        "Three access groups, {} written in all: {:.1} times the capacity.",
        decimal(subject.written_bytes as f64, "B"),
        subject.written_bytes as f64 / subject.file.capacity_bytes() as f64
    ));
    let mb_s: fn(&Rate) -> f64 = |rate| rate.mb_s;
    let before = last(&courses[0].points, mb_s);
    let mut found = metrics(&[
        (table::MB_S.name, before),
        (table::RANDOM_MB_S.name, last(&courses[1].points, mb_s)),
        (table::AGAIN_MB_S.name, last(&courses[2].points, mb_s)),
    ]);
    let from = courses[1]
        .points
        .last()
        .map_or(0, |point| point.written_bytes);
    let recovers = |point: &&Point| point.rate.mb_s >= RECOVERED * before;
    if let Some(point) = courses[2].points.iter().find(recovers) {
        let gb = (point.written_bytes - from) as f64 / 1e9;
        table::RECOVERY_GB.put(&mut found, gb);
    }
    Ok(Finding {
        metrics: found,
        courses,
        ..Finding::default()
    })
}

fn sample(
    subject: &mut Subject<'_>,
    load: Load,
    length: Length,
    course: &mut Vec<Point>,
) -> Result<(), LabError> {
    let rate = subject.stretch(load, length)?;
    course.push(Point {
        written_bytes: subject.written_bytes,
        at_s: subject.elapsed_s,
        rate,
    });
    Ok(())
}

fn mean(points: &[Point], of: fn(&Rate) -> f64) -> f64 {
    points.iter().map(|point| of(&point.rate)).sum::<f64>() / points.len().max(1) as f64
}

/// The mean of the last samples.
fn last(points: &[Point], of: fn(&Rate) -> f64) -> f64 {
    mean(&points[points.len().saturating_sub(LAST)..], of)
}

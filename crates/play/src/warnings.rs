//! Warnings that a reader of a run needs before using its figures: what was seen, why it matters, and what to do
//! instead.

use crate::driver::{
    Clock, DeviceShape, DriverError, JobReport, PAGE_BYTES, RunReport, Shares, ThermalReport,
};
use ftlab_base::amount::{decimal, grouped};
use ftlab_base::{CommandKind, Nanos};
use ftlab_result::Warning;
use ftlab_workload::{DIFFERENCES, JobFile};

/// Facts beside a run that warnings depend on.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// Devices that the jobs were fitted to.
    pub target: &'a [DeviceShape<'a>],
    /// Bytes of a slot of their maps, if they have one; the most.
    pub slot_bytes: Option<u64>,
    /// Settling of garbage collection, as [`RunReport::settled`] has it.
    pub settled: Option<bool>,
    /// The machine, by its slug.
    pub machine: &'a str,
    /// The load is a job file, which could make more requests than it does.
    pub is_job: bool,
}

/// The warnings of a run of any load but a job file on its drives, without those of its own kind.
#[must_use]
pub fn of_load(ground: Ground<'_>, report: &RunReport) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    warnings.extend(void_trims(report, ground.slot_bytes));
    warnings.extend(few_beyond(report, ground.is_job));
    warnings.extend(heat(report));
    warnings.extend(host_bound(report, ground.machine));
    if report.counters().nand_bytes_programmed > 0 {
        warnings.extend(starved(report));
    }
    if ground.settled == Some(false) {
        warnings.push(unsettled(report, ground));
    }
    warnings
}

/// The warnings of a run of a job file on its drives.
///
/// # Errors
/// When a job does not fit the drive, so that the run cannot have been made.
pub fn of_run(
    file: &JobFile,
    clock: Clock,
    ground: Ground<'_>,
    report: &RunReport,
) -> Result<Vec<Warning>, DriverError> {
    let jobs = Shares::of(file, ground.target, clock)?;
    let mut warnings: Vec<Warning> = Vec::new();
    warnings.extend(void_trims(report, ground.slot_bytes));
    warnings.extend(through_pages(file, report));
    for done in &report.jobs {
        warnings.extend(missed(done));
        warnings.extend(tolerated(done));
    }
    for shares in &jobs {
        let of_job = beyond(shares).into_iter().chain(otherwise(shares));
        let new: Vec<Warning> = of_job
            .filter(|warning| !warnings.contains(warning))
            .collect();
        warnings.extend(new);
    }
    warnings.extend(few_beyond(report, ground.is_job));
    warnings.extend(heat(report));
    warnings.extend(host_bound(report, ground.machine));
    if report.counters().nand_bytes_programmed == 0 {
        return Ok(warnings);
    }
    for (job, done) in jobs.iter().zip(&report.jobs) {
        let moved = |kind| done.direction(kind).bytes;
        let bytes = moved(CommandKind::Read) + moved(CommandKind::Write);
        // Clones of a section are one job to whoever wrote it.
        let of_job = [repeated_order(job, bytes), left_out(job)];
        let of_job = of_job.into_iter().flatten().chain(fell_behind(job, done));
        let new: Vec<Warning> = of_job
            .filter(|warning| !warnings.contains(warning))
            .collect();
        warnings.extend(new);
    }
    warnings.extend(starved(report));
    if ground.settled == Some(false) {
        warnings.push(unsettled(report, ground));
    }
    Ok(warnings)
}

/// Returns warnings of what fio would do otherwise with a job.
fn otherwise(shares: &Shares) -> impl Iterator<Item = Warning> {
    let job = &shares.job().spec;
    let differences = DIFFERENCES.iter();
    let of_job = differences.filter(|of| of.is_of_requests() && of.covers(job));
    of_job.map(|of| Warning {
        saw: format!("Job `{}` is one of these: {}.", job.name, of.jobs),
        why: format!("fio would do otherwise: {}.", of.fio),
        option: "Compare it with a real drive only without that.".to_owned(),
    })
}

/// Requests of no whole sectors, which the drive sees as the pages that they lie in.
fn through_pages(file: &JobFile, report: &RunReport) -> Option<Warning> {
    let mut paged = file.jobs.iter().filter(|job| job.is_paged());
    let job = paged.next()?;
    let writes = (report.jobs.iter()).map(|done| done.direction(CommandKind::Write).ios);
    let (writes, pages) = (
        writes.sum::<u64>(),
        report.counters().host_bytes_written / PAGE_BYTES,
    );
    let mut why = "As behind a file system, they lie in pages of 4 KiB in memory, which flushes and the end write to the drive"
        .to_owned();
    if writes > 0 && 1 + paged.count() == file.jobs.len() {
        why += &format!(": {} pages for {} writes", grouped(pages), grouped(writes));
    }
    Some(Warning {
        saw: format!(
            "The requests of job `{}` are no multiple of 512 bytes.",
            job.name
        ),
        why: why + ".",
        option:
            "Give bs=4k, or another multiple of 512, for requests that the drive sees as they are."
                .to_owned(),
    })
}

/// A job whose size does not fit the drive, which fio takes as it is.
fn beyond(shares: &Shares) -> Option<Warning> {
    let job = shares.job();
    let bytes = |bytes: u64| decimal(bytes as f64, "B");
    (job.bytes_beyond > 0).then(|| Warning {
        saw: format!(
            "Job `{}` asks for {} more than there is from its offset to the end of the drive.",
            job.spec.name,
            bytes(job.bytes_beyond)
        ),
        why: format!(
            "As with fio, its requests lie on the {} that there are, and a sequential job ends with them.",
            bytes(job.region_bytes)
        ),
        option: "Give size=100% for all of a drive, whatever its size.".to_owned(),
    })
}

/// Trims that covered no whole slot of the drive.
fn void_trims(report: &RunReport, slot_bytes: Option<u64>) -> Option<Warning> {
    let void = Some(report.counters().void_trims).filter(|&void| void > 0)?;
    let slot_kib = slot_bytes? / 1024;
    let jobs = report.jobs.iter();
    let trims: u64 = jobs.map(|job| job.direction(CommandKind::Trim).ios).sum();
    Some(Warning {
        saw: format!("{void} of {trims} trims freed nothing."),
        why: format!(
            "The drive frees whole slots of {slot_kib} KiB, and each of them covered none."
        ),
        option: "Trim whole slots, as hosts do that ask a drive for its discard granularity."
            .to_owned(),
    })
}

/// A job that a limit of its own has ended.
fn missed(done: &JobReport) -> Option<Warning> {
    let missed = done.missed.as_ref()?;
    Some(Warning {
        saw: format!("Job `{}` ended early: {missed}.", done.name),
        why: "Its figures are of the time until then, and what came after it is missing."
            .to_owned(),
        option: "Give the job a limit that the drive keeps, or leave the limit out.".to_owned(),
    })
}

/// A job that went on after commands had failed.
fn tolerated(done: &JobReport) -> Option<Warning> {
    (done.tolerated > 0).then(|| Warning {
        saw: format!(
            "{} commands of job `{}` failed, and it went on.",
            done.tolerated, done.name
        ),
        why: "Rates and latencies are those of the others.".to_owned(),
        option: "Leave continue_on_error out to end at the first failure.".to_owned(),
    })
}

/// The share of its rate that a job reaches at least if it keeps it: the last request of a short job may be late.
const KEPT_LEAST: f64 = 0.95;

/// The directions of a job whose rate the drive did not keep.
fn fell_behind(shares: &Shares, done: &JobReport) -> Vec<Warning> {
    let spec = &shares.job().spec;
    let seconds = done.measured.as_secs();
    let kinds = [
        (CommandKind::Read, "reads"),
        (CommandKind::Write, "writes"),
        (CommandKind::Trim, "trims"),
    ];
    let of_kind = |(kind, word): (CommandKind, &str)| {
        // A rate without a kind is that of all kinds, of which the job does some.
        let direction = done.direction(kind);
        let rates = [
            (spec.pace.rate_iops.of(kind), direction.ios, word.to_owned()),
            (
                spec.pace.rate.of(kind),
                direction.bytes,
                format!("bytes of {word}"),
            ),
        ];
        let late = rates.into_iter().find_map(|(rate, made, what)| {
            let (rate, got) = (rate? as f64, made as f64 / seconds);
            (made > 0 && seconds > 0.0 && got < KEPT_LEAST * rate).then_some((rate, got, what))
        });
        late.map(|(rate, got, what)| Warning {
            saw: format!(
                "Job `{}` asks for {} {what} a second and got {}.",
                spec.name,
                grouped(rate as u64),
                grouped(got as u64)
            ),
            why: "The drive does not keep the rate: requests queue for longer and longer, and latencies are those \
                  of the queue."
                .to_owned(),
            option: "Ask for a lower rate, or leave the rate out to see what the drive can do.".to_owned(),
        })
    };
    kinds.into_iter().filter_map(of_kind).collect()
}

/// Requests beyond a percentile from which on it is more than chance.
const BEYOND_LEAST: u64 = 100;

/// Percentiles that are read as those of the slow requests, and in what number of requests one lies beyond each.
const SLOW: [(f64, u64); 3] = [(99.0, 100), (99.9, 1_000), (99.99, 10_000)];

/// Percentiles that few requests lie beyond.
fn few_beyond(report: &RunReport, is_job: bool) -> Option<Warning> {
    let kinds = [
        (CommandKind::Read, "reads"),
        (CommandKind::Write, "writes"),
        (CommandKind::Trim, "trims"),
    ];
    let first = |(kind, word)| {
        let directions = report.jobs.iter().map(|job| job.direction(kind));
        let timed = directions.filter(|direction| direction.latency().is_some());
        let ios: u64 = timed.map(|direction| direction.ios).sum();
        let few = |(_, one_in): &&(f64, u64)| ios < BEYOND_LEAST * one_in;
        let (percent, one_in) = SLOW.iter().find(few).filter(|_| ios > 0)?;
        Some((format!("p{percent} of {} {word}", grouped(ios)), *one_in))
    };
    let told: Vec<(String, u64)> = kinds.into_iter().filter_map(first).collect();
    let most = told.iter().map(|(_, one_in)| one_in * BEYOND_LEAST).max()?;
    let words: Vec<&str> = told.iter().map(|(words, _)| words.as_str()).collect();
    Some(Warning {
        saw: format!(
            "Fewer than {BEYOND_LEAST} requests lie beyond {}.",
            words.join(" and ")
        ),
        why: "A percentile that so few requests decide is chance: another seed gives another one."
            .to_owned(),
        option: match is_job {
            true => format!(
                "Make {} requests or more, by runtime, io_size or number_ios, or use lower percentiles.",
                grouped(most)
            ),
            false => format!(
                "Take a load of {} requests or more, or use lower percentiles.",
                grouped(most)
            ),
        },
    })
}

/// A job of a skewed law whose hot blocks lie where fio's hash puts them.
fn left_out(shares: &Shares) -> Option<Warning> {
    let share = shares.job().share_left_out().filter(|share| *share > 0.0)?;
    Some(Warning {
        saw: format!(
            "The places of job `{}` are spread by fio's hash, which leaves {:.0} % of its blocks out.",
            shares.job().spec.name,
            100.0 * share
        ),
        why: "Nothing is written there, so that write amplification is lower than where all blocks are written, \
              each as often as its rank says."
            .to_owned(),
        option: "Add --shuffle, or the word shuffle to the job, to spread the ranks over all blocks."
            .to_owned(),
    })
}

/// The share of their time from which on dies that idle beside full queues are worth a word.
const STARVED_LEAST: f64 = 0.2;

/// Dies that had nothing to do while the queues of others were full.
fn starved(report: &RunReport) -> Option<Warning> {
    let shares = report.only()?.shares?;
    let starved = shares.starved.filter(|starved| *starved >= STARVED_LEAST)?;
    Some(Warning {
        saw: format!(
            "The dies idled for {:.0} % of the time while work waited for others.",
            100.0 * starved
        ),
        why: "The rate is not what so many dies can do.".to_owned(),
        option: "Raise firmware.die_queue; a drive with scheduling.dispatch=in-order holds all back for one full die."
            .to_owned(),
    })
}

/// The share of the time from which on a host that works is what sets the rate.
const HOST_BOUND_LEAST: f64 = 0.95;

/// A host that had no time left while its drive had. A drive that is the host's own work, as a RAM disk, gives no
/// warning.
fn host_bound(report: &RunReport, machine: &str) -> Option<Warning> {
    let shares = report.only()?.shares?;
    let drive = shares.of_the_drive()?;
    (shares.host >= HOST_BOUND_LEAST && drive < shares.host).then(|| Warning {
        saw: format!(
            "The host {machine} was at work for {:.0} % of the time, and the busiest part of the drive for {:.0} %.",
            100.0 * shares.host,
            100.0 * drive
        ),
        why: "The rate is what this host makes of requests, and not what the drive can do.".to_owned(),
        option: "Give a faster host with --testbed, or larger requests; where each job has a core (linux-2024-io-uring), more \
                 jobs."
            .to_owned(),
    })
}

/// Returns warnings of what heat did to the drives of a run.
fn heat(report: &RunReport) -> Vec<Warning> {
    let thermal = report.at.iter().filter_map(|device| {
        let thermal = device.thermal.as_ref()?;
        Some((device.name.as_str(), thermal))
    });
    let told = thermal.flat_map(|(name, thermal)| {
        [
            throttled(name, thermal, report.simulated),
            too_warm(name, thermal),
        ]
    });
    told.flatten().collect()
}

/// A drive of a name, or the only one.
fn the_drive(name: &str) -> String {
    match name {
        "" => "The drive".to_owned(),
        name => format!("Drive `{name}`"),
    }
}

/// A drive that slowed down because it was too warm.
fn throttled(name: &str, thermal: &ThermalReport, simulated: Nanos) -> Option<Warning> {
    (thermal.throttled > Nanos::ZERO).then(|| Warning {
        saw: format!(
            "{} slowed down for {:.1} of {:.1} s, as it reached {:.1} C.",
            the_drive(name),
            thermal.throttled.as_secs(),
            simulated.as_secs(),
            thermal.celsius_max
        ),
        why: "Rates and latencies are those of a drive that is throttled for that time.".to_owned(),
        option: "Cool it: a heatsink or a fan halves thermal.resistance; thermal.ambient is the air around it.".to_owned(),
    })
}

/// A drive that got where it reports that it is too warm.
fn too_warm(name: &str, thermal: &ThermalReport) -> Option<Warning> {
    let critical = thermal
        .critical_celsius
        .filter(|critical| thermal.celsius_max >= *critical)?;
    Some(Warning {
        saw: format!(
            "{} reached {:.1} C, and reports that it is too warm from {critical:.0} C on.",
            the_drive(name),
            thermal.celsius_max
        ),
        why: "A real one may turn itself off there, or lose data; the model works on.".to_owned(),
        option: "Cool it: a heatsink or a fan halves thermal.resistance; thermal.ambient is the air around it.".to_owned(),
    })
}

/// A job that has moved N bytes and went through an order of random writes more than once.
fn repeated_order(shares: &Shares, bytes: u64) -> Option<Warning> {
    let pass_bytes = shares.repeated_pass_bytes()?;
    let spec = &shares.job().spec;
    let option = match spec.length.loops {
        1 => "Add norandommap=1, or randrepeat=0 for another order in each pass.",
        _ => "Add randrepeat=0 for another order in each pass.",
    };
    (bytes > pass_bytes).then(|| Warning {
        saw: format!(
            "The second pass of job `{}` writes in the order of the first.",
            spec.name
        ),
        why: "A repeated permutation is a sequential overwrite to a log: this write amplification says nothing \
              about random writes."
            .to_owned(),
        option: option.to_owned(),
    })
}

/// A run that ended before garbage collection had settled.
fn unsettled(report: &RunReport, ground: Ground<'_>) -> Warning {
    let target = ground.target;
    let bytes = |bytes: u64| decimal(bytes as f64, "B");
    let capacity = bytes(target.iter().map(|device| device.bytes).sum());
    let drives = match target.len() {
        1 => format!("a drive of {capacity}"),
        many => format!("{many} drives of {capacity} together"),
    };
    Warning {
        saw: format!(
            "Garbage collection had not settled when the run ended, after {} of writes to {drives}.",
            bytes(report.counters().host_bytes_written)
        ),
        why: "Write amplification, rates and latencies are not those of the steady state.".to_owned(),
        option: match ground.is_job {
            true => "Start with --state steady or steady-fast, or write at random until wa_steady is given, which takes twice \
                     the capacity or more."
                .to_owned(),
            false => "Start with --state steady or steady-fast.".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver;
    use crate::driver::DeviceReport;
    use ftlab_base::{RootSeed, SECTOR_BYTES};
    use ftlab_drive::fake::Fake;

    const SECTORS: u64 = 1 << 14;

    fn warnings(job: &str, settled: Option<bool>) -> Vec<String> {
        let file = JobFile::parse(job, "test.fio").unwrap();
        let mut device = Fake::new(SECTORS);
        let report = driver::run(&file, &mut device, Clock::Untimed, RootSeed(1)).unwrap();
        let ground = Ground {
            target: &[DeviceShape::plain(SECTORS * SECTOR_BYTES)],
            slot_bytes: Some(4096),
            settled,
            machine: "test",
            is_job: true,
        };
        let warnings = of_run(&file, Clock::Untimed, ground, &report).unwrap();
        warnings.iter().map(Warning::to_string).collect()
    }

    fn job(more: &str) -> String {
        format!("[w]\nrw=randwrite\nbs=4k\n{more}\n")
    }

    #[test]
    fn a_second_pass_in_the_order_of_the_first_is_told() {
        let two = warnings(&job("io_size=16m"), None);
        assert_eq!(two.len(), 1, "{two:?}");
        assert!(
            two[0].contains("job `w`") && two[0].contains("norandommap=1"),
            "{two:?}"
        );
        // Loops start the generator anew, so a map makes no difference.
        let loops = warnings(&job("ioengine=libaio\nloops=2\nnorandommap"), None);
        assert!(!loops[0].contains("norandommap") && loops[0].contains("randrepeat=0"));
        let clones = warnings(&job("io_size=16m\nnumjobs=3"), None);
        assert_eq!(clones.len(), 1);
    }

    #[test]
    fn what_repeats_no_order_is_not_told_of() {
        for more in [
            "",
            "io_size=16m\nnorandommap",
            "io_size=16m\nrandrepeat=0",
            "loops=2\nrandrepeat=0",
        ] {
            assert_eq!(warnings(&job(more), Some(true)), [""; 0], "{more}");
        }
        let in_order = "[w]\nrw=write\nbs=4k\nloops=2\n";
        assert_eq!(warnings(in_order, None), [""; 0]);
    }

    #[test]
    fn a_run_that_ends_before_collection_settles_says_how_much_it_wrote() {
        let told = warnings(&job("io_size=50%"), Some(false));
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("after 4.19 MB of writes to a drive of 8.39 MB")
                && told[0].contains("steady-fast"),
            "{told:?}"
        );
    }

    #[test]
    fn a_rate_that_the_drive_does_not_keep_is_told_of() {
        let told = |more: &str| {
            let text =
                format!("[w]\nrw=randwrite\nbs=4k\nnorandommap\ntime_based\nruntime=1\n{more}\n");
            let file = JobFile::parse(&text, "test.fio").unwrap();
            let mut device = Fake::new(SECTORS);
            let report = driver::run(&file, &mut device, Clock::Timed, RootSeed(1)).unwrap();
            let ground = [DeviceShape::plain(SECTORS * SECTOR_BYTES)];
            let shares = Shares::of(&file, &ground, Clock::Timed).unwrap();
            let told = fell_behind(&shares[0], &report.jobs[0]);
            told.iter().map(Warning::to_string).collect::<Vec<_>>()
        };
        for kept in ["", "rate_iops=1000", "rate=400k"] {
            assert_eq!(told(kept), [""; 0], "{kept}");
        }
        let iops = told("rate_iops=10000000");
        assert!(
            iops[0].contains("asks for 10,000,000 writes a second and got"),
            "{iops:?}"
        );
        let bytes = told("rate=4000m");
        assert!(bytes[0].contains("bytes of writes a second"), "{bytes:?}");
    }

    fn of_one(device: DeviceReport) -> RunReport {
        RunReport {
            at: vec![device],
            ..RunReport::default()
        }
    }

    #[test]
    fn a_host_that_sets_the_rate_is_told_of() {
        let told = |host: f64, dies: Option<f64>| {
            let shares = ftlab_drive::Shares {
                host,
                dies,
                link: dies.map(|_| 0.1),
                ..ftlab_drive::Shares::default()
            };
            let report = of_one(DeviceReport {
                shares: Some(shares),
                ..DeviceReport::default()
            });
            host_bound(&report, "anandtech-2008").map(|warning| warning.to_string())
        };
        let bound = told(1.0, Some(0.2)).unwrap();
        for part in [
            "anandtech-2008 was at work for 100 %",
            "for 20 %",
            "--testbed",
        ] {
            assert!(bound.contains(part), "{bound}");
        }
        assert_eq!(told(0.9, Some(0.2)), None);
        assert_eq!(told(0.96, Some(0.99)), None);
        // A RAM disk is its host's work.
        assert_eq!(told(1.0, None), None);
    }

    #[test]
    fn a_drive_that_heat_slowed_down_is_told_of() {
        let thermal = ThermalReport {
            series_celsius: vec![70.0, 86.5],
            series_throttle: vec![0, 1],
            celsius_max: 86.5,
            throttled: Nanos::from_millis(1_500),
            critical_celsius: Some(85.0),
        };
        let told = |thermal: &ThermalReport| {
            let report = RunReport {
                simulated: Nanos::from_secs(2),
                ..of_one(DeviceReport {
                    thermal: Some(thermal.clone()),
                    ..DeviceReport::default()
                })
            };
            heat(&report)
        };
        let warm: Vec<String> = told(&thermal).iter().map(ToString::to_string).collect();
        assert!(
            warm[0].contains("The drive slowed down for 1.5 of 2.0 s, as it reached 86.5 C"),
            "{warm:?}"
        );
        assert!(warm[1].contains("too warm from 85 C on"), "{warm:?}");
        let cool = ThermalReport {
            celsius_max: 60.0,
            throttled: Nanos::ZERO,
            ..thermal
        };
        assert_eq!(told(&cool), []);
    }

    #[test]
    fn percentiles_that_few_requests_decide_are_told_of() {
        let told = |ios: u64| {
            let file =
                format!("[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios={ios}\nio_size=100g\n");
            let file = JobFile::parse(&file, "test.fio").unwrap();
            let report =
                driver::run(&file, &mut Fake::new(SECTORS), Clock::Timed, RootSeed(1)).unwrap();
            few_beyond(&report, true).map(|warning| warning.to_string())
        };
        for (ios, percentile, enough) in [
            (500, "p99 of 500 writes", "10,000"),
            (9_999, "p99 of 9,999 writes", "10,000"),
            (10_000, "p99.9 of 10,000 writes", "100,000"),
            (100_000, "p99.99 of 100,000 writes", "1,000,000"),
        ] {
            let told = told(ios).unwrap();
            assert!(
                told.contains(percentile) && told.contains(&format!("Make {enough} requests")),
                "{told}"
            );
        }
        assert_eq!(told(1_000_000), None);
    }
}

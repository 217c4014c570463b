//! A load at its own rate and at others.
//!
//! Another rate is an open loop: requests of jobs arrive at random (Poisson), in the mix that the jobs have at their own
//! rate, and those of a recorded trace at its times divided by a factor. Latency then counts from the arrival. What
//! has a pace of its own, as a script has, keeps it.

use ftlab_base::Nanos;
use ftlab_play::driver::{self, Clock, DeviceShape, DriverError};
use ftlab_play::load::{Load, What};
use ftlab_play::recording::{OPEN_DEPTH, Pace};
use ftlab_result::{Job, Run};
use ftlab_workload::{JobFile, JobSpec, PerKind, ResolvedJob};

pub const DAY_S: f64 = 86_400.0;

/// The ways to run a load at another rate.
#[derive(Debug, Clone, PartialEq)]
pub enum Rates {
    /// The rates of the jobs of a file.
    Jobs {
        /// Bytes a second of each job at its own rate.
        of_jobs: Vec<PerKind<f64>>,
        /// Requests a second of all jobs.
        requests_s: f64,
        /// Bytes that they write a second.
        write_bytes_s: f64,
    },
    /// The times of a recorded trace.
    Trace {
        /// Requests a second at the recorded times.
        requests_s: f64,
        /// Bytes that it writes a second.
        write_bytes_s: f64,
    },
    /// No other rate, and the reason.
    Fixed(&'static str),
}

/// A load as it runs at its own rate on a drive, and whether that is less than all of it. Jobs that an amount ends are
/// all cut by one factor, so that about `requests` are left and their mix stays.
///
/// # Errors
/// When a job does not fit the drive.
pub fn own(
    load: &Load,
    drive: DeviceShape<'_>,
    requests: u64,
) -> Result<(Load, bool), DriverError> {
    let What::Job(file) = load.what() else {
        return Ok((load.clone(), false));
    };
    let mut file = file.clone();
    let counts: Vec<Option<u64>> = driver::resolve(&file, drive, Clock::Timed)?
        .iter()
        .map(|job| job.spec.length.runtime.is_none().then(|| count(job)))
        .collect();
    let all: u64 = counts.iter().flatten().sum();
    let part = (requests as f64 / all.max(1) as f64).min(1.0);
    for (job, count) in file.jobs.iter_mut().zip(counts) {
        // Each by itself, so that each has a rate of its own.
        job.clones.group_reporting = false;
        if let Some(count) = count {
            job.length.number_ios = Some(((count as f64 * part).ceil() as u64).max(1));
        }
    }
    Ok((load.paced(What::Job(file)), part < 1.0))
}

/// Requests of a job that an amount ends, of its largest size.
fn count(job: &ResolvedJob) -> u64 {
    let bs = job.spec.sizes.bs_max;
    let largest = bs.read.max(bs.write).max(bs.trim).max(1);
    let by_bytes = job.total_bytes().map(|bytes| bytes / largest);
    let all = [by_bytes, job.ios_max].into_iter().flatten().min();
    all.unwrap_or(u64::from(u32::MAX))
}

impl Rates {
    /// Those of a load that gave this at its own rate.
    pub fn of(load: &Load, run: &Run) -> Rates {
        match load.what() {
            What::Job(file) => of_jobs(file, run),
            What::Recording(recording) => {
                let seconds = Nanos(recording.scan.span_ns()).as_secs();
                if seconds <= 0.0 {
                    return Rates::Fixed("the trace has no times");
                }
                let [_, written, ..] = recording.scan.bytes;
                Rates::Trace {
                    requests_s: recording.scan.all() as f64 / seconds,
                    write_bytes_s: written as f64 / seconds,
                }
            }
            What::Script(_) => Rates::Fixed("a script has think times of its own"),
            What::Trace(_) => Rates::Fixed("a synthetic trace has no times"),
        }
    }

    /// Bytes written and requests a second at the load's own rate, where that can be changed.
    pub fn own(&self) -> Option<[f64; 2]> {
        match *self {
            Rates::Jobs {
                requests_s,
                write_bytes_s,
                ..
            }
            | Rates::Trace {
                requests_s,
                write_bytes_s,
            } => Some([write_bytes_s, requests_s]),
            Rates::Fixed(_) => None,
        }
    }

    /// The load at its own rate times a factor, as an open loop of about `requests` requests.
    pub fn at(&self, load: &Load, factor: f64, requests: u64) -> Load {
        match (self, load.what()) {
            (
                Rates::Jobs {
                    of_jobs,
                    requests_s,
                    ..
                },
                What::Job(file),
            ) => {
                let seconds = requests as f64 / (requests_s * factor);
                let mut file = file.clone();
                for (job, own) in file.jobs.iter_mut().zip(of_jobs) {
                    arrive(job, own.map(|bytes_s| bytes_s * factor), seconds);
                }
                load.paced(What::Job(file))
            }
            (Rates::Trace { .. }, What::Recording(recording)) => {
                load.paced(What::Recording(recording.at(Pace::Scaled(factor))))
            }
            _ => load.clone(),
        }
    }

    /// Words on how requests arrive at another rate than the load's own.
    pub fn words(&self) -> &'static str {
        match self {
            Rates::Jobs { .. } => "arriving at random at that rate",
            Rates::Trace { .. } => "arriving at the trace's times, divided to come to that rate",
            Rates::Fixed(_) => "at its own pace",
        }
    }
}

/// The rates of jobs that run at the same time.
fn of_jobs(file: &JobFile, run: &Run) -> Rates {
    if file.groups().len() > 1 || file.jobs.iter().any(|job| job.order.wait_for.is_some()) {
        return Rates::Fixed("its jobs run one after the other");
    }
    // Jobs that are over before others still belong to the mix.
    let longest_ns = run.jobs.iter().map(|job| job.measured_ns).max();
    let seconds = Nanos(longest_ns.unwrap_or(0)).as_secs();
    let a_second = |bytes: u64| bytes as f64 / seconds;
    let of_job = |job: &Job| PerKind {
        read: a_second(job.read.bytes),
        write: a_second(job.write.bytes),
        trim: a_second(job.trim.bytes),
    };
    let rates: Vec<PerKind<f64>> = run.jobs.iter().map(of_job).collect();
    let requests = |job: &Job| job.read.ios + job.write.ios + job.trim.ios;
    let requests_s = a_second(run.jobs.iter().map(requests).sum());
    if !(requests_s > 0.0 && requests_s.is_finite()) {
        return Rates::Fixed("no request of it ended");
    }
    Rates::Jobs {
        write_bytes_s: rates.iter().map(|rate| rate.write).sum(),
        of_jobs: rates,
        requests_s,
    }
}

/// Makes a job an open loop whose requests arrive at these bytes a second for a time.
fn arrive(job: &mut JobSpec, bytes_s: PerKind<f64>, seconds: f64) {
    job.pace.rate = bytes_s.map(|rate| (rate > 0.0).then_some((rate as u64).max(1)));
    job.pace.rate_iops = PerKind::all(None);
    job.pace.rate_poisson = true;
    job.ends.rate_min = PerKind::all(None);
    job.ends.rate_iops_min = PerKind::all(None);
    job.submission.iodepth = OPEN_DEPTH;
    job.pace.thinktime = Nanos::ZERO;
    let usual = JobSpec::new(&job.name, job.source.clone());
    (job.ends.latency, job.ends.steadystate) = (usual.ends.latency, usual.ends.steadystate);
    job.ends.max_latency = None;
    (
        job.order.startdelay,
        job.order.startdelay_max,
        job.order.rest,
        job.length.ramp_time,
    ) = (Nanos::ZERO, None, Nanos::ZERO, Nanos::ZERO);
    (job.length.number_ios, job.length.io_size, job.length.loops) = (None, None, 1);
    job.length.runtime = Some(Nanos((seconds * 1e9) as u64));
    job.length.time_based = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::Traffic;

    fn load(text: &str) -> Load {
        Load::of_text("mine.fio", text, 1, What::job(text, "mine.fio").unwrap())
    }

    const JOB: &str = r#"{"name":"job","group":0,"clones":1,"iodepth":1,"measured_ns":0}"#;

    /// A run in which each job wrote and read numbers of requests of 4 KiB, in a number of seconds.
    fn run(jobs: &[(u64, [u64; 2])]) -> Run {
        let traffic = |ios: u64| Traffic {
            ios,
            bytes: ios * 4096,
            ..Traffic::default()
        };
        let job = |(seconds, [write, read]): &(u64, [u64; 2])| Job {
            measured_ns: seconds * 1_000_000_000,
            write: traffic(*write),
            read: traffic(*read),
            ..serde_json::from_str(JOB).unwrap()
        };
        Run {
            jobs: jobs.iter().map(job).collect(),
            ..Run::default()
        }
    }

    #[test]
    fn jobs_keep_their_mix_at_another_rate() {
        let load = load(
            "[a]\nrw=randrw\nbs=4k\niodepth=4\nthinktime=1ms\n[b]\nrw=randwrite\nbs=4k\nnumber_ios=9\n",
        );
        // The second job was over when half of the time was; it is a part of the mix all the same.
        let rates = Rates::of(&load, &run(&[(2, [200, 600]), (1, [1200, 0])]));
        assert_eq!(rates.own(), Some([700.0 * 4096.0, 1000.0]));
        let at = rates.at(&load, 0.5, 10_000);
        let jobs = &at.job_file().unwrap().jobs;
        assert_eq!(jobs[0].pace.rate.write, Some(50 * 4096));
        assert_eq!(jobs[0].pace.rate.read, Some(150 * 4096));
        assert_eq!(
            (jobs[1].pace.rate.write, jobs[1].pace.rate.read),
            (Some(300 * 4096), None)
        );
        // 500 requests a second: 10,000 take 20 s.
        for job in jobs {
            assert_eq!(job.length.runtime, Some(Nanos::from_secs(20)));
            assert!(
                job.pace.rate_poisson && job.length.time_based && job.length.number_ios.is_none()
            );
            assert_eq!(
                (job.submission.iodepth, job.pace.thinktime),
                (OPEN_DEPTH, Nanos::ZERO)
            );
        }
        assert_eq!(at, load, "and its name");
    }

    #[test]
    fn what_runs_one_after_the_other_has_a_pace_of_its_own() {
        let load = load("[a]\nrw=randwrite\n[b]\nstonewall\nrw=randwrite\n");
        let rates = Rates::of(&load, &run(&[(1, [1, 0]), (1, [1, 0])]));
        assert_eq!(rates, Rates::Fixed("its jobs run one after the other"));
        assert_eq!(rates.own(), None);
    }

    #[test]
    fn jobs_that_an_amount_ends_are_cut_alike_and_each_has_a_rate_of_its_own() {
        let load = load(
            "[global]\nrw=randwrite\nbs=4k\n[a]\nnumber_ios=3000\nsize=1g\nnumjobs=2\ngroup_reporting\n\
             [b]\nsize=24m\n[c]\nruntime=3\nsize=100%\n",
        );
        let jobs = |requests| {
            let (own, is_cut) = own(&load, DeviceShape::plain(1 << 33), requests).unwrap();
            assert_eq!(is_cut, requests < 12_144);
            let jobs = &own.job_file().unwrap().jobs;
            assert!(jobs.iter().all(|job| !job.clones.group_reporting));
            jobs.iter()
                .map(|job| job.length.number_ios)
                .collect::<Vec<_>>()
        };
        // 3,000 twice and 6,144.
        assert_eq!(jobs(1 << 20), [Some(3000), Some(3000), Some(6144), None]);
        assert_eq!(jobs(1518), [Some(375), Some(375), Some(768), None]);
    }
}

//! A job on the devices that its files are: each has its share of the job, and requests go to them in turn
//! (fio's `file_service_type=roundrobin`).

use super::error::DriverError;
use super::stats::JobReport;
use super::target::DeviceShape;
use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobSpec, JobStream, Request, ResolvedJob};

/// Treatment of time in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Virtual time: latencies and rates.
    Timed,
    /// None: write amplification, wear.
    Untimed,
}

/// A job fitted to its devices; at least one.
#[derive(Debug, Clone)]
pub struct Shares {
    devices: Vec<(usize, ResolvedJob)>,
}

impl Shares {
    /// The jobs of `file`, each fitted to its devices of a target.
    pub fn of(
        file: &JobFile,
        target: &[DeviceShape<'_>],
        clock: Clock,
    ) -> Result<Vec<Shares>, DriverError> {
        let names: Vec<&str> = target.iter().map(|device| device.name).collect();
        let bound = file.bind(&names)?;
        let jobs = file.jobs.iter().zip(bound);
        let fit = |(job, devices): (&JobSpec, Vec<usize>)| {
            let files = if job.files.nrfiles > 1 {
                job.files.nrfiles
            } else {
                devices.len() as u64
            };
            // Files of its own lie end to end on one device; files that it names are devices each.
            let share = |nth: u64| match job.files.nrfiles {
                1 => Some((devices[nth as usize], job.share(nth, files)?)),
                _ => Some((devices[0], job.file(nth, target[devices[0]].bytes)?)),
            };
            let shares = (0..files).filter_map(share);
            let fit = |(device, job): (usize, JobSpec)| {
                let shape = target[device];
                let job = match clock {
                    Clock::Timed => job.resolve(shape.bytes)?,
                    Clock::Untimed => by_amount(&job, shape.bytes)?,
                };
                let job = job.with_handles(shape.handles)?;
                Ok((device, job.with_atomic(shape.atomic_bytes)?))
            };
            let devices = shares.map(fit).collect::<Result<_, DriverError>>()?;
            Ok(Shares { devices })
        };
        jobs.map(fit).collect()
    }

    /// The job, as its first device has it.
    pub fn job(&self) -> &ResolvedJob {
        &self.devices[0].1
    }

    /// Its devices, by their places in the target, and what it does on each.
    pub fn devices(&self) -> impl Iterator<Item = (usize, &ResolvedJob)> {
        self.devices.iter().map(|(device, job)| (*device, job))
    }

    /// The job on its one device.
    pub fn into_job(mut self) -> ResolvedJob {
        self.devices.swap_remove(0).1
    }

    /// Bytes after which it would write in an order that it wrote in before; none where it does not.
    pub fn repeated_pass_bytes(&self) -> Option<u64> {
        let passes = self
            .devices
            .iter()
            .map(|(_, job)| job.repeated_pass_bytes());
        passes.sum()
    }

    /// Requests and bytes after which it ends; none where it goes on until its time is over.
    pub fn ends_after(&self) -> [Option<u64>; 2] {
        let sum = |of: fn(&ResolvedJob) -> Option<u64>| {
            let mut amounts = self.devices.iter().map(|(_, job)| of(job));
            amounts.try_fold(0_u64, |sum, amount| Some(sum.saturating_add(amount?)))
        };
        [sum(|job| job.ios_max), sum(ResolvedJob::total_bytes)]
    }

    /// The report of the job where it was not played.
    pub fn unplayed(&self, group: usize) -> JobReport {
        let spec = &self.job().spec;
        JobReport::new(spec.name.clone(), group, spec.submission.iodepth)
    }

    /// Returns the requests of the job, of all its devices.
    pub fn requests(&self, seed: RootSeed) -> Requests {
        let stream = |(nth, (device, job)): (usize, &(usize, ResolvedJob))| {
            let seed = match nth {
                0 => seed,
                nth => seed.derive(&format!("file/{nth}")),
            };
            (*device, JobStream::new(job, seed))
        };
        let a_turn = self.job().spec.files.switches_file_after;
        Requests {
            streams: self.devices.iter().enumerate().map(stream).collect(),
            turn: 0,
            left: a_turn,
            a_turn,
        }
    }
}

/// The requests of a job, each with the place of its device in the target.
#[derive(Debug, Clone)]
pub struct Requests {
    streams: Vec<(usize, JobStream)>,
    /// Number of the device whose turn it is.
    turn: usize,
    /// Requests that are left of it.
    left: u64,
    /// Requests of a turn.
    a_turn: u64,
}

impl Requests {
    /// Returns the next request and its device, as [`JobStream::next_by`] does.
    #[inline]
    pub fn next_by(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<(usize, Request)> {
        if let [(device, only)] = &mut self.streams[..] {
            return only.next_by(choose).map(|request| (*device, request));
        }
        self.next_in_turn(choose)
    }

    /// As [`JobStream::flush_is_due`], of the device whose turn it is.
    pub fn flush_is_due(&self) -> bool {
        self.streams[self.turn].1.flush_is_due()
    }

    /// As [`JobStream::is_over`], of all devices.
    pub fn is_over(&self) -> bool {
        self.streams.iter().all(|(_, stream)| stream.is_over())
    }

    /// Returns true if a request ends with a flush, as [`JobStream::flushes_behind`] does.
    pub fn flushes_behind(&self, request: &Request) -> bool {
        self.streams[0].1.flushes_behind(request)
    }

    /// Its devices, by their places in the target.
    pub fn devices(&self) -> impl Iterator<Item = usize> {
        self.streams.iter().map(|(device, _)| *device)
    }

    fn next_in_turn(
        &mut self,
        choose: impl Fn(CommandKind) -> CommandKind + Copy,
    ) -> Option<(usize, Request)> {
        for _ in 0..self.streams.len() {
            if self.left == 0 {
                self.turn = (self.turn + 1) % self.streams.len();
                self.left = self.a_turn;
            }
            let (device, stream) = &mut self.streams[self.turn];
            if let Some(request) = stream.next_by(choose) {
                self.left -= 1;
                return Some((*device, request));
            }
            self.left = 0;
        }
        None
    }
}

impl Iterator for Requests {
    type Item = (usize, Request);

    #[inline]
    fn next(&mut self) -> Option<(usize, Request)> {
        self.next_by(|drawn| drawn)
    }
}

/// Fits a job to a drive when only its amount of I/O can end it.
fn by_amount(spec: &JobSpec, device_bytes: u64) -> Result<ResolvedJob, DriverError> {
    let has_amount = spec.length.io_size.is_some() || spec.length.number_ios.is_some();
    if spec.length.time_based && !has_amount {
        return Err(DriverError::NoAmount {
            at: spec.source.clone(),
            job: spec.name.clone(),
        });
    }
    let mut by_amount = spec.clone();
    by_amount.length.time_based = false;
    Ok(by_amount.resolve(device_bytes)?)
}

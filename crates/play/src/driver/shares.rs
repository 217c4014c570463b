//! A job on the devices that its files are, or lie on: each has its share of the job, and requests go to them in turn
//! (fio's `file_service_type=roundrobin`).

use super::error::DriverError;
use super::stats::JobReport;
use super::target::DeviceShape;
use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{
    FilePlace, JobFile, JobSpec, JobStream, LaidFile, Layout, Request, ResolvedJob, Room,
};

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
        let rooms: Vec<Room<'_>> = target.iter().map(DeviceShape::room).collect();
        let layout = file.lay_out(&rooms)?;
        let jobs = file.jobs.iter().zip(&layout.of_jobs);
        let fit = |(job, places): (&JobSpec, &Vec<FilePlace>)| {
            let parts = parts(job, places, &layout, target);
            let fit = |part: Part| {
                let shape = target[part.device];
                let bytes = part.file.map_or(shape.bytes, |file| file.bytes);
                let job = match clock {
                    Clock::Timed => part.job.resolve(bytes)?,
                    Clock::Untimed => by_amount(&part.job, bytes)?,
                };
                let job = match part.file {
                    Some(file) => job.in_file_at(file.first_byte),
                    None => job,
                };
                let job = job.with_handles(shape.handles)?;
                Ok((part.device, job.with_atomic(shape.atomic_bytes)?))
            };
            let devices = parts
                .into_iter()
                .map(fit)
                .collect::<Result<_, DriverError>>()?;
            Ok(Shares { devices })
        };
        jobs.map(fit).collect()
    }

    /// The job, as its first device has it.
    pub fn job(&self) -> &ResolvedJob {
        &self.devices[0].1
    }

    /// Returns true if its requests go to several files.
    pub fn are_several(&self) -> bool {
        self.devices.len() > 1
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

/// A job's part on one of its files.
struct Part<'l> {
    device: usize,
    /// The file, if it is not the device as a whole.
    file: Option<&'l LaidFile>,
    job: JobSpec,
}

/// The parts of a job: on each of its devices, and on the files that it has end to end.
fn parts<'l>(
    job: &JobSpec,
    places: &[FilePlace],
    layout: &'l Layout,
    target: &[DeviceShape<'_>],
) -> Vec<Part<'l>> {
    let whole = |device, job| Part {
        device,
        file: None,
        job,
    };
    let nrfiles = job.files.nrfiles;
    // Files without names lie end to end on a device that the job has as a whole.
    if let ([FilePlace::Device(device)], true) = (places, nrfiles > 1 && job.files.named.is_empty())
    {
        let nth = |nth: u64| Some(whole(*device, job.file(nth, target[*device].bytes)?));
        return (0..nrfiles).filter_map(nth).collect();
    }
    let all = places.len() as u64;
    let nth = |(nth, place): (u64, &FilePlace)| {
        let mut job = job.share(nth, all)?;
        Some(match *place {
            FilePlace::Device(device) => whole(device, job),
            FilePlace::File(at) => {
                let file = &layout.files[at];
                job.files.is_part_of_device = true;
                Part {
                    device: file.device,
                    file: Some(file),
                    job,
                }
            }
        })
    };
    (0..).zip(places).filter_map(nth).collect()
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

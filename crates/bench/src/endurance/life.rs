//! The life of one drive, from the first write to the last.

use super::{Daily, EnduranceError};
use ftlab_base::{CommandId, CommandKind, Outcome, RootSeed, SimTime};
use ftlab_drive::{Counters, Device, Health, Scale};
use ftlab_play::driver::{self, DeviceShape};
use ftlab_states::watch::Watch;
use ftlab_workload::{JobFile, JobStream, Request, ResolvedJob};

/// Marks over the median block's life; more follow until the end.
const MARKS: u32 = 40;

/// A drive that has lived N median block lives will not die of this job.
const LIVES_MAX: u32 = 100;

/// Hours of a day.
const DAY_HOURS: f64 = 24.0;

/// The state of a drive on the way. Bytes are the full drive's.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Bytes the host had written.
    pub host_bytes: f64,
    /// Write amplification since the mark before.
    pub wa: f64,
    /// P/E count of the mean block, over the rated one.
    pub worn_share: f64,
    /// Share of the blocks that wear faster than the rest.
    pub over_worn_share: f64,
    /// Share of the blocks that had gone bad.
    pub bad_share: f64,
    /// The share of the spare superblocks that is left.
    pub spare_share: f64,
    /// The health of the scaled drive.
    pub health: Health,
    /// The health of the full drive in proportion, for its SMART attributes.
    pub of_full: Health,
}

/// The cause of the end of a drive's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It took no more writes, in its words.
    ReadOnly(String),
}

/// A drive's life. Bytes are the full drive's.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// The drive on the way, the last one at its end.
    pub marks: Vec<Mark>,
    /// The cause of its end.
    pub ending: Ending,
    /// Host bytes at the first block that went bad.
    pub first_bad_bytes: Option<f64>,
    /// Host bytes when the mean block had used its rated cycles.
    pub rated_bytes: Option<f64>,
    /// Host bytes at the end.
    pub host_bytes: f64,
    /// Write amplification over the life.
    pub wa: f64,
    /// Reads that could not be corrected.
    pub unreadable: u64,
}

impl Life {
    /// Days that the host bytes last at N a day.
    #[must_use]
    pub fn days(&self, daily: Daily) -> f64 {
        self.host_bytes / daily.bytes
    }

    /// Host bytes at the mark before that at N: what was seen at N came behind it.
    #[must_use]
    pub fn seen_before(&self, host_bytes: f64) -> f64 {
        let earlier = self.marks.iter().map(|mark| mark.host_bytes);
        earlier
            .filter(|bytes| *bytes < host_bytes)
            .fold(0.0, f64::max)
    }

    /// The mark that is nearest to N host bytes.
    #[must_use]
    pub fn at(&self, host_bytes: f64) -> Option<&Mark> {
        let off = |mark: &&Mark| (mark.host_bytes - host_bytes).abs();
        self.marks.iter().min_by(|a, b| off(a).total_cmp(&off(b)))
    }
}

/// The drive that a scaled one is the measure of.
#[derive(Debug, Clone, Copy)]
pub(super) struct FullDrive {
    /// By how much it was divided.
    pub scale: Scale,
    /// Its host bytes for each of the scaled one.
    pub bytes: f64,
    /// P/E cycles that its maker guarantees.
    pub rated_cycles: Option<u32>,
}

/// A drive while it lives.
pub(super) struct Liver {
    device: Box<dyn Device>,
    /// Pages that half of the blocks can be programmed with.
    life_pages: u64,
    daily: Daily,
    full: FullDrive,
    start: Counters,
    last: Counters,
    /// Pages programmed at the next mark.
    next_programs: u64,
    rested_days: f64,
    marks: Vec<Mark>,
    first_bad_bytes: Option<f64>,
    rated_bytes: Option<f64>,
}

impl Liver {
    pub fn new(device: Box<dyn Device>, life_pages: u64, daily: Daily, full: FullDrive) -> Liver {
        let start = device.counters();
        Liver {
            next_programs: start.nand_programs,
            last: start,
            start,
            device,
            life_pages,
            daily,
            full,
            rested_days: 0.0,
            marks: Vec::new(),
            first_bad_bytes: None,
            rated_bytes: None,
        }
    }

    /// Runs the groups of the job one after the other, and all of them again, until the drive's end.
    pub fn live(
        mut self,
        job: &JobFile,
        seed: RootSeed,
        watch: &Watch<'_>,
    ) -> Result<Life, EnduranceError> {
        let shape = DeviceShape::of("", &*self.device);
        let mut job = job.clone();
        job.keep_orders(seed);
        let jobs = driver::resolve(&job, shape, driver::Clock::Untimed)?;
        let mut pass = 0;
        loop {
            let before = self.device.counters().host_bytes_written;
            let pass_seed = seed.derive(&format!("endurance pass {pass}"));
            for members in job.groups() {
                let members = members.iter().map(|&member| &jobs[member]);
                if self.group(members, pass_seed, watch)? {
                    return Ok(self.finish());
                }
            }
            if self.device.counters().host_bytes_written == before {
                return Err(EnduranceError::NoWrites);
            }
            pass += 1;
        }
    }

    /// Applies the commands of jobs in turn until all are over. Returns true if the drive came to its end.
    fn group<'a>(
        &mut self,
        jobs: impl Iterator<Item = &'a ResolvedJob>,
        seed: RootSeed,
        watch: &Watch<'_>,
    ) -> Result<bool, EnduranceError> {
        let mut streams: Vec<JobStream> = jobs.map(|job| JobStream::new(job, seed)).collect();
        while !streams.is_empty() {
            let mut n = 0;
            while n < streams.len() {
                let Some(request) = streams[n].next() else {
                    streams.remove(n);
                    continue;
                };
                n += 1;
                let command = request.command(CommandId(0), SimTime::ZERO);
                let outcome = self.device.apply(command);
                if streams[n - 1].flushes_behind(&request) {
                    self.device
                        .apply(Request::FLUSH.command(CommandId(0), SimTime::ZERO));
                }
                // Data that cannot be read end no life: the drive still takes writes.
                match outcome {
                    Outcome::Good | Outcome::Unrecoverable => {}
                    Outcome::WriteFault | Outcome::Gone => return Ok(true),
                }
                if request.kind == CommandKind::Write {
                    self.look(watch)?;
                }
            }
        }
        Ok(false)
    }

    /// Marks how the drive stands, if it is time to.
    fn look(&mut self, watch: &Watch<'_>) -> Result<(), EnduranceError> {
        let programs = self.device.counters().nand_programs;
        if programs < self.next_programs {
            return Ok(());
        }
        let life = self.life_pages;
        self.next_programs = programs + (life / u64::from(MARKS)).max(1);
        let lived = (programs - self.start.nand_programs) as f64 / life as f64;
        if lived > f64::from(LIVES_MAX) {
            return Err(EnduranceError::Endless { lives: LIVES_MAX });
        }
        watch("wearing", Some(lived))?;
        self.mark();
        Ok(())
    }

    fn host_bytes(&self, counters: &Counters) -> f64 {
        counters.since(&self.start).host_bytes_written as f64 * self.full.bytes
    }

    fn mark(&mut self) {
        let now = self.device.counters();
        let health = self.device.health().expect("it is of flash");
        let host_bytes = self.host_bytes(&now);
        let days = host_bytes / self.daily.bytes;
        self.device
            .rest((days - self.rested_days) * DAY_HOURS, self.daily.celsius);
        self.rested_days = days;
        if health.grown_bad() > 0 {
            self.first_bad_bytes.get_or_insert(host_bytes);
        }
        let worn = health.worn_share();
        if worn >= 1.0 && self.rated_bytes.is_none() {
            // Marks are far apart, and wear grows evenly between two of them.
            let before = self.marks.last();
            let (bytes, share) = before.map_or((0.0, 0.0), |m| (m.host_bytes, m.worn_share));
            let rest = (1.0 - share) / (worn - share);
            self.rated_bytes = Some(bytes + (host_bytes - bytes) * rest);
        }
        let bad = health.grown_bad() + health.faults.factory_bad;
        self.marks.push(Mark {
            host_bytes,
            wa: now.since(&self.last).write_amplification(),
            worn_share: health.worn_share(),
            over_worn_share: health.wear.over_worn_share(),
            bad_share: f64::from(bad) / f64::from(health.wear.blocks()),
            spare_share: health.spare_share(),
            of_full: health.of_full(self.full.scale, self.full.bytes, self.full.rated_cycles),
            health,
        });
        self.last = now;
    }

    fn finish(mut self) -> Life {
        self.mark();
        let end = self.device.counters();
        let last = self.marks.last().expect("the end was marked");
        Life {
            first_bad_bytes: self.first_bad_bytes,
            rated_bytes: self.rated_bytes,
            host_bytes: self.host_bytes(&end),
            wa: end.since(&self.start).write_amplification(),
            unreadable: last.health.faults.unreadable,
            ending: Ending::ReadOnly(self.device.fault().unwrap_or_default()),
            marks: self.marks,
        }
    }
}

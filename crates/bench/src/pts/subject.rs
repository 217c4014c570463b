//! The drive under test, and what is done to it: purge, preconditioning, stretches of a load.
//!
//! A stretch that is scaled runs in two parts. The first runs with time and is counted; the second is the
//! rest of its writes without time, as many bytes a second as were written in the first. So a drive is
//! written as much as if all of it had run with time, for a small part of the work. Reads leave a drive as
//! it is, and their rest is left out.

use super::settings::Scale;
use ftlab_base::amount::decimal;
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::{Device, DriveFile};
use ftlab_lab::LabError;
use ftlab_play::driver::{self, Clock, DriverError, RunReport, Target};
use ftlab_play::record::Record;
use ftlab_result::pts::{Rate, Settings};
use ftlab_result::quantity::table;
use ftlab_states::come_to_rest;
use ftlab_states::watch::Watch;
use ftlab_workload::{
    BlockSizes, JobFile, JobSpec, Pattern, PatternKind, PerKind, Region, Size, Source, Submission,
};

/// Bytes of a request of the preconditioning that is the same for all tests.
const PRECONDITIONING_BLOCK: u64 = 128 << 10;

/// The number of times that it writes the capacity, as the standard has it.
const PRECONDITIONING_CAPACITIES: u64 = 2;

/// Requests that must have ended in the part that is counted, or it is made longer.
const ENDED_MIN: f64 = 16.0;

/// The factor by which the part is made longer each time.
const LONGER: u64 = 4;

/// Bytes programmed for a byte written beyond which a drive rewrites whole blocks. Its rest then ends when this
/// percentage of its capacity has been programmed: more would rewrite the same blocks again and take hours.
const WHOLE_BLOCKS_WA: f64 = 64.0;
const WHOLE_BLOCKS_PERCENT: u64 = 4;

/// The requests of a stretch, as the standard describes them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// At random, or in order from where the last one ended.
    pub random: bool,
    /// The percentage of reads among the requests.
    pub read_pct: u8,
    /// Bytes of a request.
    pub block_bytes: u64,
    /// Commands outstanding, of all threads together: a drive cannot tell them apart.
    pub outstanding: u32,
}

impl Load {
    /// As the standard's tables call it.
    #[must_use]
    pub fn words(&self) -> String {
        let order = if self.random { "RND" } else { "SEQ" };
        let write = 100 - self.read_pct;
        let block = block_words(self.block_bytes);
        format!("{order} {block}, R/W {}/{write}", self.read_pct)
    }

    /// The pattern in the terms of a job file.
    fn kind(&self) -> PatternKind {
        match self.read_pct {
            0 => PatternKind::Write,
            100 => PatternKind::Read,
            _ => PatternKind::ReadWrite,
        }
    }
}

/// `4 KiB`, `0.5 KiB`.
#[must_use]
pub fn block_words(bytes: u64) -> String {
    format!("{} KiB", bytes as f64 / 1024.0)
}

/// The end of a stretch, by time or by bytes written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// A span of the drive's time.
    Span(Nanos),
    /// A number of bytes written, or a span if that ends sooner.
    Written(u64, Nanos),
}

/// The drive under test.
pub struct Subject<'a> {
    pub file: &'a DriveFile,
    /// Gets the progress, and may end the work.
    watch: &'a Watch<'a>,
    pub device: Box<dyn Device>,
    pub settings: &'a Settings,
    pub scale: Scale,
    pub seed: RootSeed,
    /// The steps so far, in words for the report.
    pub steps: Vec<String>,
    /// Bytes that the host has written since the purge.
    pub written_bytes: u64,
    /// Seconds that the accesses of the test took, with those of the writes without time.
    pub elapsed_s: f64,
    /// Stretches so far, so that each has random numbers of its own.
    stretches: u64,
    /// The first bytes of the next read and of the next write in order.
    heads: [u64; 2],
}

impl<'a> Subject<'a> {
    pub fn new(
        file: &'a DriveFile,
        watch: &'a Watch<'a>,
        device: Box<dyn Device>,
        settings: &'a Settings,
        scale: Scale,
        seed: RootSeed,
    ) -> Self {
        Subject {
            file,
            watch,
            device,
            settings,
            scale,
            seed,
            steps: Vec::new(),
            written_bytes: 0,
            elapsed_s: 0.0,
            stretches: 0,
            heads: [0; 2],
        }
    }

    /// The drive as it is, for a test with random numbers of its own.
    pub fn copy(&self, seed: RootSeed) -> Subject<'a> {
        let device = self.device.snapshot();
        Subject {
            steps: self.steps.clone(),
            written_bytes: self.written_bytes,
            ..Subject::new(
                self.file,
                self.watch,
                device,
                self.settings,
                self.scale,
                seed,
            )
        }
    }

    /// Purges the drive by a secure erase, and begins to count from there.
    pub fn purge(&mut self) -> Result<(), LabError> {
        self.device
            .secure_erase()
            .map_err(|error| LabError::Course {
                drive: self.file.slug().to_owned(),
                course: "purge".to_owned(),
                why: error.to_string(),
            })?;
        (self.written_bytes, self.heads) = (0, [0; 2]);
        self.steps.push("Purge: secure erase.".to_owned());
        Ok(())
    }

    /// Writes twice the capacity in order, without time: the workload-independent preconditioning.
    pub fn precondition(&mut self) -> Result<(), LabError> {
        let bytes = PRECONDITIONING_CAPACITIES * self.file.capacity_bytes();
        let load = Load {
            random: false,
            read_pct: 0,
            block_bytes: PRECONDITIONING_BLOCK,
            outstanding: 1,
        };
        self.write(load, bytes)?;
        self.steps.push(format!(
            "Workload-independent preconditioning: {}, twice the capacity, written in order in \
             requests of 128 KiB to {}, without time.",
            decimal(self.written_bytes as f64, "B"),
            range_words(self.settings.active_range_pct)
        ));
        Ok(())
    }

    /// Flash that the preconditioning left unwritten.
    pub fn unwritten_bytes(&self) -> u64 {
        let used = self.file.capacity_bytes() / 100 * u64::from(self.settings.active_range_pct);
        self.file.raw_bytes().unwrap_or(used).saturating_sub(used)
    }

    /// Runs a stretch of a load, and returns its rates.
    pub fn stretch(&mut self, load: Load, length: Length) -> Result<Rate, LabError> {
        let longest = match length {
            Length::Span(span) | Length::Written(_, span) => span,
        };
        let before = self.written_bytes;
        // A slow drive ends too few requests in a short part to have a rate: the part is made longer.
        let mut times = 1;
        let mut timed = Nanos::ZERO;
        let record = loop {
            let (ramp, counted) = self.scale.timed(longest, times);
            let report = self.run_with_time(load, ramp, counted)?;
            let record = Record::of(&report).run;
            timed = timed + ramp + counted;
            let ended = record.read.ios + record.write.ios;
            if ended as f64 >= ENDED_MIN || timed >= longest {
                break record;
            }
            times *= LONGER;
        };
        let metric = |name: &str| record.metrics.get(name).copied().unwrap_or(0.0);
        let rest_s = longest.as_secs() - timed.as_secs();
        let mut rest_bytes = (record.write.bytes_per_s * rest_s.max(0.0)) as u64;
        if let Length::Written(bytes, _) = length {
            rest_bytes = rest_bytes.min((before + bytes).saturating_sub(self.written_bytes));
        }
        let wa = record.wa().unwrap_or(0.0);
        if wa > WHOLE_BLOCKS_WA {
            let programmed = self.file.capacity_bytes() * WHOLE_BLOCKS_PERCENT / 100;
            rest_bytes = rest_bytes.min((programmed as f64 / wa) as u64);
        }
        let writes = Load {
            read_pct: 0,
            ..load
        };
        if rest_bytes >= load.block_bytes {
            self.write(writes, rest_bytes)?;
        }
        self.elapsed_s += match length {
            Length::Span(span) => span.as_secs().max(timed.as_secs()),
            Length::Written(..) if rest_bytes == 0 => timed.as_secs(),
            Length::Written(..) => timed.as_secs() + rest_bytes as f64 / record.write.bytes_per_s,
        };
        Ok(Rate {
            iops: metric(table::IOPS.name),
            mb_s: metric(table::MB_S.name),
            lat_avg_ms: metric(table::LAT_AVG_MS.name),
            lat_max_ms: metric(table::LAT_MAX_MS.name),
        })
    }

    fn run_with_time(
        &mut self,
        load: Load,
        ramp: Nanos,
        counted: Nanos,
    ) -> Result<RunReport, LabError> {
        let mut job = self.job(load);
        (
            job.length.time_based,
            job.length.ramp_time,
            job.length.runtime,
        ) = (true, ramp, Some(counted));
        self.run(vec![job], load)
    }

    /// Runs jobs of a load with time, one after the other, and lets the drive finish its own work.
    pub fn run(&mut self, jobs: Vec<JobSpec>, load: Load) -> Result<RunReport, LabError> {
        let file = JobFile {
            jobs,
            ignored: Vec::new(),
        };
        let seed = self.next_seed();
        let before = self.device.counters().host_bytes_written;
        let mut target = Target::one(self.device.as_mut());
        let report = driver::run_on(&file, &mut target, Clock::Timed, seed, self.watch)
            .map_err(|error| self.failed(load, error))?;
        come_to_rest(self.device.as_mut(), SimTime::ZERO + report.simulated).map_err(|error| {
            LabError::Prepare {
                drive: self.file.slug().to_owned(),
                error,
            }
        })?;
        self.written_bytes += self.device.counters().host_bytes_written - before;
        self.move_on(load, report.submitted * load.block_bytes);
        Ok(report)
    }

    /// Writes bytes of a load without time, for the rest of a stretch or the preconditioning.
    fn write(&mut self, load: Load, bytes: u64) -> Result<(), LabError> {
        let mut job = self.job(load);
        job.length.io_size = Some(Size::Bytes(bytes));
        let file = JobFile {
            jobs: vec![job],
            ignored: Vec::new(),
        };
        let seed = self.next_seed();
        let before = self.device.counters().host_bytes_written;
        let mut target = Target::one(self.device.as_mut());
        driver::run_on(&file, &mut target, Clock::Untimed, seed, self.watch)
            .map_err(|error| self.failed(load, error))?;
        let written = self.device.counters().host_bytes_written - before;
        self.written_bytes += written;
        self.move_on(load, written);
        Ok(())
    }

    /// The load as a job without an end.
    pub fn job(&self, load: Load) -> JobSpec {
        let source = Source {
            file: "pts".to_owned(),
            line: 1,
        };
        JobSpec {
            pattern: Pattern {
                kind: load.kind(),
                random: load.random,
                norandommap: true,
                rwmixread: load.read_pct,
                ..Pattern::default()
            },
            sizes: BlockSizes {
                bs: PerKind::all(load.block_bytes),
                bs_max: PerKind::all(load.block_bytes),
                ..BlockSizes::default()
            },
            region: Region {
                size: Some(Size::Percent(self.settings.active_range_pct)),
                begin_bytes: self.heads[usize::from(load.read_pct == 0)],
                ..Region::default()
            },
            submission: Submission {
                iodepth: load.outstanding,
                ..Submission::default()
            },
            ..JobSpec::new("pts", source)
        }
    }

    /// Moves the beginning of the next requests in order behind those of a load.
    fn move_on(&mut self, load: Load, bytes: u64) {
        if load.random {
            return;
        }
        let range = self.file.capacity_bytes() / 100 * u64::from(self.settings.active_range_pct);
        let whole = (range / load.block_bytes).max(1) * load.block_bytes;
        let head = &mut self.heads[usize::from(load.read_pct == 0)];
        *head = (*head + bytes) % whole / SECTOR_BYTES * SECTOR_BYTES;
    }

    fn next_seed(&mut self) -> RootSeed {
        self.stretches += 1;
        self.seed.derive(&format!("stretch/{}", self.stretches))
    }

    fn failed(&self, load: Load, error: DriverError) -> LabError {
        LabError::Run {
            run: format!("{} pts, {}", self.file.slug(), load.words()),
            error: Box::new(error),
        }
    }
}

/// `the first 75 % of the drive`.
fn range_words(percent: u8) -> String {
    match percent {
        100 => "the whole drive".to_owned(),
        part => format!("the first {part} % of the drive"),
    }
}

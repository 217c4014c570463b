//! The figures that pin a number of a drive, each with the job that measures it in the model.

use super::flash;
use super::measured::Measured;
use super::numbers::Number;
use super::types::CalibrateError;
use ftlab_base::RootSeed;
use ftlab_drive::{Device, DriveFile};
use ftlab_states::{PrepareError, State};

/// Commands of a latency; all but those at a page's border take the same.
const LATENCY_COMMANDS: u64 = 4000;

/// The least that is written in order: a few buffers and superblocks.
const WRITTEN_BYTES_MIN: u64 = 1_000_000_000;

/// The share of a new drive without a cache that is written to measure how fast the controller takes small writes.
const FRESH_SHARE: f64 = 0.05;

/// Shares of a drive that random writes in a steady state write before they are measured, and meanwhile.
const STEADY_SHARES: [f64; 2] = [0.03, 0.12];

/// The same of writes in order over a full drive with a cache.
const PAST_SHARES: [f64; 2] = [0.1, 0.2];

/// What is written to a new drive before its rate past the cache is measured, as a multiple of the cache, and the share of the drive
/// that is written then.
const PAST_CACHE: f64 = 1.15;
const PAST_SHARE: f64 = 0.05;

/// The share of a cache that is written to measure how fast it takes data.
const CACHED_SHARE: f64 = 0.4;

/// The kind of figure that a job measures. Their order is that in which they are fitted: how fast the flash programs
/// and how much of it there is decides what the later ones meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The rate of writes in order to a new drive, into its cache of SLC if it has one.
    FreshWrite,
    /// The rate of writes in order, which the flash limits.
    SequentialWrite,
    /// The rate of writes in order to a new drive behind its cache of SLC, which the flash limits.
    PastCacheWrite,
    /// The rate of random writes to a new drive, into its cache of SLC if it has one: the controller limits it.
    FreshRandomWrite,
    /// The rate of random writes, once more of them change nothing.
    RandomWrite,
    /// The rate of reads in order.
    SequentialRead,
    /// The rate of random reads.
    RandomRead,
    /// The latency of one read at a time.
    Read,
    /// The latency of one write at a time.
    Write,
}

/// The least that a program or a read of the array can take.
const LEAST_ARRAY_US: f64 = 1.0;
/// The least that a core can take for a command.
const LEAST_COMMAND_US: f64 = 0.01;

/// A time in microseconds.
const fn time(key: &'static str, least: f64) -> Number {
    Number {
        key,
        unit: "us",
        least,
        is_rate: false,
    }
}

/// The time of the array for a read, where the controller alone cannot explain a figure of reads.
pub const ARRAY_READ: Number = time("nand.t_read", LEAST_ARRAY_US);

/// The least rate of a link that is looked for.
const LEAST_LINK_MB_S: f64 = 10.0;

impl Kind {
    /// The number that it fits.
    pub(super) fn number(self) -> Number {
        match self {
            Kind::FreshWrite => time("slc.t_program", LEAST_ARRAY_US),
            Kind::SequentialWrite | Kind::PastCacheWrite => time("nand.t_program", LEAST_ARRAY_US),
            Kind::FreshRandomWrite => time("firmware.write_command", LEAST_COMMAND_US),
            Kind::RandomWrite => Number {
                key: "nand.blocks_per_die",
                unit: "1",
                least: 1.0,
                is_rate: true,
            },
            Kind::SequentialRead => Number {
                key: "link.rate",
                unit: "MB/s",
                least: LEAST_LINK_MB_S,
                is_rate: true,
            },
            Kind::RandomRead => time("firmware.read_command", LEAST_COMMAND_US),
            Kind::Read => time("firmware.read_pipeline", 0.0),
            Kind::Write => time("firmware.write_pipeline", 0.0),
        }
    }

    /// The figure's name and unit.
    pub(super) fn figure(self) -> [&'static str; 2] {
        match self {
            Kind::FreshWrite => ["sequential writes, new drive", "MB/s"],
            Kind::SequentialWrite => ["sequential writes", "MB/s"],
            Kind::PastCacheWrite => ["sequential writes, past the cache", "MB/s"],
            Kind::FreshRandomWrite => ["random writes, new drive", "IOPS"],
            Kind::RandomWrite => ["random writes", "IOPS"],
            Kind::SequentialRead => ["sequential reads", "MB/s"],
            Kind::RandomRead => ["random reads", "IOPS"],
            Kind::Read => ["read latency", "us"],
            Kind::Write => ["write latency", "us"],
        }
    }

    /// What a run gives, as people read it: a rate is a time turned over.
    pub(super) fn shown(self, time: f64) -> f64 {
        match self {
            Kind::Read | Kind::Write => time,
            _ => 1.0 / time,
        }
    }

    /// True for what reads.
    pub(super) fn reads(self) -> bool {
        matches!(self, Kind::SequentialRead | Kind::RandomRead | Kind::Read)
    }

    /// True for a rate of small commands.
    pub(super) fn is_of_commands(self) -> bool {
        matches!(
            self,
            Kind::FreshRandomWrite | Kind::RandomWrite | Kind::RandomRead
        )
    }

    /// The time that a rate is turned over to: of a megabyte, or of a command in seconds; latencies are in microseconds.
    pub(super) fn time(self, bytes_per_s: f64, iops: f64, latency_us: f64) -> f64 {
        match self {
            Kind::Read | Kind::Write => latency_us,
            _ if self.is_of_commands() => 1.0 / iops,
            _ => 1e6 / bytes_per_s,
        }
    }

    /// Brings a new drive to where the figure is measured.
    pub(super) fn prepare(
        self,
        device: &mut dyn Device,
        seed: RootSeed,
    ) -> Result<(), CalibrateError> {
        let to = match self {
            Kind::FreshWrite | Kind::PastCacheWrite | Kind::FreshRandomWrite => return Ok(()),
            Kind::RandomWrite => State::SteadyFast,
            _ => State::Filled,
        };
        let there = ftlab_states::prepare(device, State::New, to, seed);
        if let Err(PrepareError::NoFastStart(_)) = there {
            ftlab_states::prepare(device, State::New, State::Steady, seed)?;
        } else {
            there?;
        }
        Ok(())
    }

    /// The lines of the job whose last section measures it on a drive that is `times` smaller than the one that was measured.
    pub(super) fn job(self, figure: &Measured, small: &DriveFile, times: f64) -> String {
        let Measured {
            block_bytes,
            depth,
            jobs,
            ..
        } = figure;
        let head = format!("bs={block_bytes}\niodepth={depth}\nnumjobs={jobs}\nsize=100%\n");
        // For as long as shares of the drive take at a rate.
        let timed = |shares: [f64; 2], bytes_per_s: f64| {
            let ms = shares.map(|share| share * small.capacity_bytes() as f64 / bytes_per_s * 1e3);
            let [ramp, run] = ms;
            format!("time_based\nramp_time={ramp:.0}ms\nruntime={run:.0}ms")
        };
        // What a job writes to a new drive: a part of its cache, if it has one.
        let fresh = || {
            let bytes = match small.cache_bytes() {
                None | Some(0) => FRESH_SHARE * small.capacity_bytes() as f64,
                Some(cache) => CACHED_SHARE * cache as f64,
            };
            ((bytes / f64::from(*jobs)) as u64).max(*block_bytes)
        };
        let what = match self {
            Kind::FreshWrite => format!("rw=write\nio_size={}", fresh()),
            // Past the cache: what it holds is written first.
            Kind::SequentialWrite if flash::has_cache(small) => {
                format!("rw=write\n{}", timed(PAST_SHARES, figure.value * 1e6))
            }
            Kind::PastCacheWrite => {
                let of_cache = small.cache_bytes().unwrap_or_default() as f64;
                let of_drive = small.capacity_bytes() as f64;
                let [begin, bytes] = [PAST_CACHE * of_cache, PAST_SHARE * of_drive]
                    .map(|bytes| (bytes.min(of_drive / 2.0) / *block_bytes as f64) as u64)
                    .map(|blocks| blocks.max(1) * block_bytes);
                format!(
                    "rw=write\nio_size={begin}\n[past]\nstonewall\n{head}rw=write\noffset={begin}\nio_size={bytes}"
                )
            }
            Kind::SequentialWrite => {
                let bytes = (figure.bytes as f64 / times) as u64;
                format!("rw=write\nio_size={}", bytes.max(WRITTEN_BYTES_MIN))
            }
            Kind::FreshRandomWrite => format!("rw=randwrite\nnorandommap\nio_size={}", fresh()),
            Kind::RandomWrite => {
                let rate = figure.value * *block_bytes as f64;
                format!("rw=randwrite\nnorandommap\n{}", timed(STEADY_SHARES, rate))
            }
            Kind::SequentialRead => "rw=read\ntime_based\nramp_time=2ms\nruntime=60ms".to_owned(),
            Kind::RandomRead => {
                "rw=randread\nnorandommap\ntime_based\nramp_time=2ms\nruntime=20ms".to_owned()
            }
            Kind::Read => format!("rw=randread\nnorandommap\nnumber_ios={LATENCY_COMMANDS}"),
            Kind::Write => format!("rw=randwrite\nnorandommap\nnumber_ios={LATENCY_COMMANDS}"),
        };
        format!("[measured]\n{head}{what}\n")
    }
}

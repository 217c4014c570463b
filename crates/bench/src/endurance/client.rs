//! Writes that wear a drive, and their write amplification.

use super::{EnduranceError, fill};
use crate::proportion::in_proportion;
use ftlab_base::{CommandId, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::{Device, DriveFile, Scale};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, DeviceShape};
use ftlab_states::watch::Watch;
use ftlab_workload::{JobFile, JobStream, Request};

/// 4 KiB anywhere on the drive: name and text of the job file.
pub const RANDOM: (&str, &str) = (
    "jobs/uniform-random-4k.fio",
    include_str!("../../jobs/uniform-random-4k.fio"),
);

/// 128 KiB in order, over and over: name and text of the job file.
pub const SEQUENTIAL: (&str, &str) = (
    "jobs/sequential-writes.fio",
    include_str!("../../jobs/sequential-writes.fio"),
);

/// A client's writes: name and text of the job file.
pub const CLIENT: (&str, &str) = (
    "jobs/client-workload.fio",
    include_str!("../../jobs/client-workload.fio"),
);

/// Superblocks of a group that are enough to collect from.
const SUPERBLOCKS: u32 = 1024;

/// Drive sizes that the host writes, half of them before anything is counted.
const SIZES: u64 = 2;

/// Turns of the jobs between two calls of the watch, which may end the work.
const TURNS_A_LOOK: u64 = 1 << 16;

/// NAND bytes programmed for a byte that a job writes, on a drive that was filled once: over the
/// second half of two drive sizes, or of `programs_max`, since a drive that moves most of what it holds
/// for every write is soon settled. A page-mapped drive gets fewer blocks, and
/// the job's regions shrink with it.
///
/// # Errors
/// When the drive cannot be built, the job does not fit it, or it cannot be filled.
pub fn write_amplification(
    file: &DriveFile,
    job: &JobFile,
    programs_max: u64,
    testbed: &Testbed,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<f64, EnduranceError> {
    let extent = file.extent()?;
    let blocks = if extent.is_block_mapped {
        1
    } else {
        (extent.superblocks / SUPERBLOCKS).max(1)
    };
    let scaled = file.scaled(Scale {
        blocks,
        ..Scale::FULL
    })?;
    let mut device = scaled.build(testbed, seed)?;
    fill(device.as_mut(), seed, watch)?;
    let of_size = scaled.capacity_bytes() as f64 / file.capacity_bytes() as f64;
    let mut job = in_proportion(job, of_size);
    job.keep_orders(seed);
    write(device.as_mut(), &job, programs_max, seed, watch)
}

fn write(
    device: &mut dyn Device,
    job: &JobFile,
    programs_max: u64,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<f64, EnduranceError> {
    let bytes = device.capacity_sectors() * SECTOR_BYTES;
    let jobs = driver::resolve(job, DeviceShape::of("", device), driver::Clock::Untimed)?;
    let start = device.counters();
    let mut half = None;
    let mut pass = 0;
    loop {
        let seed = seed.derive(&format!("client pass {pass}"));
        let mut streams: Vec<JobStream> =
            jobs.iter().map(|job| JobStream::new(job, seed)).collect();
        for turns in 0_u64.. {
            if streams.is_empty() {
                break;
            }
            if turns.is_multiple_of(TURNS_A_LOOK) {
                watch("writing", None)?;
            }
            turn(device, &mut streams)?;
            let now = device.counters();
            let done = now.since(&start);
            let reached = |parts: u64| {
                done.host_bytes_written * parts >= SIZES * bytes
                    || done.nand_programs * parts >= programs_max
            };
            // The first half brings the drive to its steady state and is not counted.
            if half.is_none() && reached(2) {
                half = Some(now);
            }
            if let Some(half) = half.filter(|_| reached(1)) {
                return Ok(now.since(&half).write_amplification());
            }
        }
        pass += 1;
    }
}

/// A request of each job that has one left.
fn turn(device: &mut dyn Device, streams: &mut Vec<JobStream>) -> Result<(), EnduranceError> {
    let mut refused = false;
    streams.retain_mut(|stream| {
        let Some(request) = stream.next() else {
            return false;
        };
        let outcome = device.apply(request.command(CommandId(0), SimTime::ZERO));
        if stream.flushes_behind(&request) {
            device.apply(Request::FLUSH.command(CommandId(0), SimTime::ZERO));
        }
        refused |= outcome == Outcome::WriteFault;
        true
    });
    if refused {
        return Err(EnduranceError::Refused(device.fault().unwrap_or_default()));
    }
    Ok(())
}

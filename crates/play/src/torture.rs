//! A long job that only wears the drive, in less time than it would take with a clock.
//!
//! The job's time is cut into minutes. The first second of each runs with time, which tells how fast
//! the drive is by now; the rest runs without, with as many bytes for each second as were moved in
//! that one. So the drive is written as much as in a run with time, to the extent that one second of
//! a minute is like the others, and is in the state that N writes leave.

use crate::driver::{self, Clock, DriverError, Target};
use ftlab_base::{Nanos, RootSeed, SimTime};
use ftlab_drive::Device;
use ftlab_states::watch::Watch;
use ftlab_states::{PrepareError, come_to_rest};
use ftlab_workload::{JobFile, Size};

/// Seconds of a part, of which the first runs with time.
const PART_S: u64 = 60;

/// Reason why the job could not be run to its end.
pub enum Torn {
    /// A part cannot be run.
    Run(DriverError),
    /// The drive does not come to rest.
    Rest(PrepareError),
}

/// Runs the one job of `file`, which only its time ends, to its end, unless `watch` ends it.
///
/// # Errors
/// When a part cannot be run, the drive does not come to rest, or `watch` ends it.
pub fn torture(
    file: &JobFile,
    device: &mut dyn Device,
    seed: RootSeed,
    watch: &Watch<'_>,
) -> Result<(), Torn> {
    let run = |file: &JobFile, device: &mut dyn Device, clock, seed| {
        driver::run_on(file, &mut Target::one(device), clock, seed, watch).map_err(Torn::Run)
    };
    // Each part has numbers of its own, and hot blocks are those of the whole.
    let mut file = file.clone();
    file.keep_orders(seed);
    let file = &file;
    let whole = file.jobs[0].length.runtime.unwrap_or(Nanos::ZERO).0;
    let part = Nanos::from_secs(PART_S).0;
    for n in 0..whole.div_ceil(part) {
        let rest_s = (whole - n * part)
            .min(part)
            .saturating_sub(Nanos::from_secs(1).0)
            / 1_000_000_000;
        let timed = with_time(file, Nanos::from_secs(1));
        let seed = seed.derive(&format!("part/{n}"));
        let report = run(&timed, device, Clock::Timed, seed)?;
        come_to_rest(device, SimTime::ZERO + report.simulated).map_err(Torn::Rest)?;
        let written = report.counters().host_bytes_written;
        if written > 0 && rest_s > 0 {
            let rest = of_amount(file, written * rest_s);
            let seed = seed.derive("rest");
            run(&rest, device, Clock::Untimed, seed)?;
        }
    }
    Ok(())
}

fn with_time(file: &JobFile, runtime: Nanos) -> JobFile {
    let mut file = file.clone();
    for job in &mut file.jobs {
        job.length.runtime = Some(runtime);
    }
    file
}

fn of_amount(file: &JobFile, bytes: u64) -> JobFile {
    let mut file = file.clone();
    for job in &mut file.jobs {
        (job.length.time_based, job.length.runtime) = (false, None);
        job.length.io_size = Some(Size::Bytes(bytes));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::fake::Fake;

    #[test]
    fn as_much_is_written_as_with_time() {
        let text = "[w]\nrw=randwrite\nnorandommap\ntime_based\nruntime=150";
        let file = JobFile::parse(text, "test.fio").unwrap();
        // 10 000 writes of 4 KiB a second.
        let mut device = Fake::new(1 << 16);
        let watch = ftlab_states::watch::nobody;
        torture(&file, &mut device, RootSeed(1), &watch)
            .ok()
            .unwrap();
        let written = device.counters().host_bytes_written / 4096;
        let expected = 150 * 10_000;
        assert!(written.abs_diff(expected) < 200, "{written}");
    }
}

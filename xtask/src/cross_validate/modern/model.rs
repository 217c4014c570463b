//! The model under an offered rate, as the drives were measured.

use super::measured::{Figures, SERVED};
use anyhow::{Context, Result};
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::record::Record;
use ftlab_play::states::{self, State};
use ftlab_workload::JobFile;

const SEED: ftlab_base::RootSeed = ftlab_base::RootSeed(1);

/// The capacity to which a drive is shrunk; larger ones keep as many blocks as they have.
const SMALL_BYTES: u64 = 16_000_000_000;

/// The machine that the drives were measured in.
const TESTBED: &str = "linux-2024-nvme";

/// Jobs that write, and writes and reads a second of the probe beside them.
const JOBS: u64 = 6;
const PROBE_WRITES: u64 = 4_990;
const PROBE_READS: u64 = 5_000;

/// Writes of the load for each of its reads.
const WRITES_A_READ: u64 = 99;

/// What is measured of reads and writes, and their percentiles.
pub const PERCENTILES: [(f64, &str); 3] = [(50.0, "p50"), (99.0, "p99"), (99.9, "p999")];

/// The job of a rate, as `jobs/offered-50k.fio` is of its own.
fn job(rate: u64) -> String {
    let load = rate.saturating_sub(PROBE_WRITES);
    let each = (load / JOBS).max(1);
    let reads = (load / WRITES_A_READ).max(1);
    format!(
        "[global]\nbs=4k\niodepth=64\nnorandommap\nsize=100%\ntime_based\nruntime=3\nramp_time=500ms\nrate_process=poisson\n\
         [load]\nrw=randwrite\nnumjobs={JOBS}\ngroup_reporting\nrate_iops={each}\n\
         [reads]\nrw=randread\nrate_iops={reads}\n\
         [probe]\nrw=randrw\nrwmixread=50\nrate_iops={PROBE_READS},{PROBE_WRITES}\nrate_process=linear\n"
    )
}

/// The figures of a drive that is steady, at a rate.
pub fn at(file: &DriveFile, rate: u64) -> Result<Figures> {
    let (small, _) = file.shrunk_to(SMALL_BYTES)?;
    let mut device = small.build(&Testbed::load(TESTBED)?, SEED)?;
    states::prepare(&mut *device, State::New, State::SteadyFast, SEED)?;
    let job = JobFile::parse(&job(rate), "offered.fio")?;
    let report = driver::run(&job, &mut *device, Clock::Timed, SEED)?;
    let run = Record::of_jobs(&job, &report).run;
    let mut figures = Figures::from([(SERVED.to_owned(), run.write.iops)]);
    let probe = run
        .jobs
        .iter()
        .find(|job| job.name == "probe")
        .context("there is a probe")?;
    for (side, traffic) in [("read", &probe.read), ("write", &probe.write)] {
        for (percent, short) in PERCENTILES {
            let found = traffic
                .lat_ns_percentiles
                .iter()
                .find(|(of, _)| *of == percent);
            let (_, ns) = found.context("it has fio's percentiles")?;
            figures.insert(format!("{side}_lat_{short}_us"), *ns as f64 / 1e3);
        }
    }
    Ok(figures)
}

//! The model under an offered rate, as the drives were measured.

use super::measured::{Figures, SERVED};
use anyhow::{Context, Result, ensure};
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::record::Record;
use ftlab_states::State;
use ftlab_workload::JobFile;

const SEED: ftlab_base::RootSeed = ftlab_base::RootSeed(1);

/// The capacity to which a drive is shrunk; larger ones keep as many blocks as they have.
const SMALL_BYTES: u64 = 16_000_000_000;

/// The machine that the drives were measured in.
const TESTBED: &str = "linux-2024-nvme";

/// The job of a rate of 50,000, and the words of it that are of the rate: writes of each job and reads beside them.
const JOB: &str = include_str!("../../../../jobs/offered-50k.fio");
const RATES: [&str; 2] = ["rate_iops=7425\n", "rate_iops=450\n"];

/// Jobs that write, and writes a second of the probe beside them.
const JOBS: u64 = 6;
const PROBE_WRITES: u64 = 5_000;

/// Requests of the load of which one is a read.
const REQUESTS_A_READ: u64 = 100;

/// What is measured of reads and writes, and their percentiles.
pub const PERCENTILES: [(f64, &str); 3] = [(50.0, "p50"), (99.0, "p99"), (99.9, "p999")];

/// Times that the used part of a drive is overwritten before its write amplification is read, which one more shows.
const OVERWRITES: u32 = 4;

/// Write amplification of random writes to a share of a drive, which the rest of it never sees.
pub fn steady_amplification(file: &DriveFile, used: f64) -> Result<f64> {
    let (small, _) = file.shrunk_to(SMALL_BYTES)?;
    let mut device = small.build(&Testbed::load(TESTBED)?, SEED)?;
    let percent = (100.0 * used).round();
    let writes = |name: &str, rw: &str, loops: u32| {
        let text =
            format!("[{name}]\nrw={rw}\nbs=4k\nnorandommap\nsize={percent}%\nloops={loops}\n");
        Ok::<JobFile, anyhow::Error>(JobFile::parse(&text, "overwrites.fio")?)
    };
    for job in [
        writes("fill", "write", 1)?,
        writes("age", "randwrite", OVERWRITES)?,
    ] {
        driver::run(&job, &mut *device, Clock::Untimed, SEED)?;
    }
    let job = writes("measured", "randwrite", 1)?;
    let report = driver::run(&job, &mut *device, Clock::Untimed, SEED)?;
    Record::of_jobs(&job, &report)
        .run
        .wa()
        .context("it writes to flash")
}

/// The job of another rate.
fn job(rate: u64) -> Result<String> {
    let load = rate.saturating_sub(PROBE_WRITES);
    let mut text = JOB.to_owned();
    let reads = load / REQUESTS_A_READ;
    for (word, rate) in RATES.into_iter().zip([(load - reads) / JOBS, reads]) {
        ensure!(text.contains(word), "jobs/offered-50k.fio has no {word}");
        text = text.replace(word, &format!("rate_iops={}\n", rate.max(1)));
    }
    Ok(text)
}

/// The figures of a drive that is steady, at a rate.
pub fn at(file: &DriveFile, rate: u64) -> Result<Figures> {
    let (small, _) = file.shrunk_to(SMALL_BYTES)?;
    let mut device = small.build(&Testbed::load(TESTBED)?, SEED)?;
    ftlab_states::prepare(&mut *device, State::New, State::SteadyFast, SEED)?;
    let job = JobFile::parse(&job(rate)?, "offered.fio")?;
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

//! Figures of a real drive, each for one number of a drive file; as fio's JSON has them.

use super::kind::Kind;
use super::types::CalibrateError;
use ftlab_readings::fio::{FioJob, Output};
use std::collections::BTreeMap;

/// Words of a job that decide what its figure means; all others must be in [`HARMLESS`].
const DECISIVE: [&str; 7] = [
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "iodepth",
    "numjobs",
    "direct",
];

/// Words that leave a figure what it is: where the drive is, how the system is asked, for how long, what is logged.
const HARMLESS: [&str; 31] = [
    "name",
    "filename",
    "ioengine",
    "runtime",
    "time_based",
    "ramp_time",
    "size",
    "filesize",
    "io_size",
    "number_ios",
    "loops",
    "offset",
    "norandommap",
    "randrepeat",
    "randseed",
    "random_generator",
    "invalidate",
    "thread",
    "group_reporting",
    "stonewall",
    "wait_for_previous",
    "percentile_list",
    "lat_percentiles",
    "clat_percentiles",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "log_avg_msec",
    "refill_buffers",
    "cpus_allowed",
    "numa_mem_policy",
];

/// From this block size on a job in order shows what the flash takes.
const LARGE_BYTES: u64 = 64 << 10;

/// One figure of a real drive, from one job of fio or from its data sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The file that it is from.
    pub source: String,
    /// Ids of the figure in the tables of references, or the file.
    pub from: Vec<String>,
    /// The kind of the figure, by the job's pattern and depth.
    pub kind: Kind,
    /// Bytes of a command.
    pub block_bytes: u64,
    /// Commands outstanding at once: fio's `iodepth`.
    pub depth: u32,
    /// Jobs that do so side by side: fio's `numjobs`.
    pub jobs: u32,
    /// Bytes that the job moved in all.
    pub bytes: u64,
    /// MB/s in order, commands a second at random, or the mean latency in microseconds.
    pub value: f64,
}

/// Bytes of a command in order, and of one at random, where makers measure rates.
const ANNOUNCED_BYTES: [u64; 2] = [128 << 10, 4096];
/// Jobs of small commands there, at most.
const ANNOUNCED_JOBS: u32 = 8;

impl Measured {
    /// A figure as makers announce it, with commands outstanding over all jobs.
    #[must_use]
    pub fn announced(kind: Kind, value: f64, outstanding: u32) -> Measured {
        let [large, small] = ANNOUNCED_BYTES;
        let jobs = ANNOUNCED_JOBS.min(outstanding);
        let (block_bytes, depth, jobs) = match kind {
            Kind::Read | Kind::Write => (small, 1, 1),
            kind if kind.is_of_commands() => (small, outstanding / jobs, jobs),
            _ => (large, outstanding, 1),
        };
        Measured {
            source: "announced".to_owned(),
            from: Vec::new(),
            kind,
            block_bytes,
            depth,
            jobs,
            bytes: 0,
            value,
        }
    }

    /// Reads what `fio --output-format=json` wrote into the file `source`.
    ///
    /// # Errors
    /// When it is something else, or a figure that fits no number of a drive file.
    pub fn read(source: &str, text: &str) -> Result<Measured, CalibrateError> {
        let wrong = |why: String| CalibrateError::Input(format!("{source}: {why}"));
        let output = Output::parse(text).map_err(|error| {
            wrong(format!(
                "this is not what `fio --output-format=json` writes: {error}"
            ))
        })?;
        let [job] = &output.jobs[..] else {
            let count = output.jobs.len();
            return Err(wrong(format!(
                "it has {count} jobs, and a figure is from one: run each by itself"
            )));
        };
        let wrong = |why: String| wrong(format!("job {}: {why}", job.name));
        if job.error != 0 {
            return Err(wrong(format!("it ended with error {}", job.error)));
        }
        let mut words = output.global.clone();
        words.extend(job.options.clone());
        measured(source, job, &words).map_err(wrong)
    }
}

fn measured(
    source: &str,
    job: &FioJob,
    words: &BTreeMap<String, String>,
) -> Result<Measured, String> {
    let known = |word: &&String| {
        let word = word.as_str();
        DECISIVE.contains(&word) || HARMLESS.contains(&word)
    };
    if let Some(other) = words.keys().find(|word| !known(word)) {
        return Err(format!(
            "it says {other}, which the model is not asked to repeat: measure without it"
        ));
    }
    let word = |names: [&str; 2]| names.iter().find_map(|name| words.get(*name));
    if words.get("direct").is_none_or(|direct| direct != "1") {
        return Err(
            "it goes through the operating system's cache: measure with direct=1".to_owned(),
        );
    }
    let count = |name: &str| match words.get(name) {
        None => Ok(1),
        Some(text) => text
            .parse()
            .map_err(|_| format!("its {name} is {text:?}, which is no count")),
    };
    let (depth, jobs): (u32, u32) = (count("iodepth")?, count("numjobs")?);
    let rw = word(["rw", "readwrite"]).map_or("read", String::as_str);
    let traffic = if rw.contains("write") {
        &job.write
    } else {
        &job.read
    };
    if traffic.total_ios == 0 {
        return Err("it has done nothing".to_owned());
    }
    // What it did counts: all of its commands are of one size.
    let block_bytes = traffic.io_bytes / traffic.total_ios;
    let alone = depth == 1 && jobs == 1;
    let kind = match rw {
        "write" if block_bytes >= LARGE_BYTES && jobs == 1 => Kind::SequentialWrite,
        "randread" if alone => Kind::Read,
        "randwrite" if alone => Kind::Write,
        _ => {
            return Err(format!(
                "rw={rw} with {block_bytes} bytes a command, iodepth={depth} and numjobs={jobs} tells no number by itself: give \
                 rw=write with bs of 64k or more, or rw=randread or rw=randwrite with iodepth=1"
            ));
        }
    };
    let value = match kind {
        Kind::SequentialWrite => traffic.bw_bytes / 1e6,
        _ => traffic.latency.mean_ns() / 1e3,
    };
    if !(value.is_finite() && value > 0.0) {
        return Err("it took no time".to_owned());
    }
    Ok(Measured {
        source: source.to_owned(),
        from: vec![source.to_owned()],
        kind,
        block_bytes,
        depth,
        jobs,
        bytes: traffic.io_bytes,
        value,
    })
}

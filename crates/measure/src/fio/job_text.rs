//! Job files for fio, made of jobs that ftlab has read: the same words, with those that say where and how left to the bench.

use ftlab_base::Nanos;
use ftlab_workload::{Effect, JobFile, JobSpec, Size, described};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// The beginning of the names of fio's logs.
pub(super) const LOGS: &str = "series";

/// Words of a job that the bench writes itself, as the drive, the machine and the length of the run decide them.
const OURS: [&str; 35] = [
    "name",
    "filename",
    "directory",
    "ioengine",
    "iodepth",
    "direct",
    "buffered",
    "thread",
    "size",
    "runtime",
    "time_based",
    "number_ios",
    "loops",
    "ramp_time",
    "numjobs",
    "stonewall",
    "wait_for_previous",
    "exec_prerun",
    "cpus_allowed",
    "cpus_allowed_policy",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
    "write_hist_log",
    "write_iolog",
    "log_hist_msec",
    "log_hist_coarseness",
    "log_max_value",
    "description",
    "filename_format",
    "log_avg_msec",
    "per_job_logs",
    "lat_percentiles",
    "clat_percentiles",
    "percentile_list",
];

/// Length of an interval of the logs.
const LOG_MS: u32 = 1000;

/// fio's engine for exports of NBD servers.
pub(super) const NBD: &str = "nbd";

/// What is alike for all jobs of a machine.
#[derive(Debug, Clone)]
pub struct Common {
    /// The word of fio's that says where the drive is, for its engine.
    pub place: &'static str,
    /// The path or address of the drive.
    pub path: PathBuf,
    /// fio's engine.
    pub engine: &'static str,
    /// The processors that jobs run on, as fio and the kernel list them.
    pub processors: String,
    /// Words that the installed fio knows.
    pub known: BTreeSet<String>,
    /// Root of its random numbers.
    pub seed: u64,
}

impl Common {
    /// The word for fio's engine: of the two kinds of flush, a server has the one that is for all.
    fn word<'a>(&self, key: &'a str) -> &'a str {
        match key {
            "fdatasync" if self.engine == NBD => "fsync",
            key => key,
        }
    }
}

type Keys = Vec<(String, String)>;

/// Jobs in fio's words, without what [`Common`] has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobText {
    sections: Vec<(String, Keys)>,
    /// Words of a file that have no effect on modelled drives. A real one is not to do what a model does not, and some of
    /// fio's words make, lengthen or remove files, run programs or set up the machine.
    without_effect: BTreeSet<String>,
}

impl JobText {
    /// One job.
    #[must_use]
    pub fn new(name: &str, keys: &[(&str, String)]) -> JobText {
        let mut text = JobText::default();
        text.push(name, keys);
        text
    }

    /// Adds a job.
    pub fn push(&mut self, name: &str, keys: &[(&str, String)]) {
        let keys = keys
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        self.sections.push((name.to_owned(), keys.collect()));
    }

    /// The jobs of a file. Clones are fio's to make.
    #[must_use]
    pub fn of(file: &JobFile) -> JobText {
        let words = described().into_iter();
        let words = words.filter(|word| matches!(word.effect, Effect::Does(_)));
        let words: BTreeSet<&str> = words.flat_map(|word| word.names).collect();
        let mut text = JobText::default();
        for job in file.jobs.iter().filter(|job| job.clones.clone_index == 0) {
            let (keys, others): (Keys, Keys) = keys_of(job)
                .into_iter()
                .partition(|(key, _)| words.contains(key.as_str()));
            text.sections.push((job.name.clone(), keys));
            text.without_effect
                .extend(others.into_iter().map(|(key, _)| key));
        }
        text
    }

    /// The job file, and the words that are left out: the installed fio does not have them, or they have no effect on a
    /// model.
    #[must_use]
    pub fn render(&self, common: &Common, with_logs: bool) -> (String, BTreeSet<String>) {
        let mut text = String::new();
        let mut unknown = self.without_effect.clone();
        let mut line = |key: &str, value: &str| {
            // A string takes whatever is written to it.
            let _ = writeln!(text, "{key}={value}");
        };
        let path = common.path.to_string_lossy();
        let seed = common.seed.to_string();
        let log_ms = LOG_MS.to_string();
        line(&format!("[global]\n{}", common.place), &path);
        for (key, value) in [
            ("ioengine", common.engine),
            ("direct", "1"),
            ("thread", "1"),
            ("allow_file_create", "0"),
            ("cpus_allowed", &common.processors),
            ("cpus_allowed_policy", "split"),
            ("randseed", &seed),
            ("lat_percentiles", "1"),
            ("clat_percentiles", "0"),
        ] {
            line(key, value);
        }
        if with_logs {
            for (key, value) in [
                ("write_bw_log", LOGS),
                ("write_iops_log", LOGS),
                ("log_avg_msec", &log_ms),
                ("per_job_logs", "0"),
                ("log_unix_epoch", "1"),
            ] {
                line(key, value);
            }
        }
        for (name, keys) in &self.sections {
            line(&format!("\n[{name}]\ndescription"), name);
            for (key, value) in keys {
                let key = common.word(key);
                match common.known.contains(key) {
                    true => line(key, value),
                    false => drop(unknown.insert(key.to_owned())),
                }
            }
        }
        (text, unknown)
    }
}

/// The words of a job as it is to run: what its file says, but for what the length of the run or the drive changes.
fn keys_of(job: &JobSpec) -> Keys {
    let echo = job.options.global.iter().chain(&job.options.own);
    let mut keys: Keys = Vec::new();
    for (key, value) in echo.filter(|(key, _)| !OURS.contains(&key.as_str())) {
        let value = match value.as_str() {
            "" => "1".to_owned(),
            value => value.to_owned(),
        };
        // As in fio, the last of several counts.
        keys.retain(|(other, _)| other != key);
        keys.push((key.clone(), value));
    }
    let mut put = |key: &str, value: String| keys.push((key.to_owned(), value));
    let us = |span: Nanos| format!("{}us", span.0 / 1000);
    put("iodepth", job.submission.iodepth.to_string());
    put("numjobs", job.clones.numjobs.to_string());
    match job.region.size {
        Some(Size::Bytes(bytes)) if bytes > 0 => put("size", bytes.to_string()),
        Some(Size::Percent(percent)) => put("size", format!("{percent}%")),
        Some(Size::Bytes(_)) | None => {}
    }
    if let Some(runtime) = job.length.runtime {
        put("runtime", us(runtime));
    }
    if let Some(ios) = job.length.number_ios {
        put("number_ios", ios.to_string());
    }
    for (key, is_on) in [
        ("time_based", job.length.time_based),
        ("stonewall", job.order.stonewall),
    ] {
        if is_on {
            put(key, "1".to_owned());
        }
    }
    if job.length.loops > 1 {
        put("loops", job.length.loops.to_string());
    }
    if job.length.ramp_time > Nanos::ZERO {
        put("ramp_time", us(job.length.ramp_time));
    }
    // The program that it runs is none that a file names.
    if job.order.rest > Nanos::ZERO {
        put("exec_prerun", format!("sleep {}", job.order.rest.as_secs()));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(known: &[&str]) -> Common {
        Common {
            place: "filename",
            path: PathBuf::from("/proc/1/fd/3"),
            engine: "libaio",
            processors: "0-1".to_owned(),
            known: known.iter().map(|word| (*word).to_owned()).collect(),
            seed: 7,
        }
    }

    #[test]
    fn a_job_keeps_its_words_and_the_bench_says_where_and_how() {
        let text = "[global]\nioengine=psync\nfilename=/dev/nvme0n1\ndirect=0\nbs=4k\nrw=read\n\
                    [a]\nrw=randwrite\nshuffle=shared\nunlink=1\nnumjobs=2\ntime_based\nruntime=3\nsize=50%\niodepth=4\n";
        let file = JobFile::parse(text, "t.fio").unwrap();
        let known = [
            "rw",
            "bs",
            "iodepth",
            "numjobs",
            "size",
            "runtime",
            "time_based",
            "unlink",
        ];
        let (text, unknown) = JobText::of(&file).render(&common(&known), false);
        assert_eq!(
            text.matches("\n[").count(),
            1,
            "fio makes the clones: {text}"
        );
        for line in [
            "filename=/proc/1/fd/3",
            "ioengine=libaio",
            "direct=1",
            "rw=randwrite",
            "bs=4k",
            "numjobs=2",
            "size=50%",
            "runtime=3000000us",
            "time_based=1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        for gone in ["nvme0n1", "psync", "rw=read\n", "shuffle", "unlink", "log"] {
            assert!(!text.contains(gone), "{gone}\n{text}");
        }
        let left_out = ["shuffle", "unlink"].map(str::to_owned);
        assert_eq!(unknown, BTreeSet::from(left_out));
    }

    #[test]
    fn a_word_that_the_bench_writes_is_read_by_ftlab_as_it_was() {
        let text = "[a]\nrw=write\nbs=8k\nsize=1m\nloops=3\nramp_time=500ms\nnumber_ios=9\n";
        let file = JobFile::parse(text, "t.fio").unwrap();
        let known = [
            "rw",
            "bs",
            "size",
            "loops",
            "ramp_time",
            "number_ios",
            "iodepth",
            "numjobs",
        ];
        let (written, _) = JobText::of(&file).render(&common(&known), false);
        let again = JobFile::parse(&written, "t.fio").unwrap();
        assert_eq!(again.jobs[0].length, file.jobs[0].length);
        assert_eq!(again.jobs[0].region, file.jobs[0].region);
        assert_eq!(again.jobs[0].pattern.kind, file.jobs[0].pattern.kind);
    }
}

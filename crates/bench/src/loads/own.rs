//! Loads that users give, and what reports show of them.

use crate::words::words;
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_result::quantity::{self, Kind, table};
use ftlab_result::{Chart, TestSheet};
use ftlab_workload::{JobFile, JobSpec, PatternKind};

/// From which block size on a job is about its data rate, in bytes.
const LARGE_BLOCK: u64 = 64 << 10;

/// Jobs that are described; a file may have thousands.
const JOBS_DESCRIBED_MAX: usize = 4;

/// A load that a user gave, and its name in results.
#[derive(Debug, Clone)]
pub struct OwnLoad {
    /// Its name in results.
    pub name: String,
    /// The load that runs on the drives.
    pub load: Load,
}

impl OwnLoad {
    /// True if its jobs have a rate of their own, so that it fixes how much is asked and a drive answers with latencies.
    #[must_use]
    pub fn has_job_rate(&self) -> bool {
        let has_rate = |job: &JobSpec| {
            let pace = &job.pace;
            let rates = [
                pace.rate.read,
                pace.rate.write,
                pace.rate_iops.read,
                pace.rate_iops.write,
            ];
            rates.iter().any(Option::is_some)
        };
        let file = self.load.job_file();
        file.is_some_and(|file| file.jobs.iter().any(has_rate))
    }

    /// True if its requests come at times of their own, whatever the drive does.
    #[must_use]
    pub fn has_rate(&self) -> bool {
        match self.load.what() {
            What::Recording(recording) => recording.pace.factor().is_some(),
            _ => self.has_job_rate(),
        }
    }

    /// The kind of request whose latency people ask about: reads, where the load has any.
    pub(crate) fn asked_for(&self) -> Kind {
        let reads = match self.load.what() {
            What::Recording(recording) => recording.scan.bytes[0] > 0,
            What::Job(file) => {
                let mut jobs = file.jobs.iter();
                jobs.any(|job| job.pattern.kind != PatternKind::Write)
            }
            _ => true,
        };
        if reads { Kind::Read } else { Kind::Write }
    }

    /// The load as a report shows it, with a clock or without.
    #[must_use]
    pub fn sheet(&self, clock: Clock) -> TestSheet {
        let (title, text) = match self.load.what() {
            What::Job(file) => (self.name.clone(), described(file)),
            What::Script(scenario) => (scenario.name.clone(), scenario.summary.clone()),
            What::Trace(trace) => (trace.name.clone(), trace.summary.clone()),
            What::Recording(recording) => (self.name.clone(), recording.words()),
        };
        let has_rate = clock == Clock::Timed && self.has_rate();
        let (metric, unit) = match has_rate {
            true => (quantity::of_percentile(self.asked_for(), 99.0), "µs"),
            false => {
                let (metric, unit) = measure(&self.load, clock);
                (metric.to_owned(), unit)
            }
        };
        TestSheet {
            test: self.name.clone(),
            method: String::new(),
            title,
            text,
            step: String::new(),
            chart: Chart::Bars,
            chart_metric: metric,
            chart_unit: unit.to_owned(),
            chart_beside: String::new(),
            latencies_of: String::new(),
            source: String::new(),
            roles: Vec::new(),
        }
    }
}

/// The metric that the chart of a load without a rate of its own draws, and its unit.
fn measure(load: &Load, clock: Clock) -> (&'static str, &'static str) {
    let is_large = |file: &JobFile| {
        let blocks = file.jobs.iter().map(|job| job.sizes.bs_max);
        let mut largest = blocks.map(|bs| bs.read.max(bs.write).max(bs.trim));
        largest.any(|bytes| bytes >= LARGE_BLOCK)
    };
    match (load.what(), clock) {
        (What::Job(_) | What::Recording(_), Clock::Untimed) => (table::WA.name, ""),
        (What::Job(file), Clock::Timed) if !is_large(file) => (table::IOPS.name, "IOPS"),
        (What::Recording(_), Clock::Timed) => (table::IOPS.name, "IOPS"),
        (What::Job(_) | What::Trace(_), _) => (table::MB_S.name, "MB/s"),
        (What::Script(_), _) => (table::SECONDS.name, "s"),
    }
}

/// The jobs of a file in words.
fn described(file: &JobFile) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for job in words(file) {
        match kinds.last_mut() {
            Some((last, times)) if *last == job => *times += 1,
            _ => kinds.push((job, 1)),
        }
    }
    let more = kinds.len().saturating_sub(JOBS_DESCRIBED_MAX);
    let of = |(job, times): &(String, usize)| match times {
        1 => job.clone(),
        _ => format!("{job}, in {times} jobs"),
    };
    let mut parts: Vec<String> = kinds.iter().take(JOBS_DESCRIBED_MAX).map(of).collect();
    if more > 0 {
        parts.push(format!("and {more} more jobs"));
    }
    // One sentence: what follows a semicolon begins small.
    for part in parts.iter_mut().skip(1) {
        part[..1].make_ascii_lowercase();
    }
    parts.join("; ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str, clock: Clock) -> TestSheet {
        let load = Load::of_text("mine.fio", text, 1, What::job(text, "mine.fio").unwrap());
        let name = "mine".to_owned();
        OwnLoad { name, load }.sheet(clock)
    }

    #[test]
    fn a_job_says_what_it_does_and_is_drawn_by_its_size() {
        let small = sheet("[w]\nrw=randwrite\nbs=4k\nnumjobs=3\n", Clock::Timed);
        assert_eq!(
            (small.test.as_str(), small.chart_metric.as_str()),
            ("mine", "iops")
        );
        assert_eq!(
            small.text,
            "Random writes of 4 KiB at queue depth 1 to the whole drive once, in 3 jobs."
        );
        let large = sheet("[r]\nrw=read\nbs=1m\n", Clock::Timed);
        assert_eq!(large.chart_metric, "mb_s");
        let both = sheet("[w]\nrw=write\n[r]\nrw=randread\n", Clock::Timed);
        assert!(
            both.text.contains("; random reads of 4 KiB"),
            "{}",
            both.text
        );
        let untimed = sheet("[r]\nrw=randwrite\n", Clock::Untimed);
        assert_eq!(untimed.chart_metric, "wa");
    }

    #[test]
    fn of_many_jobs_some_are_described() {
        let jobs: Vec<String> = (0..9)
            .map(|n| format!("[j{n}]\nrw=read\niodepth={}\n", n + 1))
            .collect();
        let text = sheet(&jobs.concat(), Clock::Timed).text;
        assert!(text.ends_with("; and 5 more jobs."), "{text}");
    }
}

//! Length of jobs that have a runtime.

use ftlab_base::Nanos;
use ftlab_play::load::{Load, What};
use ftlab_workload::JobFile;

/// Requests after which a quick job ends.
const QUICK_REQUESTS: u64 = 150_000;

/// Requests after which a quick trace ends. A drive becomes slower while one is played, so a part of it
/// flatters the drive, by a tenth to a half; the whole would take all drives longer than all the rest.
const QUICK_TRACE_REQUESTS: u64 = 150_000;

/// Bytes after which a quick job ends, if that is before: requests are up to 2 MiB.
const QUICK_GIB: u64 = 4;

/// Part of a runtime that a quick review keeps within a procedure, where the rate changes over time, and the least that
/// it keeps.
const QUICK_PART: u64 = 12;
const QUICK_LEAST: Nanos = Nanos::from_millis(40_000);

/// Length of jobs that have a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// As long as their files say.
    Full,
    /// Enough for a mean, and not for what takes its time.
    Quick,
}

impl Length {
    /// A job file at this length: a quick job ends after N requests or bytes, or its runtime if
    /// that is over before.
    #[must_use]
    pub fn of(self, mut file: JobFile) -> JobFile {
        if self == Length::Quick {
            for job in file
                .jobs
                .iter_mut()
                .filter(|job| job.length.runtime.is_some())
            {
                job.length.time_based = false;
                job.length.loops = 1;
                let bs = job.sizes.bs_max;
                let largest = bs.read.max(bs.write).max(bs.trim).max(1);
                let most = QUICK_REQUESTS.min((QUICK_GIB << 30) / largest).max(1);
                job.length.number_ios =
                    Some(job.length.number_ios.map_or(most, |ios| ios.min(most)));
            }
        }
        file
    }

    /// A job file of a procedure at this length: a quick job runs for a part of its time.
    #[must_use]
    pub fn of_procedure(self, mut file: JobFile) -> JobFile {
        if self == Length::Quick {
            for job in &mut file.jobs {
                job.length.runtime = job.length.runtime.map(part_of);
            }
        }
        file
    }

    /// The most requests of a trace that are played; none for all of them.
    #[must_use]
    pub fn operations_max(self) -> Option<u64> {
        (self == Length::Quick).then_some(QUICK_TRACE_REQUESTS)
    }

    /// Says for a run how much of its load is played; nothing if it is whole.
    #[must_use]
    pub fn words(self, load: &Load) -> Option<String> {
        if self == Length::Full {
            return None;
        }
        match load.what() {
            What::Job(file) => {
                let is_timed = file.jobs.iter().any(|job| job.length.runtime.is_some());
                is_timed.then(|| {
                    format!("Quick: ended after {QUICK_REQUESTS} requests or {QUICK_GIB} GiB, if its time was not over.")
                })
            }
            What::Trace(trace) => first_of(trace.operations()),
            What::Recording(recording) => first_of(recording.scan.all()),
            What::Script(_) => None,
        }
    }

    /// Says how much of a procedure's job runs; nothing if it is whole.
    #[must_use]
    pub fn words_of_procedure(self, job: &Load) -> Option<String> {
        let jobs = &job.job_file().filter(|_| self == Length::Quick)?.jobs;
        let whole = jobs.iter().filter_map(|job| job.length.runtime).max()?;
        let part = part_of(whole);
        (part < whole).then(|| {
            let [part, whole] = [part, whole].map(Nanos::as_secs);
            format!("Quick: {part:.0} of {whole:.0} s.")
        })
    }
}

/// Describes the cut of a trace of `all` requests, if it is cut.
fn first_of(all: u64) -> Option<String> {
    (all > QUICK_TRACE_REQUESTS)
        .then(|| format!("Quick: the first {QUICK_TRACE_REQUESTS} of {all} requests."))
}

/// Returns the part of a runtime that a quick procedure takes.
fn part_of(runtime: Nanos) -> Nanos {
    Nanos(runtime.0 / QUICK_PART).max(QUICK_LEAST.min(runtime))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[a]\ntime_based\nruntime=60\n[b]\ntime_based\nruntime=1\n[c]\nbs=4k\n";

    #[test]
    fn a_quick_job_ends_after_so_many_requests() {
        let file = JobFile::parse(TEXT, "t.fio").unwrap();
        assert_eq!(Length::Full.of(file.clone()), file);
        let jobs = Length::Quick.of(file.clone()).jobs;
        let ios = |n: usize| jobs[n].resolve(1 << 40).unwrap().ios_max;
        assert_eq!(
            [ios(0), ios(1), ios(2)],
            [Some(150_000), Some(150_000), None]
        );
        let large = JobFile::parse("[a]\nruntime=60\nbs=2m\n", "t.fio").unwrap();
        let large = Length::Quick.of(large).jobs[0].resolve(1 << 40).unwrap();
        assert_eq!(large.ios_max, Some(2048));
        assert_eq!(jobs[0].length.runtime, file.jobs[0].length.runtime);
    }

    #[test]
    fn a_quick_procedure_takes_a_part_of_its_time_and_no_less_than_makes_sense() {
        let runtimes = |length: Length| {
            let text =
                "[a]\ntime_based\nruntime=2000\n[b]\nruntime=240\n[c]\nruntime=30\n[d]\nbs=4k\n";
            let file = JobFile::parse(text, "t.fio").unwrap();
            let jobs = length.of_procedure(file).jobs;
            jobs.iter()
                .map(|job| job.length.runtime.map(|span| span.0 / 1_000_000_000))
                .collect::<Vec<_>>()
        };
        let [full, quick] = [Length::Full, Length::Quick].map(runtimes);
        assert_eq!(full, [Some(2000), Some(240), Some(30), None]);
        assert_eq!(quick, [Some(166), Some(40), Some(30), None]);
    }
}

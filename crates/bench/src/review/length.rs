//! How long jobs with a runtime run.

use ftlab_base::Nanos;
use ftlab_workload::JobFile;

/// Requests after which a quick job or trace ends.
const QUICK_REQUESTS: u64 = 150_000;

/// Bytes after which a quick job ends, if that is before: requests are up to 2 MiB.
const QUICK_GIB: u64 = 4;

/// What a quick review makes of a runtime within a procedure, where the rate changes over time: a part
/// of it, and no less than a span.
const QUICK_PART: u64 = 24;
const QUICK_LEAST: Nanos = Nanos::from_millis(2_000);

/// How long jobs with a runtime run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// As long as their files say.
    Full,
    /// Enough for a mean, and not for what takes its time.
    Quick,
}

impl Length {
    /// A job file at this length: a quick job ends after so many requests or bytes, or its runtime if
    /// that is over before.
    #[must_use]
    pub fn of(self, mut file: JobFile) -> JobFile {
        if self == Length::Quick {
            for job in file.jobs.iter_mut().filter(|job| job.runtime.is_some()) {
                job.time_based = false;
                job.loops = 1;
                let largest = job.bs.read.max(job.bs.write).max(job.bs.trim).max(1);
                let most = QUICK_REQUESTS.min((QUICK_GIB << 30) / largest).max(1);
                job.number_ios = Some(job.number_ios.map_or(most, |ios| ios.min(most)));
            }
        }
        file
    }

    /// A job file's text at this length, if it can be read.
    pub(super) fn of_text(self, text: &str, name: &str) -> Option<JobFile> {
        JobFile::parse(text, name).ok().map(|file| self.of(file))
    }

    /// A job file of a procedure at this length: a quick job runs for a part of its time.
    #[must_use]
    pub fn of_procedure(self, mut file: JobFile) -> JobFile {
        if self == Length::Quick {
            for job in &mut file.jobs {
                let quick = |span: Nanos| Nanos(span.0 / QUICK_PART).max(QUICK_LEAST.min(span));
                job.runtime = job.runtime.map(quick);
            }
        }
        file
    }

    /// The most requests of a trace that are played; none for all of them.
    #[must_use]
    pub fn operations_max(self) -> Option<u64> {
        (self == Length::Quick).then_some(QUICK_REQUESTS)
    }

    /// What there is to say of it among the steps of a run.
    #[must_use]
    pub fn words(self) -> Option<String> {
        (self == Length::Quick).then(|| {
            format!(
                "Quick: a trace or a job with a runtime ended after {QUICK_REQUESTS} requests, a job after \
                 {QUICK_GIB} GiB if that was before, within a procedure after 1/{QUICK_PART} of its time, at \
                 least {} s.",
                QUICK_LEAST.as_secs()
            )
        })
    }
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
        assert_eq!(jobs[0].runtime, file.jobs[0].runtime);
    }

    #[test]
    fn a_quick_procedure_takes_a_part_of_its_time_and_no_less_than_makes_sense() {
        let runtimes = |length: Length| {
            let file = JobFile::parse(TEXT, "t.fio").unwrap();
            let jobs = length.of_procedure(file).jobs;
            jobs.iter().map(|job| job.runtime).collect::<Vec<_>>()
        };
        let seconds = |s: u64| Some(Nanos::from_millis(s * 1_000));
        assert_eq!(runtimes(Length::Full), [seconds(60), seconds(1), None]);
        assert_eq!(
            runtimes(Length::Quick),
            [Some(Nanos::from_millis(2_500)), seconds(1), None]
        );
    }
}

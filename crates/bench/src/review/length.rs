//! How long jobs with a runtime run.

use ftlab_base::Nanos;
use ftlab_workload::JobFile;

/// What a quick review makes of a runtime: a part of it, and no less than a span.
const QUICK_PART: u64 = 12;
const QUICK_LEAST: Nanos = Nanos::from_millis(2_000);

/// How long jobs with a runtime run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// As long as their files say.
    Full,
    /// A twelfth of that: enough for a mean, and not for what takes its time.
    Quick,
}

impl Length {
    /// The job file with the runtimes of this length.
    #[must_use]
    pub fn of(self, mut file: JobFile) -> JobFile {
        if self == Length::Quick {
            for job in &mut file.jobs {
                let quick = |span: Nanos| Nanos(span.0 / QUICK_PART).max(QUICK_LEAST.min(span));
                job.runtime = job.runtime.map(quick);
            }
        }
        file
    }

    /// What there is to say of it among the steps of a run.
    #[must_use]
    pub fn words(self) -> Option<String> {
        (self == Length::Quick).then(|| {
            format!(
                "Quick: jobs with a runtime ran for 1/{QUICK_PART} of it, at least {} s.",
                QUICK_LEAST.as_secs()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_job_runs_for_a_part_of_its_time_and_no_shorter_than_makes_sense() {
        let text = "[a]\nruntime=60\n[b]\nruntime=1\n[c]\nbs=4k\n";
        let runtimes = |length: Length| {
            let file = JobFile::parse(text, "t.fio").unwrap();
            let jobs = length.of(file).jobs;
            jobs.iter().map(|job| job.runtime).collect::<Vec<_>>()
        };
        let seconds = |s: u64| Some(Nanos::from_millis(s * 1_000));
        assert_eq!(runtimes(Length::Full), [seconds(60), seconds(1), None]);
        assert_eq!(runtimes(Length::Quick), [seconds(5), seconds(1), None]);
    }
}

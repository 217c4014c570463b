//! How much a plan writes, and how long it takes: an estimate from what its jobs say and a rate that is assumed.

use super::{Plan, Step};
use ftlab_states::steady_rule::{ROUNDS_MAX, WINDOW};
use ftlab_workload::{JobFile, JobSpec, PatternKind};

/// What is assumed of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Assumed {
    /// Bytes that it moves a second, whatever is asked.
    pub bytes_per_s: f64,
}

/// What a plan takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Amount {
    /// Bytes written, if each search for a steady state ends as early as it can.
    pub least_bytes: f64,
    /// Bytes written, if none ends before it has to.
    pub most_bytes: f64,
    /// Seconds for the least.
    pub least_s: f64,
    /// Seconds for the most.
    pub most_s: f64,
}

impl Amount {
    fn add(&mut self, [least, most]: [f64; 2], moved: [f64; 2], assumed: Assumed) {
        self.least_bytes += least;
        self.most_bytes += most;
        self.least_s += moved[0] / assumed.bytes_per_s;
        self.most_s += moved[1] / assumed.bytes_per_s;
    }
}

impl Plan {
    /// Estimates what it writes and how long it takes on a drive of `drive_bytes` bytes.
    #[must_use]
    pub fn amount(&self, drive_bytes: u64, assumed: Assumed) -> Amount {
        let mut amount = Amount::default();
        for step in self.courses.iter().flat_map(|course| &course.steps) {
            match step {
                Step::Purge | Step::Trim(_) => {}
                Step::Write(writes) => {
                    let bytes = [writes.bytes as f64; 2];
                    amount.add(bytes, bytes, assumed);
                }
                Step::Settle(rounds) => {
                    let least = if rounds.go_on { 1 } else { WINDOW };
                    let bytes = [least, ROUNDS_MAX].map(|count| count as f64 * rounds.bytes as f64);
                    amount.add(bytes, bytes, assumed);
                }
                Step::Measure(measure) => {
                    let (written, seconds) = of_file(&measure.file, drive_bytes, assumed);
                    amount.add([written; 2], [0.0; 2], assumed);
                    amount.least_s += seconds;
                    amount.most_s += seconds;
                }
            }
        }
        amount
    }
}

/// Bytes that jobs write, and the seconds that they take: groups of jobs one after the other, those of a group together.
fn of_file(file: &JobFile, drive_bytes: u64, assumed: Assumed) -> (f64, f64) {
    let (mut written, mut seconds) = (0.0, 0.0);
    for group in file.groups() {
        let jobs: Vec<Moved> = group
            .iter()
            .filter_map(|&n| Moved::of(&file.jobs[n], drive_bytes))
            .collect();
        let bytes: f64 = jobs.iter().map(|job| job.bytes).sum();
        let longest = jobs.iter().map(|job| job.seconds).fold(0.0, f64::max);
        // Only amounts end its jobs, or only times, or whatever comes first.
        let by_rate = bytes / assumed.bytes_per_s;
        let took = by_rate.min(longest);
        let moved = bytes.min(took * assumed.bytes_per_s);
        let share = match bytes.is_finite() && bytes > 0.0 {
            true => {
                jobs.iter()
                    .map(|job| job.bytes * job.write_share)
                    .sum::<f64>()
                    / bytes
            }
            false => jobs.iter().map(|job| job.write_share).fold(0.0, f64::max),
        };
        let ramp = group
            .iter()
            .map(|&n| file.jobs[n].length.ramp_time.as_secs());
        let ramp = ramp.fold(0.0, f64::max);
        let waits = group
            .iter()
            .map(|&n| file.jobs[n].order.startdelay.as_secs());
        written += share * (moved + ramp * assumed.bytes_per_s);
        seconds += waits.fold(0.0, f64::max) + took + ramp;
    }
    (written, seconds)
}

/// Ends of a job.
struct Moved {
    /// Bytes after which it ends; infinite where only time ends it.
    bytes: f64,
    /// Seconds after which it ends; infinite where only an amount ends it.
    seconds: f64,
    write_share: f64,
}

impl Moved {
    fn of(job: &JobSpec, drive_bytes: u64) -> Option<Moved> {
        let resolved = job.resolve(drive_bytes).ok()?;
        let block = job.sizes.bs.write.max(job.sizes.bs.read);
        let ends = [
            resolved.ios_max.map(|ios| ios.saturating_mul(block)),
            resolved.total_bytes(),
        ];
        let bytes = ends
            .into_iter()
            .flatten()
            .min()
            .filter(|_| !job.length.time_based);
        let runtime = job.length.runtime.map(|span| span.as_secs());
        Some(Moved {
            bytes: bytes.map_or(f64::INFINITY, |bytes| bytes as f64),
            seconds: runtime.unwrap_or(f64::INFINITY),
            write_share: match job.pattern.kind {
                PatternKind::Read => 0.0,
                PatternKind::ReadWrite => 1.0 - f64::from(job.pattern.rwmixread) / 100.0,
                PatternKind::Write | PatternKind::Trim | PatternKind::TrimWrite => 1.0,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (f64, f64) {
        let file = JobFile::parse(text, "t.fio").unwrap();
        of_file(&file, 1 << 30, Assumed { bytes_per_s: 1e6 })
    }

    #[test]
    fn amounts_and_times_end_jobs() {
        let (written, seconds) = of("[w]\nrw=write\nbs=4k\nsize=4m\n");
        assert_eq!((written, seconds), (4_194_304.0, 4.194304));
        let (written, seconds) =
            of("[w]\nrw=randrw\nrwmixread=75\nbs=4k\ntime_based\nruntime=8\nramp_time=2\n");
        assert_eq!((written, seconds), (2.5e6, 10.0));
        let (_, seconds) = of("[r]\nrw=read\nstartdelay=30\nruntime=3\ntime_based\n");
        assert_eq!(seconds, 33.0);
        let (written, _) = of("[r]\nrw=randread\nbs=4k\nnumber_ios=10\n");
        assert_eq!(written, 0.0);
    }

    #[test]
    fn groups_follow_one_another() {
        let two = "[a]\nrw=write\nbs=4k\nsize=1m\n[b]\nrw=write\nbs=4k\nsize=1m\n";
        let (written, seconds) = of(two);
        assert_eq!((written, seconds), (2_097_152.0, 2.097152));
        let timed =
            "[a]\nrw=read\nruntime=3\ntime_based\n[b]\nstonewall\nrw=read\nruntime=4\ntime_based\n";
        assert_eq!(of(timed), (0.0, 7.0));
    }
}

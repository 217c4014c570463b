//! Kinds of figures: the model misses those of one kind by about as much on one drive as on another.

use ftlab_result::quantity::{self, OfKind, table};
use ftlab_states::State;
use ftlab_workload::{JobFile, JobSpec, PatternKind};

/// From which percentile on a latency is one of the tail.
const TAIL_PERCENT: f64 = 90.0;

/// What a figure tells of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One read at a time.
    SingleReads,
    /// One write at a time.
    SingleWrites,
    /// Random reads, as many as the drive can.
    RandomReads,
    /// Random writes, of a drive that they have not worn into a steady state.
    RandomWrites,
    /// Random writes, once more of them change nothing.
    SteadyWrites,
    /// Reads in order.
    SequentialReads,
    /// Writes in order.
    SequentialWrites,
    /// Reads and writes at once.
    Mixed,
    /// Long latencies.
    Tails,
    /// Size of a cache of SLC.
    CacheSize,
    /// Writes in order behind that cache.
    BehindCache,
    /// A whole drive filled in order.
    WholeFill,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 12] = [
        Kind::SingleReads,
        Kind::SingleWrites,
        Kind::RandomReads,
        Kind::RandomWrites,
        Kind::SteadyWrites,
        Kind::SequentialReads,
        Kind::SequentialWrites,
        Kind::Mixed,
        Kind::Tails,
        Kind::CacheSize,
        Kind::BehindCache,
        Kind::WholeFill,
    ];

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::SingleReads => "single-reads",
            Kind::SingleWrites => "single-writes",
            Kind::RandomReads => "random-reads",
            Kind::RandomWrites => "random-writes",
            Kind::SteadyWrites => "steady-writes",
            Kind::SequentialReads => "sequential-reads",
            Kind::SequentialWrites => "sequential-writes",
            Kind::Mixed => "mixed",
            Kind::Tails => "tails",
            Kind::CacheSize => "cache-size",
            Kind::BehindCache => "behind-cache",
            Kind::WholeFill => "whole-fill",
        }
    }

    /// The kind of a metric of jobs that begin in a state.
    #[must_use]
    pub fn of(jobs: &JobFile, state: State, metric: &str) -> Kind {
        match metric {
            name if name == table::SLC_GB.name => return Kind::CacheSize,
            name if name == table::MEAN_MB_S.name => return Kind::WholeFill,
            name if name == table::SLC_WRITE_MB_S.name => return Kind::SequentialWrites,
            name if name == table::AFTER_MB_S.name || name == table::FOLD_MB_S.name => {
                return Kind::BehindCache;
            }
            _ => {}
        }
        if is_of_tail(metric) {
            return Kind::Tails;
        }
        // What comes before prepares the drive.
        let last = jobs.groups().pop().unwrap_or_default();
        let last: Vec<&JobSpec> = last.iter().map(|&n| &jobs.jobs[n]).collect();
        let any = |is: fn(&JobSpec) -> bool| last.iter().any(|job| is(job));
        let reads = any(|job| job.pattern.kind != PatternKind::Write);
        let writes = any(|job| job.pattern.kind != PatternKind::Read);
        let outstanding: u32 = last.iter().map(|job| job.submission.iodepth).sum();
        let is_random = any(|job| job.pattern.random);
        match (reads, writes) {
            (true, true) => Kind::Mixed,
            (true, false) if !is_random => Kind::SequentialReads,
            (true, false) if outstanding == 1 => Kind::SingleReads,
            (true, false) => Kind::RandomReads,
            _ if !is_random => Kind::SequentialWrites,
            _ if outstanding == 1 => Kind::SingleWrites,
            _ if matches!(state, State::Steady | State::SteadyFast | State::Used) => {
                Kind::SteadyWrites
            }
            _ => Kind::RandomWrites,
        }
    }
}

fn is_of_tail(metric: &str) -> bool {
    if let Some((_, OfKind::LatencyPercentile(percent))) = OfKind::of(metric) {
        return percent >= TAIL_PERCENT;
    }
    quantity::words(metric).starts_with("99")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(job: &str, state: State, metric: &str) -> Kind {
        let jobs = JobFile::parse(job, "x.fio").expect("it is a job");
        Kind::of(&jobs, state, metric)
    }

    #[test]
    fn a_figure_is_of_what_runs_when_it_is_measured() {
        let job = |rw: &str, depth: u32| {
            format!("[a]\nrw={rw}\nbs=4k\nioengine=libaio\niodepth={depth}\nnumber_ios=10\n")
        };
        let reads = job("randread", 1);
        assert_eq!(of(&reads, State::New, "read.iops"), Kind::SingleReads);
        assert_eq!(of(&reads, State::New, "read.p99"), Kind::Tails);
        assert_eq!(of(&reads, State::New, "read_lat_p999_us"), Kind::Tails);
        let deep = job("randwrite", 32);
        assert_eq!(of(&deep, State::New, "iops"), Kind::RandomWrites);
        assert_eq!(of(&deep, State::SteadyFast, "iops"), Kind::SteadyWrites);
        assert_eq!(of(&job("randrw", 8), State::Filled, "iops"), Kind::Mixed);
        let fill = job("write", 32);
        assert_eq!(of(&fill, State::New, "slc_gb"), Kind::CacheSize);
        assert_eq!(of(&fill, State::New, "after_mb_s"), Kind::BehindCache);
        assert_eq!(of(&fill, State::New, "write.bw"), Kind::SequentialWrites);
        // What is written first prepares what is read.
        let both = format!(
            "{fill}[b]\nstonewall\nrw=randread\nbs=4k\nioengine=libaio\niodepth=4\nnumber_ios=10\n"
        );
        assert_eq!(of(&both, State::New, "read.iops"), Kind::RandomReads);
    }
}

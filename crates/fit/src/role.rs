//! What a test tells of a drive, by what it asks for and the state it begins in.

use ftlab_bench::suites::{Series, Test, Work};
use ftlab_play::load::Load;
use ftlab_states::State;
use ftlab_workload::{Distribution, JobSpec, PatternKind};

/// What tests that are fitted to nothing have at the beginning of their family's slug.
const HELD_OUT: &str = "held-out";

/// The part of a drive that a test tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads of what was never written take no flash: host, link and controller.
    Unwritten,
    /// Writes to an empty drive that end before it is full: what a write to the buffer takes, and how much the buffer takes.
    Burst,
    /// A fill: caches, and what a program takes.
    Fill,
    /// Reads of a drive that holds data: dies, channels, and what a read takes.
    Reads,
    /// Writes that are flushed one by one.
    Commit,
    /// Writes of a drive that is full or steady: how much flash there is, and what collection does.
    Writes,
    /// Reads beside writes.
    Mixed,
    /// It judges a fit, and nothing is fitted to it.
    HeldOut,
}

/// The roles of the tests that a fit is made to.
pub const FITTED: &[Role] = &[
    Role::Unwritten,
    Role::Burst,
    Role::Fill,
    Role::Reads,
    Role::Commit,
    Role::Writes,
    Role::Mixed,
];

/// What a test asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The part of the drive that it tells of.
    pub role: Role,
    /// Requests outstanding, of all jobs together.
    pub depth: u32,
    /// Bytes of a request at most.
    pub request_bytes: u64,
    /// Bytes of all of its requests; none where a time or the drive ends it.
    pub bytes: Option<u64>,
}

fn jobs(test: &Test) -> Vec<&JobSpec> {
    let load: Option<&Load> = match &test.step.work {
        Work::Loads { loads, .. } => loads.first(),
        Work::Within(_, load) => Some(load),
        Work::Fact(_) => None,
    };
    let file = load.and_then(|load| load.job_file());
    file.map_or_else(Vec::new, |file| file.jobs.iter().collect())
}

impl Asked {
    /// What a test asks for; none where it has no job file.
    #[must_use]
    pub fn of(test: &Test) -> Option<Asked> {
        let jobs = jobs(test);
        let sizes = jobs
            .iter()
            .map(|job| job.sizes.bs_max.read.max(job.sizes.bs_max.write));
        let amounts = jobs.iter().map(|job| {
            let request = job.sizes.bs_max.read.max(job.sizes.bs_max.write);
            Some(job.length.number_ios? * request)
        });
        Some(Asked {
            role: role(test, &jobs)?,
            depth: jobs.iter().map(|job| job.submission.iodepth).sum(),
            request_bytes: sizes.max()?,
            bytes: amounts.sum(),
        })
    }
}

fn role(test: &Test, jobs: &[&JobSpec]) -> Option<Role> {
    let is_new = test.first_state() == State::New.name();
    let any = |is: &dyn Fn(&JobSpec) -> bool| jobs.iter().any(|job| is(job));
    let reads = any(&|job| matches!(job.pattern.kind, PatternKind::Read | PatternKind::ReadWrite));
    let writes = any(&|job| job.pattern.kind != PatternKind::Read);
    let flushes = any(&|job| job.flushes.fsync + job.flushes.fdatasync > 0);
    let role = match (reads, writes) {
        (false, false) => return None,
        _ if test.family.slug.starts_with(HELD_OUT) => Role::HeldOut,
        // What a part of the data that is written often does to collection is up to streams of data, which no fit solves for.
        _ if any(&is_skewed) => Role::HeldOut,
        _ if test.step.series == Series::Plateaus => Role::Fill,
        _ if flushes => Role::Commit,
        (true, true) => Role::Mixed,
        (true, false) if is_new => Role::Unwritten,
        (true, false) => Role::Reads,
        (false, true) if is_new => Role::Burst,
        (false, true) => Role::Writes,
    };
    Some(role)
}

/// Returns true if some places are written more often than others.
fn is_skewed(job: &JobSpec) -> bool {
    job.pattern.kind != PatternKind::Read && job.pattern.random_distribution != Distribution::Random
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_bench::suites;

    #[test]
    fn a_test_tells_what_its_requests_and_its_state_say() {
        let role = |suite: &str, slug: &str| {
            let suite = suites::named(suite).unwrap();
            let test = suite.tests().find(|test| test.step.slug == slug);
            Asked::of(&test.unwrap()).map(|asked| asked.role)
        };
        for (suite, slug, is) in [
            ("fit", "fit-unwritten-4k-qd1", Role::Unwritten),
            ("fit", "fit-burst-4k-1m", Role::Burst),
            ("fit", "fit-fill", Role::Fill),
            ("fit", "fit-randread-4k-qd1", Role::Reads),
            ("fit", "fit-commit-4k", Role::Commit),
            ("fit", "fit-randwrite-4k-qd32", Role::Writes),
            ("fit", "fit-randwrite-4k-used-75", Role::Writes),
            ("fit", "fit-mixed-4k-qd4-r50", Role::Mixed),
            ("fit", "fit-commit-16k", Role::HeldOut),
            ("modern", "fill-128k-qd32", Role::Fill),
            ("modern", "commit-8k-8", Role::Commit),
            ("modern", "offered-100k", Role::Mixed),
            ("modern", "nvme-randread-4k-qd16", Role::Reads),
            ("modern", "randwrite-4k-used-50", Role::Writes),
            ("modern", "randwrite-4k-zones-80-20", Role::HeldOut),
        ] {
            assert_eq!(role(suite, slug), Some(is), "{slug}");
        }
    }

    #[test]
    fn what_a_test_asks_for_is_that_of_all_its_jobs() {
        let suite = suites::named("fit").unwrap();
        let asked = |slug: &str| {
            let test = suite.tests().find(|test| test.step.slug == slug);
            Asked::of(&test.unwrap()).unwrap()
        };
        let burst = asked("fit-burst-4k-4m");
        assert_eq!((burst.depth, burst.request_bytes), (32, 4096));
        assert_eq!(burst.bytes, Some(4 << 20));
        assert_eq!(asked("fit-unwritten-128k-qd32").request_bytes, 128 << 10);
        // It ends where the drive does.
        assert_eq!(asked("fit-fill").bytes, None);
    }
}

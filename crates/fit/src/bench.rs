//! Tests run on candidates: several at a time, each candidate and test once.

use crate::role::{Asked, Role};
use crate::target::{Figures, Target, figures};
use ftlab_base::{Nanos, RootSeed};
use ftlab_bench::ask::{self, Asker};
use ftlab_bench::review::Review;
use ftlab_bench::suites::{Step, Suite, Test, Work};
use ftlab_drive::{DriveFile, Scale};
use ftlab_host::Testbed;
use ftlab_lab::{Lab, Length, Subject, Variant};
use ftlab_play::load::{Load, What};
use ftlab_result::Run;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Superblocks of a group of dies that a drive has at least which is only read.
const SUPERBLOCKS_MIN: u32 = 64;

/// Programs of a block at least.
const PROGRAMS_MIN: u32 = 4;

/// Bytes at least: tests read no more of any size of requests.
const SMALL_BYTES_MIN: u64 = 700_000_000;

/// Requests of a test that is cut short at most, and the bytes of large ones.
const BRIEF_REQUESTS: u64 = 20_000;
const BRIEF_BYTES: u64 = 64 << 20;

/// The part of its time that a test by the clock has then.
const BRIEF_PART: u64 = 5;

/// Tests of a role at most that are run where candidates are only ranked.
const BRIEF_TESTS: usize = 5;

/// The size in which a drive is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// As its suite says.
    OfSuite,
    /// The same with fewer requests.
    Brief,
    /// As few blocks, and as small ones, as its dies allow: for tests that only read.
    Small,
}

/// Runs those of a suite's tests on drives that figures are known of.
pub struct Bench<'a> {
    lab: &'a Lab,
    suite: &'a Suite,
    target: &'a Target,
    tests: Vec<(Test, Asked)>,
    machine: Option<Testbed>,
    seed: RootSeed,
    /// What is known, by the drive, its size and the test.
    known: Mutex<BTreeMap<(u64, Size, String), Option<Figures>>>,
    runs: AtomicU64,
    /// What the last drive that failed failed by.
    failure: Mutex<Option<String>>,
}

impl<'a> Bench<'a> {
    /// A bench of those of a suite's tests that the target has figures of, on a machine; none for that of the suite.
    #[must_use]
    pub fn new(
        lab: &'a Lab,
        suite: &'a Suite,
        target: &'a Target,
        machine: Option<Testbed>,
        seed: RootSeed,
    ) -> Bench<'a> {
        let is_measured = |test: &Test| target.figures.keys().any(|of| of.test == test.step.slug);
        let tests = suite.tests().filter(is_measured);
        Bench {
            lab,
            suite,
            target,
            tests: tests
                .filter_map(|test| Some((test.clone(), Asked::of(&test)?)))
                .collect(),
            machine,
            seed,
            known: Mutex::default(),
            runs: AtomicU64::new(0),
            failure: Mutex::default(),
        }
    }

    /// Tests that were run so far, on all drives together.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Why the last drive that failed did so.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let failure = self.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was measured.
    #[must_use]
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// The tests that have one of these roles.
    #[must_use]
    pub fn tests(&self, roles: &[Role]) -> Vec<String> {
        self.asking(|asked| roles.contains(&asked.role))
    }

    /// The tests that ask for such things.
    #[must_use]
    pub fn asking(&self, such: impl Fn(&Asked) -> bool) -> Vec<String> {
        let tests = self.tests.iter().filter(|(_, asked)| such(asked));
        tests.map(|(test, _)| test.step.slug.clone()).collect()
    }

    /// Some of these tests, a few of each role: the first, the last and others between.
    #[must_use]
    pub fn some_of(&self, tests: &[String]) -> Vec<String> {
        let mut roles: Vec<(Role, Vec<&str>)> = Vec::new();
        for (test, asked) in self
            .asked()
            .filter(|(test, _)| tests.iter().any(|of| of == test))
        {
            match roles.iter_mut().find(|(role, _)| *role == asked.role) {
                Some((_, of_role)) => of_role.push(test),
                None => roles.push((asked.role, vec![test])),
            }
        }
        let few = |of_role: Vec<&str>| {
            let (count, last) = (of_role.len().min(BRIEF_TESTS), of_role.len() - 1);
            let places = (0..count).map(move |n| n * last / (count - 1).max(1));
            places.map(|n| of_role[n].to_owned()).collect::<Vec<_>>()
        };
        roles
            .into_iter()
            .flat_map(|(_, of_role)| few(of_role))
            .collect()
    }

    /// The tests and what they ask for.
    pub fn asked(&self) -> impl Iterator<Item = (&str, &Asked)> {
        self.tests
            .iter()
            .map(|(test, asked)| (&*test.step.slug, asked))
    }

    /// The figures of drives in some tests, a drive each; none for a drive that cannot be or that fails.
    pub fn figures(
        &self,
        drives: &[Option<DriveFile>],
        tests: &[String],
        size: Size,
    ) -> Vec<Option<Figures>> {
        let missing = self.missing(drives, tests, size);
        if !missing.is_empty() {
            self.run(&missing, tests, size);
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |drive: &Option<DriveFile>| {
            let hash = drive.as_ref()?.hash();
            let mut all = Figures::new();
            for test in tests {
                let of_test = known.get(&(hash, size, test.clone()))?.as_ref()?;
                all.extend(of_test.iter().map(|(place, value)| (place.clone(), *value)));
            }
            Some(all)
        };
        drives.iter().map(of).collect()
    }

    /// The drives of which a test is not known yet, each once, with those tests.
    fn missing(
        &self,
        drives: &[Option<DriveFile>],
        tests: &[String],
        size: Size,
    ) -> Vec<(DriveFile, Vec<String>)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: BTreeMap<u64, (DriveFile, Vec<String>)> = BTreeMap::new();
        for drive in drives.iter().flatten() {
            let hash = drive.hash();
            let unknown = tests
                .iter()
                .filter(|test| !known.contains_key(&(hash, size, (*test).clone())));
            let unknown: Vec<String> = unknown.cloned().collect();
            if !unknown.is_empty() {
                missing.insert(hash, (drive.clone(), unknown));
            }
        }
        missing.into_values().collect()
    }

    fn run(&self, missing: &[(DriveFile, Vec<String>)], tests: &[String], size: Size) {
        let subjects: Vec<Option<Subject>> = missing
            .iter()
            .enumerate()
            .map(|(n, (drive, _))| self.subject(drive, n, size))
            .collect();
        let wanted = missing
            .iter()
            .zip(&subjects)
            .filter(|(_, subject)| subject.is_some());
        let wanted = wanted
            .map(|((_, tests), _)| tests.iter().cloned().collect())
            .collect();
        let chosen = self.tests.iter().map(|(test, _)| test);
        let chosen = chosen.filter(|test| tests.contains(&test.step.slug));
        let chosen = chosen.map(|test| match size {
            Size::OfSuite => test.clone(),
            Size::Brief | Size::Small => brief(test),
        });
        let review = Review {
            wanted: Some(wanted),
            testbed: self.machine.clone(),
            length: match size {
                Size::OfSuite => Length::Full,
                Size::Brief | Size::Small => Length::Quick,
            },
            ..Review::of(
                subjects.iter().flatten().cloned().collect(),
                chosen.collect(),
                self.seed,
            )
        };
        let mut found: Vec<Vec<Run>> = vec![Vec::new(); missing.len()];
        let mut failed = vec![true; missing.len()];
        if let Ok(batch) = review.batch()
            && let Ok(ends) = ask::run(&batch, self.lab, &|_, _| Ok(()))
        {
            let numbers: Vec<usize> = (0..missing.len())
                .filter(|&n| subjects[n].is_some())
                .collect();
            numbers.iter().for_each(|&n| failed[n] = false);
            for (n, error) in batch.errors(&ends) {
                failed[numbers[n]] = true;
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(error.to_string());
            }
            for run in batch.set(&ends, "").runs {
                let n = run
                    .drive
                    .rsplit_once('@')
                    .and_then(|(_, n)| n.parse::<usize>().ok());
                found[n.expect("each has a number")].push(run);
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (n, (drive, tests)) in missing.iter().enumerate() {
            self.runs.fetch_add(tests.len() as u64, Ordering::Relaxed);
            for test in tests {
                let runs: Vec<&Run> = found[n].iter().filter(|run| run.test == *test).collect();
                let places = self
                    .target
                    .figures
                    .keys()
                    .filter(|place| place.test == *test);
                let figures = (!failed[n]).then(|| figures(&runs, places));
                known.insert((drive.hash(), size, test.clone()), figures);
            }
        }
    }

    /// A drive in a size, with its number among those that run beside it.
    fn subject(&self, drive: &DriveFile, n: usize, size: Size) -> Option<Subject> {
        let subject = match size {
            Size::OfSuite | Size::Brief => {
                Subject::fit(vec![drive.clone().into()], self.suite.shrink_to)
                    .ok()?
                    .pop()?
            }
            Size::Small => smallest(drive).into(),
        };
        let variant = Variant {
            name: n.to_string(),
            ..Variant::default()
        };
        Some(subject.being(variant))
    }
}

/// A test with fewer requests, which tell rates, medians and 99th percentiles.
fn brief(test: &Test) -> Test {
    let Work::Loads { loads, ports } = &test.step.work else {
        return test.clone();
    };
    let shorter = |load: &Load| {
        let Some(jobs) = load.job_file() else {
            return load.clone();
        };
        let mut jobs = jobs.clone();
        for job in &mut jobs.jobs {
            let most = BRIEF_REQUESTS.min(BRIEF_BYTES / job.sizes.bs_max.read.max(1));
            let length = &mut job.length;
            length.number_ios = length.number_ios.map(|ios| ios.min(most));
            length.runtime = length.runtime.map(|time| Nanos(time.0 / BRIEF_PART));
            length.ramp_time = Nanos(length.ramp_time.0 / BRIEF_PART);
        }
        let mark = load.mark() ^ u128::from(BRIEF_REQUESTS);
        Load::new(load.name(), mark, What::Job(jobs))
    };
    Test {
        family: Arc::clone(&test.family),
        step: Arc::new(Step {
            work: Work::Loads {
                loads: loads.iter().map(shorter).collect(),
                ports: ports.clone(),
            },
            ..Step::clone(&test.step)
        }),
    }
}

/// A drive with as few blocks, and as small ones, as show what its dies do, and as much room as tests read.
fn smallest(drive: &DriveFile) -> DriveFile {
    let Ok(extent) = drive.extent() else {
        return drive.clone();
    };
    let size = |blocks, pages| {
        let scale = Scale {
            blocks,
            pages,
            ..Scale::FULL
        };
        drive
            .scaled(scale)
            .ok()
            .filter(|small| small.capacity_bytes() >= SMALL_BYTES_MIN)
    };
    let blocks = (extent.superblocks / SUPERBLOCKS_MIN).max(1);
    let most = (extent.pages_per_block / PROGRAMS_MIN).max(1);
    let small = (1..=most).rev().find_map(|pages| size(blocks, pages));
    small.unwrap_or_else(|| drive.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Place;
    use ftlab_bench::suites;

    #[test]
    fn a_few_tests_of_each_role_stand_for_all() {
        let suite = suites::named("modern").unwrap();
        let place = |test: Test| Place {
            test: test.step.slug.clone(),
            state: "steady".to_owned(),
            metric: "iops".to_owned(),
        };
        let target = Target {
            name: "drive".to_owned(),
            capacity_bytes: 1 << 40,
            figures: suite.tests().map(|test| (place(test), 1.0)).collect(),
            measured: String::new(),
        };
        let lab = Lab::new(1, 1 << 30).unwrap();
        let bench = Bench::new(&lab, &suite, &target, None, RootSeed(1));
        let [mixed, commits] = [Role::Mixed, Role::Commit].map(|role| bench.tests(&[role]));
        assert!(mixed.len() > BRIEF_TESTS && commits.len() <= BRIEF_TESTS);
        let few = bench.some_of(&mixed);
        assert_eq!(few.len(), BRIEF_TESTS);
        assert_eq!((few.first(), few.last()), (mixed.first(), mixed.last()));
        assert_eq!(bench.some_of(&commits), commits);
        let both = bench.some_of(&[mixed, commits.clone()].concat());
        assert_eq!(both.len(), few.len() + commits.len());
        assert!(bench.some_of(&[]).is_empty());
    }
}

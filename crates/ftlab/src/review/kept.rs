//! What a review keeps of each drive, and takes up again when it goes on.
//!
//! Each file is a whole result set of one drive, so whatever reads results reads it too. One word is
//! added, which says what simulated it: results of another model are none of this review's.

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::{provenance, results, screen};
use ftlab_bench::review::{DriveRuns, Plan, origin, result_set};
use ftlab_bench::suites::Test;
use ftlab_result::{Origin, ResultSet, Run};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The directory of kept files, in that of the review.
const DRIVES: &str = "drives";

/// A kept file.
#[derive(Serialize)]
struct Kept<'a> {
    /// [`simulator`].
    simulator: &'a str,
    /// [`fingerprint`] of each test, by its slug.
    fingerprints: BTreeMap<&'a str, String>,
    #[serde(flatten)]
    set: ResultSet,
}

/// What a kept file has beside its result set.
#[derive(Deserialize)]
struct Mark {
    simulator: String,
    fingerprints: BTreeMap<String, String>,
}

/// Where a review keeps what is done.
pub struct Keep {
    folder: Folder,
    simulator: String,
}

impl Keep {
    /// Makes the directory.
    pub fn ready(out: &Path, plan: &Plan) -> Result<Keep, Failure> {
        Ok(Keep {
            folder: Folder::ready(&out.join(DRIVES))?,
            simulator: simulator(plan),
        })
    }

    /// Forgets the drives of a plan, so that nothing of an earlier review is taken up later.
    pub fn forget(&self, plan: &Plan) -> Outcome {
        let mut drives = plan.drives.iter();
        Ok(drives.try_for_each(|drive| self.folder.remove(&name(drive.slug())))?)
    }

    /// Keeps the tests of a drive of the plan that are done; `why` says why others are not, if it has not ended.
    pub fn keep(&self, plan: &Plan, drive: usize, runs: &DriveRuns, why: &str) -> Outcome {
        let file = &plan.drives[drive];
        let done: Vec<&str> = runs.done().collect();
        let is_done = |test: &&Test| done.contains(&test.step.slug.as_str());
        let tests = plan.tests.iter().filter(is_done);
        let marked = tests.map(|test| (test.step.slug.as_str(), fingerprint(test)));
        let kept = Kept {
            simulator: &self.simulator,
            fingerprints: marked.collect(),
            set: ResultSet {
                tests: (plan.tests.iter().filter(is_done).map(Test::sheet)).collect(),
                ..result_set(plan, [(file, runs)], why)
            },
        };
        let text = screen::json(&kept)?;
        let file = (name(file.slug()), text.as_bytes());
        Ok(self.folder.write(&[(&file.0, file.1)])?)
    }

    /// Takes up what is kept of the drives of a plan.
    pub fn take_up(&self, plan: &Plan, ends: &mut [DriveRuns]) {
        for (n, drive) in ends.iter_mut().enumerate() {
            match self.take(plan, n) {
                Ok(tests) => {
                    for (test, runs) in tests {
                        drive.take(&test, runs);
                    }
                    if drive.missing().is_empty() {
                        drive.ended(Ok(()));
                    }
                }
                Err(why) => screen::say(&format!("not taken up: {why}; the drive is run again\n")),
            }
        }
    }

    /// The tests that were kept of a drive of the plan, and the runs of each.
    ///
    /// # Errors
    /// Why what was kept is of no use to this plan.
    fn take(&self, plan: &Plan, drive: usize) -> Result<Vec<(String, Vec<Run>)>, String> {
        let path = self.folder.join(&name(plan.drives[drive].slug()));
        if !path.exists() {
            return Ok(Vec::new());
        }
        let unfit = |why: String| format!("{}: {why}", path.display());
        let text = match results::load(&path) {
            Ok(text) => text,
            Err(Failure::Input(why) | Failure::Running(why) | Failure::Verdict(why)) => {
                return Err(why);
            }
            Err(Failure::PipeClosed) => return Err(unfit("it cannot be read".to_owned())),
        };
        let set = results::parse(&text).map_err(|_| unfit("no review kept this".to_owned()))?;
        let mark: Result<Mark, _> = serde_json::from_str(&text);
        let mark = mark.map_err(|_| unfit("no review kept this".to_owned()))?;
        let hash = plan.drives[drive].sheet().file_hash;
        let is_of_drive = matches!(set.drives.as_slice(), [one] if one.file_hash == hash);
        let is_kept = |test: &&Test| {
            let marked = mark.fingerprints.get(&test.step.slug);
            set.tests.contains(&test.sheet()) && marked == Some(&fingerprint(test))
        };
        let tests: Vec<&Test> = plan.tests.iter().filter(is_kept).collect();
        let why = differs(&set.origin, &origin(plan)).or_else(|| {
            let why = if !is_of_drive {
                "the drive's file is another"
            } else if mark.simulator != self.simulator {
                "it was made by another build of changed sources, or on another test machine"
            } else if tests.is_empty() {
                "its tests are not those of this review"
            } else {
                return None;
            };
            Some(why.to_owned())
        });
        if let Some(why) = why {
            return Err(unfit(why));
        }
        let of_test = |test: &Test| {
            let runs = set.runs.iter().filter(|run| run.test == test.step.slug);
            (test.step.slug.clone(), runs.cloned().collect())
        };
        Ok(tests.into_iter().map(of_test).collect())
    }
}

/// A word for what a test does: its files may be changed between two calls, and its name stay.
fn fingerprint(test: &Test) -> String {
    let does = format!(
        "{:?} {:?} {:?} {:?}",
        test.step.work, test.step.series, test.family.states, test.family.testbed
    );
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(does.as_bytes()))
}

fn name(slug: &str) -> String {
    format!("{slug}.json")
}

/// What differs between how results were made and how they are to be made.
fn differs(then: &Origin, now: &Origin) -> Option<String> {
    let length = |origin: &Origin| if origin.quick { "quick" } else { "full" };
    let pairs = [
        (
            "model version",
            then.model_version.to_string(),
            now.model_version.to_string(),
        ),
        ("seed", then.seed.to_string(), now.seed.to_string()),
        (
            "number of repeats",
            then.repeats.to_string(),
            now.repeats.to_string(),
        ),
        ("length", length(then).to_owned(), length(now).to_owned()),
    ];
    let (what, then, now) = pairs.into_iter().find(|(_, then, now)| then != now)?;
    Some(format!(
        "its {what} is {then}, and that of this review {now}"
    ))
}

/// A word for the model and the test machine asked for: 16 hexadecimal digits.
fn simulator(plan: &Plan) -> String {
    let mut hash = Xxh3::new();
    // Every build of a commit has the model of its version. Sources that were changed may be any model, and
    // only their own build is sure to be the same one. A program that cannot read itself is told from others
    // by its version alone.
    if provenance::here().modified != Some(false) {
        let program = std::env::current_exe().and_then(std::fs::read);
        hash.update(&program.unwrap_or_default());
    }
    hash.update(format!("{:?}", plan.testbed).as_bytes());
    format!("{:016x}", hash.digest())
}

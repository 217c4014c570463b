//! The results of a measurement: written after each test, and read again by a call that goes on.

use crate::failure::Failure;
use crate::files::Folder;
use crate::options::SEED;
use crate::progress::Signs;
use crate::results;
use ftlab_bench::ask;
use ftlab_bench::suites::Test;
use ftlab_measure::device::Device;
use ftlab_measure::fio::Fio;
use ftlab_measure::machine::suite_of;
use ftlab_measure::plan::Plan;
use ftlab_measure::session::Listener;
use ftlab_result::{DriveSheet, Origin, ResultSet, Run, Unfinished, Way};
use std::path::Path;

/// The word for the machine of a real drive, where a model has the slug of a testbed.
const MACHINE: &str = "real";

/// What was measured so far.
pub struct Measured {
    /// As results.
    pub set: ResultSet,
}

impl Measured {
    pub fn new(sheet: DriveSheet, tests: &[Test], plan: &Plan, quick: bool) -> Measured {
        let mut set = ask::empty(Origin {
            way: Way::Measured,
            model_version: 0,
            ..ask::origin(SEED, MACHINE.to_owned(), quick)
        });
        let left_out = plan.left_out.iter().map(|(test, why)| Unfinished {
            drive: sheet.drive.clone(),
            why: format!("{test} cannot be run on a real drive: {why}"),
        });
        set.unfinished = left_out.collect();
        set.drives = vec![sheet];
        set.tests = tests.iter().map(Test::sheet).collect();
        Measured { set }
    }

    /// Takes up what an earlier call has left in a directory: nothing, if that ended before its first test.
    ///
    /// # Errors
    /// When that is of another drive, suite or length.
    pub fn resume(&mut self, out: &Path) -> Result<(), Failure> {
        if !results::file(out).exists() {
            return Ok(());
        }
        let before = results::read(out)?;
        let other = |what: &str| {
            Failure::Input(format!(
                "{} holds results of {what}, so this call cannot go on with them; give another directory with --out",
                out.display()
            ))
        };
        let [sheet] = &self.set.drives[..] else {
            unreachable!("a measurement is of one drive");
        };
        let there = before.drives.first();
        let Some(there) =
            there.filter(|there| there.file_hash == sheet.file_hash && there.drive == sheet.drive)
        else {
            return Err(other("another drive"));
        };
        if before.origin.way != Way::Measured {
            return Err(other("a model"));
        }
        if suite_of(there) != suite_of(sheet) || before.origin.quick != self.set.origin.quick {
            return Err(other("other tests, or of other lengths"));
        }
        self.set.runs = before.runs;
        Ok(())
    }

    /// Returns true if there is a run of this id, behind the drive.
    pub fn has(&self, id: &str) -> bool {
        let drive = &self.set.drives[0].drive;
        self.set
            .runs
            .iter()
            .any(|run| run.id == format!("{drive}/{id}"))
    }

    /// Notes why not all was done.
    pub fn unfinished(&mut self, why: &str) {
        let drive = self.set.drives[0].drive.clone();
        let why = why.to_owned();
        self.set.unfinished.push(Unfinished { drive, why });
    }
}

/// Results in a folder.
pub struct Kept {
    pub measured: Measured,
    pub folder: Folder,
    pub signs: Signs,
}

impl Listener for Kept {
    fn begins(&mut self, words: &str) {
        self.signs.tell(&format!("{words}\n"));
    }

    fn keep(&mut self, runs: Vec<Run>) -> Result<(), String> {
        let runs = runs.into_iter().map(|run| Run {
            testbed: MACHINE.to_owned(),
            link: "other".to_owned(),
            ..run
        });
        let set = &mut self.measured.set;
        set.runs.extend(runs);
        results::write(&self.folder, set).map_err(|failure| match failure {
            Failure::Input(why) | Failure::Running(why) | Failure::Verdict(why) => why,
            Failure::PipeClosed => "nobody reads it".to_owned(),
        })
    }
}

/// Notes on each run.
pub fn notes(fio: &Fio) -> Vec<String> {
    vec![format!(
        "Measured on a real drive by {} with ioengine={} and direct=1, on the processors {}.",
        fio.version, fio.common.engine, fio.common.processors
    )]
}

/// The name of a drive in results: its model, or what it is.
pub fn slug(model: Option<&str>, device: &Device) -> String {
    ftlab_readings::slug(model.unwrap_or(device.kind.name()))
}

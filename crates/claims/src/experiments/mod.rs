//! Experiments on drives without time, for claims about amounts and places rather than speed.

mod bare;
mod flash;
mod lives;
mod sheet;
mod wakings;
mod writes;

pub use bare::nobody;

use bare::Found;
use ftlab_base::RootSeed;
use ftlab_drive::DriveFile;
use ftlab_lab::{Cell, Course, LabError, Observer, Outcome};
use ftlab_play::streams::drive_seed;
use ftlab_result::Run;

/// Something done to a drive as new.
#[derive(Debug)]
pub struct Experiment {
    /// Its name, as printed.
    pub name: &'static str,
    /// Function that makes the experiment.
    pub run: fn(&DriveFile, RootSeed) -> Found,
}

impl Course for &'static Experiment {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn mark(&self) -> String {
        String::new()
    }

    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError> {
        let file = cell.subject.first();
        let metrics = (self.run)(file, drive_seed(cell.seed, file.slug()))?;
        (observer.part)(&cell.label())?;
        let run = Run {
            drive: file.slug().to_owned(),
            metrics,
            ..Run::default()
        };
        Ok(vec![Outcome {
            run,
            ..Outcome::default()
        }])
    }
}

const fn named_so(name: &'static str, run: fn(&DriveFile, RootSeed) -> Found) -> Experiment {
    Experiment { name, run }
}

/// All experiments, by name.
static ALL: [Experiment; 17] = [
    named_so("units of flash", flash::units),
    named_so("reads of twice the capacity", flash::reads),
    named_so("2 MB rewritten", flash::same_place),
    named_so("wear under hot and cold writes", flash::wear),
    named_so("four fifths written and read", flash::all_kept),
    named_so("power off and on", flash::power_off),
    named_so("deletion without and with TRIM", writes::deletion),
    named_so("writes into deleted space", writes::after_deletion),
    named_so("uniform random writes", writes::uniform),
    named_so(
        "uniform random writes on 75 % of the addresses",
        writes::uniform_on_75,
    ),
    named_so(
        "random overwrites of 16 KiB and 4 KiB",
        writes::small_changes,
    ),
    named_so("secure erase", writes::secure_erase),
    named_so("numbers of the drive file", sheet::numbers),
    named_so("a whole life of random writes", lives::life),
    named_so("reading a drive at its end", lives::at_the_end),
    named_so("data left without power", lives::fading),
    named_so(
        "loads with and without pauses on a drive that may not wake up",
        wakings::lost,
    ),
];

/// The experiment of that name.
pub fn named(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}

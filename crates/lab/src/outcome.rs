//! The outcome of a cell: a run as results have it.

use crate::cell::{Cell, Playing};
use crate::fill;
use crate::states::{Begun, steps};
use crate::subject::{Devices, Subject};
use ftlab_base::SimTime;
use ftlab_drive::nvme::{Life, logs_of};
use ftlab_drive::{DriveFile, Health};
use ftlab_host::{Host, Pcie, Port, Testbed};
use ftlab_play::driver::INTERVAL_S;
use ftlab_play::record::Record;
use ftlab_result::plan::Plan;
use ftlab_result::{Fill, Run, SavedState, Settling, SmartAttribute};
use serde::{Deserialize, Serialize};

/// The outcome of a cell, or of a part of a course.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The load, as it is called in its cell.
    pub load: String,
    /// The run; it has the name of its load until it answers a test.
    pub run: Run,
    /// Speed of the drive at what its jobs wrote, of those that log that.
    #[serde(default)]
    pub fill: Option<Fill>,
    /// The plan of a drive under a load for years, where one was asked for.
    #[serde(default)]
    pub plan: Option<Box<Plan>>,
}

impl Outcome {
    /// The outcome of a load, and of how its drives came to where it began.
    pub(crate) fn of(cell: &Cell, playing: &Playing, record: Record, begun: &[Begun]) -> Outcome {
        let (state, before) = (playing.begin.state, cell.data_before());
        let loaded = begun[0].loaded.as_ref();
        let name = loaded.map_or(state.name(), |loaded| &loaded.origin.state);
        let mut outcome = Outcome::of_record(cell, playing.load.name(), name, record);
        let run = &mut outcome.run;
        run.steps = steps(&cell.subject, begun, state, before);
        for (at, begun) in run.at.iter_mut().zip(begun) {
            at.settling = begun.settling.as_ref().map(settling_of);
        }
        run.saved_state = loaded.map(|loaded| SavedState {
            file: loaded.file.clone(),
            seed: loaded.origin.seed,
        });
        playing.load.data().clone_into(&mut run.data);
        let mut outcome = outcome.on(cell, playing.port);
        let words = playing.length.words(&playing.load);
        outcome.run.is_short = words.is_some();
        outcome.run.notes.extend(words);
        outcome
    }

    /// The outcome that a record of a load on the drives of a cell gives, in a state.
    #[must_use]
    pub fn of_record(cell: &Cell, load: &str, state: &str, record: Record) -> Outcome {
        let members = cell.subject.members();
        let mut run = Run {
            state: state.to_owned(),
            series_interval_s: INTERVAL_S as f64,
            ..record.run
        };
        for ((at, member), health) in run.at.iter_mut().zip(members).zip(&record.healths) {
            at.smart =
                (health.as_ref()).map_or_else(Vec::new, |health| smart_of(&member.file, health));
            if members.len() > 1 {
                member.file.slug().clone_into(&mut at.drive);
            }
        }
        Outcome {
            load: load.to_owned(),
            run,
            fill: (!record.logs.is_empty()).then(|| {
                let tested = &cell.subject.members()[0].file;
                fill::of(&record.logs, fill::Known::of(tested, cell.subject.times()))
            }),
            plan: None,
        }
    }

    /// Forgets what figures are not made of: courses but that of bytes, and the logs of drives.
    pub fn lighten(&mut self) {
        let run = &mut self.run;
        for at in &mut run.at {
            (at.series_wa, at.series_celsius, at.series_throttle) = Default::default();
            (at.smart, at.nvme) = Default::default();
        }
        (run.series_ios, run.series_watts) = Default::default();
        (run.steps, run.notes, run.warnings) = Default::default();
    }

    /// Adds the machine and the links on which the run was made.
    #[must_use]
    pub fn on(mut self, cell: &Cell, port: Option<Port>) -> Outcome {
        let (run, machine) = (&mut self.run, &cell.machine);
        let host = host(machine, port);
        let mut links: Vec<&str> = Vec::new();
        let mut words = Vec::new();
        for (n, member) in cell.subject.members().iter().enumerate() {
            let link = member.file.link_on(&host);
            let of = if member.name.is_empty() { "" } else { " " };
            words.push(format!("{}{of}{}", member.name, link_words(link)));
            if let [_, _, ..] = run.at[..] {
                link.clone_into(&mut run.at[n].link);
            }
            if !links.contains(&link) {
                links.push(link);
            }
        }
        run.link = links.join(", ");
        let words = words.join(", ");
        run.notes
            .push(format!("Measured on {}, {words}.", machine.name));
        run.notes.extend(cell.subject.words_of_size());
        run.testbed.clone_from(&machine.slug);
        self
    }
}

/// A machine at a port; without one at its fastest.
pub(crate) fn host(machine: &Testbed, port: Option<Port>) -> Host {
    match port {
        None => machine.host(),
        port => machine.on(port),
    }
}

/// A link in words, by its name in a result.
#[must_use]
pub fn link_words(link: &str) -> String {
    match (Port::named(link), Pcie::named(link)) {
        (Some(port), _) => format!("on a link of {} Gbit/s", port.bytes_s() as f64 / 1e8),
        (_, Some(lanes)) => format!("on a link of {}", lanes.words()),
        _ if link == "none" => "without a link".to_owned(),
        _ => "on a link as fast as its file says".to_owned(),
    }
}

/// Returns the SMART attributes of a drive in such a state; none if its file names no vendor's set.
#[must_use]
pub fn smart_of(file: &DriveFile, health: &Health) -> Vec<SmartAttribute> {
    let vendor = file.smart_vendor();
    vendor.map_or_else(Vec::new, |vendor| vendor.attributes(health))
}

/// Adds the logs of NVMe drives at the end of the run to its record. Each was switched on for the run: what was done
/// to it before had no clock.
pub(crate) fn with_logs(mut record: Record, subject: &Subject, devices: &Devices) -> Record {
    let life = Life {
        power_cycles: 1,
        unsafe_shutdowns: 0,
        power_on: record.answered,
        busy: None,
    };
    let now = SimTime::ZERO + record.answered;
    let drives = subject.files().zip(devices.iter());
    for (at, (file, device)) in record.run.at.iter_mut().zip(drives) {
        at.nvme = logs_of(file, device.as_ref(), now, &life);
    }
    record
}

/// Returns the settling of a drive as a result holds it.
fn settling_of(settling: &ftlab_states::Settling) -> Settling {
    Settling {
        rounds: settling.rounds.len() as u64,
        settled: settling.settled,
        wa: settling.rounds.iter().map(|share| 1.0 / share).collect(),
    }
}

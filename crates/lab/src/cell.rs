//! Cells: each is everything that decides a run.

use crate::outcome::Outcome;
use crate::subject::Subject;
use crate::{LabError, Length};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::MODEL_VERSION;
use ftlab_host::{Port, Testbed};
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_states::State;
use ftlab_states::watch::Watch;
use std::fmt::{Debug, Display, Write as _};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Everything that decides a run.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The drive, or several by the names that loads have for them.
    pub subject: Arc<Subject>,
    /// The load or the course that runs on them.
    pub work: Work,
    /// The machine that they are plugged into.
    pub machine: Arc<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
}

/// The work that is done with drives.
#[derive(Debug, Clone)]
pub enum Work {
    /// A load is played on a copy of drives in a state.
    Load(Playing),
    /// Acts of its own, from the drives as new.
    Course(Arc<dyn Course>),
}

/// Load of a cell and the manner in which it is played.
#[derive(Debug, Clone)]
pub struct Playing {
    /// The load that is played.
    pub load: Load,
    /// The state that the load begins in.
    pub begin: Begin,
    /// With a clock or without.
    pub clock: Clock,
    /// The port of the machine; none for its fastest.
    pub port: Option<Port>,
    /// Length of what is played.
    pub length: Length,
}

/// Beginning of a load.
#[derive(Debug, Clone)]
pub struct Begin {
    /// State that the drives were brought to.
    pub state: State,
    /// The saved drive that the only drive begins as instead.
    pub saved: Option<Saved>,
    /// Time that the drives lie between that and the load.
    pub rest: Rest,
}

/// A drive that was saved.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Its file, as results name it; empty where it is the state itself, made elsewhere.
    pub file: String,
    /// The bytes of the file.
    pub bytes: Arc<[u8]>,
}

/// Time that drives lie without power.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rest {
    /// Time without power, in hours.
    pub hours: f64,
    /// The temperature at which they lie, in degrees Celsius.
    pub celsius: f64,
}

impl Begin {
    /// In a state, at once.
    #[must_use]
    pub fn of(state: State) -> Begin {
        Begin {
            state,
            saved: None,
            rest: Rest::default(),
        }
    }
}

/// Listener to a course, which may end it.
#[derive(Clone, Copy)]
pub struct Observer<'a> {
    /// Hears how far it is.
    pub watch: &'a Watch<'a>,
    /// Hears what each part was that is done.
    pub part: &'a (dyn Fn(&str) -> Result<(), LabError> + Sync),
}

/// A run that prepares its drive itself, and has one outcome or several.
pub trait Course: Debug + Send + Sync {
    /// Its name in messages.
    fn name(&self) -> String;

    /// Everything that decides it, as a text.
    fn mark(&self) -> String;

    /// The work of each of its parts, beside that of other cells.
    fn costs(&self, _cell: &Cell) -> Vec<f64> {
        vec![1.0]
    }

    /// Goes through all of it.
    ///
    /// # Errors
    /// Why there is no end of it.
    fn run(&self, cell: &Cell, observer: Observer<'_>) -> Result<Vec<Outcome>, LabError>;
}

/// Returns the text of all that decides a run of a load that is not said elsewhere: an id is a hash of it. Settings are
/// `key=value`, in any order that their asker keeps to.
#[must_use]
pub fn mark_of(
    drives: u128,
    load: u128,
    state: State,
    clock: Clock,
    seed: RootSeed,
    settings: &[String],
) -> String {
    let state = state.name();
    let mut mark =
        format!("run\n{MODEL_VERSION}\n{drives:032x}\n{load:032x}\n{state}\n{clock:?}\n");
    mark += &format!("{}\n", seed.0);
    for setting in settings {
        mark += &format!("{setting}\n");
    }
    mark
}

impl Cell {
    /// The id of its run: 32 hexadecimal digits, of all that decides its numbers. Where a load lies is no part of it, and what
    /// it is called only where its random numbers follow from that.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{:032x}", xxh3_128(self.mark().as_bytes()))
    }

    fn mark(&self) -> String {
        let (drives, settings) = (self.subject.mark(), self.subject.settings());
        let mut mark = match &self.work {
            Work::Course(course) => {
                let (name, text) = (course.name(), course.mark());
                let settings = settings.join("\n");
                let seed = self.seed.0;
                format!(
                    "course\n{MODEL_VERSION}\n{drives:032x}\n{name}\n{text}\n{seed}\n{settings}\n"
                )
            }
            Work::Load(playing) => mark_of(
                drives,
                playing.load.mark(),
                playing.begin.state,
                playing.clock,
                self.seed,
                settings,
            ),
        };
        let mut add = |text: &dyn Display| {
            writeln!(mark, "{text}").expect("a string takes it");
        };
        // Another machine may have the name of one that comes with ftlab.
        let usual = Testbed::load(self.usual_machine());
        if usual.ok().as_ref() != Some(&*self.machine) {
            add(&format_args!("machine {:?}", self.machine));
        }
        if let Work::Load(Playing {
            begin,
            port,
            length,
            ..
        }) = &self.work
        {
            if let Some(port) = port {
                add(&format_args!("port {}", port.name()));
            }
            if *length != Length::Full {
                add(&format_args!("length {length:?}"));
            }
            if begin.rest != Rest::default() {
                add(&format_args!("rest {:?}", begin.rest));
            }
            if let Some(saved) = begin.saved.as_ref().filter(|saved| !saved.file.is_empty()) {
                add(&format_args!("saved {:032x}", xxh3_128(&saved.bytes)));
            }
        }
        mark
    }

    /// The machine of a cell of which nothing says another.
    fn usual_machine(&self) -> &str {
        let of_load = match &self.work {
            Work::Load(playing) => playing.load.testbed(),
            Work::Course(_) => None,
        };
        of_load.unwrap_or_else(|| self.subject.usual_testbed())
    }

    /// The load that is played, if one is.
    #[must_use]
    pub fn playing(&self) -> Option<&Playing> {
        match &self.work {
            Work::Load(playing) => Some(playing),
            Work::Course(_) => None,
        }
    }

    /// The data that bring drives to the state of a load: like the load's, if a drive can tell.
    pub(crate) fn data_before(&self) -> Content {
        self.playing().map_or(Content::RANDOM, |playing| {
            self.subject.data_before(&playing.load)
        })
    }

    /// Drive, load and state, for messages.
    #[must_use]
    pub fn label(&self) -> String {
        let drive = self.subject.slug();
        match &self.work {
            Work::Course(course) => format!("{drive} {}", course.name()),
            Work::Load(playing) => {
                let (load, state) = (playing.load.name(), playing.begin.state.name());
                let port = playing
                    .port
                    .map_or(String::new(), |port| format!(", {}", port.name()));
                format!("{drive} {load} ({state}{port})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Nanos;
    use ftlab_drive::Catalog;
    use ftlab_play::load::{What, mark_of_texts};
    use std::collections::{BTreeMap, BTreeSet};

    fn load(name: &str, ios: u32) -> Load {
        let text = format!("[w]\nrw=randwrite\nnumber_ios={ios}\n");
        let what = What::job(&text, name).unwrap();
        let mark = mark_of_texts(&text, &BTreeMap::new());
        Load::of_text(name, &text, mark, what)
    }

    fn cell(change: impl Fn(&mut Cell, &mut Playing)) -> String {
        let drive = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        let mut playing = Playing {
            load: load("w.fio", 9),
            begin: Begin::of(State::Filled),
            clock: Clock::Timed,
            port: None,
            length: Length::Full,
        };
        let subject = Subject::from(drive);
        let machine = Testbed::load(subject.usual_testbed()).unwrap();
        let mut cell = Cell {
            subject: Arc::new(subject),
            work: Work::Load(playing.clone()),
            machine: Arc::new(machine),
            seed: RootSeed(1),
        };
        change(&mut cell, &mut playing);
        cell.work = Work::Load(playing);
        cell.id()
    }

    #[test]
    fn whatever_decides_a_run_makes_another_id_and_nothing_else_does() {
        let machine = |cell: &mut Cell, change: &dyn Fn(&mut Testbed)| {
            change(Arc::make_mut(&mut cell.machine));
        };
        let drive = |settings: &[&str]| {
            let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
            Arc::new(Subject::from(
                Catalog::default().load("generic-mlc-8", &settings).unwrap(),
            ))
        };
        let ids = [
            cell(|_, _| ()),
            cell(|cell, _| cell.seed = RootSeed(2)),
            cell(|cell, _| cell.subject = drive(&["spare.op=0.28"])),
            // A machine of the user's own may have the name of another.
            cell(|cell, _| machine(cell, &|machine| machine.host_command = Nanos(1))),
            cell(|_, playing| playing.load = load("w.fio", 10)),
            cell(|_, playing| playing.begin.state = State::Used),
            cell(|_, playing| playing.begin.rest.hours = 1.0),
            cell(|_, playing| {
                playing.begin.saved = Some(Saved {
                    file: "s.state".to_owned(),
                    bytes: Arc::from([1]),
                });
            }),
            cell(|_, playing| playing.clock = Clock::Untimed),
            cell(|_, playing| playing.port = Some(Port::ALL[0])),
            cell(|_, playing| playing.length = Length::Quick),
        ];
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
        let renamed = cell(|_, playing| playing.load = load("other/place.fio", 9));
        assert_eq!(renamed, ids[0]);
    }
}

//! Cells: each is everything that decides a run.

use crate::outcome::Outcome;
use crate::subject::Subject;
use crate::{LabError, Length};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::MODEL_VERSION;
use ftlab_host::{Port, Testbed};
use ftlab_play::driver::Clock;
use ftlab_play::load::Load;
use ftlab_play::states::State;
use ftlab_play::watch::Watch;
use std::fmt::{Debug, Display, Write as _};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Everything that decides a run.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The drive, or several by the names that loads have for them.
    pub subject: Arc<Subject>,
    /// What is done with them.
    pub work: Work,
    /// The machine that they are plugged into.
    pub machine: Arc<Testbed>,
    /// Root of every random stream.
    pub seed: RootSeed,
}

/// What is done with drives.
#[derive(Debug, Clone)]
pub enum Work {
    /// A load is played on a copy of drives in a state.
    Load(Playing),
    /// Acts of its own, from the drives as new.
    Course(Arc<dyn Course>),
}

/// How a load is played.
#[derive(Debug, Clone)]
pub struct Playing {
    /// What is played.
    pub load: Load,
    /// Where it begins.
    pub begin: Begin,
    /// With a clock or without.
    pub clock: Clock,
    /// The port of the machine; none for its fastest.
    pub port: Option<Port>,
    /// How much of it is played.
    pub length: Length,
}

/// Where a load begins.
#[derive(Debug, Clone)]
pub struct Begin {
    /// What the drives have been through.
    pub state: State,
    /// What the only drive is loaded with instead, which was saved.
    pub saved: Option<Saved>,
    /// What lies between that and the load.
    pub rest: Rest,
}

/// A drive that was saved.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Its file, as results name it; empty where it is the state itself, made elsewhere.
    pub file: String,
    /// What the file holds.
    pub bytes: Arc<[u8]>,
}

/// How long drives lie without power.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rest {
    /// For so long.
    pub hours: f64,
    /// At so many degrees.
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

/// Hears what each part was that is done.
pub type PartDone<'a> = dyn Fn(&str) -> Result<(), LabError> + Sync + 'a;

/// What prepares its drive itself, and comes to one outcome or several.
pub trait Course: Debug + Send + Sync {
    /// What it is called in messages.
    fn name(&self) -> String;

    /// Everything that decides it, as a text.
    fn mark(&self) -> String;

    /// What each of its parts is worth beside those of other cells.
    fn costs(&self, _cell: &Cell) -> Vec<f64> {
        vec![1.0]
    }

    /// Goes through all of it. `part` hears what each part was that is done.
    ///
    /// # Errors
    /// Why there is no end of it.
    fn run(
        &self,
        cell: &Cell,
        watch: &Watch<'_>,
        part: &PartDone<'_>,
    ) -> Result<Vec<Outcome>, LabError>;
}

/// What decides a run of a load, of which nothing else is said, as a text: an id is a hash of that. Settings are `key=value`,
/// in any order that their asker keeps to.
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
    /// The id of its run: 32 hexadecimal digits, of all that decides its numbers. No name and no place is in it.
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
        if self.machine.slug != self.usual_machine() {
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

    /// What is written on the way to the state of a load: data like the load's, if a drive can tell.
    pub(crate) fn data_before(&self) -> Content {
        self.playing().map_or(Content::RANDOM, |playing| {
            self.subject.data_before(&playing.load)
        })
    }

    /// What runs, in words: drive, load and state.
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

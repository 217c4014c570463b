//! The one reader of loads, for every command and for Python: job files and command lines of fio, scripts, scenarios,
//! synthetic and recorded traces, by a path, by the name of one that comes with ftlab, or by their texts.

mod own;
mod part;
mod replay;

pub use own::OwnLoad;
pub use part::{Window, share_of_addresses};
pub use replay::{OfJob, Replay};

use crate::suites::{script_beside, text_of_load};
use ftlab_base::Blame;
use ftlab_output::text;
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, LoadError, What, mark_of_texts, mark_of_trace};
use ftlab_trace::{Look, TraceError};
use ftlab_workload::trace::Trace;
use ftlab_workload::{JobError, JobFile, Sections, Shuffle, Surroundings};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The reason that a load cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It is no job file, script, scenario or synthetic trace.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It is no recorded trace, or cannot be read to its end.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// There is no such file or load, or it cannot be run as was asked.
    #[error("{0}")]
    Refused(String),
}

impl Blame for ReadError {}

impl From<JobError> for ReadError {
    fn from(error: JobError) -> ReadError {
        ReadError::Load(error.into())
    }
}

/// A thing that is found by its name, or is there as a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "give a name or a path in quotation marks, or a table with a name and a text"
)]
pub enum Named<T> {
    /// A name or a path.
    Name(String),
    /// The text itself, under a name of its own.
    Text(T),
}

/// A load by all that decides its requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadText {
    /// Its name in results.
    pub name: String,
    /// The text of a job file, a script, a scenario or a synthetic trace; empty for a recorded trace.
    #[serde(default)]
    pub text: String,
    /// The texts of the scripts that a scenario names, by these names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scripts: BTreeMap<String, String>,
    /// The recorded trace that is replayed, by the load itself or by its job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceFile>,
}

/// A recorded trace, which is too large to be carried as a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// The path of the file on this machine.
    pub path: PathBuf,
    /// A hash of its bytes: another file in its place is another load.
    pub hash: String,
}

/// A load that was read, and its texts.
#[derive(Debug)]
pub struct ReadLoad {
    /// The load as it runs.
    pub load: Load,
    /// All that decides its requests.
    pub texts: LoadText,
}

/// The name of a load in messages and results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// Its name: why a run failed is part of a row, and the same wherever the load lies.
    ByName,
    /// The place that it was read from.
    ByPlace,
}

/// The rules by which loads are read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Relative paths begin here.
    pub folder: &'a Path,
    /// Set if a name may be that of a load that comes with ftlab.
    pub takes_names: bool,
    /// The clock that loads run by: a script or a synthetic trace has no meaning without one.
    pub clock: Clock,
    /// The option or key that asks for loads without a clock, for messages.
    pub untimed_word: &'a str,
    /// The name of a load in messages.
    pub called: Called,
    /// The pace, selection and format of recorded traces.
    pub replay: &'a Replay,
    /// How the hot places of jobs lie that do not say it themselves; none for fio's way.
    pub shuffle: Option<Shuffle>,
    /// The jobs of job files that are asked for; all if none is.
    pub sections: &'a [String],
    /// Options of job files that do not set them.
    pub defaults: Option<&'a Sections>,
    /// Set if its texts are to be read elsewhere, too: a recorded trace is then identified by a hash of its bytes.
    pub is_carried: bool,
    /// The machine that job files may ask for.
    pub machine: &'a Surroundings<'a>,
    /// Called with a recorded trace before it is read; the value that it returns is kept until that is done.
    pub before_trace: &'a dyn Fn(&Look, &Path) -> Box<dyn Any>,
}

static AS_RECORDED: Replay = Replay::NONE;

impl Default for Reading<'_> {
    fn default() -> Self {
        Reading {
            folder: Path::new(""),
            takes_names: false,
            clock: Clock::Timed,
            untimed_word: "--untimed",
            called: Called::ByPlace,
            replay: &AS_RECORDED,
            shuffle: None,
            sections: &[],
            defaults: None,
            is_carried: false,
            machine: &Surroundings::NONE,
            before_trace: &|_, _| Box::new(()),
        }
    }
}

impl Reading<'_> {
    /// Reads a load by its path, its name or its texts.
    ///
    /// # Errors
    /// When there is none, it is none, or it cannot run as is asked.
    pub fn read(&self, named: &Named<LoadText>) -> Result<ReadLoad, ReadError> {
        let place = match named {
            Named::Name(name) => self.folder.join(name),
            Named::Text(texts) => PathBuf::from(&texts.name),
        };
        let read = match named {
            Named::Name(_) if self.is_trace(&place)? => self.trace(&place, None)?,
            Named::Text(LoadText {
                trace: Some(trace),
                text,
                ..
            }) if text.is_empty() => self.trace(&trace.path, Some(&trace.hash))?,
            _ => self.text(named)?,
        };
        let what = read.load.what();
        match (self.clock, what) {
            (Clock::Timed, _) | (_, What::Job(_) | What::Recording(_)) => Ok(read),
            _ => Err(ReadError::Refused(format!(
                "{}: a {} has no meaning without a clock; leave out {}",
                place.display(),
                what.word(),
                self.untimed_word
            ))),
        }
    }

    /// Reads the jobs of a command line or of a file that was taken apart, under a name.
    ///
    /// # Errors
    /// As [`Reading::read`].
    pub fn jobs(&self, sections: Sections, name: &str) -> Result<ReadLoad, ReadError> {
        let text = sections.to_text();
        let mut texts = LoadText {
            name: name.to_owned(),
            text,
            scripts: BTreeMap::new(),
            trace: None,
        };
        let what = self.job(sections, &mut texts.trace)?;
        let load = Load::of_text(name, &texts.text, mark_of(&texts, &what), what);
        Ok(ReadLoad {
            load: self.shuffled(load),
            texts,
        })
    }

    /// The load, shuffled if that is asked for.
    fn shuffled(&self, load: Load) -> Load {
        match self.shuffle {
            None => load,
            Some(how) => load.shuffled(how),
        }
    }

    /// Returns true if a file is a recorded trace: by its content, or as a format is given.
    fn is_trace(&self, path: &Path) -> Result<bool, ReadError> {
        let is_said = self.replay.opening.format.is_some();
        Ok(is_said || ftlab_trace::is_trace_file(path)?)
    }

    fn trace(&self, path: &Path, hash: Option<&str>) -> Result<ReadLoad, ReadError> {
        self.has_no_sections(path)?;
        let shown = path.display().to_string();
        let stem = path.file_stem().unwrap_or_default();
        let recording = self.replay.recording(path, self.before_trace)?;
        let texts = LoadText {
            name: stem.to_string_lossy().into_owned(),
            text: String::new(),
            scripts: BTreeMap::new(),
            trace: self.carried(path, hash)?,
        };
        let name = match self.called {
            Called::ByName => texts.name.clone(),
            Called::ByPlace => shown,
        };
        let what = What::Recording(recording);
        Ok(ReadLoad {
            load: Load::new(name, mark_of(&texts, &what), what),
            texts,
        })
    }

    /// Reads a load that is a text: TOML of ftlab's own, or a job file.
    fn text(&self, named: &Named<LoadText>) -> Result<ReadLoad, ReadError> {
        let (shown, mut texts) = match named {
            Named::Text(texts) => (texts.name.clone(), texts.clone()),
            Named::Name(name) => {
                let (shown, text) = self.text_of(name)?;
                let stem = Path::new(name).file_stem().unwrap_or_default();
                let texts = LoadText {
                    name: stem.to_string_lossy().into_owned(),
                    text,
                    scripts: BTreeMap::new(),
                    trace: None,
                };
                (shown, texts)
            }
        };
        let name = match self.called {
            Called::ByName => texts.name.clone(),
            Called::ByPlace => shown.clone(),
        };
        let what = match shown.ends_with(".toml") || is_toml(&texts.text) {
            true => {
                self.has_no_sections(Path::new(&shown))?;
                self.toml(named, &mut texts, &name)?
            }
            false => {
                let sections = Sections::of_text(&texts.text, &name)?;
                let sections = match self.sections {
                    [] => sections,
                    names => sections.only(names)?,
                };
                let sections = match self.defaults {
                    None => sections,
                    Some(defaults) => sections.behind(defaults),
                };
                // What is not run is no part of the load, and what else holds for it is one.
                if !self.sections.is_empty() || self.defaults.is_some() {
                    texts.text = sections.to_text();
                }
                self.job(sections, &mut texts.trace)?
            }
        };
        let load = Load::of_text(name, &texts.text, mark_of(&texts, &what), what);
        Ok(ReadLoad {
            load: self.shuffled(load),
            texts,
        })
    }

    fn text_of(&self, name: &str) -> Result<(String, String), ReadError> {
        match self.takes_names {
            true => text_of_load(self.folder, name),
            false => {
                let path = self.folder.join(name);
                let what = match path.extension().is_some_and(|ending| ending == "toml") {
                    true => "a script, a scenario or a trace",
                    false => "a fio job file",
                };
                text::read(&path, what).map(|text| (path.display().to_string(), text))
            }
        }
        .map_err(ReadError::Refused)
    }

    fn toml(
        &self,
        named: &Named<LoadText>,
        texts: &mut LoadText,
        name: &str,
    ) -> Result<What, ReadError> {
        if Trace::is_one(&texts.text) {
            return Ok(What::trace(&texts.text, name)?);
        }
        let scripts = RefCell::new(std::mem::take(&mut texts.scripts));
        let library = |script: &str| {
            if let Some(text) = scripts.borrow().get(script) {
                return Some((script.to_owned(), text.clone()));
            }
            let beside = match named {
                Named::Name(name) => self.folder.join(name),
                Named::Text(_) => self.folder.join(script),
            };
            let (path, text) = script_beside(Some(&beside), script)?;
            scripts.borrow_mut().insert(script.to_owned(), text.clone());
            Some((path, text))
        };
        let what = What::script(&texts.text, name, &library)?;
        texts.scripts = scripts.into_inner();
        Ok(what)
    }

    /// Jobs, or the recorded trace that a job replays.
    fn job(&self, sections: Sections, trace: &mut Option<TraceFile>) -> Result<What, ReadError> {
        let file = JobFile::of(sections, self.machine)?;
        let replays = file
            .jobs
            .iter()
            .find_map(|job| Some((job, job.replay.file.as_ref()?)));
        let Some((job, path)) = replays else {
            return Ok(What::Job(file));
        };
        if file.jobs.len() > 1 {
            return Err(ReadError::Refused(format!(
                "{}: job `{}` replays a trace, and there are other jobs; a load replays one trace and nothing beside it, \
                 so put the job into a file of its own",
                job.source, job.name
            )));
        }
        let (path, hash) = match trace.take() {
            Some(known) => (known.path, Some(known.hash)),
            None => (self.folder.join(path), None),
        };
        let replay = self.replay.of_job(job);
        let recording = replay.recording(&path, self.before_trace)?;
        *trace = self.carried(&path, hash.as_deref())?;
        Ok(What::Recording(recording.of_job(file)))
    }

    fn carried(&self, path: &Path, hash: Option<&str>) -> Result<Option<TraceFile>, ReadError> {
        let is_asked = self.is_carried || hash.is_some();
        is_asked.then(|| TraceFile::at(path, hash)).transpose()
    }

    fn has_no_sections(&self, path: &Path) -> Result<(), ReadError> {
        match self.sections {
            [] => Ok(()),
            _ => Err(ReadError::Refused(format!(
                "--section names a job of a job file, and {} is none; leave it out",
                path.display()
            ))),
        }
    }
}

/// A number that differs from load to load. A recorded trace is known by its content and by when it was written.
fn mark_of(texts: &LoadText, what: &What) -> u128 {
    let What::Recording(recording) = what else {
        return mark_of_texts(&texts.text, &texts.scripts);
    };
    let file = std::fs::metadata(&recording.file).ok();
    let written = file.and_then(|file| Some((file.len(), file.modified().ok()?)));
    let holds = format!("{:?} {written:?}", recording.scan);
    let how = format!("{:?} {:?}", recording.pace, recording.fit);
    mark_of_trace(&texts.text, &texts.scripts, &holds, &how)
}

/// Returns true if a text is TOML of ftlab's own, as scripts and traces are: a job file begins with a section.
fn is_toml(text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    table.is_ok_and(|table| table.contains_key("schema"))
}

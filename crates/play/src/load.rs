//! Loads: job files, scripts and traces. Each is read once, and shared by all that run it.

use crate::recording::Recording;
use crate::streams::{seed_of_load, stream_of_text};
use ftlab_base::{Blame, Content, RootSeed};
use ftlab_workload::script::{Library, Scenario, ScriptError};
use ftlab_workload::trace::Trace;
use ftlab_workload::{JobError, JobFile, Shuffle};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// From how many percent on the words of the reference table call data compressible.
const COMPRESSIBLE_PERCENT: u32 = 50;

/// A load that was read.
#[derive(Debug, Clone)]
pub struct Load {
    of: Arc<Loaded>,
    /// A mark of its texts, which no others have.
    mark: u128,
}

#[derive(Debug)]
struct Loaded {
    name: String,
    /// Name of the random streams of its requests.
    stream: String,
    what: What,
}

/// Kind and contents of a load.
#[derive(Debug)]
pub enum What {
    /// Jobs of a file.
    Job(JobFile),
    /// A script or a scenario.
    Script(Scenario),
    /// A trace that is made up from counts.
    Trace(Trace),
    /// A trace that was recorded.
    Recording(Recording),
}

/// Reason why a load cannot be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It is no job file.
    #[error(transparent)]
    Job(#[from] JobError),
    /// It is no script, scenario or trace.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl Blame for LoadError {}

/// Returns a hash that tells a load from others, whatever it is called: of its text, and those of the scripts that it
/// names.
#[must_use]
pub fn mark_of_texts(text: &str, scripts: &BTreeMap<String, String>) -> u128 {
    xxh3_128(text_of_texts(text, scripts).as_bytes())
}

/// Returns the hash of a load that replays a recorded trace: of its texts, the hash of the trace's bytes, and words on
/// the replay.
#[must_use]
pub fn mark_of_trace(
    text: &str,
    scripts: &BTreeMap<String, String>,
    hash: &str,
    words: &str,
) -> u128 {
    let all = text_of_texts(text, scripts) + &format!("\ntrace\n{hash}\n{words}");
    xxh3_128(all.as_bytes())
}

fn text_of_texts(text: &str, scripts: &BTreeMap<String, String>) -> String {
    let mut all = format!("{}\n{text}", text.len());
    for (name, text) in scripts {
        all += &format!("\n{name}\n{}\n{text}", text.len());
    }
    all
}

/// Loads are the same if their names are: a plan has one load of a name.
impl PartialEq for Load {
    fn eq(&self, other: &Load) -> bool {
        self.of.name == other.of.name
    }
}

impl Load {
    /// A load of this name, which no other in the same plan has, and of texts of this mark. Its requests are drawn from the
    /// stream of that name, too.
    #[must_use]
    pub fn new(name: impl Into<String>, mark: u128, what: What) -> Load {
        let name = name.into();
        let stream = name.clone();
        // Its name decides its numbers.
        let mark = xxh3_128(format!("{mark:032x}\n{name}").as_bytes());
        let of = Arc::new(Loaded { name, stream, what });
        Load { of, mark }
    }

    /// Makes the load of a text, whose requests do not depend on its name ([`stream_of_text`]).
    #[must_use]
    pub fn of_text(name: impl Into<String>, text: &str, mark: u128, what: What) -> Load {
        let (name, stream) = (name.into(), stream_of_text(text));
        let of = Arc::new(Loaded { name, stream, what });
        Load { of, mark }
    }

    /// Returns the load with other contents, such as another pace, and with the name and the stream of this one.
    #[must_use]
    pub fn paced(&self, what: What) -> Load {
        let (name, stream) = (self.of.name.clone(), self.of.stream.clone());
        let of = Arc::new(Loaded { name, stream, what });
        Load { of, ..*self }
    }

    /// Shuffles its jobs that do not say themselves how their hot places lie; other loads stay as they are. Requests that are
    /// others for it give the load another mark.
    #[must_use]
    pub fn shuffled(&self, how: Shuffle) -> Load {
        let Some(mut file) = self.job_file().cloned() else {
            return self.clone();
        };
        match file.shuffle(how) {
            false => self.clone(),
            true => {
                let words = format!("{:032x}\nshuffle={}", self.mark, how.word());
                self.paced(What::Job(file))
                    .marked(xxh3_128(words.as_bytes()))
            }
        }
    }

    /// Has shuffled jobs come to the same places each time that they are played, whatever the seed is that time
    /// ([`JobFile::keep_orders`]).
    #[must_use]
    pub fn keeping_orders(&self, root: RootSeed) -> Load {
        let Some(mut file) = self.job_file().cloned() else {
            return self.clone();
        };
        file.keep_orders(self.seed(root));
        self.paced(What::Job(file))
    }

    /// Gives the load another mark.
    #[must_use]
    pub fn marked(&self, mark: u128) -> Load {
        Load {
            of: Arc::clone(&self.of),
            mark,
        }
    }

    /// Returns the name among all loads.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.of.name
    }

    /// Returns its kind and contents.
    #[must_use]
    pub fn what(&self) -> &What {
        &self.of.what
    }

    /// A mark of its texts, whatever it is called, which no others have.
    #[must_use]
    pub fn mark(&self) -> u128 {
        self.mark
    }

    /// The seed of its requests: the same on every drive and in every state.
    #[must_use]
    pub fn seed(&self, root: RootSeed) -> RootSeed {
        seed_of_load(root, &self.of.stream)
    }

    /// The job file that it is, if it is one.
    #[must_use]
    pub fn job_file(&self) -> Option<&JobFile> {
        match self.what() {
            What::Job(file) => Some(file),
            What::Script(_) | What::Trace(_) | What::Recording(_) => None,
        }
    }

    /// The machine that it asks for, if it asks for one.
    #[must_use]
    pub fn testbed(&self) -> Option<&str> {
        match self.what() {
            What::Job(_) | What::Recording(_) => None,
            What::Script(scenario) => Some(&scenario.testbed),
            What::Trace(trace) => Some(&trace.testbed),
        }
    }

    /// Returns a word for its data: that of the reference table, where all of them are alike.
    #[must_use]
    pub fn data(&self) -> &'static str {
        let percents = self.compress_percents();
        let is_easy = |percent: &u32| *percent >= COMPRESSIBLE_PERCENT;
        match percents.as_slice() {
            all if all.iter().all(|&percent| percent == 0) => "incompressible",
            all if all.iter().all(is_easy) => "compressible",
            _ => "partly compressible",
        }
    }

    /// Returns the percentages that compress away of the data of each of its parts.
    fn compress_percents(&self) -> Vec<u32> {
        match self.what() {
            What::Job(file) => (file.jobs.iter())
                .map(|job| u32::from(job.data.compressible_percent()))
                .collect(),
            What::Script(scenario) => {
                let phases = scenario.processes.iter().flat_map(|p| &p.script.phases);
                let percents = phases.map(|phase| phase.buffer_compress_percentage.unwrap_or(0));
                percents.collect()
            }
            What::Trace(trace) => vec![trace.buffer_compress_percentage.unwrap_or(0)],
            What::Recording(_) => vec![0],
        }
    }

    /// Returns the nature of its data, if they are what reviews call compressible.
    #[must_use]
    pub fn compressible(&self) -> Option<Content> {
        let is_easy = |percent: &u32| *percent >= COMPRESSIBLE_PERCENT;
        match self.what() {
            What::Job(file) => {
                let mut data = file.jobs.iter().map(|job| job.data);
                data.find(|data| is_easy(&u32::from(data.compressible_percent())))
                    .map(|data| data.content())
            }
            What::Script(_) => {
                let percent = self.compress_percents().into_iter().find(is_easy)?;
                Some(Content::compressible(percent.min(100) as u8))
            }
            What::Trace(trace) => {
                let percent = trace.buffer_compress_percentage?;
                is_easy(&percent).then(|| trace.content())
            }
            What::Recording(_) => None,
        }
    }
}

impl What {
    /// Returns the word that people use for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            What::Job(_) => "job file",
            What::Script(_) => "script",
            What::Trace(_) | What::Recording(_) => "trace",
        }
    }

    /// Reads a job file. `file` names it in errors.
    ///
    /// # Errors
    /// When the text is none.
    pub fn job(text: &str, file: &str) -> Result<What, LoadError> {
        Ok(What::Job(JobFile::parse(text, file)?))
    }

    /// Reads a script, or a scenario whose scripts come from `library`.
    ///
    /// # Errors
    /// As [`What::job`].
    pub fn script(text: &str, file: &str, library: Library<'_>) -> Result<What, LoadError> {
        Ok(What::Script(Scenario::parse(text, file, library)?))
    }

    /// Reads a trace of counts.
    ///
    /// # Errors
    /// As [`What::job`].
    pub fn trace(text: &str, file: &str) -> Result<What, LoadError> {
        Ok(What::Trace(Trace::parse(text, file)?))
    }
}

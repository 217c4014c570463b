//! A device, as it is described before it is built.

use crate::device::{Carries, Device};
use crate::error::Error;
use crate::faults::{rule, wrong};
use crate::policy::OwnPolicies;
use ftlab_base::{Nanos, RootSeed};
use ftlab_drive::faults::{Program, Scripted};
use ftlab_drive::{Catalog, DriveFile, default_testbed, saved};
use ftlab_host::Testbed;
use ftlab_states::{State, prepare};

/// Where the drive's numbers come from.
#[derive(Debug, Clone)]
enum Source {
    /// A drive of the catalogue.
    Named(String),
    /// The text of a drive file, and its name in errors.
    Text { name: String, text: String },
    /// A drive file that was read.
    File(Box<DriveFile>),
}

/// Description of a device. What is not said is as in `ftlab run`: a new drive, the testbed of its time, seed 1.
#[derive(Debug, Clone)]
pub struct Builder {
    source: Source,
    settings: Vec<String>,
    shrink_to: Option<u64>,
    testbed: Option<String>,
    state: String,
    saved: Option<Vec<u8>>,
    seed: u64,
    carries: Carries,
    splits: bool,
    policies: OwnPolicies,
    faults: Vec<String>,
}

/// A drive in its state, and what it is made of.
#[doc(hidden)]
pub struct Parts {
    pub file: DriveFile,
    pub testbed: Testbed,
    pub seed: RootSeed,
    pub drive: Scripted,
}

impl Builder {
    fn of(source: Source) -> Builder {
        Builder {
            source,
            settings: Vec::new(),
            shrink_to: None,
            testbed: None,
            state: "new".to_owned(),
            saved: None,
            seed: 1,
            carries: Carries::Nothing,
            splits: false,
            policies: OwnPolicies::default(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn named(name: &str) -> Builder {
        Builder::of(Source::Named(name.to_owned()))
    }

    pub(crate) fn text(name: &str, text: &str) -> Builder {
        Builder::of(Source::Text {
            name: name.to_owned(),
            text: text.to_owned(),
        })
    }

    /// The drive of a file that one of ftlab's own crates has read. No part of the stable interface.
    #[doc(hidden)]
    #[must_use]
    pub fn of_file(file: DriveFile) -> Builder {
        Builder::of(Source::File(Box::new(file)))
    }

    /// Changes a number of the drive file, as `ftlab run --set` does: `gc.policy=fifo`.
    #[must_use]
    pub fn set(mut self, key_value: &str) -> Builder {
        self.settings.push(key_value.to_owned());
        self
    }

    /// Takes the drive in a form of at most N bytes, with smaller blocks: what it holds is less, and speeds, latencies and
    /// write amplification are the same.
    #[must_use]
    pub fn shrink_to(mut self, bytes: u64) -> Builder {
        self.shrink_to = Some(bytes);
        self
    }

    /// Puts the drive on another machine: `spdk-2024`, or the text of a testbed file.
    #[must_use]
    pub fn testbed(mut self, name_or_text: &str) -> Builder {
        self.testbed = Some(name_or_text.to_owned());
        self
    }

    /// Brings the drive to a state before its time begins: `filled`, `used`, `steady-fast` … (see `ftlab run --state`).
    #[must_use]
    pub fn state(mut self, name: &str) -> Builder {
        name.clone_into(&mut self.state);
        self
    }

    /// Begins with a state that [`Device::save_state`] or `ftlab run --save-state` wrote, instead of a named one.
    #[must_use]
    pub fn saved_state(mut self, bytes: &[u8]) -> Builder {
        self.saved = Some(bytes.to_vec());
        self
    }

    /// Takes another seed: of the drive's draws, and of how it comes to its state.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Builder {
        self.seed = seed;
        self
    }

    /// Has the drive follow what a power cut would take, without bytes.
    #[must_use]
    pub fn track_power_cuts(mut self) -> Builder {
        self.carries = self.carries.max(Carries::Account);
        self
    }

    /// Has the drive carry bytes: writes come with data, [`Device::read`] gives them, and a power cut takes some.
    #[must_use]
    pub fn keep_data(mut self) -> Builder {
        self.carries = Carries::Data;
        self
    }

    /// Has each completion say where its latency went: [`Completion::split`](crate::Completion::split).
    #[must_use]
    pub fn split_latencies(mut self) -> Builder {
        self.splits = true;
        self
    }

    /// Policies of your own, which the drive file and settings can name: `gc.policy=my-policy`.
    #[must_use]
    pub fn policies(mut self, policies: OwnPolicies) -> Builder {
        self.policies = policies;
        self
    }

    /// Has something go wrong with requests, in the words of `ftlab fault`: `error once --on flush`, `drop-flush --after 3`,
    /// `misdirect --by 4k`. It comes behind those that the drive file has in `[[faults.script]]`, and its time begins with the
    /// drive's.
    #[must_use]
    pub fn fault(mut self, words: &str) -> Builder {
        self.faults.push(words.to_owned());
        self
    }

    fn file(&self) -> Result<DriveFile, Error> {
        let catalog = || Catalog::with(self.policies.clone());
        let file = match &self.source {
            Source::Named(name) => catalog().known(name, &self.settings)?,
            Source::Text { name, text } => catalog().parse(name, text, &self.settings)?,
            // It knows its own policies.
            Source::File(file) if self.settings.is_empty() => (**file).clone(),
            Source::File(file) => file.with(&self.settings)?,
        };
        let Some(most) = self.shrink_to else {
            return Ok(file);
        };
        let (small, _) = file.shrunk_to(most)?;
        match small.capacity_bytes() <= most || file.raw_bytes().is_none() {
            true => Ok(small),
            false => Err(Error::Drive(format!(
                "shrink_to: {} has {} bytes at least, with blocks of few pages",
                file.slug(),
                small.capacity_bytes()
            ))),
        }
    }

    /// The faults of requests, those of the file first.
    fn faults(&self, file: &DriveFile) -> Result<Program, Error> {
        let mut program = file.faults();
        for words in &self.faults {
            let rule = rule(words).map_err(Error::Drive)?;
            let added = program.add(rule, Nanos::ZERO, file.capacity_bytes(), true);
            added.map_err(|why| Error::Drive(wrong(words, &why)))?;
        }
        Ok(program)
    }

    fn machine(&self, file: &DriveFile) -> Result<Testbed, Error> {
        let name = match &self.testbed {
            None => default_testbed([file]),
            Some(text) if text.contains('\n') => return Ok(Testbed::parse("testbed", text)?),
            Some(name) => name,
        };
        Ok(Testbed::known(name)?)
    }

    /// Builds the device, brings it to its state, and lets its time begin at 0.
    ///
    /// # Errors
    /// When there is no such drive, testbed or state, a setting is wrong, or the drive cannot come to the state.
    pub fn build(&self) -> Result<Device, Error> {
        let parts = self.parts()?;
        Ok(Device::around(parts, (self.carries, self.splits)))
    }

    /// The drive in its state, for one of ftlab's own crates: without data, and without an account of power cuts. No part of
    /// the stable interface.
    #[doc(hidden)]
    pub fn parts(&self) -> Result<Parts, Error> {
        let file = self.file()?;
        let testbed = self.machine(&file)?;
        let state = State::of_name(&self.state).map_err(Error::State)?;
        let seed = RootSeed(self.seed);
        let faults = self.faults(&file)?;
        let mut drive = file.build_without_faults(&testbed, seed)?;
        match &self.saved {
            None => drop(prepare(&mut *drive, State::New, state, seed)?),
            Some(bytes) => {
                let read = saved::read(&mut &**bytes, &file, &mut *drive);
                read.map_err(|why| Error::State(why.to_string()))?;
            }
        }
        Ok(Parts {
            drive: file.with_faults(drive, faults, &testbed),
            file,
            testbed,
            seed,
        })
    }
}

//! The states a drive is tested in, and how it is brought there.
//!
//! | state | begins | then |
//! |---|---|---|
//! | `new` | – | nothing |
//! | `filled` | new | every sector once, in order |
//! | `filled-random` | new | every sector once, in random order |
//! | `seasoned` | filled | an image of a system, in order |
//! | `used` | filled | random writes for a while, most of them to one place |
//! | `restored` | used | an image of a system, in order |
//! | `steady` | new | as `steady-fast` or, without a closed form, as `filled`; then random writes until SNIA's rule holds (`steady.rs`) |
//! | `steady-fast` | new | a sequence of writes that ends where `steady` ends (`fast.rs`) |
//!
//! What is written does not compress, unless a test of data that do begins there. [`steady_rule`] is SNIA's rule of the
//! steady state; [`watch`] hears how far long work is.
//!
//! # Invariants
//!
//! - **A state is reached by commands**, without time. Preparation has no back door: whatever a drive holds, a host could
//!   have written. So counters, wear and invariants need no exception for prepared drives, and `restore` refuses what no
//!   drive could go on from.

mod fast;
mod rest;
mod steady;
pub mod steady_rule;
pub mod watch;
mod writes;

pub use fast::FastRefused;
pub use rest::come_to_rest;
pub use steady::{Settling, Start};

use crate::watch::{Stopped, Watch};
use ftlab_base::{Blame, Content, RootSeed};
use ftlab_drive::{Device, Kind};
use thiserror::Error;
use writes::Writer;

/// State of a drive before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing was ever written.
    New,
    /// Every sector was written once, in order.
    Filled,
    /// Every sector was written once, in random order.
    FilledRandom,
    /// Filled, then an image of a system written over its beginning: nothing at random.
    Seasoned,
    /// Filled, then written at random for a while.
    Used,
    /// Used, then an image of a system written over its beginning.
    Restored,
    /// Written at random until more of it changes nothing.
    Steady,
    /// As steady, reached by a short cut.
    SteadyFast,
}

/// Reason why a drive could not be brought to a state.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PrepareError {
    /// The drive refused a write.
    #[error("the drive takes no more writes on its way to the state `{state}`: {why}")]
    Fault {
        /// The state it was on its way to.
        state: &'static str,
        /// In the drive's words.
        why: String,
    },
    /// A random write costs so much that the preparation would take days.
    #[error(
        "{written_bytes} random bytes made the drive program {programmed_bytes}: it rewrites whole \
         blocks, and filling it in random order would take days; use --state filled or used"
    )]
    TooDear {
        /// Bytes written so far.
        written_bytes: u64,
        /// Bytes programmed for them.
        programmed_bytes: u64,
    },
    /// There is no short cut to the steady state.
    #[error("no fast start: {0}; use --state steady")]
    NoFastStart(#[from] FastRefused),
    /// Nobody waits for it any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Blame for PrepareError {
    fn is_input(&self) -> bool {
        !matches!(self, PrepareError::Fault { .. } | PrepareError::Stopped(_))
    }
}

impl State {
    /// All states, each behind those it begins with.
    pub const ALL: [State; 8] = [
        State::New,
        State::Filled,
        State::FilledRandom,
        State::Seasoned,
        State::Used,
        State::Restored,
        State::Steady,
        State::SteadyFast,
    ];

    /// Describes in words what a drive in this state has been through.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            State::New => "Nothing was ever written",
            State::Filled => "Every sector written once, in order",
            State::FilledRandom => "Every sector written once, in random order",
            State::Seasoned => {
                "Filled, then an image of a system copied over it: the first 30 GiB in order"
            }
            State::Used => "Filled, then up to a quarter of the capacity written at random",
            State::Restored => {
                "Used, then an image of a system restored: the first 30 GiB in order"
            }
            State::Steady => {
                "Written at random until SNIA's steady-state rule holds, from where a closed form says if one is \
                 known, or else from filled"
            }
            State::SteadyFast => {
                "What a closed form says, without the rule: greedy and FIFO page mapping only"
            }
        }
    }

    /// The word for it on the command line, in results and in the reference table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::New => "new",
            State::Filled => "filled",
            State::FilledRandom => "filled-random",
            State::Seasoned => "seasoned",
            State::Used => "used",
            State::Restored => "restored",
            State::Steady => "steady",
            State::SteadyFast => "steady-fast",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The state of that name, or which names there are.
    ///
    /// # Errors
    /// When none has it.
    pub fn of_name(name: &str) -> Result<State, String> {
        State::named(name).ok_or_else(|| {
            let states: Vec<&str> = State::ALL.iter().map(|state| state.name()).collect();
            let states = states.join(", ");
            format!("`{name}` is no state; give one of {states}")
        })
    }

    /// The state it begins with.
    #[must_use]
    pub const fn begins_with(self) -> Option<State> {
        match self {
            State::New => None,
            State::Filled | State::FilledRandom | State::Steady | State::SteadyFast => {
                Some(State::New)
            }
            State::Seasoned | State::Used => Some(State::Filled),
            State::Restored => Some(State::Used),
        }
    }

    /// Returns true if `self` is `other`, or a state that `other` begins with at any remove.
    #[must_use]
    pub fn leads_to(self, other: State) -> bool {
        let back = std::iter::successors(Some(other), |state| state.begins_with());
        back.into_iter().any(|state| state == self)
    }

    /// Returns true if the garbage collection of a drive in this state has settled; `settling` is its course, if it
    /// went by rounds.
    #[must_use]
    pub fn has_settled(self, settling: Option<&Settling>) -> bool {
        matches!(self, State::Steady | State::SteadyFast) && settling.is_none_or(|s| s.settled)
    }

    /// Returns the steps that bring a flash drive here, in words.
    fn steps(self) -> Vec<String> {
        let own = match self {
            State::New => "Nothing was ever written: as delivered, or after a secure erase.",
            State::Filled => "Every sector written once, in order, in writes of 1 MiB.",
            State::FilledRandom => "Every sector written once, in writes of 4 KiB in random order.",
            State::Used => {
                "Then random writes of 4 KiB, nine tenths of them to the first tenth of the \
                 drive, until a quarter of its capacity has been written or, on drives that \
                 rewrite whole blocks, twice its capacity programmed."
            }
            State::Seasoned | State::Restored => {
                "Then an image of a system with its programs restored: the first 30 GiB written in \
                 order, in writes of 1 MiB."
            }
            State::Steady => steady::STEP,
            State::SteadyFast => fast::STEP,
        };
        let before = self.begins_with().filter(|&state| state != State::New);
        let mut steps = before.map_or_else(Vec::new, State::steps);
        steps.push(own.to_owned());
        steps
    }
}

/// Returns the steps that brought a drive of that kind to a state, in words, with its settling if it was to be steady.
#[must_use]
pub fn steps(kind: Kind, state: State, settling: Option<&Settling>) -> Vec<String> {
    let mut steps = match kind {
        Kind::Ssd => state.steps(),
        Kind::Disk | Kind::Ram => {
            vec!["None: what a drive without flash holds does not change its speed.".to_owned()]
        }
    };
    steps.extend(settling.map(Settling::words));
    steps
}

/// Brings a drive from a state to one that begins with it, without time, with data that do not
/// compress. `seed` is the drive's own. Tells how it settled when it was to be steady.
///
/// # Errors
/// When the drive refuses a write, or the state is beyond it.
///
/// # Panics
/// When `to` does not begin with `from`.
pub fn prepare(
    device: &mut dyn Device,
    from: State,
    to: State,
    seed: RootSeed,
) -> Result<Option<Settling>, PrepareError> {
    prepare_with(device, (from, to), seed, Content::RANDOM, &watch::nobody)
}

/// Prepares a drive with data that look like `data`; `watch` hears how far it is.
///
/// # Errors
/// As [`prepare`].
///
/// # Panics
/// As [`prepare`].
pub fn prepare_with(
    device: &mut dyn Device,
    (from, to): (State, State),
    seed: RootSeed,
    data: Content,
    watch: &Watch<'_>,
) -> Result<Option<Settling>, PrepareError> {
    assert!(from.leads_to(to), "{to:?} does not begin with {from:?}");
    let Some(before) = to.begins_with().filter(|_| from != to) else {
        return Ok(None);
    };
    prepare_with(device, (from, before), seed, data, watch)?;
    let mut writer = Writer::new(device, to, data, watch);
    // The name of the stream of used drives is older than the other states.
    let mut stream = seed.stream(&format!("state/{}", to.name()));
    match to {
        State::New => {}
        State::Filled => writer.fill()?,
        State::FilledRandom => writer.fill_at_random(&mut stream)?,
        State::Used => writer.write_at_random(&mut stream)?,
        State::Seasoned | State::Restored => writer.restore()?,
        State::Steady => return steady::settle(&mut writer, &mut stream).map(Some),
        State::SteadyFast => fast::start(&mut writer, &mut stream)?,
    }
    Ok(None)
}

#[cfg(test)]
mod tests;

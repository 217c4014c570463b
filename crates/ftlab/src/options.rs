//! Options that several commands have, and how their values are read.

use crate::memory;
use crate::progress::Signs;
use clap::Args;
use clap::builder::TypedValueParser;
use ftlab_base::RootSeed;
use ftlab_console::machine;
pub use ftlab_console::options::{OutputFormat, SEED, choice, number, seed, threads};
use ftlab_drive::{DriveFile, default_testbed};
use ftlab_host::Testbed;
use ftlab_sheet::SheetError;
use ftlab_states::State;

/// How runs are spread over this machine, where their random numbers come from, and what is said meanwhile.
#[derive(Debug, Args)]
pub struct Work {
    /// Root of every random stream: the same seed gives the same bytes
    #[arg(long, default_value_t = SEED, allow_negative_numbers = true, value_parser = seed)]
    pub seed: u64,
    #[command(flatten)]
    pub machine: Machine,
    #[command(flatten)]
    pub signs: Signs,
}

/// How runs are spread over this machine.
#[derive(Debug, Args)]
pub struct Machine {
    /// Memory for drives and their copies, for example 4 or 0.5; by default half of what is free
    #[arg(long, value_name = "GIB", value_parser = memory::gib)]
    memory: Option<u64>,
    /// Runs at a time; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = threads)]
    jobs: Option<usize>,
}

impl Machine {
    /// Bytes for drives and their copies.
    pub fn memory_bytes(&self) -> u64 {
        self.memory.unwrap_or_else(machine::half_of_free)
    }

    pub fn threads(&self) -> usize {
        self.jobs.unwrap_or_else(machine::cores)
    }
}

impl Work {
    pub fn root(&self) -> RootSeed {
        RootSeed(self.seed)
    }
}

/// The test machine.
#[derive(Debug, Args)]
pub struct TestbedOption {
    /// Test machine: a name, or a path to a .toml file; by default the one that each test or script asks for, else one of the
    /// time of the drive
    #[arg(long, value_name = "TESTBED")]
    testbed: Option<String>,
}

impl TestbedOption {
    /// The one asked for.
    pub fn load(&self) -> Result<Option<Testbed>, SheetError> {
        self.testbed.as_deref().map(Testbed::load).transpose()
    }

    /// The one asked for, else one of the drive's time.
    pub fn load_for(&self, drive: &DriveFile) -> Result<Testbed, SheetError> {
        let named = self.testbed.as_deref();
        Testbed::load(named.unwrap_or_else(|| default_testbed([drive])))
    }
}

/// Reads a state by its name.
pub fn state() -> impl TypedValueParser<Value = State> {
    choice(State::ALL.map(|state| (state.name(), state, state.words())))
}

/// Reads an amount of bytes, in powers of 1000 as drives are sold, or of 1024 where the unit has an i.
///
/// # Errors
/// When it is none.
pub fn amount(text: &str) -> Result<f64, String> {
    let wrong = || "give bytes with a unit, for example 2TB, 500GB or 0.5TiB".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let powers = ["mb", "gb", "tb", "pb"];
    let decimal = powers.iter().position(|power| *power == unit);
    let binary = powers
        .iter()
        .position(|power| power.replace('b', "ib") == unit);
    let unit = match (decimal, binary) {
        (Some(power), _) => 1e6 * 1e3_f64.powi(power as i32),
        (_, Some(power)) => 1_048_576.0 * 1024.0_f64.powi(power as i32),
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    Ok(number * unit)
}

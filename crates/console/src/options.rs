//! Options that many commands have, and how their values are read.

use crate::machine;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The form of what a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Normal,
    /// For programs
    Json,
}

/// The root of random streams that is taken if none is given.
pub const SEED: u64 = 1;

/// Reads one of a few values by its name: names, values, and words that help says of them, which may be none.
pub fn choice<T: Copy + Send + Sync + 'static, const N: usize>(
    rows: [(&'static str, T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let names = rows.map(|(name, _, words)| match words {
        "" => PossibleValue::new(name),
        words => PossibleValue::new(name).help(words),
    });
    PossibleValuesParser::new(names).try_map(move |typed| {
        let found = rows.iter().find(|row| typed.eq_ignore_ascii_case(row.0));
        found.map(|row| row.1).ok_or("it is none of the values")
    })
}

/// Reads how many threads there are to be.
///
/// # Errors
/// When that is no number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    machine::threads(text.parse().ok())
}

/// Reads a number from the one to the other.
pub fn number(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let number = text.parse().ok();
        // Which neither a word nor what is not a number lies within.
        let within = number.filter(|number| (least..=most).contains(number));
        within.ok_or_else(|| format!("give a number from {least} to {most}"))
    }
}

/// Reads the root of random streams.
///
/// # Errors
/// When it is no whole number of 64 bits.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("give a whole number from 0 to {}", u64::MAX))
}

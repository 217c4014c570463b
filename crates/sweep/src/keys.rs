//! Keys of a grid's file. Another program may make a [`Grid`] of its own words.

use crate::SweepError;
use crate::hypercube::Span;
use ftlab_bench::loads::{LoadText, Named, Replay, Window, share_of_addresses};
use ftlab_sheet::one_line;
use ftlab_states::State;
use ftlab_trace::{Action, Fit, Format, Opening, Selection};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use toml::{Table, Value};

/// A grid as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Drives: names or paths, or texts of drive files.
    pub drives: Vec<Named<DriveText>>,
    /// Loads: paths of job files, scripts and traces, recorded ones too, names of those that come with ftlab, or texts.
    pub loads: Vec<Named<LoadText>>,
    /// The roots of all random streams, or how many from 1 on; 1 without it.
    #[serde(default)]
    pub seeds: Seeds,
    /// State in which drives begin.
    #[serde(default = "filled")]
    pub state: String,
    /// Runs have no clock.
    #[serde(default)]
    pub untimed: bool,
    /// Pace and fit of recorded traces among the loads.
    #[serde(default)]
    pub replay: ReplayWords,
    /// Settings and their values: each value with each of the others.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub set: Table,
    /// Settings that belong together: each entry with each value of `set`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<Table>,
    /// Points drawn from ranges, in place of `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latin_hypercube: Option<Hypercube>,
}

impl Grid {
    /// Reads the text of a grid's file, which errors name.
    ///
    /// # Errors
    /// When it is no TOML, or a key is unknown or missing.
    pub fn parse(text: &str, file: &str) -> Result<Grid, SweepError> {
        toml::from_str(text).map_err(|error| SweepError::Grid {
            file: file.to_owned(),
            why: one_line(&error),
        })
    }
}

fn filled() -> String {
    State::Filled.name().to_owned()
}

/// A drive by its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveText {
    /// Its name in the rows and for its random streams.
    pub name: String,
    /// The text of a drive file.
    pub text: String,
}

/// How recorded traces among the loads are read and replayed, in the words of the command line.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayWords {
    /// The pace at which requests are issued: original, scaled=2x, closed=N or asap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<String>,
    /// Treatment of addresses beyond the drive: refuse, wrap, compact or scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<String>,
    /// The format of the traces; recognised if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The events of blktrace's traces that are the requests: q, d or c.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only what is of these devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// Only what is from one time to another, such as 10m..1h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// Only this share of the addresses, such as 10%.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
}

/// The ids of rows have this text in them, so what is not said is left out, but for the first two.
impl fmt::Debug for ReplayWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("ReplayWords");
        text.field("pace", &self.pace).field("fit", &self.fit);
        let words = [
            ("format", &self.format),
            ("action", &self.action),
            ("window", &self.window),
            ("share", &self.share),
        ];
        for (name, word) in words.iter().filter(|(_, word)| word.is_some()) {
            text.field(name, word);
        }
        if !self.devices.is_empty() {
            text.field("devices", &self.devices);
        }
        text.finish()
    }
}

impl ReplayWords {
    /// Parses both words; one that is left out has its default.
    ///
    /// # Errors
    /// A word that is none.
    pub fn replay(&self) -> Result<Replay, String> {
        fn read<T>(
            name: &str,
            word: Option<&str>,
            reader: impl Fn(&str) -> Result<T, String>,
        ) -> Result<Option<T>, String> {
            let read = word.map(reader).transpose();
            read.map_err(|why| format!("replay: {name}: {why}"))
        }
        let window = read("window", self.window.as_deref(), str::parse::<Window>)?;
        Ok(Replay {
            opening: Opening {
                format: read("format", self.format.as_deref(), format_of)?,
                action: read("action", self.action.as_deref(), action_of)?.unwrap_or_default(),
            },
            selection: Selection {
                devices: self.devices.clone(),
                from_ns: window.and_then(|window| window.from_ns),
                until_ns: window.and_then(|window| window.until_ns),
                share: read("share", self.share.as_deref(), share_of_addresses)?,
                ..Selection::default()
            },
            pace: read("pace", self.pace.as_deref(), str::parse)?,
            fit: read("fit", self.fit.as_deref(), Fit::of_name)?.unwrap_or_default(),
            ..Replay::NONE
        })
    }
}

fn format_of(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names = Format::ALL.map(|format| format.spec().name).join(", ");
        format!("`{name}` is no format; give one of {names}")
    })
}

fn action_of(name: &str) -> Result<Action, String> {
    match name.to_ascii_lowercase().as_str() {
        "q" => Ok(Action::Queued),
        "d" => Ok(Action::Issued),
        "c" => Ok(Action::Completed),
        _ => Err(format!(
            "`{name}` is no action; give q (queued), d (issued to the device) or c (completed)"
        )),
    }
}

/// The roots of all random streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "give how many seeds there are, such as seeds = 5, or a list of whole numbers from 0 on, such as \
                 seeds = [1, 7]"
)]
pub enum Seeds {
    /// The seeds from 1 up to this one.
    Count(u32),
    /// A list of seeds, in the order of the rows.
    Each(Vec<u64>),
}

impl Default for Seeds {
    fn default() -> Seeds {
        Seeds::Count(1)
    }
}

impl Seeds {
    /// The number of seeds, each of which has a row for each drive, load and combination of settings.
    pub fn count(&self) -> usize {
        match self {
            Seeds::Count(count) => *count as usize,
            Seeds::Each(seeds) => seeds.len(),
        }
    }

    /// The seeds themselves, with a count written out as 1, 2, 3 and so on.
    pub fn all(&self) -> Vec<u64> {
        match self {
            Seeds::Count(count) => (1..=u64::from(*count)).collect(),
            Seeds::Each(seeds) => seeds.clone(),
        }
    }
}

/// A Latin hypercube: points that cover the range of each setting evenly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypercube {
    /// The number of points, at least 1; the range of each setting has as many parts.
    pub points: u32,
    /// The root of what they are drawn by.
    #[serde(default = "one")]
    pub seed: u64,
    /// Settings and the ranges or values that they are drawn from.
    pub set: Table,
}

fn one() -> u64 {
    1
}

/// The leaves of a table by their dotted keys; `is_leaf` says which table is one.
///
/// # Errors
/// When two keys are the same.
pub fn dotted(
    table: &Table,
    is_leaf: fn(&Table) -> bool,
) -> Result<BTreeMap<String, Value>, String> {
    fn walk(
        table: &Table,
        before: &str,
        is_leaf: fn(&Table) -> bool,
        leaves: &mut BTreeMap<String, Value>,
    ) -> Result<(), String> {
        for (name, value) in table {
            let key = format!("{before}{name}");
            match value {
                Value::Table(inner) if !is_leaf(inner) => {
                    walk(inner, &format!("{key}."), is_leaf, leaves)?;
                }
                leaf => {
                    if leaves.insert(key.clone(), leaf.clone()).is_some() {
                        return Err(format!("{key} is there twice"));
                    }
                }
            }
        }
        Ok(())
    }
    let mut leaves = BTreeMap::new();
    walk(table, "", is_leaf, &mut leaves)?;
    Ok(leaves)
}

/// Returns `true` for a range of a hypercube, and `false` for a section of keys.
pub fn is_range(table: &Table) -> bool {
    table.contains_key("from") && table.contains_key("to")
}

impl Hypercube {
    /// The span of each key.
    ///
    /// # Errors
    /// A value that is no span.
    pub fn spans(&self) -> Result<BTreeMap<String, Span>, String> {
        let leaves = dotted(&self.set, is_range)?.into_iter();
        leaves
            .map(|(key, value)| match value.try_into() {
                Ok(span) => Ok((key, span)),
                Err(_) => Err(format!(
                    "{key}: give {{ from = NUMBER, to = NUMBER }}, with log = true for equal ratios, or a list of values"
                )),
            })
            .collect()
    }
}

//! What a suite file may say. Unknown keys are refused.

use super::{Megabyte, Spare};
use ftlab_result::{Chart, Role};
use serde::Deserialize;
use toml::Spanned;

/// The version of this schema.
pub const SCHEMA: u32 = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteFile {
    pub schema: Spanned<u32>,
    /// In words, of a suite of one's own.
    pub title: Option<String>,
    /// A key of `reference/sources.csv`, which has the title.
    pub source: Option<Spanned<String>>,
    pub megabyte: Option<Spanned<Megabyte>>,
    pub spare: Option<Spanned<Spare>>,
    /// The testbed of families that name none; the next two keys are defaults as well.
    pub testbed: Option<Spanned<String>>,
    pub runs: Option<RunsKey>,
    pub states: Option<Vec<Spanned<String>>>,
    /// Those that a review is of if none is named.
    #[serde(default)]
    pub drives: Vec<String>,
    #[serde(default)]
    pub procedure: Vec<ProcedureKeys>,
    #[serde(default)]
    pub family: Vec<FamilyKeys>,
}

/// When a family runs without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunsKey {
    /// In every review.
    #[default]
    ByDefault,
    /// In a review of everything.
    WithAll,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyKeys {
    pub slug: Spanned<String>,
    pub code: Option<Spanned<String>>,
    pub title: String,
    #[serde(default)]
    pub text: String,
    /// What the source leaves open and the suite decided.
    #[serde(default)]
    pub assumes: Vec<String>,
    pub chart: Chart,
    pub metric: Spanned<String>,
    pub unit: String,
    pub testbed: Option<Spanned<String>>,
    pub runs: Option<RunsKey>,
    /// Those on which it runs in a review of everything.
    pub drives: Option<Vec<Spanned<String>>>,
    pub states: Option<Vec<Spanned<String>>>,
    pub score: Option<Spanned<ScoreKeys>>,
    #[serde(default)]
    pub step: Vec<Spanned<StepKeys>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreKeys {
    pub points: f64,
    pub per: Option<String>,
    pub over: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepKeys {
    /// The family's, if it is its only step.
    pub slug: Option<Spanned<String>>,
    #[serde(default)]
    pub label: String,
    /// One, or the same requests with several kinds of data.
    pub job: Option<Spanned<OneOrMore>>,
    pub script: Option<Spanned<String>>,
    pub trace: Option<Spanned<String>>,
    /// In which `job` is measured.
    pub procedure: Option<Spanned<String>>,
    pub fact: Option<Spanned<FactKey>>,
    pub gb_per_day: Option<Spanned<u32>>,
    pub ports: Option<Vec<Spanned<String>>>,
    /// What else the tables of published figures call it.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub drops: bool,
    #[serde(default)]
    pub roles: Vec<Role>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn names(&self) -> &[String] {
        match self {
            OneOrMore::One(name) => std::slice::from_ref(name),
            OneOrMore::More(names) => names,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKey {
    SpareArea,
    ClientWrites,
    Endurance,
    EnduranceInTheory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureKeys {
    pub slug: Spanned<String>,
    /// Used is so much of the drive that this share of the flash is left as spare area.
    pub spare_percent: Option<Spanned<u32>>,
    pub acts: Spanned<Vec<Spanned<ActKeys>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActKeys {
    #[serde(rename = "do")]
    pub what: ActKey,
    /// Where a fill begins.
    pub from: Option<Spanned<String>>,
    /// What a fill writes.
    pub data: Option<Spanned<DataKey>>,
    /// Where a trim ends.
    pub to: Option<Spanned<String>>,
    pub job: Option<Spanned<String>>,
    /// What the drive's state before a measured job is called.
    pub state: Option<Spanned<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActKey {
    SecureErase,
    Fill,
    Trim,
    Measure,
    Torture,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataKey {
    Random,
    Zeros,
}

//! The schema of a suite file. Unknown keys are refused, and each kind of value has its own message for a wrong one.

use super::{Assumption, Fact, Score};
use ftlab_base::Content;
use ftlab_host::{Port, Testbed};
use ftlab_result::{Chart, Role};
use ftlab_sheet::names::alike;
use ftlab_sheet::provenance;
use ftlab_states::State;
use serde::Deserialize;
use std::num::NonZeroU32;
use toml::{Spanned, Table, Value};

/// The word for the fastest port of the machine.
const FASTEST: &str = "fastest";

/// The word for the latencies of all jobs.
pub const ALL_JOBS: &str = "all";

/// The version of this schema.
pub const SCHEMA: u32 = 1;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteFile {
    pub schema: Spanned<u32>,
    /// The title of a user's suite, which has no source.
    pub title: Option<String>,
    /// A key of `reference/sources.csv`, which has the title.
    pub source: Option<Spanned<String>>,
    /// The testbed of families that name none; the next two keys are defaults as well.
    pub testbed: Option<Machine>,
    pub runs: Option<RunsKey>,
    pub states: Option<Vec<Spanned<State>>>,
    /// Those that a review is of if none is named.
    #[serde(default)]
    pub drives: Vec<String>,
    /// Those that a review of everything is of beside them.
    #[serde(default)]
    pub more_drives: Vec<String>,
    /// The largest capacity of the drives that are tested: larger ones are shrunk to it.
    pub shrink_to: Option<Bytes>,
    #[serde(default)]
    pub procedure: Vec<ProcedureKeys>,
    #[serde(default)]
    pub family: Vec<FamilyKeys>,
}

/// The reviews in which a family runs without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunsKey {
    /// In every review, of everything or not.
    #[default]
    ByDefault,
    /// In a review of everything.
    WithAll,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyKeys {
    pub slug: Spanned<Slug>,
    pub code: Option<String>,
    pub title: String,
    #[serde(default)]
    pub text: String,
    /// The points that the source leaves open, each with the suite's decision.
    #[serde(default)]
    pub assumes: Vec<AssumptionKeys>,
    pub chart: Chart,
    pub metric: String,
    pub unit: String,
    /// A metric that the chart draws beside its own.
    #[serde(default)]
    pub beside: String,
    pub testbed: Option<Machine>,
    pub runs: Option<RunsKey>,
    /// Those on which alone it runs in a review of everything.
    pub drives: Option<Spanned<Vec<String>>>,
    pub states: Option<Vec<Spanned<State>>>,
    pub score: Option<Score>,
    #[serde(default)]
    pub step: Vec<Spanned<StepKeys>>,
}

/// A sentence, or one with the figures in view of which it was decided.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub struct AssumptionKeys(pub Assumption);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InView {
    text: String,
    from: Vec<String>,
}

impl TryFrom<Value> for AssumptionKeys {
    type Error = String;

    fn try_from(value: Value) -> Result<AssumptionKeys, String> {
        let InView { text, from } = match value {
            Value::String(text) => InView {
                text,
                from: Vec::new(),
            },
            Value::Table(table) => {
                let keys = table.try_into();
                keys.map_err(|error: toml::de::Error| error.message().to_owned())?
            }
            _ => {
                return Err(
                    "an assumption is a sentence, or { text = \"…\", from = [\"F0899\"] }"
                        .to_owned(),
                );
            }
        };
        provenance::check(&from)?;
        Ok(AssumptionKeys(Assumption { text, from }))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreKeys {
    points: f64,
    per: Option<String>,
    over: Option<String>,
}

impl TryFrom<ScoreKeys> for Score {
    type Error = &'static str;

    fn try_from(keys: ScoreKeys) -> Result<Score, Self::Error> {
        if !keys.points.is_finite() || keys.points <= 0.0 {
            return Err("points is a number above 0");
        }
        match (keys.per, keys.over) {
            (Some(metric), None) => Ok(Score::Per(keys.points, metric)),
            (None, Some(metric)) => Ok(Score::Over(keys.points, metric)),
            _ => Err("a score is points per a metric, or points over one: write per or over"),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepKeys {
    /// The family's, if it is its only step.
    pub slug: Option<Spanned<Slug>>,
    #[serde(default)]
    pub label: String,
    /// One, or the same requests with several kinds of data.
    pub job: Option<Spanned<OneOrMore>>,
    pub script: Option<Spanned<String>>,
    pub trace: Option<Spanned<String>>,
    /// In which `job` is measured.
    pub procedure: Option<Spanned<String>>,
    pub fact: Option<Fact>,
    #[serde(default)]
    pub ports: Vec<Spanned<PortKey>>,
    /// Other names that the tables of published figures have for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub drops: bool,
    #[serde(default)]
    pub plateaus: bool,
    /// The section of the job file whose latencies are figures, or [`ALL_JOBS`].
    pub latencies_of: Option<Spanned<String>>,
    /// The number of the job's writes that make one page of a database; pages a second then are one of its figures.
    pub writes_a_page: Option<NonZeroU32>,
    #[serde(default)]
    pub roles: Vec<Role>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "give a name, or a list of names")]
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureKeys {
    pub slug: Spanned<Slug>,
    /// The part of the drive that is used leaves this share of the flash as spare area.
    pub spare_percent: Option<Spanned<u32>>,
    /// The part of the drive that is used is this share of what the host can address.
    pub used_percent: Option<Spanned<u32>>,
    /// Tables of [`ActKeys`], each read by itself so that an error in one has its line.
    pub acts: Spanned<Vec<Spanned<Table>>>,
}

/// One thing that is done to a drive.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ActKeys {
    SecureErase {},
    Fill {
        /// The first byte that is written; the drive's start if left out.
        from: Option<Bytes>,
        #[serde(default)]
        data: DataKey,
    },
    Trim {
        /// The end of what is trimmed, in bytes from the drive's start; everything is trimmed if left out.
        to: Option<Bytes>,
    },
    Measure {
        job: String,
        /// The name of the drive's state before the measurement, as results and figures have it.
        state: Slug,
    },
    Torture {
        job: String,
    },
    Reach {
        state: State,
    },
    Overwrite {
        job: String,
        /// The number of times that the used space is written, at least 1.
        #[serde(deserialize_with = "above_0")]
        times: u32,
    },
}

/// The content of the sectors that a fill writes.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataKey {
    #[default]
    Random,
    Zeros,
}

impl DataKey {
    pub const fn content(self) -> Content {
        match self {
            DataKey::Random => Content::RANDOM,
            DataKey::Zeros => Content::ZEROS,
        }
    }
}

pub fn above_0<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    Ok(NonZeroU32::deserialize(from)?.get())
}

/// A part of the names of runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Slug(pub String);

impl TryFrom<String> for Slug {
    type Error = String;

    fn try_from(slug: String) -> Result<Slug, String> {
        let is_plain =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        match !slug.is_empty() && slug.chars().all(is_plain) {
            true => Ok(Slug(slug)),
            false => Err(format!(
                "`{slug}` is no slug: it becomes part of names of runs, so write small letters, digits, - and ."
            )),
        }
    }
}

/// An amount of data, in fio's words.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub struct Bytes(pub u64);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(size: String) -> Result<Bytes, String> {
        let bytes = ftlab_workload::bytes(&size);
        bytes
            .map(Bytes)
            .map_err(|allowed| format!("`{size}` is no size: write {allowed}"))
    }
}

/// The slug of a machine.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Machine(pub String);

impl TryFrom<String> for Machine {
    type Error = String;

    fn try_from(name: String) -> Result<Machine, String> {
        Testbed::load(&name).map_err(|error| error.to_string())?;
        Ok(Machine(name))
    }
}

/// A port of the machine; none for its fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PortKey(pub Option<Port>);

impl TryFrom<String> for PortKey {
    type Error = String;

    fn try_from(name: String) -> Result<PortKey, String> {
        match Port::named(&name) {
            None if name != FASTEST => {
                let names = Port::ALL.map(Port::name).into_iter().chain([FASTEST]);
                Err(format!("there is no port {}", unknown(&name, names)))
            }
            port => Ok(PortKey(port)),
        }
    }
}

/// A name that is none of these, with the nearest, or all of them.
pub fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match alike(name, names.clone()).as_slice() {
        [] => format!(
            "`{name}`; there are: {}",
            names.collect::<Vec<_>>().join(", ")
        ),
        near => format!("`{name}`; did you mean {}?", near.join(" or ")),
    }
}

//! An entry: what its file says, most of it by its results.

use super::{RESULTS, SCHEMA, ShelfError};
use ftlab_result::{DriveKind, DriveSheet, ResultSet, Run, Way};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A drive that somebody measured, and what came of it: a TOML file of the shelf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The version of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// The name of the drive in its results, and of the entry's files.
    pub name: String,
    /// What was measured: the model as the drive says it, or words.
    pub drive: String,
    /// Version of the firmware; absent where the drive says none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// The kind of drive, `ssd` or `disk`, as the system takes it.
    pub kind: DriveKind,
    /// Capacity that the host sees, in bytes.
    pub capacity_bytes: u64,
    /// Day of the measurement, `2026-12-01`.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub date: String,
    /// Who measured; absent where nobody wants to be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The licence of the entry and its results.
    pub licence: Licence,
    /// What is known to be odd about the drive, the machine or the day, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub odd: Vec<String>,
    /// The file of the results beside the entry: `results.json` of ftlab, compressed by zstd.
    pub results: String,
    /// The machine.
    pub host: Host,
    /// The program and the tests.
    pub bench: Bench,
    /// What the chart of each test draws, a row a run, by the results.
    #[serde(rename = "figure")]
    pub figures: Vec<Quoted>,
}

/// The machine of a measurement. Nothing names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its processor, as the system calls it; absent where it has no name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// Number of processors that fio could use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<String>,
    /// Memory, in GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<String>,
    /// Series of the Linux kernel, `6.1`, without its build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The file system that a measured file lies in; absent for a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
}

/// The program and the tests of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Version of ftlab.
    pub ftlab: String,
    /// Version of fio.
    pub fio: String,
    /// fio's engine.
    pub engine: String,
    /// Title of the suite.
    pub suite: String,
    /// Hash over the suite's tests, jobs and lengths, 16 hexadecimal digits.
    pub suite_hash: String,
    /// True if timed jobs were cut short.
    pub quick: bool,
}

/// A figure of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quoted {
    /// Slug of the test.
    pub test: String,
    /// State of the drive at the start of the run.
    pub state: String,
    /// Name of the figure in the results.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Its value.
    pub value: f64,
}

/// A licence under which data may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Licence {
    /// No rights are kept: Creative Commons Zero 1.0.
    #[serde(rename = "CC0-1.0")]
    Cc0,
    /// Users of the data name the source: Creative Commons Attribution 4.0.
    #[serde(rename = "CC-BY-4.0")]
    CcBy,
}

/// What no results say of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What was measured, in words; the model, as the drive says it, where there are none.
    pub drive: Option<String>,
    /// Day of the measurement, `2026-12-01`.
    pub date: String,
    /// Who measured.
    pub by: Option<String>,
    /// The licence.
    pub licence: Licence,
    /// What is odd.
    pub odd: Vec<String>,
}

impl Entry {
    /// The entry of results that name nobody's drive.
    pub(super) fn of(set: &ResultSet, said: &Said) -> Result<Entry, ShelfError> {
        let sheet = the_drive(set)?;
        check_name(&sheet.drive)?;
        check_date(&said.date)?;
        let of = |key: &str| value(sheet, key).map(str::to_owned);
        let required = |key: &str| of(key).ok_or(ShelfError::NotMeasured(NOT_BY_MEASURE));
        let model = || of("drive.model").unwrap_or_else(|| sheet.drive.clone());
        let mut suites: Vec<&str> = set.tests.iter().map(|test| test.source.as_str()).collect();
        suites.dedup();
        Ok(Entry {
            schema: SCHEMA,
            name: sheet.drive.clone(),
            drive: said.drive.clone().unwrap_or_else(model),
            firmware: of("drive.firmware"),
            kind: sheet.kind,
            capacity_bytes: sheet.capacity_bytes,
            date: said.date.clone(),
            by: said.by.clone(),
            licence: said.licence,
            odd: said.odd.clone(),
            results: format!("{}{RESULTS}", sheet.drive),
            host: Host {
                processor: of("machine.processor"),
                processors: of("machine.processors"),
                memory_gib: of("machine.memory"),
                kernel: of("machine.kernel"),
                file_system: of("file.system"),
            },
            bench: Bench {
                ftlab: set.origin.version.clone(),
                fio: required("bench.fio")?,
                engine: required("bench.engine")?,
                suite: suites.join(", "),
                suite_hash: required("suite.hash")?,
                quick: set.origin.quick,
            },
            figures: set.runs.iter().filter_map(|run| quoted(set, run)).collect(),
        })
    }

    /// What the entry says that no results say.
    pub(super) fn said(&self) -> Said {
        Said {
            drive: Some(self.drive.clone()),
            date: self.date.clone(),
            by: self.by.clone(),
            licence: self.licence,
            odd: self.odd.clone(),
        }
    }
}

const NOT_BY_MEASURE: &str = "the results are not those of `ftlab measure`: the drive's numbers do not have fio and the suite";

/// The one real drive of a set.
pub(super) fn the_drive(set: &ResultSet) -> Result<&DriveSheet, ShelfError> {
    if set.origin.way != Way::Measured {
        return Err(ShelfError::NotMeasured(
            "the results are those of a model: give the folder that `ftlab measure` wrote",
        ));
    }
    match (&set.drives[..], &set.runs[..]) {
        ([drive], [_, ..]) => Ok(drive),
        ([_], []) => Err(ShelfError::NotMeasured("the results have no run")),
        _ => Err(ShelfError::NotMeasured("the results are of several drives")),
    }
}

fn value<'a>(sheet: &'a DriveSheet, key: &str) -> Option<&'a str> {
    let mut parameters = sheet.parameters.iter();
    let found = parameters.find(|parameter| parameter.key == key);
    found.map(|parameter| parameter.value.as_str())
}

/// What the chart of a run's test draws.
fn quoted(set: &ResultSet, run: &Run) -> Option<Quoted> {
    let test = set.tests.iter().find(|test| test.test == run.test)?;
    Some(Quoted {
        test: run.test.clone(),
        state: run.state.clone(),
        metric: test.chart_metric.clone(),
        unit: test.chart_unit.clone(),
        value: *run.metrics.get(&test.chart_metric)?,
    })
}

/// A name is that of two files, on any system.
pub(super) fn check_name(name: &str) -> Result<(), ShelfError> {
    let kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 80
        && name.chars().all(kept);
    match is_name {
        true => Ok(()),
        false => Err(ShelfError::Said(format!(
            "`{name}` is no name of an entry: give one of up to 80 small letters, digits, `-`, `_` and `.` with --as"
        ))),
    }
}

fn check_date(date: &str) -> Result<(), ShelfError> {
    let parts: Vec<&str> = date.split('-').collect();
    let number = |text: &str, letters: usize| {
        let digits = text.len() == letters && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| digits)
    };
    let is_day = match parts[..] {
        [year, month, day] => {
            let (month, day) = (number(month, 2), number(day, 2));
            number(year, 4).is_some()
                && month.is_some_and(|month| (1..=12).contains(&month))
                && day.is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    };
    match is_day {
        true => Ok(()),
        false => Err(ShelfError::Said(format!(
            "`{date}` is no day: give year, month and day as 2026-12-01"
        ))),
    }
}

/// The JSON Schema of an entry, with a line feed behind it; `docs/schema/measured.schema.json` holds it.
///
/// # Panics
/// Never.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = schemars::schema_for!(Entry);
    schema.insert(
        "title".to_owned(),
        "An entry of the shelf measured/ of ftlab".into(),
    );
    let text = serde_json::to_string_pretty(&schema);
    text.expect("a schema is JSON") + "\n"
}

//! The versioned result schema, and nothing else.
//!
//! A result set is what a bench writes and a report reads, whatever ran: a review, a specification, a sweep, or
//! loads of one's own. It holds no wall time, so the same seed, drive files and version give the same bytes.
//!
//! [`ResultSet`] is the whole, [`Run`] a load on a drive in a state, [`Job`] what one of the load's jobs, programs or
//! requests from elsewhere saw.

mod at;
mod job;
mod judgement;
mod older;
pub mod plan;
pub mod pts;
pub mod quantity;
mod ratio;
mod run;
mod spread;

pub use at::{At, CountedStep, Counters, Erases, HandleTraffic, Inside, Joules, Settling};
pub use job::{
    Directions, Extent, FIO_BOUNDS, Job, LatencyCourse, LatencyTarget, PerSecond, Process,
    Reporting, SteadyState, Traffic,
};
pub use judgement::{Finding, Judgement};
pub use older::{OLDEST, Unread};
pub use run::{Fill, Ignored, Plateau, Run, SavedState, Warning};
pub use spread::Spread;

/// Health logs and attributes of drives, as results hold them.
pub use ftlab_smart::{NvmeExtended, NvmeHealth, NvmeLogs, SmartAttribute};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of this schema, written as `schema`. Whoever raises it adds a step to `older.rs`, and keeps results of the
/// version before in `tests/schemas`.
pub const SCHEMA: u32 = 4;

/// Everything that one command ran: the content of `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultSet {
    /// The version of the schema.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// The source that ftlab was built of. Nothing is compared or hashed with it: what decides the numbers is
    /// in `origin`. Absent from results that no ftlab wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The program, model and settings that made these results.
    pub origin: Origin,
    /// The drives, in the order they were asked for.
    pub drives: Vec<DriveSheet>,
    /// The tests, in the order they ran.
    pub tests: Vec<TestSheet>,
    /// Published figures beside what the model gives.
    pub figures: Vec<Figure>,
    /// Every run, whether or not a figure was published for it.
    pub runs: Vec<Run>,
    /// Plans of drives for years under a load; absent from results of other commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<plan::Plan>,
    /// Verdicts on what was required of the runs; absent where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Judgement>,
    /// Drives that were asked for and have no runs here; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Unfinished>,
}

/// The source that a program was built of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The commit, in hexadecimal digits; `unknown` when it was not built in its repository.
    pub commit: String,
    /// True if the sources differed from the commit; `null` when that is unknown.
    pub modified: Option<bool>,
}

/// A drive of a review that has no runs, or not all that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unfinished {
    /// Slug of the drive.
    pub drive: String,
    /// The reason: an error, an interruption of the review, or tests that it has no room for.
    pub why: String,
}

/// The program, model and settings that made a result set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Version of the ftlab that wrote the results.
    pub version: String,
    /// Source of the numbers.
    pub way: Way,
    /// Version of the model: results of one version, drive file, test and seed are the same numbers. 0 for
    /// results that tell none.
    #[serde(default)]
    pub model_version: u32,
    /// Root seed of every random stream.
    pub seed: u64,
    /// Slug of the test machine.
    pub testbed: String,
    /// True if timed jobs were cut short.
    #[serde(default)]
    pub quick: bool,
    /// Number of times each run was made, every time with another seed that follows from the root; absent for once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    #[schemars(range(min = 1))]
    pub repeats: u32,
    /// The root seed of each repeat, that of the first one first; absent for once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
}

/// Source of the numbers of a result set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// A model, in virtual time or without time.
    Simulated,
    /// A model attached as a block device, by the wall clock.
    Attached,
    /// A real drive, by the wall clock.
    Measured,
}

impl Way {
    /// The word for it in result files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Way::Simulated => "simulated",
            Way::Attached => "attached",
            Way::Measured => "measured",
        }
    }
}

/// Returns the repeats of a run that is made once, the default of files that name none.
fn once() -> u32 {
    1
}

fn is_once(repeats: &u32) -> bool {
    *repeats == once()
}

/// A drive as the report shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveSheet {
    /// Slug, as on the command line.
    pub drive: String,
    /// Name under which the drive is sold.
    pub name: String,
    /// One sentence: what it is built of.
    pub summary: String,
    /// The kind of drive.
    pub kind: DriveKind,
    /// Capacity the host sees, in bytes; 0 where nobody said it.
    pub capacity_bytes: u64,
    /// Hash of the resolved drive file, 16 hexadecimal digits; empty for a drive that was measured elsewhere.
    pub file_hash: String,
    /// Every number of the drive file.
    pub parameters: Vec<Parameter>,
    /// Times of a read and a write of 4 KiB that have the drive to themselves. Absent for any drive that is no SSD.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Alone>,
    /// The machine of `alone`, one of the drive's time: slug of a testbed. Absent without `alone`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub alone_on: String,
    /// The drives of tests that ran on several together, each of them under the name that loads have for it; this sheet
    /// then has their capacity together and no parameters. Absent for a drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// The parts of the latency of one command at queue depth 1, whose sum it is: of a drive that is idle and has the
/// table entry in memory. In microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alone {
    /// The command, for example `read 4 KiB`.
    pub command: String,
    /// System call, driver and interrupt.
    pub host_us: f64,
    /// The command's protocol and its data on the cable.
    pub link_us: f64,
    /// The controller: its core until the answer, and stages beside it.
    pub firmware_us: f64,
    /// Sensing the page of flash.
    pub flash_us: f64,
    /// The data from the flash to the controller.
    pub bus_us: f64,
    /// Time of the whole command, in microseconds.
    pub total_us: f64,
}

/// One of several drives that tests ran on together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Name of the drive in loads.
    pub name: String,
    /// Sheet of the drive itself.
    pub drive: DriveSheet,
}

/// Choice between flash and a spinning disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DriveKind {
    /// A drive of flash.
    Ssd,
    /// A drive that spins.
    Disk,
    /// A part of the host's memory.
    Ram,
    /// What nobody said, of a drive that was measured elsewhere.
    Unknown,
}

/// One number of a drive file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Dotted path, for example `nand.t_prog`.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// Its unit; empty for a name.
    pub unit: String,
    /// `datasheet`, `review`, `measured`, `fitted`, `derived`, `assumed`, `imported` or `set`.
    pub source: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// Ids of the figures that a fitted or derived number was worked out from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The origin of the value, or the evidence that pins it.
    pub note: String,
    /// The file of common numbers that the drive's file takes it from; empty when it is its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base: String,
}

/// A test as the report shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestSheet {
    /// Slug, for example `randwrite-4k-qd1`.
    pub test: String,
    /// Id in the list of methods, for example `A1`.
    pub method: String,
    /// Title of the family of tests this one is drawn with.
    pub title: String,
    /// A paragraph: what is done, on what state, what is measured.
    pub text: String,
    /// Value that this test varies within its family, for example `4 KiB` or `QD 8`.
    pub step: String,
    /// The chart of the family.
    pub chart: Chart,
    /// The metric the chart draws, a name in `metrics` of the runs.
    pub chart_metric: String,
    /// The unit of that metric.
    pub chart_unit: String,
    /// A metric that the chart draws beside it, such as what theory says; absent where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chart_beside: String,
    /// The job whose latencies it is about; absent where those of all jobs are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub latencies_of: String,
    /// Title of the review it is of; absent for a test of no review.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Roles beside being a test, which verdicts and rankings are made of. Absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}

/// A question that a test answers, whoever made it: a report knows tests by these alone.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Random writes of 4 KiB and nothing else, at any depth: whether a drive stutters.
    SmallRandomWrite,
    /// Random writes of 4 KiB, one at a time: what one costs by itself.
    SmallRandomWriteAlone,
    /// Writes of 4 KiB in order, one at a time: what a random one is compared with.
    SmallSequentialWriteAlone,
    /// Small random writes on a drive in use, by their data rate.
    UsedRandomWrite,
    /// Small random writes on a full drive without end, by the slowest second.
    SustainedRandomWrite,
    /// A system boots, in seconds.
    Boot,
    /// Programs start while a system boots, in seconds.
    StartAtBoot,
    /// A program starts while files are unpacked, in seconds.
    StartBesideUnpacking,
    /// A database's requests, by their data rate.
    Database,
    /// Large files are copied to the drive, by the data rate.
    LargeFileCopy,
    /// Large writes in order, by their data rate.
    LargeWrite,
    /// A notebook's work, in watts.
    NotebookPower,
    /// A drive at rest, in watts.
    IdlePower,
    /// Host writes that wear allows for years, in bytes a day.
    Endurance,
    /// An empty drive is written in order, by how much it takes at the speed of its cache.
    CacheSize,
    /// A log is written as databases do, by what a commit takes.
    Commit,
    /// Pages of a database, through a doublewrite buffer, by how many a second.
    DatabasePages,
    /// Large writes in order, by their energy a gigabyte.
    EnergyOfWrites,
}

impl Role {
    /// Every role there is, in order.
    pub const ALL: [Role; 18] = [
        Role::SmallRandomWrite,
        Role::SmallRandomWriteAlone,
        Role::SmallSequentialWriteAlone,
        Role::UsedRandomWrite,
        Role::SustainedRandomWrite,
        Role::Boot,
        Role::StartAtBoot,
        Role::StartBesideUnpacking,
        Role::Database,
        Role::LargeFileCopy,
        Role::LargeWrite,
        Role::NotebookPower,
        Role::IdlePower,
        Role::Endurance,
        Role::CacheSize,
        Role::Commit,
        Role::DatabasePages,
        Role::EnergyOfWrites,
    ];
}

impl TestSheet {
    /// Tells if the test has a role.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

/// The form in which a family of tests is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Chart {
    /// One bar a drive and state.
    Bars,
    /// One line a drive over the steps of the family.
    Lines,
    /// A point an interval over the time of a run, and one bar a drive.
    Scatter,
    /// A panel a drive: one line a percentile of latency over the steps of the family.
    Percentiles,
    /// One line a drive over what was written, with its plateaus.
    Fill,
}

/// A published figure beside the simulated one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Id in the reference table, for example `F0172`.
    pub id: String,
    /// Drive as the source names it.
    pub drive: String,
    /// The drive in words; absent where it is the slug of a drive file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drive_name: String,
    /// Slug of the drive file that answered.
    pub model: String,
    /// Slug of the test that answered.
    pub test: String,
    /// The test in words; absent where it is a test that ftlab has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub test_name: String,
    /// State of the drive, as the source says.
    pub state: String,
    /// Data pattern, as the source says.
    pub data: String,
    /// Host link, as the source says.
    pub link: String,
    /// Name of the metric that is compared.
    pub metric: String,
    /// Unit of both numbers: what the source counts in, whatever it calls it, so `MiB/s` where its
    /// megabytes are binary.
    pub unit: String,
    /// The published number as printed, or word. In JSON a number where it is one.
    #[serde(with = "number_or_word")]
    #[schemars(with = "number_or_word::Written")]
    pub published: String,
    /// The source's qualifier: `eq`, `approx`, `gt`, `lt`, `upto`, …
    pub qualifier: String,
    /// The model's value; `null` when no run answers. The mean, if there are repeats.
    pub simulated: Option<f64>,
    /// Spread of the model's value over repeats; absent for what was run once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// |ln(simulated / published)|, for scored rows.
    pub error: Option<f64>,
    /// |ln(predicted / published)| when the numbers of the controller's drives are fitted without the test that
    /// the figure is from; absent where that was not worked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_error: Option<f64>,
    /// Judgement of the model by this figure.
    pub verdict: Verdict,
    /// The run that answered, of repeats in the first; empty when none did.
    pub run: String,
    /// Short title of the source.
    pub source: String,
    /// True if the model was made without it: no number and no mechanism was chosen in view of it. Absent for one that
    /// was there when they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// A remark on its worth as evidence; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The known cause of a failure; empty where none is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Judgement of the model by a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Within the tolerance, or the condition holds.
    Pass,
    /// Outside the tolerance, or the condition does not hold.
    Fail,
    /// Shown beside the published value, not judged.
    Shown,
}

/// A figure as its source prints it: a JSON number where it is one, else a string.
mod number_or_word {
    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[schemars(inline)]
    pub enum Written {
        Whole(i64),
        Number(f64),
        Word(String),
    }

    pub fn serialize<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => to.serialize_i64(whole),
            (_, Ok(number)) if number.is_finite() => to.serialize_f64(number),
            _ => to.serialize_str(text),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        Ok(match Written::deserialize(from)? {
            Written::Whole(whole) => whole.to_string(),
            Written::Number(number) => number.to_string(),
            Written::Word(word) => word,
        })
    }
}

/// The JSON Schema of `results.json`, with a line feed behind it; `docs/schema/results.schema.json` holds it.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = schemars::schema_for!(ResultSet);
    schema.insert("title".to_owned(), "results.json of ftlab".into());
    let text = serde_json::to_string_pretty(&schema);
    text.expect("a schema is JSON") + "\n"
}

impl Parameter {
    /// Tells if it was worked out from figures, by a fit or by hand.
    #[must_use]
    pub fn is_of_figures(&self) -> bool {
        ["fitted", "derived"].contains(&self.source.as_str())
    }
}

impl ResultSet {
    /// The run called `id`.
    #[must_use]
    pub fn run(&self, id: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// Counts the rows that passed, that failed and that are only shown, and sums up their errors.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let count = |verdict| self.figures.iter().filter(|f| f.verdict == verdict).count();
        let mut errors: Vec<f64> = self.figures.iter().filter_map(|f| f.error).collect();
        errors.sort_by(f64::total_cmp);
        Tally {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            shown: count(Verdict::Shown),
            scored: errors.len(),
            median_error: median(&errors),
            worst_error: errors.last().copied(),
        }
    }
}

/// Totals over the figures of a result set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Number of rows that pass.
    pub pass: usize,
    /// Number of rows that fail.
    pub fail: usize,
    /// Rows shown without a judgement.
    pub shown: usize,
    /// Rows with an error.
    pub scored: usize,
    /// Median error of those.
    pub median_error: Option<f64>,
    /// Largest error of those.
    pub worst_error: Option<f64>,
}

/// The median of figures in ascending order; of an even number the mean of the middle two.
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some(f64::midpoint(sorted[n / 2 - 1], sorted[n / 2])),
    }
}

#[cfg(test)]
mod tests {
    use super::{median, number_or_word};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Cell(#[serde(with = "number_or_word")] String);

    #[test]
    fn a_published_number_is_a_number_in_json_and_a_word_a_word() {
        for (text, json) in [("991", "991"), ("4.06", "4.06"), ("lots", "\"lots\"")] {
            assert_eq!(serde_json::to_string(&Cell(text.into())).unwrap(), json);
            assert_eq!(serde_json::from_str::<Cell>(json).unwrap().0, text);
        }
    }

    #[test]
    fn the_median_of_an_even_count_is_between() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), Some(3.0));
    }
}

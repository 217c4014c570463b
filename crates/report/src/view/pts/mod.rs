//! Tests of SNIA's specification as a report shows them: facts, the standard's tables, the data of its
//! plots.

mod plots;
mod tables;

pub use plots::PtsData;

use super::View;
use crate::format;
use ftlab_result::Run;
use ftlab_result::pts::{Cell, Class, Pts, Rate, SteadyState};
use ftlab_result::quantity::table;

/// The limits of the rule, in percent.
const EXCURSION_MAX_PCT: f64 = 20.0;
const SLOPE_MAX_PCT: f64 = 10.0;

/// One test of one drive.
pub struct Sheet {
    /// Test and drive, as a heading.
    pub title: String,
    /// Names and values of the facts above the tables.
    pub facts: Vec<(&'static str, String)>,
    /// In the order of the standard.
    pub tables: Vec<Table>,
}

/// A table whose first column names its rows.
pub struct Table {
    /// Its caption, with the unit of its numbers.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// As many cells each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<H: ToString>(
        title: impl Into<String>,
        header: &[H],
        rows: Vec<Vec<String>>,
    ) -> Table {
        Table {
            title: title.into(),
            header: header.iter().map(ToString::to_string).collect(),
            rows,
        }
    }
}

impl Sheet {
    /// The sheet of a run, if it is of such a test.
    pub fn of(view: &View<'_>, run: &Run) -> Option<Sheet> {
        let pts = run.pts.as_ref()?;
        let family = view.family_of(&run.test)?;
        let step = family.step(&run.test);
        let test = match step {
            "" => family.title.to_owned(),
            step => format!("{}, {step}", family.title),
        };
        let capacity = view
            .sheet(&run.drive)
            .map_or(0, |sheet| sheet.capacity_bytes);
        let mut facts = vec![
            ("settings", settings(pts)),
            ("scale", scale(pts)),
            ("preparation", preparation(run)),
        ];
        facts.extend(
            pts.steady
                .as_ref()
                .map(|steady| ("steady state", verdict(steady))),
        );
        // The preparation notes a caution among its steps; readers have to see it at once.
        let caution = run
            .steps
            .iter()
            .find_map(|step| step.strip_prefix("Caution: "));
        facts.extend(caution.map(|caution| ("caution", caution.to_owned())));
        Some(Sheet {
            title: format!(
                "{} · {test} · {}",
                family.methods().join(", "),
                view.drive_name(&run.drive)
            ),
            facts,
            tables: tables::of(pts, Quantity::of(view, run), capacity),
        })
    }
}

/// The quantity that a test measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Iops,
    Throughput,
    AverageLatency,
    LongestLatency,
}

impl Quantity {
    /// That of the chart of a run's test.
    fn of(view: &View<'_>, run: &Run) -> Quantity {
        let family = view.family_of(&run.test);
        let metric = family.and_then(|family| Some(family.tests.first()?.chart_metric.as_str()));
        match metric {
            Some(name) if name == table::MB_S.name => Quantity::Throughput,
            Some(name) if name == table::LAT_AVG_MS.name => Quantity::AverageLatency,
            _ => Quantity::Iops,
        }
    }

    /// Those of which cells are shown as a matrix each; none where there is one cell at most.
    fn of_matrices(self, cells: &[Cell]) -> &'static [Quantity] {
        match self {
            _ if cells.len() < 2 => &[],
            Quantity::Iops => &[Quantity::Iops],
            Quantity::Throughput => &[Quantity::Throughput],
            Quantity::AverageLatency => &[Quantity::AverageLatency, Quantity::LongestLatency],
            Quantity::LongestLatency => &[Quantity::LongestLatency],
        }
    }

    fn value(self, rate: &Rate) -> f64 {
        match self {
            Quantity::Iops => rate.iops,
            Quantity::Throughput => rate.mb_s,
            Quantity::AverageLatency => rate.lat_avg_ms,
            Quantity::LongestLatency => rate.lat_max_ms,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Quantity::Iops => "IOPS",
            Quantity::Throughput => "Throughput",
            Quantity::AverageLatency => "Average latency",
            Quantity::LongestLatency => "Longest latency",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Quantity::Iops => "IOPS",
            Quantity::Throughput => "MB/s",
            Quantity::AverageLatency | Quantity::LongestLatency => "ms",
        }
    }
}

/// A matrix of cells: sizes ascending down, mixes from all writes to all reads across.
struct Matrix {
    blocks: Vec<u64>,
    mixes: Vec<u8>,
}

impl Matrix {
    fn of(cells: &[Cell]) -> Matrix {
        let mut blocks: Vec<u64> = cells.iter().map(|cell| cell.block_bytes).collect();
        let mut mixes: Vec<u8> = cells.iter().map(|cell| cell.read_pct).collect();
        blocks.sort_unstable();
        blocks.dedup();
        mixes.sort_unstable();
        mixes.dedup();
        Matrix { blocks, mixes }
    }

    fn value(cells: &[Cell], block: u64, mix: u8, of: Quantity) -> Option<f64> {
        let is_it = |cell: &&Cell| (cell.block_bytes, cell.read_pct) == (block, mix);
        cells.iter().find(is_it).map(|cell| of.value(&cell.mean))
    }
}

fn block_words(bytes: u64) -> String {
    format!("{} KiB", bytes as f64 / 1024.0)
}

/// Formats a mix of reads and writes, as `65/35`.
fn mix_words(read_pct: u8) -> String {
    format!("{read_pct}/{}", 100 - read_pct)
}

fn settings(pts: &Pts) -> String {
    let settings = &pts.settings;
    let class = match settings.class {
        Class::Client => "PTS-C",
        Class::Enterprise => "PTS-E",
    };
    format!(
        "{class}: write cache {}, ActiveRange {} %, {} threads × {} outstanding (latency 1 × 1, in order \
         1 × 32)",
        if settings.write_cache { "on" } else { "off" },
        settings.active_range_pct,
        settings.threads,
        settings.depth
    )
}

fn scale(pts: &Pts) -> String {
    let scale = &pts.scale;
    if scale.words.is_empty() {
        return "1: the standard as it is".to_owned();
    }
    format!(
        "1 : {}, a minute lasts {} s, of which {} s are counted with time",
        format::number(scale.divisor),
        format::number(scale.minute_s),
        format::number(scale.counted_s)
    )
}

/// The steps up to the measurement, without those that the other facts tell.
fn preparation(run: &Run) -> String {
    let told = |step: &&String| {
        !["Scaled by", "Write cache", "Workload-dependent", "Caution"]
            .iter()
            .any(|start| step.starts_with(start))
    };
    let steps: Vec<&str> = run.steps.iter().filter(told).map(String::as_str).collect();
    steps.join(" ")
}

fn verdict(steady: &SteadyState) -> String {
    let window = format!(
        "measurement window rounds {} to {}",
        steady.window_first, steady.window_last
    );
    match steady.reached {
        Some(round) => format!("reached at round {round}; {window}"),
        None => format!(
            "NOT reached by round {}; {window}, NOT STEADY",
            steady.rounds
        ),
    }
}

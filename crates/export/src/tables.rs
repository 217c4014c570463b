//! The tables of result sets.

use crate::table::{Columns, Table};
use ftlab_result::quantity::table;
use ftlab_result::{
    At, Extent, Figure, Inside, LatencyCourse, PerSecond, ResultSet, Run, Spread, Traffic, Verdict,
};
use std::collections::{BTreeMap, BTreeSet};

/// A result set and the name it goes by among several: the column `set` of every table.
pub type Labelled<'a> = (&'a str, &'a ResultSet);

/// Published figures beside what the model gives, a row each.
#[must_use]
pub fn figures(sets: &[Labelled<'_>]) -> Table {
    let mut rows: Vec<(&str, &Figure)> = Vec::new();
    for &(label, set) in sets {
        rows.extend(set.figures.iter().map(|figure| (label, figure)));
    }
    let mut table = Columns::of(&rows);
    table.text("set", |(set, _)| set);
    table.text("id", |(_, figure)| &figure.id);
    table.text("drive", |(_, figure)| &figure.drive);
    table.text("model", |(_, figure)| &figure.model);
    table.text("test", |(_, figure)| &figure.test);
    table.text("state", |(_, figure)| &figure.state);
    table.text("data", |(_, figure)| &figure.data);
    table.text("link", |(_, figure)| &figure.link);
    table.text("metric", |(_, figure)| &figure.metric);
    table.text("unit", |(_, figure)| &figure.unit);
    // As printed, and as a number where it is one.
    table.text("published", |(_, figure)| &figure.published);
    table.number("published_number", |(_, figure)| {
        figure.published.parse().ok()
    });
    table.text("qualifier", |(_, figure)| &figure.qualifier);
    table.number("simulated", |(_, figure)| figure.simulated);
    spread(&mut table, "simulated", |(_, figure)| {
        figure.spread.as_ref()
    });
    table.number("error", |(_, figure)| figure.error);
    table.text("verdict", |(_, figure)| match figure.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Shown => "shown",
    });
    table.text("run", |(_, figure)| &figure.run);
    table.text("source", |(_, figure)| &figure.source);
    table.text("why", |(_, figure)| &figure.why);
    table.text("note", |(_, figure)| &figure.note);
    table.text("standing", |(_, figure)| match figure.unseen {
        true => "unseen",
        false => "seen",
    });
    table.table("figures")
}

/// Columns for the spread of a figure over repeats: empty for what was run once.
fn spread<R>(
    table: &mut Columns<'_, R>,
    of: &str,
    spread: impl for<'r> Fn(&'r R) -> Option<&'r Spread>,
) {
    let count = |row: &R| Some(spread(row)?.values.iter().flatten().count() as u64);
    table.whole(&format!("{of}_repeats"), count);
    let stddev = |row: &R| spread(row)?.stddev;
    table.number(&format!("{of}_stddev"), stddev);
    let half_width = |row: &R| spread(row)?.ci95_half_width;
    table.number(&format!("{of}_ci95_half_width"), half_width);
    let depends = format!("{of}_depends_on_seed");
    table.text(&depends, |row| {
        match spread(row).map(|spread| spread.depends_on_seed) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        }
    });
}

/// A run, and what its set says of its test.
struct RunRow<'a> {
    set: &'a str,
    method: &'a str,
    run: &'a Run,
}

impl RunRow<'_> {
    fn inside(&self) -> Option<&Inside> {
        self.run.inside()
    }
}

/// A direction of a run.
type Way = (&'static str, fn(&Run) -> &Traffic);

/// A count, and the column it stands in.
type Count = (&'static str, fn(&Inside) -> u64);

/// Each direction, and what its columns begin with.
const WAYS: [Way; 4] = [
    ("read", |run| &run.read),
    ("write", |run| &run.write),
    ("trim", |run| &run.trim),
    ("flush", |run| &run.flush),
];

/// A percentile over time, by its name.
type OverTime = (&'static str, fn(&LatencyCourse) -> &[Option<u64>]);

/// The percentiles that a run has over time.
const COURSES: [OverTime; 3] = [
    ("p50", |course| &course.p50),
    ("p99", |course| &course.p99),
    ("p99_9", |course| &course.p99_9),
];

/// Runs, a row each: their metrics, traffic and what happened inside. A direction without commands has no
/// latencies.
#[must_use]
pub fn runs(sets: &[Labelled<'_>]) -> Table {
    let mut rows = Vec::new();
    for &(label, set) in sets {
        rows.extend(run_rows(label, set));
    }
    let mut table = Columns::of(&rows);
    table.text("set", |row| row.set);
    table.text("run", |row| &row.run.id);
    table.text("drive", |row| &row.run.drive);
    table.text("method", |row| row.method);
    table.text("test", |row| &row.run.test);
    table.text("state", |row| &row.run.state);
    table.text("data", |row| &row.run.data);
    table.text("link", |row| &row.run.link);
    table.text("testbed", |row| &row.run.testbed);
    // Runs may differ in their settings and metrics: columns are the union over all sets, in the order of names.
    let keys: BTreeSet<&String> = rows
        .iter()
        .flat_map(|row| row.run.settings.keys())
        .collect();
    for key in keys {
        let value = |row: &RunRow<'_>| row.run.settings.get(key).cloned();
        table.words(&format!("setting_{key}"), value);
    }
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.run.metrics.keys()).collect();
    for name in names {
        let column = format!("metric_{name}");
        table.number(&column, |row| row.run.metrics.get(name).copied());
        if rows.iter().any(|row| row.run.spread.contains_key(name)) {
            spread(&mut table, &column, |row| row.run.spread.get(name));
        }
    }
    for way in WAYS {
        traffic(&mut table, &rows, way);
    }
    inside(&mut table, RunRow::inside);
    table.text("settled", |row| {
        match row.inside().and_then(|inside| inside.settled) {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        }
    });
    table.words("warnings", |row| {
        let saw: Vec<&str> = row
            .run
            .warnings
            .iter()
            .map(|warning| warning.saw.as_str())
            .collect();
        (!saw.is_empty()).then(|| saw.join(" "))
    });
    table.whole("submitted", |row| Some(row.run.submitted));
    table.whole("completed", |row| Some(row.run.completed));
    table.number("seconds", |row| Some(row.run.seconds));
    table.text("completion_hash", |row| {
        row.run.completion_hash.as_deref().unwrap_or_default()
    });
    hash(&mut table, RunRow::inside);
    table.table("runs")
}

fn run_rows<'a>(label: &'a str, set: &'a ResultSet) -> impl Iterator<Item = RunRow<'a>> {
    let methods: BTreeMap<&str, &str> = (set.tests.iter())
        .map(|test| (test.test.as_str(), test.method.as_str()))
        .collect();
    set.runs.iter().map(move |run| RunRow {
        set: label,
        method: methods.get(run.test.as_str()).copied().unwrap_or_default(),
        run,
    })
}

fn traffic(table: &mut Columns<'_, RunRow<'_>>, rows: &[RunRow<'_>], (way, of): Way) {
    table.whole(&format!("{way}_ios"), |row| Some(of(row.run).ios));
    table.whole(&format!("{way}_bytes"), |row| Some(of(row.run).bytes));
    table.number(&format!("{way}_iops"), |row| Some(of(row.run).iops));
    let rate = format!("{way}_bytes_per_s");
    table.number(&rate, |row| Some(of(row.run).bytes_per_s));
    let moved = |row: &RunRow<'_>| (of(row.run).ios > 0).then(|| of(row.run).clone());
    let lat = |what: &str| format!("{way}_lat_ns_{what}");
    table.whole(&lat("min"), |row| moved(row).map(|t| t.lat_ns_min));
    table.number(&lat("mean"), |row| moved(row).map(|t| t.lat_ns_mean));
    table.number(&lat("stddev"), |row| moved(row).map(|t| t.lat_ns_stddev));
    table.whole(&lat("max"), |row| moved(row).map(|t| t.lat_ns_max));
    let percents: BTreeSet<String> = (rows.iter())
        .flat_map(|row| &of(row.run).lat_ns_percentiles)
        .map(|(percent, _)| percent.to_string())
        .collect();
    let mut percents: Vec<(f64, String)> = (percents.into_iter())
        .filter_map(|text| Some((text.parse().ok()?, text)))
        .collect();
    percents.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (percent, text) in percents {
        table.whole(&lat(&format!("p{}", text.replace('.', "_"))), |row| {
            let percentiles = &of(row.run).lat_ns_percentiles;
            let found = percentiles.iter().find(|(other, _)| *other == percent);
            found.map(|(_, ns)| *ns)
        });
    }
}

/// There is no write amplification where nothing was written.
fn known(wa: f64) -> Option<f64> {
    Some(wa).filter(|wa| *wa > 0.0)
}

fn inside<R>(
    columns: &mut Columns<'_, R>,
    of: impl Copy + for<'r> Fn(&'r R) -> Option<&'r Inside>,
) {
    columns.number(table::WA.name, |row| known(of(row)?.wa));
    columns.number(table::WA_STEADY.name, |row| of(row)?.wa_steady);
    columns.number(table::GC_SHARE.name, |row| of(row)?.gc_share);
    let counts: [Count; 7] = [
        ("nand_programs", |inside| inside.nand_programs),
        (table::NAND_READS.name, |inside| inside.nand_reads),
        ("nand_erases", |inside| inside.nand_erases),
        ("map_programs", |inside| inside.map_programs),
        ("map_reads", |inside| inside.map_reads),
        (table::BUFFER_STALLS.name, |inside| inside.buffer_stalls),
        ("void_trims", |inside| inside.void_trims),
    ];
    for (name, count) in counts {
        columns.whole(name, |row| of(row).map(count));
    }
}

fn hash<R>(table: &mut Columns<'_, R>, of: impl for<'r> Fn(&'r R) -> Option<&'r Inside>) {
    table.text("op_stream_hash", |row| {
        of(row).map_or("", |inside| &inside.op_stream_hash)
    });
}

/// A drive of a run on several.
struct DeviceRow<'a> {
    set: &'a str,
    run: &'a Run,
    device: &'a At,
}

impl DeviceRow<'_> {
    fn inside(&self) -> Option<&Inside> {
        self.device.inside.as_ref()
    }
}

/// Drives of the runs that had several by name, a row each: what happened inside, energy and wear. Runs of one drive
/// have none.
#[must_use]
pub fn devices(sets: &[Labelled<'_>]) -> Table {
    let mut rows = Vec::new();
    for &(set, results) in sets {
        for run in &results.runs {
            let devices = run.several().iter();
            rows.extend(devices.map(|device| DeviceRow { set, run, device }));
        }
    }
    let mut table = Columns::of(&rows);
    table.text("set", |row| row.set);
    table.text("run", |row| &row.run.id);
    table.text("device", |row| &row.device.name);
    table.text("drive", |row| &row.device.drive);
    table.text("link", |row| &row.device.link);
    table.whole("written_bytes", |row| {
        Some(row.inside()?.host_bytes_written)
    });
    inside(&mut table, DeviceRow::inside);
    let settled = |row: &DeviceRow<'_>| Some(row.device.settling.as_ref()?.rounds);
    table.whole("settling_rounds", settled);
    table.number("joules", |row| Some(row.device.joules?.total()));
    let erases = |row: &DeviceRow<'_>| row.device.erases.clone();
    table.whole("erases_min", |row| Some(erases(row)?.erases_min.into()));
    table.number("erases_mean", |row| Some(erases(row)?.erases_mean));
    table.whole("erases_max", |row| Some(erases(row)?.erases_max.into()));
    hash(&mut table, DeviceRow::inside);
    table.table("devices")
}

/// An interval of a run.
struct Moment<'a> {
    set: &'a str,
    run: &'a Run,
    n: usize,
}

/// I/Os, bytes, write amplification, watts and degrees over time, a row an interval of a run.
#[must_use]
pub fn series(sets: &[Labelled<'_>]) -> Table {
    let mut rows = Vec::new();
    for &(label, set) in sets {
        for run in &set.runs {
            let of_drive = run.only().map_or(0, |only| {
                only.series_wa.len().max(only.series_celsius.len())
            });
            let of_run = run.series_ios.len().max(run.series_watts.len());
            // Series may differ in length, as some are of the drive and some of the run; a short one leaves cells
            // empty.
            let moments = 0..of_run.max(of_drive);
            rows.extend(moments.map(|n| Moment { set: label, run, n }));
        }
    }
    let mut table = Columns::of(&rows);
    table.text("set", |row| row.set);
    table.text("run", |row| &row.run.id);
    table.number("from_s", |row| {
        Some(row.n as f64 * row.run.series_interval_s)
    });
    table.number("interval_s", |row| Some(row.run.series_interval_s));
    table.whole("ios", |row| row.run.series_ios.get(row.n).copied());
    table.whole("bytes", |row| row.run.series_bytes.get(row.n).copied());
    for (way, of) in WAYS {
        for (name, percentile) in COURSES {
            table.whole(&format!("{way}_lat_ns_{name}"), |row| {
                let course = of(row.run).lat_ns_course.as_ref()?;
                // Those of a long run are of several seconds each.
                let at = row.n as f64 * row.run.series_interval_s / course.interval_s;
                *percentile(course).get(at as usize)?
            });
        }
    }
    table.number("wa", |row| known(*row.run.only()?.series_wa.get(row.n)?));
    table.number("watts", |row| row.run.series_watts.get(row.n).copied());
    table.number("celsius", |row| {
        row.run.only()?.series_celsius.get(row.n).copied()
    });
    table.whole("throttle", |row| {
        Some((*row.run.only()?.series_throttle.get(row.n)?).into())
    });
    table.table("series")
}

/// A direction of a run in which something went, and an entry of one of its lists.
struct Entry<'a, E> {
    run: &'a Run,
    way: &'static str,
    entry: E,
}

fn entries<'a, E>(set: &'a ResultSet, list: impl Fn(&'a Traffic) -> Vec<E>) -> Vec<Entry<'a, E>> {
    let mut all = Vec::new();
    for run in &set.runs {
        for (way, of) in WAYS {
            let list = list(of(run)).into_iter();
            all.extend(list.map(|entry| Entry { run, way, entry }));
        }
    }
    all
}

fn named<'a, 'r, E>(rows: &'r [Entry<'a, E>]) -> Columns<'r, Entry<'a, E>> {
    let mut table = Columns::of(rows);
    table.text("run", |row| &row.run.id);
    table.text("direction", |row| row.way);
    table
}

/// Percentiles of latency, a row each.
#[must_use]
pub fn percentiles(set: &ResultSet) -> Table {
    let rows = entries(set, |traffic| traffic.lat_ns_percentiles.clone());
    let mut table = named(&rows);
    table.number("percent", |row| Some(row.entry.0));
    table.whole("lat_ns", |row| Some(row.entry.1));
    table.table("percentiles")
}

/// Distributions of latency, a row a bucket: its upper bound, and how many requests are in it.
#[must_use]
pub fn histogram(set: &ResultSet) -> Table {
    let rows = entries(set, |traffic| traffic.lat_ns_histogram.clone());
    let mut table = named(&rows);
    table.whole("lat_ns_upto", |row| Some(row.entry.0));
    table.whole("ios", |row| Some(row.entry.1));
    table.table("histogram")
}

/// An amount over whole seconds, and the columns that begin with its name.
type OverSeconds = (&'static str, fn(&PerSecond) -> Extent);

/// The spread of rates over the whole seconds of runs, a row a direction.
#[must_use]
pub fn per_second(set: &ResultSet) -> Table {
    let rows = entries(set, |traffic| traffic.per_second.into_iter().collect());
    let mut table = named(&rows);
    table.whole("seconds", |row| Some(row.entry.seconds));
    let amounts: [OverSeconds; 2] = [("ios", |of| of.ios), ("bytes", |of| of.bytes)];
    for (name, of) in amounts {
        table.number(&format!("{name}_min"), |row| Some(of(&row.entry).min));
        table.number(&format!("{name}_mean"), |row| Some(of(&row.entry).mean));
        table.number(&format!("{name}_max"), |row| Some(of(&row.entry).max));
        table.number(&format!("{name}_stddev"), |row| Some(of(&row.entry).stddev));
    }
    table.table("per_second")
}

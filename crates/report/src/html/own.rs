//! Tests of which nothing was published, as loads of a user's own: what they measured, side by side, and what single
//! jobs saw.

use super::pts;
use crate::format;
use crate::settling;
use crate::view::pts::Table;
use crate::view::{Family, View, anchor, condition};
use ftlab_result::quantity::{self, table};
use ftlab_result::{At, Job, Run, Traffic};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Metrics that a reader looks for first, where runs have them.
const FIRST: [&str; 10] = [
    table::SECONDS.name,
    table::IOPS.name,
    table::MB_S.name,
    table::LAT_AVG_MS.name,
    table::LAT_P99_MS.name,
    table::LAT_MAX_MS.name,
    table::LONGEST_PAUSE_S.name,
    table::WA.name,
    table::WA_STEADY.name,
    table::WATTS.name,
];

/// Those of them that are of reads and writes together.
const OF_ALL: [&str; 3] = [
    table::LAT_AVG_MS.name,
    table::LAT_P99_MS.name,
    table::LAT_MAX_MS.name,
];

/// The most jobs that are shown one by one.
const JOBS_MAX: usize = 64;

/// The figures that a reader wants first, drive by drive.
pub fn side_by_side(view: &View<'_>, family: &Family<'_>) -> Markup {
    pts::table(&format!("{}-brief", family.id), &brief(view, family))
}

/// A column: its head, and the cell of a run.
type Column = (String, Box<dyn Fn(&Run) -> String>);

fn brief(view: &View<'_>, family: &Family<'_>) -> Table {
    let columns = columns(&family.runs);
    let states: BTreeSet<&str> = family.runs.iter().map(|run| run.state.as_str()).collect();
    let row = |run: &&Run| {
        let drive = view.drive_name(&run.drive);
        let drive = match states.len() {
            1 => drive.to_owned(),
            _ => format!("{drive}, {}", condition::state(&run.state)),
        };
        let drive = match family.step(&run.test) {
            "" => drive,
            step => format!("{drive}, {step}"),
        };
        std::iter::once(drive)
            .chain(columns.iter().map(|(_, cell)| cell(run)))
            .collect()
    };
    let merged = family.runs.iter().any(|run| run.jobs.len() > 1);
    Table {
        title: if merged {
            "Side by side, all jobs of a run together"
        } else {
            "Side by side"
        }
        .to_owned(),
        header: std::iter::once("Drive".to_owned())
            .chain(columns.iter().map(|(head, _)| head.clone()))
            .collect(),
        rows: family.runs.iter().map(row).collect(),
    }
}

/// The figures that runs have. Those of a load that reads and writes have latencies of each: a percentile of both together
/// says nothing of either.
fn columns(runs: &[&Run]) -> Vec<Column> {
    let is_mixed = runs.iter().any(|run| run.read.ios > 0 && run.write.ios > 0);
    // A metric that is zero in every run would be a column of zeros.
    let has = |name: &str| {
        let is_there = |run: &&Run| run.metrics.get(name).is_some_and(|value| *value != 0.0);
        runs.iter().any(is_there)
    };
    let mut columns = Vec::new();
    for name in FIRST.into_iter().filter(|name| has(name)) {
        if is_mixed && OF_ALL.contains(&name) {
            if name == OF_ALL[0] {
                columns.extend(latencies("Reads", |run| &run.read));
                columns.extend(latencies("Writes", |run| &run.write));
            }
            continue;
        }
        let head = match (quantity::words(name), quantity::unit(name)) {
            (words, "" | "×") => words,
            (words, unit) if words == unit => words,
            (words, unit) => format!("{words}, {unit}"),
        };
        let cell = move |run: &Run| {
            let value = run.metrics.get(name);
            let words = value.map_or("–".to_owned(), |value| {
                format::simulated(*value, run.spread.get(name))
            });
            settling::marked(words, name == table::WA.name && settling::is_unsettled(run))
        };
        columns.push((head, Box::new(cell) as _));
    }
    columns
}

/// Latencies of what went one way.
fn latencies(way: &str, of_run: fn(&Run) -> &Traffic) -> [Column; 3] {
    let of = move |run: &Run, ns: fn(&Traffic) -> Option<f64>| {
        let traffic = of_run(run);
        let ns = ns(traffic).filter(|_| traffic.ios > 0);
        ns.map_or("–".to_owned(), format::latency_ns)
    };
    let column = |what: &str, ns: fn(&Traffic) -> Option<f64>| -> Column {
        (format!("{way}, {what}"), Box::new(move |run| of(run, ns)))
    };
    [
        column("average", |all| Some(all.lat_ns_mean)),
        column("p99", |all| Some(all.percentile_ns(99.0)? as f64)),
        column("longest", |all| Some(all.lat_ns_max as f64)),
    ]
}

/// A sentence below the charts on runs whose garbage collection had not settled, and on which drives; nothing where all had.
pub fn unsettled(view: &View<'_>, family: &Family<'_>) -> Markup {
    let mut drives: Vec<&str> = (family.runs.iter())
        .filter(|run| settling::is_unsettled(run))
        .map(|run| view.drive_name(&run.drive))
        .collect();
    drives.dedup();
    html! {
        @if !drives.is_empty() {
            p.small {
                (settling::NOTE)
                @if view.set.drives.len() > 1 { " That is so of " (drives.join(", ")) "." }
            }
        }
    }
}

/// Warnings about the figures, each with the drives that it concerns, folded into a line.
pub fn warnings(view: &View<'_>, family: &Family<'_>) -> Markup {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for run in &family.runs {
        let ignored = (!run.ignored.is_empty()).then(|| {
            let keys: Vec<&str> = run.ignored.iter().map(|of| of.key.as_str()).collect();
            format!("Without effect: {}.", keys.join(", "))
        });
        for words in run.warnings.iter().map(ToString::to_string).chain(ignored) {
            match told.iter_mut().find(|(other, _)| *other == words) {
                Some((_, drives)) if drives.contains(&view.drive_name(&run.drive)) => {}
                Some((_, drives)) => drives.push(view.drive_name(&run.drive)),
                None => told.push((words, vec![view.drive_name(&run.drive)])),
            }
        }
    }
    html! {
        @if !told.is_empty() {
            details.behind {
                summary {
                    @if told.len() == 1 { "1 warning about these figures" }
                    @else { (told.len()) " warnings about these figures" }
                }
                @for (words, drives) in &told {
                    p.notice {
                        @if view.set.drives.len() > 1 { strong { (drives.join(", ")) ": " } }
                        (format::keep_units(words))
                    }
                }
            }
        }
    }
}

/// A table for each run on several drives, with a row for each drive.
pub fn devices(view: &View<'_>, family: &Family<'_>) -> Markup {
    let several = family.runs.iter().filter(|run| !run.several().is_empty());
    html! {
        @for run in several {
            (pts::table(&format!("{}/{}-devices", family.id, anchor(&run.id)), &of_devices(view, run)))
        }
    }
}

fn of_devices(view: &View<'_>, run: &Run) -> Table {
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), format::number);
    let row = |at: &At| {
        let inside = at.inside.as_ref()?;
        Some(vec![
            at.name.clone(),
            view.member_name(&run.drive, &at.name).to_owned(),
            inside.host_ios.to_string(),
            format::number(inside.host_bytes_written as f64 / 1e6),
            number((inside.nand_programs > 0).then_some(inside.wa)),
            number(inside.gc_share.map(|share| 100.0 * share)),
            inside.nand_erases.to_string(),
        ])
    };
    let header = [
        "name",
        "drive",
        "I/Os",
        "MB written",
        "write amplification",
        "GC share, %",
        "blocks erased",
    ];
    let rows = run.several().iter().filter_map(row).collect();
    Table::new("Drive by drive", &header, rows)
}

/// A table for each run of several jobs, with the figures of each job.
pub fn jobs(view: &View<'_>, family: &Family<'_>) -> Markup {
    let several = family.runs.iter().filter(|run| run.jobs.len() > 1);
    html! {
        @for run in several {
            details.behind {
                summary { "Job by job: " (view.drive_name(&run.drive)) }
                (pts::table(&format!("{}/{}-jobs", family.id, anchor(&run.id)), &of_jobs(run)))
                @if run.jobs.len() > JOBS_MAX {
                    p.small { "The first " (JOBS_MAX) " of " (run.jobs.len()) " jobs; the results have them all." }
                }
            }
        }
    }
}

fn of_jobs(run: &Run) -> Table {
    let mut rows = Vec::new();
    for job in run.jobs.iter().take(JOBS_MAX) {
        for (word, traffic) in [
            ("reads", &job.read),
            ("writes", &job.write),
            ("trims", &job.trim),
            ("flushes", &job.flush),
        ] {
            if !traffic.is_none() {
                rows.push(of_direction(job, word, traffic));
            }
        }
    }
    let header = [
        "Job",
        "Direction",
        "Queue depth",
        "IOPS",
        "MB/s",
        "Mean latency",
        "p99",
        "p99.99",
        "Longest",
    ];
    Table::new("Each job by itself", &header, rows)
}

fn of_direction(job: &Job, word: &str, traffic: &Traffic) -> Vec<String> {
    let name = match job.clones {
        1 => job.name.clone(),
        many => format!("{}, {many} jobs as one", job.name),
    };
    let percentile = |percent: f64| {
        let found = traffic
            .lat_ns_percentiles
            .iter()
            .find(|(p, _)| *p == percent);
        found.map_or("–".to_owned(), |(_, ns)| format::latency_ns(*ns as f64))
    };
    let latency = |ns: f64| match traffic.lat_ns_max {
        0 => "–".to_owned(),
        _ => format::latency_ns(ns),
    };
    vec![
        name,
        word.to_owned(),
        job.iodepth.to_string(),
        format::number(traffic.iops),
        format::number(traffic.bytes_per_s / 1e6),
        latency(traffic.lat_ns_mean),
        percentile(99.0),
        percentile(99.99),
        latency(traffic.lat_ns_max as f64),
    ]
}

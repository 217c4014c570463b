//! SSD-iq's `iob`: a table of each second of its runs (`iob-log-X.csv`), and one of latencies for each of its threads
//! (`iob-stats-idN-X.csv`). Rows of one run have one hash.

use super::iob_table::{Row, rows};
use crate::error::ReadingError;
use crate::left::Ledger;
use crate::load::{block_words, sheet};
use crate::readings::{Reading, Readings, test_name};
use crate::source::Source;
use ftlab_result::quantity::table;
use ftlab_result::{At, Job, LatencyCourse, Run, Traffic};
use std::collections::BTreeMap;

const TEXT: &str = "A run of SSD-iq's iob, made elsewhere, and imported.";

const LOG: &str = "iob-log-";
const STATS: &str = "iob-stats-id";

/// Bytes of the binary megabyte, which iob calls MB.
const MEBIBYTE: f64 = 1_048_576.0;

/// Microseconds from which on iob's histogram has one bin for all.
const LONGEST_US: f64 = 19_999.0;

/// Kinds of latencies: the beginning of their columns.
const KINDS: [&str; 3] = ["r", "w", "s"];

/// Columns of the table of seconds that say what a run is.
const OF_RUN: [&str; 9] = [
    "stat",
    "type",
    "expRate",
    "usedfilesize",
    "fill",
    "patternDetails",
    "exacttime",
    "hash",
    "prefix",
];

/// Rows of one run.
#[derive(Debug, Default)]
struct Rows {
    log: Vec<Row>,
    /// By thread.
    stats: BTreeMap<u64, Vec<Row>>,
}

/// True if a file is a table of iob's that is read.
pub fn is_table(source: &Source) -> bool {
    let name = source.file_name();
    name.ends_with(".csv") && (name.starts_with(LOG) || name.starts_with(STATS))
}

/// Reads the tables of runs.
///
/// # Errors
/// When one is none of iob's.
pub fn read(sources: &[Source]) -> Result<Readings, ReadingError> {
    let mut readings = Readings::default();
    let mut runs: Vec<(String, Rows)> = Vec::new();
    for source in sources {
        if !is_table(source) {
            let why = "traces of single requests, SMART logs and maps of accesses";
            readings.left.note(source.file_name(), &source.name, why);
            continue;
        }
        let is_log = source.file_name().starts_with(LOG);
        for row in rows(source)? {
            let hash = row.text("hash")?.to_owned();
            let place = runs.iter().position(|(known, _)| *known == hash);
            let place = place.unwrap_or_else(|| {
                runs.push((hash, Rows::default()));
                runs.len() - 1
            });
            let of = &mut runs[place].1;
            match is_log {
                true => of.log.push(row),
                false => of.stats.entry(row.count("id")?).or_default().push(row),
            }
        }
    }
    for (_, rows) in &runs {
        let reading = match rows.log.is_empty() {
            false => of_log(rows, &mut readings)?,
            true => of_stats(rows, &mut readings)?,
        };
        readings.each.extend(reading);
    }
    Ok(readings)
}

/// The run of a table of seconds, with latencies if there are any.
fn of_log(rows: &Rows, readings: &mut Readings) -> Result<Option<Reading>, ReadingError> {
    let (Some(first), Some(last)) = (rows.log.first(), rows.log.last()) else {
        return Ok(None);
    };
    let bytes = first.count("bs")?;
    let seconds = last.number("exacttime")?;
    let total = |name: &str| last.count(name);
    let ios = [total("readsTotal")?, total("writesTotal")?];
    if seconds <= 0.0 || ios == [0, 0] {
        readings.left.note(
            "a run",
            &first.place,
            "a run that ended before its first second",
        );
        return Ok(None);
    }
    let mut run = named(first, readings)?;
    let mut sheet = title(first, Some(bytes), &mut readings.left)?;
    let [read, write] = ios.map(|ios| Traffic {
        ios,
        bytes: ios.saturating_mul(bytes),
        iops: ios as f64 / seconds,
        bytes_per_s: ios as f64 * bytes as f64 / seconds,
        ..Traffic::default()
    });
    (run.read, run.write) = (read, write);
    // The row of second 0 has counted nothing yet.
    for row in rows
        .log
        .iter()
        .filter(|row| row.number("time").is_ok_and(|time| time > 0.0))
    {
        let ios = row.count("writeIOPS")? + row.count("readIOPS")?;
        run.series_ios.push(ios);
        run.series_bytes.push(ios.saturating_mul(bytes));
    }
    run.series_interval_s = 1.0;
    if let Some(wa) = write_amplification(rows, bytes)? {
        table::WA.put(&mut run.metrics, wa);
    }
    for name in first.names().filter(|name| !is_used(name)) {
        let why = "SMART counters of the drive, of which results keep the write amplification, and rates that follow from others";
        readings.left.note(name, &first.place, why);
    }
    latencies(rows, &mut run, &mut readings.left)?;
    finish(&mut run, seconds);
    sheet.test = test_name(&test(first)?);
    Ok(Some(Reading::measured(sheet, run)))
}

/// The run of tables of latencies alone.
fn of_stats(rows: &Rows, readings: &mut Readings) -> Result<Option<Reading>, ReadingError> {
    let Some(first) = rows.stats.values().flatten().next() else {
        return Ok(None);
    };
    let mut run = named(first, readings)?;
    let mut sheet = title(first, None, &mut readings.left)?;
    let mut seconds: f64 = 0.0;
    for own in rows.stats.values() {
        let mut of_thread = 0.0;
        for row in own {
            let took = row.number("timeDiff")?;
            of_thread += took;
            for (traffic, count, rate) in [
                (&mut run.read, "rcnt", "readMibs"),
                (&mut run.write, "wcnt", "writeMibs"),
            ] {
                traffic.ios += row.count(count)?;
                let bytes = (row.number(rate)? * took * MEBIBYTE).round() as u64;
                traffic.bytes = traffic.bytes.saturating_add(bytes);
            }
        }
        seconds = seconds.max(of_thread);
    }
    if seconds <= 0.0 || run.read.ios + run.write.ios == 0 {
        readings.left.note(
            "a run",
            &first.place,
            "a run that ended before its first second",
        );
        return Ok(None);
    }
    for traffic in [&mut run.read, &mut run.write] {
        traffic.iops = traffic.ios as f64 / seconds;
        traffic.bytes_per_s = traffic.bytes as f64 / seconds;
    }
    latencies(rows, &mut run, &mut readings.left)?;
    finish(&mut run, seconds);
    sheet.test = test_name(&test(first)?);
    Ok(Some(Reading::measured(sheet, run)))
}

/// A run with the facts of its first row.
fn named(first: &Row, readings: &mut Readings) -> Result<Run, ReadingError> {
    let source = &first.source;
    for (name, key, unit) in [
        ("device", "bench.filename", ""),
        ("filesizeGib", "bench.size", "GiB"),
    ] {
        readings.device.fact(key, first.text(name)?, unit, source);
    }
    let mut notes = vec![format!("Imported from {}.", source.name)];
    notes.push(format!(
        "Pattern {}: {}.",
        first.text("pattern")?,
        first.text("patternDetails")?
    ));
    let rate = first.number("rate")?;
    if rate > 0.0 {
        notes.push(format!("A rate of {rate} requests a second was asked for."));
    }
    Ok(Run {
        at: vec![At::default()],
        notes,
        ..Run::default()
    })
}

fn title(
    first: &Row,
    block_bytes: Option<u64>,
    ledger: &mut Ledger,
) -> Result<ftlab_result::TestSheet, ReadingError> {
    let pct = writes_pct(first)?;
    let mut title = format!("Pattern {}, {pct:.0} % writes", first.text("pattern")?);
    match block_bytes {
        Some(bytes) => title += &format!(", {}", block_words(bytes)),
        None => ledger.note(
            "bs",
            &first.place,
            "the size of requests, which tables of latencies do not have",
        ),
    }
    Ok(sheet(title, String::new(), block_bytes, TEXT))
}

fn test(first: &Row) -> Result<String, ReadingError> {
    let rate = first.number("rate")?;
    let rate = if rate > 0.0 {
        format!("-r{rate}")
    } else {
        String::new()
    };
    Ok(format!(
        "{}-{}-w{:.0}{rate}",
        first.text("prefix")?,
        first.text("pattern")?,
        writes_pct(first)?
    ))
}

/// iob's share of writes is from 0 to 1; its two tables write the name differently.
fn writes_pct(row: &Row) -> Result<f64, ReadingError> {
    let share = row
        .number("writepercent")
        .or_else(|_| row.number("writePercent"))?;
    Ok(share * 100.0)
}

fn is_used(name: &str) -> bool {
    const USED: [&str; 13] = [
        "time",
        "device",
        "filesizeGib",
        "pattern",
        "rate",
        "writepercent",
        "bs",
        "writesTotal",
        "readsTotal",
        "writeIOPS",
        "readIOPS",
        "physicalMediaUnitsWrittenBytes",
        "wa",
    ];
    USED.contains(&name) || OF_RUN.contains(&name)
}

/// NAND bytes over host bytes, between the first row and the last in which the drive has brought its counter up to date;
/// none if it has no such counter.
fn write_amplification(rows: &Rows, bytes: u64) -> Result<Option<f64>, ReadingError> {
    let mut updates: Vec<(f64, u64)> = Vec::new();
    for row in &rows.log {
        let written = row.number("physicalMediaUnitsWrittenBytes")?;
        if updates.last().is_none_or(|(before, _)| *before != written) {
            updates.push((written, row.count("writesTotal")?));
        }
    }
    let [first, .., last] = &updates[..] else {
        return Ok(None);
    };
    let host = last.1.saturating_sub(first.1) as f64 * bytes as f64;
    Ok((host > 0.0 && last.0 > first.0).then_some((last.0 - first.0) / host))
}

/// Latencies of the threads, and of all of them together.
fn latencies(rows: &Rows, run: &mut Run, ledger: &mut Ledger) -> Result<(), ReadingError> {
    let mut all: [Traffic; 3] = Default::default();
    for (id, own) in &rows.stats {
        let mut job = job(*id);
        let each = [&mut job.read, &mut job.write, &mut job.flush];
        for ((kind, traffic), all) in KINDS.into_iter().zip(each).zip(&mut all) {
            *traffic = of_thread(own, kind, ledger)?;
            merge(all, traffic);
        }
        job.measured_ns = (sum(own, "timeDiff")? * 1e9) as u64;
        run.jobs.push(job);
    }
    let [read, write, flush] = all;
    for (whole, of) in [(&mut run.read, &read), (&mut run.write, &write)] {
        whole.lat_ns_min = of.lat_ns_min;
        whole.lat_ns_mean = of.lat_ns_mean;
        whole.lat_ns_max = of.lat_ns_max;
    }
    run.flush = flush;
    if let [only] = &run.jobs[..] {
        run.read.lat_ns_course.clone_from(&only.read.lat_ns_course);
        run.write
            .lat_ns_course
            .clone_from(&only.write.lat_ns_course);
    } else if !run.jobs.is_empty() {
        run.notes.push(
            "Percentiles are of each thread by itself, so those of all of them are not known."
                .to_owned(),
        );
    }
    Ok(())
}

/// One kind of request of a thread, over all its rows.
fn of_thread(rows: &[Row], kind: &str, ledger: &mut Ledger) -> Result<Traffic, ReadingError> {
    let mut traffic = Traffic::default();
    let mut total_us = 0.0;
    let mut course = LatencyCourse::default();
    for row in rows {
        let of = |name: &str| row.number(&format!("{kind}{name}"));
        let count = row.count(&format!("{kind}cnt"))?;
        let ns = |us: f64| (us * 1e3) as u64;
        let mut percentile = |name: &str| -> Result<Option<u64>, ReadingError> {
            let us = of(name)?;
            if us >= LONGEST_US {
                ledger.note(
                    &format!("{kind}{name}"),
                    &row.place,
                    "percentiles of 20 ms and more, which iob does not tell apart",
                );
            }
            Ok((count > 0 && us < LONGEST_US).then_some(ns(us)))
        };
        course.p50.push(percentile("50p")?);
        course.p99.push(percentile("99p")?);
        course.p99_9.push(percentile("99p9")?);
        if count == 0 {
            continue;
        }
        let least = ns(of("min")?);
        traffic.lat_ns_min = if traffic.ios == 0 {
            least
        } else {
            traffic.lat_ns_min.min(least)
        };
        traffic.lat_ns_max = traffic.lat_ns_max.max(ns(of("max")?));
        traffic.ios += count;
        total_us += of("tot")?;
    }
    if traffic.ios == 0 {
        return Ok(Traffic::default());
    }
    let seconds = sum(rows, "timeDiff")?;
    traffic.iops = traffic.ios as f64 / seconds;
    traffic.lat_ns_mean = total_us * 1e3 / traffic.ios as f64;
    course.interval_s = seconds / rows.len() as f64;
    traffic.lat_ns_course = Some(course);
    Ok(traffic)
}

fn merge(all: &mut Traffic, more: &Traffic) {
    if more.ios == 0 {
        return;
    }
    let is_first = all.ios == 0;
    let (n, m) = (all.ios as f64, more.ios as f64);
    all.lat_ns_mean = (all.lat_ns_mean * n + more.lat_ns_mean * m) / (n + m);
    all.lat_ns_min = if is_first {
        more.lat_ns_min
    } else {
        all.lat_ns_min.min(more.lat_ns_min)
    };
    all.lat_ns_max = all.lat_ns_max.max(more.lat_ns_max);
    all.ios += more.ios;
    all.iops += more.iops;
}

fn sum(rows: &[Row], name: &str) -> Result<f64, ReadingError> {
    rows.iter().map(|row| row.number(name)).sum()
}

/// A thread of iob's; how many requests it keeps outstanding, its tables do not say.
fn job(id: u64) -> Job {
    Job {
        name: format!("gen {id}"),
        group: 0,
        clones: 1,
        rw: String::new(),
        iodepth: 0,
        iodepth_stated: None,
        errors: 0,
        missed: None,
        measured_ns: 0,
        failures: None,
        description: None,
        options: Vec::new(),
        read: Traffic::default(),
        write: Traffic::default(),
        trim: Traffic::default(),
        flush: Traffic::default(),
        mixed: Traffic::default(),
        reporting: None,
        latency_target: None,
        steady: None,
        depths: Vec::new(),
        depth_mean: None,
        has_slat: false,
        lat_ns_fio: Vec::new(),
        process: None,
    }
}

/// Totals of a run whose reads and writes are known.
fn finish(run: &mut Run, seconds: f64) {
    let (read, write) = (&run.read, &run.write);
    let ios = read.ios + write.ios;
    let bytes_s = read.bytes_per_s + write.bytes_per_s;
    let mut put =
        |of: &ftlab_result::quantity::Quantity, value: f64| of.put(&mut run.metrics, value);
    put(&table::IOPS, ios as f64 / seconds);
    put(&table::MB_S, bytes_s / 1e6);
    put(&table::MIB_S, bytes_s / MEBIBYTE);
    let longest = read.lat_ns_max.max(write.lat_ns_max);
    if longest > 0 {
        let total = read.lat_ns_mean * read.ios as f64 + write.lat_ns_mean * write.ios as f64;
        put(&table::LAT_AVG_MS, total / ios as f64 / 1e6);
        put(&table::LAT_MAX_MS, longest as f64 / 1e6);
    }
    run.submitted = ios + run.flush.ios;
    run.completed = run.submitted;
    run.seconds = seconds;
}

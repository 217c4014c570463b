//! An invented result set, plausible enough to lay out a report by. None of its numbers is a
//! result: they are drawn from formulas below.

#![allow(dead_code, reason = "each test file uses a part")]

mod drives;
mod full;
mod today;

use std::collections::BTreeMap;

use ftlab_result::{
    At, Chart, Figure, Inside, Origin, ResultSet, Role, Run, SCHEMA, Spread, TestSheet, Traffic,
    Verdict, Way,
};

pub use drives::{Character, characters};
#[allow(unused_imports, reason = "each test file uses a part")]
pub use full::full;
#[allow(unused_imports, reason = "each test file uses a part")]
pub use today::today;

/// Latency buckets a factor of 10^(1/8) apart.
const BUCKETS_PER_DECADE: f64 = 8.0;

/// Five drives, tests A1 to A4 and B1, new and used.
pub fn sample() -> ResultSet {
    let characters = characters();
    let tests = tests();
    let mut runs = Vec::new();
    let mut figures = Vec::new();
    for test in &tests {
        for character in &characters {
            let states: &[&str] = if test.method == "B1" {
                &["new", "used"]
            } else {
                &["used"]
            };
            for state in states {
                let run = run(character, test, state);
                if character.published {
                    publish(&mut figures, &run, test);
                }
                runs.push(run);
            }
        }
    }
    figures.push(unplaced());
    ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: Origin {
            quick: false,
            repeats: 1,
            way: Way::Simulated,
            seeds: Vec::new(),
            version: "0.1.0".into(),
            model_version: 1,
            seed: 1,
            testbed: "x58-2008".into(),
        },
        drives: characters.iter().map(Character::sheet).collect(),
        tests,
        figures,
        runs,
        verdicts: Vec::new(),
        plans: Vec::new(),
        unfinished: Vec::new(),
    }
}

/// The same with three repeats: all of them alike on the first drive, a tenth apart on the others.
pub fn repeated() -> ResultSet {
    let mut set = sample();
    set.origin.repeats = 3;
    let alike = set.drives[0].drive.clone();
    let spread = |drive: &str, mean: f64| {
        let apart = if drive == alike { 0.0 } else { 0.1 * mean };
        Spread {
            values: [mean - apart, mean, mean + apart].map(Some).to_vec(),
            stddev: Some(apart),
            ci95_half_width: Some(4.303 * apart / 3.0_f64.sqrt()),
            depends_on_seed: apart > 0.0,
        }
    };
    for run in &mut set.runs {
        let of = |(name, mean): (&String, &f64)| (name.clone(), spread(&run.drive, *mean));
        run.spread = run.metrics.iter().map(of).collect();
    }
    for figure in &mut set.figures {
        figure.spread = figure.simulated.map(|mean| spread(&figure.model, mean));
    }
    set
}

/// The first drive alone, as a model.
pub fn modelled() -> ResultSet {
    let mut set = sample();
    let drive = set.drives[0].drive.clone();
    set.drives.retain(|sheet| sheet.drive == drive);
    set.runs.retain(|run| run.drive == drive);
    set.figures.clear();
    set
}

/// A real drive of another name that ran the same, a quarter faster.
pub fn measured() -> ResultSet {
    let mut set = modelled();
    set.origin.way = Way::Measured;
    set.drives[0].drive = "real-one".into();
    set.drives[0].name = "Real One".into();
    for run in &mut set.runs {
        let rest = run.id.split_once('/').map_or("", |(_, rest)| rest);
        run.id = format!("real-one/{rest}");
        run.drive = "real-one".into();
        // What a host cannot see.
        run.metrics.remove("wa");
        run.at = vec![At::default()];
        for (name, value) in &mut run.metrics {
            let is_time = name.contains("lat_") || name.ends_with("_s") && name != "mb_s";
            *value *= if is_time { 0.8 } else { 1.25 };
        }
        for traffic in [&mut run.read, &mut run.write] {
            traffic.iops *= 1.25;
            traffic.lat_ns_mean *= 0.8;
            let percentiles = traffic.lat_ns_percentiles.iter_mut().map(|(_, ns)| ns);
            for ns in percentiles.chain([&mut traffic.lat_ns_max]) {
                *ns = *ns * 4 / 5;
            }
        }
    }
    set
}

/// The same with strings that try to break out of the page.
pub fn hostile() -> ResultSet {
    let mut set = sample();
    let evil = "</script><b>\"&'<img src=x onerror=alert(1)><!--{a|b}";
    set.drives[0].name = evil.into();
    set.drives[1].summary = evil.into();
    set.drives[1].parameters[0].note = evil.into();
    set.origin.version = evil.into();
    set.tests[0].step = evil.into();
    set.figures[0].drive = evil.into();
    set.figures[1].published = evil.into();
    set.figures[2].source = evil.into();
    set.runs[0].steps[0] = evil.into();
    for test in &mut set.tests[..2] {
        test.text = evil.into();
    }
    set
}

fn sheet(
    test: String,
    method: &str,
    title: &str,
    step: String,
    chart: Chart,
    draws: &str,
) -> TestSheet {
    let text = match method {
        "A1" => {
            "Random writes of 4 KiB over the whole drive, one at a time, for three minutes. \
                 The average tells how fast a drive is; the longest wait tells whether it stalls."
        }
        "A2" => {
            "The same random writes with larger blocks. A drive that rewrites a whole erase \
                 block for every write takes as long for 4 KiB as for 128 KiB."
        }
        "A3" => {
            "4 KiB writes of which a share goes on in order and the rest jumps to a random \
                 place. A single random write in ten is enough to upset some controllers."
        }
        "A4" => {
            "Random 4 KiB writes with 1 to 64 of them outstanding. A drive without command \
                 queueing answers them one after the other, so the wait grows with the depth."
        }
        _ => {
            "Random 4 KiB writes over 8 GB with three outstanding, on a drive fresh from secure \
              erase and again after it was filled and overwritten at random."
        }
    };
    let mut roles = Vec::new();
    if test.starts_with("randwrite-4k") {
        roles.push(Role::SmallRandomWrite);
    }
    match test.as_str() {
        "randwrite-4k-qd1" => roles.push(Role::SmallRandomWriteAlone),
        "seqrand-mix-4k-qd1-seq100" => roles.push(Role::SmallSequentialWriteAlone),
        "randwrite-4k-qd3-8gb" => roles.push(Role::UsedRandomWrite),
        _ => {}
    }
    TestSheet {
        test,
        method: method.into(),
        title: title.into(),
        text: text.into(),
        step,
        chart,
        chart_metric: draws.into(),
        chart_unit: if draws == "mb_s" {
            "MB/s".into()
        } else {
            "ms".into()
        },
        chart_beside: String::new(),
        latencies_of: String::new(),
        source: String::new(),
        roles,
    }
}

fn tests() -> Vec<TestSheet> {
    let mut tests = vec![sheet(
        "randwrite-4k-qd1".into(),
        "A1",
        "Random writes, 4 KiB",
        "4 KiB".into(),
        Chart::Bars,
        "lat_avg_ms",
    )];
    for kib in [16, 32, 64, 128] {
        let (test, step) = (format!("randwrite-{kib}k-qd1"), format!("{kib} KiB"));
        tests.push(sheet(
            test,
            "A2",
            "Random writes by block size",
            step,
            Chart::Bars,
            "lat_avg_ms",
        ));
    }
    for sequential in [100, 90, 50] {
        let test = format!("seqrand-mix-4k-qd1-seq{sequential}");
        let step = format!("{sequential} % in order");
        tests.push(sheet(
            test,
            "A3",
            "A few random writes among sequential ones",
            step,
            Chart::Bars,
            "lat_avg_ms",
        ));
    }
    for depth in [2, 4, 8, 16, 32, 64] {
        let (test, step) = (format!("randwrite-4k-qd{depth}"), format!("QD {depth}"));
        tests.push(sheet(
            test,
            "A4",
            "Random writes by queue depth",
            step,
            Chart::Lines,
            "lat_avg_ms",
        ));
    }
    tests.push(sheet(
        "randwrite-4k-qd3-8gb".into(),
        "B1",
        "New and used",
        String::new(),
        Chart::Bars,
        "mb_s",
    ));
    tests
}

/// What a test does to a drive's average latency, as (milliseconds, share of slow I/Os).
fn average_ms(character: &Character, test: &TestSheet, state: &str) -> f64 {
    let number = |prefix: &str, end: &str| -> f64 {
        let rest = test.test.strip_prefix(prefix).unwrap_or("4");
        rest.split(end)
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(4.0)
    };
    let aged = if state == "new" { 0.55 } else { 1.0 };
    match test.method.as_str() {
        "A2" => character.random_ms + character.per_kib_ms * (number("randwrite-", "k") - 4.0),
        "A3" => {
            let random = 1.0 - number("seqrand-mix-4k-qd1-seq", "-") / 100.0;
            character.sequential_ms + (character.random_ms - character.sequential_ms) * random
        }
        "A4" => character.random_ms * number("randwrite-4k-qd", "-").powf(character.queueing),
        "B1" => character.random_ms * aged * 2.2,
        _ => character.random_ms,
    }
}

fn run(character: &Character, test: &TestSheet, state: &str) -> Run {
    let mean_ms = average_ms(character, test, state);
    let depth = match test.method.as_str() {
        "A4" => test.step.trim_start_matches("QD ").parse().unwrap_or(1.0),
        "B1" => 3.0,
        _ => 1.0,
    };
    let kib = if test.method == "A2" {
        test.step.trim_end_matches(" KiB").parse().unwrap_or(4.0)
    } else {
        4.0
    };
    let iops = 1000.0 * depth / mean_ms;
    // A stall is as long behind a queue, which it holds up.
    let max_ms = character.longest_ms + (mean_ms - character.random_ms).max(0.0);
    let seconds = 180;
    let write = traffic(
        iops,
        kib * 1024.0,
        seconds,
        mean_ms,
        max_ms,
        character.spread,
    );
    let metrics = BTreeMap::from([
        ("iops".into(), iops),
        ("mb_s".into(), write.bytes_per_s / 1e6),
        ("lat_avg_ms".into(), mean_ms),
        ("lat_max_ms".into(), max_ms),
        ("longest_pause_s".into(), character.longest_ms / 1e3),
    ]);
    let programs = (write.ios as f64 * character.wa) as u64;
    Run {
        id: format!("{}/{}/{state}", character.slug, test.test),
        drive: character.slug.into(),
        test: test.test.clone(),
        state: state.into(),
        steps: steps(state),
        metrics,
        at: vec![At {
            inside: Some(Inside {
                wa: character.wa,
                wa_steady: None,
                settled: None,
                host_ios: write.ios,
                host_bytes_written: write.bytes,
                nand_programs: programs,
                nand_reads: programs / 2,
                nand_erases: programs / 128,
                map_programs: 0,
                map_reads: 0,
                gc_share: (character.wa > 0.0).then(|| 1.0 - 1.0 / character.wa.max(1.0)),
                buffer_stalls: (write.ios as f64 * character.stalls) as u64,
                void_trims: 0,
                handles: Vec::new(),
                op_stream_hash: "0011223344556677".into(),
            }),
            ..At::default()
        }],
        submitted: write.ios,
        completed: write.ios,
        seconds: f64::from(seconds),
        series_ios: series(iops, seconds * 10, character),
        series_interval_s: 0.1,
        write,
        ..Run::default()
    }
}

fn steps(state: &str) -> Vec<String> {
    let mut steps = vec!["Secure erase.".to_owned()];
    if state == "used" {
        steps.push("Write the whole drive once, in order.".into());
        steps.push("Write the capacity once more in random 4 KiB blocks.".into());
    }
    steps
}

/// A log-normal body and a thin tail up to the longest wait.
fn traffic(iops: f64, bytes: f64, seconds: u32, mean_ms: f64, max_ms: f64, spread: f64) -> Traffic {
    let ios = (iops * f64::from(seconds)).ceil().max(1.0);
    let body = |ms: f64| (-(ms / mean_ms).ln().powi(2) / (2.0 * spread * spread)).exp();
    let mut histogram = Vec::new();
    let mut index = ((mean_ms / 30.0).log10() * BUCKETS_PER_DECADE).floor();
    loop {
        let upper_ms = 10f64.powf(index / BUCKETS_PER_DECADE);
        let tail = if upper_ms > mean_ms {
            0.002 * (mean_ms / upper_ms).sqrt()
        } else {
            0.0
        };
        let share = 0.16 / spread * body(upper_ms) + tail;
        let count = if upper_ms >= max_ms {
            1
        } else {
            (share * ios) as u64
        };
        if count > 0 {
            histogram.push(((upper_ms * 1e6) as u64, count));
        }
        if upper_ms >= max_ms {
            break;
        }
        index += 1.0;
    }
    let percentiles = [
        (50.0, 0.9),
        (90.0, 1.6),
        (99.0, 3.0),
        (99.9, 9.0),
        (99.99, 24.0),
    ];
    Traffic {
        ios: ios as u64,
        bytes: (ios * bytes) as u64,
        iops,
        bytes_per_s: iops * bytes,
        lat_ns_min: (mean_ms * 3e5) as u64,
        lat_ns_mean: mean_ms * 1e6,
        lat_ns_stddev: mean_ms * spread * 1e6,
        lat_ns_max: (max_ms * 1e6) as u64,
        lat_ns_percentiles: percentiles
            .map(|(p, times)| (p, (mean_ms * times).min(max_ms) * 1e6))
            .map(|(p, ns)| (p, ns as u64))
            .to_vec(),
        lat_ns_bins: Vec::new(),
        lat_ns_histogram: histogram,
        lat_ns_course: None,
        per_second: None,
    }
}

/// I/Os in each tenth of a second: a decline, a ripple, and the stalls of the character.
fn series(iops: f64, intervals: u32, character: &Character) -> Vec<u64> {
    let interval = |i: u32| {
        let age = f64::from(i) / f64::from(intervals);
        let wave = (f64::from(i) * 0.7).sin() * (f64::from(i) * 0.13).cos();
        let stalled = character.longest_ms > 500.0 && i % 37 < 6;
        let rate = iops * (1.15 - 0.3 * age.sqrt()) * (1.0 + 0.12 * character.spread * wave);
        if stalled { 0.0 } else { (rate / 10.0).max(0.0) }
    };
    // Slow drives complete less than one an interval; the remainder is carried on.
    let mut carried = 0.0;
    let whole = |i| {
        carried += interval(i);
        let done = f64::floor(carried);
        carried -= done;
        done as u64
    };
    (0..intervals).map(whole).collect()
}

/// Publishes values a little off what the run gave, some as bounds.
fn publish(figures: &mut Vec<Figure>, run: &Run, test: &TestSheet) {
    let all: &[&str] = match test.method.as_str() {
        "A1" => &["iops", "mb_s", "lat_avg_ms", "lat_max_ms"],
        "A4" if test.step != "QD 4" && test.step != "QD 64" => return,
        "A4" => &["lat_max_s"],
        "B1" => &["mb_s"],
        _ => &["lat_avg_ms"],
    };
    for metric in all {
        let index = figures.len();
        let bound = *metric == "lat_max_s";
        let simulated = if bound {
            run.metrics["lat_max_ms"] / 1e3
        } else {
            run.metrics[*metric]
        };
        let off =
            1.0 + 0.06 * (index as f64 * 1.7).sin() + if index % 29 == 11 { 0.16 } else { 0.0 };
        let published = if bound {
            simulated * 0.7
        } else {
            simulated * off
        };
        let error = (simulated / published).ln().abs();
        let verdict = match (bound, error < 0.15) {
            (true, _) | (false, true) => Verdict::Pass,
            (false, false) => Verdict::Fail,
        };
        figures.push(Figure {
            id: format!("F{:04}", 170 + index),
            drive: run.drive.clone(),
            drive_name: String::new(),
            model: run.drive.clone(),
            test: run.test.clone(),
            test_name: String::new(),
            state: if test.method == "B1" {
                run.state.clone()
            } else {
                "unstated".into()
            },
            data: "na".into(),
            link: "na".into(),
            metric: (*metric).into(),
            unit: unit_of(metric).into(),
            published: three_digits(published),
            qualifier: if bound { "gt".into() } else { "eq".into() },
            simulated: Some(simulated),
            spread: None,
            error: (!bound).then_some(error),
            verdict,
            run: run.id.clone(),
            source: if test.method == "B1" {
                "An invented review, 2009".into()
            } else {
                "An invented review, 2008".into()
            },
            left_out_error: None,
            unseen: false,
            note: String::new(),
            why: String::new(),
        });
    }
}

fn unit_of(metric: &str) -> &'static str {
    match metric {
        "iops" => "iops",
        "mb_s" => "MB/s",
        "lat_max_s" => "s",
        _ => "ms",
    }
}

fn three_digits(value: f64) -> String {
    let digits = 2 - value.abs().log10().floor() as i32;
    let factor = 10f64.powi(digits);
    format!("{}", (value * factor).round() / factor)
}

fn unplaced() -> Figure {
    Figure {
        id: "F0286".into(),
        drive: "spinfree-core-64".into(),
        drive_name: String::new(),
        model: String::new(),
        test: "archive-create-while-extract".into(),
        test_name: "Archive, created while another is extracted".into(),
        state: "unstated".into(),
        data: "na".into(),
        link: "na".into(),
        metric: "pauses".into(),
        unit: "count".into(),
        published: "lots".into(),
        qualifier: "qualitative".into(),
        simulated: None,
        spread: None,
        error: None,
        verdict: Verdict::Shown,
        run: String::new(),
        source: "An invented review, 2008".into(),
        left_out_error: None,
        unseen: false,
        note: String::new(),
        why: String::new(),
    }
}

//! Compares the JSON of a run in fio with that of ftlab, and looks whether each agrees with itself.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Keys that one of the two has alone, by how their paths begin, and why that is right.
const ACCEPTED: &[(&str, &str)] = &[
    (
        "/disk_util/",
        "fio lists the disks of the machine below its file, ftlab the drive",
    ),
    ("/ftlab/", "what fio has no names for"),
];

const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

/// How far a bin of fio's may be from a latency in it: 64 bins for each power of two.
const BIN_SHARE: f64 = 1.0 / 64.0;

/// What a job's words decide of its run, beside what the machine does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decided {
    /// How many reads and how many writes: not so of a mix, where chance decides.
    pub each_direction: bool,
    /// How many requests in all: not so of a job that ends by a clock.
    pub requests: bool,
    /// How many flushes.
    pub flushes: bool,
    /// The depth: not so of a job that seeks one.
    pub depth: bool,
    /// How many requests were submitted in calls of their own: not so where fio has another engine.
    pub submissions: bool,
    /// How many requests were submitted at which depth.
    pub levels: bool,
}

/// Every path of a document, as `/jobs/0/read/bw`. The keys of bins are latencies, which differ.
pub fn paths(document: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) if !map.is_empty() && !path.ends_with("/bins") => {
                for (key, value) in map {
                    walk(value, &format!("{path}/{key}"), found);
                }
            }
            // How many seconds a list has is another question.
            Value::Array(list) if path.contains("/jobs") && !path.contains("/data/") => {
                for (n, value) in list.iter().enumerate() {
                    walk(value, &format!("{path}/{n}"), found);
                }
            }
            Value::Array(list) => {
                for value in list.iter().take(1) {
                    walk(value, &format!("{path}/0"), found);
                }
            }
            _ => {
                found.insert(path.to_owned());
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(document, "", &mut found);
    found
}

/// What differs between the documents of a job in fio and in ftlab that should not.
pub fn differences(fio: &Value, ftlab: &Value, decided: Decided) -> Vec<String> {
    let (theirs, ours) = (paths(fio), paths(ftlab));
    let is_accepted = |path: &&String| ACCEPTED.iter().any(|(begin, _)| path.starts_with(begin));
    let only = |of: &BTreeSet<String>, other: &BTreeSet<String>, who: &str| {
        let only = of.difference(other).filter(|path| !is_accepted(path));
        only.map(|path| format!("{who} alone has {path}"))
            .collect::<Vec<_>>()
    };
    let mut found = only(&theirs, &ours, "fio");
    found.extend(only(&ours, &theirs, "ftlab"));
    if fio["global options"] != ftlab["global options"] {
        found.push("global options differ".to_owned());
    }
    let none = Vec::new();
    let jobs = |of: &'_ Value| of["jobs"].as_array().unwrap_or(&none).clone();
    for (theirs, ours) in jobs(fio).iter().zip(&jobs(ftlab)) {
        found.extend(decided_values(theirs, ours, decided));
    }
    found
}

fn decided_values(fio: &Value, ftlab: &Value, decided: Decided) -> Vec<String> {
    let mut found = Vec::new();
    let mut same = |what: &str, theirs: &Value, ours: &Value| {
        if theirs != ours {
            found.push(format!("{what}: fio {theirs}, ftlab {ours}"));
        }
    };
    let keys = [
        "jobname",
        "groupid",
        "error",
        "job options",
        "desc",
        "total_err",
        "first_error",
        "latency_target",
        "latency_percentile",
        "latency_window",
    ];
    for key in keys {
        same(key, &fio[key], &ftlab[key]);
    }
    for key in ["ss", "duration"] {
        same(key, &fio["steadystate"][key], &ftlab["steadystate"][key]);
    }
    if decided.depth {
        same(
            "latency_depth",
            &fio["latency_depth"],
            &ftlab["latency_depth"],
        );
    }
    if decided.flushes {
        for path in ["/sync/lat_ns/N", "/sync/total_ios"] {
            let of = |job: &Value| job.pointer(path).cloned().unwrap_or_default();
            same(path, &of(fio), &of(ftlab));
        }
    }
    // fio 3.33 counts calls of fdatasync among short reads.
    let is_miscounted = !fio["job options"]["fdatasync"].is_null();
    for direction in DIRECTIONS.iter().filter(|_| !is_miscounted) {
        for key in ["short_ios", "drop_ios"] {
            same(
                &format!("{direction}/{key}"),
                &fio[direction][key],
                &ftlab[direction][key],
            );
        }
    }
    if decided.levels && decided.flushes {
        // fio writes six digits.
        let rounded = |job: &Value| -> Vec<(String, i64)> {
            let levels = job["iodepth_level"].as_object().into_iter().flatten();
            let share = |share: &Value| (share.as_f64().unwrap_or(-1.0) * 1e4).round() as i64;
            levels
                .map(|(level, of)| (level.clone(), share(of)))
                .collect()
        };
        let (theirs, ours) = (rounded(fio), rounded(ftlab));
        same("iodepth_level", &json!(theirs), &json!(ours));
    }
    let counts = ["slat_ns/N", "clat_ns/N", "lat_ns/N"];
    for key in ["io_bytes", "io_kbytes", "total_ios"]
        .into_iter()
        .chain(counts)
        .filter(|key| decided.submissions || !key.starts_with("slat"))
    {
        let of = |job: &Value, direction: &str| {
            let value = job.pointer(&format!("/{direction}/{key}"));
            value.cloned().unwrap_or_default()
        };
        if decided.requests && decided.each_direction {
            for direction in DIRECTIONS {
                let (theirs, ours) = (of(fio, direction), of(ftlab, direction));
                same(&format!("{direction}/{key}"), &theirs, &ours);
            }
        } else if decided.requests {
            let sum = |job: &Value| -> Value {
                let each = DIRECTIONS[..3].iter().map(|name| of(job, name).as_u64());
                each.flatten().sum::<u64>().into()
            };
            same(&format!("{key} in all"), &sum(fio), &sum(ftlab));
        }
    }
    found
}

/// What in a document does not agree with the rest of it.
pub fn contradictions(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for job in document["jobs"].as_array().into_iter().flatten() {
        let name = &job["jobname"];
        found.extend(
            of_job(job)
                .into_iter()
                .map(|what| format!("{name}: {what}")),
        );
    }
    found
}

fn of_job(job: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for name in DIRECTIONS {
        let Some(direction) = job[name].as_object() else {
            continue;
        };
        found.extend(rates(direction).map(|what| format!("{name}: {what}")));
        for latency in ["clat_ns", "lat_ns"] {
            let (of, ios) = (&direction[latency], direction["total_ios"].as_u64());
            let ios = if leaves_out(job, latency) {
                Some(0)
            } else {
                ios
            };
            if of["N"].as_u64() != ios {
                found.push(format!(
                    "{name}/{latency}: N is {}, requests {ios:?}",
                    of["N"]
                ));
            }
            found.extend(latencies(of).map(|what| format!("{name}/{latency}: {what}")));
        }
    }
    found.extend(latencies(&job["sync"]["lat_ns"]).map(|what| format!("sync: {what}")));
    let spectrum = ["latency_ns", "latency_us", "latency_ms"];
    let maps = spectrum.iter().filter_map(|name| job[name].as_object());
    let shares: f64 = maps.flat_map(Map::values).filter_map(Value::as_f64).sum();
    let requests: u64 = (DIRECTIONS.iter())
        .filter_map(|name| job[name]["total_ios"].as_u64())
        .sum();
    let has_any = requests > 0 && !leaves_out(job, "clat_ns");
    let all = if has_any { 100.0 } else { 0.0 };
    // fio writes two digits of each share.
    if (shares - all).abs() > 0.5 {
        found.push(format!("shares of latencies come to {shares} %"));
    }
    found
}

/// Whether a job's words leave a latency out.
fn leaves_out(job: &Value, latency: &str) -> bool {
    let word = match latency {
        "clat_ns" => "disable_clat",
        _ => "disable_lat",
    };
    let is_on = |word: &str| {
        let value = job.pointer(&format!("/job options/{word}"));
        value.is_some_and(|value| value != "0")
    };
    is_on(word) || is_on("gtod_reduce")
}

/// Rates are amounts by time, which is cut to milliseconds.
fn rates(direction: &Map<String, Value>) -> Option<String> {
    let of = |key: &str| direction[key].as_f64().unwrap_or(f64::NAN);
    let (bytes, ios, ms) = (of("io_bytes"), of("total_ios"), of("runtime"));
    let within = |rate: f64, amount: f64| {
        let most = if ms > 0.0 {
            1000.0 * amount / ms
        } else {
            f64::INFINITY
        };
        let least = if ms > 0.0 {
            1000.0 * amount / (ms + 1.0)
        } else {
            0.0
        };
        (least - 1.0..=most + 1.0).contains(&rate)
    };
    let checks = [
        (within(of("bw_bytes"), bytes), "bw_bytes"),
        (within(of("iops"), ios), "iops"),
        ((of("bw") - of("bw_bytes") / 1024.0).abs() <= 1.0, "bw"),
        ((of("io_kbytes") - bytes / 1024.0).abs() <= 1.0, "io_kbytes"),
    ];
    let wrong = checks.iter().find(|(is_right, _)| !is_right);
    wrong.map(|(_, key)| {
        format!(
            "{key} is {} of {bytes} bytes, {ios} requests, {ms} ms",
            of(key)
        )
    })
}

fn latencies(of: &Value) -> Option<String> {
    let count = of["N"].as_u64().filter(|&count| count > 0)?;
    let number = |key: &str| of[key].as_f64().unwrap_or(f64::NAN);
    let (min, mean, max) = (number("min"), number("mean"), number("max"));
    if !(min <= mean && mean <= max) {
        return Some(format!("min {min}, mean {mean}, max {max}"));
    }
    if let Some(bins) = of["bins"].as_object() {
        let sum: u64 = bins.values().filter_map(Value::as_u64).sum();
        if sum != count {
            return Some(format!("the bins hold {sum} of {count}"));
        }
        let is_beyond = |ns: &String| {
            let ns: f64 = ns.parse().unwrap_or(f64::NAN);
            !(min * (1.0 - BIN_SHARE) - 1.0..=max * (1.0 + BIN_SHARE) + 1.0).contains(&ns)
        };
        if let Some(ns) = bins.keys().find(|ns| is_beyond(ns)) {
            return Some(format!("bin {ns} is beyond {min} to {max}"));
        }
    }
    let percentiles = of["percentile"].as_object()?;
    let mut sorted: Vec<(f64, f64)> = (percentiles.iter())
        .filter_map(|(percent, ns)| Some((percent.parse().ok()?, ns.as_f64()?)))
        .collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let is_within = |ns: f64| ns >= min * (1.0 - BIN_SHARE) && ns <= max * (1.0 + BIN_SHARE);
    let rises = sorted.is_sorted_by(|one, other| one.1 <= other.1);
    (!rises || !sorted.iter().all(|(_, ns)| is_within(*ns)))
        .then(|| format!("percentiles {sorted:?} of {min} to {max}"))
}

#[test]
fn a_document_that_contradicts_itself_is_found_out() {
    let right = serde_json::json!({"jobs": [{
        "jobname": "a",
        "read": {
            "io_bytes": 8192, "io_kbytes": 8, "total_ios": 2, "runtime": 4, "bw_bytes": 2_048_000, "bw": 2000, "iops": 500.0,
            "clat_ns": {"min": 100, "max": 300, "mean": 200.0, "N": 2, "percentile": {"50.000000": 100, "99.000000": 300},
                "bins": {"100": 1, "299": 1}},
            "lat_ns": {"min": 100, "max": 300, "mean": 200.0, "N": 2},
        },
        "sync": {"lat_ns": {"N": 0}},
        "latency_ns": {"250": 50.0, "500": 50.0},
    }]});
    assert_eq!(contradictions(&right), Vec::<String>::new());
    for (path, wrong) in [
        ("/jobs/0/read/bw_bytes", Value::from(9)),
        ("/jobs/0/read/iops", Value::from(900.0)),
        ("/jobs/0/read/lat_ns/N", Value::from(1)),
        ("/jobs/0/read/clat_ns/bins/299", Value::from(2)),
        ("/jobs/0/read/clat_ns/percentile/99.000000", Value::from(50)),
        ("/jobs/0/latency_ns/250", Value::from(10.0)),
    ] {
        let mut document = right.clone();
        *document.pointer_mut(path).unwrap() = wrong;
        assert_eq!(contradictions(&document).len(), 1, "{path}");
    }
    let mut other = right.clone();
    other["jobs"][0]["read"]["total_ios"] = Value::from(3);
    other["jobs"][0]["eta"] = Value::from(0);
    let decided = Decided {
        each_direction: true,
        requests: true,
        ..Decided::default()
    };
    assert_eq!(differences(&right, &other, decided).len(), 2);
}

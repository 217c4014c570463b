//! fio's logs, with its JSON and without.

use crate::place::{Place, direction, job, output};
use serde_json::json;

/// A line of a histogram, as coarse as fio has it at most, with so many latencies from 65 µs on.
fn histogram(ms: u64, kind: u32, count: u64) -> String {
    let mut counts = vec!["0".to_owned(); 1856 >> 6];
    counts[11] = count.to_string();
    format!("{ms}, {kind}, 4096, {}\n", counts.join(", "))
}

#[test]
fn logs_are_of_the_job_whose_number_they_have() {
    let place = Place::new();
    let logged = json!({"rw": "randread", "numjobs": "2", "write_bw_log": "x/l", "write_iops_log": "l", "write_hist_log": "l",
                        "log_avg_msec": "1000"});
    let later =
        json!({"rw": "randread", "stonewall": "", "write_bw_log": "l", "write_iops_log": "l"});
    let jobs = [
        job("a", 0, &logged, direction(1000, 2000)),
        job("b", 1, &later, direction(1000, 1000)),
    ];
    place.write_json("f/out.json", &output(&jobs));
    for (number, kib) in [(1, 400), (2, 600), (3, 4000)] {
        // A window may end a millisecond late.
        let end = if number < 3 { 2001 } else { 2000 };
        let lines = |value: u64| format!("1000, {value}, 0, 0, 0\n{end}, {value}, 0, 0, 0\n");
        place.write(&format!("f/l_bw.{number}.log"), lines(kib));
        place.write(&format!("f/l_iops.{number}.log"), lines(kib / 4));
    }
    place.write(
        "f/l_clat_hist.1.log",
        histogram(1000, 0, 50) + &histogram(2000, 0, 40),
    );
    place.write("f/l_slat.1.log", "1000, 5, 0, 0\n");
    place.write("f/l_lat.1.log", "1000, 5, 0, 0\n");
    let taken = place.taken(&["f"]);
    let first = taken.run("out-a");
    assert_eq!(first.series_ios, [250, 250]);
    assert_eq!(first.series_bytes, [1_024_000, 1_024_000]);
    assert_eq!(first.series_interval_s, 1.0);
    assert_eq!(first.read.per_second.unwrap().seconds, 2);
    let course = first.read.lat_ns_course.as_ref().unwrap();
    assert_eq!((course.interval_s, course.p50.len()), (1.0, 2));
    assert_eq!(taken.run("out-b").series_ios, [1000, 1000]);
    // Means of latencies have no place, and their sum up to the submission has none either.
    assert!(taken.has_left("l_lat.1.log") && taken.has_left("l_slat.1.log"));
}

#[test]
fn single_latencies_give_percentiles_of_each_second() {
    let place = Place::new();
    let options = json!({"rw": "randread", "write_lat_log": "s"});
    place.write_json(
        "s.json",
        &output(&[job("a", 0, &options, direction(1000, 2000))]),
    );
    let lines: String = (0..200)
        .map(|n| {
            format!(
                "{}, {}, 0, 4096, 0\n",
                n * 10,
                if n % 100 == 99 { 900_000 } else { 100_000 }
            )
        })
        .collect();
    place.write("s_lat.1.log", &lines);
    place.write("s_clat.1.log", &lines);
    let taken = place.taken(&["s.json", "s_lat.1.log", "s_clat.1.log"]);
    let course = taken.run("s").read.lat_ns_course.clone().unwrap();
    assert_eq!(course.p50.len(), 2);
    let p99_9 = course.p99_9[1].unwrap();
    assert!((900_000..915_000).contains(&p99_9), "{p99_9}");
    assert!(taken.has_left("s_clat.1.log"));
}

#[test]
fn logs_alone_are_a_run_of_their_own() {
    let place = Place::new();
    place.write(
        "l_bw.1.log",
        "500, 4000, 1, 0, 0\n1000, 4000, 1, 0, 0\n1500, 8000, 1, 0, 0\n2000, 8000, 1, 0, 0\n",
    );
    place.write(
        "l_iops.1.log",
        "500, 1000, 1, 0, 0\n1000, 1000, 1, 0, 0\n1500, 2000, 1, 0, 0\n2000, 2000, 1, 0, 0\n",
    );
    place.write(
        "l_clat_hist.1.log",
        histogram(1000, 1, 900) + &histogram(2000, 1, 1900),
    );
    place.write("l_lat.1.log", "500, 66000, 1, 4096, 0\n");
    let names = [
        "l_bw.1.log",
        "l_iops.1.log",
        "l_clat_hist.1.log",
        "l_lat.1.log",
    ];
    let taken = place.taken(&names);
    let run = taken.run("l");
    assert_eq!((run.write.ios, run.seconds), (3000, 2.0));
    assert_eq!(run.series_bytes, [4000 << 10, 8000 << 10]);
    assert_eq!(run.metrics["iops"], 1500.0);
    assert!(run.write.percentile_ns(99.0).is_some());
    // Nobody says in which unit the latencies are.
    assert!(taken.has_left("l_lat.1.log"));
    let only = place.refused(&["l_lat.1.log"]);
    assert!(only.contains("no results of fio"), "{only}");
    place.write("bad_bw.1.log", "500, 4000, 1, 0\n1000, x, 1\n");
    let why = place.refused(&["bad_bw.1.log"]);
    assert!(
        why.starts_with("bad_bw.1.log: line 2: \"x\" stands where a value"),
        "{why}"
    );
}

//! fio's JSON.

use crate::place::{Place, direction, job, nothing, output};
use ftlab_readings::Format;
use ftlab_result::Chart;
use ftlab_result::quantity::value;
use serde_json::json;

#[test]
fn figures_are_those_of_the_file_and_all_else_is_listed() {
    let place = Place::new();
    let options = json!({"rw": "randread", "bs": "4k", "iodepth": "8"});
    let jobs = [job("a", 0, &options, direction(2_000_000, 10_000))];
    place.write_json("randread.json", &output(&jobs));
    let taken = place.taken(&["randread.json"]);
    assert_eq!(
        (taken.format, taken.tests()),
        (Format::Fio, vec!["randread"])
    );
    let run = taken.run("randread");
    assert_eq!(run.id, "mine-480/randread/used");
    assert_eq!(run.metrics["iops"], 200_000.0);
    assert_eq!(run.metrics["mb_s"], 819.2);
    assert_eq!(
        (run.metrics["lat_avg_ms"], run.metrics["lat_max_ms"]),
        (0.108, 0.9)
    );
    // One in a hundred takes longer: twenty of two million are beyond the last percentile.
    for (percent, ns) in [
        (50.0, 99_840),
        (99.0, 99_840),
        (99.9, 897_024),
        (99.999, 897_024),
    ] {
        assert_eq!(run.read.percentile_ns(percent), Some(ns), "{percent}");
    }
    assert_eq!(
        run.read.lat_ns_bins,
        [(99_840, 1_980_000), (897_024, 20_000)]
    );
    assert_eq!(
        (run.seconds, run.submitted, run.completed),
        (10.0, 2_000_000, 2_000_000)
    );
    assert_eq!(
        (run.jobs[0].iodepth, run.jobs[0].rw.as_str()),
        (8, "randread")
    );
    assert!(
        run.notes.iter().any(|note| note.contains("clat")),
        "{:?}",
        run.notes
    );
    assert_eq!(taken.set.tests[0].title, "Random reads, 4 KiB");
    assert_eq!(taken.set.tests[0].step, "QD 8");
    assert_eq!(
        (taken.fact("bench.fio"), taken.fact("bench.filename")),
        (Some("fio-3.33"), Some("/dev/nvme9n1"))
    );
    for what in [
        "usr_cpu",
        "ctx",
        "disk_util",
        "bw_min",
        "slat",
        "clat",
        "iops_samples",
    ] {
        assert!(taken.has_left(what), "{what}: {:?}", taken.left);
    }
}

#[test]
fn percentiles_without_bins_are_those_that_fio_says_with_ten_beyond() {
    let place = Place::new();
    let mut reads = direction(2000, 1000);
    reads["clat_ns"].as_object_mut().unwrap().remove("bins");
    reads["clat_ns"]["percentile"]["99.900000"] = json!(900_000);
    let one = job("a", 0, &json!({"rw": "randread"}), reads.clone());
    place.write_json("one.json", &output(std::slice::from_ref(&one)));
    let run = place.taken(&["one.json"]).run("one").clone();
    assert_eq!(
        run.read.lat_ns_percentiles,
        [(50.0, 99_840), (99.0, 897_024)]
    );
    // Of two jobs they say nothing; mean and longest stand.
    place.write_json(
        "two.json",
        &output(&[one, job("b", 0, &json!({"rw": "randread"}), reads)]),
    );
    let run = place.taken(&["two.json"]).run("two").clone();
    assert_eq!(run.read.ios, 4000);
    assert!(run.read.lat_ns_percentiles.is_empty());
    assert!(
        run.notes.iter().any(|note| note.contains("json+")),
        "{:?}",
        run.notes
    );
    assert_eq!(value(&run, "read.mean", None), Some(108_000.0));
}

#[test]
fn groups_are_runs_and_what_ran_beside_each_other_is_one() {
    let place = Place::new();
    let reads = |ms| direction(1000, ms);
    let read = json!({"rw": "read", "bs": "128k"});
    let beside = json!({"rw": "read", "bs": "128k", "new_group": ""});
    let jobs = [
        job("first", 0, &read, reads(1000)),
        job("beside", 1, &beside, reads(2000)),
        job(
            "later",
            2,
            &json!({"rw": "read", "stonewall": "", "numjobs": "4"}),
            reads(500),
        ),
    ];
    place.write_json("all.json", &output(&jobs));
    let taken = place.taken(&["all.json"]);
    assert_eq!(taken.tests(), ["all-first-beside", "all-later"]);
    assert_eq!(taken.metric("all-first-beside", "iops"), 1000.0);
    assert_eq!(
        (
            taken.run("all-later").seconds,
            taken.run("all-later").jobs[0].clones
        ),
        (0.5, 4)
    );
    assert_eq!(taken.set.tests[0].chart_metric, "mb_s");
    // Clones that are reported apart count once each.
    let clone = || job("c", 0, &json!({"numjobs": "2"}), reads(1000));
    place.write_json("clones.json", &output(&[clone(), clone()]));
    let run = place.taken(&["clones.json"]).run("clones").clone();
    assert_eq!(run.jobs.iter().map(|job| job.clones).sum::<u32>(), 2);
}

#[test]
fn depths_of_one_load_are_drawn_as_a_line() {
    let place = Place::new();
    let names: Vec<String> = [1, 4, 16]
        .map(|depth: u32| {
            let name = format!("d{depth}.json");
            let options = json!({"rw": "randread", "bs": "4k", "iodepth": depth.to_string()});
            place.write_json(
                &name,
                &output(&[job("a", 0, &options, direction(1000, 1000))]),
            );
            name
        })
        .into();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let taken = place.taken(&names);
    assert!(
        taken
            .set
            .tests
            .iter()
            .all(|test| test.chart == Chart::Lines)
    );
    assert!(place.taken(&names[..1]).set.tests[0].chart == Chart::Bars);
}

#[test]
fn fio_2_counts_in_microseconds_and_kib() {
    let place = Place::new();
    let reads = json!({"io_bytes": 40_960, "bw": 4096, "iops": 1024.0, "runtime": 10_000, "total_ios": 10_240, "short_ios": 0,
        "drop_ios": 0, "slat": {"min": 1, "max": 9, "mean": 2.0, "stddev": 1.0},
        "clat": {"min": 50, "max": 3000, "mean": 110.0, "stddev": 20.0,
                 "percentile": {"50.000000": 108, "99.000000": 250, "0.00": 0}},
        "lat": {"min": 51, "max": 3003, "mean": 112.5, "stddev": 20.0}, "bw_min": 1});
    let none = json!({"io_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "total_ios": 0});
    let text = json!({"fio version": "fio-2.16", "jobs": [{"jobname": "old", "groupid": 0, "error": 0, "read": reads,
        "write": none, "trim": none, "latency_us": {"250": 90.0}}]});
    place.write("old.json", format!("fio: a warning\n{text:#}\n"));
    let taken = place.taken(&["old.json"]);
    let run = taken.run("old");
    assert_eq!(
        (run.read.bytes, run.read.iops, run.read.bytes_per_s),
        (40 << 20, 1024.0, 4_194_304.0)
    );
    assert_eq!(
        (run.read.lat_ns_mean, run.read.lat_ns_max),
        (112_500.0, 3_003_000)
    );
    assert_eq!(run.read.percentile_ns(99.0), Some(250_000));
    // Its options are not there: neither the depth nor what it does is said.
    assert_eq!((run.jobs[0].iodepth, run.jobs[0].rw.as_str()), (0, ""));
    assert!(run.notes.iter().any(|note| note.contains("queue depth")));
    assert_eq!(taken.set.tests[0].title, "old");
}

#[test]
fn documents_of_one_file_are_runs_unless_one_is_a_later_state_of_another() {
    let place = Place::new();
    let at = |ms: u64, ios: u64, ran_ms: u64| {
        let mut all = output(&[job("a", 0, &json!({"rw": "read"}), direction(ios, ran_ms))]);
        all["timestamp_ms"] = json!(1_764_000_000_000_u64 + ms);
        serde_json::to_string_pretty(&all).unwrap()
    };
    // Two runs of ten seconds, and one of thirty whose states were written every ten.
    place.write(
        "again.json",
        format!(
            "{}\nnote\n{}\n",
            at(0, 1000, 10_000),
            at(10_100, 1100, 10_000)
        ),
    );
    assert_eq!(place.taken(&["again.json"]).tests(), ["again-1", "again-2"]);
    place.write(
        "states.json",
        [
            at(0, 1000, 10_000),
            at(10_000, 2000, 20_000),
            at(20_000, 3000, 30_000),
        ]
        .join("\n"),
    );
    let taken = place.taken(&["states.json"]);
    assert_eq!(
        (taken.tests(), taken.run("states").read.ios),
        (vec!["states"], 3000)
    );
    assert!(taken.has_left("a document"));
}

#[test]
fn what_fio_did_not_end_well_is_said() {
    let place = Place::new();
    let whole =
        serde_json::to_string_pretty(&output(&[job("a", 0, &json!({}), direction(100, 10))]))
            .unwrap();
    place.write("cut.json", &whole[..whole.len() / 2]);
    let why = place.refused(&["cut.json"]);
    assert!(why.starts_with("cut.json: it is cut off in line"), "{why}");
    place.write("text.json", "READ: bw=100MiB/s\n");
    assert!(
        place
            .refused(&["text.json"])
            .contains("there is no JSON in it")
    );
    assert!(place.refused(&["gone.json"]).contains("no such file"));
    let mut failed = output(&[job("a", 0, &json!({}), direction(100, 10))]);
    failed["jobs"][0]["error"] = json!(5);
    place.write_json("failed.json", &failed);
    let taken = place.taken(&["failed.json"]);
    let run = taken.run("failed");
    assert_eq!((run.jobs[0].errors, run.warnings.len()), (1, 1));
    assert!(run.warnings[0].saw.contains("Job a ended with an error"));
}

#[test]
fn directions_that_are_reported_as_one_count_once() {
    let place = Place::new();
    let mut mixed = job(
        "m",
        0,
        &json!({"rw": "randrw", "rwmixread": "70"}),
        nothing(),
    );
    mixed["mixed"] = direction(500, 1000);
    place.write_json("mixed.json", &output(&[mixed.clone()]));
    let taken = place.taken(&["mixed.json"]);
    assert_eq!(taken.metric("mixed", "iops"), 500.0);
    assert_eq!(taken.run("mixed").jobs[0].mixed.ios, 500);
    assert_eq!(
        taken.set.tests[0].title,
        "Random reads and writes, 70 % reads, 4 KiB"
    );
    mixed["read"] = direction(500, 1000);
    place.write_json("both.json", &output(&[mixed]));
    assert_eq!(place.taken(&["both.json"]).metric("both", "iops"), 500.0);
}

#[test]
fn what_no_format_knows_gets_the_list_of_formats() {
    let place = Place::new();
    place.write("d/notes.md", "none");
    let why = place.refused(&["d"]);
    for name in Format::ALL.map(Format::name) {
        assert!(why.contains(&format!("{name}: ")), "{why}");
    }
    // JSON in a folder need not be fio's.
    place.write("e/package.json", "{\"name\": 1}");
    assert!(place.refused(&["e"]).contains("no results of fio"));
    place.write_json(
        "e/a.json",
        &output(&[job("a", 0, &json!({}), direction(100, 10))]),
    );
    let taken = place.taken(&["e"]);
    assert!(taken.has_left("package.json") && taken.tests() == ["a"]);
}

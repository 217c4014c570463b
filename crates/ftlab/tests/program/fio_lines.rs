//! Options of fio's program: done as fio does, or refused, never swallowed.

use crate::place::{Place, holds};
use serde_json::Value;

const JOB: &str =
    "fio --drive generic-mlc-8 --state new --name=a --rw=randread --bs=4k --number_ios=100";

/// What is said of a line that the program itself cannot read.
fn misread(place: &Place, line: &str) -> String {
    let assert = place.ftlab(line).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn terse_lines_have_fio_s_columns() {
    let place = Place::new();
    let json: Value =
        serde_json::from_str(&place.out(&format!("{JOB} --output-format=json"))).unwrap();
    let line = place.out(&format!("{JOB} --minimal"));
    let columns: Vec<&str> = line.trim_end().split(';').collect();
    assert_eq!(columns.len(), 130);
    let iops = json["jobs"][0]["read"]["iops"].as_f64().unwrap();
    assert_eq!(columns[7], (iops as u64).to_string());
    assert_eq!((columns[0], columns[2], columns[48]), ("3", "a", "0"));
    for (words, count) in [
        ("--output-format=terse --terse-version=2", 161),
        ("--minimal --terse-version 4", 171),
        ("--minimal --terse-version=5", 189),
        ("--minimal --continue_on_error=all --description=x", 133),
        ("--minimal --disk_util=0", 121),
    ] {
        let line = place.out(&format!("{JOB} {words}"));
        assert_eq!(line.split(';').count(), count, "{words}");
    }
    let both = place.out(&format!("{JOB} --append-terse"));
    holds(&both, &["3;ftlab-", "a: (groupid=0)"]);
    holds(
        &misread(&place, &format!("{JOB} --terse-version=7")),
        &["2, 3, 4 or 5"],
    );
}

#[test]
fn what_is_printed_goes_to_the_file_that_is_named() {
    let place = Place::new();
    assert_eq!(place.out(&format!("{JOB} --output=a.txt")), "");
    holds(&place.read("a.txt"), &["a: (groupid=0)", "IOPS="]);
    // One dash, and a value of its own.
    assert_eq!(
        place.out(&format!("{JOB} -output-format=json+ -output a.json")),
        ""
    );
    let json: Value = serde_json::from_str(&place.read("a.json")).unwrap();
    let bins = json["jobs"][0]["read"]["clat_ns"]["bins"]
        .as_object()
        .unwrap();
    assert_eq!(bins.values().filter_map(Value::as_u64).sum::<u64>(), 100);
    // fio's own program makes a table of them.
    let table = std::process::Command::new("fio_jsonplus_clat2csv")
        .args(["a.json", "a.csv"])
        .current_dir(&place.0)
        .output()
        .expect("it comes with fio: apt-get install fio");
    assert!(table.status.success(), "{table:?}");
    let table = place.read("a_job0.csv");
    assert_eq!(table.lines().count(), 1 + bins.len(), "{table}");
    let both = place.out(&format!("{JOB} --output-format=normal,json"));
    holds(&both, &["\"jobs\"", "a: (groupid=0)"]);
    let said = place.refused(&format!("{JOB} --output=none/a.txt"));
    holds(&said, &["there is no directory none", "--output"]);
    holds(
        &misread(&place, &format!("{JOB} --output-format=xml")),
        &["json+ or terse"],
    );
}

#[test]
fn jobs_that_write_are_refused_where_nothing_may() {
    let place = Place::new();
    place.out(&format!("{JOB} --readonly"));
    for rw in ["write", "randrw", "trim"] {
        let said = place.refused(&format!("{JOB} --readonly --rw={rw}"));
        holds(&said, &["job `a` writes or trims"]);
    }
    place.write("little.toml", crate::place::TRACE);
    let said = place.refused("run little.toml --drive generic-mlc-8 --readonly");
    holds(&said, &["--readonly looks at the jobs of job files"]);
}

#[test]
fn reading_alone_runs_nothing_and_finds_what_is_wrong() {
    let place = Place::new();
    assert_eq!(place.out(&format!("{JOB} --parse-only")), "");
    assert_eq!(place.out("fio --name=a --rw=read --parse-only"), "");
    let said = place.refused("fio --name=a --iodepth=foo --parse-only");
    holds(&said, &["iodepth=foo is not valid"]);
}

#[test]
fn sections_are_jobs_of_a_file() {
    let place = Place::new();
    place.write(
        "two.fio",
        "[global]\nnumber_ios=9\n[one]\nrw=read\n[two]\nrw=randread\n[three]\nrw=read\n",
    );
    let names = |words: &str| {
        let line =
            format!("run two.fio --drive generic-mlc-8 --state new --output-format json {words}");
        let json: Value = serde_json::from_str(&place.out(&line)).unwrap();
        let jobs = json["jobs"].as_array().unwrap().clone();
        let names = jobs
            .iter()
            .map(|job| job["jobname"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("--section=two"), ["two"]);
    assert_eq!(names("--section three --section=one"), ["one", "three"]);
    let said = place.refused("run two.fio --drive generic-mlc-8 --section=four");
    holds(&said, &["no job `four`", "one, two, three"]);
    holds(
        &place.out("run two.fio --section=one --showcmd"),
        &["--name=one"],
    );
}

/// The line that people check a disk for etcd with, with fewer requests.
#[test]
fn a_log_of_odd_sizes_goes_through_the_pages_of_the_drives_host() {
    let place = Place::new();
    let line = "fio --drive samsung-970-evo-plus-500 --state new --name=wal --rw=write --ioengine=sync --fdatasync=1 \
                --directory=/var/lib/etcd --size=2300k --bs=2300";
    let json: Value =
        serde_json::from_str(&place.out(&format!("{line} --output-format=json"))).unwrap();
    let job = &json["jobs"][0];
    assert_eq!(job["write"]["total_ios"], 1024);
    assert_eq!(job["sync"]["lat_ns"]["N"], 1023);
    let p99 = job["sync"]["lat_ns"]["percentile"]["99.000000"].as_u64();
    assert!(
        p99.unwrap() > 100_000,
        "a flush of this drive takes longer: {p99:?}"
    );
    // A write of pages and a flush for each; the last pages are written behind the job.
    assert_eq!(json["ftlab"]["host_ios"], 1024 + 1023);
    let refused = place.refused(&format!("{line} --testbed spdk-2024"));
    holds(&refused, &["job `wal`", "testbed spdk-2024", "memory_call"]);
}

#[test]
fn options_without_a_job_hold_for_job_files_where_they_say_nothing_else() {
    let place = Place::new();
    place.write("bare.fio", "[x]\nrw=read\nnumber_ios=9\n");
    place.write("own.fio", "[global]\nbs=16k\n[y]\nrw=read\nnumber_ios=9\n");
    let bytes = |line: &str| {
        let line = format!("fio --drive generic-mlc-8 --state new --output-format=json {line}");
        let json: Value = serde_json::from_str(&place.out(&line)).unwrap();
        let jobs = json["jobs"].as_array().unwrap();
        let bytes = jobs
            .iter()
            .map(|job| job["read"]["io_bytes"].as_u64().unwrap() / 9);
        bytes.collect::<Vec<_>>()
    };
    for line in ["--bs=8k bare.fio", "bare.fio --bs=8k"] {
        assert_eq!(bytes(line), [8192], "{line}");
    }
    assert_eq!(bytes("--bs=8k own.fio"), [16_384]);
    assert_eq!(bytes("--eta=never bare.fio"), [4096]);
    let out = place.out("fio --drive generic-mlc-8 --state new --eta=never bare.fio");
    holds(&out, &["without effect      eta"]);
    holds(
        &place.out("fio --bs=8k bare.fio --showcmd"),
        &["fio --bs=8k --name=x --rw=read"],
    );
    // Beside a job of the line, too.
    let both =
        "fio --bs=8k --name=a --rw=read --number_ios=9 bare.fio --drive generic-mlc-8 --state new";
    assert_eq!(place.out(both).matches("(72.0 KiB").count(), 2);
}

#[test]
fn a_line_with_one_dash_is_that_with_two() {
    let place = Place::new();
    let two = format!("{JOB} --numjobs=2 --fsync 1 --output-format=json");
    let one = two.replace("--", "-").replace("-drive", "--drive");
    let jobs = |line: &str| {
        let json: Value = serde_json::from_str(&place.out(line)).unwrap();
        json["jobs"].clone()
    };
    assert_eq!(jobs(&one), jobs(&two));
    let behind = "run --drive generic-mlc-8 --state new -- -name=a -rw=randread -bs=4k -number_ios=100 -numj=2 -fsync=1 \
                  -output-format=json";
    assert_eq!(jobs(behind), jobs(&two));
}

#[test]
fn what_is_not_done_is_said() {
    let place = Place::new();
    let out = place.out(&format!(
        "{JOB} --eta=never --eta-newline 1 --max-jobs=4 --warnings-fatal"
    ));
    holds(
        &out,
        &[
            "without effect",
            "eta, eta-newline, max-jobs, warnings-fatal",
        ],
    );
    for option in [
        "client=x",
        "server",
        "debug=io",
        "status-interval=1",
        "bandwidth-log",
        "idle-prof=system",
        "trigger=x",
        "inflate-log=x",
        "crctest",
        "cpuclock-test",
        "latency-log=x",
    ] {
        let said = place.refused(&format!("{JOB} --{option}"));
        let key = option.split('=').next().unwrap();
        holds(&said, &[&format!("option `{key}` is not supported")]);
    }
    let said = place.refused(&format!("{JOB} --iodpeth=4"));
    holds(&said, &["did you mean `iodepth`?"]);
    holds(
        &misread(&place, &format!("{JOB} --drvie=4")),
        &["'--drive'"],
    );
    holds(
        &place.out("fio --cmdhelp=zonecapacity"),
        &["refused: a modelled drive has no zones"],
    );
    holds(
        &place.out("fio --enghelp=rdma"),
        &["refused: it sends data over a network"],
    );
    holds(&place.out("fio -version"), &["ftlab "]);
}

#[test]
fn percentiles_are_those_that_a_job_lists() {
    let place = Place::new();
    let line = format!("{JOB} --percentile_list=99.9:50:99");
    let text = place.out(&line);
    holds(&text, &["50.00th=", "99.00th=", "99.90th="]);
    assert!(!text.contains("95.00th="), "{text}");
    let terse = place.out(&format!("{line} --minimal"));
    let columns: Vec<&str> = terse.split(';').collect();
    assert!(
        columns[17].starts_with("50.000000%=") && columns[20] == "0%=0",
        "{terse}"
    );
    let said = place.refused(&format!("{JOB} --percentile_list=99.9:foo"));
    holds(
        &said,
        &[
            "percentile_list=99.9:foo",
            "numbers from 0 to 100 with colons between",
        ],
    );
    let none = place.out(&format!("{JOB} --clat_percentiles=0"));
    assert!(!none.contains("th=["), "{none}");
}

#[test]
fn flushes_have_percentiles_and_are_required_of() {
    let place = Place::new();
    place.write(
        "commits.fio",
        "[commits]\nrw=write\nbs=4k\nsize=1m\nfdatasync=1\n",
    );
    let run = "run commits.fio --drive generic-mlc-8 --state new";
    let json: Value =
        serde_json::from_str(&place.out(&format!("{run} --output-format json"))).unwrap();
    let sync = &json["jobs"][0]["sync"]["lat_ns"];
    let percentiles = sync["percentile"].as_object().unwrap();
    assert_eq!(percentiles.len(), 17);
    let p99_us = percentiles["99.000000"].as_f64().unwrap() / 1e3;
    assert!(p99_us > 0.0 && p99_us <= sync["max"].as_f64().unwrap() / 1e3);
    place.out(&format!(
        "{run} --require flush.p99<{}us --out o",
        p99_us + 1.0
    ));
    let missed = format!("{run} --require flush.p99<{}us", p99_us - 1.0);
    place.ftlab(&missed).assert().code(3);
    place
        .ftlab(&format!(
            "{run} --require flush.mean>1us --require flush.max<10s"
        ))
        .assert()
        .success();
    place.out("report o --csv --fio-json");
    let csv = place.read("o/runs.csv");
    let (head, row) = csv.split_once('\n').unwrap();
    let column = head
        .split(',')
        .position(|name| name == "flush_lat_ns_p99")
        .unwrap();
    let of_table: f64 = row.split(',').nth(column).unwrap().trim().parse().unwrap();
    assert_eq!(of_table / 1e3, p99_us);
    let again = place.read("o/fio/generic-mlc-8_commits_new.json");
    let again: Value = serde_json::from_str(&again).unwrap();
    let again = &again["jobs"][0]["sync"]["lat_ns"];
    assert_eq!(again["percentile"], sync["percentile"]);
    let bins = again["bins"].as_object().unwrap();
    assert_eq!(
        bins.values().filter_map(Value::as_u64).sum::<u64>(),
        again["N"].as_u64().unwrap()
    );
}

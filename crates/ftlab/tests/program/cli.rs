//! The command line as a person or a script meets it.

use crate::place::{Place, SCRIPT, TRACE, holds, program};
use serde_json::Value;
use std::path::Path;

/// Small and quick to fill.
const SSD: &str = "generic-mlc-8";
const DISK: &str = "seagate-momentus-7200.2";

#[test]
fn help_shows_examples_and_exit_codes() {
    let place = Place::new();
    holds(
        &place.out("--help"),
        &["Examples:", "ftlab review", "Exit codes"],
    );
    holds(
        &place.out("run --help"),
        &["--untimed", "--set <KEY=VALUE>", "Examples:"],
    );
    holds(
        &place.out("review --help"),
        &["--test <TEST>", "--all", "[default: ftlab-review]"],
    );
    assert!(place.out("--version").starts_with("ftlab "));
}

#[test]
fn drives_are_listed_with_kind_and_capacity() {
    let out = Place::new().out("drives");
    holds(
        &out,
        &[
            "intel-x25-m-g1-80",
            "2008",
            "SATA 3 Gb/s",
            "MLC",
            "80.0 GB",
            DISK,
            "HDD",
        ],
    );
}

#[test]
fn show_gives_every_number_its_source() {
    let place = Place::new();
    let out = place.out(&format!("show {SSD}"));
    holds(
        &out,
        &[
            "nand.t_program",
            "900",
            "us",
            "datasheet",
            "high",
            "worked out from published or announced figures",
        ],
    );
    let json = place.json(&format!("show {SSD} --output-format json"));
    assert_eq!(json["drive"], SSD);
    assert!(json["parameters"].as_array().unwrap().len() > 15);
}

#[test]
fn a_setting_changes_the_drive_and_its_hash() {
    let place = Place::new();
    let hash = |more: &str| {
        let json = place.json(&format!("show {SSD} --output-format json {more}"));
        json["file_hash"].clone()
    };
    assert_ne!(hash(""), hash("--set spare.op=28%"));
    let wa = |more: &str| {
        let line = format!("run full.fio --drive {SSD} --untimed --output-format json {more}");
        place.json(&line)["ftlab"]["wa"].as_f64().unwrap()
    };
    place.write(
        "full.fio",
        "[w]\nrw=randwrite\nnorandommap\nsize=100%\nloops=2\n",
    );
    assert!(
        wa("--set spare.op=50%") < wa(""),
        "spare area lowers write amplification"
    );
}

#[test]
fn a_run_reads_as_fio_writes() {
    let out = Place::new().out(&format!("run random.fio --drive {SSD}"));
    holds(
        &out,
        &[
            "w: (groupid=0): rw=randwrite, iodepth=4",
            "write: IOPS=",
            "BW=",
            "avg=",
        ],
    );
    holds(
        &out,
        &[
            "99.99th=[",
            "ftlab:",
            "write amplification",
            "times real time",
        ],
    );
    holds(&out, &["without effect", "thread"]);
}

#[test]
fn a_run_in_json_has_the_shape_of_fio() {
    let json = Place::new().json(&format!(
        "run random.fio --drive {SSD} --output-format json"
    ));
    assert!(json["fio version"].as_str().unwrap().starts_with("ftlab-"));
    let job = &json["jobs"][0];
    assert_eq!(
        (&job["jobname"], &job["error"]),
        (&Value::from("w"), &Value::from(0))
    );
    assert_eq!(job["job options"]["rw"], "randwrite");
    let write = &job["write"];
    assert_eq!(write["total_ios"], 500);
    assert_eq!(write["io_bytes"], 500 * 4096);
    assert_eq!(write["clat_ns"]["N"], 500);
    assert!(
        write["clat_ns"]["percentile"]["99.990000"]
            .as_u64()
            .unwrap()
            > 0
    );
    assert!(write["iops"].as_f64().unwrap() > 0.0);
    assert_eq!(job["read"]["total_ios"], 0);
    assert_eq!(job["iodepth_level"]["4"].as_f64().unwrap(), 99.4);
    let ftlab = &json["ftlab"];
    assert_eq!(
        (&ftlab["submitted"], &ftlab["completed"]),
        (&500.into(), &500.into())
    );
    assert_eq!(
        (&ftlab["state"], &ftlab["seed"]),
        (&"filled".into(), &1.into())
    );
    for key in [
        "wa",
        "gc_share",
        "simulated_seconds",
        "wall_seconds",
        "nand_programs",
    ] {
        assert!(ftlab[key].is_number(), "{key}");
    }
    assert!(
        ftlab["warnings"][0]
            .as_str()
            .unwrap()
            .contains("random.fio:2: thread")
    );
    assert_eq!(ftlab["op_stream_hash"].as_str().unwrap().len(), 16);
}

#[test]
fn the_seed_decides_the_operations() {
    let place = Place::new();
    // Reads: where a page-mapped drive programs does not depend on where the host writes.
    place.write("reads.fio", "[r]\nrw=randread\nnumber_ios=100\n");
    let hash = |seed: u32| {
        let line = format!("run reads.fio --drive {SSD} --output-format json --seed {seed}");
        place.json(&line)["ftlab"]["op_stream_hash"].clone()
    };
    assert_eq!(hash(7), hash(7));
    assert_ne!(hash(7), hash(8));
}

#[test]
fn trims_that_free_nothing_are_told() {
    let place = Place::new();
    place.write("trims.fio", "[t]\nrw=trim\nbs=4k\nsize=1m\n");
    let drive = "--drive generic-mlc-8 --set nand.blocks_per_die=32 --set nand.page=16KiB";
    let run = format!("run trims.fio {drive} --set map.slot=16KiB");
    let said = "256 of 256 trims freed nothing";
    holds(&place.out(&run), &[said, "slots of 16 KiB"]);
    let json = place.json(&format!("{run} --output-format json"));
    assert_eq!(json["ftlab"]["void_trims"], 256);
    let warning = json["ftlab"]["warnings"][0].as_str().unwrap();
    assert!(warning.contains(said), "{warning}");
    place.write("trims.fio", "[t]\nrw=trim\nbs=16k\nsize=1m\n");
    assert!(!place.out(&run).contains("freed nothing"));
    let json = place.json(&format!("{run} --output-format json"));
    assert_eq!(json["ftlab"]["void_trims"], 0);
}

#[test]
fn clones_are_reported_as_one_when_asked() {
    let place = Place::new();
    place.write("clones.fio", "[c]\nrw=read\nnumber_ios=10\nnumjobs=3\n");
    place.write(
        "grouped.fio",
        "[c]\nrw=read\nnumber_ios=10\nnumjobs=3\ngroup_reporting\n",
    );
    let jobs = |job: &str| {
        let json = place.json(&format!("run {job} --drive {DISK} --output-format json"));
        let of_job = |job: &Value| job["read"]["total_ios"].as_u64().unwrap();
        json["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(of_job)
            .collect::<Vec<_>>()
    };
    assert_eq!(jobs("clones.fio"), [10, 10, 10]);
    assert_eq!(jobs("grouped.fio"), [30]);
}

#[test]
fn a_review_writes_results_and_a_report() {
    let place = Place::new();
    let out = place.out(&format!("review {DISK} --test A1 --out deep/out"));
    holds(
        &out,
        &["F0184", "deep/out/index.html", "deep/out/results.json"],
    );
    assert!(!out.contains('\u{1b}'), "no colours into a pipe");
    let set: Value = serde_json::from_str(&place.read("deep/out/results.json")).unwrap();
    assert_eq!(
        set["runs"][0]["id"],
        format!("{DISK}/randwrite-4k-qd1/filled")
    );
    assert!(set["runs"][0]["metrics"]["iops"].as_f64().unwrap() > 0.0);
    assert_eq!(set["drives"][0]["kind"], "disk");
    assert!(place.read("deep/out/index.html").contains("</html>"));
    let left = std::fs::read_dir(place.path("deep/out")).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    // No temporary file is left.
    assert_eq!(left, ["cells.jsonl", "index.html", "results.json"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let place = Place::new();
    let results = |more: &str, out: &str| {
        place.out(&format!("review {DISK} --test A3 --out {out} {more}"));
        place.read(&format!("{out}/results.json"))
    };
    let first = results("--jobs 1", "a");
    assert_eq!(first, results("--jobs 3", "b"));
    assert_ne!(first, results("--seed 2", "c"));
}

#[test]
fn a_drive_asked_for_twice_runs_once() {
    let place = Place::new();
    place.out(&format!("review {DISK} {DISK} --test A1 --out o"));
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    assert_eq!(set["drives"].as_array().unwrap().len(), 1);
}

#[test]
fn unknown_names_are_answered_with_near_ones() {
    let place = Place::new();
    holds(
        &place.refused("show intel-x25-m"),
        &["matches several drives", "intel-x25-m-g1-80"],
    );
    holds(
        &place.refused("run random.fio --drive nothing"),
        &["unknown drive", "ftlab drives"],
    );
    holds(
        &place.refused("review --test randwrite-4k-q1"),
        &["unknown test", "randwrite-4k-qd1"],
    );
    holds(
        &place.refused("review --testbed nowhere"),
        &["unknown testbed `nowhere`", "anandtech-2008"],
    );
    holds(
        &place.refused("review missing.toml"),
        &["missing.toml", "there is no such file"],
    );
    for (wrong, why) in [
        ("--jobs 0", "from 1 to 1024"),
        ("--memory 0", "more than 0"),
        ("--seed -1", "a whole number from 0"),
    ] {
        let assert = place.ftlab(&format!("review {wrong}")).assert().code(2);
        let error = &assert.get_output().stderr;
        holds(&String::from_utf8_lossy(error), &["invalid value", why]);
    }
    holds(
        &place.refused(&format!("compare {SSD} --set name=a,b --test A1")),
        &["change no number of the drive"],
    );
}

#[test]
fn a_wrong_job_file_is_answered_with_its_line() {
    let place = Place::new();
    let refused = |job: &str, more: &str| {
        place.write("wrong.fio", job);
        place.refused(&format!("run wrong.fio --drive {SSD} {more}"))
    };
    holds(
        &refused("[w]\nrww=read\n", ""),
        &["wrong.fio:2", "rww", "did you mean `rw`"],
    );
    holds(
        &refused("[w]\nrw=read\noffset=1t\n", ""),
        &["wrong.fio:1", "offset", "beyond the device"],
    );
    let endless = "[w]\nrw=read\ntime_based\nruntime=9\n";
    holds(&refused(endless, "--untimed"), &["`w`", "io_size="]);
    holds(&refused("", ""), &["no job"]);
}

#[test]
fn a_wrong_drive_is_answered_with_its_key() {
    let place = Place::new();
    let run = format!("run random.fio --drive {SSD}");
    holds(
        &place.refused(&format!("{run} --set spare.op=0")),
        &["spare.op", "above 0"],
    );
    holds(
        &place.refused(&format!("{run} --set spare.opp=1")),
        &["opp"],
    );
    holds(&place.refused(&format!("{run} --set spare.op")), &["--set"]);
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../drives/generic-mlc-8.toml"
    );
    let text = std::fs::read_to_string(Path::new(file)).unwrap();
    place.write("mine.toml", &text.replace("t_read", "t_reed"));
    holds(
        &place.refused("show mine.toml"),
        &["mine.toml", "t_reed", "t_read"],
    );
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let place = Place::new();
    let run = |job: &str| place.refused(&format!("run {job} --drive {SSD}"));
    holds(&run("."), &["cannot read .:", "directory", "job file"]);
    holds(&run("none.fio"), &["none.fio", "no such file"]);
    std::fs::write(place.path("binary.fio"), [0xff, 0xfe, 0x00]).unwrap();
    holds(&run("binary.fio"), &["binary.fio", "not text"]);
    holds(
        &place.refused("review --out random.fio"),
        &["random.fio", "is a file", "--out"],
    );
    holds(
        &place.refused("review --out random.fio/x"),
        &["random.fio/x", "--out"],
    );
}

#[test]
fn a_wrong_option_is_refused_by_the_parser() {
    let place = Place::new();
    for line in [
        "review --seed x",
        "review --all --test A1",
        "review --memory 0",
        "review --jobs 0",
        "run random.fio",
        "run random.fio --drive d --state old",
        "fly",
    ] {
        place.ftlab(line).assert().code(2).stdout("");
    }
    for command in ["review", "sweep grid.toml --out o", "crash disk.crash"] {
        let asked = place.ftlab(&format!("{command} --jobs 1000000")).assert();
        let output = asked.code(2).get_output().stderr.clone();
        let said = String::from_utf8(output).unwrap();
        holds(&said, &["--jobs", "give a whole number from 1 to 1024"]);
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let place = Place::new();
    let mut command = std::process::Command::new(program());
    command.arg("drives").stdout(std::process::Stdio::piped());
    command
        .stderr(std::process::Stdio::piped())
        .current_dir(&place.0);
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}

/// A trace for a small drive.
#[test]
fn a_trace_is_played_and_a_wrong_one_refused() {
    let place = Place::new();
    place.write("little.toml", TRACE);
    let drive = "--drive generic-mlc-8 --state new";
    holds(
        &place.out(&format!("run little.toml {drive}")),
        &["Little", "reads: 300 of", "writes: 200 of 10.5 MB", "all: "],
    );
    let json = place.json(&format!("run little.toml {drive} --output-format json"));
    assert_eq!(json["jobs"][0]["read"]["total_ios"], 300);
    assert_eq!(json["ftlab"]["testbed"], "anandtech-2012");
    assert!(json["ftlab"]["metrics"]["busy_s"].as_f64().unwrap() > 0.0);
    place.write("wrong.toml", &TRACE.replace("reads = 300", "reads = 0"));
    holds(
        &place.refused(&format!("run wrong.toml {drive}")),
        &["wrong.toml:6:", "1 to"],
    );
    holds(
        &place.refused(&format!("run little.toml {drive} --untimed")),
        &["leave out --untimed"],
    );
}

#[test]
fn attributes_are_told_of_whatever_runs() {
    let place = Place::new();
    place.write("script.toml", SCRIPT);
    place.write("trace.toml", TRACE);
    for run in ["random.fio", "script.toml", "trace.toml"] {
        let line = format!("run {run} --drive generic-mlc-8 --state new --smart");
        holds(&place.refused(&line), &["--smart", "[smart]"]);
        let line_of_nvme = format!("run {run} --drive generic-nvme-tlc-8 --state new --smart");
        holds(
            &place.out(&line_of_nvme),
            &[
                "NVMe Log 0x02",
                "Host Write Commands:",
                "OCP Log 0xC0",
                "Unaligned I/O:",
            ],
        );
        holds(
            &place.out(&format!("{line} --set smart.vendor=intel")),
            &["225", "Host_Writes_32MiB"],
        );
    }
}

#[test]
fn the_specification_prints_its_tables_and_says_its_scale() {
    let place = Place::new();
    let small = "--set nand.blocks_per_die=64";
    let out = place.out(&format!(
        "pts {SSD} {small} --test latency --scale 400 --out pts"
    ));
    holds(
        &out,
        &[
            "PTS-LAT",
            "1 : 400",
            "measurement window rounds",
            "excursion, at most 20 %",
            "slope, at most 10 %",
            "block size",
            "Longest latency, ms",
        ],
    );
    let set: Value = serde_json::from_str(&place.read("pts/results.json")).unwrap();
    let pts = &set["runs"][0]["pts"];
    assert_eq!(pts["scale"]["divisor"], 400.0);
    assert_eq!(pts["cells"].as_array().unwrap().len(), 9);
    holds(
        &place.read("pts/index.html"),
        &["Convergence to the steady state", "Measurement window"],
    );
}

#[test]
fn the_specification_refuses_what_it_cannot_do() {
    let place = Place::new();
    holds(&place.refused(&format!("pts {DISK}")), &["no flash"]);
    for (option, said) in [("--scale 0.5", "from 1 on"), ("--test speed", "xsr")] {
        let line = format!("pts {SSD} {option}");
        let assert = place.ftlab(&line).assert().code(2).stdout("");
        holds(
            &String::from_utf8_lossy(&assert.get_output().stderr),
            &[said],
        );
    }
    holds(&place.refused("pts no-such-drive"), &["no-such-drive"]);
    place.write("taken", "a file");
    holds(
        &place.refused(&format!("pts {SSD} --out taken")),
        &["it is a file"],
    );
}

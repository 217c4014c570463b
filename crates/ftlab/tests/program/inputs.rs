//! What is asked for by name and by number: found and done, or refused with what would do.

use crate::place::{Place, SCRIPT, holds, program};
use assert_cmd::Command;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive};
use std::os::unix::fs::FileTypeExt;

/// Small and quick to fill.
const SSD: &str = "generic-mlc-8";

#[test]
fn tests_are_listed_by_code_and_by_name() {
    let place = Place::new();
    let listed = place.out("tests");
    holds(
        &listed,
        &["code", "A2", "randwrite-size-sweep", "what it measures"],
    );
    let rows = place.json("tests --output-format json");
    let rows = rows.as_array().unwrap();
    assert!(rows.len() > 40, "{} tests", rows.len());
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap();
        holds(&listed, &[text("code"), text("name")]);
        assert!(!text("title").is_empty(), "{row}");
        assert!(!row["steps"].as_array().unwrap().is_empty(), "{row}");
    }
    let one = place.out("tests a2");
    holds(
        &one,
        &[
            "A2 randwrite-size-sweep:",
            "randwrite-16k-qd1 (16 KiB)",
            "runs on",
        ],
    );
    assert!(!one.contains("A1 "), "{one}");
}

#[test]
fn an_unknown_test_is_answered_with_names_and_where_they_are_listed() {
    let place = Place::new();
    for command in ["review --test Z9", "tests Z9"] {
        let refused = place.refused(command);
        holds(
            &refused,
            &["unknown test `Z9`", "`ftlab tests` lists them by code"],
        );
        assert!(refused.len() < 150, "a list of codes: {refused}");
    }
    let near = place.refused("review --test randwrit-4k-qd1");
    holds(&near, &["did you mean randwrite-4k-qd1"]);
}

#[test]
fn drives_are_found_in_any_case_and_by_parts() {
    let place = Place::new();
    for (name, slug) in [
        ("INTEL-X25-E-32", "intel-x25-e-32"),
        ("X25-E", "intel-x25-e-32"),
        ("VelociRaptor", "wd-velociraptor-300"),
        ("840-PRO", "samsung-840-pro-256"),
        ("JMF602-mlc-64", "ocz-core-jmf602"),
    ] {
        holds(&place.out(&format!("show {name}")), &[&format!("{slug}: ")]);
    }
    let several = place.refused("show X25-M");
    holds(
        &several,
        &[
            "`X25-M` matches several drives: intel-x25-m-g1-160, intel-x25-m-g1-80",
            "name one",
        ],
    );
    assert!(!several.contains("x25-e"), "{several}");
}

#[test]
fn what_is_no_drive_file_is_recognised() {
    let place = Place::new();
    let made = |command: &str| {
        let mut command = command.split(' ');
        let mut made = Command::new(command.next().unwrap());
        made.args(command).current_dir(&place.0).assert().success();
    };
    made("mkdir folder");
    made("mkfifo pipe");
    place.out(&format!(
        "run random.fio --drive {SSD} --state new --save-state saved.state"
    ));
    let file = Catalog::default().load(SSD, &[]).unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let options = CreateOptions::default();
    drop(DataDrive::create(&place.path("drive.img"), &file, &testbed, &options).unwrap());
    place.write("long.toml", &"# long\n".repeat(200_000));
    std::fs::write(place.path("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();

    let refused = |name: &str| place.refused(&format!("run random.fio --drive {name}"));
    for (name, why) in [
        ("folder", "it is a directory"),
        ("./pipe", "a pipe or a socket"),
        ("pipe", "a pipe or a socket"),
        ("/dev/zero", "a character device"),
        ("saved.state", "a saved state, not a drive file"),
        ("drive.img", "an image of a drive, not a drive file"),
        ("long.toml", "1,400,000 bytes, at most 1,048,576"),
        ("binary.toml", "it is not text"),
        ("none.toml", "there is no such file"),
    ] {
        holds(&refused(name), &["cannot read", name, why]);
    }
    let devices = std::fs::read_dir("/dev").unwrap().flatten();
    let mut devices = devices.map(|entry| entry.path());
    let is_block = |path: &std::path::Path| {
        std::fs::metadata(path).is_ok_and(|meta| meta.file_type().is_block_device())
    };
    match devices.find(|path| is_block(path)) {
        Some(path) => holds(
            &refused(&path.display().to_string()),
            &["it is a block device", "cannot measure a real one yet"],
        ),
        None => println!("this machine has no block device to name"),
    }
}

#[test]
fn numbers_on_the_command_line_are_numbers_within_limits() {
    let place = Place::new();
    let run = format!("run random.fio --drive {SSD}");
    let endurance = format!("endurance --drive {SSD}");
    for (command, option, limits) in [
        (&run, "rest-days", "from 0 to 1000000"),
        (&run, "rest-celsius", "from -100 to 200"),
        (&endurance, "years", "from 0.001 to 1000000"),
        (&endurance, "celsius", "from -100 to 200"),
        (&endurance, "programs", "from 1 to 1000000000000"),
    ] {
        for wrong in ["nan", "inf", "-inf", "1e300", "-1e9", "much"] {
            let line = format!("{command} --{option}={wrong}");
            let assert = place.ftlab(&line).assert().code(2).stdout("");
            let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            holds(&error, &["invalid value", option, limits]);
        }
    }
    place.out(&format!("{run} --state new --rest-celsius -20"));
}

#[test]
fn limits_are_stated_with_their_numbers() {
    let place = Place::new();
    place.write("long.fio", &"#23456789\n".repeat(3_000_000));
    holds(
        &place.refused(&format!("run long.fio --drive {SSD}")),
        &["30,000,000 bytes, at most 16,777,216", "a fio job file"],
    );
    // What has no size does not end: its beginning is enough.
    holds(
        &place.refused(&format!("run /dev/zero --drive {SSD}")),
        &["more than 16,777,216 bytes"],
    );
}

#[test]
fn a_share_of_nothing_is_what_fio_takes_it_for() {
    let place = Place::new();
    let run = |lines: &str| {
        place.write("share.fio", &format!("[w]\nrw=write\nbs=4k\n{lines}\n"));
        let line = format!("run share.fio --drive {SSD} --state new --untimed");
        let out = place.json(&format!("{line} --output-format json"));
        out["jobs"][0]["write"]["io_bytes"].as_u64().unwrap()
    };
    let tenth = run("size=10%");
    assert_eq!(run("size=10%\noffset=0%"), tenth);
    assert_eq!(run("size=10%\noffset_increment=0%"), tenth);
    assert_eq!(run("size=10%\nio_size=0%"), tenth);
    assert_eq!(run("size=0%"), run("size=100%"));
    assert!(run("size=0%") > 9 * tenth);
    assert_eq!(run("size=0"), run("size=100%"));
    place.write("end.fio", "[w]\nrw=write\noffset=100%\n");
    holds(
        &place.refused(&format!("run end.fio --drive {SSD}")),
        &["lies beyond the device"],
    );
}

#[test]
fn a_time_based_job_without_a_clock_says_what_it_needs_before_anything_is_made() {
    let place = Place::new();
    place.write("timed.fio", "[w]\nrw=write\ntime_based\nruntime=9\n");
    // Neither the files of the states are looked at, nor is memory asked for.
    let line = format!("run timed.fio --drive {SSD} --untimed --from-state none --save-after no/x");
    holds(
        &place.refused(&line),
        &[
            "timed.fio:1: job `w` needs io_size or number_ios",
            "without a clock a runtime has no end",
        ],
    );
}

#[test]
fn an_error_has_the_same_number_in_text_and_in_json() {
    let place = Place::new();
    place.write("read.fio", "[r]\nrw=randread\nbs=4k\niodepth=8\nsize=10%\n");
    let line = "run read.fio --drive intel-x25-m-g1-80 --set faults.unreadable_pages=100%";
    let output = |more: &str| {
        let assert = place.ftlab(&format!("{line} {more}")).assert().code(1);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    holds(&output(""), &["err=5\n"]);
    let json: serde_json::Value = serde_json::from_str(&output("--output-format json")).unwrap();
    assert_eq!(json["jobs"][0]["error"], 5);
}

#[test]
fn faults_of_a_drive_file_come_to_a_run() {
    let place = Place::new();
    let drive = include_str!("../../../../drives/generic-mlc-8.toml");
    place.write("plain.toml", drive);
    let stall = "[[faults.script]]\nfault = { stall = { ms = 250 } }\nafter = 100\n";
    let error = "[[faults.script]]\nfault = { error = { share = 1.0 } }\ncount = 3\nat_ms = 260\n";
    place.write("bad.toml", &format!("{drive}\n{stall}\n{error}"));
    place.write(
        "write.fio",
        "[w]\nrw=randwrite\nbs=4k\nsize=64m\nio_size=20m\n",
    );
    let job = |drive: &str, code| {
        let line = format!("run write.fio --drive {drive} --state new --output-format json");
        let assert = place.ftlab(&line).assert().code(code);
        let output = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&output).unwrap();
        json["jobs"][0].clone()
    };
    let max_ns = |job: &serde_json::Value| job["write"]["lat_ns"]["max"].as_f64().unwrap();
    let (plain, bad) = (job("plain.toml", 0), job("bad.toml", 1));
    assert!(max_ns(&plain) < 100e6, "{plain}");
    assert!((250e6..350e6).contains(&max_ns(&bad)), "{bad}");
    assert_eq!((&plain["error"], &bad["error"]), (&0.into(), &5.into()));
    let good = |job: &serde_json::Value| job["write"]["total_ios"].as_u64().unwrap();
    assert!(good(&bad) < good(&plain), "the first error ends a job");
    assert_eq!(bad, job("bad.toml", 1), "the same faults");
}

#[test]
fn three_thousand_jobs_of_a_request_each_take_little_memory() {
    let place = Place::new();
    let mut jobs = "[global]\nrw=read\nbs=4k\nsize=4k\n".to_owned();
    for n in 0..3_000 {
        let (delay_us, offset) = (n * 100, n * 4_096);
        jobs += &format!("[r{n}]\nstartdelay={delay_us}us\noffset={offset}\n");
    }
    place.write("many.fio", &jobs);
    // Half a megabyte a job took 1.6 GB. Address space, of which threads and the program itself take
    // a part, is what a shell can bound.
    let program = program();
    for format in ["normal", "json"] {
        let line = format!(
            "ulimit -v 400000; exec {program} run many.fio --drive {SSD} --state new --output-format {format}"
        );
        let mut shell = Command::new("sh");
        let assert = shell.args(["-c", &line]).current_dir(&place.0).assert();
        let output = assert.success();
        holds(
            &String::from_utf8_lossy(&output.get_output().stdout),
            &["r2999"],
        );
    }
}

#[test]
fn amounts_show_three_digits_however_small_they_are() {
    let place = Place::new();
    let cycles = ["rated_cycles=20", "median_cycles=30"];
    let cycles = cycles
        .map(|set| format!("--set reliability.{set}"))
        .join(" ");
    let out = place.out(&format!(
        "endurance --drive intel-x25-m-g1-80 {cycles} --programs 1e6 --per-day 0.5GB"
    ));
    holds(&out, &["GB until the end", "500 MB a day"]);
    // What is looked at now and then is said to lie between two looks.
    let mut bad = out
        .lines()
        .filter(|line| line.starts_with("first bad block"));
    let bad = bad.next().unwrap();
    assert!(bad.contains(" between ") && bad.contains(" and "), "{bad}");
    let table = out
        .lines()
        .skip_while(|line| !line.starts_with("host writes"));
    for row in table.skip(1).take_while(|line| !line.is_empty()) {
        let (amount, unit) = row.split_once(' ').unwrap();
        let digits = amount.chars().filter(char::is_ascii_digit).count();
        assert!(digits == 3 && unit[1..].starts_with("B "), "{row}");
    }
    holds(&place.out(&format!("show {SSD}")), &["7.58 GB"]);
}

/// Reads on two devices, and writes on a third one.
const THREE_DEVICES: &str = "[a]\nfilename=/dev/nvme0n1:/dev/nvme1n1\nrw=randread\nnumber_ios=100\nbs=4k\n\
                             [b]\nfilename=/dev/nvme2n1\nrw=randwrite\nnumber_ios=100\nbs=4k\n";

#[test]
fn jobs_for_several_devices_do_not_become_jobs_on_one_drive() {
    let place = Place::new();
    place.write("job.fio", THREE_DEVICES);
    let refused = place.refused(&format!("run job.fio --drive {SSD}"));
    holds(
        &refused,
        &["job.fio:", "the jobs name 3 devices", "--drive nvme2=DRIVE"],
    );
    let two = format!("run job.fio --drive nvme0={SSD} --drive nvme1={SSD}");
    holds(
        &place.refused(&two),
        &["job `b`", "/dev/nvme2n1", "--drive nvme2=DRIVE"],
    );
    let mixed = format!("run job.fio --drive nvme0={SSD} --drive {SSD}");
    holds(&place.refused(&mixed), &["every drive the name"]);
    place.write("s.toml", SCRIPT);
    let script = format!("run s.toml --drive nvme0={SSD}");
    holds(&place.refused(&script), &["a script", "without a name"]);
}

#[test]
fn jobs_on_devices_by_name_read_as_if_nobody_wrote() {
    let place = Place::new();
    place.write("job.fio", THREE_DEVICES);
    let slowest_read = |command: &str| {
        let result = place.json(&format!("run {command} --output-format json"));
        let ns = &result["jobs"][0]["read"]["lat_ns"]["max"];
        ns.as_f64().unwrap_or_else(|| panic!("{ns}"))
    };
    let drives = |settings: &str| {
        let named = (0..3).map(|n| format!(" --drive nvme{n}={SSD}"));
        format!("job.fio{}{settings}", named.collect::<String>())
    };
    // 95.9 µs, as a read takes alone.
    let apart = slowest_read(&drives(" --set nand.blocks_per_die=64"));
    assert!((90_000.0..110_000.0).contains(&apart), "{apart} ns");
}

#[test]
fn drives_by_name_have_what_a_drive_has() {
    let place = Place::new();
    place.write("job.fio", THREE_DEVICES);
    let named: String = (0..3).map(|n| format!(" --drive nvme{n}={SSD}")).collect();
    let small = "--set nand.blocks_per_die=32,64 --set smart.vendor=intel";
    let text = place.out(&format!(
        "run job.fio{named} {small} --state used --repeats 2 --quick --smart --out o"
    ));
    holds(
        &text,
        &[
            "nvme2: Every sector written once",
            "GC share",
            "nvme0:\nID#",
            "nvme2:\nID#",
            "2 repeats",
        ],
    );
    let set: serde_json::Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    let together = format!("nvme0={SSD}+nvme1={SSD}+nvme2={SSD}");
    let run = &set["runs"][1];
    assert_eq!(
        run["id"].as_str(),
        Some(&*format!("{together}@nand.blocks_per_die=64/job/used"))
    );
    let devices = run["at"].as_array().unwrap();
    let of = |name: &str| -> Vec<_> { devices.iter().map(|at| at[name].clone()).collect() };
    assert_eq!(of("name"), ["nvme0", "nvme1", "nvme2"]);
    let written = of("inside");
    let written: Vec<_> = written.iter().map(|of| &of["host_bytes_written"]).collect();
    assert_eq!(written, [0, 0, 100 * 4096]);
    assert!(of("erases").iter().all(serde_json::Value::is_object));
    let members = set["drives"][0]["members"].as_array().unwrap();
    assert_eq!(members.len(), 3);
    let page = place.read("o/index.html");
    holds(
        &page,
        &["Drive by drive", "Spec sheet of nvme2", "SMART of nvme1"],
    );
    place.out("report o --csv --fio-json");
}

//! Drives as other programs read them: cards written whole, read back by the importer, refused with a way out.

use crate::place::{Place, holds};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const LOAD: &str = "[reads]\nrw=randread\nbs=4k\niodepth=8\nnorandommap\nnumber_ios=2000\n";

/// The keys of an array of rows.
fn keys(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["key"].as_str().unwrap()).collect()
}

#[test]
fn a_card_runs_again_as_what_it_was_made_of() {
    let place = Place::new();
    place.write("load.fio", LOAD);
    let told = place.out(
        "card --for mqsim generic-nvme-tlc-8 --set nand.t_read=77us --job load.fio --out made",
    );
    holds(&told, &["wrote made/ssdconfig.xml"]);
    holds(&told, &["wrote made/workload.xml"]);
    holds(&told, &["dropped, decides speed"]);
    let device = place.read("made/ssdconfig.xml");
    holds(&device, &["generic-nvme-tlc-8 - -set nand.t_read=77us"]);
    place.out("import mqsim made/ssdconfig.xml made/workload.xml --name back");
    let shown = place.json("show ./back.toml --output-format json");
    let t_read = shown["parameters"].as_array().unwrap().iter();
    let t_read = t_read.clone().find(|row| row["key"] == "nand.t_read");
    assert_eq!(t_read.unwrap()["value"], "77000");
    let run = place
        .json("run back.fio --drive ./back.toml --testbed attached --quiet --output-format json");
    assert_eq!(run["jobs"][0]["read"]["total_ios"], 2000);
}

#[test]
fn programs_read_what_was_written_assumed_and_dropped() {
    let place = Place::new();
    let json = place.json("card --for mqsim samsung-980-pro-1000 --shrink-to 16g --unit slot --out made --output-format json");
    assert_eq!(json["files"], serde_json::json!(["made/ssdconfig.xml"]));
    assert!(keys(&json["written"]).contains(&"Page_Capacity"));
    assert!(keys(&json["assumed"]).contains(&"Die_No_Per_Chip"));
    let dropped = json["dropped"].as_array().unwrap();
    let slc = dropped
        .iter()
        .find(|row| row["key"] == "slc.t_program")
        .unwrap();
    assert_eq!(slc["decides_speed"], true);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let place = Place::new();
    place.write("trims.fio", "[a]\nrw=randtrim\n");
    let refused = |line: &str, what: &str| holds(&place.refused(line), &[what]);
    refused("card --for mqsim wd-raptor-150 --out made", "hard disk");
    refused(
        "card --for mqsim ocz-core-jmf602 --out made",
        "map.scheme is `block`",
    );
    refused(
        "card --for mqsim generic-mlc-8 --set nand.dies=15 --out made",
        "nand.dies=16",
    );
    refused(
        "card --for mqsim generic-mlc-8 --job trims.fio --out made",
        "no trims",
    );
    refused(
        "card --for mqsim generic-mlc-8 --job nowhere.fio --out made",
        "nowhere.fio",
    );
    refused(
        "card --for mqsim generic-mlc-8 --load bs=3 --out made",
        "--load",
    );
    refused(
        "card --for mqsim generic-mlc-8 --shrink-to 1m --out made",
        "--shrink-to",
    );
    assert!(!place.path("made").exists());
    place.out("card --for mqsim generic-mlc-8 --out made");
    refused("card --for mqsim generic-mlc-8 --out made", "--force");
    place.out("card --for mqsim generic-mlc-8 --out made --force");
}

/// A drive that fills in a moment, and few loads.
const LITTLE: &str = "generic-nvme-tlc-8 --sizes 4k,64k --depths 1,16 --reads 0,50,100 --quiet";

#[test]
fn a_table_is_of_its_schema_and_its_rows_are_those_of_a_run() {
    let place = Place::new();
    place.out(&format!("card --for json {LITTLE} --jobs 1 --out one.json"));
    place.out(&format!("card --for json {LITTLE} --jobs 2 --out two.json"));
    assert_eq!(place.read("one.json"), place.read("two.json"));
    let table: Value = serde_json::from_str(&place.read("one.json")).unwrap();
    let schema = include_str!("../../../../docs/schema/card.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = schema
        .iter_errors(&table)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    let mut broken = table.clone();
    broken["rows"][0]["iops"] = "many".into();
    assert!(!schema.is_valid(&broken));
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * 2 * 2 * 3);
    let row = rows
        .iter()
        .find(|row| {
            (row["pattern"].as_str(), row["size_bytes"].as_u64()) == (Some("random"), Some(65_536))
                && (row["depth"].as_u64(), row["read_pct"].as_u64()) == (Some(16), Some(100))
        })
        .unwrap();
    let load = "[random-65536-qd16-read100]\nrw=randread\nbs=65536\nioengine=libaio\ndirect=1\niodepth=16\n\
                norandommap\nnumber_ios=8192\n";
    place.write("row.fio", load);
    let run = place
        .json("run row.fio --drive generic-nvme-tlc-8 --state filled --quiet --output-format json");
    let iops = run["jobs"][0]["read"]["iops"].as_f64().unwrap();
    let said = row["iops"].as_f64().unwrap();
    assert!((said / iops - 1.0).abs() < 1e-3, "{said} for {iops}");
}

#[test]
fn interpolation_is_off_by_nothing_at_what_the_table_has() {
    let place = Place::new();
    let json = place.json(&format!("card --for json {LITTLE} --output-format json"));
    let off = json["off"].as_array().unwrap();
    assert!(off.iter().any(|off| off["figure"] == "rate"));
    let card: ftlab_card::Table = serde_json::from_str(json["card"].as_str().unwrap()).unwrap();
    for row in &card.rows {
        let at = card.at(row.load);
        assert!((at.iops / row.iops - 1.0).abs() < 1e-9, "{row:?}");
    }
    // In the middle of two depths the logarithm of the rate is the mean of theirs.
    let [a, b] = [card.rows[0].clone(), card.rows[3].clone()];
    assert_eq!((a.load.depth, b.load.depth), (1, 16));
    let middle = ftlab_card::Load { depth: 4, ..a.load };
    let expected = (a.iops * b.iops).sqrt();
    assert!((card.at(middle).iops / expected - 1.0).abs() < 1e-9);
}

/// A word of the kernel's, and whether it takes a value.
type Word = (&'static str, fn(&str) -> bool);

/// Looks at a line in the kernel's words: `8:0 ctrl=user rbps=1`. An error says which word the kernel's grammar
/// (Documentation/admin-guide/cgroup-v2.rst, and the parsers of block/blk-iocost.c) does not have.
fn parsed(line: &str, words: &[Word]) -> Result<(), String> {
    let (device, rest) = line.split_once(' ').ok_or("there is no device")?;
    let numbers = device.split_once(':').ok_or("a device is MAJ:MIN")?;
    if numbers.0.parse::<u32>().is_err() || numbers.1.parse::<u32>().is_err() {
        return Err(format!("{device} is no MAJ:MIN"));
    }
    let mut missing: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    for pair in rest.split(' ') {
        let (key, value) = pair.split_once('=').ok_or(format!("{pair} is no pair"))?;
        let (_, is_right) = words
            .iter()
            .find(|(word, _)| *word == key)
            .ok_or(format!("the kernel has no {key}"))?;
        if !is_right(value) {
            return Err(format!("{key} cannot be {value}"));
        }
        missing.retain(|word| *word != key);
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("{missing:?} are missing")),
    }
}

/// A 64-bit whole number above 0.
fn rate(value: &str) -> bool {
    value.parse::<u64>().is_ok_and(|rate| rate > 0)
}

/// Percent with at most two digits behind the point: 0 to 100.
fn share(value: &str) -> bool {
    percent(value) && value.parse::<f64>().is_ok_and(|share| share <= 100.0)
}

/// Percent of the device's rate: 1 to 10000.
fn percent(value: &str) -> bool {
    let digits = value.split_once('.').map_or(0, |(_, digits)| digits.len());
    digits <= 2
        && value
            .parse::<f64>()
            .is_ok_and(|of| (1.0..=10_000.0).contains(&of))
}

const MODEL: &[Word] = &[
    ("ctrl", |value| value == "user"),
    ("model", |value| value == "linear"),
    ("rbps", rate),
    ("rseqiops", rate),
    ("rrandiops", rate),
    ("wbps", rate),
    ("wseqiops", rate),
    ("wrandiops", rate),
];
const QOS: &[Word] = &[
    ("enable", |value| value == "1"),
    ("ctrl", |value| value == "user"),
    ("rpct", share),
    ("rlat", rate),
    ("wpct", share),
    ("wlat", rate),
    ("min", percent),
    ("max", percent),
];

/// Runs the script of a card as a user does.
fn ran(place: &Place, device: &str, cgroup: &Path) {
    let mut shell = Command::new("sh");
    let script = place.path("card.sh");
    let status = shell.arg(script).arg(device).arg(cgroup).status().unwrap();
    assert!(status.success(), "{status}");
}

#[test]
fn the_lines_for_io_cost_are_of_the_kernels_grammar() {
    let place = Place::new();
    place.out("card --for iocost generic-nvme-tlc-8 --quiet --out card.sh");
    let cgroup = place.path("cgroup");
    std::fs::create_dir(&cgroup).unwrap();
    ran(&place, "8:16", &cgroup);
    let model = place.read("cgroup/io.cost.model");
    assert_eq!(parsed(model.trim_end(), MODEL), Ok(()), "{model}");
    let qos = place.read("cgroup/io.cost.qos");
    assert_eq!(parsed(qos.trim_end(), QOS), Ok(()), "{qos}");
    let without_device = Command::new("sh")
        .arg(place.path("card.sh"))
        .output()
        .unwrap();
    assert!(!without_device.status.success());
    for broken in [
        "8 ctrl=user",
        "8:0 ctrl=auto",
        "8:0 rbps=1.5",
        "8:0 speed=1",
    ] {
        assert!(parsed(broken, MODEL).is_err(), "{broken}");
    }
}

/// The root of cgroup2 with `io.cost.model`.
fn controller() -> Result<std::path::PathBuf, &'static str> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let roots = mounts.lines().filter(|line| line.contains(" - cgroup2 "));
    let mut roots = roots.filter_map(|line| line.split(' ').nth(4));
    let root = roots.find(|root| Path::new(root).join("io.cost.model").exists());
    let root = root.ok_or("the kernel's cgroup2 has no io.cost.model in its root")?;
    match rustix::process::geteuid().is_root() && Path::new("/dev/loop-control").exists() {
        true => Ok(root.into()),
        false => Err("this is not root, or there is no loop device"),
    }
}

#[test]
fn the_kernel_takes_the_lines_and_gives_them_back() {
    let cgroup = match controller() {
        Ok(cgroup) => cgroup,
        Err(why) => {
            let mut stderr = std::io::stderr();
            let _ = writeln!(stderr, "\nNOT TESTED: io.cost.model: {why}\n");
            return;
        }
    };
    let place = Place::new();
    place.out("card --for iocost generic-nvme-tlc-8 --quiet --out card.sh");
    let file = std::fs::File::create(place.path("disk")).unwrap();
    file.set_len(64 << 20).unwrap();
    let said = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).output().unwrap();
        assert!(output.status.success(), "{program} {words:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let path = place.path("disk").display().to_string();
    let device = said("losetup", &["--find", "--show", &path]);
    let name = Path::new(&device).file_name().unwrap().to_string_lossy();
    let number = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap();
    let number = number.trim();
    let taken = std::panic::catch_unwind(|| {
        ran(&place, number, &cgroup);
        let lines = std::fs::read_to_string(cgroup.join("io.cost.model")).unwrap();
        let script = place.read("card.sh");
        let (_, written) = script.split_once("$device ctrl=user").unwrap();
        let (written, _) = written.split_once('"').unwrap();
        let line = format!("{number} ctrl=user{written}");
        assert!(lines.lines().any(|there| there == line), "{line}: {lines}");
    });
    // The device goes without its controller, whatever became of it.
    let _ = std::fs::write(cgroup.join("io.cost.qos"), format!("{number} enable=0"));
    said("losetup", &["-d", &device]);
    taken.unwrap();
}

#[test]
fn seastar_reads_four_rates_of_a_mountpoint() {
    let place = Place::new();
    let card = place.out("card --for seastar generic-nvme-tlc-8 --quiet");
    let lines: Vec<&str> = card.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines[..2], ["disks:", "  - mountpoint: /mnt"]);
    let keys = [
        "read_iops",
        "read_bandwidth",
        "write_iops",
        "write_bandwidth",
    ];
    for (line, key) in lines[2..].iter().zip(keys) {
        let value = line.strip_prefix(&format!("    {key}: "));
        assert!(value.is_some_and(rate), "{line}");
    }
    assert_eq!(lines.len(), 6);
}

#[test]
fn committed_cards_are_what_the_program_writes() {
    let place = Place::new();
    let drive = "intel-x25-m-g2-80";
    let written = place.out(&format!("card --for seastar {drive} --quiet"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cards");
    let committed = std::fs::read_to_string(folder.join(drive).join("io_properties.yaml"));
    let command = "cargo run --release -p xtask -- docs cards";
    assert!(committed.unwrap() == written, "draw them again: {command}");
}

#[test]
fn base_and_bandwidth_know_no_collection() {
    let place = Place::new();
    let base = |state: &str| {
        let drive = "generic-mlc-8 --sizes 4k,64k --depths 1,16 --quiet";
        let card = place.out(&format!("card --for simple {drive} --state {state}"));
        let (_, write) = card.split_once("[write]").unwrap();
        let (_, bandwidth) = write.split_once("bandwidth_mb_s = ").unwrap();
        let bandwidth = bandwidth.lines().next().unwrap();
        bandwidth.parse::<f64>().unwrap()
    };
    let (filled, steady) = (base("filled"), base("steady-fast"));
    assert!(steady < filled / 2.0, "{steady} after {filled}");
}

#[test]
fn what_comes_back_from_femu_and_nvmevirt_is_the_drive() {
    let place = Place::new();
    let number = |drive: &str, key: &str| -> f64 {
        let shown = place.json(&format!("show {drive} --output-format json"));
        let rows = shown["parameters"].as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == key);
        let row = row.unwrap_or_else(|| panic!("{drive} has no {key}"));
        let worth = match row["unit"].as_str().unwrap() {
            "us" => 1e3,
            "ms" => 1e6,
            "KiB" => 1024.0,
            "MiB" => 1_048_576.0,
            "MB/s" => 1e6,
            "MiB/s" => 1_048_576.0,
            _ => 1.0,
        };
        row["value"].as_str().unwrap().parse::<f64>().unwrap() * worth
    };
    let told = place.out("card --for femu generic-nvme-tlc-8 --quiet --out femu.sh");
    holds(&told, &["wrote femu.sh", "off in", "mean latency"]);
    holds(
        &place.read("femu.sh"),
        &["This is no run of the other program"],
    );
    place.out("import femu femu.sh --name femu");
    place.out("card --for nvmevirt generic-nvme-tlc-8 --quiet --out ssd_config.h");
    let header = place.read("ssd_config.h");
    let (_, capacity) = header.split_once("--capacity ").unwrap();
    let capacity = capacity.lines().next().unwrap();
    place.out(&format!(
        "import nvmevirt ssd_config.h --capacity {capacity} --name virt"
    ));
    for drive in ["./femu.toml", "./virt.toml"] {
        for key in [
            "nand.channels",
            "nand.dies_per_channel",
            "nand.t_read",
            "nand.t_erase",
        ] {
            let (there, here) = (number(drive, key), number("generic-nvme-tlc-8", key));
            assert!(
                (there / here - 1.0).abs() < 1e-6,
                "{drive} {key}: {there} for {here}"
            );
        }
        let (there, here) = (
            number(drive, "nand.channel_rate"),
            number("generic-nvme-tlc-8", "nand.channel_rate"),
        );
        assert!(
            (there / here - 1.0).abs() < 2e-3,
            "{drive}: {there} for {here}"
        );
    }
}

#[test]
fn options_that_say_nothing_to_a_card_are_refused() {
    let place = Place::new();
    let refused = |line: &str, what: &str| holds(&place.refused(line), &[what]);
    refused(
        "card --for iocost generic-mlc-8 --sizes 4k",
        "--sizes says nothing to --for iocost",
    );
    refused(
        "card --for json generic-mlc-8 --load rw=read",
        "--load says nothing",
    );
    refused(
        "card --for mqsim generic-mlc-8 --state used --out m",
        "--state says nothing",
    );
    refused(
        "card --for nvmevirt generic-mlc-8 --unit slot",
        "--unit says nothing",
    );
    for (line, what) in [
        (
            "card --for json generic-mlc-8 --sizes 1000",
            "multiple of 512",
        ),
        ("card --for json generic-mlc-8 --depths 0", "--depths"),
        ("card --for json generic-mlc-8 --reads 101", "--reads"),
    ] {
        let assert = place.ftlab(line).assert().code(2);
        let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        holds(&said, &["error: ", what]);
    }
    refused(
        "card --for simple generic-mlc-8 --depths 4 --quiet",
        "two values or more",
    );
    refused("card --for mqsim generic-mlc-8", "--out FOLDER is missing");
    refused("card --for femu wd-raptor-150", "hard disk");
    place.write("there.json", "mine");
    refused("card --for json generic-mlc-8 --out there.json", "--force");
    assert_eq!(place.read("there.json"), "mine");
}

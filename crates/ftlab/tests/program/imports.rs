//! Drives and loads of other simulators, taken over: they load, they run, and their rates are those of their numbers.

use crate::place::{Place, holds};
use serde_json::Value;

const SAMPLES: [(&str, &str); 4] = [
    (
        "device.xml",
        include_str!("../../../import/tests/samples/device.xml"),
    ),
    (
        "load.xml",
        include_str!("../../../import/tests/samples/load.xml"),
    ),
    (
        "drive.cfg",
        include_str!("../../../import/tests/samples/drive.cfg"),
    ),
    (
        "header.h",
        include_str!("../../../import/tests/samples/header.h"),
    ),
];

const FEMU: &str = "femu,devsz_mb=400,femu_mode=1,secs_per_pg=16,pgs_per_blk=64,blks_per_pl=128,luns_per_ch=2,nchs=4,\
                    pg_rd_lat=60000,pg_wr_lat=600000,blk_er_lat=3000000,ch_xfer_lat=40960";

fn place() -> Place {
    let place = Place::new();
    for (name, text) in SAMPLES {
        place.write(name, text);
    }
    place
}

/// Requests a second of a job on a drive, and megabytes a second.
fn rates(place: &Place, drive: &str, job: &str, state: &str) -> (f64, f64) {
    place.write("rate.fio", job);
    let line = format!(
        "run rate.fio --drive ./{drive}.toml --state {state} --testbed attached --quiet --output-format json"
    );
    let json = place.json(&line);
    let job = &json["jobs"][0];
    let sum = |key: &str| -> f64 {
        ["read", "write"]
            .iter()
            .filter_map(|kind| job[kind][key].as_f64())
            .sum()
    };
    (sum("iops"), sum("bw_bytes") / 1e6)
}

#[track_caller]
fn near(found: f64, least: f64, most: f64, what: &str) {
    assert!(
        (least..=most).contains(&found),
        "{what}: {found}, not in {least}..{most}"
    );
}

const RANDOM_READ: &str = "[r]\nrw=randread\nbs=8k\niodepth=1\nnumber_ios=2000\n";
const WRITE: &str = "[w]\nrw=write\nbs=128k\niodepth=32\nsize=50%\n";

#[test]
fn an_imported_drive_has_the_rates_of_its_sources_numbers() {
    let place = place();
    place.out("import mqsim device.xml");
    place.out("import simplessd drive.cfg");
    place.out(&format!("import femu {FEMU}"));
    // All three: eight dies, pages of 8 KiB, 60 us to read, 600 us to program, 200 MB/s a channel. Whatever crosses
    // the link at 1,000 MB/s takes 8 us.
    for (drive, spare_bytes, link_us) in [
        ("mqsim", 512.0, 8.192),
        ("simplessd", 0.0, 8.192),
        ("femu", 0.0, 0.0),
    ] {
        let transfer_us = (8192.0 + spare_bytes) / 200.0;
        let read_us = 60.0 + transfer_us + link_us;
        let (iops, _) = rates(&place, drive, RANDOM_READ, "filled");
        // MQSim's commands are assumed to take 0.3 us.
        near(
            1e6 / iops,
            read_us - 0.001,
            read_us + 0.5,
            &format!("{drive}, us of a read alone"),
        );
        // Eight dies program side by side, each a page at a time; a die may or may not take the next one meanwhile.
        let (_, mb_s) = rates(&place, drive, WRITE, "new");
        let most = 8.0 * 8192.0 / 600.0;
        near(
            mb_s,
            8.0 * 8192.0 / (600.0 + transfer_us) * 0.95,
            most * 1.02,
            &format!("{drive}, MB/s of writes"),
        );
    }
    let sheet = place.json("show ./mqsim.toml --output-format json");
    let rows = sheet["parameters"].as_array().unwrap();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
    let t_program = row("nand.t_program");
    assert_eq!(
        (t_program["value"].as_str(), t_program["unit"].as_str()),
        (Some("600000"), Some("ns"))
    );
    assert_eq!(t_program["source"], "imported");
    assert_eq!(row("link.command")["source"], "assumed");
    assert_eq!(sheet["capacity_bytes"].as_u64(), Some(469_762_048));
}

#[test]
fn nvmevirts_drive_adds_its_firmwares_latency_to_the_flash() {
    let place = place();
    place.out("import nvmevirt header.h --base-ssd SMALL --capacity 1");
    let (iops, _) = rates(
        &place,
        "nvmevirt",
        "[r]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=2000\n",
        "filled",
    );
    // 36 us to sense, 20 us of firmware, 4 KiB over the channel and the link.
    let us = 36.0 + 20.0 + 4096.0 / (800.0 * 1.048_576) + 4096.0 / (3200.0 * 1.048_576);
    near(1e6 / iops, us, us + 0.5, "us of a read alone");
    let (_, mb_s) = rates(&place, "nvmevirt", WRITE, "new");
    near(
        mb_s,
        // As above, with 32 KiB through the channel in 39 us.
        0.95 * 8.0 * 32_768.0 / (185.0 + 39.0),
        1.02 * 8.0 * 32_768.0 / 185.0,
        "MB/s of writes",
    );
}

#[test]
fn mqsims_loads_run_on_its_drive() {
    let place = place();
    let told = place.out("import mqsim device.xml load.xml --name small");
    holds(
        &told,
        &[
            "wrote ./small.toml",
            "wrote ./small-1.fio",
            "wrote ./small-2.fio",
            "Page_Colour",
            "no counterpart",
        ],
    );
    let json = place.json("run small-1.fio --drive ./small.toml --quiet --output-format json");
    let jobs = json["jobs"].as_array().unwrap();
    let ios = |job: usize, kind: &str| jobs[job][kind]["total_ios"].as_f64().unwrap();
    assert_eq!(
        (jobs.len(), ios(1, "write"), ios(1, "read")),
        (2, 50.0, 0.0)
    );
    near(
        ios(0, "read") / (ios(0, "read") + ios(0, "write")),
        0.65,
        0.75,
        "share of reads",
    );
    // The second scenario is a trace.
    std::fs::create_dir(place.path("traces")).unwrap();
    place.write(
        "traces/web.trace",
        "1000 0 64 16 0\n2000 0 64 16 1\n5000 0 128 16 0\n",
    );
    let json = place.json("run small-2.fio --drive ./small.toml --quiet --output-format json");
    assert_eq!(json["jobs"][0]["write"]["total_ios"].as_u64(), Some(2));
}

#[test]
fn files_are_written_whole_or_not_at_all_and_never_over_others() {
    let place = place();
    let report =
        place.json("import mqsim device.xml load.xml --name a --out made --output-format json");
    assert_eq!(report["drive"], "made/a.toml");
    assert_eq!(
        report["jobs"],
        Value::from(vec!["made/a-1.fio", "made/a-2.fio"])
    );
    for (list, key) in [
        ("taken", "nand.t_read"),
        ("assumed", "nand.channel_command"),
        ("left", "Plane_Allocation_Scheme"),
    ] {
        let rows = report[list].as_array().unwrap();
        assert!(rows.iter().any(|row| row["key"] == key), "{list}: {rows:?}");
    }
    place.write("made/a-2.fio", "mine");
    let files = || {
        let files = std::fs::read_dir(place.path("made")).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        files.sort();
        files
    };
    let before = files();
    holds(
        &place.refused("import mqsim device.xml load.xml --name a --out made"),
        &["made/a.toml is there already; write over it with --force"],
    );
    assert_eq!(place.read("made/a-2.fio"), "mine");
    place.out("import mqsim device.xml load.xml --name a --out made --force");
    assert!(place.read("made/a-2.fio").contains("read_iolog"));

    // A drive without spare area is none, and its job is not written either.
    let full = SAMPLES[0]
        .1
        .replace("<Overprovisioning_Ratio>0.125", "<Overprovisioning_Ratio>0");
    place.write("full.xml", &full);
    holds(
        &place.refused("import mqsim full.xml load.xml --name b --out made"),
        &["these numbers make no drive here, and nothing was written"],
    );
    holds(
        &place.refused("import mqsim device.xml --name ../b"),
        &["give a name of files without folders"],
    );
    holds(
        &place.refused("import mqsim nothing.xml"),
        &["there is no such file; give MQSim's ssdconfig.xml"],
    );
    assert_eq!(files(), before);
}

#[test]
fn what_is_printed_runs_whatever_file_it_came_from() {
    let place = place();
    place.write(
        "run.sh",
        include_str!("../../../import/tests/samples/run.sh"),
    );
    let out = place.out("import femu run.sh");
    holds(&out, &["wrote ./femu.toml", "run.sh:1 nchs"]);
    place.out("show ./femu.toml");
    // A trace that goes beyond the drive, as MQSim takes it.
    place.write(
        "beyond.trace",
        "0 0 9000000000 8 1\n5000 0 18000000000 8 0\n",
    );
    let load = "<MQSim_IO_Scenarios><IO_Scenario><IO_Flow_Parameter_Set_Trace_Based>\
                <File_Path>beyond.trace</File_Path></IO_Flow_Parameter_Set_Trace_Based></IO_Scenario></MQSim_IO_Scenarios>";
    place.write("traced.xml", load);
    let out = place.out("import mqsim device.xml traced.xml --name traced");
    let line = out
        .lines()
        .rfind(|line| line.starts_with("ftlab run "))
        .unwrap();
    assert!(line.ends_with(" --fit wrap"), "{line}");
    place.out(&format!("{} --quiet", line.strip_prefix("ftlab ").unwrap()));
    // A run of SimpleSSD-Standalone without its drive says which file it wants.
    let (drive, run) = SAMPLES[2].1.split_once("[generator]").unwrap();
    place.write("run.cfg", &format!("[global]\nMode = 0\n[generator]{run}"));
    place.write("ssd.cfg", drive);
    let refused = place.refused("import simplessd run.cfg --name two");
    holds(&refused, &["run.cfg: ", "Give the drive's file behind it"]);
    let out = place.out("import simplessd run.cfg ssd.cfg --name two");
    holds(&out, &["wrote ./two.toml", "wrote ./two.fio"]);
    place.out("run two.fio --drive ./two.toml --testbed attached --quiet");
}

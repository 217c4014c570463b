//! Which host a drive stands behind, and what results say of it.

use crate::place::{Place, holds};
use serde_json::Value;

/// A drive of NVMe that is as small as it needs to be; its dies and times are as they are.
const PM9A3: &str = "--drive samsung-pm9a3-960 --set nand.pages_per_block=48 --set spare.user_capacity=16GB --state new";

/// 4 KiB random reads at a depth of 256, of data that are there.
const READS: &str = "[fill]\nrw=write\nbs=1m\nsize=1g\niodepth=8\n\
    [reads]\nstonewall\nrw=randread\nbs=4k\nsize=1g\niodepth=256\nnorandommap\ntime_based\nruntime=60ms\n";

fn place() -> Place {
    let place = Place::new();
    place.write("reads.fio", READS);
    place
}

fn reads_a_second(json: &Value) -> f64 {
    json["jobs"][1]["read"]["iops"].as_f64().unwrap()
}

fn host_pct(json: &Value) -> f64 {
    json["ftlab"]["metrics"]["host_busy_pct"].as_f64().unwrap()
}

#[test]
fn a_drive_of_today_is_not_held_back_by_a_host_that_nobody_asked_for() {
    let place = place();
    let text = place.out(&format!("run reads.fio {PM9A3} --quiet"));
    holds(&text, &["host                linux-2024-io-uring", "host "]);
    assert!(!text.contains("--testbed"), "{text}");
    let json = place.json(&format!(
        "run reads.fio {PM9A3} --quiet --output-format json"
    ));
    assert_eq!(json["ftlab"]["testbed"], "linux-2024-io-uring");
    assert!(
        reads_a_second(&json) > 260_000.0,
        "{}",
        reads_a_second(&json)
    );
    assert!(
        (0.0..50.0).contains(&host_pct(&json)),
        "{}",
        host_pct(&json)
    );
    assert!(json["ftlab"]["metrics"]["dies_busy_pct"].as_f64() > Some(0.0));
}

#[test]
fn a_host_that_sets_the_rate_is_named_with_its_share_and_warned_of() {
    let place = place();
    place.write("only.fio", "[reads]\nrw=randread\nbs=4k\nsize=1g\niodepth=256\nnorandommap\ntime_based\nruntime=60ms\n");
    let line = format!("run only.fio {PM9A3} --testbed anandtech-2008 --quiet");
    let text = place.out(&line);
    holds(
        &text,
        &[
            "host                anandtech-2008",
            "host 100 % of the time",
            "The host anandtech-2008 was at work for 100 %",
            "--testbed",
        ],
    );
    let json = place.json(&(line + " --output-format json"));
    // A processor that takes 5 us for a command.
    let iops = json["jobs"][0]["read"]["iops"].as_f64().unwrap();
    assert!((195_000.0..=200_000.0).contains(&iops), "{iops}");
    assert!(host_pct(&json) > 99.0, "{}", host_pct(&json));
}

#[test]
fn each_drive_stands_behind_a_machine_of_its_time_and_the_report_says_which() {
    let place = place();
    let line = "run random.fio --drive generic-nvme-tlc-8 --drive generic-mlc-8 --drive aws-ebs-gp3-500 --state new --out o";
    place.out(line);
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    let both = "linux-2024-io-uring, anandtech-2008";
    assert_eq!(set["origin"]["testbed"], both);
    let hosts = set["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["testbed"]);
    let [nvme, sata, cloud] = hosts.collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(nvme, "linux-2024-io-uring");
    assert_eq!(sata, "anandtech-2008");
    assert_eq!(cloud, "linux-2024-io-uring");
    let page = place.read("o/index.html");
    holds(
        &page,
        &[
            "Measured on Linux of 2024 on a server",
            "Measured on AnandTech 2008",
            "behind the host <code>linux-2024-io-uring</code>",
            "on the test machines <code>linux-2024-io-uring</code>, <code>anandtech-2008</code>",
        ],
    );
    let runs = place.out("report o --csv");
    assert!(!runs.is_empty());
    let table = place.read("o/runs.csv");
    holds(&table, &["metric_host_busy_pct", "metric_limit_held_pct"]);
}

#[test]
fn what_limits_a_disk_a_memory_and_a_volume_is_named() {
    let place = place();
    place.write(
        "few.fio",
        "[r]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=400\n",
    );
    for (drive, part) in [
        ("wd-velociraptor-300", "arm 100 %"),
        ("ramdisk-8gb", "host 100 %"),
        ("aws-ebs-gp3-500", "limit 9"),
    ] {
        let text = place.out(&format!("run few.fio --drive {drive} --quiet"));
        let at_work = text.lines().find(|line| line.contains("at work"));
        assert!(
            at_work.is_some_and(|line| line.contains(part)),
            "{drive}: {text}"
        );
        assert!(!text.contains("--testbed"), "{drive}: {text}");
    }
}

#[test]
fn every_command_takes_the_same_host() {
    let place = place();
    for line in [
        "fio --drive generic-nvme-tlc-8 --state new --rw=randwrite --bs=4k --number_ios=200 --name=w --quiet",
        "run random.fio --drive generic-nvme-tlc-8 --state new --quiet",
    ] {
        holds(
            &place.out(line),
            &["host                linux-2024-io-uring"],
        );
    }
    let fast = "compare generic-nvme-tlc-8 --set spare.op=10%,20% --test ./random.fio --state new --out compared --quiet";
    place.compares(fast);
    let set: Value = serde_json::from_str(&place.read("compared/results.json")).unwrap();
    assert_eq!(set["origin"]["testbed"], "linux-2024-io-uring");
}

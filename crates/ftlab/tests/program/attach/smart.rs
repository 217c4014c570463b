//! `ftlab smart`, on drives at work and on images that nobody serves.

use super::server::{MIB, Serve, json, run};
use super::tools::{DRIVE, folder, ftlab, image, pattern, reopen, serve};
use crate::place::program;
use serde_json::Value;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn smart_tells_the_same_of_a_drive_at_work_and_of_its_image() {
    let folder = folder();
    let server = serve(folder.path());
    pattern(&server, "write", 5, "0");
    let text = ftlab(folder.path(), &["smart", "IMAGE"]);
    for part in [
        "Intel X25-M",
        "67108864 bytes",
        "PASSED",
        "Media_Wearout_Indicator",
        "VALUE",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let at_work = json(&ftlab(
        folder.path(),
        &["smart", "IMAGE", "--output-format", "json"],
    ));
    let table = at_work["ata_smart_attributes"]["table"]
        .as_array()
        .expect("a table");
    let wearout = table
        .iter()
        .find(|row| row["id"] == 0xe9)
        .expect("it has that");
    assert_eq!(wearout["value"], 100);
    assert_eq!(at_work["ftlab"]["host_bytes_written"], 64 << 10);
    server.stop();
    let off = json(&ftlab(
        folder.path(),
        &["smart", "IMAGE", "--output-format", "json"],
    ));
    assert_eq!(off["ata_smart_attributes"], at_work["ata_smart_attributes"]);
    assert_eq!(off["serial_number"], at_work["serial_number"]);
    assert_eq!(off["ftlab"]["host_bytes_written"], 64 << 10);
}

#[test]
fn the_logs_of_an_nvme_drive_count_what_its_host_did_and_outlive_its_power() {
    let folder = folder();
    let image = image(folder.path());
    let arguments = ["--image", &image, "--timing", "off", "--drive"];
    let server = Serve::start(
        folder.path(),
        &[&arguments[..], &["generic-nvme-tlc-8"]].concat(),
    );
    pattern(&server, "write", 5, "0");
    pattern(&server, "write", 6, "1m");
    pattern(&server, "read", 5, "0");
    let smart = |format| {
        let words = ["smart", "IMAGE", "--output-format", format];
        json(&ftlab(folder.path(), &words))
    };
    let [smartctl, cli, ocp] = ["json", "nvme-cli", "ocp"].map(smart);
    assert_eq!(smartctl["device"]["type"], "nvme");
    let log = &smartctl["nvme_smart_health_information_log"];
    // 128 KiB and 64 KiB: a unit of 512,000 bytes that is begun.
    assert_eq!(
        (&log["data_units_written"], &log["data_units_read"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (&log["host_writes"], &log["host_reads"]),
        (&2.into(), &1.into())
    );
    assert_eq!(cli["host_write_commands"], log["host_writes"]);
    assert_eq!(cli["temperature"], 33 + 273, "with nothing to do");
    assert_eq!(ocp["NUSE - Namespace utilization"], 256, "sectors");
    let written = ocp["Physical media units written"]["lo"].as_u64();
    assert!(written.expect("a number") >= 128 << 10, "{ocp:#}");
    assert_eq!(smartctl["nvme_namespaces"][0]["utilization"]["blocks"], 256);
    let text = ftlab(folder.path(), &["smart", "IMAGE"]);
    assert!(
        text.contains("Host Write Commands:                2\n"),
        "{text}"
    );
    server.kill();
    Serve::start(folder.path(), &["--image", &image, "--timing", "off"]).stop();
    let off = smart("nvme-cli");
    assert_eq!(
        (&off["power_cycles"], &off["unsafe_shutdowns"]),
        (&2.into(), &1.into())
    );
    for key in ["host_write_commands", "data_units_written"] {
        assert_eq!(off[key], cli[key], "{key}");
    }
    assert_eq!(
        smart("ocp")["Incomplete shutdowns"],
        1,
        "it has no capacitors"
    );
    // What is no NVMe drive says what there is instead.
    let words = ["smart", &image, "--output-format", "ocp"];
    let serve = [
        "--image", &image, "--timing", "off", "--drive", DRIVE, "--size", "64m",
    ];
    std::fs::remove_file(&image).expect("it is there");
    Serve::start(folder.path(), &serve).stop();
    let refused = run(program(), &words);
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8(refused.stderr).expect("text");
    assert!(
        why.contains("link.port") && why.contains("--output-format json"),
        "{why}"
    );
}

/// In air of 72 degrees a 970 EVO has 83 with nothing to do, above where it throttles, and below where it warns.
#[test]
fn a_drive_in_a_hot_place_says_how_warm_it_is_and_what_that_came_to() {
    let folder = folder();
    let image = image(folder.path());
    let hot = [
        "--image",
        &image,
        "--drive",
        "samsung-970-evo-500",
        "--set",
        "thermal.ambient=72",
    ];
    let server = Serve::start(folder.path(), &hot);
    let smart = |format| {
        let words = ["smart", "IMAGE", "--output-format", format];
        json(&ftlab(folder.path(), &words))
    };
    let count = |log: &Value, key: &str| log[key].as_u64().expect("a number");
    pattern(&server, "write", 5, "0");
    let began = Instant::now();
    let at_work = loop {
        let log = smart("nvme-cli");
        if count(&log, "thm_temp1_total_time") > 0 {
            break log;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{log:#}");
        thread::sleep(Duration::from_millis(200));
    };
    let kelvin = count(&at_work, "temperature");
    assert!((273 + 80..273 + 85).contains(&kelvin), "{kelvin} K");
    assert_eq!(at_work["thm_temp1_trans_count"], 1);
    assert_eq!(at_work["thm_temp2_trans_count"], 0);
    assert_eq!(at_work["critical_warning"], 0);
    let ocp = smart("ocp");
    assert_eq!(ocp["Number of Thermal throttling events"], 1);
    assert_eq!(ocp["Current throttling status"], 1);
    let smartctl = smart("json");
    let celsius = smartctl["temperature"]["current"]
        .as_u64()
        .expect("a number");
    assert!(celsius.abs_diff(kelvin - 273) <= 1, "{celsius} C");
    server.stop();
    // An image has the temperature with which the drive comes up, and what is counted stays.
    let off = smart("nvme-cli");
    let seconds = |log: &Value| count(log, "thm_temp1_total_time");
    assert!(seconds(&off) >= seconds(&at_work), "{off:#}");
    assert_eq!(off["thm_temp1_trans_count"], 1);
    let idle = count(&off, "temperature");
    assert!((273 + 82..273 + 85).contains(&idle), "{idle} K");
    assert_eq!(smart("ocp")["Current throttling status"], 0, "it is off");
    // It throttles anew when it is on again.
    let server = Serve::start(folder.path(), &["--image", &image]);
    let began = Instant::now();
    while count(&smart("nvme-cli"), "thm_temp1_trans_count") < 2 {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it does not throttle"
        );
        thread::sleep(Duration::from_millis(100));
    }
    assert!(seconds(&smart("nvme-cli")) >= seconds(&off));
    server.stop();
}

type IsOfType = fn(&Value) -> bool;

/// Where smartctl's JSON has what exporters and agents read, and of which type it is.
const READ_BY_EXPORTERS: [(&str, IsOfType); 22] = [
    ("/json_format_version/0", Value::is_u64),
    ("/smartctl/version/0", Value::is_u64),
    ("/smartctl/exit_status", Value::is_u64),
    ("/smartctl/argv/0", Value::is_string),
    ("/device/name", Value::is_string),
    ("/device/info_name", Value::is_string),
    ("/device/type", Value::is_string),
    ("/device/protocol", Value::is_string),
    ("/model_name", Value::is_string),
    ("/serial_number", Value::is_string),
    ("/firmware_version", Value::is_string),
    ("/user_capacity/bytes", Value::is_u64),
    ("/user_capacity/blocks", Value::is_u64),
    ("/logical_block_size", Value::is_u64),
    ("/smart_status/passed", Value::is_boolean),
    ("/power_on_time/hours", Value::is_u64),
    ("/power_cycle_count", Value::is_u64),
    ("/temperature/current", Value::is_u64),
    ("/ata_smart_attributes/revision", Value::is_u64),
    ("/ata_smart_attributes/table/0/id", Value::is_u64),
    ("/ata_smart_attributes/table/0/name", Value::is_string),
    ("/ata_smart_attributes/table/0/raw/string", Value::is_string),
];

#[test]
fn smart_json_has_what_readers_of_smartctl_look_for() {
    let folder = folder();
    let smart = || {
        json(&ftlab(
            folder.path(),
            &["smart", "IMAGE", "--output-format", "json"],
        ))
    };
    let server = serve(folder.path());
    let new = smart();
    for (path, is_right) in READ_BY_EXPORTERS {
        let found = new.pointer(path);
        assert!(found.is_some_and(is_right), "{path}: {found:?}");
    }
    assert_eq!(new["device"]["protocol"], "ATA");
    assert_eq!(new["user_capacity"]["blocks"], 64 * MIB / 512);
    for row in new["ata_smart_attributes"]["table"]
        .as_array()
        .expect("rows")
    {
        assert!(row["worst"].as_u64() <= row["value"].as_u64(), "{row}");
        assert_eq!(row["when_failed"], "", "{row}");
        assert!(row["raw"]["value"].is_u64(), "{row}");
        let (flags, thresh) = (&row["flags"], row["thresh"].as_u64());
        assert!(
            flags["value"].is_u64() && flags["string"].is_string(),
            "{row}"
        );
        assert_eq!(flags["prefailure"], thresh > Some(0), "{row}");
    }
    server.stop();
    // As often as it is switched on, which looking at it is not.
    reopen(folder.path()).stop();
    let again = smart();
    let cycles = |smart: &Value| smart["power_cycle_count"].as_u64().expect("a number");
    assert_eq!(cycles(&again), cycles(&new) + 1);
    assert_eq!(again["serial_number"], new["serial_number"]);
    assert_eq!(cycles(&smart()), cycles(&again));
}

#[test]
fn another_seed_is_another_unit_and_has_another_serial_number() {
    let serial = |seed: &str| {
        let folder = folder();
        let image = image(folder.path());
        let arguments = ["--drive", DRIVE, "--image", &image, "--seed", seed];
        Serve::start(folder.path(), &arguments).stop();
        let smart = json(&ftlab(
            folder.path(),
            &["smart", "IMAGE", "--output-format", "json"],
        ));
        let serial = smart["serial_number"].as_str().expect("text");
        assert!((1..=20).contains(&serial.len()), "{serial}");
        serial.to_owned()
    };
    assert_eq!(serial("1"), serial("1"));
    assert_ne!(serial("1"), serial("2"));
}

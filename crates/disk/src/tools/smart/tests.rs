//! Drives of both kinds say how they are.

use super::*;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::DataDrive;

fn report() -> DriveReport {
    let file = Catalog::default()
        .load("intel-320-120", &[])
        .expect("a drive");
    let testbed = Testbed::load("attached").expect("a testbed");
    DriveReport::of(&DataDrive::in_memory(&file, &testbed, 1).expect("a drive"))
}

#[test]
fn a_failing_attribute_shows_wherever_smartctl_shows_it() {
    let mut report = report();
    let well = as_json(&report, Path::new("disk.img"));
    assert_eq!(well["smartctl"]["exit_status"], 0);
    assert_eq!(well["smart_status"]["passed"], true);
    let reserve = report.smart.iter().position(|row| row.threshold > 0);
    let reserve = reserve.expect("one has a threshold");
    report.smart[reserve].value = report.smart[reserve].threshold;
    let ill = as_json(&report, Path::new("disk.img"));
    assert_eq!(ill["smartctl"]["exit_status"], 8 + 16);
    assert_eq!(ill["smart_status"]["passed"], false);
    let rows = ill["ata_smart_attributes"]["table"]
        .as_array()
        .expect("rows");
    let failing = |row: &&Value| row["when_failed"] == "now";
    let failing: Vec<_> = rows.iter().filter(failing).collect();
    assert_eq!(failing.len(), 1);
    assert_eq!(failing[0]["worst"], failing[0]["thresh"]);
    report.smart.clear();
    report.fault = Some("worn out".to_owned());
    assert_eq!(
        as_json(&report, Path::new("x"))["smartctl"]["exit_status"],
        8
    );
}

#[test]
fn flags_are_the_bits_that_their_letters_stand_for() {
    // As ATA numbers them, and as smartctl writes them.
    let bits = [
        ("prefailure", 'P'),
        ("updated_online", 'O'),
        ("performance", 'S'),
        ("error_rate", 'R'),
        ("event_count", 'C'),
        ("auto_keep", 'K'),
    ];
    for foretells in [false, true] {
        let flags = ata::flags(foretells);
        let value = flags["value"].as_u64().expect("a number");
        let text: Vec<char> = flags["string"].as_str().expect("text").chars().collect();
        assert_eq!(text.len(), 7);
        for (bit, (name, letter)) in bits.into_iter().enumerate() {
            assert_eq!(flags[name], value >> bit & 1 == 1, "{name}");
            assert_eq!(text[bit] == letter, value >> bit & 1 == 1, "{name}");
        }
    }
}

#[test]
fn time_is_told_in_whole_hours_and_the_minutes_beside() {
    let minute_ns = 60_000_000_000;
    assert_eq!(hours_and_minutes(0), (0, 0));
    assert_eq!(hours_and_minutes(60 * minute_ns - 1), (0, 59));
    assert_eq!(hours_and_minutes(125 * minute_ns), (2, 5));
}

/// A drive of 150 MB.
const SMALL: [&str; 6] = [
    "nand.blocks_per_die=128",
    "nand.pages_per_block=6",
    "map.dram=1MiB",
    "spare.user_capacity=150MB",
    "slc.own_size=1MB",
    "slc.more_size=8MB",
];

fn nvme_report() -> DriveReport {
    let settings = SMALL.map(str::to_owned);
    let file = Catalog::default()
        .load("generic-nvme-tlc-8", &settings)
        .expect("a drive");
    let testbed = Testbed::load("attached").expect("a testbed");
    DriveReport::of(&DataDrive::in_memory(&file, &testbed, 1).expect("a drive"))
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_drive_of_nvme_has_smartctls_log_and_no_attributes() {
    let mut report = nvme_report();
    let text = as_text(&report);
    assert!(
        text.contains("Available Spare:                    100%\n"),
        "{text}"
    );
    let well = as_json(&report, Path::new("disk.img"));
    assert_eq!(well["device"]["protocol"], "NVMe");
    assert_eq!(well["nvme_total_capacity"], report.native_bytes);
    assert_eq!(well["smart_status"]["nvme"], json!({ "value": 0 }));
    assert!(well["ata_smart_attributes"].is_null() && well["trim"].is_null());
    let log = &mut report.nvme.as_mut().expect("it has logs").health;
    log.critical_warning = ftlab_smart::IS_READ_ONLY;
    let ill = as_json(&report, Path::new("disk.img"));
    assert_eq!(ill["smartctl"]["exit_status"], 8);
    assert_eq!(ill["smart_status"]["passed"], false);
    assert_eq!(ill["smart_status"]["nvme"]["media_read_only"], true);
    assert_eq!(ill["smart_status"]["nvme"]["spare_below_threshold"], false);
}

#[test]
fn each_log_tells_the_same_in_its_own_words() {
    let report = nvme_report();
    let logs = logs(&report).expect("it has logs");
    let smartctl = as_json(&report, Path::new("disk.img"));
    let log = &smartctl["nvme_smart_health_information_log"];
    let cli = smart_log(&logs.health);
    for (theirs, ours) in [
        ("avail_spare", "available_spare"),
        ("spare_thresh", "available_spare_threshold"),
        ("percent_used", "percentage_used"),
        ("data_units_written", "data_units_written"),
        ("host_read_commands", "host_reads"),
        ("controller_busy_time", "controller_busy_time"),
    ] {
        assert_eq!(cli[theirs], log[ours], "{theirs}");
    }
    // In a room of 22 degrees, with 1.05 W and 10.5 K for each.
    assert_eq!(cli["temperature"], 33 + 273);
    assert_eq!(log["temperature"], 33);
    assert_eq!(smartctl["temperature"]["current"], 33);
    let extended = extended(&report).expect("it is page-mapped");
    let ocp = ocp::extended_log(extended);
    assert_eq!(
        ocp["Physical media units written"],
        json!({ "hi": 0, "lo": 0 })
    );
    assert_eq!(ocp["Capacitor health"], 0xFFFF, "it has none");
    assert_eq!(ocp["Percent free blocks"], 100);
    // Without a rating there is nothing to estimate from.
    let unrated = NvmeExtended {
        endurance_gb: None,
        ..extended.clone()
    };
    let unrated = ocp::extended_log(&unrated);
    assert_eq!(keys(&unrated).len() + 1, keys(&ocp).len());
    assert!(unrated["Endurance estimate"].is_null());
}

/// What the drive file does not say is the temperature at which ages of data count.
#[test]
fn a_drive_that_is_not_said_to_warm_has_the_temperature_of_the_standard() {
    let report = report();
    assert_eq!(report.celsius, None);
    let smartctl = as_json(&report, Path::new("disk.img"));
    assert_eq!(smartctl["temperature"]["current"], 40);
}

#[test]
fn a_drive_that_is_as_warm_as_it_warns_of_says_so_everywhere() {
    let mut report = nvme_report();
    let log = &mut report.nvme.as_mut().expect("it has logs").health;
    log.critical_warning = ftlab_smart::IS_TOO_WARM;
    (log.warning_minutes, log.critical_minutes) = (7, 2);
    (log.throttled, log.throttled_s) = ([3, 1], [400, 20]);
    let ill = as_json(&report, Path::new("disk.img"));
    assert_eq!(ill["smartctl"]["exit_status"], 8);
    let told = &ill["smart_status"]["nvme"];
    assert_eq!(told["temperature_above_or_below_threshold"], true);
    assert_eq!(told["spare_below_threshold"], false);
    let log = &ill["nvme_smart_health_information_log"];
    let cli = smart_log(&logs(&report).expect("it has logs").health);
    for key in ["warning_temp_time", "critical_comp_time"] {
        assert_eq!(log[key], cli[key], "{key}");
    }
    for (key, value) in [
        ("warning_temp_time", 7),
        ("critical_comp_time", 2),
        ("thm_temp1_trans_count", 3),
        ("thm_temp2_trans_count", 1),
        ("thm_temp1_total_time", 400),
        ("thm_temp2_total_time", 20),
    ] {
        assert_eq!(cli[key], value, "{key}");
    }
    let text = as_text(&report);
    for line in [
        "Warning  Comp. Temperature Time:    7\n",
        "Thermal Temp. 2 Total Time:         20\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let cool = as_text(&nvme_report());
    assert!(!cool.contains("Thermal Temp."), "{cool}");
}

#[test]
fn a_drive_of_ata_has_no_logs_of_nvme() {
    for wanted in [logs(&report()).err(), extended(&report()).err()] {
        let why = format!("{:?}", wanted.expect("it has none"));
        assert!(
            why.contains("intel-320-120") && why.contains("link.port"),
            "{why}"
        );
    }
}

//! Loop devices as NVMe and ATA drives: what they count of themselves, and pauses while they are too warm.

use crate::fake::{Fake, ocp_log, smart_log};
use crate::machine::Machine;
use crate::sessions::{Bench, Kept};
use ftlab_measure::health::Monitor;
use ftlab_measure::heat::Heat;
use ftlab_measure::session::SessionError;
use ftlab_result::Counters;
use std::time::Duration;

/// Every log says more than the one before: 200 data units of the host, and 1.5 times their bytes of the medium.
const COUNTS: &str = "n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n >n";

fn counting(machine: &mut Machine) -> Fake {
    let fake = Fake::nvme(machine);
    let smart = format!("{COUNTS}\n{}", smart_log("310", "$((1000 + 200 * n))"));
    let ocp = format!(
        "n=$(cat n)\n{}",
        ocp_log("$((7 + 200 * n * 512000 * 3 / 2))")
    );
    fake.plays(
        "nvme",
        &[
            ("smart-log DRIVE -o json", &smart),
            ("ocp smart-add-log DRIVE -o json", &ocp),
        ],
    );
    fake
}

fn run(
    bench: &Bench,
    fake: &Fake,
    names: &[&str],
    heat: Option<(i32, Duration)>,
) -> (Kept, Result<(), SessionError>) {
    let programs = fake.programs();
    let monitor = Monitor::of(&bench.held, programs.clone());
    let heat = heat.map(|(limit_celsius, look_every)| Heat {
        monitor: &monitor,
        limit_celsius,
        look_every,
    });
    bench.run_with(&bench.plan(names), None, &programs, &monitor, heat)
}

#[test]
fn each_step_has_the_counters_of_an_nvme_drive_before_and_after() {
    let Some(mut machine) = Machine::turn("counters of an NVMe drive") else {
        return;
    };
    let fake = counting(&mut machine);
    let bench = Bench::on(fake.hold(true));
    let (kept, ended) = run(&bench, &fake, &["write"], None);
    ended.unwrap();
    let [used] = &kept.runs[..] else {
        panic!("{:?}", kept.begun)
    };
    let at = &used.at[0];
    // Erased, filled, used, measured.
    assert_eq!(at.counted.len(), 4);
    assert_eq!(used.steps.len(), 3);
    for (counted, step) in at.counted.iter().zip(&used.steps) {
        assert_eq!(&counted.step, step);
    }
    for pair in at.counted.windows(2) {
        assert_eq!(pair[0].after, pair[1].before);
    }
    let last = &at.counted[3];
    let units = |counters: &Counters| counters.host_bytes_written.unwrap() / 512_000;
    assert_eq!(units(&last.after) - units(&last.before), 200);
    assert_eq!(
        (last.after.percentage_used, last.after.celsius),
        (Some(3), Some(37))
    );
    assert_eq!(
        (last.after.unsafe_shutdowns, last.after.available_spare),
        (Some(2), Some(100))
    );
    assert_eq!((last.wa, used.metrics["wa"]), (Some(1.5), 1.5));
    let logs = at.nvme.as_ref().unwrap();
    assert_eq!(logs.health.host_writes, 80_000);
    assert_eq!(
        logs.extended.as_ref().unwrap().media_bytes_written,
        last.after.media_bytes_written.unwrap()
    );
    assert!(!used.notes.iter().any(|note| note.contains("not known")));
}

#[test]
fn what_a_drive_does_not_say_is_not_there() {
    let Some(mut machine) = Machine::turn("a drive that says little") else {
        return;
    };
    let fake = Fake::nvme(&mut machine);
    let smart = format!("{COUNTS}\n{}", smart_log("310", "$((1000 + 200 * n))"));
    let no_log = "echo 'NVMe status: Invalid Log Page' >&2; exit 1";
    let answers = [
        ("smart-log DRIVE -o json", smart.as_str()),
        ("ocp smart-add-log DRIVE -o json", no_log),
    ];
    fake.plays("nvme", &answers);
    let bench = Bench::on(fake.hold(true));
    let (kept, ended) = run(&bench, &fake, &["write"], None);
    ended.unwrap();
    let last = kept.runs[0].at[0].counted.last().unwrap();
    assert!(last.after.host_bytes_written.is_some());
    assert_eq!((last.after.media_bytes_written, last.wa), (None, None));
    assert!(!kept.runs[0].metrics.contains_key("wa"));
    let note = |note: &String| note.contains("no OCP log");
    assert!(
        kept.runs[0].notes.iter().any(note),
        "{:?}",
        kept.runs[0].notes
    );

    let silent = Monitor::of(&bench.held, fake.no_programs());
    assert_eq!(silent.ask().counters(), Counters::default());
    assert_eq!(silent.warning_celsius(), None);
}

#[test]
fn smartctl_answers_for_an_nvme_drive_where_nvme_cli_is_missing() {
    let Some(mut machine) = Machine::turn("smartctl for NVMe") else {
        return;
    };
    let fake = Fake::nvme(&mut machine);
    let said = r#"cat <<END
{"smartctl": {"version": [7, 3], "exit_status": 4}, "device": {"type": "nvme", "protocol": "NVMe"},
 "nvme_smart_health_information_log": {"critical_warning": 0, "temperature": 41, "available_spare": 99,
  "available_spare_threshold": 10, "percentage_used": 1, "data_units_read": 5, "data_units_written": 77,
  "unsafe_shutdowns": 6, "media_errors": 1}}
END
exit 4"#;
    fake.plays("smartctl", &[("-j -a -d nvme DRIVE", said)]);
    let monitor = Monitor::of(&fake.hold(false), fake.programs());
    let counters = monitor.ask().counters();
    assert_eq!(counters.host_bytes_written, Some(77 * 512_000));
    assert_eq!(
        (counters.celsius, counters.media_errors),
        (Some(41), Some(1))
    );
    assert_eq!(counters.media_bytes_written, None);
}

#[test]
fn attributes_of_an_ata_drive_are_in_the_results() {
    let Some(mut machine) = Machine::turn("attributes of an ATA drive") else {
        return;
    };
    let fake = Fake::ata(&mut machine);
    let said = format!(
        r#"{COUNTS}
cat <<END
{{"in_smartctl_database": true, "logical_block_size": 512, "temperature": {{"current": 30}},
 "ata_smart_attributes": {{"revision": 1, "table": [
  {{"id": 241, "name": "Host_Writes_32MiB", "value": 100, "worst": 100, "thresh": 0,
   "raw": {{"value": $((n * 3200)), "string": ""}}}},
  {{"id": 249, "name": "NAND_Writes_1GiB", "value": 100, "worst": 100, "thresh": 0,
   "raw": {{"value": $((n * 300)), "string": ""}}}}]}}}}
END"#
    );
    fake.plays("smartctl", &[("-j -a -d sat DRIVE", &said)]);
    let bench = Bench::on(fake.hold(true));
    let (kept, ended) = run(&bench, &fake, &["write"], None);
    ended.unwrap();
    assert_eq!(kept.runs[0].metrics["wa"], 3.0);
    let names = kept.runs[0].at[0].smart.iter().map(|row| row.name.as_str());
    assert!(names.eq(["Host_Writes_32MiB", "NAND_Writes_1GiB"]));
}

/// A drive whose temperature is the next line of a file each time, and at the end its last one.
fn warm(machine: &mut Machine, kelvins: &str) -> Fake {
    let fake = Fake::nvme(machine);
    let next = "k=$(head -n 1 kelvins)\nif [ $(wc -l <kelvins) -gt 1 ]; then sed -i 1d kelvins; fi";
    let smart = format!("{next}\n{}", smart_log("$k", "1000"));
    let controller = r#"echo '{"vid":5197,"oacs":0,"fna":0,"cmic":0,"sanicap":0,"wctemp":343,"cctemp":353,"nn":1}'"#;
    fake.plays(
        "nvme",
        &[
            ("smart-log DRIVE -o json", &smart),
            ("id-ctrl DRIVE -o json", controller),
        ],
    );
    fake.keeps("kelvins", kelvins);
    fake
}

const SOON: Duration = Duration::from_millis(20);

#[test]
fn a_step_waits_until_a_drive_has_cooled_down() {
    let Some(mut machine) = Machine::turn("a warm drive before a step") else {
        return;
    };
    // Asked at first; too warm; at work until 65 °C; then cool.
    let fake = warm(&mut machine, "300\n344\n341\n338\n300\n");
    let bench = Bench::on(fake.hold(true));
    let monitor = Monitor::of(&bench.held, fake.programs());
    assert_eq!(monitor.warning_celsius(), Some(70));
    let (kept, ended) = run(&bench, &fake, &["read"], Some((70, SOON)));
    ended.unwrap();
    let pauses = kept
        .begun
        .iter()
        .filter(|words| words.starts_with("pausing"));
    let pauses: Vec<&String> = pauses.collect();
    assert_eq!(
        pauses,
        ["pausing, for read/new: the drive has 71 °C and goes on at 65 °C"]
    );
    assert_eq!(kept.runs.len(), 2);
}

#[test]
fn a_measurement_pauses_when_a_drive_gets_too_warm_and_the_run_says_so() {
    let Some(mut machine) = Machine::turn("a warm drive in a measurement") else {
        return;
    };
    // Asked at first and before the step; then too warm three times.
    let fake = warm(&mut machine, "300\n300\n344\n344\n344\n300\n");
    let bench = Bench::on(fake.hold(false));
    let tests: Vec<_> = bench.tests_of(&["long"]);
    let plan = ftlab_measure::plan::Plan::as_found(&tests, bench.target(), ftlab_lab::Length::Full);
    let programs = fake.programs();
    let monitor = Monitor::of(&bench.held, programs.clone());
    let heat = Heat {
        monitor: &monitor,
        limit_celsius: 70,
        look_every: SOON,
    };
    let (kept, ended) = bench.run_with(&plan, None, &programs, &monitor, Some(heat));
    ended.unwrap();
    let warnings = &kept.runs[0].warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].saw.contains("limit of temperature"),
        "{warnings:?}"
    );
    assert_eq!(
        std::fs::read_to_string(fake.folder.join("kelvins")).unwrap(),
        "300\n"
    );
}

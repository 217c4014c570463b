//! Ways of erasing, on loop devices that pose as drives. The programs check what they are asked: anything else fails.

use crate::fake::Fake;
use crate::machine::Machine;
use crate::sessions::Bench;
use ftlab_measure::health::Monitor;
use std::os::unix::fs::FileExt;

const NAMESPACE: &str =
    r#"echo '{"nsze":16384,"ncap":16384,"nuse":16384,"flbas":1,"mc":0,"dpc":0,"dps":0}'"#;
const FORMAT: &str = "format DRIVE --namespace-id=1 --lbaf=1 --ms=0 --pi=0 --pil=0";
const DONE: &str = "echo 'Success formatting namespace:1'";

fn controller(oacs: u32, fna: u32, sanicap: u32, cmic: u32) -> String {
    format!(
        r#"echo '{{"vid":5197,"cmic":{cmic},"oacs":{oacs},"fna":{fna},"sanicap":{sanicap},"wctemp":343,"nn":32}}'"#
    )
}

/// What a drive is asked when it is erased, but for its counters; and the words for how it was.
fn erased(fake: &Fake) -> (Vec<String>, String) {
    let bench = Bench::on(fake.hold(true));
    bench
        .held
        .file()
        .unwrap()
        .write_all_at(b"somebody's", 0)
        .unwrap();
    let programs = fake.programs();
    let monitor = Monitor::of(&bench.held, programs.clone());
    let plan = bench.plan(&["long"]);
    let (kept, ended) = bench.run_with(&plan, None, &programs, &monitor, None);
    ended.unwrap();
    let mut asked = fake.asked();
    asked.retain(|words| !words.contains("-log DRIVE") && !words.starts_with("smartctl"));
    (asked, kept.runs[0].steps[0].clone())
}

/// Plays a drive, with the words to which it says a thing.
fn drive(machine: &mut Machine, answers: &[(&str, &str)]) -> (Vec<String>, String) {
    let fake = Fake::nvme(machine);
    fake.plays("nvme", answers);
    erased(&fake)
}

#[test]
fn an_nvme_drive_is_formatted_in_the_form_that_it_has() {
    let Some(mut machine) = Machine::turn("an NVMe format") else {
        return;
    };
    let (asked, words) = drive(
        &mut machine,
        &[
            ("id-ctrl DRIVE -o json", &controller(0b10, 0b100, 0, 0)),
            ("id-ns DRIVE -o json", NAMESPACE),
            (&format!("{FORMAT} --ses=1 --force"), DONE),
        ],
    );
    assert_eq!(
        asked,
        [
            "nvme id-ctrl DRIVE -o json".to_owned(),
            "nvme id-ns DRIVE -o json".to_owned(),
            format!("nvme {FORMAT} --ses=1 --force")
        ]
    );
    assert_eq!(
        words,
        "NVMe format of namespace 1 with secure erase of all user data (--ses=1)."
    );
}

#[test]
fn a_key_is_erased_where_the_drive_erases_no_data() {
    let Some(mut machine) = Machine::turn("an NVMe format of the key") else {
        return;
    };
    let (asked, words) = drive(
        &mut machine,
        &[
            ("id-ctrl DRIVE -o json", &controller(0b10, 0b100, 0, 0)),
            ("id-ns DRIVE -o json", NAMESPACE),
            (&format!("{FORMAT} --ses=2 --force"), DONE),
        ],
    );
    assert_eq!(asked.len(), 4);
    assert!(
        words.contains("secure erase of its key (--ses=2)"),
        "{words}"
    );
}

#[test]
fn a_namespace_that_is_not_alone_is_not_formatted_with_the_others() {
    let two = r#"echo '{"nsid_list":[{"nsid":1},{"nsid":2}]}'"#;
    for (fna, sanicap) in [(0b001, 0b10), (0b010, 0b01), (0b111, 0b11)] {
        let Some(mut machine) = Machine::turn("a namespace among others") else {
            return;
        };
        let (asked, words) = drive(
            &mut machine,
            &[
                (
                    "id-ctrl DRIVE -o json",
                    &controller(0b1010, fna, sanicap, 0),
                ),
                ("list-ns DRIVE --all -o json", two),
            ],
        );
        let writes = |words: &&String| words.contains("format") || words.contains("sanitize DRIVE");
        assert_eq!(asked.iter().filter(writes).count(), 0, "{asked:?}");
        assert!(words.starts_with("TRIM of everything"), "{words}");
        assert!(words.contains("the drive has 2"), "{words}");
    }
}

#[test]
fn a_drive_that_does_not_say_what_an_erase_takes_is_not_erased_by_its_own_commands() {
    for missing in ["fna", "cmic"] {
        let Some(mut machine) = Machine::turn("a drive that says little of itself") else {
            return;
        };
        let said = controller(0b1010, 0b001, 0b10, 0).replace(missing, "other");
        let answers = [
            ("id-ctrl DRIVE -o json", said.as_str()),
            ("id-ns DRIVE -o json", NAMESPACE),
        ];
        let (asked, words) = drive(&mut machine, &answers);
        let writes = |words: &&String| words.contains("format") || words.contains("sanact");
        assert_eq!(asked.iter().filter(writes).count(), 0, "{asked:?}");
        assert!(
            words.contains(&format!("does not say {missing}")),
            "{words}"
        );
    }
}

#[test]
fn a_drive_with_controllers_that_cannot_be_seen_is_not_formatted_whole() {
    let Some(mut machine) = Machine::turn("a drive of several controllers") else {
        return;
    };
    let (_, words) = drive(
        &mut machine,
        &[("id-ctrl DRIVE -o json", &controller(0b10, 0b001, 0, 0b10))],
    );
    assert!(
        words.contains("other controllers cannot be seen"),
        "{words}"
    );
}

#[test]
fn a_drive_without_format_sanitizes_itself_and_is_waited_for() {
    let Some(mut machine) = Machine::turn("an NVMe sanitize") else {
        return;
    };
    let log = r#"n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n >n
case $n in
1) echo '{"3":{"sprog":30000,"sstat":{"global_erased":0,"no_cmplted_passes":0,"status":"(2) Sanitize in Progress."}}}';;
*) echo '{"3":{"sprog":65535,"sstat":{"global_erased":1,"no_cmplted_passes":0,"status":"(1) Most Recent Sanitize Command Completed Successfully."}}}';;
esac"#;
    let (asked, words) = drive(
        &mut machine,
        &[
            ("id-ctrl DRIVE -o json", &controller(0, 0, 0b11, 0)),
            (
                "list-ns DRIVE -o json",
                r#"echo '{"nsid_list":[{"nsid":1}]}'"#,
            ),
            ("sanitize --help", "echo '  [  --ause, -u ]'"),
            ("sanitize DRIVE --sanact=2", ""),
            ("sanitize-log DRIVE -o json", log),
        ],
    );
    assert!(
        asked.contains(&"nvme sanitize DRIVE --sanact=2".to_owned()),
        "{asked:?}"
    );
    assert_eq!(words, "NVMe sanitize of the drive (block erase).");
    let looks = std::fs::read_to_string(machine.path("programs/n")).unwrap();
    assert_eq!(looks, "2\n");
}

#[test]
fn a_drive_that_takes_no_command_is_trimmed_and_the_step_says_why() {
    let Some(mut machine) = Machine::turn("an NVMe drive that is trimmed") else {
        return;
    };
    let (_, words) = drive(
        &mut machine,
        &[
            ("id-ctrl DRIVE -o json", &controller(0b10, 0, 0, 0)),
            ("id-ns DRIVE -o json", NAMESPACE),
            (
                &format!("{FORMAT} --ses=1 --force"),
                "echo 'NVMe status: Access Denied' >&2; exit 1",
            ),
        ],
    );
    assert!(words.starts_with("TRIM of everything"), "{words}");
    assert!(
        words.contains("no format: NVMe status: Access Denied"),
        "{words}"
    );
    assert!(words.contains("no sanitize: the drive has none"), "{words}");
}

const SECURITY: &str =
    "printf '%s\\n' 'Security:' '\t\tsupported' '\tnot\tenabled' '\tnot\tlocked'";

#[test]
fn an_ata_drive_is_erased_if_it_is_not_frozen() {
    let Some(mut machine) = Machine::turn("an ATA secure erase") else {
        return;
    };
    let fake = Fake::ata(&mut machine);
    let free = format!("{SECURITY} '\tnot\tfrozen'");
    fake.plays(
        "hdparm",
        &[
            ("-I DRIVE", &free),
            ("--user-master u --security-set-pass ftlab DRIVE", ""),
            ("--user-master u --security-erase ftlab DRIVE", ""),
        ],
    );
    let (asked, words) = erased(&fake);
    assert_eq!(asked.len(), 3);
    assert_eq!(words, "ATA secure erase of everything.");
}

#[test]
fn a_frozen_ata_drive_gets_no_password() {
    let Some(mut machine) = Machine::turn("a frozen ATA drive") else {
        return;
    };
    let fake = Fake::ata(&mut machine);
    fake.plays("hdparm", &[("-I DRIVE", &format!("{SECURITY} '\tfrozen'"))]);
    let (asked, words) = erased(&fake);
    assert_eq!(asked, ["hdparm -I DRIVE"]);
    assert!(words.contains("frozen"), "{words}");
}

#[test]
fn a_password_that_an_erase_leaves_behind_is_taken_away() {
    let Some(mut machine) = Machine::turn("an ATA erase that fails") else {
        return;
    };
    let fake = Fake::ata(&mut machine);
    let free = format!("{SECURITY} '\tnot\tfrozen'");
    let fails = "echo 'SECURITY_ERASE: Input/output error' >&2; exit 5";
    fake.plays(
        "hdparm",
        &[
            ("-I DRIVE", &free),
            ("--user-master u --security-set-pass ftlab DRIVE", ""),
            ("--user-master u --security-erase ftlab DRIVE", fails),
            ("--user-master u --security-disable ftlab DRIVE", ""),
        ],
    );
    let (asked, words) = erased(&fake);
    assert_eq!(asked.len(), 4);
    assert!(words.contains("Input/output error"), "{words}");
}

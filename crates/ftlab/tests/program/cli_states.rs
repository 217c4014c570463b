//! States, and drives saved in them, as a person or a script meets them.

use crate::place::{Place, holds, program};
use ftlab_sheet::magic;
use serde_json::Value;

/// A drive that is prepared in no time.
const SMALL: &str =
    "--drive generic-mlc-8 --set nand.blocks_per_die=32 --set nand.pages_per_block=64";

/// What a run tells, less what the clock on the wall and the place of files add.
fn told(place: &Place, line: &str) -> Value {
    let mut json = place.json(&format!("run {line} --output-format json"));
    for key in ["timestamp", "timestamp_ms", "time"] {
        json[key].take();
    }
    for key in ["wall_seconds", "from_state"] {
        json["ftlab"][key].take();
    }
    json
}

fn save(place: &Place) -> Vec<u8> {
    let line = format!("run random.fio {SMALL} --state used --save-state used.state");
    place.out(&line);
    std::fs::read(place.path("used.state")).unwrap()
}

fn files(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(".")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_state_can_be_asked_for_and_says_what_it_is() {
    let place = Place::new();
    for (state, step) in [
        ("new", "Nothing was ever written"),
        ("filled", "in order, in writes of 1 MiB"),
        ("filled-random", "4 KiB in random order"),
        ("used", "nine tenths of them"),
        ("restored", "an image of a system"),
        ("steady", "rounds"),
        ("steady-fast", "closed form"),
    ] {
        let line = format!("run random.fio {SMALL} --state {state}");
        holds(&place.out(&line), &[&format!(", {state}, seed 1"), step]);
        let ftlab = &told(&place, &line[4..])["ftlab"];
        assert_eq!(ftlab["state"], state);
        let steps = ftlab["steps"].as_array().unwrap();
        assert!(steps.iter().any(|s| s.as_str().unwrap().contains(step)));
    }
}

#[test]
fn a_steady_drive_tells_its_rounds() {
    let place = Place::new();
    let line = format!("random.fio {SMALL} --state steady");
    holds(&place.out(&format!("run {line}")), &["It was steady after"]);
    let settling = told(&place, &line)["ftlab"]["settling"].take();
    let rounds = settling["rounds"].as_u64().unwrap();
    assert!((5..=25).contains(&rounds));
    assert_eq!(settling["settled"], true);
    assert_eq!(settling["wa"].as_array().unwrap().len() as u64, rounds);
}

#[test]
fn states_beyond_a_drive_are_refused_with_another_way() {
    let place = Place::new();
    let refused = |drive: &str, state: &str| {
        place.refused(&format!("run random.fio --drive {drive} --state {state}"))
    };
    let way = "use --state steady";
    holds(
        &refused("ocz-core-jmf602", "steady-fast"),
        &["page mapping", way],
    );
    let small = "ocz-core-jmf602 --set nand.blocks_per_die=64 --set spare.op=0.5";
    holds(
        &refused(small, "filled-random"),
        &["days", "--state filled"],
    );
}

#[test]
fn a_run_from_a_saved_state_is_the_run_that_saved_it() {
    let place = Place::new();
    for state in ["new", "used", "steady-fast"] {
        let options = format!("random.fio {SMALL}");
        let whole = told(
            &place,
            &format!("{options} --state {state} --save-state s.state --replace"),
        );
        let again = told(&place, &format!("{options} --from-state s.state"));
        assert_eq!(again, whole, "{state}");
        let other = told(&place, &format!("{options} --from-state s.state --seed 2"));
        assert_eq!(other["ftlab"]["state_seed"], 1);
        // On a drive that was never written it makes no difference where the writes go.
        let same = other["jobs"] == whole["jobs"];
        assert_eq!(same, state == "new", "another seed, another job");
    }
}

#[test]
fn a_drive_saved_after_a_job_has_been_through_it() {
    let place = Place::new();
    let save = format!("run random.fio {SMALL} --save-after after.state");
    place.out(&save);
    let run = |file: &str| {
        let line = format!("run random.fio {SMALL} --from-state {file}");
        place.out(&line)
    };
    holds(
        &run("after.state"),
        &[
            "filled + random.fio",
            "Then the job file random.fio with seed 1, and a flush",
            "loaded from",
        ],
    );
    // Without a clock the two halves of a job are the whole.
    place.write("half.fio", "[w]\nrw=write\nbs=4k\nsize=50%\n");
    place.write("rest.fio", "[w]\nrw=write\nbs=4k\noffset=50%\n");
    place.write("both.fio", "[w]\nrw=write\nbs=4k\n");
    let hash_after = |line: &str| {
        place.out(&format!("run {line} --save-after end.state --replace"));
        told(
            &place,
            &format!("random.fio {SMALL} --from-state end.state"),
        )["jobs"]
            .take()
    };
    place.out(&format!(
        "run half.fio {SMALL} --untimed --save-after half.state"
    ));
    let rest = hash_after(&format!(
        "rest.fio {SMALL} --untimed --from-state half.state"
    ));
    assert_eq!(rest, hash_after(&format!("both.fio {SMALL} --untimed")));
}

#[test]
fn what_is_wrong_with_a_saved_state_is_said_in_one_line() {
    let place = Place::new();
    let good = save(&place);
    let refused = |bytes: &[u8]| {
        std::fs::write(place.path("bad.state"), bytes).unwrap();
        place.refused(&format!("run random.fio {SMALL} --from-state bad.state"))
    };
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    holds(&refused(&flipped), &["bad.state", "damaged", "checksum"]);
    holds(&refused(&good[..good.len() - 1]), &["bad.state", "cut off"]);
    holds(
        &refused(b"[w]\nrw=randwrite\n"),
        &["bad.state", "not a saved state"],
    );
    holds(&refused(b""), &["not a saved state"]);
    let mut newer = good.clone();
    newer[8] += 1;
    let (now, later) = (good[8], newer[8]);
    holds(
        &refused(&newer),
        &[&format!("format {later}"), &format!("reads format {now}")],
    );
    let from = |more: &str| place.refused(&format!("run random.fio {more}"));
    holds(
        &from(&format!(
            "{SMALL} --set spare.op=0.3 --from-state used.state"
        )),
        &["other settings", "spare.op was 0.127 and is 0.3"],
    );
    holds(
        &from("--drive samsung-slc-64 --from-state used.state"),
        &["generic-mlc-8, not samsung-slc-64"],
    );
    holds(
        &from(&format!("{SMALL} --from-state .")),
        &["directory", "--save-state"],
    );
    holds(
        &from(&format!("{SMALL} --from-state none")),
        &["none", "no such file"],
    );
}

#[test]
fn where_a_state_cannot_be_saved_is_said_before_the_work() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    for option in ["--save-state", "--save-after"] {
        let refused = |to: &str| {
            // A drive that would take long to prepare.
            let line = format!("run random.fio --drive generic-mlc-8 --state steady {option} {to}");
            let error = place.refused(&line);
            holds(&error, &["cannot write to", to, option]);
            error
        };
        holds(&refused("folder"), &["it is a directory"]);
        holds(&refused("nowhere/a.state"), &["no directory nowhere"]);
        #[cfg(target_os = "linux")]
        {
            holds(&refused("/dev/null"), &["not a regular file"]);
            refused("/proc/a.state");
        }
    }
    let both = format!("run random.fio {SMALL} --save-state a --save-after a");
    holds(&place.refused(&both), &["same file"]);
    assert_eq!(files(&place), ["folder", "random.fio"]);
    let two = format!("run random.fio {SMALL} --state used --from-state a");
    place.ftlab(&two).assert().code(2).stdout("");
}

/// A limit on the size of files takes the place of a full disk: the write fails half-way.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let place = Place::new();
    let before = [&magic::SAVED_STATE[..], b"what was there"].concat();
    std::fs::write(place.path("a.state"), &before).unwrap();
    let program = program();
    let line = format!(
        "trap '' XFSZ; ulimit -f 4; exec {program} run random.fio {SMALL} --state used \
         --save-state a.state --replace"
    );
    let mut shell = assert_cmd::Command::new("sh");
    let assert = shell
        .args(["-c", &line])
        .current_dir(place.path("."))
        .assert();
    let assert = assert.code(2).stdout("");
    let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    holds(&error, &["error: cannot write a.state"]);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(std::fs::read(place.path("a.state")).unwrap(), before);
    assert_eq!(files(&place), ["a.state", "random.fio"]);
}

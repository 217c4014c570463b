//! Reviews that end early, one way or another, and go on.

use crate::place::{self, Place, holds, program};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

const FIRST: &str = "seagate-momentus-7200.2";
const SECOND: &str = "wd-velociraptor-300";

/// Runs to its end, whatever that is: exit code and standard error.
fn ends(place: &Place, line: &str) -> (i32, String) {
    let output = place.ftlab(line).output().unwrap();
    let error = place::without_signs_of_life(&output.stderr);
    (output.status.code().unwrap(), error)
}

#[test]
fn what_is_kept_is_taken_up_and_gives_the_same_bytes() {
    let place = Place::new();
    let review = |out: &str, more: &str| {
        let line = format!("review {FIRST} {SECOND} --test A1 --test A3 --out {out} {more}");
        let (code, error) = ends(&place, &line);
        assert_eq!(code, 0, "{error}");
        (place.read(&format!("{out}/results.json")), error)
    };
    let (whole, log) = review("whole", "");
    holds(&log, &["1 of 2 drives: ", "2 of 2 drives: ", "; done"]);
    let kept = place.read("whole/cells.jsonl");
    let part: String = kept.split_inclusive('\n').take(3).collect();
    std::fs::create_dir_all(place.path("part")).unwrap();
    place.write("part/cells.jsonl", &part);
    let (resumed, log) = review("part", "--resume");
    assert_eq!(resumed, whole);
    holds(&log, &["2 of 8 runs are there already"]);
    // A line that was not written whole counts for nothing.
    place.write("part/cells.jsonl", &part[..part.len() - 9]);
    let (resumed, log) = review("part", "--resume");
    assert_eq!(resumed, whole);
    holds(&log, &["1 of 8 runs are there already"]);

    // Taken as it is, so that nothing can have been run again behind our back.
    let wrong = part.replacen("\"iops\":", "\"iops\":1", 1);
    assert_ne!(wrong, part);
    place.write("part/cells.jsonl", &wrong);
    assert_ne!(review("part", "--resume").0, whole);
    // And without the option, nothing is.
    assert_eq!(review("part", "").0, whole);
}

/// Everything is there already: nothing is run, and the bytes are the same.
#[test]
fn each_command_that_keeps_its_runs_takes_them_up() {
    let place = Place::new();
    place.write(
        "w.fio",
        "[w]\nrw=randwrite\nbs=4k\nsize=8m\nrate_iops=500\n",
    );
    let small = "--set nand.blocks_per_die=64";
    for (line, written) in [
        (
            "compare generic-mlc-8 --set nand.blocks_per_die=32,64 --test A1 --state new --quick --out compare".to_owned(),
            ["compare/results.json", "compare/compare.svg"],
        ),
        (
            format!("pts generic-mlc-8 {small} --test latency --out pts"),
            ["pts/results.json", "pts/index.html"],
        ),
        (
            format!("plan w.fio --drive generic-mlc-8 {small} --quick --spare 28% --wa 2 --out plan"),
            ["plan/results.json", "plan/index.html"],
        ),
        (
            "claims C002 C023 --json c.json --keep claims".to_owned(),
            ["c.json", "c.json"],
        ),
    ] {
        let folder = line.split_whitespace().last().unwrap().to_owned();
        let kept = format!("{folder}/cells.jsonl");
        let run = |more: &str| {
            let (code, error) = ends(&place, &format!("{line} {more}"));
            assert_eq!(code, 0, "{line}: {error}");
            (error, written.map(|name| place.read(name)))
        };
        let (_, whole) = run("");
        let cells = place.read(&kept);
        assert!(cells.lines().count() > 1, "{line}");
        let (error, again) = run("--resume");
        assert!(!error.contains("are there already"), "{line}: {error}");
        assert!(again == whole, "{line}");
        // A cell that ran again would be kept again.
        assert_eq!(place.read(&kept), cells, "{line}");
        let head = cells.split_inclusive('\n').next().unwrap();
        place.write(&kept, head);
        let (error, anew) = run("--resume");
        holds(&error, &["0 of ", " runs are there already"]);
        assert!(anew == whole, "{line}");
    }
}

#[test]
fn what_does_not_fit_is_run_again() {
    let place = Place::new();
    let line = |more: &str| format!("review {FIRST} --test A1 --out o {more}");
    let keep = |more: &str| assert_eq!(ends(&place, &line(more)).0, 0);
    let goes_on = |more: &str, said: &str| {
        let (code, error) = ends(&place, &line(&format!("--resume {more}")));
        assert_eq!(code, 0, "{error}");
        match said {
            "" => assert_eq!(error, ""),
            _ => holds(&error, &[said, "runs are there already"]),
        }
    };
    keep("--seed 2");
    goes_on("", "0 of 1 ");
    // The new run fits, and so does the old one.
    goes_on("", "");
    goes_on("--seed 2", "");
    goes_on("--repeats 2", "1 of 2 ");
    goes_on("--repeats 2", "");
    goes_on("--quick", "0 of 1 ");
    goes_on("--testbed anandtech-2013", "0 of 1 ");
    // A test more is run beside those that are kept.
    goes_on("--test A3", "1 of 4 ");
    let kept = place.read("o/cells.jsonl");
    let other = kept.replacen("\"simulator\":\"", "\"simulator\":\"x", 1);
    assert_ne!(other, kept);
    place.write("o/cells.jsonl", &other);
    goes_on("", "0 of 1 ");
}

#[test]
fn a_test_of_a_suite_is_run_again_when_its_job_was_changed() {
    let place = Place::new();
    place.write(
        "mine.toml",
        "schema = 1\ntitle = \"Mine\"\nstates = [\"new\"]\n[[family]]\nslug = \"w\"\ntitle = \"W\"\n\
         chart = \"bars\"\nmetric = \"iops\"\nunit = \"IOPS\"\n[[family.step]]\njob = \"w.fio\"\n",
    );
    let line = format!("review {FIRST} --suite mine.toml --resume --out o");
    let (code, error) = ends(&place, &line);
    assert_eq!(code, 2, "{error}");
    holds(&error, &["mine.toml:11: there is no job file `w.fio`"]);
    let review = |ios: u32| {
        let job = format!("[w]\nrw=randwrite\nbs=4k\nnumber_ios={ios}\n");
        place.write("w.fio", &job);
        let (code, error) = ends(&place, &line);
        assert_eq!(code, 0, "{error}");
        let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
        (set["runs"][0]["write"]["ios"].as_u64().unwrap(), error)
    };
    assert_eq!(review(100).0, 100);
    let (_, log) = review(100);
    assert!(!log.contains("are there already"), "{log}");
    let (ios, log) = review(200);
    assert_eq!(ios, 200, "{log}");
    holds(&log, &["0 of 1 runs are there already"]);
}

#[test]
fn one_drive_that_fails_takes_no_other_with_it() {
    let place = Place::new();
    // No room on this one for the files of the programs.
    let line =
        format!("review generic-mlc-8 {SECOND} --test webpage-load-while-extract-5gb --out o");
    let (code, error) = ends(&place, &line);
    assert_eq!(code, 2, "{error}");
    holds(
        &error,
        &["1 of 2 drives failed", "generic-mlc-8", "smaller `at`"],
    );
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    assert_eq!(set["drives"][0]["drive"], SECOND);
    assert_eq!(set["drives"].as_array().unwrap().len(), 1);
    assert_eq!(set["unfinished"][0]["drive"], "generic-mlc-8");
    holds(
        &place.read("o/index.html"),
        &["Without results", "generic-mlc-8"],
    );
    let alone = line.replace(SECOND, "");
    let (code, error) = ends(&place, &alone);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
}

/// Waits until a run is kept in `o`, behind the line that says by which program, and interrupts the program then.
#[cfg(unix)]
#[track_caller]
fn interrupt_when_kept(child: &std::process::Child, place: &Place) {
    let kept = place.path("o/cells.jsonl");
    let is_kept = || {
        let text = std::fs::read_to_string(&kept).unwrap_or_default();
        text.matches('\n').count() > 1
    };
    for _ in 0..60_000 {
        if is_kept() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(is_kept(), "no run was ever kept");
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_what_is_done_readable_and_says_how_to_go_on() {
    let place = Place::new();
    // The disk is done at once, the other takes minutes.
    let line = format!("review {FIRST} samsung-slc-64 --test A1 --test E1 --jobs 1 --out o");
    let mut command = Command::new(program());
    command.args(line.split_whitespace()).current_dir(&place.0);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    interrupt_when_kept(&child, &place);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    holds(
        &error,
        &["interrupted: ", "to go on: ", "--test E1", "--resume"],
    );
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    assert_eq!(set["runs"][0]["drive"], FIRST);
    assert_eq!(set["unfinished"][0]["drive"], "samsung-slc-64");
    assert!(place.read("o/index.html").contains("</html>"));
    let left = std::fs::read_dir(place.path("o")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().starts_with('.')),
        "{names:?}"
    );
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_the_tests_of_a_drive_that_are_done() {
    let place = Place::new();
    // The first test is done at once, the others take seconds.
    let line = "review samsung-slc-64 --test A1 --test E1 --jobs 1 --out o";
    let file = "o/cells.jsonl";
    let mut command = Command::new(program());
    command.args(line.split_whitespace()).current_dir(&place.0);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    interrupt_when_kept(&child, &place);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    holds(
        &error,
        &[
            "0 of 1 drives are done, 1 of 3 runs of samsung-slc-64",
            "--resume",
        ],
    );
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    assert_eq!(set["runs"].as_array().unwrap().len(), 1);
    let why = set["unfinished"][0]["why"].as_str().unwrap();
    holds(why, &["interrupted", "1 of its 3 tests are done"]);
    holds(&place.out("report o"), &["samsung-slc-64"]);

    // Going on takes the test as it was kept.
    let kept = place.read(file);
    let wrong = kept.replacen("\"iops\":", "\"iops\":1", 1);
    assert_ne!(wrong, kept);
    let goes_on = |kept: &str| {
        place.write(file, kept);
        let (code, error) = ends(&place, "review samsung-slc-64 --test A1 --out o --resume");
        assert_eq!((code, error.as_str()), (0, ""));
        place.read("o/results.json")
    };
    assert_ne!(goes_on(&wrong), goes_on(&kept));
    let whole = "review samsung-slc-64 --test A1 --out whole";
    assert_eq!(ends(&place, whole).0, 0);
    assert_eq!(goes_on(&kept), place.read("whole/results.json"));
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_the_variants_that_are_done_readable() {
    use std::io::{BufRead, BufReader, Read};

    let place = Place::new();
    // The first variant is done at once, the other takes minutes to settle.
    let line = "compare generic-mlc-8 --set nand.blocks_per_die=32,4096 --test E1 --quick --jobs 1 --out o";
    let mut command = Command::new(program());
    command.args(line.split_whitespace()).current_dir(&place.0);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    // On a machine with other work, it says first how far it is.
    let mut lines = told.by_ref().lines().map(Result::unwrap);
    let first = lines.find(|line| !line.starts_with("at work for"));
    let first = first.expect("a variant is done");
    holds(&first, &["1 of 2 variants", "nand.blocks_per_die=32"]);
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.unwrap().success());
    let mut error = String::new();
    told.read_to_string(&mut error).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{error}");
    holds(&error, &["interrupted: 1 of 2 variants", "o/compare.svg"]);
    let set: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    let done = "generic-mlc-8@nand.blocks_per_die=32";
    assert_eq!(set["drives"].as_array().unwrap().len(), 1);
    assert_eq!(set["runs"][0]["drive"], done);
    assert_eq!(
        set["unfinished"][0]["drive"],
        "generic-mlc-8@nand.blocks_per_die=4096"
    );
    holds(
        &place.read("o/index.html"),
        &[done, "interrupted before it was done"],
    );
    holds(&place.read("o/compare.svg"), &["Flash: blocks per die"]);
    holds(&place.out("report o"), &[done]);
}

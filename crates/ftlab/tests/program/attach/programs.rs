//! `ftlab crash --run`: a program on a file system of a new drive, and states of that, in one line.

use super::block_device::turn;
use super::server::{json, run, said};
use crate::place::program;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Replaces a file by its next version, and promises that. Its second argument is the command that flushes.
const PROGRAM: &str = r#"
for n in $(seq 12); do
    echo "$n" > "$1/new" && $2 "$1/new" && mv "$1/new" "$1/value" && $2 "$1" && ftlab mark "$FTLAB_DISK" "$n" || exit
done
"#;

const CHECK: &str = r#"
test -n "$FTLAB_MARK" || exit 0
test -s "$1/value" || { echo "version $FTLAB_MARK was promised, and the file is missing or empty"; exit 1; }
test "$(cat "$1/value")" -ge "$FTLAB_MARK" || { echo "version $FTLAB_MARK was promised, and $(cat "$1/value") is there"; exit 1; }
"#;

fn place() -> TempDir {
    let place = TempDir::new().expect("a folder");
    std::fs::write(place.path().join("program.sh"), PROGRAM).expect("room");
    std::fs::write(place.path().join("check.sh"), CHECK).expect("room");
    place
}

fn crash(place: &Path, words: &[&str]) -> Output {
    Command::new(program())
        .arg("crash")
        .args(words)
        .current_dir(place)
        .env("TMPDIR", place)
        .output()
        .expect("the program")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Nothing is mounted and no loop device stays that this test has made in `place`.
fn assert_nothing_is_left(place: &Path) {
    let place = place.to_str().expect("ASCII");
    for left in [
        said("losetup", &["--all"]),
        std::fs::read_to_string("/proc/mounts").expect("proc"),
    ] {
        assert!(!left.contains(place), "{left}");
    }
    let rest = std::fs::read_dir(place).expect("a folder");
    let rest = rest.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let rest: Vec<String> = rest
        .filter(|name| name.starts_with("ftlab-crash-"))
        .collect();
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn a_program_that_flushes_keeps_its_promises_on_every_file_system() {
    let Some(_turn) = turn("crash_run_flushes") else {
        return;
    };
    let place = place();
    for fs in ["ext4", "xfs", "btrfs"] {
        let program = "sh program.sh {mount} sync";
        let words = [
            "--run",
            program,
            "--fs",
            fs,
            "--check",
            "sh check.sh {mount}",
        ];
        let output = crash(
            place.path(),
            &[&words[..], &["--states", "25", "--quiet"]].concat(),
        );
        assert_eq!(output.status.code(), Some(0), "{fs}: {}", error(&output));
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            out.contains("12 marks") && out.contains("failed   0"),
            "{out}"
        );
    }
    assert_nothing_is_left(place.path());
}

#[test]
fn a_program_that_does_not_flush_is_found_and_tried_again() {
    let Some(_turn) = turn("crash_run_forgets") else {
        return;
    };
    let place = place();
    let check = ["--fs", "ext4", "--check", "sh check.sh {mount}", "--quiet"];
    let forgets = [
        "--run",
        "sh program.sh {mount} true",
        "bad.crash",
        "--states",
        "25",
    ];
    let output = crash(
        place.path(),
        &[&forgets[..], &check, &["--output-format", "json"]].concat(),
    );
    assert_eq!(output.status.code(), Some(3), "{}", error(&output));
    let told = json(&String::from_utf8_lossy(&output.stdout));
    let failed = told["failed"].as_u64().expect("a number");
    assert!(failed > 0, "{told}");
    let sum = |rows: &str, of: &str| {
        let rows = told[rows].as_array().expect("rows").iter();
        rows.map(|row| row[of].as_u64().expect("a number"))
            .sum::<u64>()
    };
    assert_eq!(sum("reasons", "states"), failed);
    assert_eq!(
        (sum("marks", "states"), sum("marks", "failed")),
        (25, failed)
    );
    let why = told["smallest"]["why"].as_str().expect("text");
    assert!(why.contains("was promised"), "{why}");
    // What is printed to try it again does.
    let state = told["smallest"]["state"].as_str().expect("a name");
    let again = crash(
        place.path(),
        &[&["bad.crash", "--state", state][..], &check].concat(),
    );
    assert_eq!(again.status.code(), Some(3), "{}", error(&again));
    let out = String::from_utf8_lossy(&again.stdout).into_owned();
    let command = format!(
        "again    ftlab crash bad.crash --fs ext4 --check 'sh check.sh {{mount}}' --state {state}"
    );
    for words in [command.as_str(), "failed   1", "remedy   fsync the file"] {
        assert!(out.contains(words), "{out}");
    }
    // Another program takes the place of the log.
    let output = crash(
        place.path(),
        &[&["--run", "true", "bad.crash"][..], &check[..2]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains(" 0 marks "));
    assert_nothing_is_left(place.path());
}

#[test]
fn what_goes_wrong_in_a_recording_leaves_nothing_behind() {
    let Some(_turn) = turn("crash_run_fails") else {
        return;
    };
    let place = place();
    std::fs::write(place.path().join("mine"), "mine").expect("room");
    let fs = ["--fs", "ext4"];
    for (words, code, why) in [
        (
            &["--run", "exit 4 #"][..],
            1,
            "the program of --run failed: exit status: 4; nothing was checked",
        ),
        (
            &["--run", "true", "--set", "spare.op=0"],
            2,
            "it must be above 0",
        ),
        (&["--run", "true", "--size", "10k"], 1, "mkfs.ext4: "),
        (
            &["--run", "true", "mine"],
            2,
            "this is no older log to replace",
        ),
        (
            &["--run", "true", "--check", "nonesuch"],
            2,
            "the checker cannot be run (exit code 127)",
        ),
    ] {
        let words = [&fs, words, &["--quiet"]].concat();
        let output = crash(place.path(), &words);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{words:?}: {}",
            error(&output)
        );
        assert!(
            error(&output).contains(why),
            "{words:?}: {}",
            error(&output)
        );
        assert_nothing_is_left(place.path());
    }
    assert_eq!(
        std::fs::read(place.path().join("mine")).expect("it is there"),
        b"mine"
    );
}

#[test]
fn ctrl_c_ends_the_program_and_takes_the_drive_away() {
    let Some(_turn) = turn("crash_run_interrupted") else {
        return;
    };
    let place = place();
    // The program says when it is at work.
    let said_path = place.path().join("said");
    let mut child = Command::new(program())
        .args(["crash", "--fs", "ext4", "--quiet"])
        .args(["--run", "touch at-work; sleep 600; : {mount}"])
        .current_dir(&place)
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .stderr(File::create(&said_path).expect("room"))
        .spawn()
        .expect("the program");
    super::block_device::wait_until("the program runs", || place.path().join("at-work").exists());
    run("kill", &["-INT", &child.id().to_string()]);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let said = std::fs::read_to_string(&said_path).expect("text");
    assert!(
        said.contains("interrupted: the program of --run was ended"),
        "{said}"
    );
    assert_nothing_is_left(place.path());
}

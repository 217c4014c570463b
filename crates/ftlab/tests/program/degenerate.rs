//! Drives at the edge of what can be, from the command line: one line says why a drive cannot be,
//! and a drive that can be ends its job.

use crate::place::program;
use assert_cmd::Command;
use tempfile::TempDir;

/// Small and quick: 16 dies with 16 blocks of 8 pages.
const SMALL: &str = "--drive generic-mlc-8 --set nand.blocks_per_die=16 \
                     --set nand.pages_per_block=8 --set spare.op=1.5";

const JOB: &str = "[w]\nrw=randwrite\nbs=4k\nnumber_ios=500\niodepth=4\n";
const BY_TIME: &str = "[w]\nrw=randwrite\nbs=4k\ntime_based\nruntime=1\n";

/// A machine that takes no time.
const NO_TIME: &str = "schema = 1\nname = \"None\"\nsummary = \"None.\"\n\n[host]\nqueue_order = \
                       \"fifo\"\ncommand = { value = 0, unit = \"us\", source = \"assumed\", \
                       confidence = \"high\", note = \"none\" }\n";

/// Runs `ftlab run` in a folder with the files; gives exit code, output and error.
fn run(line: &str) -> (i32, String, String) {
    let place = TempDir::new().unwrap();
    for (name, text) in [
        ("job.fio", JOB),
        ("by-time.fio", BY_TIME),
        ("none.toml", NO_TIME),
    ] {
        std::fs::write(place.path().join(name), text).unwrap();
    }
    let mut command = Command::new(program());
    // A busy machine would have signs of life beside the one line.
    command
        .args(["run", "--quiet"])
        .args(line.split_whitespace());
    let output = command
        .current_dir(&place)
        .timeout(std::time::Duration::from_secs(60))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

#[track_caller]
fn ends(code: i32, line: &str, why: &str) {
    let (got, out, error) = run(line);
    assert_eq!(got, code, "{line}: {error}");
    assert_eq!(out, "", "{line}");
    assert!(
        error.starts_with("error: ") && error.lines().count() == 1,
        "{line}: {error}"
    );
    assert!(error.contains(why), "{line}: {error}");
}

#[test]
fn drives_that_cannot_be_are_refused_in_one_line() {
    for (setting, why) in [
        ("spare.op=0", "must be above 0"),
        ("spare.user_capacity=8MiB", "user slots do not fit"),
        ("nand.blocks_per_die=1", "a group has only 1"),
        ("nand.blocks_per_die=2", "a group has only 2"),
        ("gc.reserve=16", "a group has only 16"),
        ("map.slot=64KiB", "does not hold a whole number of slots"),
        ("buffer.size=1KiB", "must hold a slot"),
        ("nand.channels=4294967295", "more than 65535 dies"),
        ("nand.pages_per_block=4294967295", "at most 2^32"),
        ("nand.channels=0", "must be above 0"),
        ("link.rate=0", "must be above 0"),
        ("nand.t_read=-1", "must be above 0"),
        ("nand.t_read=0", "must be above 0"),
        ("link.command=-1us", "must not be negative"),
        ("nand.t_read=NaN", "is not a number"),
        ("spare.op=inf", "is not a number"),
        ("spare.op=1e300", "beyond anything a drive has"),
        ("nand.t_program=1e9s", "beyond anything a drive has"),
    ] {
        ends(2, &format!("job.fio {SMALL} --set {setting}"), why);
    }
}

#[test]
fn what_a_terminal_would_act_on_is_shown_and_not_done() {
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("job.fio"), JOB).unwrap();
    let mut command = Command::new(program());
    command.args([
        "run",
        "job.fio",
        "--drive",
        "generic-mlc-8",
        "--set",
        "gc.policy=\x1b[2J\nfifo",
    ]);
    let output = command
        .current_dir(&place)
        .assert()
        .code(2)
        .get_output()
        .clone();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        error.contains(r"[gc]: policy `\u{1b}[2J\nfifo` is none of"),
        "{error}"
    );
}

#[test]
fn drives_that_can_be_end_their_job() {
    for settings in [
        "--set nand.channels=1 --set nand.dies_per_channel=1",
        "--set nand.pages_per_block=1 --set nand.blocks_per_die=64",
        "--set buffer.size=4KiB --set firmware.die_queue=1 --set queue.depth=1",
        "--set map.slot=32KiB --set nand.blocks_per_die=64",
        "--set nand.page=64KiB",
        "--set queue.depth=4294967295 --set firmware.die_queue=4294967295",
        "--set nand.t_program=3600s --set link.rate=0.000001",
        "--testbed none.toml --set nand.t_program=1ns --set nand.t_erase=1ns --set nand.t_read=1ns",
        "--untimed --set gc.policy=fifo",
    ] {
        let (code, out, error) = run(&format!("job.fio {SMALL} {settings}"));
        assert_eq!((code, error.as_str()), (0, ""), "{settings}");
        assert!(out.contains("w: (groupid=0)"), "{settings}: {out}");
    }
}

#[test]
fn a_run_that_cannot_end_says_so() {
    let no_time =
        "--drive ramdisk-8gb --testbed none.toml --set ram.command=0 --set ram.copy_rate=1e9";
    ends(
        1,
        &format!("by-time.fio {no_time}"),
        "give it an amount of I/O",
    );
}

//! A key-value store on a drive, which flushes or forgets to; the states that `ftlab crash` draws of what it wrote, and
//! what it says of them.

use super::block_device::wait_until;
use super::client::Client;
use super::server::{Serve, json, run, said};
use crate::place::program;
use ftlab_attach::control::{ControlRequest, Mark, ask};
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{NBD_CMD_FLUSH, NBD_CMD_WRITE};
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const SLOT: usize = 4096;

/// Keys of the store; each is written again and again, never over its newest value.
const KEYS: u64 = 40;

/// What a store forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forgets {
    Nothing,
    /// To flush a value before the index that points to it is written.
    Value,
    /// To flush the index before it says that a value is stored.
    Index,
}

/// The value of a key in a version, with both, over and over.
fn value(key: u64, version: u64) -> Vec<u8> {
    let words = [key + 1, version].map(u64::to_le_bytes).concat();
    words.repeat(SLOT / 16)
}

/// The index: which version each key has, in one sector, so that nothing tears it. Version v of key k lies in one of
/// two slots.
fn index(versions: &[u64]) -> Vec<u8> {
    let mut bytes: Vec<u8> = versions
        .iter()
        .flat_map(|version| version.to_le_bytes())
        .collect();
    let sum = versions
        .iter()
        .fold(17, |sum: u64, version| sum.wrapping_mul(31) ^ version);
    bytes.extend(sum.to_le_bytes());
    bytes.resize(512, 0);
    bytes
}

fn place(key: u64, version: u64) -> u64 {
    (1 + 2 * key + version % 2) * SLOT as u64
}

/// Checks that a state holds a store with the first `promised` puts.
fn wrong(state: &File, promised: u64) -> Result<(), String> {
    let mut found = vec![0; 512];
    state
        .read_exact_at(&mut found, 0)
        .map_err(|error| error.to_string())?;
    let words = found.chunks_exact(8).take(KEYS as usize);
    let versions: Vec<u64> = words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect();
    if found.iter().all(|byte| *byte == 0) && promised == 0 {
        return Ok(());
    }
    if found != index(&versions) {
        return Err("the index is no index".into());
    }
    let puts: u64 = versions.iter().sum();
    if puts < promised {
        return Err(format!(
            "{puts} puts are there, and {promised} were promised"
        ));
    }
    for (key, &version) in (0..).zip(&versions) {
        let mut found = vec![0; SLOT];
        state
            .read_exact_at(&mut found, place(key, version))
            .map_err(|error| error.to_string())?;
        if version > 0 && found != value(key, version) {
            return Err(format!("the value of key {key} is not version {version}"));
        }
    }
    Ok(())
}

/// What `ftlab crash` runs: this very program, with this test alone. Without a state it tries itself.
#[test]
#[ignore = "a checker, started by the tests below"]
fn is_the_checker_of_a_state() {
    let Some(state) = std::env::var_os("FTLAB_STATE") else {
        let state = tempfile::tempfile().unwrap();
        state.set_len(1 << 20).unwrap();
        assert_eq!(wrong(&state, 0), Ok(()));
        assert!(wrong(&state, 1).is_err());
        return;
    };
    let promised = std::env::var("FTLAB_MARK").unwrap();
    let promised = promised.parse().unwrap_or(0);
    if let Err(why) = wrong(&File::open(state).unwrap(), promised) {
        eprintln!("{why}");
        std::process::exit(1);
    }
}

fn checker() -> String {
    let program = std::env::current_exe().unwrap();
    let test = "attach::key_value::is_the_checker_of_a_state";
    format!(
        "'{}' --exact {test} --ignored --nocapture #{{}}",
        program.display()
    )
}

fn send(client: &mut Client, code: u16, offset: u64, data: &[u8]) {
    let header = RequestHeader {
        flags: 0,
        code,
        cookie: offset,
        offset_bytes: offset,
        length_bytes: data.len() as u32,
    };
    client.send(header, data).unwrap();
    assert_eq!(client.reply().unwrap(), (offset, 0));
}

/// Has a store put values on a drive at work, and says of each when it is stored.
fn store(folder: &Path, forgets: Forgets, puts: u64) {
    let mut client = Client::connect(&folder.join("s"));
    let mut versions = vec![0; KEYS as usize];
    for put in 0..puts {
        let key = put % KEYS;
        versions[key as usize] += 1;
        let version = versions[key as usize];
        send(
            &mut client,
            NBD_CMD_WRITE,
            place(key, version),
            &value(key, version),
        );
        if forgets != Forgets::Value {
            send(&mut client, NBD_CMD_FLUSH, 0, &[]);
        }
        send(&mut client, NBD_CMD_WRITE, 0, &index(&versions));
        if forgets != Forgets::Index {
            send(&mut client, NBD_CMD_FLUSH, 0, &[]);
        }
        let text = (put + 1).to_string();
        let mark = serde_json::to_string(&Mark { text }).unwrap();
        ask(&folder.join("c"), ControlRequest::Post("/mark", &mark)).unwrap();
    }
}

/// A log of that, on a drive in memory.
fn recorded(folder: &Path, drive: &[&str], forgets: Forgets, puts: u64) -> String {
    let way = ["--unix", "s", "--control", "c", "--crash-log", "kv.crash"];
    let server = Serve::start(folder, &[&way[..], drive].concat());
    store(folder, forgets, puts);
    let out = server.stop();
    assert!(
        out.contains(&format!("logged {} writes", 2 * puts)),
        "{out}"
    );
    folder.join("kv.crash").to_str().unwrap().to_owned()
}

const FAST: [&str; 4] = ["--drive", "generic-mlc-8", "--timing", "off"];

fn crash(log: &str, words: &[&str]) -> Output {
    let checker = checker();
    let words = [&["crash", log, "--check", &checker, "--quiet"], words].concat();
    run(program(), &words)
}

/// What it says as JSON, with its exit code.
fn told(log: &str, words: &[&str]) -> (Value, Option<i32>) {
    let output = crash(log, &[words, &["--output-format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output
            .status
            .code()
            .is_some_and(|code| code != 1 && code != 2),
        "{error}"
    );
    (
        json(&String::from_utf8_lossy(&output.stdout)),
        output.status.code(),
    )
}

/// Checks that states of a store that forgets nothing are sound, and of others some are not.
fn is_found_out(drive: &[&str], sound: u32, unsound: u32) {
    for forgets in [Forgets::Nothing, Forgets::Value, Forgets::Index] {
        let folder = TempDir::new().unwrap();
        let log = recorded(folder.path(), drive, forgets, 120);
        let states = match forgets {
            Forgets::Nothing => sound,
            _ => unsound,
        };
        let (all, code) = told(&log, &["--states", &states.to_string()]);
        assert_eq!(all["states"], states);
        let failed = all["failed"].as_u64().unwrap();
        if forgets == Forgets::Nothing {
            assert_eq!((failed, code), (0, Some(0)), "{all}");
            assert!(!folder.path().join("kv.crash.failed").exists());
            continue;
        }
        assert!(failed > 0 && code == Some(3), "{forgets:?}: {all}");
        let smallest = &all["smallest"];
        // One write that is not there is enough.
        assert_eq!(smallest["lost_writes"], 1, "{forgets:?}: {smallest}");
        let offset = smallest["lost"][0]["offset_bytes"].as_u64().unwrap();
        assert_eq!(offset == 0, forgets == Forgets::Index, "{smallest}");
        assert_eq!(smallest["comes_and_goes"], false);
        // What is kept fails, and so does the state by its name.
        let kept = File::open(folder.path().join("kv.crash.failed")).unwrap();
        let promised = smallest["mark"].as_str().unwrap().parse().unwrap_or(0);
        assert_eq!(
            wrong(&kept, promised).unwrap_err(),
            smallest["why"]
                .as_str()
                .unwrap()
                .trim_start_matches("exit code 1: ")
        );
        let (again, code) = told(&log, &["--state", smallest["state"].as_str().unwrap()]);
        assert_eq!((&again["smallest"], code), (smallest, Some(3)));
    }
}

#[test]
fn a_store_that_forgets_a_flush_is_caught_and_one_that_flushes_passes() {
    is_found_out(&FAST, 300, 200);
}

#[test]
#[ignore = "a soak"]
fn soak_a_store_passes_two_thousand_states() {
    is_found_out(&FAST, 2000, 200);
    is_found_out(&["--drive", "generic-mlc-8"], 2000, 200);
    is_found_out(&["--drive", "wd-raptor-150", "--timing", "off"], 2000, 200);
    is_found_out(&["--drive", "jmf602-mlc-64", "--timing", "off"], 2000, 200);
}

#[test]
fn the_same_seed_tries_the_same_states_whatever_the_number_of_jobs() {
    let folder = TempDir::new().unwrap();
    let log = recorded(folder.path(), &FAST, Forgets::Value, 40);
    let of =
        |words: &[&str]| told(&log, &[&["--states", "60"], words].concat()).0["failures"].clone();
    let one = of(&["--jobs", "1"]);
    assert_ne!(one, Value::Array(Vec::new()));
    assert_eq!(one, of(&["--jobs", "4"]));
    assert_ne!(one, of(&["--seed", "2"]));
    let before_flushes = of(&["--at", "all"]);
    assert_ne!(before_flushes, Value::Array(Vec::new()));
}

#[test]
fn what_came_of_each_state_is_told_to_programs_of_tests() {
    let folder = TempDir::new().unwrap();
    let log = recorded(folder.path(), &FAST, Forgets::Value, 40);
    let junit = folder.path().join("crash.xml");
    let junit = junit.to_str().unwrap();
    let output = crash(&log, &["--states", "50", "--junit", junit]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout);
    for word in [
        "tried    50 states at random instants",
        "lost writes are enough",
        "kept     ",
        "again    ftlab crash ",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let xml = std::fs::read_to_string(junit).unwrap();
    assert_eq!(xml.matches("<testcase ").count(), 50);
    let failed = xml.matches("<failure ").count();
    assert!(
        failed > 0 && xml.contains(&format!("failures=\"{failed}\"")),
        "{xml}"
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains(&format!("{failed} of 50 states fail")),
        "{said}"
    );
}

#[test]
fn a_log_says_what_it_holds_and_what_is_asked_of_it_in_vain() {
    let folder = TempDir::new().unwrap();
    let log = recorded(folder.path(), &FAST, Forgets::Nothing, 10);
    let ftlab = program();
    let held = json(&said(ftlab, &["crash", &log, "--output-format", "json"]));
    assert_eq!(
        (&held["writes"], &held["flushes"], &held["marks"]),
        (&20.into(), &20.into(), &10.into())
    );
    let points = held["points"].as_u64().unwrap();
    let state = folder.path().join("state.img");
    let state = state.to_str().unwrap();
    said(
        ftlab,
        &[
            "crash",
            &log,
            "--state",
            &format!("1@{points}"),
            "--keep",
            state,
        ],
    );
    assert_eq!(wrong(&File::open(state).unwrap(), 10), Ok(()));
    let refused = |words: &[&str]| {
        let output = run(ftlab, &[&["crash", &log], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let beyond = format!("1@{}", points + 1);
    assert!(refused(&["--state", &beyond, "--check", "true"]).contains("instants"));
    assert!(refused(&["--state", "1@2"]).contains("--keep"));
    assert!(refused(&["--at", "often", "--check", "true"]).contains("random, flush, all"));
    assert!(refused(&["--check", "./there-is-none {}"]).contains("cannot be run"));
    let image = run(ftlab, &["crash", state]);
    let why = String::from_utf8_lossy(&image.stderr);
    assert!(
        image.status.code() == Some(2) && why.contains("--crash-log"),
        "{why}"
    );
}

#[test]
fn a_log_of_a_server_that_was_killed_goes_to_its_last_flush() {
    let folder = TempDir::new().unwrap();
    let way = [
        "--image",
        "i.img",
        "--unix",
        "s",
        "--control",
        "c",
        "--crash-log",
        "kv.crash",
    ];
    let server = Serve::start(folder.path(), &[&way[..], &FAST].concat());
    store(folder.path(), Forgets::Value, 30);
    server.kill_now();
    let log = folder.path().join("kv.crash");
    let (all, _) = told(log.to_str().unwrap(), &["--states", "100"]);
    assert_eq!(all["held"]["marks"], 30);
    assert!(all["failed"].as_u64().unwrap() > 0, "{all}");
    // The log is not written over, and a drive that was opened has what it held in the next one.
    let again = ["--image", "i.img", "--unix", "s", "--crash-log"];
    let refused = super::server::refused(folder.path(), &[&again[..], &["kv.crash"]].concat());
    assert!(refused.contains("it is a crash log"), "{refused}");
    let server = Serve::start(folder.path(), &[&again[..], &["second.crash"]].concat());
    server.stop();
    let second = folder.path().join("second.crash");
    let held = said(
        program(),
        &["crash", second.to_str().unwrap(), "--output-format", "json"],
    );
    assert!(
        json(&held)["base_bytes"].as_u64().unwrap() >= 30 * SLOT as u64,
        "{held}"
    );
}

#[test]
fn an_interrupted_trial_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let log = recorded(folder.path(), &FAST, Forgets::Nothing, 5);
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let begun = folder.path().join("begun");
    let check = format!(
        "setsid sleep 100 & echo > '{}'; wait; true {{}}",
        begun.display()
    );
    let mut trial = Command::new(program())
        .args(["crash", &log, "--check", &check, "--quiet", "--jobs", "2"])
        .env("TMPDIR", &scratch)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("a checker runs", || begun.exists());
    said("kill", &["-INT", &trial.id().to_string()]);
    let status = trial.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    let state = format!("FTLAB_STATE={}", scratch.display());
    let has_state = |process: std::fs::DirEntry| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable.starts_with(state.as_bytes()))
    };
    assert!(!std::fs::read_dir("/proc").unwrap().flatten().any(has_state));
}

#[test]
fn a_server_that_cannot_begin_its_notes_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("there"), "something else").unwrap();
    let new = ["--drive", "generic-mlc-8", "--image", "new.img"];
    for (notes, why) in [
        (&["--record", "none/trace"][..], "there is no directory"),
        (
            &["--record", "trace", "--crash-log", "there"],
            "is there already",
        ),
        (
            &["--crash-log", "log", "--on-kill", "keep"],
            "leave one of them out",
        ),
        (&["--crash-log", "log", "--fuse", "none"], "cannot mount"),
    ] {
        let said = super::server::refused(folder.path(), &[&new[..], notes].concat());
        assert!(said.contains(why), "{said}");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

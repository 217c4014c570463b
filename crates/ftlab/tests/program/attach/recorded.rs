//! What clients do to an attached drive, recorded, and replayed from the state that it began in.

use super::client::Client;
use super::server::{Serve, json};
use crate::place::program;
use ftlab_attach::control::{ControlRequest, Report, ask};
use ftlab_base::RootSeed;
use ftlab_nbd::protocol::RequestHeader;
use rand::RngExt;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// 512 MiB of flash.
const SMALL: [&str; 4] = [
    "--drive",
    "generic-mlc-8",
    "--set",
    "nand.blocks_per_die=32",
];

/// Commands of NBD, and the flag FUA.
const WRITE: u16 = 1;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const FUA: u16 = 1;

fn header(code: u16, flags: u16, cookie: u64, offset: u64, length: u32) -> RequestHeader {
    RequestHeader {
        flags,
        code,
        cookie,
        offset_bytes: offset,
        length_bytes: length,
    }
}

/// Bytes that the drive of `disk.img` was given, and those that it programmed.
pub fn counters(folder: &Path) -> [f64; 2] {
    let text = ask(
        &folder.join("disk.img.control"),
        ControlRequest::Get("/statistics"),
    )
    .expect("it tells");
    let report: Report = serde_json::from_str(&text).expect("a report");
    let counters = report.drive.counters;
    [counters.host_bytes_written, counters.nand_bytes_programmed].map(|bytes| bytes as f64)
}

/// What was programmed between two readings for what was written.
pub fn amplification(before: [f64; 2], after: [f64; 2]) -> f64 {
    (after[1] - before[1]) / (after[0] - before[0])
}

fn ftlab(folder: &Path, line: &[&str]) -> Value {
    let mut command = Command::new(program());
    command
        .args(line)
        .args(["--quiet", "--output-format", "json"]);
    let output = command.current_dir(folder).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    json(&String::from_utf8(output.stdout).expect("text"))
}

/// The write amplification of `t.blktrace` on this drive, from the state that the recording began in.
pub fn replayed(folder: &Path, drive: &[&str]) -> f64 {
    let line = [
        "run",
        "t.blktrace",
        "--from-state",
        "t.blktrace.state",
        "--untimed",
    ];
    let report = ftlab(folder, &[&line[..], drive].concat());
    report["ftlab"]["wa"].as_f64().expect("a number")
}

/// What `ftlab trace info` counts in `t.blktrace`.
pub fn count(folder: &Path, what: &str) -> u64 {
    let info = ftlab(folder, &["trace", "info", "t.blktrace"]);
    info[what].as_u64().expect("a count")
}

#[test]
fn a_recorded_trace_replayed_from_its_state_amplifies_writes_as_the_drive_did() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let socket = at("s");
    let serve = |more: &[&str]| {
        let way = [
            "--unix",
            socket.to_str().expect("ASCII"),
            "--timing",
            "off",
            "--image",
            "disk.img",
        ];
        Serve::start(folder.path(), &[&SMALL[..], &way, more].concat())
    };
    let mut stream = RootSeed(5).stream("requests");
    let mut go = |client: &mut Client, count: u64| {
        let pages = client.size_bytes / 4096;
        let data = vec![0x5a; 4096];
        for n in 0..count {
            let page = stream.random_range(0..pages * 4 / 5);
            let (request, data) = match n % 50 {
                7 => (header(TRIM, 0, n, page / 16 * 65_536, 65_536), &[][..]),
                8 => (header(FLUSH, 0, n, 0, 0), &[][..]),
                9 => (header(WRITE, FUA, n, page * 4096, 4096), &data[..]),
                _ => (header(WRITE, 0, n, page * 4096, 4096), &data[..]),
            };
            client.send(request, data).expect("it is taken");
            assert_eq!(client.reply().expect("it is answered"), (n, 0));
        }
    };
    // Until the drive collects, unrecorded.
    let server = serve(&[]);
    go(&mut Client::connect(&socket), 160_000);
    server.stop();
    let server = serve(&["--record", "t.blktrace"]);
    let before = counters(folder.path());
    go(&mut Client::connect(&socket), 40_000);
    let after = counters(folder.path());
    let said = server.stop();
    assert!(
        said.contains("recorded 40,000 commands in t.blktrace"),
        "{said}"
    );
    let wa = amplification(before, after);
    let again = replayed(folder.path(), &SMALL);
    assert!(wa > 1.2, "the drive collects: {wa}");
    assert!(
        (again / wa - 1.0).abs() < 0.02,
        "{again} replayed, {wa} recorded"
    );
    let counted = ["trims", "flushes", "fua", "writes"].map(|what| count(folder.path(), what));
    assert_eq!(counted, [800, 800, 800, 40_000 - 1_600]);
}

#[test]
fn nothing_is_left_of_a_recording_that_nobody_could_write_to() {
    let folder = TempDir::new().expect("a folder");
    std::fs::create_dir(folder.path().join("s")).expect("a folder");
    let arguments = [&SMALL[..], &["--unix", "s", "--record", "t.blktrace"]].concat();
    super::server::refused(folder.path(), &arguments);
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left, ["s"]);
}

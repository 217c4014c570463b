//! Replay of a long trace: 50 million requests in MSR's layout on a drive of 64 GB, without a clock and with one. Wall time
//! of the program, reading the trace twice included, and the memory that it takes beyond the drive's own, which is that of
//! the same program with a trace of one request.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const REQUESTS: u64 = 50_000_000;

/// Blocks of 4 KiB that the trace touches: 60 GB.
const BLOCKS: u64 = 14_600_000;

const DRIVE: [&str; 6] = [
    "--drive",
    "generic-mlc-8",
    "--set",
    "nand.blocks_per_die=4400",
    "--state",
    "new",
];

fn write(path: &Path, requests: u64) {
    let mut file = BufWriter::new(File::create(path).expect("room"));
    let mut x = 1_u64;
    for n in 0..requests {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let block = (x >> 33) % BLOCKS;
        let kind = if x >> 61 < 3 { "Read" } else { "Write" };
        let at = 128_166_372_000_000_000 + n * 5_000;
        writeln!(file, "{at},prxy,0,{kind},{},4096,1000", block * 4096).expect("room");
    }
}

/// Seconds, and the most memory in bytes.
fn run(trace: &Path, more: &[&str]) -> (f64, u64) {
    let start = Instant::now();
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["-f", "%M", env!("CARGO_BIN_EXE_ftlab"), "run"])
        .arg(trace);
    let output = command
        .args(DRIVE)
        .args(more)
        .args(["--quiet", "--jobs", "1"])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let kib: u64 = said
        .lines()
        .last()
        .and_then(|line| line.trim().parse().ok())
        .expect("a number of KiB");
    (start.elapsed().as_secs_f64(), kib * 1024)
}

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (short, long) = (folder.join("short.csv"), folder.join("long.csv"));
    write(&short, 1);
    write(&long, REQUESTS);
    for (name, more, seconds_max) in [
        ("untimed", &["--untimed"][..], 60.0),
        ("timed", &["--pace", "asap"][..], 300.0),
    ] {
        let (_, own) = run(&short, more);
        let (seconds, all) = run(&long, more);
        let beyond_mb = all.saturating_sub(own) as f64 / 1e6;
        println!(
            "replay {name}: {seconds:.1} s, target {seconds_max} s; {beyond_mb:.0} MB beyond the drive's, target 300 MB"
        );
    }
    std::fs::remove_file(&long).expect("it is there");
}

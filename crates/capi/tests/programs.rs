//! Programs in C, C++ and Go end where `ftlab-device` and `ftlab run` do.

use ftlab_base::{RootSeed, StreamHash};
use ftlab_drive::{Catalog, default_testbed};
use ftlab_host::Testbed;
use ftlab_play::driver::{Clock, run};
use ftlab_play::record::Record;
use ftlab_states::{State, prepare};
use ftlab_workload::JobFile;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the libraries were built beside this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    test.parent().expect("it lies in a folder").to_owned()
}

/// What a program prints that ends well.
fn said(program: &mut Command) -> String {
    let run = program
        .env("LD_LIBRARY_PATH", libraries())
        .output()
        .unwrap_or_else(|why| panic!("{program:?}: {why}"));
    let why = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{why}");
    String::from_utf8(run.stdout).expect("it prints text")
}

/// Builds an example with a compiler, as `program`.
fn build(compiler: &str, source: &str, link: &[&str], program: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut build = Command::new(compiler);
    build.args(["-Wall", "-Wextra", "-Werror", "-O1", "-I"]);
    build.arg(here.join("include"));
    build.arg(here.join("examples").join(source));
    build.arg("-o").arg(program);
    build.arg("-L").arg(libraries()).args(link);
    said(&mut build);
}

/// Builds an example with a compiler, and gives what it prints.
fn printed(compiler: &str, source: &str, link: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("there is room");
    let program = folder.path().join("program");
    build(compiler, source, link, &program);
    said(&mut Command::new(program))
}

/// Builds and runs the example in Go, and gives what it prints.
fn printed_by_go() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = libraries();
    // Go takes up what it has compiled before, and does not see that a header beside its package has changed.
    let mut header = StreamHash::default();
    header.bytes(include_bytes!("../include/ftlab.h"));
    let include = here.join("include");
    let flags = format!("-I{} -DHEADER_HASH={}", include.display(), header.value());
    let mut go = Command::new("go");
    let go = go
        .args(["run", "."])
        .current_dir(here.join("examples/go"))
        .env("CGO_ENABLED", "1")
        .env("CGO_CFLAGS", flags)
        .env("CGO_LDFLAGS", format!("-L{}", libraries.display()))
        // What it compiles of Go's library is there for the next time, and nothing is looked for elsewhere.
        .env("GOCACHE", libraries.join("go-cache"))
        .env("GOPROXY", "off")
        .env("GOFLAGS", "-mod=mod")
        .env("GOTOOLCHAIN", "local");
    said(go)
}

/// What `ftlab run` says of the examples' job on that drive.
fn hash_of_the_job() -> String {
    let text = include_str!("../examples/load.fio");
    let job = JobFile::parse(text, "load").unwrap();
    let file = Catalog::default()
        .known("samsung-980-pro-1000", &[])
        .unwrap();
    let (file, _) = file.shrunk_to(3 << 30).unwrap();
    let testbed = Testbed::known(default_testbed([&file])).unwrap();
    let seed = RootSeed(1);
    let mut drive = file.build(&testbed, seed).unwrap();
    prepare(&mut *drive, State::New, State::Filled, seed).unwrap();
    let report = run(&job, &mut *drive, Clock::Timed, seed).unwrap();
    let hash = Record::of_jobs(&job, &report).run.completion_hash;
    hash.expect("it has a clock")
}

/// Its load by the crate: a program that is built with this test.
fn by_the_crate() -> PathBuf {
    libraries().with_file_name("examples").join("load")
}

#[test]
fn programs_in_c_cpp_and_go_end_where_a_run_of_the_same_job_does() {
    let expected = hash_of_the_job();
    let by_the_crate = said(&mut Command::new(by_the_crate()));
    assert_eq!(by_the_crate.trim_end(), expected);
    let dynamic = ["-lftlab_device"];
    assert_eq!(printed("cc", "load.c", &dynamic).trim_end(), expected);
    assert_eq!(
        printed("c++", "simulator.cpp", &dynamic).trim_end(),
        expected
    );
    assert_eq!(printed_by_go().trim_end(), expected);
    let archive = libraries().join("libftlab_device.a");
    let archive = archive.to_str().expect("its path is text");
    let fixed = [archive, "-lpthread", "-ldl", "-lm"];
    assert_eq!(printed("cc", "load.c", &fixed).trim_end(), expected);
}

#[test]
fn a_wrong_call_is_a_code_with_a_text() {
    let said = printed("cc", "wrong_calls.c", &["-lftlab_device"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[0].contains("samsung-980-pro-1000"), "{said}");
    assert!(lines[1].contains("offset 100 of command 1"), "{said}");
    assert!(
        lines[2].contains("9 is no operation; give 0 to 3"),
        "{said}"
    );
    assert!(lines[3].contains("keeps no data"), "{said}");
    assert!(lines[4].contains("time goes on"), "{said}");
    assert_eq!(lines[5], "null is refused");
}

/// Instructions that a program takes, by callgrind.
fn instructions(program: &Path) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let run = valgrind.arg(program).env("LD_LIBRARY_PATH", libraries());
    let run = run.output().unwrap_or_else(|why| panic!("valgrind: {why}"));
    let text = String::from_utf8_lossy(&run.stderr);
    let counted = text
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let counted = counted.unwrap_or_else(|| panic!("callgrind counts nothing: {text}"));
    counted.1.trim().parse().expect("it is a number")
}

#[test]
fn a_command_takes_few_instructions_more_in_c_than_in_rust() {
    const COMMANDS: f64 = 40_000.0;
    const MOST: f64 = 300.0;
    let folder = tempfile::tempdir().expect("there is room");
    let in_c = folder.path().join("load");
    build("cc", "load.c", &["-lftlab_device"], &in_c);
    let more = (instructions(&in_c) - instructions(&by_the_crate())) / COMMANDS;
    println!("{more:.0} instructions a command");
    assert!((0.0..MOST).contains(&more), "{more} instructions a command");
}

#[test]
fn a_program_asks_for_health_and_for_where_a_latency_went() {
    let said = printed("cc", "health.c", &["-lftlab_device"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[0].ends_with(" attributes, NVMe 0") && !lines[0].starts_with("0 "));
    assert_eq!(lines[1], "0 attributes, NVMe 1");
    assert_eq!(lines[2], "100 % spare, 1 power cycle");
    for (line, outcome) in [(lines[3], "outcome 0"), (lines[4], "outcome 2")] {
        let numbers = line.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
        let [_, latency_ns, parts @ ..] = &numbers[..] else {
            panic!("{line}");
        };
        assert!(line.starts_with(outcome), "{line}");
        assert_eq!(parts.iter().sum::<u64>(), *latency_ns, "{line}");
        assert!(parts.len() == 4 && parts[3] > 0, "{line}");
    }
    assert!(lines[5].contains("the drive has dies 0 to"), "{said}");
}

#[test]
fn a_program_has_faults_of_requests() {
    let said = printed("cc", "faults.c", &["-lftlab_device"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].contains("--of \"all\": there is no such option"),
        "{said}"
    );
    let others = [
        "record 0: answered",
        "record 1: an error",
        "record 2: answered",
        "fault 3: 1 byte is another one, by the bit it says: 1",
        // Flushes, writes and reads.
        "fault 1: 1 of 3",
        "fault 2: 1 of 2, over",
        "fault 3: 1 of 1, over",
        "there is no fault 9",
        "lost in cuts: none, all, some",
        "0 faults",
    ];
    assert_eq!(lines[1..], others, "{said}");
}

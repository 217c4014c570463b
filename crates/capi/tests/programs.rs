//! Programs in C, C++ and Go end where `ftlab-device` and `ftlab run` do.

use embedded::{Command as Request, Device};
use ftlab_base::RootSeed;
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

/// Builds an example with a compiler, and gives what it prints.
fn printed(compiler: &str, source: &str, link: &[&str]) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("there is room");
    let program = folder.path().join("program");
    let libraries = libraries();
    let mut build = Command::new(compiler);
    build.args(["-Wall", "-Wextra", "-Werror", "-O1", "-I"]);
    build.arg(here.join("include"));
    build.arg(here.join("examples").join(source));
    build.arg("-o").arg(&program);
    build.arg("-L").arg(&libraries).args(link);
    let built = build
        .output()
        .unwrap_or_else(|why| panic!("{compiler}: {why}"));
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let mut run = Command::new(&program);
    let run = run
        .env("LD_LIBRARY_PATH", &libraries)
        .output()
        .expect("it runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).expect("it prints text")
}

/// Builds and runs the example in Go, and gives what it prints.
fn printed_by_go() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = libraries();
    let mut go = Command::new("go");
    let go = go
        .args(["run", "."])
        .current_dir(here.join("examples/go"))
        .env("CGO_ENABLED", "1")
        .env(
            "CGO_CFLAGS",
            format!("-I{}", here.join("include").display()),
        )
        .env("CGO_LDFLAGS", format!("-L{}", libraries.display()))
        .env("LD_LIBRARY_PATH", &libraries)
        // What it compiles of Go's library is there for the next time, and nothing is looked for elsewhere.
        .env("GOCACHE", libraries.join("go-cache"))
        .env("GOPROXY", "off")
        .env("GOFLAGS", "-mod=mod")
        .env("GOTOOLCHAIN", "local");
    let run = go.output().unwrap_or_else(|why| panic!("go: {why}"));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    String::from_utf8(run.stdout).expect("it prints text")
}

/// The drive of the examples, in the hands of `ftlab-device`.
fn device() -> Device {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    builder.state("filled").build().unwrap()
}

/// What `ftlab run` says of the examples' job on that drive.
fn hash_of_the_job() -> String {
    let text = include_str!("../examples/load.fio");
    let job = JobFile::parse(text, "load").unwrap();
    let file = Catalog::known("samsung-980-pro-1000", &[]).unwrap();
    let (file, _) = file.shrunk_to(3 << 30).unwrap();
    let testbed = Testbed::known(default_testbed([&file])).unwrap();
    let seed = RootSeed(1);
    let mut drive = file.build(&testbed, seed).unwrap();
    prepare(&mut *drive, State::New, State::Filled, seed).unwrap();
    let report = run(&job, &mut *drive, Clock::Timed, seed).unwrap();
    let hash = Record::of_jobs(&job, &report).run.completion_hash;
    hash.expect("it has a clock")
}

/// The same load by the crate.
fn hash_of_the_crate() -> String {
    let mut device = device();
    let mut done = Vec::new();
    for id in 0..40_000_u64 {
        let most = if id == 20_000 { 0 } else { 15 };
        while device.outstanding() > most {
            device.advance_to_completion(u64::MAX, &mut done);
        }
        let offset = id % 20_000 * 4096;
        let request = match id < 20_000 {
            true => Request::write(id, offset, 4096),
            false => Request::read(id, offset, 4096),
        };
        device.submit(request, device.now_ns()).unwrap();
    }
    while device.outstanding() > 0 {
        device.advance_to_completion(u64::MAX, &mut done);
    }
    format!("{:016x}", device.counters().completions_hash)
}

#[test]
fn programs_in_c_cpp_and_go_end_where_a_run_of_the_same_job_does() {
    let expected = hash_of_the_job();
    assert_eq!(hash_of_the_crate(), expected);
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

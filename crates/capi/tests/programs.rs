//! A program in C, and the same in C++, end where `ftlab-device` does.

use embedded::{Command as Request, Device};
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

/// The load of the examples: 20,000 writes of 4 KiB, 16 at a time, then reads of all of them.
fn line() -> String {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    let mut device = builder.state("filled").build().unwrap();
    let places = device.capacity_bytes() / 4096;
    let (mut done, mut hash) = (Vec::new(), 0_u64);
    for id in 0..40_000_u64 {
        let place = (id % 20_000).wrapping_mul(0x9e37_79b9_7f4a_7c15) % places;
        let request = match id < 20_000 {
            true => Request::write(id, place * 4096, 4096),
            false => Request::read(id, place * 4096, 4096),
        };
        device.submit(request, device.now_ns()).unwrap();
        while device.outstanding() >= 16 {
            device.advance_to_completion(u64::MAX, &mut done);
        }
    }
    while device.outstanding() > 0 {
        device.advance_to_completion(u64::MAX, &mut done);
    }
    for end in done {
        for word in [end.id, end.at_ns] {
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
    let operations = device.counters().operations_hash;
    format!("completions {hash:016x} operations {operations:016x}\n")
}

#[test]
fn a_program_in_c_and_one_in_cpp_end_where_the_crate_does() {
    let expected = line();
    let dynamic = ["-lftlab_device"];
    assert_eq!(printed("cc", "load.c", &dynamic), expected);
    assert_eq!(printed("c++", "load.cpp", &dynamic), expected);
    let archive = libraries().join("libftlab_device.a");
    let archive = archive.to_str().expect("its path is text");
    let fixed = [archive, "-lpthread", "-ldl", "-lm"];
    assert_eq!(printed("cc", "load.c", &fixed), expected);
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

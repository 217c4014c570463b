//! The command itself: what it says, what it refuses, how it ends.

use super::block_device::{Block, Way, turn};
use super::server::{MIB, Serve, json, refused, run, said};
use crate::place::program;
use rustix::fs::{SeekFrom, seek};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const DRIVE: &str = "generic-mlc-8";

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

#[test]
fn it_says_how_to_attach_and_how_late_it_was() {
    let folder = folder();
    let socket = folder.path().join("s");
    let socket = socket.to_str().expect("ASCII");
    let server = Serve::start(folder.path(), &["--drive", DRIVE, "--unix", socket]);
    let uri = format!("nbd+unix:///?socket={socket}");
    assert_eq!(server.uri(), uri);
    for part in [
        "Generic MLC SSD",
        "in memory",
        "nbdinfo '",
        "qemu-io -f raw",
        "nbdfuse",
        "losetup",
    ] {
        assert!(server.said.contains(part), "no {part} in {}", server.said);
    }
    said(
        "qemu-io",
        &[
            "-f",
            "raw",
            "-c",
            "write -P 7 0 64k",
            "-c",
            "read -P 7 0 64k",
            &uri,
        ],
    );
    let out = server.stop();
    assert!(out.starts_with("lateness of "), "{out}");
    assert!(out.contains("p99.9 ") && out.contains("  below "), "{out}");
}

#[test]
fn a_signal_has_it_tell_the_lateness_and_go_on() {
    let folder = folder();
    let mut server = Serve::start(
        folder.path(),
        &["--drive", DRIVE, "--unix", "s", "--output-format", "json"],
    );
    let uri = format!("nbd+unix:///?socket={}", folder.path().join("s").display());
    let write = ["-f", "raw", "-c", "write 0 4k", &uri];
    said("qemu-io", &write);
    server.signal("USR1");
    // Only now is the signal answered: what is written next must not be in it.
    let told = server.line();
    said("qemu-io", &write);
    let [first, second] = [told, server.stop()].map(|line| {
        let count = &json(&line)["lateness_ns"]["count"];
        count.as_u64().expect("a count")
    });
    assert!(0 < first && first < second, "{first}, then {second}");
}

#[test]
fn a_stop_waits_until_the_loop_device_lets_go() {
    let Some(_turn) = turn("a stop beside a loop device") else {
        return;
    };
    let folder = folder();
    let mounted = folder.path().join("mounted");
    std::fs::create_dir(&mounted).expect("a folder");
    let arguments = ["--drive", DRIVE, "--fuse", "mounted", "--timing", "off"];
    let mut server = Serve::start(folder.path(), &arguments);
    let block = Block::attach(Way::Own, &server, &mounted);
    server.signal("TERM");
    // Longer than it keeps quiet.
    std::thread::sleep(Duration::from_millis(1_500));
    std::fs::write(&block.device, [7; 4096]).expect("the drive is still there");
    block.detach();
    let (status, _, error) = server.ended();
    assert!(status.success(), "{status}: {error}");
    assert!(error.contains("losetup -d"), "{error}");
}

#[test]
fn without_time_there_is_no_lateness_to_tell() {
    let folder = folder();
    let server = Serve::start(
        folder.path(),
        &["--drive", DRIVE, "--unix", "s", "--timing", "off"],
    );
    assert_eq!(server.stop(), "");
}

#[test]
fn it_listens_on_this_machine_alone_unless_it_is_told_otherwise() {
    let folder = folder();
    let path = folder.path();
    let named = refused(path, &["--drive", DRIVE, "--listen", "localhost:0"]);
    assert!(named.contains("for example 127.0.0.1:10809"), "{named}");
    let error = refused(path, &["--drive", DRIVE, "--listen", "0.0.0.0:0"]);
    assert!(
        error.contains("--insecure") && error.contains("127.0.0.1"),
        "{error}"
    );
    let local = Serve::start(
        path,
        &["--drive", DRIVE, "--listen", "127.0.0.1:0", "--name", "x"],
    );
    let uri = local.uri();
    assert!(
        uri.starts_with("nbd://127.0.0.1:") && uri.ends_with("/x"),
        "{uri}"
    );
    let list = json(&said("nbdinfo", &["--json", "--list", uri]));
    assert_eq!(list["exports"][0]["export-name"], "x");
    let open = Serve::start(
        path,
        &["--drive", DRIVE, "--listen", "0.0.0.0:0", "--insecure"],
    );
    assert!(open.uri().starts_with("nbd://0.0.0.0:"), "{}", open.uri());
}

#[test]
fn wrong_input_is_refused_in_one_line() {
    let folder = folder();
    let path = folder.path();
    for (arguments, why) in [
        (vec!["--image", "none.img"], "--drive"),
        (vec!["--drive", "none"], "none"),
        (vec!["--drive", DRIVE, "--size", "1"], "sectors"),
        (vec!["--drive", DRIVE, "--size", "100g"], "the drive has"),
        (vec!["--drive", DRIVE, "--size", "many"], "suffix"),
        (vec!["--drive", DRIVE, "--testbed", "none"], "testbed"),
        (
            vec!["--drive", DRIVE, "--testbed", "spdk-2024"],
            "a drive that is attached has a real host",
        ),
        (
            vec!["--drive", DRIVE, "--image", "new.img", "--read-only"],
            "nothing to read",
        ),
        (
            vec!["--drive", DRIVE, "--unix", "no/such/folder/s"],
            "cannot listen",
        ),
        (
            vec!["--drive", DRIVE, "--image", "new.img", "--unix", "no/s"],
            "cannot listen",
        ),
        (vec![], "--image"),
    ] {
        let error = refused(path, &arguments);
        assert!(error.contains(why), "{arguments:?}: {error}");
    }
    assert!(!path.join("new.img").exists());
}

#[test]
fn a_smaller_size_is_what_clients_see() {
    let folder = folder();
    let server = Serve::start(
        folder.path(),
        &[
            "--drive",
            DRIVE,
            "--listen",
            "127.0.0.1:0",
            "--size",
            "64m",
            "--timing",
            "off",
        ],
    );
    let size = said("nbdinfo", &["--size", server.uri()]);
    assert_eq!(size.trim(), (64 * MIB).to_string());
}

/// All that a file holds, and where: an image is gigabytes of holes.
fn extents(path: &Path) -> (u64, Vec<(u64, Vec<u8>)>) {
    let file = File::open(path).expect("an image");
    let (mut found, mut end) = (Vec::new(), 0);
    while let Ok(start) = seek(&file, SeekFrom::Data(end)) {
        end = seek(&file, SeekFrom::Hole(start)).expect("there is a hole at the end of every file");
        let mut data = vec![0; (end - start) as usize];
        file.read_exact_at(&mut data, start).expect("data");
        found.push((start, data));
    }
    assert!(!found.is_empty(), "an image is never empty");
    (file.metadata().expect("an image").len(), found)
}

#[test]
fn a_read_only_drive_refuses_writes_and_everything_else_that_changes_it() {
    let folder = folder();
    let path = folder.path().join("disk.img");
    let image = path.to_str().expect("ASCII");
    let write = |uri: &str| run("qemu-io", &["-f", "raw", "-c", "write -P 3 0 4k", uri]);
    // Small, as the whole image is compared.
    let small = [
        "--drive",
        DRIVE,
        "--set",
        "nand.blocks_per_die=16",
        "--set",
        "spare.op=0.5",
    ];
    let smaller = ["--set", "nand.pages_per_block=16", "--image", image];
    let server = Serve::start(folder.path(), &[&small[..], &smaller].concat());
    assert!(write(server.uri()).status.success());
    server.stop();
    let before = extents(&path);
    let server = Serve::start(folder.path(), &["--image", image, "--read-only"]);
    let told = json(&said("nbdinfo", &["--json", server.uri()]));
    assert_eq!(told["exports"][0]["is_read_only"], true);
    assert!(!write(server.uri()).status.success());
    for command in [&["erase", image][..], &["trim", image, "--all"]] {
        let output = run(program(), command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("read-only"), "{command:?}: {error}");
    }
    said(
        "qemu-io",
        &["-f", "raw", "-r", "-c", "read -P 3 0 4k", server.uri()],
    );
    server.stop();
    assert!(extents(&path) == before, "the image has changed");
}

#[test]
fn a_stop_waits_for_what_is_under_way_and_a_second_does_not() {
    let folder = folder();
    let arguments = ["--drive", DRIVE, "--listen", "127.0.0.1:0"];
    let server = Serve::start(folder.path(), &arguments);
    // A client that stays and says nothing does not keep it from ending.
    let address = server
        .uri()
        .trim_start_matches("nbd://")
        .trim_end_matches('/')
        .to_owned();
    let _client = std::net::TcpStream::connect(address).expect("it listens");
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    let (status, out, _) = server.end("INT");
    assert!(status.success(), "{status}");
    assert!(out.starts_with("lateness"), "{out}");
    assert!(began.elapsed() < Duration::from_secs(60));
}

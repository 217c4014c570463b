//! Drives on a base, resets and snapshots, several drives in one server, and packed images, with real clients.

use super::server::{Serve, json, refused};
use crate::place::program;
use std::path::Path;
use std::process::Command;

/// Makes an image with 7s at its front, of a drive that was used.
fn base(folder: &Path, name: &str) {
    let arguments = [
        "--drive",
        "generic-mlc-8",
        "--state",
        "used",
        "--image",
        name,
    ];
    let serve = Serve::start(folder, &arguments);
    qemu_io(folder, serve.uri(), &["write -P 7 0 64k", "flush"]);
    serve.stop();
}

/// The same of one that is new, which takes no time.
fn new_base(folder: &Path, name: &str) {
    let serve = Serve::start(folder, &["--drive", "generic-mlc-8", "--image", name]);
    qemu_io(folder, serve.uri(), &["write -P 7 0 64k", "flush"]);
    serve.stop();
}

fn qemu_io(folder: &Path, uri: &str, commands: &[&str]) {
    assert_eq!(failed(folder, uri, commands), "", "{commands:?}");
}

/// What qemu-io complains about.
fn failed(folder: &Path, uri: &str, commands: &[&str]) -> String {
    let mut arguments = vec!["-f", "raw"];
    commands
        .iter()
        .for_each(|command| arguments.extend(["-c", command]));
    arguments.push(uri);
    let mut command = Command::new("qemu-io");
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.expect("`make setup` installs it");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let is_bad = |line: &&str| {
        let bad = ["failed", "error", "Can't", "Failed"];
        bad.iter().any(|word| line.contains(word))
    };
    text.lines().filter(is_bad).collect::<Vec<_>>().join("\n")
}

/// What a client says that must succeed.
fn client(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.expect("`make setup` installs it");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn tool(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(program());
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let (code, text) = tool(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {text}");
    text
}

/// What `ftlab smart` counts of a drive, without what being switched on changes.
fn counters(folder: &Path, target: &str) -> serde_json::Value {
    let told = json(&done(folder, &["smart", target, "--output-format", "json"]));
    told["ata_smart_attributes"].clone()
}

#[test]
fn servers_share_a_base_and_go_back_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder, "base.img");
    let before = std::fs::metadata(folder.join("base.img"))
        .unwrap()
        .modified()
        .unwrap();
    let one = Serve::start(folder, &["--base", "base.img", "--image", "one.img"]);
    let other = [
        "--base",
        "base.img",
        "--unix",
        "other.sock",
        "--control",
        "other.control",
        "--timing",
        "off",
    ];
    let other = Serve::start(folder, &other);
    assert!(other.said.contains("in memory, and gone"), "{}", other.said);
    let began = counters(folder, "other.control");
    for target in ["one.img", "other.control"] {
        let uri = if target == "one.img" {
            one.uri()
        } else {
            other.uri()
        };
        qemu_io(
            folder,
            uri,
            &[
                "read -P 7 0 64k",
                "write -P 8 0 64k",
                "write -P 9 1m 1m",
                "flush",
            ],
        );
        assert_eq!(done(folder, &["reset", target]), "as its base has it\n");
        qemu_io(
            folder,
            uri,
            &[
                "read -P 7 0 64k",
                "read -P 0 1m 1m",
                "write -P 8 0 64k",
                "flush",
            ],
        );
        done(folder, &["fault", target, "power-cut", "--seed", "3"]);
        qemu_io(folder, uri, &["read -P 8 0 64k"]);
        done(folder, &["reset", target]);
    }
    assert_eq!(counters(folder, "other.control"), began);
    let why = tool(folder, &["snapshot", "other.control", "a"]);
    assert!(why.0 == Some(2) && why.1.contains("--image"), "{why:?}");
    one.end("TERM");
    other.end("TERM");
    let info = done(folder, &["info", "one.img"]);
    assert!(info.contains("base.img, fingerprint "), "{info}");
    let after = std::fs::metadata(folder.join("base.img"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after, "nobody wrote to the base");
    // A server that writes to the base changes its fingerprint.
    Serve::start(folder, &["--image", "base.img"]).stop();
    let why = refused(folder, &["--image", "one.img"]);
    assert!(
        why.contains("has changed") && why.contains("is expected"),
        "{why}"
    );
    std::fs::remove_file(folder.join("base.img")).unwrap();
    let (code, why) = tool(folder, &["info", "one.img"]);
    assert!(code == Some(2) && why.contains("--base"), "{code:?} {why}");
}

#[test]
fn snapshots_are_made_listed_gone_back_to_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder, "disk.img");
    let serve = Serve::start(folder, &["--image", "disk.img"]);
    assert_eq!(
        done(folder, &["snapshot", "disk.img", "seven"]),
        "snapshot seven is made\n"
    );
    qemu_io(folder, serve.uri(), &["write -P 8 0 64k", "flush"]);
    done(folder, &["snapshot", "disk.img.control", "eight"]);
    qemu_io(
        folder,
        serve.uri(),
        &["write -P 9 0 64k", "read -P 9 0 64k"],
    );
    let listed = done(folder, &["snapshot", "disk.img"]);
    assert!(
        listed.contains("seven") && listed.contains("eight"),
        "{listed}"
    );
    for (to, pattern) in [("seven", "7"), ("eight", "8")] {
        done(folder, &["reset", "disk.img", "--to", to]);
        qemu_io(folder, serve.uri(), &[&format!("read -P {pattern} 0 64k")]);
    }
    let (code, why) = tool(folder, &["reset", "disk.img"]);
    assert!(code == Some(2) && why.contains("seven"), "{code:?} {why}");
    serve.stop();
    let (code, why) = tool(folder, &["snapshot", "disk.img", "eight", "--delete"]);
    assert!(
        code == Some(2) && why.contains("is needed"),
        "{code:?} {why}"
    );
    done(folder, &["reset", "disk.img", "--to", "seven"]);
    done(folder, &["snapshot", "disk.img", "eight", "--delete"]);
    let serve = Serve::start(folder, &["--image", "disk.img"]);
    qemu_io(folder, serve.uri(), &["read -P 7 0 64k"]);
    serve.stop();
}

#[test]
fn a_reset_ends_what_is_under_way_and_connections_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder, "base.img");
    let serve = Serve::start(folder, &["--base", "base.img", "--image", "a.img"]);
    done(folder, &["fault", "a.img", "stall", "60s"]);
    let (there, uri) = (folder.to_owned(), serve.uri().to_owned());
    let client = std::thread::spawn(move || failed(&there, &uri, &["read 0 4k"]));
    // Until its request is there.
    while !done(folder, &["fault", "a.img", "list"])
        .trim_end()
        .ends_with(" 1")
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    done(folder, &["reset", "a.img"]);
    let complained = client.join().unwrap();
    assert!(complained.contains("error"), "{complained}");
    done(folder, &["fault", "a.img", "clear"]);
    qemu_io(folder, serve.uri(), &["read -P 7 0 64k"]);
    let (status, _, error) = serve.end("TERM");
    assert!(status.success(), "{error}");
}

#[test]
fn a_fault_on_one_drive_of_several_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = [
        "--drive",
        "generic-mlc-8",
        "--image",
        "slow.img",
        "--drive",
        "ramdisk-8gb",
        "--image",
        "sound.img",
    ];
    let serve = Serve::start(folder, &arguments);
    let list = client(folder, "nbdinfo", &["--list", "--json", serve.uri()]);
    let names: Vec<String> = json(&list)["exports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|export| export["export-name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["slow", "sound"]);
    let sound = serve.uri().replace("///slow", "///sound");
    qemu_io(folder, serve.uri(), &["write -P 1 0 64k", "flush"]);
    qemu_io(folder, &sound, &["write -P 2 0 64k", "flush"]);
    done(folder, &["fault", "slow.img", "error", "100%"]);
    let complained = failed(folder, serve.uri(), &["read -P 1 0 64k"]);
    assert!(complained.contains("Input/output error"), "{complained}");
    qemu_io(folder, &sound, &["read -P 2 0 64k"]);
    done(folder, &["fault", "slow.img", "clear"]);
    // A cut ends the connections of its own drive alone.
    let fio = std::thread::spawn({
        let (folder, sound) = (folder.to_owned(), format!("--uri={sound}"));
        move || {
            let arguments = [
                "--name=a",
                "--ioengine=nbd",
                &sound,
                "--rw=read",
                "--bs=64k",
                "--size=8m",
                "--time_based",
                "--runtime=1",
                "--output-format=json",
            ];
            json(&client(&folder, "fio", &arguments))["jobs"][0]["error"].clone()
        }
    });
    std::thread::sleep(std::time::Duration::from_millis(400));
    done(folder, &["fault", "slow.img", "power-cut", "--seed", "1"]);
    assert_eq!(fio.join().unwrap(), 0);
    qemu_io(folder, serve.uri(), &["read -P 1 0 64k"]);
    let (status, _, error) = serve.end("TERM");
    assert!(status.success(), "{error}");
    for (arguments, words) in [
        (
            &["--image", "slow.img", "--image", "sound.img", "--name", "a"][..],
            "--name is for one drive",
        ),
        (
            &["--image", "slow.img", "--image", "./slow.img"],
            "different names",
        ),
        (
            &[
                "--image",
                "slow.img",
                "--drive",
                "ramdisk-8gb",
                "--drive",
                "ramdisk-8gb",
            ],
            "once for each",
        ),
    ] {
        let why = refused(folder, arguments);
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn an_image_is_packed_and_unpacked_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder, "base.img");
    let serve = Serve::start(folder, &["--base", "base.img", "--image", "top.img"]);
    qemu_io(folder, serve.uri(), &["write -P 8 1m 64k", "flush"]);
    let (code, why) = tool(folder, &["pack", "top.img", "-o", "top.ftlab"]);
    assert!(
        code == Some(2) && why.contains("has this image open"),
        "{code:?} {why}"
    );
    serve.stop();
    done(folder, &["pack", "top.img", "-o", "top.ftlab"]);
    done(folder, &["unpack", "top.ftlab", "-o", "again.img"]);
    std::fs::remove_file(folder.join("base.img")).unwrap();
    let serve = Serve::start(folder, &["--image", "again.img"]);
    qemu_io(
        folder,
        serve.uri(),
        &["read -P 7 0 64k", "read -P 8 1m 64k"],
    );
    serve.stop();
    let packed = std::fs::read(folder.join("top.ftlab")).unwrap();
    assert!(packed.len() < 16 << 20, "{} bytes", packed.len());
    let mut bad = packed.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    for (bytes, words) in [
        (&bad[..], "damaged"),
        (&packed[..middle], "cut off"),
        (b"text", "not a packed image"),
    ] {
        std::fs::write(folder.join("bad.ftlab"), bytes).unwrap();
        let (code, why) = tool(folder, &["unpack", "bad.ftlab", "-o", "bad.img"]);
        assert!(code == Some(1) && why.contains(words), "{code:?} {why}");
        assert!(!folder.join("bad.img").exists());
    }
    let left = std::fs::read_dir(folder).unwrap();
    let hidden = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".ftlab-")
    });
    assert_eq!(hidden.count(), 0, "nothing half-written is left");
}

#[test]
fn a_packed_image_takes_the_place_of_no_image() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    new_base(folder, "base.img");
    let top = Serve::start(folder, &["--base", "base.img", "--image", "top.img"]);
    qemu_io(folder, top.uri(), &["write -P 8 1m 64k", "flush"]);
    // At work, below another, itself, a snapshot of itself.
    done(folder, &["snapshot", "top.img", "one"]);
    for (from, to) in [
        ("base.img", "top.img"),
        ("base.img", "base.img"),
        ("base.img", "top.img.snapshot.one"),
    ] {
        for replace in [&[][..], &["--replace"]] {
            let (code, why) = tool(folder, &[&["pack", from, "-o", to], replace].concat());
            assert_eq!(code, Some(2), "{to}: {why}");
            let words = match from == to {
                true => "name the same file",
                false => "an image of a drive",
            };
            assert!(why.contains(to) && why.contains(words), "{why}");
        }
    }
    qemu_io(folder, top.uri(), &["read -P 7 0 64k", "read -P 8 1m 64k"]);
    top.stop();
    done(folder, &["fsck", "top.img"]);
    done(folder, &["pack", "top.img", "-o", "top.ftlab"]);
    let (code, why) = tool(folder, &["pack", "base.img", "-o", "top.ftlab"]);
    assert!(code == Some(2) && why.contains("--replace"), "{why}");
    done(
        folder,
        &["pack", "base.img", "-o", "top.ftlab", "--replace"],
    );
    std::fs::write(folder.join("notes"), "mine").unwrap();
    let (code, why) = tool(folder, &["pack", "base.img", "-o", "notes", "--replace"]);
    assert!(code == Some(2) && why.contains("there already"), "{why}");
    assert_eq!(std::fs::read(folder.join("notes")).unwrap(), b"mine");
}

#[test]
fn a_trace_takes_the_place_of_no_image() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    new_base(folder, "base.img");
    new_base(folder, "other.img");
    for to in ["base.img", "other.img"] {
        let why = refused(folder, &["--image", "base.img", "--record", to]);
        assert!(why.contains(to), "{why}");
    }
    done(folder, &["fsck", "base.img"]);
    done(folder, &["fsck", "other.img"]);
}

/// A number that follows from another, spread over all of them.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    *state >> 33
}

/// `make soak`: an image on a base is written, kept, gone back and killed at random, and holds what it must.
#[test]
#[ignore = "minutes: make soak"]
fn an_image_on_a_base_holds_what_it_must_through_resets_snapshots_and_kills() {
    let rounds = std::env::var("SOAK_KILLS")
        .ok()
        .and_then(|text| text.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder, "base.img");
    for sync in [&[][..], &["--sync"]] {
        let image = format!("image{}.img", sync.len());
        let arguments = [&["--base", "base.img", "--image", &image], sync].concat();
        let mut serve = Serve::start(folder, &arguments);
        let (mut state, mut holds) = (7, 7);
        let mut kept: Vec<(String, u64)> = Vec::new();
        for round in 0..rounds.unwrap_or(75) {
            let draw = next(&mut state);
            match draw % 6 {
                0 | 1 => {
                    holds = 1 + draw % 250;
                    let write = format!("write -P {holds} 0 64k");
                    qemu_io(folder, serve.uri(), &[&write, "flush"]);
                }
                2 if kept.len() < 12 => {
                    let name = format!("n{round}");
                    done(folder, &["snapshot", &image, &name]);
                    kept.push((name, holds));
                }
                2 | 3 if !kept.is_empty() => {
                    let (name, held) = &kept[draw as usize / 6 % kept.len()];
                    done(folder, &["reset", &image, "--to", name]);
                    holds = *held;
                }
                4 => {
                    done(folder, &["reset", &image]);
                    holds = 7;
                }
                _ => {
                    serve.kill();
                    serve = Serve::start(folder, &arguments);
                }
            }
            let read = format!("read -P {holds} 0 64k");
            qemu_io(folder, serve.uri(), &[&read]);
        }
        let (status, _, error) = serve.end("TERM");
        assert!(status.success(), "{error}");
        let found = done(folder, &["fsck", &image]);
        assert!(found.contains(", 0 damaged"), "{found}");
    }
}

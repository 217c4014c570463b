//! An end out of order is a power cut of the modelled drive, and so is one on demand: what was flushed is there, and
//! what a volatile write buffer held is there or not.

use super::client::Client;
use super::crash::{data, header};
use super::server::{Serve, json, run, said};
use crate::place::program;
use ftlab_nbd::protocol::constants::{NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_WRITE};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Served at a socket whose path is short enough.
fn start(folder: &Path, arguments: &[&str]) -> Serve {
    let all = [&["--image", "i.img", "--unix", "s"], arguments].concat();
    Serve::start(folder, &all)
}

/// Writes slots, every other one, one after the other.
fn write(client: &mut Client, slots: u64, version: u64) -> io::Result<()> {
    for slot in 0..slots {
        client.send(
            header(NBD_CMD_WRITE, 0, slot, 2 * slot),
            &data(2 * slot, version),
        )?;
        assert_eq!(client.reply()?, (slot, 0));
    }
    Ok(())
}

fn flush(client: &mut Client) {
    client
        .send(header(NBD_CMD_FLUSH, 0, 99, 0), &[])
        .expect("it runs");
    assert_eq!(client.reply().expect("it runs"), (99, 0));
}

/// Which version each slot has.
fn versions(client: &mut Client, slots: u64) -> Vec<u64> {
    let version = |slot| {
        let mut found = vec![0; 4096];
        client
            .send(header(NBD_CMD_READ, 0, slot, 2 * slot), &[])
            .expect("it runs");
        assert_eq!(client.reply().expect("it runs"), (slot, 0));
        client.data(&mut found).expect("data");
        let version = u64::from_le_bytes(*found[8..].first_chunk().expect("8 bytes"));
        assert_eq!(found, data(2 * slot, version), "slot {slot} is torn");
        version
    };
    (0..slots).map(version).collect()
}

/// Writes 1 everywhere, flushes and reads it, writes 2 without a flush, waits and kills the server. Which versions are
/// there.
fn killed(drive: &[&str], slots: u64, wait: Duration) -> Vec<u64> {
    let folder = TempDir::new().expect("a folder");
    let server = start(folder.path(), &[drive, &["--size", "256m"]].concat());
    let socket = folder.path().join("s");
    let mut client = Client::connect(&socket);
    write(&mut client, slots, 1).expect("it runs");
    flush(&mut client);
    assert_eq!(versions(&mut client, slots), vec![1; slots as usize]);
    write(&mut client, slots, 2).expect("it runs");
    sleep(wait);
    server.kill_now();
    let server = start(folder.path(), &["--timing", "off"]);
    let found = versions(&mut Client::connect(&socket), slots);
    assert!(
        found.iter().all(|version| [1, 2].contains(version)),
        "{found:?}"
    );
    server.stop();
    found
}

fn lost(found: &[u64]) -> usize {
    found.iter().filter(|version| **version == 1).count()
}

/// Whether an earlier write is lost and a later one is there.
fn has_hole(found: &[u64]) -> bool {
    let first = found.iter().position(|version| *version == 1);
    first.is_some_and(|first| found[first..].contains(&2))
}

#[test]
fn unflushed_writes_are_lost_or_not_as_a_buffer_has_them() {
    // Slots of the drives' write buffers, and of open program units.
    for (drive, sync, slots, buffer) in [
        ("intel-x25-m-g1-80", false, 256, 64),
        ("generic-mlc-8", false, 64, 256),
        ("generic-mlc-8", true, 64, 256),
    ] {
        let mut arguments = vec!["--drive", drive];
        arguments.extend(sync.then_some("--sync"));
        let rounds = (0..6).map(|seed| {
            let seed = seed.to_string();
            let arguments = [&arguments[..], &["--seed", &seed]].concat();
            killed(&arguments, slots, Duration::ZERO)
        });
        let rounds: Vec<Vec<u64>> = rounds.collect();
        let most = rounds.iter().map(|found| lost(found)).max();
        let most = most.expect("six rounds");
        assert!(most > 0 && most <= buffer, "{drive}: {most} lost at most");
        let holes = rounds.iter().filter(|found| has_hole(found)).count();
        assert!(holes > 0, "{drive}: never an earlier write alone");
    }
}

#[test]
fn a_disk_loses_what_its_write_cache_has() {
    // It does not write back for so long after a read, however busy the machine is, and few writes are no hurry.
    let waits = [
        "--drive",
        "wd-raptor-150",
        "--set",
        "cache.destage_wait=10s",
    ];
    let found = killed(&waits, 4, Duration::ZERO);
    assert!(lost(&found) > 0, "{found:?}");
}

#[test]
fn after_two_seconds_of_rest_everything_is_on_the_flash() {
    for sync in [None, Some("--sync")] {
        let mut arguments = vec!["--drive", "generic-mlc-8"];
        arguments.extend(sync);
        let found = killed(&arguments, 64, Duration::from_secs(2));
        assert_eq!(lost(&found), 0, "{sync:?}: {found:?}");
    }
}

#[test]
fn capacitors_keep_what_was_acknowledged_in_every_mode() {
    // The large drives take seconds to be made on a busy machine, so they are tried in one mode each.
    let small = [
        "--drive",
        "generic-mlc-8",
        "--set",
        "power_loss.capacitors=1",
    ];
    for arguments in [
        &small[..],
        &[&small[..], &["--sync"]].concat(),
        &[&small[..], &["--timing", "off"]].concat(),
        &["--drive", "intel-320-120", "--sync"],
        &["--drive", "intel-dc-s3700-200", "--timing", "off"],
    ] {
        let found = killed(arguments, 64, Duration::ZERO);
        assert_eq!(lost(&found), 0, "{arguments:?}: {found:?}");
    }
}

/// Cuts the power; gives what it says of it.
fn cut(folder: &Path, words: &[&str]) -> String {
    let image = folder.join("i.img");
    let all = [
        &["fault", image.to_str().expect("ASCII"), "power-cut"],
        words,
    ]
    .concat();
    said(program(), &all)
}

#[test]
fn a_power_cut_on_demand_ends_connections_and_the_image_goes_on() {
    for timing in ["model", "off"] {
        let folder = TempDir::new().expect("a folder");
        let arguments = ["--drive", "generic-mlc-8", "--timing", timing];
        let server = start(folder.path(), &arguments);
        let socket = folder.path().join("s");
        let mut losses = Vec::new();
        for seed in ["3", "3", "4"] {
            let mut client = Client::connect(&socket);
            write(&mut client, 40, 1).expect("it runs");
            flush(&mut client);
            write(&mut client, 40, 2).expect("it runs");
            let told = cut(folder.path(), &["--seed", seed]);
            assert!(
                told.contains("is on again") && told.contains("seed"),
                "{told}"
            );
            write(&mut client, 1, 3).expect_err("its connection has ended");
            let found = versions(&mut Client::connect(&socket), 40);
            assert!(
                found.iter().all(|version| [1, 2].contains(version)),
                "{found:?}"
            );
            let old = lost(&found);
            assert!(told.contains(&format!("{old} of ")), "{told}: {found:?}");
            losses.push(found);
        }
        if timing == "off" {
            assert!(lost(&losses[0]) > 0 && has_hole(&losses[0]), "{losses:?}");
            assert_eq!(losses[0], losses[1], "the same seed");
            assert_ne!(losses[0], losses[2], "another seed");
        }
        let (status, _, log) = server.end("TERM");
        assert!(status.success(), "{log}");
        assert_eq!(log.matches("power cut: ").count(), 3, "{log}");
        let image = folder.path().join("i.img");
        let image = image.to_str().expect("ASCII");
        let info = ["info", image, "--output-format", "json"];
        let info = json(&said(program(), &info));
        assert_eq!(info["last_cut"]["seed"], 4, "{info}");
        assert_eq!(info["unsafe_shutdowns"], 3);
    }
}

#[test]
fn what_comes_while_the_power_is_off_waits() {
    for timing in ["model", "off"] {
        let folder = TempDir::new().expect("a folder");
        let arguments = ["--drive", "generic-mlc-8", "--timing", timing];
        let server = start(folder.path(), &arguments);
        let began = Instant::now();
        cut(folder.path(), &["--for", "1500ms"]);
        let mut client = Client::connect(&folder.path().join("s"));
        write(&mut client, 1, 1).expect("it runs");
        assert!(began.elapsed() >= Duration::from_millis(1500), "{timing}");
        drop(client);
        server.end("TERM");
    }
}

#[test]
fn a_drive_in_memory_has_nothing_to_come_back_from() {
    let folder = TempDir::new().expect("a folder");
    let arguments = ["--drive", "generic-mlc-8", "--unix", "s", "--control", "c"];
    let server = Serve::start(folder.path(), &arguments);
    let control = folder.path().join("c");
    let control = control.to_str().expect("ASCII");
    let refused = run(program(), &["fault", control, "power-cut"]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && why.contains("--image"),
        "{why}"
    );
    // And it goes on.
    let mut client = Client::connect(&folder.path().join("s"));
    write(&mut client, 1, 1).expect("it runs");
    assert_eq!(versions(&mut client, 1), [1]);
    drop(client);
    server.stop();
}

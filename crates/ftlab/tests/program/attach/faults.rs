//! Faults as a program, each as a client meets it.

use super::client::Client;
use super::crash::{data, header};
use super::server::{Serve, run, said};
use crate::place::program;
use ftlab_attach::control::{ControlRequest, Report, ask};
use ftlab_nbd::protocol::constants::{
    NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_TRIM, NBD_CMD_WRITE, NBD_EIO, NBD_ENOSPC, NBD_EPERM,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Disk {
    folder: TempDir,
    server: Serve,
    client: Client,
}

fn serve(folder: &Path, timing: &str) -> Serve {
    let arguments = [
        "--drive",
        "generic-mlc-8",
        "--image",
        "i.img",
        "--unix",
        "s",
        "--timing",
        timing,
    ];
    Serve::start(folder, &arguments)
}

impl Disk {
    fn start(timing: &str) -> Disk {
        let folder = TempDir::new().expect("a folder");
        let server = serve(folder.path(), timing);
        let client = Client::connect(&folder.path().join("s"));
        Disk {
            folder,
            server,
            client,
        }
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("i.img")
    }

    /// Has something go wrong; gives what the program says.
    fn fault(&self, words: &[&str]) -> String {
        let image = self.image();
        let all = [&["fault", image.to_str().expect("ASCII")], words].concat();
        said(program(), &all)
    }

    fn refused(&self, words: &[&str]) -> String {
        let image = self.image();
        let all = [&["fault", image.to_str().expect("ASCII")], words].concat();
        let output = run(program(), &all);
        assert!(!output.status.success(), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Asks for a slot; gives the error, and how long it took.
    fn ask(&mut self, code: u16, slot: u64, version: u64) -> (u32, Duration) {
        let began = Instant::now();
        let data = match code {
            NBD_CMD_WRITE => data(slot, version),
            _ => Vec::new(),
        };
        self.client
            .send(header(code, 0, 1, slot), &data)
            .expect("it runs");
        let (_, error) = self.client.reply().expect("it runs");
        (error, began.elapsed())
    }

    fn write(&mut self, slot: u64, version: u64) -> u32 {
        self.ask(NBD_CMD_WRITE, slot, version).0
    }

    fn flush(&mut self) -> u32 {
        self.ask(NBD_CMD_FLUSH, 0, 0).0
    }

    /// What a slot holds, or the error.
    fn read(&mut self, slot: u64) -> Result<Vec<u8>, u32> {
        let (error, _) = self.ask(NBD_CMD_READ, slot, 0);
        if error != 0 {
            return Err(error);
        }
        let mut found = vec![0; 4096];
        self.client.data(&mut found).expect("data");
        Ok(found)
    }

    fn report(&self) -> Report {
        let control = self.folder.path().join("i.img.control");
        let text = ask(&control, ControlRequest::Get("/statistics")).expect("it tells");
        serde_json::from_str(&text).expect("a report")
    }
}

/// The engines, with time and without.
const TIMINGS: [&str; 2] = ["model", "off"];

#[test]
fn a_stall_is_a_write_that_takes_so_long_and_succeeds() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        disk.fault(&["stall", "3s"]);
        let (error, took) = disk.ask(NBD_CMD_WRITE, 3, 1);
        assert_eq!(error, 0, "{timing}");
        let seconds = took.as_secs_f64();
        assert!((3.0..10.0).contains(&seconds), "{timing}: {seconds} s");
        let (error, took) = disk.ask(NBD_CMD_WRITE, 4, 1);
        assert!(error == 0 && took < Duration::from_secs(2), "{took:?}");
        assert_eq!(disk.read(3), Ok(data(3, 1)));
    }
}

#[test]
fn a_drive_that_vanished_and_is_back_does_what_waited() {
    let mut disk = Disk::start("model");
    disk.fault(&["vanish"]);
    disk.client
        .send(header(NBD_CMD_WRITE, 0, 1, 3), &data(3, 1))
        .expect("it runs");
    std::thread::sleep(Duration::from_secs(1));
    disk.fault(&["return"]);
    assert_eq!(disk.client.reply().expect("it runs"), (1, 0));
    assert_eq!(disk.read(3), Ok(data(3, 1)));
}

#[test]
fn a_drive_that_disappears_for_a_while_fails_nothing() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        assert_eq!(disk.write(3, 1), 0);
        let began = Instant::now();
        disk.fault(&["disappear", "for", "2s"]);
        assert_eq!(disk.read(3), Ok(data(3, 1)), "{timing}");
        assert!(began.elapsed() >= Duration::from_secs(2), "{timing}");
        assert_eq!(disk.report().reads.failed, 0);
    }
}

#[test]
fn a_slow_drive_takes_so_many_times_as_long() {
    let mut disk = Disk::start("model");
    for slot in 0..8 {
        assert_eq!(disk.write(slot, 1), 0);
    }
    // A busy machine makes most of them later, not all.
    let least = |disk: &mut Disk| {
        let times = (0..15).map(|n| disk.ask_read(n % 8));
        times.min().expect("there are some")
    };
    let before = least(&mut disk);
    disk.fault(&["slow", "x200", "--on", "read"]);
    let slow = least(&mut disk);
    // What the machine takes for a request is not multiplied.
    assert!(slow > 10 * before, "{slow:?} after {before:?}");
    disk.fault(&["clear"]);
    let after = least(&mut disk);
    assert!(slow > 5 * after, "{after:?} after {slow:?}");
    let without = Disk::start("off");
    let why = without.refused(&["slow", "x10"]);
    assert!(why.contains("--timing off"), "{why}");
}

impl Disk {
    /// How long a read takes.
    fn ask_read(&mut self, slot: u64) -> Duration {
        let began = Instant::now();
        self.read(slot).expect("it can be read");
        began.elapsed()
    }
}

#[test]
fn one_failed_flush_is_one() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        disk.fault(&["error", "once", "--on", "flush", "--after", "1"]);
        assert_eq!(disk.write(3, 1), 0);
        let errors = [disk.flush(), disk.flush(), disk.flush()];
        assert_eq!(errors, [0, NBD_EIO, 0], "{timing}");
    }
}

#[test]
fn a_share_of_errors_comes_from_a_seed() {
    let errors = |seed: &str| {
        let mut disk = Disk::start("off");
        disk.fault(&["error", "10%", "--on", "write", "--seed", seed]);
        let errors: Vec<u32> = (0..300).map(|slot| disk.write(slot, 1)).collect();
        let failed = errors.iter().filter(|error| **error == NBD_EIO).count();
        assert!((10..60).contains(&failed), "{failed} of 300");
        assert_eq!(disk.report().writes.failed, failed as u64);
        errors
    };
    assert_eq!(errors("1"), errors("1"));
    assert_ne!(errors("1"), errors("2"));
}

#[test]
fn a_flipped_bit_is_told_to_nobody() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        let ones = |found: &[u8], wanted: &[u8]| -> u32 {
            let pairs = found.iter().zip(wanted);
            pairs.map(|(one, other)| (one ^ other).count_ones()).sum()
        };
        assert_eq!(disk.write(3, 1), 0);
        disk.fault(&["flip", "--count", "1"]);
        assert_eq!(ones(&disk.read(3).expect("no error"), &data(3, 1)), 1);
        assert_eq!(disk.read(3), Ok(data(3, 1)), "it was on the way only");
        disk.fault(&["flip", "--on", "write", "--range", "16k..20k"]);
        assert_eq!((disk.write(3, 2), disk.write(4, 2)), (0, 0));
        assert_eq!(disk.read(3), Ok(data(3, 2)));
        for _ in 0..2 {
            assert_eq!(ones(&disk.read(4).expect("no error"), &data(4, 2)), 1);
        }
    }
}

#[test]
fn a_bad_range_heals_when_it_is_written_anew_or_stays() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        for slot in 0..4 {
            assert_eq!(disk.write(slot, 1), 0);
        }
        disk.fault(&["bad", "4k..12k"]);
        assert_eq!(disk.read(0), Ok(data(0, 1)));
        assert_eq!([disk.read(1), disk.read(2)], [Err(NBD_EIO), Err(NBD_EIO)]);
        assert_eq!(disk.write(1, 2), 0);
        assert_eq!(disk.read(1), Ok(data(1, 2)));
        assert_eq!(disk.read(2), Err(NBD_EIO));
        disk.fault(&["bad", "0..4k", "--stays"]);
        assert_eq!(disk.write(0, 2), NBD_EIO);
        assert_eq!(disk.read(0), Err(NBD_EIO));
    }
}

#[test]
fn a_drive_that_lies_about_flushes_loses_what_was_flushed() {
    let mut disk = Disk::start("off");
    for slot in 0..100 {
        assert_eq!(disk.write(slot, 1), 0);
    }
    assert_eq!(disk.flush(), 0);
    disk.fault(&["drop-flush"]);
    for slot in 0..100 {
        assert_eq!(disk.write(slot, 2), 0);
    }
    assert_eq!(disk.flush(), 0);
    let Disk { folder, server, .. } = disk;
    server.kill();
    let server = serve(folder.path(), "off");
    let client = Client::connect(&folder.path().join("s"));
    let mut disk = Disk {
        folder,
        server,
        client,
    };
    let lost = (0..100).filter(|slot| disk.read(*slot) == Ok(data(*slot, 1)));
    assert!(lost.count() > 10, "it did not lie");
}

#[test]
fn a_lost_write_leaves_what_was_there_and_a_misdirected_one_overwrites_its_neighbour() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        for slot in 0..4 {
            assert_eq!(disk.write(slot, 1), 0);
        }
        disk.fault(&["drop", "--range", "0..4k", "--count", "1"]);
        assert_eq!((disk.write(0, 2), disk.write(1, 2)), (0, 0));
        assert_eq!(
            [disk.read(0), disk.read(1)],
            [Ok(data(0, 1)), Ok(data(1, 2))]
        );
        assert_eq!(disk.write(0, 3), 0);
        assert_eq!(disk.read(0), Ok(data(0, 3)), "the next one is stored");
        disk.fault(&["misdirect", "--count", "1"]);
        assert_eq!(disk.write(2, 4), 0);
        assert_eq!(
            [disk.read(2), disk.read(3)],
            [Ok(data(2, 1)), Ok(data(2, 4))]
        );
        disk.fault(&["misdirect", "--by", "8k", "--count", "1"]);
        assert_eq!(disk.write(0, 5), 0);
        assert_eq!(
            [disk.read(0), disk.read(2)],
            [Ok(data(0, 3)), Ok(data(0, 5))]
        );
        assert_eq!(disk.report().writes.failed, 0, "nobody is told");
    }
}

#[test]
fn a_full_drive_and_one_that_is_read_only_can_be_read() {
    for timing in TIMINGS {
        let mut disk = Disk::start(timing);
        assert_eq!(disk.write(3, 1), 0);
        disk.fault(&["full"]);
        assert_eq!(disk.write(3, 2), NBD_ENOSPC);
        assert_eq!(disk.read(3), Ok(data(3, 1)));
        disk.fault(&["clear", "1"]);
        disk.fault(&["read-only"]);
        assert_eq!(disk.write(3, 2), NBD_EPERM);
        assert_eq!(disk.ask(NBD_CMD_TRIM, 3, 0).0, NBD_EPERM);
        assert_eq!((disk.read(3), disk.flush()), (Ok(data(3, 1)), 0));
        disk.fault(&["clear"]);
        assert_eq!(disk.write(3, 2), 0);
    }
}

#[test]
fn a_drive_file_brings_faults_that_come_in_the_time_of_the_model() {
    let folder = TempDir::new().expect("a folder");
    let text = include_str!("../../../../../drives/generic-mlc-8.toml");
    let script = "\n[[faults.script]]\nfault = { stall = { ms = 2000 } }\non = [\"write\"]\n";
    std::fs::write(folder.path().join("bad.toml"), format!("{text}{script}")).expect("room");
    for timing in TIMINGS {
        let (socket, control) = (format!("{timing}.sock"), format!("{timing}.control"));
        let drive = ["--drive", "bad.toml", "--timing", timing];
        let arguments = [&drive[..], &["--unix", &socket, "--control", &control]].concat();
        let server = Serve::start(folder.path(), &arguments);
        let mut disk = Disk {
            client: Client::connect(&folder.path().join(&socket)),
            server,
            folder: TempDir::new().expect("a folder"),
        };
        let (error, took) = disk.ask(NBD_CMD_WRITE, 3, 1);
        assert_eq!(error, 0, "{timing}");
        let seconds = took.as_secs_f64();
        match timing {
            "model" => assert!((2.0..10.0).contains(&seconds), "{seconds} s"),
            _ => assert!(seconds < 1.0, "{seconds} s"),
        }
        assert_eq!(disk.read(3), Ok(data(3, 1)));
        let text = ask(
            &folder.path().join(&control),
            ControlRequest::Get("/statistics"),
        )
        .expect("it tells");
        let report: Report = serde_json::from_str(&text).expect("a report");
        let told = report.faults.iter().map(|fault| fault.fault.as_str());
        let expected: &[&str] = if timing == "model" {
            &["stall 2.00 s on write"]
        } else {
            &[]
        };
        assert_eq!(told.collect::<Vec<&str>>(), expected);
        drop(disk.server);
    }
}

#[test]
fn faults_are_seen_where_a_drive_is_watched() {
    let mut disk = Disk::start("off");
    let none = disk.fault(&["list"]);
    assert!(none.contains("no fault"), "{none}");
    let told = disk.fault(&["error", "100%", "--on", "write", "--count", "2"]);
    assert!(told.contains("fault 1: error 100% on write"), "{told}");
    disk.fault(&["stall", "1s", "--after", "1000"]);
    assert_eq!(disk.write(3, 1), NBD_EIO);
    let list = disk.fault(&["list"]);
    assert!(
        list.contains("error 100% on write") && list.contains("stall"),
        "{list}"
    );
    let report = disk.report();
    let hits: Vec<u64> = report.faults.iter().map(|fault| fault.hits).collect();
    assert_eq!(hits, [1, 0]);
    let control = disk.folder.path().join("i.img.control");
    let metrics = ask(&control, ControlRequest::Get("/metrics")).expect("it tells");
    let line = "ftlab_fault_hits_total{number=\"1\",fault=\"error\"} 1";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
    let image = disk.image();
    let top = ["top", image.to_str().expect("ASCII"), "--once"];
    let top = said(program(), &top);
    assert!(top.contains("fault 1: error 100% on write"), "{top}");
    for (words, part) in [
        (&["stall", "3"][..], "give a time"),
        (&["error", "0.1"], "give a share"),
        (&["error", "once", "--count", "2"], "leave out --count"),
        (&["slow", "fast"], "give a factor"),
        (&["bad", "1m"], "as 1m..2m"),
        (&["bad", "2m..1m"], "is empty"),
        (&["bad", "0..1t"], "the drive has"),
        (&["full", "--on", "read"], "leave out --on"),
        (&["disappear", "in", "3s"], "say for 3s"),
        (&["clear", "77"], "there is no fault 77"),
    ] {
        let why = disk.refused(words);
        assert!(why.contains(part), "{words:?}: {why}");
    }
}

//! File systems under load whose drive loses its power: they recover, with every file that was synced. Where the drive
//! lies about flushes they do not.

use super::block_device::{Block, Mount, Way, turn};
use super::file_systems::{FILE_SYSTEMS, FileSystem, SMALL, tool};
use super::server::{Serve, run, said};
use crate::place::program;
use ftlab_base::RootSeed;
use rand::{Rng, RngExt};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The bytes of a file, which follow from its number.
fn content(number: u64) -> Vec<u8> {
    let mut stream = RootSeed(number).stream("content");
    let mut bytes = vec![0; stream.random_range(1..=64 << 10)];
    stream.fill_bytes(&mut bytes);
    bytes
}

fn name(number: u64) -> String {
    format!("file-{number}")
}

/// Writes files, of which it syncs some, and removes old ones, until the drive is gone. The numbers of those that are
/// safe are noted; that one is, is said.
fn write(folder: &Path, first: u64, safe: &mut Vec<u64>, synced: &Sender<()>) -> io::Result<()> {
    for number in first.. {
        let mut file = File::create(folder.join(name(number)))?;
        file.write_all(&content(number))?;
        if number % 3 == 0 {
            file.sync_all()?;
            File::open(folder)?.sync_all()?;
            safe.push(number);
            // The first one starts the clock of the cut, which takes no other.
            let _ = synced.send(());
        }
        if safe.len() > 40 {
            std::fs::remove_file(folder.join(name(safe.remove(0))))?;
        }
    }
    Ok(())
}

/// A drive with a file system, which loses its power again and again.
struct Disk<'a> {
    system: &'a FileSystem,
    folder: TempDir,
    safe: Vec<u64>,
    next: u64,
}

impl Disk<'_> {
    fn make(system: &FileSystem) -> Disk<'_> {
        let folder = TempDir::new().expect("a folder");
        std::fs::create_dir(folder.path().join("fuse")).expect("a folder");
        let disk = Disk {
            system,
            folder,
            safe: Vec::new(),
            next: 0,
        };
        let (server, block) = disk.attach();
        tool(system.make, &block.device);
        block.detach();
        server.stop();
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn attach(&self) -> (Serve, Block) {
        // Nothing but its buffer's size has it program what was not flushed.
        let more = ["--image", "disk.img", "--fuse", "fuse", "--timing", "off"];
        let server = Serve::start(self.folder.path(), &[&SMALL[..], &more].concat());
        let block = Block::attach(Way::Own, &server, &self.path("fuse"));
        (server, block)
    }

    /// Cuts the power so long after the load synced its first file.
    fn cut(&mut self, after: Duration, faults: &[&str]) {
        let (server, block) = self.attach();
        let mount = Mount::new(&block, &self.path("mnt"));
        // What was not synced would fill it, some cuts later.
        for entry in std::fs::read_dir(&mount.folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_safe = |number: &u64| path.ends_with(name(*number));
            if path.is_file() && !self.safe.iter().any(is_safe) {
                std::fs::remove_file(path).expect("it is there");
            }
        }
        let image = self.path("disk.img");
        let image = image.to_str().expect("ASCII");
        for fault in faults {
            said(program(), &["fault", image, fault]);
        }
        let (synced, first) = channel();
        let cutter = thread::spawn(move || {
            first.recv().expect("a file is synced");
            thread::sleep(after);
            server.kill();
        });
        write(&mount.folder, self.next, &mut self.safe, &synced).expect_err("its drive is gone");
        cutter.join().expect("no panic");
        self.next += 100_000;
    }

    /// What is wrong with the file system when the power is back.
    fn wrong(&self) -> Result<(), String> {
        let (server, block) = self.attach();
        let mnt = self.path("mnt");
        let mounted = run("mount", &[&block.device, mnt.to_str().expect("ASCII")]);
        if !mounted.status.success() {
            let why = String::from_utf8_lossy(&mounted.stderr).into_owned();
            return Err(format!("it is not mounted: {why}"));
        }
        let mount = Mount { folder: mnt };
        let is_there = |number: &&u64| {
            let found = std::fs::read(mount.folder.join(name(**number)));
            found.is_ok_and(|found| found == content(**number))
        };
        let there = self.safe.iter().filter(is_there).count();
        // With a journal that was damaged it may not be written to any more.
        mount.unmount();
        let check = [&self.system.check[1..], &[&block.device]].concat();
        let checked = run(self.system.check[0], &check);
        block.detach();
        server.stop();
        if !checked.status.success() {
            let said = [checked.stdout, checked.stderr].concat();
            return Err(String::from_utf8_lossy(&said).into_owned());
        }
        match self.safe.len() - there {
            0 => Ok(()),
            lost => Err(format!("{lost} files are gone that were synced")),
        }
    }
}

/// Cuts the power so often of each file system, which recovers; gives how many files were found that had been synced.
fn recover(cuts: u32) {
    let mut stream = RootSeed(21).stream("cuts");
    for system in &FILE_SYSTEMS {
        let mut disk = Disk::make(system);
        let mut found = 0;
        for cut in 0..cuts {
            disk.cut(Duration::from_millis(stream.random_range(40..250)), &[]);
            if let Err(why) = disk.wrong() {
                panic!("{} after cut {cut}: {why}", system.make[0]);
            }
            found += disk.safe.len();
        }
        assert!(found > 0, "{}: nothing was synced", system.make[0]);
        println!(
            "{}: {cuts} cuts, each file of {found} that had been synced",
            system.make[0]
        );
    }
}

/// The same with drives that lie about flushes; how many of all cuts broke something.
fn break_down(cuts: u32) -> u32 {
    let mut stream = RootSeed(22).stream("cuts");
    let mut broken = 0;
    for system in &FILE_SYSTEMS {
        for _ in 0..cuts {
            let mut disk = Disk::make(system);
            let after = Duration::from_millis(stream.random_range(100..250));
            disk.cut(after, &["drop-flush"]);
            if let Err(why) = disk.wrong() {
                broken += 1;
                println!(
                    "{}: {}",
                    system.make[0],
                    why.lines().next().unwrap_or_default()
                );
            }
        }
    }
    broken
}

#[test]
fn file_systems_recover_from_power_cuts_and_not_where_flushes_are_dropped() {
    let Some(_turn) = turn("power cuts of file systems") else {
        return;
    };
    recover(2);
    assert!(break_down(1) > 0, "they do without flushes");
}

#[test]
#[ignore = "minutes: make soak"]
fn file_systems_recover_from_fifty_power_cuts_each() {
    let Some(_turn) = turn("power cuts of file systems") else {
        return;
    };
    recover(50);
    let broken = break_down(10);
    println!("flushes dropped: {broken} of 30 are broken");
    assert!(broken > 10, "{broken} of 30: they do without flushes");
}

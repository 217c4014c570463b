//! File systems on a drive that is a block device.

use super::block_device::{Block, Mount, Way, turn};
use super::recorded::{amplification, count, counters, replayed};
use super::server::{Serve, said};
use ftlab_base::RootSeed;
use ftlab_base::rng::Stream;
use rand::{Rng, RngExt};
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::TempDir;

/// A file system: how it is made, and what says that nothing is wrong with it.
pub struct FileSystem {
    pub make: &'static [&'static str],
    pub check: &'static [&'static str],
}

pub const FILE_SYSTEMS: [FileSystem; 3] = [
    FileSystem {
        make: &["mkfs.ext4", "-q"],
        check: &["fsck.ext4", "-f", "-n"],
    },
    FileSystem {
        make: &["mkfs.xfs", "-q"],
        check: &["xfs_repair", "-n"],
    },
    FileSystem {
        make: &["mkfs.btrfs", "-q"],
        check: &["btrfs", "check"],
    },
];

/// 512 MiB of flash: room for the least that each file system wants.
pub const SMALL: [&str; 4] = [
    "--drive",
    "generic-mlc-8",
    "--set",
    "nand.blocks_per_die=32",
];

fn serve(folder: &Path, way: Way, more: &[&str]) -> Serve {
    let socket = folder.join("s");
    let way = match way {
        Way::Own => ["--fuse", "fuse"],
        Way::Nbdfuse => ["--unix", socket.to_str().expect("ASCII")],
    };
    std::fs::create_dir_all(folder.join("fuse")).expect("a folder");
    Serve::start(folder, &[&SMALL[..], &way, more].concat())
}

pub fn tool(words: &[&str], device: &str) -> String {
    said(words[0], &[&words[1..], &[device]].concat())
}

#[test]
fn the_kernel_discards_in_the_drives_slots() {
    let Some(_turn) = turn("discards in slots") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let slots = ["--set", "map.slot=16KiB", "--set", "nand.page=16KiB"];
    let server = serve(folder.path(), Way::Own, &slots);
    let block = Block::attach(Way::Own, &server, &folder.path().join("fuse"));
    let name = block.device.trim_start_matches("/dev/");
    let granularity = format!("/sys/block/{name}/queue/discard_granularity");
    let bytes = std::fs::read_to_string(granularity).expect("a loop device");
    assert_eq!(bytes.trim(), "16384");
    block.detach();
}

/// Random bytes in files of a folder: names and contents.
fn write_files(folder: &Path, count: u64, bytes: usize) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut stream = RootSeed(7).stream("files");
    let files = (0..count).map(|n| {
        let mut data = vec![0; stream.random_range(1..=bytes)];
        stream.fill_bytes(&mut data);
        let path = folder.join(format!("file-{n}"));
        std::fs::write(&path, &data).expect("room");
        (path, data)
    });
    files.collect()
}

/// Random operations on a file and on memory, which must agree: what fsx does.
fn exercise(path: &Path, operations: u32) {
    const BYTES: usize = 1 << 20;
    let mut stream = RootSeed(9).stream("operations");
    let mut wanted: Vec<u8> = Vec::new();
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
        .expect("a file");
    for n in 0..operations {
        let at = stream.random_range(0..BYTES);
        let length = stream.random_range(1..=(64 << 10).min(BYTES - at));
        match stream.random_range(0..10) {
            0..4 => {
                let mut data = vec![0; length];
                stream.fill_bytes(&mut data);
                file.write_all_at(&data, at as u64).expect("room");
                wanted.resize(wanted.len().max(at + length), 0);
                wanted[at..at + length].copy_from_slice(&data);
            }
            4..7 => {
                let end = wanted.len().min(at + length);
                let mut data = vec![0; end.saturating_sub(at)];
                file.read_exact_at(&mut data, at as u64).expect("data");
                assert!(
                    data == wanted[at.min(end)..end],
                    "operation {n}: {at}, {length} bytes"
                );
            }
            7 => {
                file.set_len(at as u64).expect("room");
                wanted.resize(at, 0);
            }
            8 => {
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(&file, flags, at as u64, length as u64).expect("a hole");
                let end = wanted.len().min(at + length);
                wanted[at.min(end)..end].fill(0);
            }
            _ => file.sync_all().expect("safe"),
        }
    }
    drop(file);
    assert!(
        std::fs::read(path).expect("data") == wanted,
        "the file in the end"
    );
}

#[test]
fn file_systems_keep_their_files_over_unmount_and_restart() {
    let Some(_turn) = turn("file systems on attached drives") else {
        return;
    };
    for (way, timing) in [(Way::Nbdfuse, "model"), (Way::Own, "off")] {
        for system in &FILE_SYSTEMS {
            let folder = TempDir::new().expect("a folder");
            let path = |name: &str| folder.path().join(name);
            let more = ["--image", "disk.img", "--timing", timing];
            let server = serve(folder.path(), way, &more);
            let block = Block::attach(way, &server, &path("fuse"));
            tool(system.make, &block.device);
            let mount = Mount::new(&block, &path("mnt"));
            let files = write_files(&mount.folder, 40, 512 << 10);
            exercise(&mount.folder.join("exercised"), 400);
            let text = mount.trim();
            assert!(text.contains("trimmed"), "{text}");
            mount.unmount();
            // The drive is switched off, and another process has it.
            block.detach();
            server.stop();
            let server = serve(folder.path(), way, &more);
            let block = Block::attach(way, &server, &path("fuse"));
            tool(system.check, &block.device);
            let mount = Mount::new(&block, &path("mnt"));
            for (path, data) in files {
                assert!(
                    std::fs::read(&path).expect("a file") == data,
                    "{}",
                    path.display()
                );
            }
            mount.unmount();
            block.detach();
            server.stop();
        }
    }
}

/// Write amplification of writing small files over and over on an ext4 that was full once, with or
/// without a trim of what was deleted.
fn write_amplification(trims: bool) -> f64 {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let server = serve(
        folder.path(),
        Way::Own,
        &["--timing", "off", "--image", "disk.img"],
    );
    let block = Block::attach(Way::Own, &server, &path("fuse"));
    // No trims by the way: they are what is tested.
    tool(
        &[
            "mkfs.ext4",
            "-q",
            "-E",
            "nodiscard,lazy_itable_init=0",
            "-b",
            "4096",
        ],
        &block.device,
    );
    let mount = Mount::new(&block, &path("mnt"));
    let files = write_files(&mount.folder, 660, 1 << 20);
    // What is deleted before the lazy writer comes never reaches the drive.
    said("sync", &[]);
    for (path, _) in files {
        std::fs::remove_file(path).expect("it is there");
    }
    said("sync", &[]);
    if trims {
        mount.trim();
    }
    // A new file of less than a quarter of the drive, and then random pages of it.
    let file = File::create(mount.folder.join("new")).expect("a file");
    let mut stream = RootSeed(3).stream("writes");
    let mut data = vec![0; 4096];
    let pages = 20_000;
    let mut before = counters(folder.path());
    for n in 0..5 * pages {
        stream.fill_bytes(&mut data[..8]);
        let at = match n < pages {
            true => n,
            false => stream.random_range(0..pages),
        };
        file.write_all_at(&data, at * 4096).expect("room");
        if n % 4_000 == 0 {
            file.sync_data().expect("safe");
        }
        // By then the flash has been written once over.
        if n == 2 * pages {
            before = counters(folder.path());
        }
    }
    file.sync_all().expect("safe");
    let after = counters(folder.path());
    drop(file);
    mount.unmount();
    block.detach();
    server.stop();
    amplification(before, after)
}

#[test]
fn trim_reaches_the_drive_and_makes_later_writes_cheaper() {
    let Some(_turn) = turn("TRIM by a file system") else {
        return;
    };
    let [without, with] = [false, true].map(write_amplification);
    assert!(
        with < 1.05 && without > 1.1,
        "{with} with, {without} without"
    );
}

/// Random pages of a file: three times as many writes as it has pages.
fn overwrite(file: &File, pages: u64, stream: &mut Stream) {
    let mut data = vec![0; 4096];
    for n in 0..3 * pages {
        stream.fill_bytes(&mut data[..8]);
        let page = stream.random_range(0..pages);
        file.write_all_at(&data, page * 4096).expect("room");
        if n % 4_000 == 0 {
            file.sync_data().expect("safe");
        }
    }
    file.sync_all().expect("safe");
}

#[test]
fn a_recorded_file_system_that_trims_replays_to_the_same_write_amplification() {
    let Some(_turn) = turn("a recording of ext4 with fstrim") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let untimed = ["--timing", "off", "--image", "disk.img"];
    let mut stream = RootSeed(11).stream("pages");
    // Half of the drive in one file, and more in small ones. The first server records nothing.
    let pages = 60_000;
    let server = serve(folder.path(), Way::Own, &untimed);
    let block = Block::attach(Way::Own, &server, &path("fuse"));
    tool(&["mkfs.ext4", "-q", "-b", "4096"], &block.device);
    let mount = Mount::new(&block, &path("mnt"));
    let file = File::create(mount.folder.join("pages")).expect("a file");
    overwrite(&file, pages, &mut stream);
    write_files(&mount.folder, 120, 1 << 20);
    drop(file);
    mount.unmount();
    block.detach();
    server.stop();

    let recording = [&untimed[..], &["--record", "t.blktrace"]].concat();
    let server = serve(folder.path(), Way::Own, &recording);
    let block = Block::attach(Way::Own, &server, &path("fuse"));
    let before = counters(folder.path());
    let mount = Mount::new(&block, &path("mnt"));
    let file = File::options().write(true).open(mount.folder.join("pages"));
    let file = file.expect("it is there");
    overwrite(&file, pages / 4, &mut stream);
    for n in 0..80 {
        std::fs::remove_file(mount.folder.join(format!("file-{n}"))).expect("it is there");
    }
    said("sync", &[]);
    mount.trim();
    overwrite(&file, pages / 4, &mut stream);
    drop(file);
    mount.unmount();
    block.detach();
    let after = counters(folder.path());
    server.stop();
    let wa = amplification(before, after);
    let again = replayed(folder.path(), &SMALL);
    let trims = count(folder.path(), "trims");
    assert!(trims > 0, "fstrim is in the trace");
    assert!(wa > 1.1, "the drive collects: {wa}");
    assert!(
        (again / wa - 1.0).abs() < 0.02,
        "{again} replayed, {wa} recorded"
    );
}

//! A full disk under the image: writes fail, what was acknowledged stays, and all goes on when there is room.

use super::client::Client;
use super::crash::{Known, SLOTS, SMALL, data, header};
use super::server::{Serve, run, said};
use ftlab_base::RootSeed;
use ftlab_nbd::protocol::constants::{NBD_CMD_FLAG_FUA, NBD_CMD_FLUSH, NBD_CMD_WRITE, NBD_EIO};
use rand::{Rng, RngExt};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

/// A file system that the test fills, and makes room on again.
trait Disk {
    fn folder(&self) -> &Path;
    fn fill(&self, server: &Serve);
    /// For a server that runs on it, if there is one.
    fn make_room(&self, server: Option<&Serve>);
}

/// A limit on the size of files takes the place of a full disk. Nothing beyond can be written, so some places may be
/// and others not, as of a sparse file on a disk that is full.
struct Limited {
    folder: TempDir,
    /// From the end of the image.
    bytes_off: Option<u64>,
}

impl Limited {
    fn limit(server: &Serve, bytes: Option<u64>) {
        let pid = Pid::from_raw(server.pid().cast_signed());
        let limit = Rlimit {
            current: bytes,
            maximum: getrlimit(Resource::Fsize).maximum,
        };
        prlimit(pid, Resource::Fsize, limit).expect("a limit of a process of this user");
    }
}

impl Disk for Limited {
    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn fill(&self, server: &Serve) {
        let image = std::fs::metadata(self.folder().join("disk.img")).expect("an image");
        let limit = self.bytes_off.map_or(0, |off| image.len() - off);
        Limited::limit(server, Some(limit));
    }

    fn make_room(&self, server: Option<&Serve>) {
        // The next process has no such limit.
        if let Some(server) = server {
            Limited::limit(server, getrlimit(Resource::Fsize).maximum);
        }
    }
}

/// A small file system, and a file that takes what room there is.
struct Tmpfs {
    folder: TempDir,
}

impl Tmpfs {
    /// Nothing, and a word about it that no test runner swallows, unless this is root.
    fn mount(test: &str) -> Option<Tmpfs> {
        if !rustix::process::geteuid().is_root() {
            let mut stderr = std::io::stderr();
            let why = "this is not root; a limit stands for it";
            let _ = writeln!(stderr, "\nNOT TESTED: {test}: {why}\n");
            return None;
        }
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().to_str().expect("ASCII");
        said("mount", &["-t", "tmpfs", "-o", "size=64m", "none", path]);
        Some(Tmpfs { folder })
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        run(
            "umount",
            &["-l", self.folder.path().to_str().expect("ASCII")],
        );
    }
}

impl Disk for Tmpfs {
    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn fill(&self, _: &Serve) {
        let mut file = File::create(self.folder().join("filler")).expect("a file");
        let bytes = [0; 4096];
        let full = std::iter::repeat_with(|| file.write_all(&bytes)).find_map(Result::err);
        assert_eq!(
            full.map(|error| error.kind()),
            Some(std::io::ErrorKind::StorageFull)
        );
    }

    fn make_room(&self, _: Option<&Serve>) {
        std::fs::remove_file(self.folder().join("filler")).expect("the filler");
    }
}

/// Writes that went well, and those that did not.
#[derive(Debug, Default)]
struct Tally {
    good: u64,
    failed: u64,
}

/// Writes some slots at once, on a drive that stays on or whose power will be cut.
fn write(client: &mut Client, known: &mut Known, stream: &mut impl Rng, stays_on: bool) -> Tally {
    let first = stream.random_range(0..SLOTS);
    let count = stream.random_range(1..24);
    let slot_of = |n: u64| (first + n * 83) % SLOTS;
    let with_fua: Vec<bool> = (0..count).map(|_| stream.random_ratio(1, 8)).collect();
    for n in 0..count {
        known.versions += 1;
        known.sent(slot_of(n), known.versions);
        let flags = match with_fua[n as usize] {
            true => NBD_CMD_FLAG_FUA,
            false => 0,
        };
        let data = data(slot_of(n), known.versions);
        let header = header(NBD_CMD_WRITE, flags, n, slot_of(n));
        client.send(header, &data).expect("it runs");
    }
    let mut tally = Tally::default();
    for _ in 0..count {
        match client.reply().expect("it runs") {
            (n, 0) => {
                tally.good += 1;
                if stays_on || with_fua[n as usize] {
                    known.safe(slot_of(n));
                }
            }
            (_, error) => {
                tally.failed += 1;
                assert_eq!(error, NBD_EIO);
            }
        }
    }
    tally
}

/// Writes `times` times over; tallies the requests that succeed and those that fail.
fn writes(
    times: u32,
    client: &mut Client,
    known: &mut Known,
    stream: &mut impl Rng,
    stays_on: bool,
) -> Tally {
    let mut sum = Tally::default();
    for _ in 0..times {
        let Tally { good, failed } = write(client, known, stream, stays_on);
        sum.good += good;
        sum.failed += failed;
    }
    sum
}

fn flush(client: &mut Client) -> u32 {
    client
        .send(header(NBD_CMD_FLUSH, 0, 99, 0), &[])
        .expect("it runs");
    let (cookie, error) = client.reply().expect("it runs");
    assert_eq!(cookie, 99);
    error
}

/// Runs a command of a client that people use; returns true if it succeeds, and checks that a failure shows as an
/// error.
fn qemu(disk: &impl Disk, what: &str) -> bool {
    let socket = disk.folder().join("s");
    let uri = format!("nbd+unix:///?socket={}", socket.display());
    let output = run("qemu-io", &["-f", "raw", "-c", what, &uri]);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(!text.contains("verification failed"), "{text}");
    let failed = text.contains("Input/output error");
    assert_eq!(output.status.success(), !failed, "{text}");
    !failed
}

/// Beside the slots that are checked.
const WRITE: &str = "write -f -P 7 8704k 64k";

/// Fills the disk under a drive at work and makes room again, several times.
fn fills_and_goes_on(disk: &impl Disk, timing: &str) {
    let arguments = [&SMALL[..], &["--timing", timing]].concat();
    let mut stream = RootSeed(7).stream("full disk");
    let mut known = Known::new();
    let server = Serve::start_unstopped_by_limits(disk.folder(), &arguments);
    let mut client = Client::connect(&disk.folder().join("s"));
    for round in 0..2 {
        let tally = writes(20, &mut client, &mut known, &mut stream, true);
        assert_eq!((flush(&mut client), tally.failed), (0, 0), "round {round}");

        disk.fill(&server);
        let tally = writes(60, &mut client, &mut known, &mut stream, true);
        assert!(tally.failed > 0, "round {round}: the disk is not full");
        assert!(!qemu(disk, WRITE), "round {round}");
        known.check(&mut client);

        disk.make_room(Some(&server));
        let mut tries = 0;
        while !qemu(disk, WRITE) {
            tries += 1;
            assert!(tries < 10, "round {round}: there is room, and writes fail");
        }
        assert_eq!(flush(&mut client), 0, "round {round}");
        known.check(&mut client);
    }
    drop(client);
    server.stop();
    let server = Serve::start(disk.folder(), &arguments);
    assert!(server.said.contains("closed in order"), "{}", server.said);
    known.check(&mut Client::connect(&disk.folder().join("s")));
}

/// Fills the disk under a drive, and ends the server before there is room.
fn fills_and_ends(disk: &impl Disk, timing: &str, signal: &str) {
    let arguments = [&SMALL[..], &["--timing", timing]].concat();
    let mut stream = RootSeed(8).stream("full disk");
    let mut known = Known::new();
    let server = Serve::start_unstopped_by_limits(disk.folder(), &arguments);
    let mut client = Client::connect(&disk.folder().join("s"));
    let tally = writes(20, &mut client, &mut known, &mut stream, false);
    assert_eq!((flush(&mut client), tally.failed), (0, 0));
    known.flushed();
    disk.fill(&server);
    let tally = writes(60, &mut client, &mut known, &mut stream, false);
    assert!(tally.failed > 0, "the disk is not full");
    assert_eq!(flush(&mut client), NBD_EIO);
    drop(client);
    let (status, _, error) = server.end(signal);
    assert!(!status.success());
    assert_eq!(
        error.contains("disk.img: cannot"),
        signal != "KILL",
        "{error}"
    );

    disk.make_room(None);
    let server = Serve::start(disk.folder(), &arguments);
    assert!(server.said.contains("lost its power"), "{}", server.said);
    let mut client = Client::connect(&disk.folder().join("s"));
    known.check(&mut client);
    let tally = writes(20, &mut client, &mut known, &mut stream, true);
    assert_eq!((flush(&mut client), tally.failed), (0, 0));
    known.check(&mut client);
    drop(client);
    server.stop();
}

#[test]
fn a_hard_disk_reads_while_its_image_takes_no_writes() {
    for timing in ["model", "off"] {
        let folder = TempDir::new().expect("a folder");
        let bytes_off = None;
        let disk = Limited { folder, bytes_off };
        let arguments = [
            "--drive",
            "seagate-momentus-7200.2",
            "--image",
            "disk.img",
            "--unix",
            "s",
            "--timing",
            timing,
        ];
        let server = Serve::start_unstopped_by_limits(disk.folder(), &arguments);
        assert!(qemu(&disk, "write -f -P 7 12M 64k"));
        disk.fill(&server);
        assert!(!qemu(&disk, "write -f -P 8 20M 64k"), "the disk is full");
        assert!(qemu(&disk, "read -P 7 12M 64k"), "what is there is read");
        disk.make_room(Some(&server));
        assert!(qemu(&disk, "write -f -P 8 20M 64k"), "there is room");
        assert!(qemu(&disk, "read -P 8 20M 64k"));
        server.stop();
    }
}

/// All places fail; or those of the last third do.
const LIMITS: [Option<u64>; 2] = [None, Some(6 << 20)];

#[test]
fn a_limit_fails_writes_of_a_drive_that_goes_on_later() {
    for timing in ["model", "off"] {
        for bytes_off in LIMITS {
            let folder = TempDir::new().expect("a folder");
            fills_and_goes_on(&Limited { folder, bytes_off }, timing);
        }
    }
}

#[test]
fn a_limit_fails_writes_of_a_drive_that_ends_so() {
    for (timing, signal) in [("model", "TERM"), ("off", "KILL")] {
        for bytes_off in LIMITS {
            let folder = TempDir::new().expect("a folder");
            fills_and_ends(&Limited { folder, bytes_off }, timing, signal);
        }
    }
}

#[test]
fn a_full_file_system_fails_writes_of_a_drive_that_goes_on_later() {
    for timing in ["model", "off"] {
        let Some(disk) = Tmpfs::mount("writes to a full file system") else {
            return;
        };
        fills_and_goes_on(&disk, timing);
    }
}

#[test]
fn a_full_file_system_fails_writes_of_a_drive_that_ends_so() {
    for (timing, signal) in [("model", "KILL"), ("off", "TERM")] {
        let Some(disk) = Tmpfs::mount("the end on a full file system") else {
            return;
        };
        fills_and_ends(&disk, timing, signal);
    }
}

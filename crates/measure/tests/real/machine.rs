//! Loop devices and mounts that go with the test.

use ftlab_measure::device::Device;
use ftlab_measure::device::held::{Access, Held};
use ftlab_measure::device::refusal::{How, Refusal};
use ftlab_measure::device::system::System;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// What tests attach is in the same lists of the kernel: one at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Bytes of a file behind a loop device: btrfs takes no less for two of them.
pub const BYTES: u64 = 128 << 20;

/// A folder, and what is to be undone in it when the test ends, however it does.
pub struct Machine {
    dir: TempDir,
    undo: Vec<Vec<String>>,
    _turn: MutexGuard<'static, ()>,
}

impl Machine {
    /// Waits for its turn; nothing, and a word about it that no test runner swallows, where this is not root.
    pub fn turn(test: &str) -> Option<Machine> {
        if !rustix::process::geteuid().is_root() {
            let mut stderr = std::io::stderr();
            let _ = writeln!(stderr, "\nNOT TESTED: {test}: this is not root\n");
            return None;
        }
        Some(Machine {
            dir: TempDir::new().unwrap(),
            undo: Vec::new(),
            _turn: ONE.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A sparse file.
    pub fn file(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        File::create(&path).unwrap().set_len(BYTES).unwrap();
        path
    }

    /// A file without holes, which swap needs.
    pub fn whole_file(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, vec![0; 20 << 20]).unwrap();
        path
    }

    /// A loop device on a file; `options` of losetup.
    pub fn attach(&mut self, file: &Path, options: &[&str]) -> PathBuf {
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show"]).args(options).arg(file);
        let device = said(&mut losetup);
        self.at_the_end(&["losetup", "-d", &device]);
        PathBuf::from(device)
    }

    /// A loop device on a new file.
    pub fn block(&mut self, name: &str) -> PathBuf {
        let file = self.file(name);
        self.attach(&file, &[])
    }

    /// A partition at the beginning of a device, whatever its kernel knows of partition tables.
    pub fn partition(&mut self, device: &Path, number: &str) -> PathBuf {
        self.partition_at(device, number, "2048")
    }

    /// A partition behind that one.
    pub fn partition_behind(&mut self, device: &Path, number: &str) -> PathBuf {
        self.partition_at(device, number, "120000")
    }

    fn partition_at(&mut self, device: &Path, number: &str, sector: &str) -> PathBuf {
        let device = text(device);
        run(&["addpart", device, number, sector, "100000"]);
        self.at_the_end(&["delpart", device, number]);
        PathBuf::from(format!("{device}p{number}"))
    }

    pub fn mount(&mut self, device: &Path) -> PathBuf {
        let at = self.path("mnt");
        std::fs::create_dir(&at).unwrap();
        self.mount_at(device, &at);
        at
    }

    pub fn mount_at(&mut self, device: &Path, at: &Path) {
        run(&["mount", text(device), text(at)]);
        self.at_the_end(&["umount", text(at)]);
    }

    /// A file system in memory that has room for so much.
    pub fn room(&mut self, size: &str) -> PathBuf {
        let at = self.path("room");
        std::fs::create_dir(&at).unwrap();
        let options = format!("size={size}");
        run(&["mount", "-t", "tmpfs", "-o", &options, "tmpfs", text(&at)]);
        self.at_the_end(&["umount", text(&at)]);
        at
    }

    pub fn more_room(&self, at: &Path, size: &str) {
        run(&["mount", "-o", &format!("remount,size={size}"), text(at)]);
    }

    pub fn swap_to(&mut self, place: &Path) {
        run(&["mkswap", text(place)]);
        run(&["swapon", text(place)]);
        self.at_the_end(&["swapoff", text(place)]);
    }

    fn at_the_end(&mut self, command: &[&str]) {
        self.undo
            .push(command.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        while let Some(command) = self.undo.pop() {
            let _ = Command::new(&command[0]).args(&command[1..]).output();
        }
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("ASCII")
}

fn said(command: &mut Command) -> String {
    let output = command.output().expect("`make setup` installs it");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub fn run(words: &[&str]) -> String {
    said(Command::new(words[0]).args(&words[1..]))
}

pub fn fails(words: &[&str]) -> Output {
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert!(!output.status.success(), "{words:?} works");
    output
}

/// The device, to be written.
pub fn hold(path: &Path) -> Result<Held, Refusal> {
    let id = Device::find(&System::here(), path)?.id;
    open(path, Access::Destroy(id))
}

/// The device at a path, opened.
pub fn open(path: &Path, access: Access) -> Result<Held, Refusal> {
    let system = System::here();
    Held::open(&system, Device::find(&system, path)?, access)
}

/// The use for which a device is refused, and what lies between.
#[track_caller]
pub fn used(path: &Path) -> (How, Vec<String>) {
    match hold(path) {
        Err(Refusal::InUse { what, .. }) => (what.how, what.through),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub fn refused(path: &Path) -> String {
    hold(path).expect_err("it is refused").to_string()
}

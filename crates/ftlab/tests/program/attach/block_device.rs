//! A drive as a block device of this machine: through nbdfuse or `--fuse`, and a loop device on the file.

use super::server::{Serve, run, said};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// There are few loop devices, and these tests are heavy: one at a time.
static ONE: Mutex<()> = Mutex::new(());

const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for its turn; nothing, and a word about it that no test runner swallows, where block devices
/// cannot be made.
pub fn turn(test: &str) -> Option<MutexGuard<'static, ()>> {
    let why = if !rustix::process::geteuid().is_root() {
        "this is not root"
    } else if !Path::new("/dev/fuse").exists() || !Path::new("/dev/loop-control").exists() {
        "there is no FUSE, or no loop device, on this machine"
    } else {
        // Another test that failed has left nothing behind.
        return Some(ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    };
    let mut stderr = std::io::stderr();
    let _ = writeln!(stderr, "\nNOT TESTED: {test}: {why}\n");
    None
}

/// How the drive's file comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// nbdfuse, a client.
    Nbdfuse,
    /// `--fuse`.
    Own,
}

/// Waits until something is so.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(5));
    }
}

/// A loop device on the drive's file.
pub struct Block {
    pub device: String,
    /// Where the file lies.
    folder: PathBuf,
    client: Option<Child>,
}

impl Block {
    /// Makes a block device of a server's drive. `folder` is where it mounts with `--fuse`, or is to be
    /// mounted by nbdfuse.
    pub fn attach(way: Way, server: &Serve, folder: &Path) -> Block {
        let client = (way == Way::Nbdfuse).then(|| {
            std::fs::create_dir_all(folder).expect("a folder");
            let mut nbdfuse = Command::new("nbdfuse");
            nbdfuse.arg(folder.join("disk")).arg(server.uri());
            nbdfuse.spawn().expect("`make setup` installs nbdfuse")
        });
        let file = folder.join("disk");
        wait_until("the file is there", || {
            file.metadata().is_ok_and(|file| file.len() > 0)
        });
        let file = file.to_str().expect("ASCII");
        let device = said("losetup", &["--find", "--show", "--direct-io=on", file]);
        Block {
            device: device.trim().to_owned(),
            folder: folder.to_owned(),
            client,
        }
    }

    /// Takes everything down in order.
    pub fn detach(mut self) {
        said("losetup", &["-d", &self.device]);
        // It lets go of the file a moment later; on a busy machine that is seconds.
        wait_until("the loop device lets go of the file", || {
            !run("losetup", &[&self.device]).status.success()
        });
        self.device.clear();
        if let Some(mut client) = self.client.take() {
            let folder = self.folder.to_str().expect("ASCII").to_owned();
            wait_until("it is unmounted", || {
                run("umount", &[&folder]).status.success()
            });
            client.wait().expect("it ends");
        }
    }
}

impl Drop for Block {
    /// After a failure nothing stays behind, and nothing of a server that was killed.
    fn drop(&mut self) {
        if !self.device.is_empty() {
            run("losetup", &["-d", &self.device]);
            run("umount", &["-l", self.folder.to_str().unwrap_or_default()]);
        }
        if let Some(client) = &mut self.client {
            let _ = client.kill();
            let _ = client.wait();
        }
    }
}

/// A mounted file system.
pub struct Mount {
    pub folder: PathBuf,
}

impl Mount {
    pub fn new(block: &Block, folder: &Path) -> Mount {
        std::fs::create_dir_all(folder).expect("a folder");
        said("mount", &[&block.device, folder.to_str().expect("ASCII")]);
        Mount {
            folder: folder.to_owned(),
        }
    }

    fn path(&self) -> &str {
        self.folder.to_str().expect("ASCII")
    }

    pub fn trim(&self) -> String {
        said("fstrim", &["-v", self.path()])
    }

    pub fn unmount(self) {
        // A process that another test begins holds the files of this one, too, until it runs its own program.
        wait_until("the file system is unmounted", || {
            run("umount", &[self.path()]).status.success()
        });
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", &["-l", self.path()]);
    }
}

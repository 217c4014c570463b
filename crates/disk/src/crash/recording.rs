//! The log of a program's writes: a new drive is served, gets a file system, and a program runs on that.

use super::file_system::{FileSystem, at, quoted};
use super::process::{self, Ended};
use clap::Args;
use ftlab_console::failure::Failure;
use ftlab_console::{drives, own};
use ftlab_image::CrashLog;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

#[derive(Debug, Args)]
pub struct RecordOptions {
    /// Record a log first: run this command on a new drive with a file system. {mount} is replaced by the folder where it
    /// is mounted; without {mount} the folder comes last
    #[arg(long, value_name = "CMD", requires = "fs", conflicts_with = "state")]
    pub run: Option<String>,
    /// The drive on which the command runs
    #[arg(long, requires = "run", default_value = "generic-mlc-8", value_parser = drives::name(), hide_possible_values = true)]
    drive: String,
    /// Change a number of the drive file; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "run")]
    settings: Vec<String>,
    /// How much of the drive the host may address
    #[arg(long, value_name = "BYTES", requires = "run", default_value = "512m", value_parser = crate::serve::bytes)]
    size: u64,
}

impl RecordOptions {
    /// Runs `command` on a new drive that has the file system, and writes the log of what reached the drive.
    ///
    /// # Errors
    /// When this is not root, a tool is missing, the drive cannot be served, or the command fails. `None` if it was
    /// interrupted.
    pub fn record(
        &self,
        command: &str,
        fs: FileSystem,
        log: &Path,
        is_interrupted: &AtomicBool,
    ) -> Result<Option<()>, Failure> {
        if !rustix::process::geteuid().is_root() {
            return Err(Failure::Input(
                "--run mounts a file system, which needs root: call it with sudo, or serve a drive with --crash-log, mount \
                 it, run the program, and give the log to `ftlab crash`"
                    .into(),
            ));
        }
        if log.exists() {
            CrashLog::open(log).map_err(|why| {
                Failure::Input(format!(
                    "{}: --run writes its log there, and this is no older log to replace: {why}",
                    log.display()
                ))
            })?;
        }
        let place = Place::new()?;
        let size = self.size.to_string();
        let mut made: Vec<&OsStr> = ["--drive", &self.drive, "--size", &size]
            .map(OsStr::new)
            .to_vec();
        for setting in &self.settings {
            made.extend([OsStr::new("--set"), OsStr::new(setting)]);
        }
        let drive = place.serve(&made)?;
        make(fs, &place.file())?;
        drive.stop()?;
        // The state in which the program finds the drive is where the log begins.
        match std::fs::remove_file(log) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Failure::Running(format!("{}: {error}", log.display())));
            }
            _ => {}
        }
        let drive = place.serve(&[OsStr::new("--crash-log"), log.as_os_str()])?;
        let mounted = Mounted::new(fs, &place)?;
        let ran = run(command, &place, is_interrupted)?;
        mounted.end()?;
        drive.stop()?;
        Ok(ran)
    }
}

/// A folder with all that a drive needs; gone with this.
struct Place(TempDir);

impl Place {
    fn new() -> Result<Place, Failure> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("ftlab-crash-");
        // The program may go on as another user, who needs a way to the mounted folder.
        let folder = builder.permissions(Permissions::from_mode(0o711)).tempdir();
        let folder = folder.and_then(|folder| {
            std::fs::create_dir(folder.path().join("fuse"))?;
            std::fs::create_dir(folder.path().join("mnt"))?;
            Ok(folder)
        });
        folder.map(Place).map_err(|error| {
            Failure::Running(format!(
                "cannot make a folder for the drive in {}: {error}; TMPDIR names another",
                std::env::temp_dir().display()
            ))
        })
    }

    fn image(&self) -> PathBuf {
        self.0.path().join("disk.img")
    }

    /// Where the drive is a file.
    fn file(&self) -> PathBuf {
        self.0.path().join("fuse").join("disk")
    }

    fn mount(&self) -> PathBuf {
        self.0.path().join("mnt")
    }

    /// Serves the drive, a new one or the one that there is.
    fn serve(&self, more: &[&OsStr]) -> Result<Served, Failure> {
        let image = self.image();
        let fuse = self.0.path().join("fuse");
        let mut words = vec![
            OsStr::new("serve"),
            OsStr::new("--image"),
            image.as_os_str(),
        ];
        words.extend([OsStr::new("--fuse"), fuse.as_os_str()]);
        words.extend(["--timing", "off", "--daemon"].map(OsStr::new));
        words.extend(more);
        ftlab(&words)?;
        Ok(Served { image: Some(image) })
    }
}

/// A server in the background; ended with this.
struct Served {
    image: Option<PathBuf>,
}

impl Served {
    fn stop(mut self) -> Result<(), Failure> {
        let image = self.image.take().expect("it is stopped once");
        ftlab(&[OsStr::new("stop"), image.as_os_str()])
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(image) = self.image.take() {
            // What went wrong before is what is said.
            let _ = ftlab(&[OsStr::new("stop"), image.as_os_str()]);
        }
    }
}

/// The drive's file system, mounted through a loop device; both are taken away with this.
struct Mounted {
    device: OsString,
    folder: Option<PathBuf>,
}

impl Mounted {
    fn new(fs: FileSystem, place: &Place) -> Result<Mounted, Failure> {
        // Without direct I/O the kernel would keep writes to the file, and the log miss them.
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show", "--direct-io=on"]);
        let device = said(losetup.arg(place.file()), "util-linux")?;
        let mut mounted = Mounted {
            device: device.trim().into(),
            folder: None,
        };
        let mut mount = Command::new("mount");
        mount.args(["-t", fs.name()]).arg(&mounted.device);
        said(mount.arg(place.mount()), "util-linux")?;
        mounted.folder = Some(place.mount());
        Ok(mounted)
    }

    fn end(mut self) -> Result<(), Failure> {
        if let Some(folder) = self.folder.take() {
            let done = said(Command::new("umount").arg(&folder), "util-linux");
            done.map_err(|_| {
                // It goes as soon as nobody uses it any more.
                self.folder = Some(folder);
                Failure::Running(
                    "the file system is still in use: have the program of --run wait for what it starts"
                        .into(),
                )
            })?;
        }
        Ok(())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // What went wrong before is what is said.
        if let Some(folder) = &self.folder {
            let _ = Command::new("umount").arg("--lazy").arg(folder).output();
        }
        let _ = Command::new("losetup").arg("-d").arg(&self.device).output();
    }
}

/// Runs the program; what it says goes to standard error. `None` if it was interrupted.
fn run(command: &str, place: &Place, is_interrupted: &AtomicBool) -> Result<Option<()>, Failure> {
    let failed = |error: io::Error| Failure::Running(format!("the program of --run: {error}"));
    let mut child = Command::new("sh")
        .args(["-c", &at(command, &quoted(&place.mount()))])
        .env("FTLAB_DISK", place.image())
        .env("PATH", path()?)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let group = Pid::from_child(&child);
    let ended = process::wait(&mut child, Duration::MAX, is_interrupted);
    // Whatever it started would keep the file system in use; that it has ended already is no error.
    let _ = kill_process_group(group, Signal::KILL);
    child.wait().map_err(failed)?;
    match ended.map_err(failed)? {
        Ended::By(status) if status.success() => Ok(Some(())),
        Ended::By(status) => Err(Failure::Running(format!(
            "the program of --run failed: {status}; nothing was checked"
        ))),
        Ended::TookTooLong | Ended::Interrupted => Ok(None),
    }
}

/// Where programs are looked for, with this one first: the program of `--run` calls `ftlab mark`.
fn path() -> Result<OsString, Failure> {
    let own = own::folder().map_err(not_found)?;
    let old = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.clone().into_iter().chain(std::env::split_paths(&old));
    std::env::join_paths(folders).map_err(|why| {
        let own = own.unwrap_or_default();
        Failure::Running(format!("{}: it cannot stand in PATH: {why}", own.display()))
    })
}

fn not_found(error: io::Error) -> Failure {
    Failure::Running(format!("cannot find this program: {error}"))
}

/// Runs this program.
fn ftlab(words: &[&OsStr]) -> Result<(), Failure> {
    let mut command = own::command().map_err(not_found)?;
    let output = command.args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| Failure::Running(format!("cannot start: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let why = first_line(&output);
    let why = why.trim_start_matches("error: ").to_owned();
    match output.status.code() {
        Some(2) => Err(Failure::Input(why)),
        _ => Err(Failure::Running(why)),
    }
}

fn make(fs: FileSystem, file: &Path) -> Result<(), Failure> {
    let ([program, options @ ..], package) = fs.maker();
    said(Command::new(program).args(options).arg(file), package)?;
    Ok(())
}

/// Runs a tool of a package; what it said.
fn said(command: &mut Command, package: &str) -> Result<String, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        Failure::Running(format!("cannot start {name}: {error}; install {package}"))
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Failure::Running(format!("{name}: {}", first_line(&output)))),
    }
}

/// Why a tool failed: its first words. What follows is how it is used.
fn first_line(output: &Output) -> String {
    let words = String::from_utf8_lossy(&output.stderr);
    let first = words.lines().map(str::trim).find(|line| !line.is_empty());
    first.map_or_else(|| output.status.to_string(), str::to_owned)
}

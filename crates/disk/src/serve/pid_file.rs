//! The file that says which process serves a drive.
//!
//! The server holds a lock on it until its end, however it ends. The number in a file without a lock is that of a
//! server that was killed, and may be another process's by now.

use ftlab_console::failure::Failure;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file of this process.
pub struct PidFile {
    file: File,
    path: PathBuf,
}

impl PidFile {
    /// Writes this process's number.
    pub fn write(path: PathBuf) -> Result<PidFile, Failure> {
        let failed = |error: io::Error| {
            Failure::Input(format!(
                "cannot write the pid file {}: {error}",
                path.display()
            ))
        };
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(failed)?;
        if !lock(&file).map_err(failed)? {
            return Err(Failure::Input(format!(
                "{}: the pid file of another server that runs; stop that, or name another with --pid-file",
                path.display()
            )));
        }
        let number = format!("{}\n", std::process::id());
        file.set_len(0)
            .and_then(|()| file.write_all(number.as_bytes()))
            .map_err(failed)?;
        Ok(PidFile { file, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PidFile {
    /// Removes it, unless somebody has put another in its place.
    fn drop(&mut self) {
        let there = self.path.symlink_metadata().map(|there| there.ino());
        let own = self.file.metadata().map(|own| own.ino());
        if matches!((there, own), (Ok(there), Ok(own)) if there == own) {
            // The lock goes with this process; a file that is left is seen to be nobody's.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A pid file of another process, opened to wait for its end.
pub struct Other {
    file: File,
    /// The process, if the text is a number.
    pub pid: Option<i32>,
}

impl Other {
    pub fn open(path: &Path) -> io::Result<Other> {
        let file = File::open(path)?;
        // A number and a line's end; what is longer is some other file.
        let mut text = Vec::new();
        (&file).take(32).read_to_end(&mut text)?;
        let text = String::from_utf8(text).ok();
        let pid = text.and_then(|text| text.trim().parse().ok());
        Ok(Other { file, pid })
    }

    /// True if the server has ended.
    pub fn has_ended(&self) -> io::Result<bool> {
        lock(&self.file)
    }
}

/// Locks a file; whether nobody else has.
fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

//! Files read and written.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The most a job file may have: fio's own are a few kilobytes.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Reads a text file; `what` says what it should have been.
pub fn read(path: &Path, what: &str) -> Result<String, Failure> {
    let fail = |why: String| Failure::Input(format!("cannot read {}: {why}", path.display()));
    let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => fail(format!("there is no such file; give {what}")),
        _ => fail(error.to_string()),
    })?;
    if meta.is_dir() {
        return Err(fail(format!("it is a directory; give {what}")));
    }
    if meta.len() > TEXT_BYTES_MAX {
        return Err(fail(format!("it has {} bytes; give {what}", meta.len())));
    }
    let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| fail(format!("it is not text; give {what}")))
}

/// A directory to write into. It is made, and tried, before any work is done for it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// When it is a file, or cannot be made or written to.
    pub fn ready(path: &Path) -> Result<Folder, Failure> {
        let fail = |why: String| {
            Failure::Input(format!(
                "cannot write to {}: {why}; give another directory with --out",
                path.display()
            ))
        };
        if path.exists() && !path.is_dir() {
            return Err(fail("it is a file".to_owned()));
        }
        std::fs::create_dir_all(path).map_err(|error| fail(error.to_string()))?;
        // Permissions say less than an attempt: read-only mounts, quotas, network folders.
        tempfile::tempfile_in(path).map_err(|error| fail(error.to_string()))?;
        Ok(Folder(path.to_owned()))
    }

    /// Writes all files or, when one cannot be written, none: every file is complete under another
    /// name before the first one is renamed.
    pub fn write(&self, files: &[(&str, &str)]) -> Result<(), Failure> {
        let mut written = Vec::new();
        for (name, text) in files {
            let file = self
                .write_aside(text)
                .map_err(|error| self.failed(name, &error))?;
            written.push((name, file));
        }
        for (name, file) in written {
            let renamed = file.persist(self.0.join(name));
            renamed.map_err(|error| self.failed(name, &error.error))?;
        }
        Ok(())
    }

    /// The path of a file in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write_aside(&self, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ftlab-");
        readable_by_all(&mut builder);
        let mut file = builder.tempfile_in(&self.0)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    fn failed(&self, name: &str, error: &std::io::Error) -> Failure {
        Failure::Running(format!(
            "cannot write {}: {error}",
            self.join(name).display()
        ))
    }
}

/// A temporary file is its owner's alone; a report is to be shared as far as the umask allows.
#[cfg(unix)]
fn readable_by_all(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable_by_all(_: &mut tempfile::Builder<'_, '_>) {}

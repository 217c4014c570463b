//! Files read and written.

use crate::failure::Failure;
use ftlab_base::amount::grouped;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The most a job file may have: fio's own are a few kilobytes.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Opens a file; `what` says what it should be.
pub fn open(path: &Path, what: &str) -> Result<File, Failure> {
    looked_at(path, what)?;
    File::open(path).map_err(|error| unreadable(path, &error.to_string()))
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::Input(format!("cannot read {}: {why}", path.display()))
}

/// What is made of a file. What reads it may panic over it: that is an error of the file, too.
///
/// # Errors
/// As `reading` has it.
pub fn guarded<T>(path: &Path, reading: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    ftlab_base::guarded(reading).unwrap_or_else(|panic| {
        let why = format!("{panic}; please report it, with the file");
        Err(unreadable(path, &why))
    })
}

/// What is at a path, if it can be read like a file.
fn looked_at(path: &Path, what: &str) -> Result<Metadata, Failure> {
    let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => unreadable(path, &format!("there is no such file; give {what}")),
        _ => unreadable(path, &error.to_string()),
    })?;
    if meta.is_dir() {
        let why = format!("it is a directory; give {what}");
        return Err(unreadable(path, &why));
    }
    Ok(meta)
}

/// Reads a text file; `what` says what it should have been.
pub fn read(path: &Path, what: &str) -> Result<String, Failure> {
    read_up_to(TEXT_BYTES_MAX, path, what)
}

/// Reads a text file of at most N bytes; `what` says what it should have been.
pub fn read_up_to(bytes_max: u64, path: &Path, what: &str) -> Result<String, Failure> {
    let fail = |why: String| unreadable(path, &why);
    let meta = looked_at(path, what)?;
    let most = grouped(bytes_max);
    if meta.len() > bytes_max {
        let has = grouped(meta.len());
        return Err(fail(format!(
            "it has {has} bytes, at most {most}; give {what}"
        )));
    }
    let mut bytes = Vec::new();
    // What has no size, such as a pipe, may have no end either.
    let file = File::open(path).map(|file| file.take(bytes_max + 1));
    let read = file.and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| fail(error.to_string()))?;
    if bytes.len() as u64 > bytes_max {
        return Err(fail(format!("it has more than {most} bytes; give {what}")));
    }
    String::from_utf8(bytes).map_err(|_| fail(format!("it is not text; give {what}")))
}

/// A directory to write into. It is made, and tried, before any work is done for it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// When it is a file, or cannot be made or written to.
    pub fn ready(path: &Path) -> Result<Folder, Failure> {
        Folder::ready_for(path, "--out")
    }

    /// The same for what `option` gave the path of.
    ///
    /// # Errors
    /// As [`Folder::ready`].
    pub fn ready_for(path: &Path, option: &str) -> Result<Folder, Failure> {
        let fail = |why: String| {
            Failure::Input(format!(
                "cannot write to {}: {why}; give another directory with {option}",
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
    pub fn write(&self, files: &[(&str, &[u8])]) -> Result<(), Failure> {
        let mut written = Vec::new();
        for (name, bytes) in files {
            let file = self
                .write_aside(bytes)
                .map_err(|error| self.failed(name, &error))?;
            written.push((name, file));
        }
        for (name, file) in written {
            let renamed = file.persist(self.0.join(name));
            renamed.map_err(|error| self.failed(name, &error.error))?;
        }
        Ok(())
    }

    /// Removes a file in it, if there is one.
    pub fn remove(&self, name: &str) -> Result<(), Failure> {
        match std::fs::remove_file(self.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let path = self.join(name);
                let why = format!("cannot remove {}: {error}", path.display());
                Err(Failure::Running(why))
            }
            _ => Ok(()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write_aside(&self, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
        let mut file = aside(&self.0)?;
        file.write_all(bytes)?;
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

/// A file to write, in a folder that exists. It is tried before any work is done for it.
#[derive(Debug)]
pub struct NewFile {
    folder: Folder,
    path: PathBuf,
}

impl NewFile {
    /// # Errors
    /// When there is something else at `path`, or nothing can be written beside it; `option` gave
    /// the path.
    pub fn ready(path: &Path, option: &str) -> Result<NewFile, Failure> {
        let fail = |why: &str| {
            Failure::Input(format!(
                "cannot write to {}: {why}; give another file with {option}",
                path.display()
            ))
        };
        // Not `is_file`: what cannot be looked at is found out by the attempt.
        if path.is_dir() {
            return Err(fail("it is a directory"));
        }
        if path.exists() && !path.is_file() {
            return Err(fail("it is not a regular file"));
        }
        if path.file_name().is_none() {
            return Err(fail("it is not the path of a file"));
        }
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let folder = parent.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(fail(&format!("there is no directory {}", folder.display())));
        }
        tempfile::tempfile_in(folder).map_err(|error| fail(&error.to_string()))?;
        Ok(NewFile {
            folder: Folder(folder.to_owned()),
            path: path.to_owned(),
        })
    }

    /// A file beside it to write to bit by bit; until [`NewFile::end`] nothing is at the path.
    pub fn begin(&self) -> Result<tempfile::NamedTempFile, Failure> {
        let begun = aside(&self.folder.0);
        begun.map_err(|error| self.failed(&error))
    }

    /// Puts what was written into its place.
    pub fn end(&self, file: tempfile::NamedTempFile) -> Result<(), Failure> {
        let synced = file.as_file().sync_all();
        let placed = synced.and_then(|()| Ok(file.persist(&self.path)?));
        placed.map(drop).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::Running(format!("cannot write {}: {error}", self.path.display()))
    }

    /// Writes the file whole, or leaves what is there as it is.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.folder.write_aside(bytes);
        let renamed = written.and_then(|file| Ok(file.persist(&self.path)?));
        // As before the run: another place helps, and the run can be repeated.
        renamed.map(drop).map_err(|error| {
            Failure::Input(format!("cannot write {}: {error}", self.path.display()))
        })
    }
}

/// A file of another name in a folder, to be renamed.
fn aside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ftlab-");
    readable_by_all(&mut builder);
    builder.tempfile_in(folder)
}

/// A temporary file is its owner's alone; a report is to be shared as far as the umask allows.
#[cfg(unix)]
fn readable_by_all(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable_by_all(_: &mut tempfile::Builder<'_, '_>) {}

//! Files that are read; those that are written are [`ftlab_output`]'s.

use crate::failure::Failure;
use ftlab_base::amount::grouped;
pub use ftlab_output::{Begun, Folder, NewFile, Replaces, check, distinct};
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

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

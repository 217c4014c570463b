//! Files that are read; those that are written are [`ftlab_output`]'s.

use crate::failure::Failure;
use ftlab_output::text;
pub use ftlab_output::{Begun, Folder, NewFile, Replaces, check, distinct};
use std::fs::File;
use std::path::Path;

/// Opens a file; `what` says what it should be.
///
/// # Errors
/// When it is not there, is a directory, or cannot be read.
pub fn open(path: &Path, what: &str) -> Result<File, Failure> {
    text::looked_at(path, what).map_err(Failure::Input)?;
    File::open(path).map_err(|error| unreadable(path, &error.to_string()))
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::Input(format!("cannot read {}: {why}", path.display()))
}

/// Runs a reading of a file and returns its result. A panic in it is an error of the file, too.
///
/// # Errors
/// As `reading` has it.
pub fn guarded<T>(path: &Path, reading: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    ftlab_base::guarded(reading).unwrap_or_else(|panic| {
        let why = format!("{panic}; please report it, with the file");
        Err(unreadable(path, &why))
    })
}

/// Reads a text file; `what` says what it should have been.
///
/// # Errors
/// When it cannot be read, is no text, or is larger than anybody writes.
pub fn read(path: &Path, what: &str) -> Result<String, Failure> {
    text::read(path, what).map_err(Failure::Input)
}

/// Reads a text file of at most N bytes; `what` says what it should have been.
///
/// # Errors
/// When it cannot be read, is no text, or is larger.
pub fn read_up_to(bytes_max: u64, path: &Path, what: &str) -> Result<String, Failure> {
    text::read_up_to(bytes_max, path, what).map_err(Failure::Input)
}

/// Reads the text that comes on standard input; `what` says what it should be.
///
/// # Errors
/// When it cannot be read, is no text, or is larger than anybody writes.
pub fn read_stdin(what: &str) -> Result<String, Failure> {
    text::read_stdin(what).map_err(Failure::Input)
}

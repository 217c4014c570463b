//! Check of the place of an output: what stands there, and if it may go.

use crate::OutputError;
use ftlab_sheet::magic::{self, Kind};
use std::fs::{File, FileType, Metadata, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Files that an output may take the place of. No output takes the place of a device, a directory, or a file in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// No file at all.
    Nothing,
    /// Files with the number of a process, in use or not: whoever writes one locks it.
    PidFiles,
    /// Files of this kind, if that was asked for with `--replace`.
    Same {
        /// Kind of the output.
        kind: Kind,
        /// True if the user asked for it.
        asked: bool,
    },
    /// Regular files that hold nothing of ftlab's: pages, tables, texts. Such an output may be a stream, too.
    Files,
}

/// Finding at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// A regular file, with its kind if it is ftlab's.
    File(Option<Kind>),
    /// A pipe or device that bytes go into and nothing is replaced by.
    Stream,
    /// Something else, in words.
    Other(&'static str),
}

/// The longest text of a pid file.
const PID_BYTES_MAX: u64 = 31;

/// The streams of this process that have names.
const STDOUT: &str = "/dev/stdout";
const STDERR: &str = "/dev/stderr";

/// Looks at a path, through links.
pub(crate) fn look(path: &Path) -> io::Result<Found> {
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(why) if why.kind() == ErrorKind::NotFound => {
            // A link that leads nowhere is somebody's, too.
            return Ok(match path.symlink_metadata() {
                Ok(_) => Found::File(None),
                Err(_) => Found::Nothing,
            });
        }
        Err(why) => return Err(why),
    };
    if meta.is_dir() {
        return Ok(Found::Other("it is a directory"));
    }
    if !meta.is_file() {
        return Ok(special(path, meta.file_type()));
    }
    let kind = kind_of(path)?;
    Ok(match kind {
        None if is_own_stream(path) => Found::Stream,
        kind => Found::File(kind),
    })
}

fn is_own_stream(path: &Path) -> bool {
    [STDOUT, STDERR].iter().any(|name| path == Path::new(name))
}

pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STDOUT)
}

#[cfg(unix)]
fn special(path: &Path, kind: FileType) -> Found {
    use std::os::unix::fs::FileTypeExt;
    let is_harmless = ["/dev/null", "/dev/tty"]
        .iter()
        .any(|name| path == Path::new(name));
    if kind.is_fifo() || (kind.is_char_device() && (is_harmless || is_own_stream(path))) {
        return Found::Stream;
    }
    Found::Other("it is not a regular file")
}

#[cfg(not(unix))]
fn special(_: &Path, _: FileType) -> Found {
    Found::Other("it is not a regular file")
}

/// Returns the kind of a regular file, if it is one of ftlab's.
fn kind_of(path: &Path) -> io::Result<Option<Kind>> {
    let mut first = Vec::new();
    File::open(path)?
        .take(magic::BYTES as u64)
        .read_to_end(&mut first)?;
    Ok(Kind::of(&first))
}

/// Returns true if a file holds a number and nothing else, or nothing at all.
fn is_number(path: &Path) -> io::Result<bool> {
    let mut text = Vec::new();
    File::open(path)?
        .take(PID_BYTES_MAX + 1)
        .read_to_end(&mut text)?;
    let is_short = text.len() as u64 <= PID_BYTES_MAX;
    let text = text.trim_ascii();
    Ok(is_short && text.iter().all(u8::is_ascii_digit))
}

/// Returns true if another process has locked a file, as servers do with images that are being made and with pid files.
fn is_locked(path: &Path) -> bool {
    // What cannot be opened or locked for another reason is found out by whoever writes.
    let locked = File::open(path).map(|file| file.try_lock());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// Checks that a file may be written at a path that `option` gave.
///
/// # Errors
/// When what is there has to stay.
pub fn check(path: &Path, option: &str, replaces: Replaces) -> Result<(), OutputError> {
    found(path, &format!("another file with {option}"), replaces).map(drop)
}

/// Returns what is at a path if it may be replaced. `instead` is the advice if it has to stay.
pub(crate) fn found(path: &Path, instead: &str, replaces: Replaces) -> Result<Found, OutputError> {
    let shown = path.display();
    let refuse = |why: &str| {
        Err(OutputError::Refused(format!(
            "cannot write to {shown}: {why}; give {instead}"
        )))
    };
    let found = match look(path) {
        Ok(found) => found,
        Err(why) => return refuse(&why.to_string()),
    };
    let kind = match &found {
        Found::Nothing => return Ok(found),
        Found::Stream if replaces == Replaces::Files => return Ok(found),
        Found::Stream => return refuse("it is not a regular file"),
        Found::Other(what) => return refuse(what),
        Found::File(kind) => *kind,
    };
    // A file of ftlab's own makes way for its like alone, and only when that was asked for: it may hold a drive.
    match (replaces, kind) {
        (Replaces::Same { kind: own, asked }, Some(kind)) if kind == own => {
            if !asked {
                return Err(OutputError::Refused(format!(
                    "{shown} is there already, {}: --replace puts the new one into its place, or give {instead}",
                    kind.words()
                )));
            }
        }
        (_, Some(kind)) => {
            return refuse(&format!("it is {}, which this would destroy", kind.words()));
        }
        (Replaces::Nothing | Replaces::Same { .. }, None) => {
            return Err(OutputError::Refused(format!(
                "{shown} is there already: remove it, or give {instead}"
            )));
        }
        (Replaces::PidFiles, None) => {
            return match is_number(path) {
                Ok(true) => Ok(found),
                Ok(false) => refuse("it is there already, and no pid file"),
                Err(why) => refuse(&why.to_string()),
            };
        }
        (Replaces::Files, None) => {}
    }
    if is_locked(path) {
        return refuse("it is in use");
    }
    Ok(found)
}

/// Returns the path without its links, even if nothing is there.
fn identity(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

/// Returns true if two files are one, under two names or the same.
fn are_one(one: &Path, other: &Path) -> bool {
    let metas = [one, other].map(std::fs::metadata);
    if let [Ok(one), Ok(other)] = &metas
        && are_linked(one, other)
    {
        return true;
    }
    let [one, other] = [one, other].map(identity);
    one.is_some() && one == other
}

#[cfg(unix)]
fn are_linked(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn are_linked(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Checks that the files of a call, each with the option that named it, are as many as they have names: one is not read and written,
/// or written twice.
///
/// # Errors
/// When two are the same.
pub fn distinct(files: &[(&str, &Path)]) -> Result<(), OutputError> {
    for (n, (option, path)) in files.iter().enumerate() {
        let is_stream = matches!(look(path), Ok(Found::Stream));
        let same = files[..n].iter().find(|(_, other)| are_one(path, other));
        if let Some((other, _)) = same.filter(|_| !is_stream) {
            return Err(OutputError::Refused(format!(
                "{other} and {option} name the same file, {}: give two",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Opens a stream for its bytes.
pub(crate) fn sink(path: &Path) -> io::Result<Box<dyn io::Write>> {
    // Opened anew, the file behind it would be written from its beginning.
    if is_standard_output(path) {
        return Ok(Box::new(io::stdout()));
    }
    if path == Path::new(STDERR) {
        return Ok(Box::new(io::stderr()));
    }
    Ok(Box::new(File::options().write(true).open(path)?))
}

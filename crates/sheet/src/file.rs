//! Files that come along, and files on the disk.

use crate::SheetError;
use crate::magic::Kind;
use ftlab_base::amount::grouped;
use std::fs::{File, FileType};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The most a drive file or testbed may have: those that come along have a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

const WANTED: &str = "give the path of a .toml file";

/// The text of the file called `slug` among those that come along.
#[must_use]
pub fn text_of(files: &[(&str, &'static str)], slug: &str) -> Option<&'static str> {
    let (_, text) = files.iter().find(|(of, _)| *of == slug)?;
    Some(text)
}

/// Returns true if a name is the path of a file, even of one that is not there.
#[must_use]
pub fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || name.contains('/')
}

/// Returns the name of a file without folder and ending.
#[must_use]
pub fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem();
    stem.map_or_else(|| path.to_string(), |s| s.to_string_lossy().into_owned())
}

/// Reads a file and makes something of its text, with the path in errors. A panic of `made` is an error, too.
///
/// # Errors
/// As [`read`] and `made` have it.
pub fn made_of<T>(
    path: &str,
    made: impl FnOnce(&str) -> Result<T, SheetError>,
) -> Result<T, SheetError> {
    let text = read(path)?;
    let made = ftlab_base::guarded(|| made(&text)).unwrap_or_else(|panic| {
        Err(SheetError::Unreadable {
            path: path.to_owned(),
            why: format!("{panic}; please report it, with the file"),
        })
    });
    made.map_err(|error| error.at(path))
}

/// The text of a file on the disk.
///
/// # Errors
/// When there is none, it is too long, or it is no text.
pub fn read(path: &str) -> Result<String, SheetError> {
    let unreadable = |why: String| SheetError::Unreadable {
        path: path.to_string(),
        why,
    };
    let failed = |error: std::io::Error| {
        unreadable(match error.kind() {
            ErrorKind::NotFound => "there is no such file".into(),
            _ => error.to_string(),
        })
    };
    let found = std::fs::metadata(path).map_err(failed)?;
    if let Some(why) = no_file(found.file_type()) {
        return Err(unreadable(why.into()));
    }
    let mut bytes = Vec::new();
    // A byte more than is allowed is read, so that a file that grows meanwhile is refused, too.
    let file = File::open(path).map_err(failed)?;
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    if let Some(why) = foreign(&bytes) {
        return Err(unreadable(why.into()));
    }
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(unreadable(format!(
            "it has {} bytes, at most {}; {WANTED}",
            grouped(found.len()),
            grouped(FILE_BYTES_MAX)
        )));
    }
    String::from_utf8(bytes).map_err(|_| unreadable(format!("it is not text; {WANTED}")))
}

/// Returns the reason why something of this kind cannot be read as a file, if it cannot.
fn no_file(kind: FileType) -> Option<&'static str> {
    if kind.is_dir() {
        return Some("it is a directory; give the path of a .toml file");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_block_device() {
            return Some(
                "it is a block device, and ftlab simulates drives: it cannot measure a real one yet; give \
                 a name of `ftlab drives`, or the path of a .toml file that describes a drive",
            );
        }
        if kind.is_char_device() || kind.is_fifo() || kind.is_socket() {
            return Some(
                "it is a character device, a pipe or a socket; give the path of a .toml file",
            );
        }
    }
    None
}

/// Describes a file that ftlab wrote for another purpose, by its first bytes.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    Some(match Kind::of(bytes)? {
        Kind::Image | Kind::Layer => {
            "it is an image of a drive, not a drive file; `ftlab info` says which drive it is of, and \
             `ftlab serve --image` attaches it"
        }
        Kind::Packed => {
            "it is a packed image, not a drive file; `ftlab unpack` makes an image of it"
        }
        Kind::SavedState => {
            "it is a saved state, not a drive file; name its drive here, and give the state with \
             `--from-state`"
        }
        Kind::CrashLog => "it is a crash log, not a drive file; `ftlab crash` says what it holds",
    })
}

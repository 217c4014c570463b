//! The drives and testbeds that come with ftlab, and those in files of one's own.

use super::names::{self, Named};
use super::{DriveError, DriveFile, Testbed};
use crate::magic;
use ftlab_base::amount::grouped;
use std::fs::{File, FileType};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The most a drive file or testbed may have: those that come along have a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

const WANTED: &str = "give the path of a .toml file";

// (slug, text) of every file in `drives/`, `drives/base/` and `testbeds/`, sorted by slug.
include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// Finds drives and testbeds by name or path.
pub struct Catalog;

impl Catalog {
    /// The slugs of all drives that come with ftlab, sorted.
    #[must_use]
    pub fn drives() -> Vec<&'static str> {
        DRIVES.iter().map(|(slug, _)| *slug).collect()
    }

    /// Loads a drive by slug, alias or a part of them, or from a path that ends in `.toml`, and applies
    /// `key=value` settings.
    ///
    /// # Errors
    /// When there is no such drive or several, or its file or a setting is wrong.
    pub fn load(name: &str, settings: &[String]) -> Result<DriveFile, DriveError> {
        if let Some(text) = text_of(DRIVES, name) {
            return DriveFile::parse(name, text, settings);
        }
        let of_file = || {
            DriveFile::parse(&stem(name), &read(name)?, settings).map_err(|error| at(error, name))
        };
        if is_path(name) {
            return of_file();
        }
        let named = |&(slug, text): &(&'static str, &str)| {
            let file = DriveFile::parse(slug, text, &[])?;
            let others = file.aliases().iter().map(String::as_str);
            let others = others.chain([file.name()]).map(str::to_owned).collect();
            Ok(Named { slug, others })
        };
        let known = DRIVES.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let hint = "`ftlab drives` lists them all, and a path to a .toml file works too";
        match names::find("drive", name, &known, hint.to_owned()) {
            Err(DriveError::Unknown { .. }) if Path::new(name).exists() => of_file(),
            found => {
                let slug = found?;
                let text = text_of(DRIVES, slug).expect("it was found there");
                DriveFile::parse(slug, text, settings)
            }
        }
    }

    /// Loads a testbed by slug or a part of it, or from a path that ends in `.toml`.
    ///
    /// # Errors
    /// When there is no such testbed or several, or its file is wrong.
    pub fn testbed(name: &str) -> Result<Testbed, DriveError> {
        if is_path(name) {
            return Testbed::parse(&stem(name), &read(name)?).map_err(|e| at(e, name));
        }
        let named = TESTBEDS.iter().map(|&(slug, _)| Named {
            slug,
            others: Vec::new(),
        });
        let known: Vec<Named> = named.collect();
        let all: Vec<&str> = known.iter().map(|named| named.slug).collect();
        let hint = format!(
            "there are {}, and a path to a .toml file works too",
            all.join(", ")
        );
        let slug = names::find("testbed", name, &known, hint)?;
        Testbed::parse(slug, text_of(TESTBEDS, slug).expect("it was found there"))
    }
}

fn text_of(files: &[(&str, &'static str)], slug: &str) -> Option<&'static str> {
    let (_, text) = files.iter().find(|(of, _)| *of == slug)?;
    Some(text)
}

/// Whether a name is that of something on the disk, whether or not it is there.
fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || name.contains('/')
}

fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem();
    stem.map_or_else(|| path.to_string(), |s| s.to_string_lossy().into_owned())
}

/// An error in a file on disk names the path rather than the slug.
fn at(error: DriveError, path: &str) -> DriveError {
    match error {
        DriveError::Invalid { why, .. } => DriveError::Invalid {
            file: path.to_string(),
            why,
        },
        other => other,
    }
}

fn read(path: &str) -> Result<String, DriveError> {
    let unreadable = |why: String| DriveError::Unreadable {
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

/// Why what lies at a path cannot be read as a file, if it cannot.
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

/// What ftlab wrote for something else, by its first bytes.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    let is = |magic: [u8; magic::BYTES]| bytes.starts_with(&magic);
    if is(magic::IMAGE) {
        return Some(
            "it is an image of a drive, not a drive file; `ftlab info` says which drive it is of, and \
             `ftlab serve --image` attaches it",
        );
    }
    if is(magic::SAVED_STATE) {
        return Some(
            "it is a saved state, not a drive file; name its drive here, and give the state with \
             `--from-state`",
        );
    }
    None
}

//! The drives and testbeds that come with ftlab, and those in files of one's own.

use super::{DriveError, DriveFile, Testbed};
use std::io::ErrorKind;
use std::path::Path;

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

    /// Loads a drive by slug, by alias, or from a path that ends in `.toml`, and applies
    /// `key=value` settings.
    ///
    /// # Errors
    /// When there is no such drive, or its file or a setting is wrong.
    pub fn load(name: &str, settings: &[String]) -> Result<DriveFile, DriveError> {
        if let Some((slug, text)) = DRIVES.iter().find(|(slug, _)| *slug == name) {
            return DriveFile::parse(slug, text, settings);
        }
        if is_path(name) {
            return DriveFile::parse(&stem(name), &read(name)?, settings).map_err(|e| at(e, name));
        }
        for (slug, text) in DRIVES {
            if DriveFile::parse(slug, text, &[])?
                .aliases()
                .iter()
                .any(|alias| alias == name)
            {
                return DriveFile::parse(slug, text, settings);
            }
        }
        Err(unknown(
            "drive",
            name,
            DRIVES,
            "`ftlab drives` lists them all, and a path to a .toml file works too".to_owned(),
        ))
    }

    /// Loads a testbed by slug, or from a path that ends in `.toml`.
    ///
    /// # Errors
    /// When there is no such testbed, or its file is wrong.
    pub fn testbed(name: &str) -> Result<Testbed, DriveError> {
        if let Some((slug, text)) = TESTBEDS.iter().find(|(slug, _)| *slug == name) {
            return Testbed::parse(slug, text);
        }
        if is_path(name) {
            return Testbed::parse(&stem(name), &read(name)?).map_err(|e| at(e, name));
        }
        let all: Vec<&str> = TESTBEDS.iter().map(|(slug, _)| *slug).collect();
        let hint = format!(
            "there are {}, and a path to a .toml file works too",
            all.join(", ")
        );
        Err(unknown("testbed", name, TESTBEDS, hint))
    }
}

fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || name.contains('/') || Path::new(name).is_dir()
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
    if Path::new(path).is_dir() {
        return Err(unreadable(
            "it is a directory; give the path of a .toml file".into(),
        ));
    }
    std::fs::read_to_string(path).map_err(|error| {
        unreadable(match error.kind() {
            ErrorKind::NotFound => "there is no such file".into(),
            ErrorKind::InvalidData => "it is not text; give the path of a .toml file".into(),
            _ => error.to_string(),
        })
    })
}

fn unknown(what: &'static str, name: &str, known: &[(&str, &str)], hint: String) -> DriveError {
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|(slug, _)| (strsim::jaro_winkler(name, slug), *slug))
        .filter(|(likeness, slug)| *likeness > 0.75 || slug.contains(name))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, slug)| slug).collect();
    let nearest = match near.as_slice() {
        [] => String::new(),
        some => format!(" (did you mean {}?)", some.join(" or ")),
    };
    DriveError::Unknown {
        what,
        name: name.to_string(),
        nearest,
        hint,
    }
}

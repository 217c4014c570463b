//! A file that is read.

use crate::error::ReadingError;
use ftlab_output::text;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A file, and what it is called in messages and notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// Its path as the user gave it, or below the folder that the user gave.
    pub name: String,
    /// True if it was found in a folder, and not named by the user.
    pub is_found: bool,
}

impl Source {
    /// A file that a user gave.
    #[must_use]
    pub fn of(path: &Path) -> Source {
        Source {
            path: path.to_owned(),
            name: path.display().to_string(),
            is_found: false,
        }
    }

    /// Its name without folders.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// That name without its ending.
    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Reads the whole file, unless it is larger than the limit in bytes; `what` says what the file should have been.
    ///
    /// # Errors
    /// When it cannot be read, is no text or is larger.
    pub fn read(&self, bytes_max: u64, what: &str) -> Result<String, ReadingError> {
        let read = text::read_up_to(bytes_max, &self.path, what);
        read.map_err(|why| {
            // The place stands in front of it already.
            let named = format!("cannot read {}: ", self.path.display());
            let why = why.strip_prefix(&named).unwrap_or(&why);
            ReadingError::new(&self.name, format!("cannot read it: {why}"))
        })
    }

    /// Opens it, to be read line by line.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self) -> Result<BufReader<File>, ReadingError> {
        let opened = File::open(&self.path).map(BufReader::new);
        opened.map_err(|error| ReadingError::new(&self.name, format!("cannot read it: {error}")))
    }
}

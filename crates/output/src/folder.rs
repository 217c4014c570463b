//! A directory to write into.

use crate::place::{self, Replaces};
use crate::{Begun, OutputError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A directory to write into. It is made, and tried, before any work is done for it.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Advice on what to give in its place.
    instead: String,
}

impl Folder {
    /// # Errors
    /// When it is a file, or cannot be made or written to.
    pub fn ready(path: &Path) -> Result<Folder, OutputError> {
        Folder::ready_for(path, "--out")
    }

    /// Makes a folder ready at the path that `option` gave.
    ///
    /// # Errors
    /// As [`Folder::ready`].
    pub fn ready_for(path: &Path, option: &str) -> Result<Folder, OutputError> {
        let fail = |why: String| {
            OutputError::Refused(format!(
                "cannot write to {}: {why}; give another directory with {option}",
                path.display()
            ))
        };
        if path.exists() && !path.is_dir() {
            return Err(fail("it is a file".to_owned()));
        }
        std::fs::create_dir_all(path).map_err(|error| fail(error.to_string()))?;
        try_to_write(path).map_err(|error| fail(error.to_string()))?;
        Ok(Folder {
            path: path.to_owned(),
            instead: format!("another directory with {option}"),
        })
    }

    /// Checks that files of these names may be written, before any work is done for them.
    ///
    /// # Errors
    /// When what is at one of them has to stay.
    pub fn check(&self, names: &[&str]) -> Result<(), OutputError> {
        names.iter().try_for_each(|name| {
            place::found(&self.join(name), &self.instead, Replaces::Files).map(drop)
        })
    }

    /// Writes all files or, when one cannot be written, none: every file is complete without its name before the first one
    /// takes the place of what is there.
    ///
    /// # Errors
    /// When what is at the name of one has to stay, or the system does not take them.
    pub fn write(&self, files: &[(&str, &[u8])]) -> Result<(), OutputError> {
        let mut written = Vec::new();
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        self.check(&names)?;
        for (name, bytes) in files {
            let path = self.join(name);
            let begun = || -> io::Result<Begun> {
                let begun = Begun::beside(&path)?;
                begun.file().write_all(bytes)?;
                Ok(begun)
            };
            let begun = begun().map_err(|error| failed(&path, &error))?;
            written.push((path, begun));
        }
        for (path, file) in written {
            file.place_synced(&path, true)
                .map_err(|error| failed(&path, &error))?;
        }
        Ok(())
    }

    /// Removes a file in it, if there is one.
    ///
    /// # Errors
    /// When it has to stay, or the system does not remove it.
    pub fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.join(name);
        self.check(&[name])?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let why = format!("cannot remove {}: {error}", path.display());
                Err(OutputError::Failed(why))
            }
            _ => Ok(()),
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    #[must_use]
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Permissions say less than an attempt: read-only mounts, quotas, network folders.
pub(crate) fn try_to_write(folder: &Path) -> io::Result<()> {
    Begun::beside(&folder.join("attempt")).map(drop)
}

fn failed(path: &Path, error: &io::Error) -> OutputError {
    OutputError::Failed(format!("cannot write {}: {error}", path.display()))
}

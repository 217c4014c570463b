//! A file to write.

use crate::folder::try_to_write;
use crate::place::{self, Found, Replaces, sink};
use crate::{Begun, OutputError};
use std::fs::File;
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

/// A file to write, in a folder that exists, or a stream. It is tried before any work is done for it.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    option: String,
    replaces: Replaces,
    is_stream: bool,
}

impl NewFile {
    /// One that takes the place of any file that holds nothing of ftlab's; `option` gave the path.
    ///
    /// # Errors
    /// When what is at `path` has to stay, or nothing can be written beside it.
    pub fn ready(path: &Path, option: &str) -> Result<NewFile, OutputError> {
        NewFile::ready_for(path, option, Replaces::Files)
    }

    /// Makes a file ready that takes the place of what `replaces` allows.
    ///
    /// # Errors
    /// As [`NewFile::ready`].
    pub fn ready_for(
        path: &Path,
        option: &str,
        replaces: Replaces,
    ) -> Result<NewFile, OutputError> {
        let found = place::found(path, &format!("another file with {option}"), replaces)?;
        let is_stream = found == Found::Stream;
        if !is_stream {
            can_be_written(path).map_err(|why| {
                OutputError::Refused(format!(
                    "cannot write to {}: {why}; give another file with {option}",
                    path.display()
                ))
            })?;
        }
        Ok(NewFile {
            path: path.to_owned(),
            option: option.to_owned(),
            replaces,
            is_stream,
        })
    }

    /// Returns true if the file is this process's standard output, where nothing else is to be said.
    #[must_use]
    pub fn is_standard_output(&self) -> bool {
        place::is_standard_output(&self.path)
    }

    /// A file to write to bit by bit; until [`NewFile::end`] nothing of it is at the path.
    ///
    /// # Errors
    /// When the system does not make it.
    pub fn begin(&self) -> Result<Begun, OutputError> {
        let begun = match self.is_stream {
            true => Begun::for_stream(),
            false => Begun::beside(&self.path),
        };
        begun.map_err(|error| self.failed(&error))
    }

    /// Puts what was written into its place.
    ///
    /// # Errors
    /// When something came there meanwhile that has to stay, or the system does not do it.
    pub fn end(&self, file: Begun) -> Result<(), OutputError> {
        if self.is_stream {
            let mut from = file.file();
            return self.write_to_stream(|to| {
                from.rewind()?;
                io::copy(&mut from, to).map(drop)
            });
        }
        place::check(&self.path, &self.option, self.replaces)?;
        let takes_a_place = match self.replaces {
            Replaces::Nothing | Replaces::PidFiles => false,
            Replaces::Same { asked, .. } => asked,
            Replaces::Files => true,
        };
        let placed = file.place_synced(&self.path, takes_a_place);
        placed.map_err(|error| self.failed(&error))
    }

    /// Writes the file whole, or leaves what is there as it is.
    ///
    /// # Errors
    /// As [`NewFile::end`]; as before the run, another place helps, and the run can be repeated.
    pub fn write(&self, bytes: &[u8]) -> Result<(), OutputError> {
        if self.is_stream {
            return self.write_to_stream(|to| to.write_all(bytes));
        }
        let file = self.begin()?;
        let written = Write::write_all(&mut file.file(), bytes);
        written.map_err(|error| self.failed(&error))?;
        self.end(file).map_err(|error| match error {
            OutputError::Failed(why) => OutputError::Refused(why),
            error => error,
        })
    }

    fn write_to_stream(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let written = sink(&self.path).and_then(|mut to| {
            write(&mut to)?;
            to.flush()
        });
        written.map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => OutputError::PipeClosed,
            _ => self.failed(&error),
        })
    }

    fn failed(&self, error: &io::Error) -> OutputError {
        OutputError::Failed(format!("cannot write {}: {error}", self.path.display()))
    }
}

/// Checks that a file can be made at a path, or says why not.
fn can_be_written(path: &Path) -> Result<(), String> {
    if path.file_name().is_none() {
        return Err("it is not the path of a file".to_owned());
    }
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let folder = parent.unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(format!("there is no directory {}", folder.display()));
    }
    try_to_write(folder).map_err(|error| error.to_string())
}

/// A file that bytes are added to: what is there stays.
impl NewFile {
    /// Opens what messages are appended to; `option` gave the path.
    ///
    /// # Errors
    /// When what is there is none that text may be added to, or the system does not open it.
    pub fn append(path: &Path, option: &str) -> Result<File, OutputError> {
        place::check(path, option, Replaces::Files)?;
        let file = File::options().append(true).create(true).open(path);
        file.map_err(|error| {
            OutputError::Refused(format!(
                "cannot write to {}: {error}; give another file with {option}",
                path.display()
            ))
        })
    }
}

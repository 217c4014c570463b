//! A file that is being written, and has no name yet, or not its own.
//!
//! On Linux it has none until it is whole, so nothing is left of a process that is killed. Where a file system cannot do
//! that, it has a name that follows from its own, and a lock: the next process that writes the same file takes over what
//! was left by one that is gone.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A file that is being written. Unless it is put into its place it is gone when this is dropped.
#[derive(Debug)]
pub struct Begun {
    file: File,
    /// Its name, if it has one.
    aside: Option<PathBuf>,
}

/// The name beside that of a file under which it waits.
fn aside_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let sum = xxh3_64(name.as_encoded_bytes());
    path.with_file_name(format!(".ftlab-{sum:016x}"))
}

impl Begun {
    /// Begins the file of a path.
    ///
    /// # Errors
    /// When the system does not make it, or another process is writing the same.
    pub fn beside(path: &Path) -> io::Result<Begun> {
        if let Some(file) = nameless(path) {
            return Ok(Begun { file, aside: None });
        }
        named(path)
    }

    /// Begins what goes into a stream once it is whole.
    pub(crate) fn for_stream() -> io::Result<Begun> {
        let file = tempfile::tempfile()?;
        Ok(Begun { file, aside: None })
    }

    /// The file, to write and to read.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Puts the file into its place, with all that was written safe on the machine's storage.
    pub(crate) fn place_synced(self, path: &Path, replaces: bool) -> io::Result<()> {
        self.file.sync_all()?;
        self.place(path, replaces)
    }

    /// Puts it into its place; `replaces` says whether something may be there.
    ///
    /// # Errors
    /// When something is there, or the system does not do it; nothing is left of it then.
    pub fn place(mut self, path: &Path, replaces: bool) -> io::Result<()> {
        match (self.aside.take(), replaces) {
            (None, false) => name(&self.file, path),
            (None, true) => name_instead(&self.file, path),
            (Some(aside), true) => std::fs::rename(aside, path),
            (Some(aside), false) => {
                // A second name fails where the first would have replaced what is there.
                let named = std::fs::hard_link(&aside, path);
                let removed = std::fs::remove_file(aside);
                named.and(removed)
            }
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(aside) = &self.aside {
            // What stays is taken over by the next.
            let _ = std::fs::remove_file(aside);
        }
    }
}

/// A file under a name that follows from its own, which nobody else writes to.
fn named(path: &Path) -> io::Result<Begun> {
    let aside = aside_of(path);
    loop {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false);
        let file = file.open(&aside)?;
        if file.try_lock().is_err() {
            let why = "another process is writing it";
            return Err(io::Error::new(ErrorKind::WouldBlock, why));
        }
        // Until the lock was there, it may have been put into its place, or removed.
        if is_at(&file, &aside) {
            file.set_len(0)?;
            let aside = Some(aside);
            return Ok(Begun { file, aside });
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let [Ok(one), Ok(other)] = [file.metadata(), path.symlink_metadata()] else {
        return false;
    };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// A file without a name in the folder of a path, if the system has such.
#[cfg(target_os = "linux")]
fn nameless(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // Without it, there is no way to give the file a name.
    if !Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?;
    Some(file.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name one that nothing has.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Gives a file without a name one that something else may have.
fn name_instead(file: &File, path: &Path) -> io::Result<()> {
    let aside = aside_of(path);
    loop {
        match name(file, &aside) {
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                // Whole, and of a process that was killed between its two names, or is about to give the second.
                match std::fs::remove_file(&aside) {
                    Err(why) if why.kind() != ErrorKind::NotFound => return Err(why),
                    _ => {}
                }
            }
            named => {
                named?;
                match std::fs::rename(&aside, path) {
                    // Another process removed it as one that was left.
                    Err(why) if why.kind() == ErrorKind::NotFound => {}
                    renamed => return renamed,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn until_it_is_whole_it_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        let begun = nameless(&path).expect("a file system of a Linux has such files");
        let begun = Begun {
            file: begun,
            aside: None,
        };
        begun.file().write_all(b"whole").unwrap();
        assert!(names(folder.path()).is_empty());
        begun.place(&path, false).unwrap();
        assert_eq!(names(folder.path()), ["page"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn what_a_killed_process_left_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        std::fs::write(aside_of(&path), "half of an older one").unwrap();
        let begun = named(&path).unwrap();
        // While it is written nobody else begins the same.
        assert_eq!(named(&path).unwrap_err().kind(), ErrorKind::WouldBlock);
        begun.file().write_all(b"new").unwrap();
        begun.place(&path, true).unwrap();
        assert_eq!(names(folder.path()), ["page"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::write(aside_of(&path), "left between two names").unwrap();
        let begun = Begun::beside(&path).unwrap();
        begun.file().write_all(b"newer").unwrap();
        begun.place(&path, true).unwrap();
        assert_eq!(names(folder.path()), ["page"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
    }

    #[test]
    fn what_came_meanwhile_stays_unless_it_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        let both = [Begun::beside(&path).unwrap(), named(&path).unwrap()];
        std::fs::write(&path, "somebody else's").unwrap();
        for begun in both {
            let placed = begun.place(&path, false);
            assert_eq!(placed.unwrap_err().kind(), ErrorKind::AlreadyExists);
        }
        assert_eq!(names(folder.path()), ["page"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"somebody else's");
    }

    #[test]
    fn what_is_not_put_into_its_place_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        drop(named(&path).unwrap());
        drop(Begun::beside(&path).unwrap());
        assert!(names(folder.path()).is_empty());
    }
}

//! Files for states. A state is a copy of the drive's data, with the losses of a cut written over it. Where the
//! file system can share blocks the copy takes no room; elsewhere it takes that of the data, and its holes stay
//! holes.

use ftlab_console::failure::Failure;
use ftlab_console::files::NewFile;
use ftlab_image::LostSlot;
use rustix::fs::{SeekFrom, copy_file_range, ioctl_ficlone, seek};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes that are copied at a time where the kernel does not do it.
const CHUNK_BYTES: usize = 1 << 20;

/// A folder for states that is gone with this.
pub struct Scratch(TempDir);

fn failed(error: &io::Error) -> Failure {
    Failure::Running(format!(
        "cannot make a state in {}: {error}; TMPDIR names another folder",
        std::env::temp_dir().display()
    ))
}

impl Scratch {
    pub fn new() -> Result<Scratch, Failure> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("ftlab-crash-");
        // A checker may go on as another user, who needs a way to the folder where a state is mounted.
        builder.permissions(Permissions::from_mode(0o711));
        builder
            .tempdir()
            .map(Scratch)
            .map_err(|error| failed(&error))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A new folder in it.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.path(name);
        std::fs::create_dir(&path).map_err(|error| failed(&error))?;
        Ok(path)
    }

    /// A new file in it, to read and to write.
    pub fn file(&self, name: &str) -> Result<File, Failure> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        options
            .open(self.path(name))
            .map_err(|error| failed(&error))
    }

    /// A state in a file of that name, which must not be there.
    pub fn state(&self, name: &str, newest: &File, lost: &[&LostSlot]) -> Result<PathBuf, Failure> {
        fill(&self.file(name)?, newest, lost).map_err(|error| failed(&error))?;
        Ok(self.path(name))
    }
}

/// Puts a state into its place.
pub fn keep(file: &NewFile, newest: &File, lost: &[&LostSlot]) -> Result<(), Failure> {
    let begun = file.begin()?;
    fill(begun.file(), newest, lost).map_err(|error| failed(&error))?;
    Ok(file.end(begun)?)
}

/// Removes what a checker has had.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        // It was the checker's to do what it likes with.
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
        _ => Ok(()),
    }
}

fn fill(to: &File, newest: &File, lost: &[&LostSlot]) -> io::Result<()> {
    copy(newest, to)?;
    let length = newest.metadata()?.len();
    for slot in lost {
        // The last slot of a drive may reach beyond what the host may address.
        let bytes = slot.data.len() as u64;
        let bytes = bytes.min(length.saturating_sub(slot.offset_bytes));
        to.write_all_at(&slot.data[..bytes as usize], slot.offset_bytes)?;
    }
    Ok(())
}

fn copy(from: &File, to: &File) -> io::Result<()> {
    if ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    let length = from.metadata()?.len();
    to.set_len(length)?;
    let mut at = 0;
    while at < length {
        let Ok(data) = seek(from, SeekFrom::Data(at)) else {
            // Nothing but a hole is left.
            break;
        };
        let end = seek(from, SeekFrom::Hole(data))?;
        copy_range(from, to, data, end)?;
        at = end;
    }
    Ok(())
}

fn copy_range(from: &File, to: &File, mut at: u64, end: u64) -> io::Result<()> {
    while at < end {
        let (mut read, mut written) = (at, at);
        let bytes = (end - at) as usize;
        match copy_file_range(from, Some(&mut read), to, Some(&mut written), bytes) {
            Ok(0) | Err(_) => break,
            Ok(copied) => at += copied as u64,
        }
    }
    let mut chunk = vec![0; CHUNK_BYTES.min((end - at) as usize)];
    while at < end {
        let bytes = chunk.len().min((end - at) as usize);
        from.read_exact_at(&mut chunk[..bytes], at)?;
        to.write_all_at(&chunk[..bytes], at)?;
        at += bytes as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_state_is_a_copy_with_holes_and_what_a_cut_has_left() {
        let scratch = Scratch::new().unwrap();
        let newest = scratch.file("newest").unwrap();
        newest.set_len(64 << 20).unwrap();
        newest.write_all_at(&[1; 10_000], 0).unwrap();
        newest.write_all_at(&[2; 10_000], 40 << 20).unwrap();
        let lost = LostSlot {
            offset_bytes: 4096,
            data: vec![3; 4096],
            is_torn: false,
            write: ftlab_image::WriteInfo {
                number: 1,
                at_ns: 0,
            },
        };
        let state = scratch.state("state", &newest, &[&lost]).unwrap();
        let found = std::fs::read(&state).unwrap();
        assert_eq!(found.len(), 64 << 20);
        assert!(found[..4096].iter().all(|byte| *byte == 1));
        assert!(found[4096..8192].iter().all(|byte| *byte == 3));
        assert!(found[8192..10_000].iter().all(|byte| *byte == 1));
        assert!(found[40 << 20..][..10_000].iter().all(|byte| *byte == 2));
        assert_eq!(found[10_000..40 << 20].iter().max(), Some(&0));
        let taken = std::fs::metadata(&state).unwrap().blocks() * 512;
        assert!(taken < 1 << 20, "{taken} bytes");
        remove(&state).unwrap();
        remove(&state).unwrap();
    }
}

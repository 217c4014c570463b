//! Errors of images and of the storage under them.

use crate::buffered::BUFFER_BYTES_MAX;
use crate::journal::Hole;
use ftlab_base::Blame;
use ftlab_sheet::SheetError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Error of making, opening or using an image.
#[derive(Debug, Error)]
pub enum ImageError {
    /// The drive cannot be made.
    #[error("{0}")]
    Drive(#[from] SheetError),
    /// A new drive cannot be brought to the age that was asked for.
    #[error("{0}")]
    Age(String),
    /// The system does not do what is asked of the file.
    #[error("{path}: cannot {what}: {why}")]
    Storage {
        /// Path of the image.
        path: PathBuf,
        /// The failed operation, as a verb.
        what: &'static str,
        /// Error of the system.
        why: io::Error,
    },
    /// There is a file already.
    #[error("{path}: it exists already; an image is made in a new file")]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// Another process has it open.
    #[error("{path}: another process has this image open; stop that first")]
    Locked {
        /// Path of the image.
        path: PathBuf,
    },
    /// It is no image, or not one that this ftlab can read.
    #[error("{path}: {why}{}", why.way_on(path))]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Description of the damage.
        why: Wrong,
    },
    /// The base is not the one that the image was made on, or cannot be a base.
    #[error("{path}: {why}")]
    Base {
        /// Path of the image.
        path: PathBuf,
        /// Difference to the expected base, and the remedy.
        why: String,
    },
    /// A snapshot that cannot be made, or is not there.
    #[error("{path}: {why}")]
    Snapshot {
        /// Path of the image.
        path: PathBuf,
        /// Description of the fault, and the remedy.
        why: String,
    },
    /// Its write buffer is larger than an image has room for.
    #[error(
        "a write buffer of {bytes} bytes: what waits in it when the power goes is kept in the image, which has room for \
         {BUFFER_BYTES_MAX}; give less with --set buffer.size"
    )]
    Buffer {
        /// Size of the buffer, in bytes.
        bytes: u64,
    },
    /// It is another drive than the one asked for.
    #[error(
        "{path}: the image is of {difference}; leave the drive out, or name the one it was made with"
    )]
    OtherDrive {
        /// Path of the image.
        path: PathBuf,
        /// Differences between the two drives.
        difference: String,
    },
    /// The bytes of a sector are not those that were written.
    #[error("{path}: sector {lba} cannot be read: {why}; `ftlab fsck` lists all of them")]
    Damaged {
        /// Path of the image.
        path: PathBuf,
        /// The first sector of the slot.
        lba: u64,
        /// Description of the fault.
        why: String,
    },
    /// A size the drive cannot have.
    #[error("a size of {bytes}: {why}")]
    Size {
        /// The bytes asked for.
        asked: u64,
        /// The same in words.
        bytes: String,
        /// Reason, and the sizes that can be had.
        why: String,
    },
    /// The drive is nowhere but in memory, so nothing of it would stay.
    #[error(
        "a power cut leaves what is in the image, and this drive has none that is written to: serve it with --image, \
         and without --read-only"
    )]
    NothingStays,
    /// A drive without flash cannot be erased as a whole.
    #[error("the drive has no flash to erase; write it over")]
    NoFlash,
    /// Firmware that the drive cannot have.
    #[error("this firmware does not fit the drive: {0}")]
    Firmware(String),
    /// A place the drive does not have.
    #[error("{offset_bytes} bytes is beyond the end of the drive, which has {size_bytes} bytes")]
    Beyond {
        /// Position on the drive, in bytes.
        offset_bytes: u64,
        /// Size of the drive, in bytes.
        size_bytes: u64,
    },
    /// A fault that the drive cannot have.
    #[error("{0}")]
    Fault(#[from] ftlab_nand::InjectionRefused),
    /// Opened to be read.
    #[error("{path}: the image was opened to be read only")]
    ReadOnly {
        /// Path of the image.
        path: PathBuf,
    },
}

impl Blame for ImageError {
    fn is_input(&self) -> bool {
        use Wrong::{Checkpoint, Header, Hole, Replay, Short};
        match self {
            ImageError::Damaged { .. } => false,
            ImageError::Unusable { why, .. } => !matches!(
                why,
                Header(_) | Checkpoint(_) | Short { .. } | Hole { .. } | Replay { .. }
            ),
            _ => true,
        }
    }
}

/// Reason why a file is no image that can be used.
#[derive(Debug, Error)]
pub enum Wrong {
    /// The system cannot read it.
    #[error("cannot read it: {0}")]
    Unreadable(io::Error),
    /// It is something else.
    #[error("it is not an image of a drive")]
    Foreign,
    /// It is of another format.
    #[error(
        "it has format {found}, and this ftlab reads format {read}: serve it with the ftlab that made it, and \
         copy the drive's bytes to a new image with `nbdcopy`"
    )]
    Format {
        /// Format of the file.
        found: u32,
        /// The one that is read.
        read: u32,
    },
    /// The header is damaged.
    #[error("both copies of its header are damaged: {0}; restore the file from a copy")]
    Header(String),
    /// Its header is whole, and the drive in it is none here: it names what the program that made it knows, or an earlier
    /// version.
    #[error("this ftlab does not take its drive file: {0}; open it with the program that made it")]
    Drive(String),
    /// The reference to its base is damaged.
    #[error("what it says of its base is damaged: {0}; restore the file from a copy")]
    Head(String),
    /// A block of the map is damaged, so nobody knows which of the two files has the data.
    #[error(
        "whether its block {block} lies in it or in its base cannot be told: its map is damaged; restore the file from a \
         copy"
    )]
    Map {
        /// The first block whose byte in the map is damaged.
        block: u64,
    },
    /// No checkpoint can be read.
    #[error("it has no checkpoint that can be read: {0}")]
    Checkpoint(String),
    /// The file ends before the image does.
    #[error(
        "it has {found} bytes and should have {want}: it was cut off; restore the file from a copy, or see \
         what `ftlab fsck` says, which can save what is left"
    )]
    Short {
        /// Length of the file, in bytes.
        found: u64,
        /// Bytes the image takes.
        want: u64,
    },
    /// A part of the journal cannot be read, and there is more behind it.
    #[error(
        "its journal has a hole, as damage leaves it, or a host that lost its power while the image was served without \
         --sync: {} requests to the flash are lost there, {} of them flushed", hole.requests, hole.flushed
    )]
    Hole {
        /// Position and extent of the hole.
        hole: Hole,
    },
    /// The journal leads to another state than it did.
    #[error(
        "what happened since its last checkpoint does not come out the same: it was written by ftlab \
         {version}, and left without switching the drive off; open and close it once with that version"
    )]
    Replay {
        /// The version that wrote it.
        version: String,
    },
}

impl Wrong {
    /// Command that makes the image of that path usable again, if there is one.
    fn way_on(&self, path: &Path) -> String {
        match self {
            Wrong::Checkpoint(_) | Wrong::Hole { .. } => format!(
                "; restore the file from a copy, or run `{}`, which makes a new image of every slot whose page is whole",
                rebuild_command(path)
            ),
            _ => String::new(),
        }
    }
}

/// The command that makes a new image of what is left of one.
#[must_use]
pub fn rebuild_command(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = shlex::try_quote(&path).unwrap_or_else(|_| path.clone());
    // What begins with a dash would be an option.
    let dashes = if path.starts_with('-') { "-- " } else { "" };
    format!("ftlab fsck --rebuild {dashes}{path}")
}

/// The system does not do what is asked of an image.
pub(crate) fn system_error(path: &Path, what: &'static str, why: io::Error) -> ImageError {
    ImageError::Storage {
        path: path.to_owned(),
        what,
        why,
    }
}

//! Reasons for which a device is not measured.

use super::system::Number;
use ftlab_base::Blame;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Reason why a device is not measured. Nothing was written to it.
#[derive(Debug, Error)]
pub enum Refusal {
    /// There is nothing at the path, or the system does not let it be looked at.
    #[error("cannot look at {path}: {why}")]
    NotThere {
        /// The path as it was given.
        path: PathBuf,
        /// In the system's words.
        why: io::Error,
    },
    /// It is no address of an NBD server.
    #[error("{address} is no NBD export: {why}")]
    Address {
        /// As it was given.
        address: PathBuf,
        /// In words.
        why: String,
    },
    /// It is neither a block device nor a regular file.
    #[error("{path} is {what}: give a whole disk, a loop device, a regular file or an NBD export")]
    Kind {
        /// The path without links.
        path: PathBuf,
        /// In words.
        what: &'static str,
    },
    /// What is in use cannot be found out.
    #[error("cannot tell what {path} is used for, so it is left alone: {why}")]
    Unknown {
        /// The path without links.
        path: PathBuf,
        /// What could not be read.
        why: String,
    },
    /// It is a part of a disk.
    #[error(
        "{path} is a partition of {disk}: measure whole disks, as the drive below knows no partitions"
    )]
    Partition {
        /// The path without links.
        path: PathBuf,
        /// The kernel's name of the disk.
        disk: String,
    },
    /// Its size is 0.
    #[error("{path} has no size: {why}")]
    Empty {
        /// The path without links.
        path: PathBuf,
        /// A cause.
        why: &'static str,
    },
    /// The system takes no writes for it.
    #[error("{path} is read-only: the system takes no writes for it")]
    ReadOnly {
        /// The path without links.
        path: PathBuf,
    },
    /// It, or what is made of it, is in use.
    #[error("{path} is in use: {what}")]
    InUse {
        /// The path without links.
        path: PathBuf,
        /// The use.
        what: Use,
    },
    /// It is made of other devices.
    #[error(
        "{path} is made of {of} by device-mapper, LVM or RAID: measure a whole disk, not what is made of several"
    )]
    Made {
        /// The path without links.
        path: PathBuf,
        /// The kernel's names of the devices.
        of: String,
    },
    /// It holds a drive of ftlab's, or what ftlab recorded.
    #[error("{path} holds {what} of ftlab's, which this would destroy")]
    Ours {
        /// The path without links.
        path: PathBuf,
        /// The kind of file.
        what: &'static str,
    },
    /// Nothing that lasts tells it from others.
    #[error("{path} cannot be named: {why}")]
    Nameless {
        /// The path without links.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// It is another one than was named.
    #[error(
        "{path} is {is}, and --destroy names {named}: `ftlab measure --identify {path}` prints the id to give"
    )]
    Other {
        /// The path without links.
        path: PathBuf,
        /// Its id.
        is: String,
        /// The id that was given.
        named: String,
    },
    /// It is not the one any more that was opened.
    #[error("{path} is not the device any more that it was: {why}")]
    Changed {
        /// The path without links.
        path: PathBuf,
        /// In words.
        why: String,
    },
    /// Somebody else has it.
    #[error("{path} cannot be had alone: {why}")]
    Busy {
        /// The path without links.
        path: PathBuf,
        /// In words.
        why: String,
    },
}

impl Blame for Refusal {
    fn is_input(&self) -> bool {
        !matches!(self, Refusal::Changed { .. })
    }
}

/// Something that a device or a file is used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// What it is used for.
    pub how: How,
    /// The devices from the one that was asked for to the one that is used, by the kernel's names: partitions, and what is
    /// made of them. Empty where it is itself.
    pub through: Vec<String>,
}

/// Uses of a device or of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The root file system.
    Root,
    /// A file system is mounted.
    Mounted(PathBuf),
    /// A btrfs that is mounted has it as one of its devices.
    Btrfs(String),
    /// The system swaps to it.
    Swap(PathBuf),
    /// A device is made of it: LVM, device-mapper, RAID, a cache.
    Holder(String),
    /// A loop device shows it.
    Loop(String),
    /// A loop device shows a file that cannot be found from here, and that may be this one.
    PerhapsLoop(String, PathBuf),
}

impl std::fmt::Display for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = match &self.through[..] {
            [] => "it".to_owned(),
            through => format!("{} on it", through.join(" on ")),
        };
        match &self.how {
            How::Root => write!(f, "{of} is the root file system of this machine"),
            How::Mounted(at) => write!(
                f,
                "{of} is mounted at {}; unmount it if its data may go",
                at.display()
            ),
            How::Btrfs(name) => write!(f, "{of} is a device of the mounted btrfs {name}"),
            How::Swap(path) => write!(f, "{of} is swapped to as {}", path.display()),
            How::Holder(name) => write!(
                f,
                "{of} is a part of {name} (device-mapper, LVM, RAID or a cache)"
            ),
            How::Loop(name) => write!(
                f,
                "the loop device {name} shows {of}; `losetup -d /dev/{name}` detaches it"
            ),
            How::PerhapsLoop(name, path) => write!(
                f,
                "the loop device {name} shows {}, which cannot be found from here and may be this file",
                path.display()
            ),
        }
    }
}

/// A device by number, in words, where its name is gone.
#[must_use]
pub fn gone(number: Number) -> String {
    format!("the system has no block device {number} any more")
}

//! What can be wrong with an image, or with what lies under it.

use ftlab_drive::DriveError;
use std::path::PathBuf;
use thiserror::Error;

/// Why an image cannot be made, opened or used.
#[derive(Debug, Error)]
pub enum ImageError {
    /// The drive cannot be made.
    #[error("{0}")]
    Drive(#[from] DriveError),
    /// The system does not do what is asked of the file.
    #[error("{path}: cannot {what}: {why}")]
    Storage {
        /// The image.
        path: PathBuf,
        /// What was asked, as a verb.
        what: &'static str,
        /// What the system said.
        why: std::io::Error,
    },
    /// A size the drive cannot have.
    #[error("a size of {asked} bytes; {why}")]
    Size {
        /// The bytes asked for.
        asked: u64,
        /// Why not, and what can be had.
        why: String,
    },
    /// What has no flash cannot be erased as a whole.
    #[error("the drive has no flash to erase; write it over")]
    NoFlash,
}

//! The head of an image that lies on a base, which says which base that is.

use crate::ImageError;
use crate::error::Wrong;
use crate::framed::Frame;
use crate::storage::{FileStorage, Storage};
use ftlab_sheet::magic::LAYER as MAGIC;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

const FRAME: Frame = Frame {
    magic: MAGIC,
    // The version of the format of what is above. What is below has its own.
    format: 1,
    body_bytes_max: 1 << 14,
    too_long: "the path of its base is too long",
    damaged: Wrong::Head,
};

/// Reference of an image to its base, as the head of its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Version of ftlab that wrote it.
    pub(super) version: String,
    /// Path of the base, relative to the folder of the image if it is not absolute.
    pub(super) path: Vec<u8>,
    pub(super) bytes: u64,
    /// The ranges that the fingerprint hashes whole, each as its position and its length in bytes.
    pub(super) steps: Vec<(u64, u64)>,
    pub(super) fingerprint: u64,
}

impl Head {
    /// Reads the head of a file; none if the file lies on no base.
    ///
    /// # Errors
    /// When the head is damaged, or of an unknown format.
    pub(super) fn read(file: &dyn Storage) -> Result<Option<Head>, Wrong> {
        FRAME.read(file, 0)
    }

    pub(super) fn write(&self, file: &mut dyn Storage) -> io::Result<()> {
        file.write_at(0, &FRAME.around(self)?)
    }

    /// Path of the base, relative to the working directory.
    pub(super) fn base_path(&self, image: &Path) -> PathBuf {
        let path = PathBuf::from(OsString::from_vec(self.path.clone()));
        match image.parent() {
            Some(folder) => folder.join(path),
            None => path,
        }
    }

    pub(super) fn expected(&self) -> String {
        format!(
            "an image of {} bytes with fingerprint {:016x}",
            self.bytes, self.fingerprint
        )
    }

    /// Checks that what was found below an image is what this says: the base that lies at `base`.
    pub(super) fn check(
        &self,
        above: &Path,
        (base, bytes, fingerprint): (&Path, u64, u64),
    ) -> Result<(), ImageError> {
        if (bytes, fingerprint) == (self.bytes, self.fingerprint) {
            return Ok(());
        }
        let why = format!(
            "its base {} has changed: {} is expected, and it has {bytes} bytes and fingerprint {fingerprint:016x}; \
             bring back the one that this was made on",
            base.display(),
            self.expected(),
        );
        Err(wrong_base(above, why))
    }
}

pub(crate) fn wrong_base(path: &Path, why: String) -> ImageError {
    ImageError::Base {
        path: path.to_owned(),
        why,
    }
}

/// Base of an image, by its head; none if it lies on nothing or is no image.
pub(crate) fn base_of(image: &Path) -> Option<PathBuf> {
    let file = FileStorage::look_at(image).ok()?;
    let head = Head::read(&file).ok()??;
    Some(head.base_path(image))
}

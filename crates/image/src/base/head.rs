//! The head of an image that lies on a base, which says which base that is.

use crate::ImageError;
use crate::error::Wrong;
use crate::storage::{FileStorage, Storage};
use ftlab_sheet::magic::LAYER as MAGIC;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The version of the format of what is above. What is below has its own.
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = 24;
const CHECKSUM_AT: usize = 16;
/// The most that it says of its base.
const BODY_BYTES_MAX: u32 = 1 << 14;
/// What an image that lies on another says of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Version of ftlab that wrote it.
    pub(super) version: String,
    /// Where the base is: from the folder of the image, if it is not absolute.
    pub(super) path: Vec<u8>,
    pub(super) bytes: u64,
    /// The ranges that the fingerprint hashes whole, each as its position and its length in bytes.
    pub(super) steps: Vec<(u64, u64)>,
    pub(super) fingerprint: u64,
}

impl Head {
    /// What stands at the front of a file; nothing, if that lies on no base.
    pub(super) fn read(file: &dyn Storage) -> Result<Option<Head>, Wrong> {
        let mut head = [0; HEAD_BYTES];
        file.read_at(0, &mut head).map_err(Wrong::Unreadable)?;
        if head[..8] != MAGIC {
            return Ok(None);
        }
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let (format, bytes) = (word(8), word(12));
        if format != FORMAT {
            return Err(Wrong::Format {
                found: format,
                read: FORMAT,
            });
        }
        let damaged = |why: &str| Wrong::Head(why.to_owned());
        if bytes > BODY_BYTES_MAX {
            return Err(damaged("its length is impossible"));
        }
        let mut body = vec![0; bytes as usize];
        file.read_at(HEAD_BYTES as u64, &mut body)
            .map_err(Wrong::Unreadable)?;
        let sum = u64::from_le_bytes(head[CHECKSUM_AT..].try_into().expect("eight bytes"));
        if checksum(&head, &body) != sum {
            return Err(damaged("its checksum is wrong"));
        }
        let head = postcard::from_bytes(&body).map_err(|why| Wrong::Head(why.to_string()))?;
        Ok(Some(head))
    }

    pub(super) fn write(&self, file: &mut dyn Storage) -> io::Result<()> {
        let body = postcard::to_stdvec(self).map_err(io::Error::other)?;
        if body.len() > BODY_BYTES_MAX as usize {
            return Err(io::Error::other("the path of its base is too long"));
        }
        let mut bytes = vec![0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[12..16].copy_from_slice(&(body.len() as u32).to_le_bytes());
        let sum = checksum(&bytes, &body);
        bytes[CHECKSUM_AT..HEAD_BYTES].copy_from_slice(&sum.to_le_bytes());
        bytes.extend(body);
        file.write_at(0, &bytes)
    }

    /// Where the base is, seen from here.
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

    /// That what was found below an image is what this says: the base that lies at `base`.
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

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(&head[..CHECKSUM_AT]))
}

/// What a file lies on, by its head; nothing, if it lies on nothing or is no image.
pub(crate) fn base_of(image: &Path) -> Option<PathBuf> {
    let file = FileStorage::look_at(image).ok()?;
    let head = Head::read(&file).ok()??;
    Some(head.base_path(image))
}

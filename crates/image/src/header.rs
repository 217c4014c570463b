//! The header of an image: which drive it is, and which ftlab can read it.
//!
//! ```text
//! magic 8 │ format 4 │ bytes that follow 4 │ checksum 8 │ seed, drive file and its hash
//! ```
//!
//! It stands there twice, so that damage to one of them does no harm. It is written when everything else of a
//! new image is there, and with each new firmware. Should that be cut off between the two, the newer one holds.

use crate::framed::{Frame, HEAD_BYTES};
use crate::regions::HEADER_BYTES;
use crate::storage::Storage;
use crate::{ImageError, error::Wrong};
use ftlab_base::StreamHash;
use ftlab_drive::{Catalog, DriveFile, REMOVED, RemovedKey};
use ftlab_sheet::magic::IMAGE as MAGIC;
use serde::{Deserialize, Serialize};
use std::io;

/// The version of the format. It changes with every change of what is in the file, and with
/// [`ftlab_drive::saved::FORMAT`]; whoever changes it opens the images of earlier versions as well, from 8 on:
/// `tests/formats` has some of each.
pub(crate) const FORMAT: u32 = 8;
/// Positions of the two copies, in bytes. Behind each is room for marks.
const PLACES: [u64; 2] = [0, HEADER_BYTES / 2];

const FRAME: Frame = Frame {
    magic: MAGIC,
    format: FORMAT,
    // All of it takes a quarter of its region at most.
    body_bytes_max: HEADER_BYTES / 4 - HEAD_BYTES as u64,
    too_long: "the drive file is too long for an image",
    damaged: Wrong::Header,
};

/// Identity of an image's drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Version of ftlab that made it.
    pub(crate) version: String,
    /// Format of the saved states in it.
    pub(crate) state_format: u32,
    /// Slug of the drive in the catalogue.
    pub(crate) slug: String,
    /// Its file, with what its base says and what was set.
    pub(crate) text: String,
    /// Hash of the drive file, as [`DriveFile::hash`].
    pub(crate) hash: u64,
    /// The seed the drive was made with.
    pub(crate) seed: u64,
    /// Number of firmware updates.
    pub(crate) generation: u64,
    /// Notes on keys of the drive's text that an earlier version wrote and that are gone, a line each. They are
    /// not in the file.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
}

impl Header {
    /// The header of a new image.
    pub(crate) fn new(drive: &DriveFile, seed: u64) -> Header {
        Header {
            version: ftlab_drive::version(),
            state_format: ftlab_drive::saved::FORMAT,
            slug: drive.slug().to_owned(),
            text: drive.text(),
            hash: drive.hash(),
            seed,
            generation: 0,
            notes: Vec::new(),
        }
    }

    /// The header of the same image with new firmware.
    pub(crate) fn with_drive(&self, drive: &DriveFile) -> Header {
        Header {
            generation: self.generation + 1,
            ..Header::new(drive, self.seed)
        }
    }

    /// Writes it, one after the other.
    pub(crate) fn write(&self, storage: &mut dyn Storage) -> io::Result<()> {
        let bytes = FRAME.around(self)?;
        for place in PLACES {
            storage.write_at(place, &bytes)?;
            storage.sync()?;
        }
        Ok(())
    }

    /// Damage of each of the two copies.
    pub(crate) fn wrong(storage: &dyn Storage, catalog: &Catalog) -> [Option<String>; 2] {
        PLACES.map(|place| {
            Self::read_at(storage, place, catalog, REMOVED)
                .err()
                .map(|why| why.to_string())
        })
    }

    /// Reads the newest that is whole, and makes the drive file of it, which may name policies of the catalogue.
    pub(crate) fn read(
        storage: &dyn Storage,
        catalog: &Catalog,
    ) -> Result<(Header, DriveFile), Wrong> {
        Self::read_knowing(storage, catalog, REMOVED)
    }

    /// Reads the newest whole header, with `removed` as the keys that drive files no longer have.
    pub(crate) fn read_knowing(
        storage: &dyn Storage,
        catalog: &Catalog,
        removed: &[RemovedKey],
    ) -> Result<(Header, DriveFile), Wrong> {
        let [first, second] = PLACES.map(|place| Self::read_at(storage, place, catalog, removed));
        match (first, second) {
            (Ok(first), Ok(second)) if second.0.generation > first.0.generation => Ok(second),
            (Err(_), Ok(second)) => Ok(second),
            // Where there is only one, it says best what is wrong.
            (Err(Wrong::Foreign), second) => second,
            (first, _) => first,
        }
    }

    fn read_at(
        storage: &dyn Storage,
        place: u64,
        catalog: &Catalog,
        removed: &[RemovedKey],
    ) -> Result<(Header, DriveFile), Wrong> {
        let header: Option<Header> = FRAME.read(storage, place)?;
        let header = header.ok_or(Wrong::Foreign)?;
        if header.state_format != ftlab_drive::saved::FORMAT {
            return Err(Wrong::Format {
                found: header.state_format,
                read: ftlab_drive::saved::FORMAT,
            });
        }
        header.with_drive_of_today(catalog, removed)
    }

    /// Reads its drive file. What an earlier version wrote is as that wrote it, but for keys that are gone.
    fn with_drive_of_today(
        self,
        catalog: &Catalog,
        removed: &[RemovedKey],
    ) -> Result<(Header, DriveFile), Wrong> {
        if hash_of(&self.text) != self.hash {
            let why = "its drive file is not the one it was made with".to_owned();
            return Err(Wrong::Header(why));
        }
        let read = catalog.parse_older(&self.slug, &self.text, removed);
        let (drive, notes) = read.map_err(|why| Wrong::Drive(why.to_string()))?;
        let header = match notes.is_empty() {
            true => self,
            false => Header {
                generation: self.generation,
                notes,
                ..Header::new(&drive, self.seed)
            },
        };
        Ok((header, drive))
    }
}

/// [`DriveFile::hash`] of the drive file that has this text.
pub(crate) fn hash_of(text: &str) -> u64 {
    let mut hash = StreamHash::default();
    hash.bytes(text.as_bytes());
    hash.value()
}

/// Checks that the drive of an image is the one that `asked` describes, settings included: no number differs. What is said of
/// sources may, as it does between versions.
pub(crate) fn check_drive(
    own: &DriveFile,
    asked: &DriveFile,
    path: &std::path::Path,
) -> Result<(), ImageError> {
    match own.difference(asked) {
        None => Ok(()),
        Some(difference) => Err(ImageError::OtherDrive {
            path: path.to_owned(),
            difference,
        }),
    }
}

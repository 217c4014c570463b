//! Atomic replacement of the file of an image.

use crate::ImageError;
use crate::error::system_error;
use crate::storage::FileStorage;
use ftlab_output::Begun;
use std::io::ErrorKind;
use std::path::Path;

/// Gives a file that is whole its name, which nothing may have.
pub(crate) fn put_in_place(begun: Begun, path: &Path, sync: bool) -> Result<(), ImageError> {
    let placed = begun.place(path, false);
    placed.map_err(|why| match why.kind() {
        ErrorKind::AlreadyExists => ImageError::Exists {
            path: path.to_owned(),
        },
        _ => system_error(path, "make it", why),
    })?;
    match sync {
        true => {
            FileStorage::sync_name(path).map_err(|why| system_error(path, "keep its name", why))
        }
        false => Ok(()),
    }
}

/// Begins a new file of an image, until it takes its place.
pub(crate) fn begin_aside(image: &Path) -> Result<(FileStorage, Begun), ImageError> {
    FileStorage::begin(image).map_err(|why| system_error(image, "make a new one beside it", why))
}

/// Puts the new file in the place of the image.
///
/// # Errors
/// When the system refuses; the image is as before then.
pub(crate) fn replace(image: &Path, begun: Begun, sync: bool) -> Result<(), ImageError> {
    let placed = begun.place(image, true);
    placed.map_err(|why| system_error(image, "replace it", why))?;
    match sync {
        true => {
            FileStorage::sync_name(image).map_err(|why| system_error(image, "keep its name", why))
        }
        false => Ok(()),
    }
}

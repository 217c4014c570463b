//! Paths of images, their snapshots and their bases.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let parent = path.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Prefix of the file names of an image's snapshots.
pub(crate) fn prefix_of(image: &Path) -> String {
    let name = image.file_name().unwrap_or_default();
    format!("{}.snapshot.", name.to_string_lossy())
}

/// True if a file is a snapshot of an image.
pub(crate) fn is_snapshot_of(file: &Path, image: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folders = [file, image].map(|path| folder_of(path).canonicalize().ok());
    name.starts_with(&prefix_of(image)) && folders[0].is_some() && folders[0] == folders[1]
}

/// A path that leads from the folder of an image to its base, if that lies there or below; else from the root. So
/// both can be moved together.
pub(super) fn path_from(image: Option<&Path>, base: &Path) -> io::Result<Vec<u8>> {
    let base = base.canonicalize()?;
    let folder = image.map(|image| folder_of(image).canonicalize());
    let folder = folder.transpose()?;
    let below = folder.and_then(|folder| base.strip_prefix(folder).ok().map(Path::to_owned));
    Ok(below.unwrap_or(base).as_os_str().as_bytes().to_vec())
}

/// A file, by its device and number.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

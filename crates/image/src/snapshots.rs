//! The snapshots of an image: files beside it, by name.

use crate::ImageError;
use crate::base::{DEPTH_MAX, OPENED_DEPTH_MAX, base_of, folder_of, is_snapshot_of, prefix_of};
use crate::error::system_error;
use serde::Serialize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The longest name of a snapshot.
const NAME_BYTES_MAX: usize = 64;

/// A snapshot of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// Name of the snapshot.
    pub name: String,
    /// Base of the snapshot; none, if it is a whole image.
    pub base: Option<PathBuf>,
    /// Space of its file on its disk, in bytes.
    pub taken_bytes: u64,
}

pub(crate) fn no_snapshot(image: &Path, why: String) -> ImageError {
    ImageError::Snapshot {
        path: image.to_owned(),
        why,
    }
}

/// The file of a snapshot.
pub(crate) fn snapshot_path(image: &Path, name: &str) -> Result<PathBuf, ImageError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(is_plain) {
        let why = format!(
            "{name:?} is no name of a snapshot: give up to {NAME_BYTES_MAX} letters, digits, dots, dashes and underscores"
        );
        return Err(no_snapshot(image, why));
    }
    Ok(image.with_file_name(prefix_of(image) + name))
}

/// The snapshots of an image, by name.
///
/// # Errors
/// When its folder cannot be read.
pub fn snapshots(image: &Path) -> Result<Vec<Snapshot>, ImageError> {
    let prefix = prefix_of(image);
    let own = std::fs::metadata(image).map(|own| own.ino()).ok();
    let listed = std::fs::read_dir(folder_of(image)).and_then(|entries| {
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            let file = entry.file_name();
            let Some(name) = file.to_str().and_then(|file| file.strip_prefix(&prefix)) else {
                continue;
            };
            let meta = entry.metadata()?;
            // A snapshot that was cut off is the image itself.
            if meta.is_file() && Some(meta.ino()) != own {
                found.push(Snapshot {
                    name: name.to_owned(),
                    base: base_of(&entry.path()),
                    taken_bytes: meta.blocks() * 512,
                });
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    });
    listed.map_err(|why| system_error(image, "list its snapshots", why))
}

/// Removes what is left of snapshots that were cut off between their two names: second names of the image. The next
/// snapshot would make of each what it was not meant to be.
pub(crate) fn clear_cut_off(image: &Path) -> Result<(), ImageError> {
    let cleared = (|| {
        let own = std::fs::metadata(image)?;
        if own.nlink() < 2 {
            return Ok(());
        }
        let prefix = prefix_of(image);
        for entry in std::fs::read_dir(folder_of(image))? {
            let entry = entry?;
            let is_snapshot = entry.file_name().to_string_lossy().starts_with(&prefix);
            let meta = entry.metadata()?;
            if is_snapshot && (meta.dev(), meta.ino()) == (own.dev(), own.ino()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    })();
    cleared.map_err(|why| system_error(image, "remove what is left of a snapshot of it", why))
}

/// Target of a reset: a snapshot, or the base below all of them.
pub(crate) fn target_of(
    image: &Path,
    lies_on: &[PathBuf],
    to: Option<&str>,
) -> Result<PathBuf, ImageError> {
    let there = || -> Result<String, ImageError> {
        let names: Vec<String> = snapshots(image)?.into_iter().map(|one| one.name).collect();
        Ok(match names.is_empty() {
            true => "it has no snapshots; `ftlab snapshot` makes one".to_owned(),
            false => format!("its snapshots are {}", names.join(", ")),
        })
    };
    let Some(name) = to else {
        // The image's own snapshots lie between it and its base.
        let base = lies_on.iter().find(|path| !is_snapshot_of(path, image));
        return match base {
            Some(base) => Ok(base.clone()),
            None => Err(no_snapshot(
                image,
                format!("it lies on no base to go back to: {}", there()?),
            )),
        };
    };
    let path = snapshot_path(image, name)?;
    match path.is_file() {
        true => Ok(path),
        false => Err(no_snapshot(
            image,
            format!("there is no snapshot {name}: {}", there()?),
        )),
    }
}

/// Bases below an image by their heads, the nearest first.
pub(crate) fn chain_of(image: &Path) -> Vec<PathBuf> {
    let first = base_of(image);
    let chain = std::iter::successors(first, |path| base_of(path));
    chain.take(OPENED_DEPTH_MAX).collect()
}

/// Checks that an image lies on no more others than the limit allows. An image that is deeper already may stay as deep.
pub(crate) fn check_depth(image: &Path, depth: usize, now: usize) -> Result<(), ImageError> {
    if depth <= now.max(DEPTH_MAX) {
        return Ok(());
    }
    let why = format!(
        "it would lie on {depth} images that lie on one another, and {DEPTH_MAX} are the most: go back to an earlier \
         snapshot with `ftlab reset`, or make one image of all of them with `ftlab pack` and `ftlab unpack`"
    );
    Err(no_snapshot(image, why))
}

/// Removes a snapshot that nothing lies on.
///
/// # Errors
/// When there is none of that name, or the image or another snapshot lies on it.
pub fn remove_snapshot(image: &Path, name: &str) -> Result<(), ImageError> {
    let path = target_of(image, &[], Some(name))?;
    let is_it = |other: &PathBuf| {
        let [one, other] = [&path, other].map(|path| path.canonicalize().ok());
        one.is_some() && one == other
    };
    let mut users: Vec<String> = Vec::new();
    if chain_of(image).iter().any(is_it) {
        users.push("the image".to_owned());
    }
    for other in snapshots(image)? {
        if other.base.as_ref().is_some_and(is_it) {
            users.push(format!("snapshot {}", other.name));
        }
    }
    if !users.is_empty() {
        let why = format!(
            "snapshot {name} is needed: what it holds lies under {}",
            users.join(", ")
        );
        return Err(no_snapshot(image, why));
    }
    std::fs::remove_file(&path).map_err(|why| system_error(&path, "remove it", why))
}

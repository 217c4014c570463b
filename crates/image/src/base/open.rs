//! Opening the file of an image, and what it lies on.

use super::head::{Head, wrong_base};
use super::paths::is_snapshot_of;
use super::{Base, LAYER_AT, OPENED_DEPTH_MAX, machine, steps_of};
use crate::ImageError;
use crate::error::{Wrong, system_error};
use crate::header::Header;
use crate::new::New;
use crate::storage::{FileStorage, Layer, LayerError, Plan, Storage};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Mode in which the file of an image is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// Nothing of it changes; others may do the same.
    ReadOnly,
    /// By nobody else; whether its machine may lose its power.
    Alone { sync: bool },
}

/// The file of an image, and what it lies on.
#[derive(Debug)]
pub(crate) struct OpenedImage {
    pub(crate) storage: Box<dyn Storage>,
    pub(crate) base: Option<Base>,
}

/// Opens an image, and what it lies on. `at` is where its base is now, below its own snapshots, if that was moved.
pub(crate) fn open_image(
    path: &Path,
    access: Access,
    at: Option<&Path>,
) -> Result<OpenedImage, ImageError> {
    open_above(path, access, (path, at), 0)
}

fn open_above(
    path: &Path,
    access: Access,
    (image, at): (&Path, Option<&Path>),
    depth: usize,
) -> Result<OpenedImage, ImageError> {
    let read_only = matches!(access, Access::ReadOnly);
    let file = FileStorage::open(path, read_only).map_err(|why| match why.kind() {
        ErrorKind::WouldBlock => ImageError::Locked {
            path: path.to_owned(),
        },
        _ => system_error(path, "open it", why),
    })?;
    let unusable = |why: Wrong| ImageError::Unusable {
        path: path.to_owned(),
        why,
    };
    let Some(head) = Head::read(&file).map_err(unusable)? else {
        return match at {
            None => Ok(OpenedImage {
                storage: Box::new(file),
                base: None,
            }),
            Some(at) => Err(wrong_base(
                path,
                format!(
                    "it is a whole image, which lies on no base: leave out --base {}, or name a new file",
                    at.display()
                ),
            )),
        };
    };
    // The limit ends also a circle of images that name each other.
    if depth == OPENED_DEPTH_MAX {
        let why = format!("more than {OPENED_DEPTH_MAX} images lie on one another");
        return Err(wrong_base(path, why));
    }
    let base = open_base(&head, path, (image, at), depth)?;
    let plan = Plan::new(LAYER_AT, head.bytes);
    let (found, want) = (file.length(), plan.end());
    let found = found.map_err(|why| unusable(Wrong::Unreadable(why)))?;
    if let Some(found) = found.filter(|found| *found < want) {
        return Err(unusable(Wrong::Short { found, want }));
    }
    let careful = matches!(access, Access::Alone { sync: true });
    let layer = base.layer(Box::new(file), careful);
    let layer = open_layer(layer, read_only).map_err(|why| match why {
        LayerError::Storage(why) => system_error(path, "read it", why),
        LayerError::Map(block) => unusable(Wrong::Map { block }),
    })?;
    Ok(OpenedImage {
        storage: Box::new(layer),
        base: Some(base),
    })
}

/// A layer as it was left, on this machine from now on.
pub(crate) fn open_layer(mut layer: Layer, read_only: bool) -> Result<Layer, LayerError> {
    let machine = layer.machine();
    let started_anew = machine.is_none() || machine::read(layer.above())? != machine;
    let (mut layer, is_changed) = layer.open(started_anew)?;
    if !read_only && (started_anew || is_changed) {
        layer.write_map()?;
        machine::write(layer.above())?;
        layer.above().sync()?;
    }
    Ok(layer)
}

/// Opens what an image lies on, or one of its snapshots, which is `above`.
fn open_base(
    head: &Head,
    above: &Path,
    (image, at): (&Path, Option<&Path>),
    depth: usize,
) -> Result<Base, ImageError> {
    let named = head.base_path(above);
    let (path, at) = match at {
        Some(at) if !is_snapshot_of(&named, image) => (at.to_owned(), None),
        at => (named, at),
    };
    if let Err(why) = std::fs::metadata(&path) {
        let why = format!(
            "its base {} cannot be read ({why}); {} is expected there: bring it back, or say with --base \
             where it is now",
            path.display(),
            head.expected()
        );
        return Err(wrong_base(above, why));
    }
    let opened = open_above(&path, Access::ReadOnly, (image, at), depth + 1)?;
    let base = base_of_opened(&path, opened, head.steps.clone())?;
    head.check(above, base.told())?;
    Ok(base)
}

fn base_of_opened(
    path: &Path,
    opened: OpenedImage,
    steps: Vec<(u64, u64)>,
) -> Result<Base, ImageError> {
    let below = opened.base.map_or_else(Vec::new, |base| {
        let mut below = vec![base.path];
        below.extend(base.below);
        below
    });
    Base::on(path, Arc::from(opened.storage), steps, below)
        .map_err(|why| system_error(path, "read it", why))
}

/// Checks that an image lies on what it was made on, if it lies on anything.
pub(crate) fn check_base_of(image: &Path, file: &FileStorage) -> Result<(), ImageError> {
    let head = Head::read(file).map_err(|why| ImageError::Unusable {
        path: image.to_owned(),
        why,
    })?;
    match head {
        Some(head) => open_base(&head, image, (image, None), 0).map(drop),
        None => Ok(()),
    }
}

impl Base {
    /// Opens an image for others to lie on.
    pub(crate) fn open(
        path: &Path,
        catalog: &Catalog,
        testbed: &Testbed,
    ) -> Result<Base, ImageError> {
        let opened = open_image(path, Access::ReadOnly, None)?;
        let unusable = |why: Wrong| ImageError::Unusable {
            path: path.to_owned(),
            why,
        };
        let (header, file) = Header::read(&*opened.storage, catalog).map_err(unusable)?;
        let regions = New::of(&file, testbed, header.seed)?.regions();
        let length = opened.storage.length();
        let found = length.map_err(|why| unusable(Wrong::Unreadable(why)))?;
        let want = regions.end();
        if let Some(found) = found.filter(|found| *found < want) {
            return Err(unusable(Wrong::Short { found, want }));
        }
        base_of_opened(path, opened, steps_of(&regions))
    }
}

//! Opening an image: by itself, on its base, or a new one on a base.

use crate::backing::BackingImage;
use crate::base::open::{Access, open_image};
use crate::base::{Base, wrong_base};
use crate::convert::open_beside;
use crate::drive::DataDrive;
use crate::error::system_error;
use crate::file::put_in_place;
use crate::snapshots::{check_depth, clear_cut_off};
use crate::storage::{FileStorage, Overlay, Storage};
use crate::{ImageError, OpenOptions, Recovery};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl DataDrive {
    /// Opens an image that lies on a base, or makes it. Without a path, what is written is gone with the process.
    ///
    /// # Errors
    /// When one of them cannot be opened, or the base is not the one that the image was made on.
    pub fn open_on_base(
        image: Option<&Path>,
        base: &Path,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        if let Some(image) = image.filter(|image| image.exists()) {
            return Self::open_at(image, Some(base), options);
        }
        let found = Base::open(base, options.catalog, options.testbed)?;
        check_depth(image.unwrap_or(base), found.depth(), 0)?;
        let in_memory = PathBuf::from(format!("what lies in memory on {}", base.display()));
        let path = image.unwrap_or(&in_memory);
        let above = match image {
            Some(image) => FileStorage::begin(image).map(|(file, begun)| (file, Some(begun))),
            None => FileStorage::in_memory().map(|file| (file, None)),
        };
        let (above, begun) = above.map_err(|why| system_error(path, "make it", why))?;
        let (mut drive, recovery) = Self::begin_on(&found, image, path, above, options)?;
        if let Some(begun) = begun {
            put_in_place(begun, path, options.sync)?;
        }
        drive.backing = BackingImage {
            base: Some(found),
            in_memory: image.is_none(),
            prefetched: None,
        };
        Ok((drive, recovery))
    }

    fn begin_on(
        base: &Base,
        image: Option<&Path>,
        path: &Path,
        above: FileStorage,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let layer = base.begin(image, Box::new(above), options.sync);
        let layer = layer.map_err(|why| system_error(path, "write to it", why))?;
        let (drive, recovery) = open_beside(path, Box::new(layer), Some(base), options)?;
        if !recovery.clean {
            let why = format!(
                "its base {} lost its power at work, and would recover anew each time: open and close it once, with \
                 `ftlab serve --image {0}`",
                base.path.display()
            );
            return Err(wrong_base(path, why));
        }
        Ok((drive, recovery))
    }

    pub(crate) fn open_at(
        path: &Path,
        base: Option<&Path>,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let access = match options.read_only {
            true => Access::ReadOnly,
            false => Access::Alone { sync: options.sync },
        };
        let opened = open_image(path, access, base)?;
        if !options.read_only {
            clear_cut_off(path)?;
        }
        let storage: Box<dyn Storage> = match options.read_only {
            true => Box::new(Overlay::new(Arc::from(opened.storage))),
            false => opened.storage,
        };
        let base = opened.base.as_ref();
        let (mut drive, recovery) = open_beside(path, storage, base, options)?;
        drive.backing.base = opened.base;
        Ok((drive, recovery))
    }

    /// Path and fingerprint of the base, of an image that lies on one.
    #[must_use]
    pub fn base(&self) -> Option<(&Path, u64)> {
        let base = self.backing.base.as_ref()?;
        Some((&base.path, base.fingerprint))
    }

    /// True if writes are gone with the process.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.image.is_none() || self.backing.in_memory
    }
}

//! Taking a snapshot: the file of an image gets another name, and the image is a new, empty one that lies on it. Nothing is
//! copied, and what is cut off between the two names leaves the image as it was.

use crate::ImageError;
use crate::base::Base;
use crate::drive::DataDrive;
use crate::error::system_error;
use crate::file::{begin_aside, replace};
use crate::snapshots::{check_depth, no_snapshot, snapshot_path};
use crate::storage::Storage;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

impl DataDrive {
    /// Keeps the drive as it is now under a name, to go back to. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When there is no image, the name is taken or is none, it lies on as many as may be, or the storage fails.
    pub fn snapshot(&mut self, name: &str) -> Result<(), ImageError> {
        check_depth(&self.path, self.depth() + 1, 0)?;
        self.snapshot_however_deep(name)
    }

    /// Takes a snapshot without the limit on how many files an image lies on.
    pub(crate) fn snapshot_however_deep(&mut self, name: &str) -> Result<(), ImageError> {
        if !self.has_image() || self.backing.in_memory {
            let why = "a snapshot is a file beside the image, and this drive has none that is written to: serve it with \
                       --image, and without --read-only";
            return Err(no_snapshot(&self.path, why.to_owned()));
        }
        let image = self.path.clone();
        let path = snapshot_path(&image, name)?;
        if path.symlink_metadata().is_ok() {
            let why =
                format!("there is a snapshot {name} already: give another name, or remove it");
            return Err(no_snapshot(&image, why));
        }
        self.switch_off()?;
        let made = self.begin_above(&image, &path);
        let (base, layer) =
            made.map_err(|why| system_error(&image, "make a snapshot of it", why))?;
        let mut frozen = self.body.replace_storage(layer);
        self.backing.base = Some(base);
        let shared = frozen.share();
        shared.map_err(|why| system_error(&path, "let others read it", why))
    }

    /// Gives the file of an image another name, and makes a new one on it.
    fn begin_above(&mut self, image: &Path, path: &Path) -> io::Result<(Base, Box<dyn Storage>)> {
        let sync = self.syncs();
        let frozen = self.body.storage().beside();
        let frozen: Arc<dyn Storage> = Arc::from(frozen.ok_or(ErrorKind::Unsupported)?);
        // Its path is one that can be looked at from now on.
        std::fs::hard_link(image, path)?;
        let made = (|| {
            let below = self.backing.base.as_ref();
            let base = Base::frozen(path, frozen, &self.body.regions(), below)?;
            let (file, aside) = begin_aside(image).map_err(io::Error::other)?;
            let layer = base.begin(Some(image), Box::new(file), sync)?;
            replace(image, aside, sync).map_err(io::Error::other)?;
            Ok((base, Box::new(layer) as Box<dyn Storage>))
        })();
        if made.is_err() {
            let _ = std::fs::remove_file(path);
        }
        made
    }
}

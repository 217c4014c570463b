//! Images that lie on another image, their base.
//!
//! ```text
//! magic 8 │ format 4 │ bytes that follow 4 │ checksum 8 │ the base: where it is, and its fingerprint
//! at 32 KiB: which machine wrote last 8 │ checksum 8
//! at 64 KiB: a layer over the base (storage/layer.rs)
//! ```
//!
//! The base is opened to be read, so any number of images and servers may have the same one. It never changes: whoever
//! writes to it changes its fingerprint, and what lies on it is refused from then on. The fingerprint is a hash of its
//! length, of where an image notes each step that it comes further (the headers and marks, the heads of its
//! checkpoints and of its journal), and of samples of everything else.

mod head;
mod machine;
pub(crate) mod open;
mod paths;

pub(crate) use head::{base_of, wrong_base};
pub(crate) use paths::{folder_of, is_snapshot_of, prefix_of};

use crate::ImageError;
use crate::error::system_error;
use crate::regions::{HEADER_BYTES, Regions};
use crate::storage::{FileStorage, Layer, Plan, Region, Storage};
use head::Head;
use paths::{identity, path_from};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Start of the layer over the base, in bytes.
const LAYER_AT: u64 = 64 << 10;
/// Bytes that are hashed at a place, and how many places of the whole file.
const SAMPLE_BYTES: u64 = 4096;
const SAMPLES: u64 = 256;
/// On how many images a new one may lie.
pub(crate) const DEPTH_MAX: usize = 64;
/// On how many an image may lie that is opened: others may have been less strict, and their owners want their data. Each
/// takes a file that is open, and some of the stack.
pub(crate) const OPENED_DEPTH_MAX: usize = 1024;

/// An image that is only read, below another.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// Path at which the base was found.
    pub(crate) path: PathBuf,
    pub(crate) storage: Arc<dyn Storage>,
    bytes: u64,
    steps: Vec<(u64, u64)>,
    pub(crate) fingerprint: u64,
    /// The file, by its device and number.
    identity: Option<(u64, u64)>,
    /// The images below it, the next one first.
    pub(crate) below: Vec<PathBuf>,
}

/// Positions of the notes on an image's progress: its headers and marks.
fn steps_of(regions: &Regions) -> Vec<(u64, u64)> {
    let header = Region {
        at: 0,
        bytes: HEADER_BYTES,
    };
    let head = |region: &Region| Region {
        at: region.at,
        bytes: region.bytes.min(SAMPLE_BYTES),
    };
    let heads = regions.checkpoints.iter().chain(&regions.journals.regions);
    let steps = std::iter::once(header).chain(heads.map(head));
    steps.map(|step| (step.at, step.bytes)).collect()
}

fn fingerprint(storage: &dyn Storage, bytes: u64, steps: &[(u64, u64)]) -> io::Result<u64> {
    let mut sum = Xxh3::new();
    sum.update(&bytes.to_le_bytes());
    let samples = (0..SAMPLES).map(|n| (bytes / SAMPLES * n, SAMPLE_BYTES));
    let mut read = Vec::new();
    for (at, bytes) in steps.iter().copied().chain(samples) {
        read.resize(bytes.min(HEADER_BYTES) as usize, 0);
        storage.read_at(at, &mut read)?;
        sum.update(&at.to_le_bytes());
        sum.update(&read);
    }
    Ok(sum.digest())
}

impl Base {
    /// One that lies on a storage, above these.
    fn on(
        path: &Path,
        storage: Arc<dyn Storage>,
        steps: Vec<(u64, u64)>,
        below: Vec<PathBuf>,
    ) -> io::Result<Base> {
        let bytes = storage.length()?.unwrap_or_default();
        Ok(Base {
            path: path.to_owned(),
            fingerprint: fingerprint(&*storage, bytes, &steps)?,
            identity: identity(path),
            storage,
            bytes,
            steps,
            below,
        })
    }

    /// An image that nobody writes to any more, as it lies on `storage`. It lies on `below`.
    pub(crate) fn frozen(
        path: &Path,
        storage: Arc<dyn Storage>,
        regions: &Regions,
        below: Option<&Base>,
    ) -> io::Result<Base> {
        let below = below.map_or_else(Vec::new, |base| {
            let mut below = vec![base.path.clone()];
            below.extend(base.below.iter().cloned());
            below
        });
        Base::on(path, storage, steps_of(regions), below)
    }

    /// One in memory, of a drive with these regions.
    #[cfg(test)]
    pub(crate) fn of_memory(storage: Arc<dyn Storage>, regions: &Regions) -> Base {
        Base {
            path: PathBuf::from("/"),
            storage,
            bytes: regions.end(),
            steps: steps_of(regions),
            fingerprint: 0,
            identity: None,
            below: Vec::new(),
        }
    }

    /// Checks that it is as it was when it was opened. While it is open no other ftlab writes to it; other programs may.
    pub(crate) fn check_unchanged(&self) -> Result<(), ImageError> {
        let changed = |what: &str| {
            let why = format!(
                "it has changed since this was opened: {what}; bring back the one that this was made on"
            );
            Err(wrong_base(&self.path, why))
        };
        if identity(&self.path) != self.identity {
            return changed("another file is there");
        }
        let length = self.storage.length();
        let now = length.and_then(|length| {
            fingerprint(&*self.storage, length.unwrap_or_default(), &self.steps)
        });
        match now.map_err(|why| system_error(&self.path, "read it", why))? {
            now if now == self.fingerprint => Ok(()),
            _ => changed("its bytes are others"),
        }
    }

    /// Checks that it is what an image right above it was made on.
    pub(crate) fn check_lies_under(&self, above: &Path) -> Result<(), ImageError> {
        let head =
            FileStorage::look_at(above).map_err(|why| system_error(above, "open it", why))?;
        let head = Head::read(&head).map_err(|why| ImageError::Unusable {
            path: above.to_owned(),
            why,
        })?;
        match head {
            Some(head) => head.check(above, self.told()),
            None => Err(wrong_base(above, "it lies on nothing any more".to_owned())),
        }
    }

    /// Path of the base, and the fingerprint that identifies it.
    fn told(&self) -> (&Path, u64, u64) {
        (&self.path, self.bytes, self.fingerprint)
    }

    /// On how many images one lies that lies on this.
    pub(crate) fn depth(&self) -> usize {
        1 + self.below.len()
    }

    /// The layer above the base, as it was left.
    pub(crate) fn layer(&self, above: Box<dyn Storage>, careful: bool) -> Layer {
        let plan = Plan::new(LAYER_AT, self.bytes);
        Layer::new(Arc::clone(&self.storage), self.bytes, above, plan, careful)
    }

    /// A new image on it, in which nothing is written, as `image` will be called.
    pub(crate) fn begin(
        &self,
        image: Option<&Path>,
        mut above: Box<dyn Storage>,
        sync: bool,
    ) -> io::Result<Layer> {
        let plan = Plan::new(LAYER_AT, self.bytes);
        above.lengthen(plan.end())?;
        plan.write_empty(&mut *above)?;
        machine::write(&mut *above)?;
        let head = Head {
            version: ftlab_drive::version(),
            path: path_from(image, &self.path)?,
            bytes: self.bytes,
            steps: self.steps.clone(),
            fingerprint: self.fingerprint,
        };
        head.write(&mut *above)?;
        // Whether its host waits for its storage from now on or not, what it lies on is known.
        above.sync()?;
        Ok(self.layer(above, sync))
    }
}

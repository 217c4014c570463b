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

use crate::error::{Wrong, system_error};
use crate::header::Header;
use crate::new::New;
use crate::regions::HEADER_BYTES;
use crate::storage::{FileStorage, Layer, LayerError, Plan, Region, Storage};
use crate::{ImageError, regions::Regions};
use ftlab_host::Testbed;
use ftlab_sheet::magic::LAYER as MAGIC;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

/// The version of the format of what is above. What is below has its own.
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = 24;
const CHECKSUM_AT: usize = 16;
/// The most that it says of its base.
const BODY_BYTES_MAX: u32 = 1 << 14;
const MACHINE_AT: u64 = 32 << 10;
const LAYER_AT: u64 = 64 << 10;
/// Bytes that are hashed at a place, and how many places of the whole file.
const SAMPLE_BYTES: u64 = 4096;
const SAMPLES: u64 = 256;
/// On how many images a new one may lie.
pub(crate) const DEPTH_MAX: usize = 64;
/// On how many an image may lie that is opened: others may have been less strict, and their owners want their data. Each
/// takes a file that is open, and some of the stack.
pub(crate) const OPENED_DEPTH_MAX: usize = 1024;

/// What an image that lies on another says of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// Version of ftlab that wrote it.
    version: String,
    /// Where the base is: from the folder of the image, if it is not absolute.
    path: Vec<u8>,
    bytes: u64,
    /// The ranges that the fingerprint hashes whole, each as its position and its length in bytes.
    steps: Vec<(u64, u64)>,
    fingerprint: u64,
}

/// An image that is only read, below another.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// Where it was found.
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

/// How the file of an image is opened.
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
    if depth == OPENED_DEPTH_MAX {
        let why = format!("more than {OPENED_DEPTH_MAX} images lie on one another");
        return Err(wrong_base(path, why));
    }
    let base = head.open_base(path, (image, at), depth)?;
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
    let started_anew = machine.is_none() || read_machine(layer.above())? != machine;
    let (mut layer, is_changed) = layer.open(started_anew)?;
    if !read_only && (started_anew || is_changed) {
        layer.write_map()?;
        write_machine(layer.above())?;
        layer.above().sync()?;
    }
    Ok(layer)
}

fn read_machine(above: &dyn Storage) -> io::Result<Option<u64>> {
    let mut bytes = [0; 16];
    above.read_at(MACHINE_AT, &mut bytes)?;
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Ok((xxh3_64(&bytes[..8]) == word(8)).then(|| word(0)))
}

fn write_machine(above: &mut dyn Storage) -> io::Result<()> {
    let mut bytes = above.machine().unwrap_or_default().to_le_bytes().to_vec();
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    above.write_at(MACHINE_AT, &bytes)
}

pub(crate) fn wrong_base(path: &Path, why: String) -> ImageError {
    ImageError::Base {
        path: path.to_owned(),
        why,
    }
}

impl Head {
    /// What stands at the front of a file; nothing, if that lies on no base.
    fn read(file: &dyn Storage) -> Result<Option<Head>, Wrong> {
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

    fn write(&self, file: &mut dyn Storage) -> io::Result<()> {
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
    fn base_path(&self, image: &Path) -> PathBuf {
        let path = PathBuf::from(OsString::from_vec(self.path.clone()));
        match image.parent() {
            Some(folder) => folder.join(path),
            None => path,
        }
    }

    /// Opens what an image lies on, or one of its snapshots, which is `above`.
    fn open_base(
        &self,
        above: &Path,
        (image, at): (&Path, Option<&Path>),
        depth: usize,
    ) -> Result<Base, ImageError> {
        let named = self.base_path(above);
        let (path, at) = match at {
            Some(at) if !is_snapshot_of(&named, image) => (at.to_owned(), None),
            at => (named, at),
        };
        if let Err(why) = std::fs::metadata(&path) {
            let why = format!(
                "its base {} cannot be read ({why}); {} is expected there: bring it back, or say with --base \
                 where it is now",
                path.display(),
                self.expected()
            );
            return Err(wrong_base(above, why));
        }
        let opened = open_above(&path, Access::ReadOnly, (image, at), depth + 1)?;
        let base = Base::of(&path, opened, self.steps.clone())?;
        self.check(above, &base)?;
        Ok(base)
    }

    fn expected(&self) -> String {
        format!(
            "an image of {} bytes with fingerprint {:016x}",
            self.bytes, self.fingerprint
        )
    }

    /// That what was found below an image is what this says.
    fn check(&self, above: &Path, base: &Base) -> Result<(), ImageError> {
        if (base.bytes, base.fingerprint) == (self.bytes, self.fingerprint) {
            return Ok(());
        }
        let why = format!(
            "its base {} has changed: {} is expected, and it has {} bytes and fingerprint {:016x}; bring back the one \
             that this was made on",
            base.path.display(),
            self.expected(),
            base.bytes,
            base.fingerprint
        );
        Err(wrong_base(above, why))
    }
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(&head[..CHECKSUM_AT]))
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    let parent = path.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// What comes before the name of a snapshot in the name of its file.
pub(crate) fn prefix_of(image: &Path) -> String {
    let name = image.file_name().unwrap_or_default();
    format!("{}.snapshot.", name.to_string_lossy())
}

/// Whether a file is a snapshot of an image.
pub(crate) fn is_snapshot_of(file: &Path, image: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folders = [file, image].map(|path| folder_of(path).canonicalize().ok());
    name.starts_with(&prefix_of(image)) && folders[0].is_some() && folders[0] == folders[1]
}

/// A path that leads from the folder of an image to its base, if that lies there or below; else from the root. So
/// both can be moved together.
fn path_from(image: Option<&Path>, base: &Path) -> io::Result<Vec<u8>> {
    let base = base.canonicalize()?;
    let folder = image.map(|image| folder_of(image).canonicalize());
    let folder = folder.transpose()?;
    let below = folder.and_then(|folder| base.strip_prefix(folder).ok().map(Path::to_owned));
    Ok(below.unwrap_or(base).as_os_str().as_bytes().to_vec())
}

/// A file, by its device and number.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

/// What a file lies on, by its head; nothing, if it lies on nothing or is no image.
pub(crate) fn base_of(image: &Path) -> Option<PathBuf> {
    let file = FileStorage::look_at(image).ok()?;
    let head = Head::read(&file).ok()??;
    Some(head.base_path(image))
}

/// That an image lies on what it was made on, if it lies on anything.
pub(crate) fn check_base_of(image: &Path, file: &FileStorage) -> Result<(), ImageError> {
    let head = Head::read(file).map_err(|why| ImageError::Unusable {
        path: image.to_owned(),
        why,
    })?;
    match head {
        Some(head) => head.open_base(image, (image, None), 0).map(drop),
        None => Ok(()),
    }
}

/// Where an image notes how far it has come.
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
    fn of(path: &Path, opened: OpenedImage, steps: Vec<(u64, u64)>) -> Result<Base, ImageError> {
        let below = opened.base.map_or_else(Vec::new, |base| {
            let mut below = vec![base.path];
            below.extend(base.below);
            below
        });
        Base::on(path, Arc::from(opened.storage), steps, below)
            .map_err(|why| system_error(path, "read it", why))
    }

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

    /// Opens an image for others to lie on.
    pub(crate) fn open(path: &Path, testbed: &Testbed) -> Result<Base, ImageError> {
        let opened = open_image(path, Access::ReadOnly, None)?;
        let unusable = |why: Wrong| ImageError::Unusable {
            path: path.to_owned(),
            why,
        };
        let (header, file) = Header::read(&*opened.storage).map_err(unusable)?;
        let regions = New::of(&file, testbed, header.seed)?.regions();
        let length = opened.storage.length();
        let found = length.map_err(|why| unusable(Wrong::Unreadable(why)))?;
        let want = regions.end();
        if let Some(found) = found.filter(|found| *found < want) {
            return Err(unusable(Wrong::Short { found, want }));
        }
        Base::of(path, opened, steps_of(&regions))
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

    /// That it is as it was when it was opened. While it is open no other ftlab writes to it; other programs may.
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

    /// That it is what an image right above it was made on.
    pub(crate) fn check_lies_under(&self, above: &Path) -> Result<(), ImageError> {
        let head =
            FileStorage::look_at(above).map_err(|why| system_error(above, "open it", why))?;
        let head = Head::read(&head).map_err(|why| ImageError::Unusable {
            path: above.to_owned(),
            why,
        })?;
        match head {
            Some(head) => head.check(above, self),
            None => Err(wrong_base(above, "it lies on nothing any more".to_owned())),
        }
    }

    /// On how many images one lies that lies on this.
    pub(crate) fn depth(&self) -> usize {
        1 + self.below.len()
    }

    /// What lies above it, as it was left.
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
        write_machine(&mut *above)?;
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

//! Going back: an image that lies on a base begins anew there, and snapshots are bases of its own.
//!
//! What an image has changed is one file. So going back is a new, empty file that takes the place of that one, and the
//! model as the base has it. The model of a large drive takes seconds to read, so a thread reads it beforehand
//! ([`DataDrive::expect_resets`]), and each reset begins with a copy of that.
//!
//! A snapshot is the file itself under another name, and the image a new, empty one that lies on it. Nothing is copied,
//! and what is cut off between the two names leaves the image as it was.

use crate::base::{
    Access, Base, DEPTH_MAX, OPENED_DEPTH_MAX, base_of, check_base_of, folder_of, is_snapshot_of,
    open_image, prefix_of,
};
use crate::convert::open_beside;
use crate::drive::{Body, DataDrive, store_of_mut};
use crate::error::system_error;
use crate::file::{begin_aside, put_in_place, replace};
use crate::header::Header;
use crate::new::New;
use crate::recovery::{Found, Opening};
use crate::storage::{FileStorage, Overlay, Storage};
use crate::{ImageError, OpenOptions};
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;
use serde::Serialize;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// The longest name of a snapshot.
const NAME_BYTES_MAX: usize = 64;

/// What an image lies on, and what is there for going back to it.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    pub(crate) base: Option<Base>,
    /// Whether what is written is gone with the process.
    pub(crate) in_memory: bool,
    pristine: Option<Pristine>,
}

/// A drive as a base has it, to be copied.
#[derive(Debug)]
struct Pristine {
    fingerprint: u64,
    model: Model,
}

#[derive(Debug)]
enum Model {
    /// A thread reads it.
    Coming(Receiver<Result<Prepared, ImageError>>),
    There(Box<Prepared>),
}

struct Prepared {
    found: Found,
    file: DriveFile,
    seed: u64,
}

/// A snapshot of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// What it lies on; nothing, if it is a whole image.
    pub base: Option<PathBuf>,
    /// What it takes of its disk.
    pub taken_bytes: u64,
}

fn prepare(base: &Base, testbed: &Testbed) -> Result<Prepared, ImageError> {
    let (header, file) = Header::read(&*base.storage).map_err(|why| ImageError::Unusable {
        path: base.path.clone(),
        why,
    })?;
    let new = New::of(&file, testbed, header.seed)?;
    let found = Found::read(&base.path, &*base.storage, new, false)?;
    Ok(Prepared {
        found,
        file,
        seed: header.seed,
    })
}

impl Pristine {
    /// Has a thread read it.
    fn begin(base: &Base, testbed: &Testbed) -> Option<Pristine> {
        let (tell, coming) = mpsc::sync_channel(1);
        let (fingerprint, base, testbed) = (base.fingerprint, base.clone(), testbed.clone());
        let read = move || {
            let read = prepare(&base, &testbed);
            // The memory of this copy waits for the first that is needed: what the system gives, it clears before.
            drop(read.as_ref().map(|prepared| prepared.found.copy()));
            // The receiver is gone when the drive was dropped; then nobody needs the model.
            let _ = tell.send(read);
        };
        let thread = thread::Builder::new().name("pristine".into()).spawn(read);
        // Without a thread, the first reset takes longer.
        thread.ok().map(|_| Pristine {
            fingerprint,
            model: Model::Coming(coming),
        })
    }

    /// The drive as a base has it, if this is that one; nothing, if its thread has ended without a word.
    fn of(self, base: &Base) -> Option<Result<Box<Prepared>, ImageError>> {
        if self.fingerprint != base.fingerprint {
            return None;
        }
        match self.model {
            Model::Coming(coming) => coming.recv().ok().map(|read| read.map(Box::new)),
            Model::There(prepared) => Some(Ok(prepared)),
        }
    }
}

fn no_snapshot(image: &Path, why: String) -> ImageError {
    ImageError::Snapshot {
        path: image.to_owned(),
        why,
    }
}

/// The file of a snapshot.
fn snapshot_path(image: &Path, name: &str) -> Result<PathBuf, ImageError> {
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
fn clear_cut_off(image: &Path) -> Result<(), ImageError> {
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

/// Where an image goes back to: a snapshot, or the base below all of them.
fn target_of(image: &Path, lies_on: &[PathBuf], to: Option<&str>) -> Result<PathBuf, ImageError> {
    let there = || -> Result<String, ImageError> {
        let names: Vec<String> = snapshots(image)?.into_iter().map(|one| one.name).collect();
        Ok(match names.is_empty() {
            true => "it has no snapshots; `ftlab snapshot` makes one".to_owned(),
            false => format!("its snapshots are {}", names.join(", ")),
        })
    };
    let Some(name) = to else {
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

/// What an image lies on, the next one first, as their heads say.
fn chain_of(image: &Path) -> Vec<PathBuf> {
    let first = base_of(image);
    let chain = std::iter::successors(first, |path| base_of(path));
    chain.take(OPENED_DEPTH_MAX).collect()
}

/// That an image may lie on so many others. One that lies as deep already loses nothing by it.
fn check_depth(image: &Path, depth: usize, now: usize) -> Result<(), ImageError> {
    if depth <= now.max(DEPTH_MAX) {
        return Ok(());
    }
    let why = format!(
        "it would lie on {depth} images that lie on one another, and {DEPTH_MAX} are the most: go back to an earlier \
         snapshot with `ftlab reset`, or make one image of all of them with `ftlab pack` and `ftlab unpack`"
    );
    Err(no_snapshot(image, why))
}

/// Has an image that nobody has open go back to a snapshot, or to its base.
///
/// # Errors
/// When there is nothing to go back to, somebody has it open, or the system does not do it; it is as it was then.
pub fn reset_image(image: &Path, to: Option<&str>, testbed: &Testbed) -> Result<(), ImageError> {
    let locked = FileStorage::open(image, false).map_err(|why| match why.kind() {
        ErrorKind::WouldBlock => ImageError::Locked {
            path: image.to_owned(),
        },
        _ => system_error(image, "open it", why),
    })?;
    clear_cut_off(image)?;
    check_base_of(image, &locked)?;
    let lies_on = chain_of(image);
    let target = target_of(image, &lies_on, to)?;
    let base = Base::open(&target, testbed)?;
    check_depth(image, base.depth(), lies_on.len())?;
    let (file, aside) = begin_aside(image)?;
    let begun = base.begin(Some(image), Box::new(file), true);
    begun.map_err(|why| system_error(image, "write to a new one beside it", why))?;
    replace(image, aside, true)?;
    drop(locked);
    Ok(())
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

impl DataDrive {
    /// Opens an image that lies on a base, or makes it. Without a path, what is written is gone with the process.
    ///
    /// # Errors
    /// When one of them cannot be opened, or the base is not the one that the image was made on.
    pub fn open_on_base(
        image: Option<&Path>,
        base: &Path,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, crate::Recovery), ImageError> {
        if let Some(image) = image.filter(|image| image.exists()) {
            return Self::open_at(image, Some(base), options);
        }
        let found = Base::open(base, options.testbed)?;
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
        drive.ground = Ground {
            base: Some(found),
            in_memory: image.is_none(),
            pristine: None,
        };
        Ok((drive, recovery))
    }

    fn begin_on(
        base: &Base,
        image: Option<&Path>,
        path: &Path,
        above: FileStorage,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, crate::Recovery), ImageError> {
        let layer = base.begin(image, Box::new(above), options.sync);
        let layer = layer.map_err(|why| system_error(path, "write to it", why))?;
        let (drive, recovery) = open_beside(path, Box::new(layer), Some(base), options)?;
        if !recovery.clean {
            let why = format!(
                "its base {} lost its power at work, and would recover anew each time: open and close it once, with \
                 `ftlab serve --image {0}`",
                base.path.display()
            );
            return Err(crate::base::wrong_base(path, why));
        }
        Ok((drive, recovery))
    }

    pub(crate) fn open_at(
        path: &Path,
        base: Option<&Path>,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, crate::Recovery), ImageError> {
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
        drive.ground.base = opened.base;
        Ok((drive, recovery))
    }

    /// Where the base is, and its fingerprint, of an image that lies on one.
    #[must_use]
    pub fn base(&self) -> Option<(&Path, u64)> {
        let base = self.ground.base.as_ref()?;
        Some((&base.path, base.fingerprint))
    }

    /// Whether what is written is gone with the process.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.kept.is_none() || self.ground.in_memory
    }

    /// Has a thread read the drive as its base has it, so that a reset takes no time for that. It takes as much memory
    /// as the drive.
    pub fn expect_resets(&mut self) {
        if let (Some(base), Some(testbed)) = (&self.ground.base, &self.testbed) {
            self.ground.pristine = Pristine::begin(base, testbed);
        }
    }

    /// Goes back to a snapshot, or to the base: the drive is as it was there, with its map, its wear and its counters,
    /// and is switched on. Commands that are outstanding are gone, and nobody hears of them.
    ///
    /// # Errors
    /// When there is nothing to go back to, it is another drive, or the storage fails; it is as before then.
    pub fn reset(&mut self, to: Option<&str>) -> Result<(), ImageError> {
        let kept = self.kept.as_ref().filter(|kept| !kept.read_only);
        let (Some(kept), Some(testbed)) = (kept, self.testbed.clone()) else {
            let why =
                "there is nothing to go back to: serve it with --base, and without --read-only";
            return Err(no_snapshot(&self.path, why.to_owned()));
        };
        let options = OpenOptions {
            testbed: &testbed,
            drive: None,
            read_only: false,
            sync: kept.sync,
            on_kill: kept.on_kill,
            cut_seed: None,
            accepts_loss: false,
        };
        if self.tap().is_some() {
            let why = "a crash log is being written, which a reset would end: serve it without --crash-log";
            return Err(no_snapshot(&self.path, why.to_owned()));
        }
        let target = self.target(to, &testbed)?;
        check_depth(&self.path, target.depth(), self.depth())?;
        let there = self.ground.pristine.take();
        let prepared = match there.and_then(|there| there.of(&target)) {
            Some(prepared) => prepared?,
            None => Box::new(prepare(&target, &testbed)?),
        };
        let reset = self.begin_anew(&target, &prepared, &options);
        // Whoever goes back once does so again.
        self.ground.pristine = Some(Pristine {
            fingerprint: target.fingerprint,
            model: Model::There(prepared),
        });
        let old = reset?;
        // It may wait for a checkpoint that is being written.
        let _ = thread::Builder::new().spawn(move || drop(old));
        Ok(())
    }

    /// On how many images it lies.
    fn depth(&self) -> usize {
        self.ground.base.as_ref().map_or(0, Base::depth)
    }

    fn target(&self, to: Option<&str>, testbed: &Testbed) -> Result<Base, ImageError> {
        let base = self.ground.base.as_ref();
        if let Some(base) = base {
            base.check_unchanged()?;
        }
        if self.ground.in_memory {
            return match (base, to) {
                (Some(base), None) => Ok(base.clone()),
                _ => {
                    let why = "what lies in memory has no snapshots: serve it with --image, too";
                    Err(no_snapshot(&self.path, why.to_owned()))
                }
            };
        }
        let mut lies_on = Vec::new();
        if let Some(base) = base {
            lies_on.push(base.path.clone());
            lies_on.extend(base.below.iter().cloned());
        }
        let target = target_of(&self.path, &lies_on, to)?;
        if let Some(base) = base.filter(|base| base.path == target) {
            return Ok(base.clone());
        }
        let base = Base::open(&target, testbed)?;
        // A snapshot that the image does not lie on is what somebody else went to.
        if let Some([above, _]) = lies_on.array_windows().find(|[_, below]| *below == target) {
            base.check_lies_under(above)?;
        }
        Ok(base)
    }

    /// Begins anew on a base; gives the drive as it was.
    fn begin_anew(
        &mut self,
        target: &Base,
        prepared: &Prepared,
        options: &OpenOptions<'_>,
    ) -> Result<DataDrive, ImageError> {
        let is_same = prepared.file.hash() == self.file.hash()
            && prepared.found.max_sectors() == self.max_sectors;
        if !is_same {
            let why = format!(
                "{} is of another drive, or lets the host address another number of bytes, and clients know the one that is \
                 served: stop the server first",
                target.path.display()
            );
            return Err(no_snapshot(&self.path, why));
        }
        let (image, aside, above) = match self.ground.in_memory {
            true => {
                let above = FileStorage::in_memory();
                let above = above.map_err(|why| system_error(&self.path, "make it", why))?;
                (None, None, above)
            }
            false => {
                let (above, aside) = begin_aside(&self.path)?;
                (Some(self.path.as_path()), Some(aside), above)
            }
        };
        let layer = target.begin(image, Box::new(above), options.sync);
        let layer = layer.map_err(|why| system_error(&self.path, "write to it", why))?;
        let opening = Opening {
            path: &self.path,
            drive: &prepared.file,
            seed: prepared.seed,
            options,
        };
        let back = prepared.found.copy().bring_back(Box::new(layer), &opening);
        let (mut drive, _) = back?;
        if let Some(aside) = aside {
            replace(&self.path, aside, options.sync)?;
        }
        drive.ground = Ground {
            base: Some(target.clone()),
            in_memory: self.ground.in_memory,
            pristine: None,
        };
        drive.clock = self.clock;
        Ok(std::mem::replace(self, drive))
    }

    /// Keeps the drive as it is now under a name, to go back to. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When there is no image, the name is taken or is none, it lies on as many as may be, or the storage fails.
    pub fn snapshot(&mut self, name: &str) -> Result<(), ImageError> {
        check_depth(&self.path, self.depth() + 1, 0)?;
        self.snapshot_however_deep(name)
    }

    /// The same, on however many the image lies.
    pub(crate) fn snapshot_however_deep(&mut self, name: &str) -> Result<(), ImageError> {
        if !self.has_image() || self.ground.in_memory {
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
        let mut frozen = match &mut self.body {
            Body::Flash(ssd) => store_of_mut(ssd).replace_storage(layer),
            Body::Flat(_, store) => store.replace_storage(layer),
        };
        self.ground.base = Some(base);
        let shared = frozen.share();
        shared.map_err(|why| system_error(&path, "let others read it", why))
    }

    /// Gives the file of an image another name, and makes a new one on it.
    fn begin_above(&mut self, image: &Path, path: &Path) -> io::Result<(Base, Box<dyn Storage>)> {
        let sync = self.syncs();
        let frozen = self.storage().beside();
        let frozen: Arc<dyn Storage> = Arc::from(frozen.ok_or(ErrorKind::Unsupported)?);
        // Its path is one that can be looked at from now on.
        std::fs::hard_link(image, path)?;
        let made = (|| {
            let below = self.ground.base.as_ref();
            let base = Base::frozen(path, frozen, &self.regions(), below)?;
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

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("drive", &self.file.slug())
            .finish_non_exhaustive()
    }
}

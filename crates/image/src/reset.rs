//! Going back: an image that lies on a base begins anew there, and snapshots are bases of its own.
//!
//! What an image has changed is one file. So going back is a new, empty file that takes the place of that one, and the
//! model as the base has it. The model of a large drive takes seconds to read, so a thread reads it beforehand
//! ([`DataDrive::expect_resets`]), and each reset begins with a copy of that.

use crate::backing::{BackingImage, Model, Prefetched, Prepared, prepare};
use crate::base::Base;
use crate::base::open::check_base_of;
use crate::drive::DataDrive;
use crate::error::system_error;
use crate::file::{begin_aside, replace};
use crate::recovery::bring_back;
use crate::recovery::found::Opening;
use crate::snapshots::{chain_of, check_depth, clear_cut_off, no_snapshot, target_of};
use crate::storage::FileStorage;
use crate::{ImageError, OpenOptions};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;

/// Has an image that nobody has open go back to a snapshot, or to its base.
///
/// # Errors
/// When there is nothing to go back to, somebody has it open, or the system does not do it; it is as it was then.
pub fn reset_image(
    image: &Path,
    to: Option<&str>,
    catalog: &Catalog,
    testbed: &Testbed,
) -> Result<(), ImageError> {
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
    let base = Base::open(&target, catalog, testbed)?;
    check_depth(image, base.depth(), lies_on.len())?;
    let (file, aside) = begin_aside(image)?;
    let begun = base.begin(Some(image), Box::new(file), true);
    begun.map_err(|why| system_error(image, "write to a new one beside it", why))?;
    replace(image, aside, true)?;
    drop(locked);
    Ok(())
}

impl DataDrive {
    /// Has a thread read the drive as its base has it, so that a reset takes no time for that. It takes as much memory
    /// as the drive.
    pub fn expect_resets(&mut self) {
        if let (Some(base), Some(testbed)) = (&self.backing.base, &self.testbed) {
            self.backing.prefetched = Prefetched::begin(base, self.file.catalog(), testbed);
        }
    }

    /// Goes back to a snapshot, or to the base: the drive is as it was there, with its map, its wear and its counters,
    /// and is switched on. Commands that are outstanding are gone, and nobody hears of them.
    ///
    /// # Errors
    /// When there is nothing to go back to, it is another drive, or the storage fails; it is as before then.
    pub fn reset(&mut self, to: Option<&str>) -> Result<(), ImageError> {
        let image = self.image.as_ref().filter(|image| !image.read_only);
        let (Some(image), Some(testbed)) = (image, self.testbed.clone()) else {
            let why =
                "there is nothing to go back to: serve it with --base, and without --read-only";
            return Err(no_snapshot(&self.path, why.to_owned()));
        };
        let catalog = self.file.catalog();
        let options = OpenOptions {
            sync: image.sync,
            on_kill: image.on_kill,
            ..OpenOptions::on(&catalog, &testbed)
        };
        if self.body.tap().is_some() {
            let why = "a crash log is being written, which a reset would end: serve it without --crash-log";
            return Err(no_snapshot(&self.path, why.to_owned()));
        }
        let target = self.target(to, &options)?;
        check_depth(&self.path, target.depth(), self.depth())?;
        let there = self.backing.prefetched.take();
        let prepared = match there.and_then(|there| there.of(&target)) {
            Some(prepared) => prepared?,
            None => Box::new(prepare(&target, &catalog, &testbed)?),
        };
        let reset = self.begin_anew(&target, &prepared, &options);
        // A user who goes back once does so again.
        self.backing.prefetched = Some(Prefetched {
            fingerprint: target.fingerprint,
            model: Model::Ready(prepared),
        });
        let old = reset?;
        // It may wait for a checkpoint that is being written.
        let _ = thread::Builder::new().spawn(move || drop(old));
        Ok(())
    }

    /// On how many images it lies.
    pub(crate) fn depth(&self) -> usize {
        self.backing.base.as_ref().map_or(0, Base::depth)
    }

    fn target(&self, to: Option<&str>, options: &OpenOptions<'_>) -> Result<Base, ImageError> {
        let base = self.backing.base.as_ref();
        if let Some(base) = base {
            base.check_unchanged()?;
        }
        if self.backing.in_memory {
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
        let base = Base::open(&target, options.catalog, options.testbed)?;
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
        // Clients know the size and the name of the drive, and no front end can tell them of others.
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
        let (image, aside, above) = match self.backing.in_memory {
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
        let (mut drive, _) = bring_back(prepared.found.copy(), Box::new(layer), &opening)?;
        if let Some(aside) = aside {
            replace(&self.path, aside, options.sync)?;
        }
        drive.backing = BackingImage {
            base: Some(target.clone()),
            in_memory: self.backing.in_memory,
            prefetched: None,
        };
        drive.clock = self.clock;
        Ok(std::mem::replace(self, drive))
    }
}

//! A drive as its newest checkpoint has it, before its journal is read.

use crate::blank::Blank;
use crate::checkpoint::{self, Saved, Shape};
use crate::error::Wrong;
use crate::mark::Mark;
use crate::meta::{ImageState, Meta};
use crate::new::New;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store_options::StoreOptions;
use crate::{ImageError, OnKill, OpenOptions};
use ftlab_cut::BufferedSlot;
use ftlab_cut::volatile::VolatileSlot;
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile};
use std::path::Path;

/// An image that is opened.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'a> {
    /// Path of the image, for messages.
    pub(crate) path: &'a Path,
    /// Its drive, and the seed that was made with.
    pub(crate) drive: &'a DriveFile,
    pub(crate) seed: u64,
    pub(crate) options: &'a OpenOptions<'a>,
}

impl Opening<'_> {
    /// Options of the drive's store with that effect of a kill.
    pub(crate) fn options(&self, on_kill: OnKill) -> StoreOptions {
        StoreOptions::of(self.drive, self.options.sync, on_kill)
    }

    /// State of the image from now on.
    pub(super) fn image_state(&self, stands: Mark, meta: Meta) -> ImageState {
        ImageState {
            stands,
            meta,
            sync: self.options.sync,
            on_kill: self.options.on_kill,
            read_only: self.options.read_only,
        }
    }
}

/// The newest checkpoint of a storage, unpacked.
pub(super) struct NewestCheckpoint {
    known: Option<Mark>,
    stands: Mark,
    saved: Saved,
}

/// A drive as its newest checkpoint has it.
pub(crate) struct Found {
    pub(super) new: New,
    known: Option<Mark>,
    pub(super) stands: Mark,
    pub(super) meta: Meta,
    buffered: Vec<BufferedSlot>,
    volatile: Vec<VolatileSlot>,
    blank: Vec<u8>,
}

impl NewestCheckpoint {
    /// Reads what a storage holds of a drive of that shape.
    pub(super) fn read(
        path: &Path,
        storage: &dyn Storage,
        regions: &Regions,
        shape: Shape,
        accepts_loss: bool,
    ) -> Result<NewestCheckpoint, ImageError> {
        let unusable = unusable_at(path);
        let unreadable = |why| unusable(Wrong::Unreadable(why));
        let (found, want) = (storage.length().map_err(unreadable)?, regions.end());
        if let Some(found) = found.filter(|found| *found < want && !accepts_loss) {
            return Err(unusable(Wrong::Short { found, want }));
        }
        let known = Mark::furthest(storage).map_err(unreadable)?;
        let number = known.map(|known| known.checkpoint);
        let newest = checkpoint::newest(storage, &regions.checkpoints, number);
        let newest = newest.map_err(unusable)?;
        let saved = newest.unpack(storage, shape).map_err(unusable)?;
        Ok(NewestCheckpoint {
            known,
            stands: newest.mark(&saved.meta),
            saved,
        })
    }

    /// Has a drive as it is built be as it says.
    pub(super) fn restore(self, path: &Path, mut new: New) -> Result<Found, ImageError> {
        let NewestCheckpoint {
            known,
            stands,
            saved,
        } = self;
        let restored = match &mut new {
            New::Flat(device, _) => device.restore(saved.state),
            New::Flash(ssd) => ssd.restore(saved.state),
        };
        restored.map_err(|why| unusable_at(path)(Wrong::Checkpoint(why.to_string())))?;
        Ok(Found {
            new,
            known,
            stands,
            meta: saved.meta,
            buffered: saved.buffered,
            volatile: saved.volatile,
            blank: saved.blank,
        })
    }
}

/// Effect of a kill that the newest checkpoint of a drive has.
#[cfg(test)]
pub(crate) fn on_kill_of(storage: &dyn Storage, new: &New) -> Option<crate::OnKill> {
    let newest = NewestCheckpoint::read(Path::new(""), storage, &new.regions(), new.shape(), true);
    newest.ok().map(|newest| newest.saved.meta.on_kill)
}

/// Makes the error of an image that cannot be used.
pub(super) fn unusable_at(path: &Path) -> impl Fn(Wrong) -> ImageError + Copy {
    move |why| ImageError::Unusable {
        path: path.to_owned(),
        why,
    }
}

impl Found {
    /// Reads what a storage holds into a drive as it is built.
    pub(crate) fn read(
        path: &Path,
        storage: &dyn Storage,
        new: New,
        accepts_loss: bool,
    ) -> Result<Found, ImageError> {
        let (regions, shape) = (new.regions(), new.shape());
        let newest = NewestCheckpoint::read(path, storage, &regions, shape, accepts_loss)?;
        newest.restore(path, new)
    }

    /// Copies the state, so that another recovery can begin with it.
    pub(crate) fn copy(&self) -> Found {
        Found {
            new: self.new.copy(),
            known: self.known,
            stands: self.stands,
            meta: self.meta.clone(),
            buffered: self.buffered.clone(),
            volatile: self.volatile.clone(),
            blank: self.blank.clone(),
        }
    }

    /// Makes it the state of a drive that loses nothing when its process is killed: slots stay as the layer was
    /// handed them.
    pub(crate) fn without_cut(mut self) -> Found {
        self.meta.on_kill = OnKill::Keep;
        self
    }

    /// Sectors that the host can address.
    pub(crate) fn max_sectors(&self) -> u64 {
        self.meta.max_sectors
    }

    /// The drive, and what it goes on from beside its own state.
    pub(crate) fn of_flash(self) -> Result<(Box<Ssd>, FlashCheckpoint), Wrong> {
        let New::Flash(ssd) = self.new else {
            unreachable!("a drive without flash has no journal");
        };
        let blank = Blank::of(self.blank, ssd.layer()).ok_or_else(|| {
            let why = "it has blank blocks that the drive does not have";
            Wrong::Checkpoint(why.to_owned())
        })?;
        let before = FlashCheckpoint {
            known: self.known,
            stands: self.stands,
            meta: self.meta,
            buffered: self.buffered,
            volatile: self.volatile,
            blank,
        };
        Ok((ssd, before))
    }
}

/// State of a drive of flash at its newest checkpoint, beside its own.
pub(crate) struct FlashCheckpoint {
    pub(super) known: Option<Mark>,
    pub(super) stands: Mark,
    pub(crate) meta: Meta,
    pub(super) buffered: Vec<BufferedSlot>,
    pub(super) volatile: Vec<VolatileSlot>,
    pub(super) blank: Blank,
}

//! Bringing a drive back to where it was: the newest checkpoint, and what was asked since then.
//!
//! The layer does the same again when it is asked the same, so its map comes back without a look at
//! the data. Those are in their places, but for the last request if it was cut off behind an erase:
//! its moves from there on are made again. Then a new checkpoint is written. Until that stands, nothing
//! has changed that recovering once more would miss.
//!
//! Reading and writing a checkpoint of a large drive takes longer than all else. Where the journal was read to its very
//! end, and is not long, the one that stands is enough: the journal goes on, with a record that the power went and of
//! what that has left to be handed on. Whoever recovers once more comes by that record to the same drive.
//!
//! Where the end of a process is a power cut for the drive, slots of its volatile buffer are then made what that has left
//! of them.

mod batches;
mod buffer;
mod catch_up;
mod log;
mod replay;
mod request;
mod switch_on;

use crate::blank::Blank;
use crate::checkpoint::{self, Kept as KeptSlot, Meta, Saved, Shape};
use crate::drive::{Body, DataDrive, Kept};
use crate::error::Wrong;
use crate::flat::FlatStore;
use crate::mark::Mark;
use crate::new::New;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store::Keeping;
use crate::volatile::VolatileSlot;
use crate::{ImageError, OnKill, OpenOptions, Recovery};
use catch_up::{AskedAgain, CaughtUp};
use ftlab_base::RootSeed;
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile};
pub(crate) use log::Log;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// An image that is opened.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'a> {
    /// Where it lies, for messages.
    pub(crate) path: &'a Path,
    /// Its drive, and the seed that was made with.
    pub(crate) drive: &'a DriveFile,
    pub(crate) seed: u64,
    pub(crate) options: &'a OpenOptions<'a>,
}

/// Makes of a storage the drive that it holds, which is built meanwhile: reading a large one takes as long.
pub(crate) fn recover_beside(
    storage: Box<dyn Storage>,
    (regions, shape): (&Regions, Shape),
    build: impl FnOnce() -> Result<New, ImageError> + Send,
    opening: &Opening<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let (path, accepts_loss) = (opening.path, opening.options.accepts_loss);
    let (new, newest) = thread::scope(|scope| {
        let new = scope.spawn(build);
        let newest = Newest::read(path, &*storage, regions, shape, accepts_loss);
        (
            new.join().unwrap_or_else(|panic| resume_unwind(panic)),
            newest,
        )
    });
    let found = newest?.restore(path, new?)?;
    found.bring_back(storage, opening)
}

/// The newest checkpoint of a storage, unpacked.
struct Newest {
    known: Option<Mark>,
    stands: Mark,
    saved: Saved,
}

/// A drive as its newest checkpoint has it.
pub(crate) struct Found {
    new: New,
    known: Option<Mark>,
    stands: Mark,
    meta: Meta,
    kept: Vec<KeptSlot>,
    volatile: Vec<VolatileSlot>,
    blank: Vec<u8>,
}

impl Newest {
    /// Reads what a storage holds of a drive of that shape.
    fn read(
        path: &Path,
        storage: &dyn Storage,
        regions: &Regions,
        shape: Shape,
        accepts_loss: bool,
    ) -> Result<Newest, ImageError> {
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
        Ok(Newest {
            known,
            stands: newest.mark(&saved.meta),
            saved,
        })
    }

    /// Has a drive as it is built be as it says.
    fn restore(self, path: &Path, mut new: New) -> Result<Found, ImageError> {
        let Newest {
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
            kept: saved.kept,
            volatile: saved.volatile,
            blank: saved.blank,
        })
    }
}

/// What the end of its process is for a drive, as its newest checkpoint has it.
#[cfg(test)]
pub(crate) fn on_kill_of(storage: &dyn Storage, new: &New) -> Option<crate::OnKill> {
    let newest = Newest::read(Path::new(""), storage, &new.regions(), new.shape(), true);
    newest.ok().map(|newest| newest.saved.meta.on_kill)
}

/// Why an image cannot be used.
fn unusable_at(path: &Path) -> impl Fn(Wrong) -> ImageError + Copy {
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
        let newest = Newest::read(path, storage, &regions, shape, accepts_loss)?;
        newest.restore(path, new)
    }

    /// The same once more.
    pub(crate) fn copy(&self) -> Found {
        Found {
            new: self.new.copy(),
            known: self.known,
            stands: self.stands,
            meta: self.meta.clone(),
            kept: self.kept.clone(),
            volatile: self.volatile.clone(),
            blank: self.blank.clone(),
        }
    }

    /// The same for a drive whose end out of order takes nothing: what was handed to the layer is as it was handed.
    pub(crate) fn without_cut(mut self) -> Found {
        self.meta.on_kill = OnKill::Keep;
        self
    }

    /// What it lets the host address.
    pub(crate) fn max_sectors(&self) -> u64 {
        self.meta.max_sectors
    }

    /// Brings it to where the storage says that it had come, and switches it on.
    pub(crate) fn bring_back(
        self,
        storage: Box<dyn Storage>,
        opening: &Opening<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let asked = self.ask_again(&*storage, opening);
        asked
            .map_err(unusable_at(opening.path))?
            .switch_on(storage, opening)
    }

    /// Asks the drive again what the journal of a storage says since its checkpoint. Nothing of the storage changes.
    pub(crate) fn ask_again(
        self,
        storage: &dyn Storage,
        opening: &Opening<'_>,
    ) -> Result<Asked, Wrong> {
        let (stands, max_sectors) = (self.stands, self.meta.max_sectors);
        let body = match self.new {
            New::Flat(device, seed) => AskedBody::Flat(device, seed, self.meta),
            New::Flash(_) => {
                let (ssd, before) = self.of_flash()?;
                let asked = AskedAgain::of(ssd, before, storage, opening)?;
                AskedBody::Flash(Box::new(asked))
            }
        };
        Ok(Asked {
            body,
            stands,
            max_sectors,
        })
    }

    /// The drive, and what it goes on from beside its own state.
    pub(crate) fn of_flash(self) -> Result<(Box<Ssd>, Before), Wrong> {
        let New::Flash(ssd) = self.new else {
            unreachable!("a drive without flash has no journal");
        };
        let blank = Blank::of(self.blank, ssd.layer()).ok_or_else(|| {
            let why = "it has blank blocks that the drive does not have";
            Wrong::Checkpoint(why.to_owned())
        })?;
        let before = Before {
            known: self.known,
            stands: self.stands,
            meta: self.meta,
            kept: self.kept,
            volatile: self.volatile,
            blank,
        };
        Ok((ssd, before))
    }
}

/// What a drive of flash goes on from, beside its own state.
pub(crate) struct Before {
    known: Option<Mark>,
    stands: Mark,
    pub(crate) meta: Meta,
    kept: Vec<KeptSlot>,
    volatile: Vec<VolatileSlot>,
    blank: Blank,
}

/// A drive that was asked again what its journal says.
pub(crate) struct Asked {
    body: AskedBody,
    stands: Mark,
    max_sectors: u64,
}

enum AskedBody {
    Flash(Box<AskedAgain>),
    /// It has no journal.
    Flat(Box<dyn Device>, RootSeed, Meta),
}

impl Asked {
    /// Has the drive's bytes lie on the storage, and switches it on.
    pub(crate) fn switch_on(
        self,
        storage: Box<dyn Storage>,
        opening: &Opening<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let unusable = unusable_at(opening.path);
        let (body, image, recovery, goes_on) = match self.body {
            AskedBody::Flat(device, seed, meta) => {
                let regions = Regions::of_sectors(device.capacity_sectors());
                let keeping = opening.keeping(opening.options.on_kill);
                let store = FlatStore::new(storage, regions, keeping, seed);
                let store = store.map_err(|why| unusable(Wrong::Unreadable(why)))?;
                let recovery = Recovery {
                    clean: !meta.at_work,
                    ..Recovery::default()
                };
                let image = opening.kept(self.stands, meta);
                (Body::Flat(device, Box::new(store)), image, recovery, false)
            }
            AskedBody::Flash(asked) => {
                let settled = asked.settle(storage, self.stands, opening);
                let CaughtUp {
                    ssd,
                    recovery,
                    image,
                    goes_on,
                } = settled.map_err(unusable)?;
                (Body::Flash(ssd), image, recovery, goes_on)
            }
        };
        let mut made = DataDrive::around(opening.path, opening.drive, body);
        made.max_sectors = self.max_sectors;
        made.seed = opening.seed;
        made.testbed = Some(opening.options.testbed.clone());
        made.kept = Some(image);
        made.switch_on(&recovery, goes_on)?;
        Ok((made, recovery))
    }
}

impl Opening<'_> {
    /// How the drive keeps its bytes where the end of its process is that for it.
    pub(crate) fn keeping(&self, on_kill: OnKill) -> Keeping {
        Keeping::of(self.drive, self.options.sync, on_kill)
    }

    /// Where the image is kept from now on.
    fn kept(&self, stands: Mark, meta: Meta) -> Kept {
        Kept {
            stands,
            meta,
            sync: self.options.sync,
            on_kill: self.options.on_kill,
            read_only: self.options.read_only,
        }
    }
}

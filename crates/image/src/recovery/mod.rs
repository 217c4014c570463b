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
pub(crate) mod found;
pub(crate) mod log;
mod replay;
mod request;

use crate::blank::Blank;
use crate::body::Body;
use crate::checkpoint::Shape;
use crate::drive::DataDrive;
use crate::error::Wrong;
use crate::mark::Mark;
use crate::meta::Meta;
use crate::new::New;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::{ImageError, Recovery};
use catch_up::{RecoveredFlash, ReplayedFlash};
use found::{Found, NewestCheckpoint, Opening, unusable_at};
use ftlab_base::RootSeed;
use ftlab_drive::Device;
use std::panic::resume_unwind;
use std::thread;

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
        let newest = NewestCheckpoint::read(path, &*storage, regions, shape, accepts_loss);
        (
            new.join().unwrap_or_else(|panic| resume_unwind(panic)),
            newest,
        )
    });
    let found = newest?.restore(path, new?)?;
    bring_back(found, storage, opening)
}

/// Brings a drive to where the storage says that it had come, and switches it on.
pub(crate) fn bring_back(
    found: Found,
    storage: Box<dyn Storage>,
    opening: &Opening<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let replayed = replay(found, &*storage, opening);
    replayed
        .map_err(unusable_at(opening.path))?
        .switch_on(storage, opening)
}

/// Asks a drive again what the journal of a storage says since its checkpoint. Nothing of the storage changes.
pub(crate) fn replay(
    found: Found,
    storage: &dyn Storage,
    opening: &Opening<'_>,
) -> Result<ReplayedDrive, Wrong> {
    let (stands, max_sectors) = (found.stands, found.max_sectors());
    let body = match found.new {
        New::Flat(device, seed) => ReplayedBody::Flat(device, seed, found.meta),
        New::Flash(_) => {
            let (ssd, before) = found.of_flash()?;
            let replayed = ReplayedFlash::of(ssd, before, storage, opening)?;
            ReplayedBody::Flash(Box::new(replayed))
        }
    };
    Ok(ReplayedDrive {
        body,
        stands,
        max_sectors,
    })
}

/// A drive that was asked again what its journal says.
pub(crate) struct ReplayedDrive {
    body: ReplayedBody,
    stands: Mark,
    max_sectors: u64,
}

enum ReplayedBody {
    Flash(Box<ReplayedFlash>),
    /// It has no journal.
    Flat(Box<dyn Device>, RootSeed, Meta),
}

impl ReplayedDrive {
    /// Has the drive's bytes lie on the storage, and switches it on.
    pub(crate) fn switch_on(
        self,
        storage: Box<dyn Storage>,
        opening: &Opening<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let unusable = unusable_at(opening.path);
        let (body, image, recovery, goes_on) = match self.body {
            ReplayedBody::Flat(device, seed, meta) => {
                // A drive without flash has no journal: its bytes are where they belong already.
                let options = opening.options(opening.options.on_kill);
                let body = New::Flat(device, seed).on(storage, options, Blank::default());
                let body = body.map_err(|why| unusable(Wrong::Unreadable(why)))?;
                let recovery = Recovery {
                    clean: !meta.at_work,
                    ..Recovery::default()
                };
                let image = opening.image_state(self.stands, meta);
                (body, image, recovery, false)
            }
            ReplayedBody::Flash(replayed) => {
                let settled = replayed.settle(storage, self.stands, opening);
                let RecoveredFlash {
                    flash,
                    recovery,
                    image,
                    goes_on,
                } = settled.map_err(unusable)?;
                let body: Box<dyn Body> = Box::new(flash);
                (body, image, recovery, goes_on)
            }
        };
        let mut made = DataDrive::around(opening.path, opening.drive, body);
        made.max_sectors = self.max_sectors;
        made.seed = opening.seed;
        made.testbed = Some(opening.options.testbed.clone());
        made.image = Some(image);
        made.switch_on(&recovery, goes_on)?;
        Ok((made, recovery))
    }
}

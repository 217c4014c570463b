//! Bringing a drive back to where it was: the newest checkpoint, and what was asked since then.
//!
//! The layer does the same again when it is asked the same, so its map comes back without a look at
//! the data. Those are in their places, but for the last request if it was cut off behind an erase:
//! its moves from there on are made again. Then a new checkpoint is written. Until that stands, nothing
//! has changed that recovering once more would miss.
//!
//! Where the end of a process is a power cut for the drive, slots of its volatile buffer are then made what that has left
//! of them.

mod replay;

use crate::blank::Blank;
use crate::checkpoint::{self, Kept as KeptSlot, Meta, Saved};
use crate::drive::{Body, DataDrive, Kept, store_of, store_of_mut};
use crate::error::Wrong;
use crate::flat::FlatStore;
use crate::journal::{Journal, Reader};
use crate::mark::Mark;
use crate::new::{New, byte_store};
use crate::record;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store::{CutOff, Keeping};
use crate::volatile::{Tracker, Volatile, VolatileSlot};
use crate::{CutTold, ImageError, OpenOptions, PowerCut, Recovery, Survives};
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device as _, DriveFile};
use replay::{Buffer, Last, check_hash, follow_record, replay};
use std::path::Path;

/// Makes of a storage the drive that it holds.
pub(crate) fn recover(
    path: &Path,
    storage: Box<dyn Storage>,
    new: New,
    drive: &DriveFile,
    seed: u64,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let found = Found::read(path, &*storage, new, options.accepts_loss)?;
    found.bring_back(path, storage, drive, seed, options)
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

impl Found {
    /// Reads what a storage holds into a drive as it is built.
    pub(crate) fn read(
        path: &Path,
        storage: &dyn Storage,
        mut new: New,
        accepts_loss: bool,
    ) -> Result<Found, ImageError> {
        let unusable = |why: Wrong| ImageError::Unusable {
            path: path.to_owned(),
            why,
        };
        let regions = new.regions();
        let unreadable = |why| unusable(Wrong::Unreadable(why));
        let (found, want) = (storage.length().map_err(unreadable)?, regions.end());
        if let Some(found) = found.filter(|found| *found < want && !accepts_loss) {
            return Err(unusable(Wrong::Short { found, want }));
        }
        let known = Mark::furthest(storage).map_err(unreadable)?;
        let number = known.map(|known| known.checkpoint);
        let newest = checkpoint::newest(storage, &regions.checkpoints, number);
        let newest = newest.map_err(unusable)?;
        let saved = newest.unpack(storage, new.shape());
        let Saved {
            meta,
            kept,
            volatile,
            blank,
            state,
        } = saved.map_err(unusable)?;
        let restored = match &mut new {
            New::Flat(device, _) => device.restore(state),
            New::Flash(ssd) => ssd.restore(state),
        };
        restored.map_err(|why| unusable(Wrong::Checkpoint(why.to_string())))?;
        Ok(Found {
            new,
            known,
            stands: newest.mark(&meta),
            meta,
            kept,
            volatile,
            blank,
        })
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

    /// What it lets the host address.
    pub(crate) fn max_sectors(&self) -> u64 {
        self.meta.max_sectors
    }

    /// Brings it to where the storage says that it had come, and switches it on.
    pub(crate) fn bring_back(
        self,
        path: &Path,
        storage: Box<dyn Storage>,
        drive: &DriveFile,
        seed: u64,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let unusable = |why: Wrong| ImageError::Unusable {
            path: path.to_owned(),
            why,
        };
        let Found {
            new,
            known,
            stands,
            meta,
            kept,
            volatile,
            blank,
        } = self;
        let max_sectors = meta.max_sectors;
        let mut image = Kept {
            stands,
            meta,
            sync: options.sync,
            on_kill: options.on_kill,
            read_only: options.read_only,
        };
        let (body, recovery) = match new {
            New::Flat(device, seed) => {
                let regions = Regions::of_sectors(device.capacity_sectors());
                let keeping = Keeping::of(drive, options.sync, options.on_kill);
                let store = FlatStore::new(storage, regions, keeping, seed);
                let store = store.map_err(|why| unusable(Wrong::Unreadable(why)))?;
                let recovery = Recovery {
                    clean: !image.meta.at_work,
                    ..Recovery::default()
                };
                (Body::Flat(device, Box::new(store)), recovery)
            }
            New::Flash(ssd) => {
                let blank = Blank::of(blank, ssd.layer()).ok_or_else(|| {
                    let why = "it has blank blocks that the drive does not have";
                    unusable(Wrong::Checkpoint(why.to_owned()))
                })?;
                let buffers = (kept, Volatile::of(volatile), blank);
                let mut plan = Plan {
                    image: &mut image,
                    drive,
                    seed,
                    options,
                };
                let caught_up = plan.catch_up(ssd, buffers, storage, known);
                let (ssd, recovery) = caught_up.map_err(unusable)?;
                (Body::Flash(ssd), recovery)
            }
        };
        let mut made = DataDrive::around(path, drive, body);
        made.max_sectors = max_sectors;
        made.seed = seed;
        made.testbed = Some(options.testbed.clone());
        made.kept = Some(image);
        made.switch_on(&recovery)?;
        Ok((made, recovery))
    }
}

/// What a drive of flash is brought back with.
struct Plan<'a> {
    image: &'a mut Kept,
    drive: &'a DriveFile,
    seed: u64,
    options: &'a OpenOptions<'a>,
}

impl Plan<'_> {
    /// How the drive kept its bytes until now, and keeps them until its first new checkpoint.
    fn keeping(&self) -> Keeping {
        Keeping::of(self.drive, self.options.sync, self.image.meta.on_kill)
    }

    /// Brings a drive of flash from its checkpoint to where its journal ends, or to a hole in that.
    fn catch_up(
        &mut self,
        mut ssd: Box<Ssd>,
        (kept, volatile, blank): (Vec<KeptSlot>, Volatile, Blank),
        storage: Box<dyn Storage>,
        known: Option<Mark>,
    ) -> Result<(Box<Ssd>, Recovery), Wrong> {
        let keeping = self.keeping();
        let options = self.options;
        let meta = &mut self.image.meta;
        let mut buffer = Buffer::of(kept, &ssd);
        let regions = Regions::of_layer(ssd.layer());
        let (stands, known) = (self.image.stands, known.map(|known| known.end));
        let mut reader = Reader::new(&*storage, regions.journals, stands.end, known);
        if keeping.tracks || !blank.is_none() {
            let tracker = Tracker::of(volatile, keeping.tracks, blank);
            ssd.carry(Box::new(tracker));
        }
        let found = replay(&mut reader, &mut ssd, &mut buffer, &meta.version, &regions)?;
        let hole = found.hole;
        if let Some(hole) = hole.filter(|_| !options.accepts_loss) {
            return Err(Wrong::Hole { hole });
        }
        let mut recovery = Recovery {
            clean: !meta.at_work && found.batches == 0 && hole.is_none(),
            replayed: found.inputs,
            redone: 0,
            left_out: found.left_out,
            kept_slots: match keeping.capacitors {
                true => buffer.slots.len() as u64,
                false => 0,
            },
            cut: None,
            hole,
        };
        let journal = Journal::behind(&reader, stands.checkpoint, found.hash);
        let mut journal = journal.map_err(Wrong::Unreadable)?;
        let tracker = ssd.store_mut::<Tracker>().map(std::mem::take);
        let tracker = tracker.unwrap_or_default();
        let mut store = byte_store(&ssd, storage, keeping);
        store.set_volatile(tracker.volatile);
        store.set_blank(tracker.blank);
        store.go_on(meta.sequence + found.inputs, Vec::new());
        store.lose(meta.lost.clone());
        if options.sync {
            // It was found in the machine's memory, perhaps, and erases follow.
            store.storage().sync().map_err(Wrong::Unreadable)?;
        }
        meta.power_cycles += found.power_ons;
        if let Some(Last { input, moved, slot }) = found.last {
            // What is made again may be cut off again: behind an erase it goes on from there, and behind that
            // nobody looks at what was noted beside the journal.
            for record in &found.spilled {
                journal.note(|to| record::put_again(to, record));
            }
            store.keep_journal(journal);
            store.set_totals(found.totals.unwrap_or_default());
            store.expect_cut_off(CutOff {
                moved: moved.expect("or it would have been asked again"),
                slot,
            });
            ssd.carry(Box::new(store));
            ssd.replay(&[input]);
            check_hash(&ssd, found.hash, &meta.version)?;
            recovery.replayed += 1;
            recovery.redone = store_of(&ssd).redone();
        } else {
            ssd.carry(Box::new(store));
        }
        if let Some(totals) = found.totals {
            ssd.set_totals(totals);
        }
        let store = store_of_mut(&mut ssd);
        for record in &found.behind {
            follow_record(store.volatile_mut(), record);
        }
        if !buffer.slots.is_empty() {
            // A recovery was cut off that had them to be handed on, or capacitors have kept them.
            store.begin_restoring();
        }
        store.go_on(store.sequence(), buffer.slots.into_values().collect());
        if let Some(hole) = hole {
            // Batches that nobody knows of may have been written, too.
            let from = store.sequence();
            meta.lost
                .push((from, from + hole.requests + regions.journals.requests_max()));
            store.lose(meta.lost.clone());
        }
        if keeping.tracks && !recovery.clean {
            recovery.cut = Some(self.cut(&mut ssd));
        }
        let now = Keeping::of(self.drive, options.sync, options.on_kill);
        store_of_mut(&mut ssd).set_tracks(now.tracks);
        Ok((ssd, recovery))
    }

    /// The power went: the slots of the volatile buffer are to be as that has left them.
    fn cut(&mut self, ssd: &mut Ssd) -> CutTold {
        let meta = &mut self.image.meta;
        let atomic_bytes = self.drive.atomic_write_bytes();
        let drawn = PowerCut::nth(self.seed, meta.unsafe_shutdowns, atomic_bytes);
        let cut = PowerCut {
            seed: self.options.cut_seed.unwrap_or(drawn.seed),
            atomic_bytes,
        };
        let left = store_of(ssd).left_by(&cut, ssd.layer());
        let store = store_of_mut(ssd);
        store.begin_restoring();
        store.go_on(store.sequence(), left.slots);
        meta.last_cut = Some(left.told);
        left.told
    }
}

impl DataDrive {
    /// A drive that was found is switched on.
    fn switch_on(&mut self, recovery: &Recovery) -> Result<(), ImageError> {
        let kept = self.kept.as_mut().expect("it was found somewhere");
        if kept.read_only {
            return Ok(());
        }
        kept.meta.power_cycles += 1;
        kept.meta.unsafe_shutdowns += u64::from(!recovery.clean);
        // What the image survives is noted in a checkpoint.
        let is_as_before =
            kept.meta.survives == Survives::with(kept.sync) && kept.meta.on_kill == kept.on_kill;
        let (stands, journals) = (kept.stands, self.regions().journals);
        let Body::Flash(ssd) = &mut self.body else {
            return self.checkpoint();
        };
        if recovery.clean && is_as_before {
            store_of_mut(ssd).keep_journal(Journal::new(journals, stands));
            self.note_power_on();
            return Ok(());
        }
        self.checkpoint()?;
        self.hand_on_kept();
        Ok(())
    }

    /// Hands on to the layer what a write buffer has kept.
    fn hand_on_kept(&mut self) {
        let Body::Flash(ssd) = &mut self.body else {
            return;
        };
        while let Some(lpn) = store_of(ssd).first_emptied() {
            ssd.hand_on_trim(lpn);
        }
        let mut all = true;
        while let Some((lpn, extent)) = store_of(ssd).first_waiting().filter(|_| all) {
            all = ssd.hand_on(lpn, extent);
        }
        if all {
            store_of_mut(ssd).end_restoring();
        }
        self.commit_and_wait();
        self.note_failure();
    }
}

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

mod replay;

use crate::blank::Blank;
use crate::checkpoint::{self, Kept as KeptSlot, Meta, Saved, Shape};
use crate::drive::{Body, DataDrive, Kept, store_of, store_of_mut};
use crate::error::Wrong;
use crate::flat::FlatStore;
use crate::journal::{Journal, Reader};
use crate::mark::Mark;
use crate::new::{New, byte_store};
use crate::record;
use crate::regions::Regions;
use crate::storage::Storage;
use crate::store::{CutOff, Keeping, Left};
use crate::volatile::{Tracker, Volatile, VolatileSlot};
use crate::{ImageError, OnKill, OpenOptions, PowerCut, Recovery};
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device as _, DriveFile};
use replay::{Buffer, Last, check_hash, follow_record, replay};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

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

/// The same of a drive that is built meanwhile: reading a large one takes as long.
pub(crate) fn recover_beside(
    path: &Path,
    storage: Box<dyn Storage>,
    (regions, shape): (&Regions, Shape),
    build: impl FnOnce() -> Result<New, ImageError> + Send,
    drive: &DriveFile,
    seed: u64,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let (new, newest) = thread::scope(|scope| {
        let new = scope.spawn(build);
        let newest = Newest::read(path, &*storage, regions, shape, options.accepts_loss);
        (
            new.join().unwrap_or_else(|panic| resume_unwind(panic)),
            newest,
        )
    });
    let found = newest?.restore(path, new?)?;
    found.bring_back(path, storage, drive, seed, options)
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
        path: &Path,
        storage: Box<dyn Storage>,
        drive: &DriveFile,
        seed: u64,
        options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        let unusable = unusable_at(path);
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
        let mut goes_on = false;
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
                let (ssd, recovery, journal_goes_on) = caught_up.map_err(unusable)?;
                goes_on = journal_goes_on;
                (Body::Flash(ssd), recovery)
            }
        };
        let mut made = DataDrive::around(path, drive, body);
        made.max_sectors = max_sectors;
        made.seed = seed;
        made.testbed = Some(options.testbed.clone());
        made.kept = Some(image);
        made.switch_on(&recovery, goes_on)?;
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

    /// Brings a drive of flash from its checkpoint to where its journal ends, or to a hole in that; whether the journal
    /// goes on from there.
    fn catch_up(
        &mut self,
        mut ssd: Box<Ssd>,
        (kept, volatile, blank): (Vec<KeptSlot>, Volatile, Blank),
        storage: Box<dyn Storage>,
        known: Option<Mark>,
    ) -> Result<(Box<Ssd>, Recovery, bool), Wrong> {
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
        let is_whole = hole.is_none() && found.left_out == 0 && found.spilled.is_empty();
        let so_far = (found.inputs, found.hash);
        let journal = Journal::behind(&reader, stands.checkpoint, so_far);
        let mut journal = Some(journal.map_err(Wrong::Unreadable)?);
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
        meta.unsafe_shutdowns += found.power_losses;
        meta.last_cut = found.last_cut.or(meta.last_cut);
        if let Some(Last { input, moved, slot }) = found.last {
            let mut journal = journal.take().expect("it was read");
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
        let waited = !buffer.slots.is_empty();
        if waited {
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
        let mut left = Left::default();
        if keeping.tracks && !recovery.clean {
            left = self.cut(&mut ssd);
            recovery.cut = Some(left.told);
        }
        let now = Keeping::of(self.drive, options.sync, options.on_kill);
        let store = store_of_mut(&mut ssd);
        store.set_tracks(now.tracks);
        // What waits of an earlier cut would be mixed with what this one has left.
        let is_plain = is_whole && !recovery.clean && !(keeping.tracks && waited);
        let journal = journal.filter(|journal| is_plain && self.may_go_on(journal));
        let goes_on = journal.is_some();
        if let Some(mut journal) = journal {
            journal.note(|to| record::put_power_lost(to, recovery.cut));
            for slot in &left.slots {
                journal.note(|to| slot.put(to));
            }
            store.keep_journal(journal);
        }
        Ok((ssd, recovery, goes_on))
    }

    /// Whether a journal that was read can go on as it is: nothing of what its checkpoint says is otherwise now, and there
    /// is room for it.
    fn may_go_on(&self, journal: &Journal) -> bool {
        !self.options.read_only
            && self.image.is_as_before()
            && self.image.meta.version == ftlab_drive::version()
            && !journal.is_long()
            && !journal.goes_on()
    }

    /// The power went: the slots of the volatile buffer are to be as that has left them.
    fn cut(&mut self, ssd: &mut Ssd) -> Left {
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
        store.go_on(store.sequence(), left.slots.clone());
        meta.last_cut = Some(left.told);
        left
    }
}

impl DataDrive {
    /// A drive that was found is switched on.
    fn switch_on(&mut self, recovery: &Recovery, goes_on: bool) -> Result<(), ImageError> {
        let kept = self.kept.as_mut().expect("it was found somewhere");
        if kept.read_only {
            return Ok(());
        }
        kept.meta.power_cycles += 1;
        kept.meta.unsafe_shutdowns += u64::from(!recovery.clean);
        // What the image survives is noted in a checkpoint.
        let is_as_before = kept.is_as_before();
        let (stands, journals) = (kept.stands, self.regions().journals);
        let Body::Flash(ssd) = &mut self.body else {
            return self.checkpoint();
        };
        if recovery.clean && is_as_before {
            store_of_mut(ssd).keep_journal(Journal::new(journals, stands));
            self.note_power_on();
            return Ok(());
        }
        match goes_on {
            true => self.flush_storage()?,
            false => self.checkpoint()?,
        }
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

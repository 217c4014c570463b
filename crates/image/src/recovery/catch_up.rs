//! A drive of flash comes from its checkpoint to where its journal ends, in stages: it is asked again what the journal
//! says, which changes nothing; then its bytes lie on the storage, what was cut off is made again, and a power cut is drawn.

use super::batches::Batches;
use super::buffer::Buffer;
use super::found::{FlashCheckpoint, Opening};
use super::replay::{LastRequest, Replay, Replayed, check_hash, follow_record, replays_otherwise};
use super::request::NewestWrites;
use crate::body::flash::{Flash, byte_store};
use crate::buffered;
use crate::error::Wrong;
use crate::journal::{Hole, Journal, Reader};
use crate::mark::Mark;
use crate::meta::{ImageState, Meta};
use crate::record;
use crate::regions::Regions;
use crate::slot;
use crate::storage::Storage;
use crate::store::CutOff;
use crate::store_options::StoreOptions;
use crate::tracker::Tracker;
use crate::{PowerCut, Recovery};
use ftlab_base::Lpn;
use ftlab_cut::CutResult;
use ftlab_cut::Volatile;
use ftlab_drive::ssd::Ssd;
use ftlab_nand::DataMove;

/// A drive of flash that was asked again what its journal says.
pub(super) struct ReplayedFlash {
    ssd: Box<Ssd>,
    regions: Regions,
    meta: Meta,
    buffer: Buffer,
    tracker: Tracker,
    found: Replayed,
    hole: Option<Hole>,
    /// The journal, to go on at its end.
    journal: Option<Journal>,
}

/// A drive of flash whose bytes lie where they belong.
pub(super) struct RecoveredFlash {
    pub(super) flash: Flash,
    pub(super) recovery: Recovery,
    pub(super) image: ImageState,
    /// True if the journal goes on where it ended.
    pub(super) goes_on: bool,
}

impl ReplayedFlash {
    /// Asks a drive as its checkpoint has it what the journal of a storage says. Nothing of the storage changes.
    pub(super) fn of(
        mut ssd: Box<Ssd>,
        before: FlashCheckpoint,
        storage: &dyn Storage,
        opening: &Opening<'_>,
    ) -> Result<ReplayedFlash, Wrong> {
        let FlashCheckpoint {
            known,
            stands,
            meta,
            buffered,
            volatile,
            blank,
        } = before;
        let regions = Regions::of_layer(ssd.layer());
        let slot_bytes = ssd.layer().layout().geometry.slot_bytes as usize;
        let mut buffer = Buffer::of(buffered, slot_bytes);
        let known = known.map(|known| known.end);
        let reader = Reader::new(storage, regions.journals, stands.end, known);
        let mut batches = Batches::of(reader);
        let tracks = opening.options(meta.on_kill).tracks;
        if tracks || !blank.is_none() {
            let tracker = Tracker::of(Volatile::of(volatile), tracks, blank);
            ssd.carry(Box::new(tracker));
        }
        // Where another version wrote the journal, what comes of it is compared with what lies in pages.
        let is_of_another = meta.version != ftlab_drive::version();
        let replay = Replay {
            ssd: &mut ssd,
            buffer: &mut buffer,
            storage,
            regions: &regions,
            version: &meta.version,
            inputs: Vec::new(),
            found: Replayed {
                newest: is_of_another.then(NewestWrites::default),
                ..Replayed::default()
            },
        };
        let found = replay.run(&mut batches)?;
        let hole = batches.hole();
        if let Some(hole) = hole.filter(|_| !opening.options.accepts_loss) {
            return Err(Wrong::Hole { hole });
        }
        let so_far = (found.inputs, found.hash);
        let journal = Journal::behind(batches.reader(), stands.checkpoint, so_far);
        let tracker = ssd.store_mut::<Tracker>().map(std::mem::take);
        let replayed = ReplayedFlash {
            tracker: tracker.unwrap_or_default(),
            ssd,
            regions,
            meta,
            buffer,
            found,
            hole,
            journal: Some(journal.map_err(Wrong::Unreadable)?),
        };
        replayed.check_pages(storage)?;
        Ok(replayed)
    }

    /// Checks the replay of a journal that another model wrote: that this one has done the same. The operations
    /// were the same; what lies in pages that were written since says whose it is, and which request wrote it.
    fn check_pages(&self, storage: &dyn Storage) -> Result<(), Wrong> {
        let Some(newest) = &self.found.newest else {
            return Ok(());
        };
        let otherwise = || replays_otherwise(&self.meta.version);
        let layer = self.ssd.layer();
        let slot_bytes = layer.layout().geometry.slot_bytes as usize;
        let last = self.found.last.as_ref().map(|last| last.input);
        let moves = last.map(|last| self.ssd.foretell(&[last]).concat());
        let moves = moves.unwrap_or_default();
        // What lay there may be erased by now, by the request that was cut off.
        let is_erased = |place: u32| {
            moves.iter().any(|step| match *step {
                DataMove::Erase { first, slots } => (first.0..first.0 + slots).contains(&place),
                _ => false,
            })
        };
        let mut lies = Vec::new();
        for (lpn, number) in newest.without_last(last.is_some().into()) {
            let place = layer.lookup(Lpn(lpn)).ok_or_else(otherwise)?;
            if is_erased(place.0) {
                continue;
            }
            let read = self
                .regions
                .read_slot(storage, place.0, slot_bytes, &mut lies);
            read.map_err(Wrong::Unreadable)?;
            let (oob, _) = slot::check(&lies, place.0, slot_bytes).map_err(|_| otherwise())?;
            let is_it = (oob.lpn, oob.sequence) == (lpn, self.meta.sequence + number);
            if !is_it && !oob.shared {
                return Err(otherwise());
            }
        }
        match last {
            Some(last) if self.ssd.hash_after(&[last]) != self.found.hash => Err(otherwise()),
            _ => Ok(()),
        }
    }

    /// Has the drive's bytes lie on the storage, and brings in order what its end has left there.
    pub(super) fn settle(
        self,
        storage: Box<dyn Storage>,
        stands: Mark,
        opening: &Opening<'_>,
    ) -> Result<RecoveredFlash, Wrong> {
        let options = opening.options(self.meta.on_kill);
        let waited = self.buffer.slots() > 0;
        // What waits of an earlier cut would be mixed with what this one has left.
        let is_plain = self.is_whole() && !(options.tracks && waited);
        let regions = self.regions;
        let Carrying {
            mut flash,
            meta,
            buffer,
            mut recovery,
            journal,
        } = self.carry(storage, options, opening)?;
        let mut image = opening.image_state(stands, meta);
        let store = flash.store_mut();
        if waited {
            // A recovery was cut off that had them to be handed on, or capacitors have kept them.
            store.begin_restoring();
        }
        store.go_on(store.sequence(), buffer.into_slots());
        if let Some(hole) = recovery.hole {
            // Batches that nobody knows of may have been written, too.
            let from = store.sequence();
            let until = from + hole.requests + regions.journals.requests_max();
            image.meta.lost.push((from, until));
            store.lose(image.meta.lost.clone());
        }
        let mut cut_result = CutResult::default();
        if options.tracks && !recovery.clean {
            cut_result = opening.cut(&mut flash, &mut image.meta);
            recovery.cut = Some(cut_result.report);
        }
        let store = flash.store_mut();
        store.set_tracks(opening.options(image.on_kill).tracks);
        let journal =
            journal.filter(|journal| is_plain && !recovery.clean && image.may_go_on(journal));
        let goes_on = journal.is_some();
        if let Some(mut journal) = journal {
            journal.note(|to| record::put_power_lost(to, recovery.cut));
            for slot in &cut_result.slots {
                journal.note(|to| buffered::put(slot, to));
            }
            store.keep_journal(journal);
        }
        Ok(RecoveredFlash {
            flash,
            recovery,
            image,
            goes_on,
        })
    }

    /// True if the journal was read to its very end, and nothing stands beside it.
    fn is_whole(&self) -> bool {
        self.hole.is_none() && self.found.left_out == 0 && self.found.spilled.is_empty()
    }

    /// Report on the replay.
    fn recovery(&self, options: StoreOptions) -> Recovery {
        let found = &self.found;
        Recovery {
            clean: !self.meta.at_work && found.batches == 0 && self.hole.is_none(),
            replayed: found.inputs,
            redone: 0,
            left_out: found.left_out,
            kept_slots: match options.capacitors {
                true => self.buffer.slots() as u64,
                false => 0,
            },
            cut: None,
            hole: self.hole,
        }
    }

    /// Gives the drive its bytes, and makes again what of the last request may have been cut off behind an erase.
    fn carry(
        self,
        storage: Box<dyn Storage>,
        options: StoreOptions,
        opening: &Opening<'_>,
    ) -> Result<Carrying, Wrong> {
        let mut recovery = self.recovery(options);
        let ReplayedFlash {
            ssd,
            mut meta,
            buffer,
            tracker,
            mut found,
            mut journal,
            ..
        } = self;
        let mut store = byte_store(&ssd, storage, options);
        store.set_volatile(tracker.account.volatile);
        store.set_blank(tracker.blank);
        store.go_on(meta.sequence + found.inputs, Vec::new());
        store.lose(meta.lost.clone());
        if opening.options.sync {
            // It was found in the machine's memory, perhaps, and erases follow.
            store.storage().sync().map_err(Wrong::Unreadable)?;
        }
        meta.power_cycles += found.power_ons;
        meta.unsafe_shutdowns += found.power_losses;
        meta.last_cut = found.last_cut.or(meta.last_cut);
        let last = found.last.take();
        let again = last.as_ref().map(|last| last.input);
        if let Some(LastRequest { moved, slot, .. }) = last {
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
        }
        let mut flash = Flash::new(ssd, store);
        if let Some(input) = again {
            flash.ssd_mut().replay(&[input]);
            check_hash(flash.ssd(), found.hash, &meta.version)?;
            recovery.replayed += 1;
            recovery.redone = flash.store().redone();
        }
        if let Some(totals) = found.totals {
            flash.ssd_mut().set_totals(totals);
        }
        let volatile = flash.store_mut().volatile_mut();
        for record in &found.behind {
            follow_record(volatile, record);
        }
        Ok(Carrying {
            flash,
            meta,
            buffer,
            recovery,
            journal,
        })
    }
}

/// A drive that has its bytes, and what is not in its layer yet.
struct Carrying {
    flash: Flash,
    meta: Meta,
    buffer: Buffer,
    recovery: Recovery,
    /// The journal, if nothing had to be made again.
    journal: Option<Journal>,
}

impl ImageState {
    /// True if a journal that was read can go on as it is: nothing of what its checkpoint says is otherwise
    /// now, and there is room for it.
    fn may_go_on(&self, journal: &Journal) -> bool {
        !self.read_only
            && self.is_as_before()
            && self.meta.version == ftlab_drive::version()
            && !journal.is_long()
            && !journal.goes_on()
    }
}

impl Opening<'_> {
    /// The power went: the slots of the volatile buffer are to be as that has left them.
    fn cut(&self, flash: &mut Flash, meta: &mut Meta) -> CutResult {
        let atomic_bytes = self.drive.atomic_write_bytes();
        let drawn = PowerCut::nth(self.seed, meta.unsafe_shutdowns, atomic_bytes);
        let cut = PowerCut {
            seed: self.options.cut_seed.unwrap_or(drawn.seed),
            atomic_bytes,
        };
        let cut_result = flash.store().left_by(&cut, flash.ssd().layer());
        let store = flash.store_mut();
        store.begin_restoring();
        store.go_on(store.sequence(), cut_result.slots.clone());
        meta.last_cut = Some(cut_result.report);
        cut_result
    }
}

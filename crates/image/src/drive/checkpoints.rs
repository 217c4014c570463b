//! Checkpoints of a drive: when one is due, and how it is written beside other work.
//!
//! Serialising and writing the state of a large drive takes as long as many requests. So it is copied at one
//! instant, into memory that was made before, which takes as long as copying its tables, and a thread writes the copy. What the drive is asked
//! from that instant on goes to a new part of the journal. Until the checkpoint stands, that part goes on behind the
//! one before it; from then on it goes on behind the checkpoint, and the part before it is given up.
//!
//! There is one checkpoint under way at a time. When the next one is due before it stands, requests wait a
//! millisecond each, so that the journal does not fill up; when it is nearly full, they wait until the checkpoint stands.
//!
//! A checkpoint that somebody waits for, and one behind a checkpoint that failed, are written in place. Their
//! numbers leave out two: whatever lies in the journal belongs to none of them.

use super::DataDrive;
use crate::body::SavedBody;
use crate::checkpoint::{CheckpointInfo, NewCheckpoint, Saved};
use crate::journal::Headroom;
use crate::mark::{End, Mark};
use crate::meta::DriveTime;
use crate::storage::{Region, Storage};
use crate::under_way::{NextRoom, UnderWay, Written};
use crate::{ImageError, Survives};
use ftlab_base::{Command, SimTime};
use ftlab_ftl::{Room, TranslationLayer};
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::Duration;

/// Longest wait of a request while the journal has little room: no longer than many a request takes, and longer
/// than what it adds to the journal takes to be written.
const PAUSE: Duration = Duration::from_millis(1);
/// The next number of a checkpoint that is written beside other work, and of one that is waited for.
const BESIDE: u64 = 1;
const IN_PLACE: u64 = 3;

/// Tables from this size on are copied into memory that a thread made before; the system gives less at once.
const ROOM_BYTES: usize = 4 << 20;

impl DataDrive {
    /// Notes the whole state of the drive in its file, so that less is to be recovered. It may be at
    /// work.
    ///
    /// # Errors
    /// When the storage fails: the one before stands.
    pub fn checkpoint(&mut self) -> Result<(), ImageError> {
        self.checkpoint_in_place(true)
    }

    /// Switches the drive off in order: flush, checkpoint. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When the storage fails: the drive is as if its power had been cut.
    pub fn close(mut self) -> Result<(), ImageError> {
        self.switch_off()
    }

    pub(crate) fn switch_off(&mut self) -> Result<(), ImageError> {
        if self.image.as_ref().is_none_or(|image| image.read_only) {
            return Ok(());
        }
        let flush = Command::flush(u64::MAX, SimTime::ZERO);
        self.apply(flush, &[]);
        self.checkpoint_in_place(false)?;
        self.flush_storage()
    }

    fn checkpoint_in_place(&mut self, at_work: bool) -> Result<(), ImageError> {
        self.end_checkpoint();
        if let Some(why) = self.take_failure() {
            return Err(why);
        }
        let Some(image) = self.image.as_ref().filter(|image| !image.read_only) else {
            return Ok(());
        };
        let before = image.stands.end;
        let part = image.stands.checkpoint + IN_PLACE;
        let begin = self.body.next_part(before, part);
        let free = self.body.regions().journals.regions.to_vec();
        let due = self.due(begin, at_work, free, Room::default());
        let written = due.write(self.body.storage());
        if written.is_ok() {
            self.body.begin_journal(due.mark);
        }
        self.note_written(written, due.info(), self.uncounted)
    }

    /// The state of the drive as it is now, as a checkpoint: the journal goes on from `begin`, and needs no
    /// other part.
    fn due(&self, begin: End, at_work: bool, free: Vec<Region>, room: Room) -> NewCheckpoint {
        let image = self.image.as_ref().expect("it is kept");
        let mut meta = image.meta.clone();
        meta.version = ftlab_drive::version();
        (meta.max_sectors, meta.at_work) = (self.max_sectors, at_work);
        meta.spent = self.spent();
        // Recovery follows the options of the newest checkpoint, so it gets those of today.
        (meta.survives, meta.on_kill) = (Survives::with(image.sync), image.on_kill);
        (meta.sequence, meta.seal) = (begin.sequence, begin.seal);
        let SavedBody {
            state,
            buffered,
            volatile,
            blank,
            lost,
        } = self.body.saved(room);
        meta.lost = lost;
        NewCheckpoint {
            mark: Mark {
                checkpoint: begin.part,
                end: begin,
            },
            saved: Saved {
                meta,
                buffered,
                volatile,
                blank,
                state,
            },
            shape: self.body.shape(),
            areas: self.body.regions().checkpoints,
            free,
            sync: image.sync,
        }
    }

    /// Notes what became of a checkpoint that counted so much of the drive's time.
    fn note_written(
        &mut self,
        written: Written,
        stands: CheckpointInfo,
        counted: DriveTime,
    ) -> Result<(), ImageError> {
        let noted = match written {
            Ok(noted) => noted,
            Err(why) => {
                if let Some(journal) = self.body.journal() {
                    journal.put_off();
                }
                return Err(self.storage_error("write a checkpoint to it", why));
            }
        };
        if let Some(journal) = self.body.journal() {
            journal.checkpoint_stands();
        }
        let image = self.image.as_mut().expect("it is kept");
        (image.stands, image.meta) = (stands.mark, stands.meta);
        self.uncounted = self.uncounted.without(counted);
        noted.map_err(|why| self.storage_error("write a checkpoint to it", why))
    }

    /// Has a checkpoint be written if one is due and none is under way.
    pub(crate) fn checkpoint_if_due(&mut self) {
        self.look_at_checkpoint();
        if !self.is_checkpoint_due() {
            return;
        }
        // Where only flushes promise anything, the last batch before the new part must be safe before the
        // next one is written, as any other: a commit sees to that.
        match self.syncs() {
            true => {
                self.begin_commit();
            }
            false => self.begin_checkpoint(),
        }
    }

    /// True if a checkpoint is to be begun.
    pub(crate) fn is_checkpoint_due(&mut self) -> bool {
        // If one fails, the journal goes on; when that is full, writes fail.
        self.under_way.is_none()
            && self.failure.is_none()
            && self.body.failure().is_none()
            && self.body.journal().is_some_and(|journal| journal.is_long())
            && self.has_room()
    }

    /// True if there is memory for a checkpoint. If not, a thread begins to make it.
    fn has_room(&mut self) -> bool {
        let size = self
            .layer()
            .map(TranslationLayer::room_size)
            .unwrap_or_default();
        if let NextRoom::None = self.next_room
            && size.bytes() >= ROOM_BYTES
        {
            let (sender, receiver) = mpsc::sync_channel(1);
            let make = move || {
                // The receiver is gone when the drive was dropped; then nobody needs this.
                let _ = sender.send(size.make());
            };
            let thread = thread::Builder::new().name("memory".into()).spawn(make);
            self.next_room = match thread {
                Ok(_) => NextRoom::Making(receiver),
                Err(_) => NextRoom::Ready(Room::default()),
            };
        }
        if let NextRoom::Making(receiver) = &self.next_room {
            self.next_room = match receiver.try_recv() {
                Err(TryRecvError::Empty) => return false,
                room => NextRoom::Ready(room.unwrap_or_default()),
            };
        }
        true
    }

    /// Begins a checkpoint beside other work, or writes it in place if that cannot be.
    pub(crate) fn begin_checkpoint(&mut self) {
        let Some(image) = self.image.as_ref().filter(|image| !image.read_only) else {
            return;
        };
        let part = image.stands.checkpoint + BESIDE;
        let storage = self.body.storage().beside();
        let goes_on = self.body.journal().is_some_and(|journal| journal.goes_on());
        let begun = match storage.filter(|_| !goes_on) {
            Some(storage) => self.begin_beside(part, storage),
            None => self.checkpoint(),
        };
        self.failure = begun.err();
    }

    fn begin_beside(&mut self, part: u64, storage: Box<dyn Storage>) -> Result<(), ImageError> {
        let Some(begun) = self.body.begin_part(part) else {
            return Ok(());
        };
        let begin = begun.map_err(|why| self.storage_error("write to it", why))?;
        let free = self.body.regions().journals.of(part + 1);
        let room = match std::mem::take(&mut self.next_room) {
            NextRoom::Ready(room) => room,
            NextRoom::Making(_) | NextRoom::None => Room::default(),
        };
        let due = self.due(begin, true, vec![free], room);
        let under_way = UnderWay::start(due, storage, self.uncounted);
        self.under_way = match under_way {
            Ok(under_way) => Some(under_way),
            Err(why) => return Err(self.storage_error("start a thread that writes to it", why)),
        };
        Ok(())
    }

    /// Notes what became of the checkpoint that was under way. While the journal has little room, it is waited
    /// for.
    fn look_at_checkpoint(&mut self) {
        let Some(headroom) = self.body.journal().map(|journal| journal.headroom()) else {
            return;
        };
        let Some(under_way) = &self.under_way else {
            return;
        };
        let gone = || io::Error::other("the thread that wrote it is gone");
        let outcome = match headroom {
            Headroom::Ample => match under_way.outcome.try_recv() {
                Err(TryRecvError::Empty) => return,
                outcome => outcome.map_err(|_| gone()),
            },
            Headroom::Low => match under_way.outcome.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) => return,
                outcome => outcome.map_err(|_| gone()),
            },
            Headroom::Critical => under_way.outcome.recv().map_err(|_| gone()),
        };
        self.note_ended(outcome);
    }

    /// Has the next request find a checkpoint due, if none is under way.
    #[cfg(test)]
    pub(crate) fn have_checkpoint_due(&mut self) {
        if let Some(journal) = self.body.journal() {
            journal.fall_due();
        }
    }

    #[cfg(test)]
    pub(crate) fn has_checkpoint_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Treats this many sixteenths of the room for a part of the journal as taken from now on.
    #[cfg(test)]
    pub(crate) fn pretend_journal_used(&mut self, sixteenths: u64) {
        self.body
            .journal()
            .expect("it has one")
            .pretend_used(sixteenths);
    }

    /// Waits until no checkpoint is under way.
    pub(crate) fn end_checkpoint(&mut self) {
        if let Some(under_way) = &self.under_way {
            let gone = |_| io::Error::other("the thread that wrote it is gone");
            let outcome = under_way.outcome.recv().map_err(gone);
            self.note_ended(outcome);
        }
    }

    fn note_ended(&mut self, outcome: io::Result<(Written, CheckpointInfo)>) {
        let under_way = self.under_way.take().expect("it was under way");
        let noted = match outcome {
            Ok((written, stands)) => self.note_written(written, stands, under_way.counted),
            Err(why) => Err(self.storage_error("write a checkpoint to it", why)),
        };
        if let Err(why) = noted {
            self.failure = Some(why);
        }
    }
}

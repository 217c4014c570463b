//! A drive that holds bytes.

use crate::checkpoint::Meta;
use crate::checkpoints::{NextRoom, UnderWay};
use crate::commits::{Commits, sectors_of};
use crate::flat::{FlatError, FlatStore};
use crate::life::Spent;
use crate::mark::Mark;
use crate::reset::Ground;
use crate::storage::Storage;
use crate::store::{ByteStore, ReadError};
use crate::{ImageError, OnKill, Survives, record};
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Lba, Lpn, Nanos, Outcome, SECTOR_BYTES, SimTime,
};
use ftlab_drive::ssd::Ssd;
use ftlab_drive::{Device, DriveFile};
use ftlab_ftl::TranslationLayer;
use ftlab_host::Testbed;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// How long a drive is left alone before it programs a unit that it has begun, with whatever fills it up. No source
/// says how long drives wait; a host that flushes does not see it. The filling is not counted.
const DRAINED_AFTER: Nanos = Nanos::from_millis(100);

/// What the host was told last by way of its bytes.
pub(crate) enum Body {
    /// Flash: the store is inside.
    Flash(Box<Ssd>),
    /// A disk, or memory.
    Flat(Box<dyn Device>, Box<FlatStore>),
}

/// Where an image is kept, and how far it has come.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The newest checkpoint, and where the journal goes on behind it.
    pub(crate) stands: Mark,
    pub(crate) meta: Meta,
    pub(crate) sync: bool,
    pub(crate) on_kill: OnKill,
    pub(crate) read_only: bool,
}

impl Kept {
    /// Whether the image survives what it did before, and the end of the process is what it was.
    pub(crate) fn is_as_before(&self) -> bool {
        self.meta.survives == Survives::with(self.sync) && self.meta.on_kill == self.on_kill
    }
}

/// A drive that holds bytes.
pub struct DataDrive {
    pub(crate) path: PathBuf,
    pub(crate) file: DriveFile,
    /// The seed it was made with.
    pub(crate) seed: u64,
    /// The machine it is plugged into, of one that is kept.
    pub(crate) testbed: Option<Testbed>,
    pub(crate) body: Body,
    /// Nothing, of a drive that is gone with the process.
    pub(crate) kept: Option<Kept>,
    /// What it lies on.
    pub(crate) ground: Ground,
    pub(crate) max_sectors: u64,
    /// Reads under way, which a storage that takes no more writes does not keep from succeeding.
    pub(crate) reads: BTreeSet<CommandId>,
    pub(crate) commits: Commits,
    /// The checkpoint that is being written.
    pub(crate) under_way: Option<UnderWay>,
    /// Memory for the next one.
    pub(crate) next_room: NextRoom,
    /// What of the image is not as an earlier version wrote it.
    pub(crate) notes: Vec<String>,
    pub(crate) failure: Option<ImageError>,
    /// How far the drive's time has come since it was switched on.
    pub(crate) clock: SimTime,
    /// What of it no checkpoint counts yet.
    pub(crate) uncounted: Spent,
    /// Commands that are under way.
    pub(crate) outstanding: u64,
    /// When it was last asked for something, or did something.
    pub(crate) worked_at: SimTime,
}

impl std::fmt::Debug for DataDrive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataDrive")
            .field("path", &self.path)
            .field("drive", &self.file.slug())
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

impl DataDrive {
    /// Bytes the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.max_sectors * SECTOR_BYTES
    }

    /// The drive in virtual time, to look at.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        match &self.body {
            Body::Flash(ssd) => &**ssd,
            Body::Flat(device, _) => &**device,
        }
    }

    /// The drive file it was made from, settings included.
    #[must_use]
    pub fn drive_file(&self) -> &DriveFile {
        &self.file
    }

    /// Where the image lies; for messages, if it lies in memory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A line for each thing that is not as the earlier version of ftlab had it that wrote the image.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(crate) fn device_mut(&mut self) -> &mut dyn Device {
        match &mut self.body {
            Body::Flash(ssd) => &mut **ssd,
            Body::Flat(device, _) => &mut **device,
        }
    }

    /// The translation layer, of a drive of flash.
    pub(crate) fn layer(&self) -> Option<&dyn TranslationLayer> {
        match &self.body {
            Body::Flash(ssd) => Some(ssd.layer()),
            Body::Flat(..) => None,
        }
    }

    /// Takes a command, with a write's bytes.
    ///
    /// # Panics
    /// When the command reaches beyond the drive's capacity, or its bytes are not as many as its
    /// sectors hold; the caller checks.
    pub fn submit(&mut self, command: Command, data: &[u8], now: SimTime) {
        check_data(&command, data);
        let command = self.widened(command);
        if command.kind == CommandKind::Read {
            self.reads.insert(command.id);
        }
        self.commits.submitted(&command);
        self.tell_flush(&command);
        self.note_time(now);
        self.outstanding += 1;
        self.worked_at = self.worked_at.max(now);
        match &mut self.body {
            Body::Flash(ssd) => {
                if command.kind == CommandKind::Write {
                    store_of_mut(ssd).give(command.id, data);
                }
                if !ssd.has_time() {
                    // Time begins with a drive at rest: what it took without time is in its cells.
                    store_of_mut(ssd).note_handed_on_programmed();
                }
                ssd.submit(command, now);
            }
            Body::Flat(device, store) => {
                store.give(command, data);
                device.submit(command, now);
            }
        }
    }

    /// A flush of some sectors, as a write with FUA asks for, is one of everything on a drive whose firmware does that.
    fn widened(&self, command: Command) -> Command {
        match command.kind == CommandKind::Flush && self.file.fua_flushes_all() {
            true => Command {
                lba: Lba(0),
                sectors: 0,
                ..command
            },
            false => command,
        }
    }

    /// The earliest instant at which something happens; `None` when nothing will.
    #[must_use]
    pub fn next_event(&self) -> Option<SimTime> {
        match self.a_flush_has_ended() {
            // It was due before.
            true => Some(SimTime::ZERO),
            false => self.device().next_event().or_else(|| self.drains_at()),
        }
    }

    /// When a drive that is left alone has brought to the flash what it had only begun a unit with.
    fn drains_at(&self) -> Option<SimTime> {
        let Body::Flash(ssd) = &self.body else {
            return None;
        };
        let store = store_of(ssd);
        let is_left = store.volatile().programming() > 0 && store.first_waiting().is_none();
        is_left.then(|| self.worked_at + DRAINED_AFTER)
    }

    /// Lets everything at or before `now` happen and appends what completed, in order. What a
    /// completion promises is kept by then; a flush that waits for the machine's storage after the drive is
    /// done with it comes later, with the instant at which the drive was done.
    pub fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let before = done.len();
        if self.device().next_event().is_some_and(|at| at <= now) {
            self.worked_at = now;
        }
        self.device_mut().advance(now, done);
        self.note_ends(&done[before..], now);
        if self.device().next_event().is_none()
            && self.drains_at().is_some_and(|at| at <= now)
            && let Body::Flash(ssd) = &mut self.body
        {
            store_of_mut(ssd).note_all_programmed();
        }
        self.begin_commits_of_flushes(&done[before..]);
        self.commit();
        if let Body::Flash(ssd) = &mut self.body {
            ssd.end_writes_if_store_failed(now);
        }
        for completion in &mut done[before..] {
            let id = completion.id;
            let kept = match &mut self.body {
                Body::Flash(ssd) => {
                    let store = store_of_mut(ssd);
                    store.end(id);
                    store.failure().is_none()
                }
                Body::Flat(_, store) => store.end(id),
            };
            let reads = self.reads.remove(&id);
            if completion.outcome == Outcome::Good && !kept && !reads {
                completion.outcome = Outcome::WriteFault;
            }
        }
        if let Body::Flat(device, store) = &mut self.body {
            store.keep_only(|| device.dirty());
        }
        self.hold_flushes(before, done);
        self.note_failure();
        self.checkpoint_if_due();
    }

    /// The newest bytes from a sector on; of a read, when it completes.
    ///
    /// # Errors
    /// When what lies there cannot be read, or is not what was written.
    pub fn read(&mut self, lba: Lba, into: &mut [u8]) -> Result<(), ImageError> {
        let slot_sectors = u64::from(self.slot_sectors());
        let ssd = match &self.body {
            Body::Flash(ssd) => ssd,
            Body::Flat(_, store) => {
                let read = store.read(lba, into);
                return read.map_err(|why| match why {
                    FlatError::Storage(why) => self.storage_error("read it", why),
                    FlatError::Damaged(lba) => ImageError::Damaged {
                        path: self.path.clone(),
                        lba,
                        why: why.to_string(),
                    },
                });
            }
        };
        let (layer, store) = (ssd.layer(), store_of(ssd));
        let (mut sector, mut rest) = (lba.0, into);
        while !rest.is_empty() {
            let within = sector % slot_sectors;
            let bytes = ((slot_sectors - within) * SECTOR_BYTES) as usize;
            let (part, after) = rest.split_at_mut(bytes.min(rest.len()));
            let lpn = Lpn((sector / slot_sectors) as u32);
            let read = store.read(lpn, layer, within as u32, part);
            read.map_err(|why| match why {
                ReadError::Storage(why) => self.storage_error("read it", why),
                why => ImageError::Damaged {
                    path: self.path.clone(),
                    lba: u64::from(lpn.0) * slot_sectors,
                    why: why.to_string(),
                },
            })?;
            sector += slot_sectors - within;
            rest = after;
        }
        Ok(())
    }

    /// Applies a command at once, without time. Only while nothing is outstanding. What a good outcome
    /// promises is kept by then, flushed or not.
    ///
    /// # Panics
    /// As [`DataDrive::submit`].
    pub fn apply(&mut self, command: Command, data: &[u8]) -> Outcome {
        let outcome = self.apply_unflushed(command, data);
        if command.kind != CommandKind::Flush || outcome != Outcome::Good {
            return outcome;
        }
        let commit = self.begin_commit_of(&sectors_of(&self.widened(command)));
        self.end_commits();
        self.outcome_of(commit).expect("it has ended")
    }

    /// The same, but that a flush promises nothing before [`DataDrive::begin_commit_of`] its sectors and the end of that.
    ///
    /// # Panics
    /// As [`DataDrive::submit`].
    pub fn apply_unflushed(&mut self, command: Command, data: &[u8]) -> Outcome {
        check_data(&command, data);
        let command = self.widened(command);
        self.tell_flush(&command);
        let mut outcome = match &mut self.body {
            Body::Flash(ssd) => {
                if command.kind == CommandKind::Write {
                    store_of_mut(ssd).give(command.id, data);
                }
                let outcome = ssd.apply(command);
                store_of_mut(ssd).end(command.id);
                outcome
            }
            Body::Flat(device, store) => {
                let outcome = device.apply(command);
                let reads = command.kind == CommandKind::Read;
                match outcome == Outcome::Good && !reads && !store.write(&command, data) {
                    true => Outcome::WriteFault,
                    false => outcome,
                }
            }
        };
        let flushes = command.kind == CommandKind::Flush;
        if flushes {
            self.note_flushed(&sectors_of(&command));
        }
        match &mut self.body {
            Body::Flash(ssd) if flushes && command.sectors == 0 => {
                store_of_mut(ssd).note_all_programmed();
            }
            Body::Flat(device, store) => store.destage(device.cache_sectors()),
            Body::Flash(_) => {}
        }
        if command.kind != CommandKind::Read {
            self.commit();
            if self.storage_failure().is_some() {
                outcome = Outcome::WriteFault;
            }
            self.note_failure();
        }
        self.checkpoint_if_due();
        outcome
    }

    /// Whether a sector holds anything, and for how many of `sectors` that is so.
    #[must_use]
    pub fn is_mapped(&self, lba: Lba, sectors: u64) -> (bool, u64) {
        let Body::Flash(ssd) = &self.body else {
            return (true, sectors);
        };
        let slot_sectors = u64::from(self.slot_sectors());
        let (layer, store) = (ssd.layer(), store_of(ssd));
        let is = |lpn: u64| {
            let lpn = Lpn(lpn as u32);
            store.waits(lpn) || layer.lookup(lpn).is_some() && !store.is_emptied(lpn)
        };
        let end = lba.0 + sectors;
        let first = lba.0 / slot_sectors;
        let found = is(first);
        let other = (first + 1..end.div_ceil(slot_sectors)).find(|&lpn| is(lpn) != found);
        let until = other.map_or(end, |lpn| lpn * slot_sectors);
        (found, until - lba.0)
    }

    /// Numbers of requests that were lost behind holes in the journal, the newest last.
    pub(crate) fn lost(&self) -> &[(u64, u64)] {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).lost(),
            Body::Flat(..) => &[],
        }
    }

    /// Whether a trim gives up what it covers: afterwards zeros are read there. Only whole slots can be given up.
    #[must_use]
    pub fn trims(&self) -> bool {
        matches!(self.body, Body::Flash(_))
    }

    /// Sectors of a slot: what a trim gives up as a whole, and what survives a power cut as a whole.
    #[must_use]
    pub fn slot_sectors(&self) -> u32 {
        match &self.body {
            Body::Flash(ssd) => ssd.layer().layout().geometry.slot_bytes / SECTOR_BYTES as u32,
            Body::Flat(..) => 1,
        }
    }

    /// Why the storage under the drive does not do what is asked. The drive takes no writes then, and
    /// what it holds can be read. With each write it tries again.
    #[must_use]
    pub fn failure(&self) -> Option<&ImageError> {
        self.failure.as_ref()
    }

    /// What was written so far is kept; if the image was opened so, by the machine's own storage.
    ///
    /// # Errors
    /// When the system does not do it.
    pub fn flush_storage(&mut self) -> Result<(), ImageError> {
        self.commit_and_wait();
        self.take_failure().map_or(Ok(()), Err)
    }

    /// Erases everything (ATA SECURITY ERASE UNIT). Only while nothing is outstanding.
    ///
    /// # Errors
    /// When there is no flash, or the storage fails.
    pub fn secure_erase(&mut self) -> Result<(), ImageError> {
        let erased = self.device_mut().secure_erase();
        erased.map_err(|_| ImageError::NoFlash)?;
        self.flush_storage()
    }

    /// Lets the drive lie without power. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn rest(&mut self, hours: f64, celsius: f64) -> Result<(), ImageError> {
        self.device_mut().rest(hours, celsius);
        self.checkpoint()
    }

    /// Lets the host address N bytes from now on (ATA SET MAX).
    ///
    /// # Errors
    /// When the drive is smaller, or the storage fails.
    pub fn set_max(&mut self, bytes: u64) -> Result<(), ImageError> {
        let most = self.device().capacity_sectors() * SECTOR_BYTES;
        if bytes == 0 || !bytes.is_multiple_of(SECTOR_BYTES) || bytes > most {
            let why = format!(
                "it must be whole sectors of {SECTOR_BYTES} bytes, and the drive has {most} bytes"
            );
            return Err(ImageError::Size { asked: bytes, why });
        }
        self.max_sectors = bytes / SECTOR_BYTES;
        self.checkpoint()
    }
}

/// What the drive does with its storage.
impl DataDrive {
    pub(crate) fn storage(&mut self) -> &mut dyn Storage {
        match &mut self.body {
            Body::Flash(ssd) => store_of_mut(ssd).storage(),
            Body::Flat(_, store) => store.storage(),
        }
    }

    pub(crate) fn storage_ref(&self) -> &dyn Storage {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).storage_ref(),
            Body::Flat(_, store) => store.storage_ref(),
        }
    }

    /// Whether something is in the write buffer that the layer has not got.
    pub(crate) fn something_waits(&self) -> bool {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).first_waiting().is_some(),
            Body::Flat(..) => false,
        }
    }

    /// Whether something of a slot is in the write buffer that the layer has not got.
    pub(crate) fn has_waiting(&self, lpn: Lpn) -> bool {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).has_waiting(lpn),
            Body::Flat(..) => false,
        }
    }

    /// Notes that the drive was switched on, so that whoever finds it so knows that it was not
    /// switched off.
    pub(crate) fn note_power_on(&mut self) {
        if let Body::Flash(ssd) = &mut self.body
            && let Some(journal) = store_of_mut(ssd).journal()
        {
            journal.note(record::put_power_on);
        }
        self.commit_and_wait();
        self.note_failure();
    }

    pub(crate) fn storage_failure(&self) -> Option<&io::Error> {
        match &self.body {
            Body::Flash(ssd) => store_of(ssd).failure(),
            Body::Flat(_, store) => store.failure(),
        }
    }

    /// Says what the store says of its storage.
    pub(crate) fn note_failure(&mut self) {
        let failure = self.storage_failure();
        self.failure = failure.map(|why| self.storage_error("write to it", copy_of(why)));
    }

    pub(crate) fn take_failure(&mut self) -> Option<ImageError> {
        self.note_failure();
        let failure = self.storage_failure();
        failure.map(|why| self.storage_error("write to it", copy_of(why)))
    }

    pub(crate) fn storage_error(&self, what: &'static str, why: io::Error) -> ImageError {
        ImageError::Storage {
            path: self.path.clone(),
            what,
            why,
        }
    }
}

/// The same error once more; the system's keep their number.
fn copy_of(why: &io::Error) -> io::Error {
    match why.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(why.kind(), why.to_string()),
    }
}

pub(crate) fn store_of(ssd: &Ssd) -> &ByteStore {
    ssd.store().expect("it carries bytes")
}

pub(crate) fn store_of_mut(ssd: &mut Ssd) -> &mut ByteStore {
    ssd.store_mut().expect("it carries bytes")
}

fn check_data(command: &Command, data: &[u8]) {
    let bytes = match command.kind {
        CommandKind::Write => command.bytes(),
        CommandKind::Read | CommandKind::Trim | CommandKind::Flush => 0,
    };
    assert_eq!(data.len() as u64, bytes, "the bytes of {command:?}");
}

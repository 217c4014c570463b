//! A device at work.

use crate::builder::{Builder, Parts};
use crate::command::{BitFlip, Command, Completion, Operation, Split};
use crate::counters::Counters;
use crate::error::{Error, check};
use crate::flat::FlatStore;
use crate::store::{MemoryStore, StoreOptions};
use ftlab_base::{CommandId, EndsHash, Lpn, Outcome, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_cut::DRAINED_AFTER;
use ftlab_drive::faults::{self, Passage, Scripted};
use ftlab_drive::saved::{self, Origin};
use ftlab_drive::{Device as _, DriveFile};
use ftlab_host::Testbed;
use ftlab_states::come_to_rest;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::ops::Range;

/// Instants end here, so that no sum of an instant and a time overflows: 146 years after a drive was switched on first.
const LATEST_NS: u64 = 1 << 62;

/// What a device carries beside its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carries {
    /// Nothing.
    Nothing,
    /// An account of what a power cut would take.
    Account,
    /// That, and bytes.
    Data,
}

/// A command at the drive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outstanding {
    operation: Operation,
    /// Commands submitted before it, and when it was.
    before: u64,
    at: SimTime,
    /// Its id at the drive; none if a fault answers it, and the drive never gets it.
    at_store: Option<CommandId>,
    /// Sectors of its range.
    first: u64,
    end: u64,
    /// A number that says which bit of a read is flipped, if one is.
    flips: Option<u64>,
    /// True if the drive has done it, though its end is held on the way.
    is_held: bool,
}

impl Outstanding {
    /// The bit that a fault flips of its data.
    fn flip(&self) -> Option<BitFlip> {
        let bytes = (self.end - self.first) * SECTOR_BYTES;
        let (byte, bit) = faults::flipped(self.flips?, bytes)?;
        Some(BitFlip {
            offset: self.first * SECTOR_BYTES + byte,
            bit,
        })
    }
}

/// A drive in virtual time. A clone goes on where it is, with all that is outstanding.
#[derive(Clone)]
pub struct Device {
    pub(crate) file: DriveFile,
    pub(crate) testbed: Testbed,
    pub(crate) seed: RootSeed,
    /// The drive, behind the faults of its requests.
    pub(crate) drive: Scripted,
    pub(crate) carries: Carries,
    /// True if completions say where their latency went.
    pub(crate) splits: bool,
    /// The data of a drive without flash; one of flash has its own within.
    pub(crate) flat: Option<FlatStore>,
    pub(crate) outstanding: HashMap<u64, Outstanding, FxBuildHasher>,
    pub(crate) now: SimTime,
    /// Instant of its last command or event.
    pub(crate) worked_at: SimTime,
    /// Commands submitted since it was built, and their ends.
    submitted: u64,
    ends: EndsHash,
    pub(crate) power_cycles: u64,
    pub(crate) unsafe_shutdowns: u64,
    /// Scratch: what the drive has just ended, and what a fault keeps of that from the host.
    ended: Vec<ftlab_base::Completion>,
    held: Vec<ftlab_base::Completion>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("drive", &self.file.slug())
            .field("testbed", &self.testbed.slug)
            .field("now", &self.now)
            .field("outstanding", &self.outstanding.len())
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Describes a drive of the catalogue, by its name or a part of that which no other has.
    #[must_use]
    pub fn named(name: &str) -> Builder {
        Builder::named(name)
    }

    /// Describes the drive of a drive file's text; `name` stands for the file in errors.
    #[must_use]
    pub fn of_text(name: &str, text: &str) -> Builder {
        Builder::text(name, text)
    }

    pub(crate) fn around(parts: Parts, (carries, splits): (Carries, bool)) -> Device {
        let Parts {
            file,
            testbed,
            seed,
            drive,
        } = parts;
        let has_flash = drive.ssd().is_some();
        let flat = carries > Carries::Nothing && !has_flash;
        let flat = flat.then(|| FlatStore::new(carries == Carries::Data, seed));
        let mut device = Device {
            file,
            testbed,
            seed,
            drive,
            carries,
            splits,
            flat,
            outstanding: HashMap::default(),
            now: SimTime::ZERO,
            worked_at: SimTime::ZERO,
            submitted: 0,
            ends: EndsHash::default(),
            power_cycles: 1,
            unsafe_shutdowns: 0,
            ended: Vec::new(),
            held: Vec::new(),
        };
        if carries > Carries::Nothing
            && let Some(ssd) = device.drive.ssd_mut()
        {
            let store = MemoryStore::of(ssd, device_options(&device.file, carries));
            ssd.carry(Box::new(store));
        }
        device.follow_ways();
        device.drive.restart_stream_hash();
        device.drive.begin_time(SimTime::ZERO);
        device
    }

    /// Name of the drive.
    #[must_use]
    pub fn name(&self) -> &str {
        self.file.name()
    }

    /// Bytes that the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.drive.capacity_sectors() * SECTOR_BYTES
    }

    /// Bytes of this machine's memory that the drive's tables take, and a clone copies.
    #[must_use]
    pub fn table_bytes(&self) -> u64 {
        self.file.memory_bytes()
    }

    /// Bytes that a power cut leaves as a whole, in one version or the other.
    #[must_use]
    pub fn atomic_write_bytes(&self) -> u64 {
        self.file.atomic_write_bytes()
    }

    /// Commands that are outstanding.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.outstanding.len()
    }

    /// The present: the latest instant that it was given.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.now.since(SimTime::ZERO).0
    }

    /// True if writes come with data.
    #[must_use]
    pub fn keeps_data(&self) -> bool {
        self.carries == Carries::Data
    }

    /// Says whether a command fits the drive, and takes it not.
    ///
    /// # Errors
    /// What [`Device::submit`] would say of the command itself.
    pub fn check(&self, command: &Command) -> Result<(), Error> {
        check(command, self.capacity_bytes())
    }

    pub(crate) fn store_mut(&mut self) -> Option<&mut MemoryStore> {
        match self.carries {
            Carries::Nothing => None,
            _ => self.drive.ssd_mut()?.store_mut(),
        }
    }

    /// The instant `asked_ns`, if it is not before the present, and nothing happens at the drive until then.
    pub(crate) fn instant(&self, asked_ns: u64) -> Result<SimTime, Error> {
        let (asked, now_ns) = (SimTime(asked_ns), self.now_ns());
        if asked_ns >= LATEST_NS {
            let latest_ns = LATEST_NS - 1;
            return Err(Error::Late {
                asked_ns,
                latest_ns,
            });
        }
        if asked < self.now {
            return Err(Error::Past { asked_ns, now_ns });
        }
        match self.next_event().filter(|at_ns| *at_ns < asked_ns) {
            Some(at_ns) => Err(Error::Behind { asked_ns, at_ns }),
            None => Ok(asked),
        }
    }

    /// Takes a command that has no data, or whose data nobody keeps. Any number may be outstanding: those beyond the
    /// drive's own queue wait in the host's.
    ///
    /// # Errors
    /// When the command does not fit the drive, its id is outstanding, time would go back or past something that happens at
    /// the drive, or it is a write to a device that keeps data. Nothing has changed then.
    pub fn submit(&mut self, command: Command, now_ns: u64) -> Result<(), Error> {
        let needs_data = self.carries == Carries::Data && command.operation == Operation::Write;
        match needs_data && command.bytes > 0 {
            true => Err(Error::Data {
                id: command.id,
                given: 0,
                needed: command.bytes,
            }),
            false => self.take(command, &[], now_ns),
        }
    }

    /// Takes a write with its data.
    ///
    /// # Errors
    /// As [`Device::submit`], and when the data are not as long as the range, or the device keeps none.
    pub fn submit_write(
        &mut self,
        command: Command,
        data: &[u8],
        now_ns: u64,
    ) -> Result<(), Error> {
        if self.carries != Carries::Data {
            return Err(Error::NoData);
        }
        let needed = match command.operation {
            Operation::Write => command.bytes,
            _ => 0,
        };
        if data.len() as u64 != needed {
            return Err(Error::Data {
                id: command.id,
                given: data.len() as u64,
                needed,
            });
        }
        self.take(command, data, now_ns)
    }

    fn take(&mut self, command: Command, data: &[u8], now_ns: u64) -> Result<(), Error> {
        check(&command, self.capacity_bytes())?;
        let now = self.instant(now_ns)?;
        let id = command.id;
        if self.outstanding.contains_key(&id) {
            return Err(Error::Outstanding { id });
        }
        self.note_drained(now);
        let first = command.offset / SECTOR_BYTES;
        (self.now, self.worked_at) = (now, now);
        let mut inner = command.inner(now);
        if command.operation == Operation::Flush && self.file.fua_flushes_all() {
            (inner.lba, inner.sectors) = Default::default();
        }
        let passage = self.drive.pass(inner, now);
        if command.operation == Operation::Write {
            self.give(&command, passage, data);
        }
        let there = Outstanding {
            operation: command.operation,
            before: self.submitted,
            at: now,
            at_store: passage.at_store,
            first,
            end: first + command.bytes / SECTOR_BYTES,
            flips: passage.flips,
            is_held: false,
        };
        self.outstanding.insert(id, there);
        self.submitted += 1;
        Ok(())
    }

    /// Gives a write's data to the store, which it asks for when the drive has got the command. What the drive never gets
    /// has none.
    fn give(&mut self, command: &Command, passage: Passage, data: &[u8]) {
        let Some(at_store) = passage.at_store else {
            return;
        };
        let mut data = Cow::Borrowed(data);
        if let Some(draw) = passage.flips {
            faults::flip(draw, data.to_mut());
        }
        if let Some(flat) = &mut self.flat {
            let sector = passage.lands_at.unwrap_or(command.offset / SECTOR_BYTES);
            flat.give(command.id, sector, command.bytes, &data);
        } else if let Some(store) = self.store_mut() {
            store.give(at_store, &data);
        }
    }

    /// A drive that had nothing to do for long has programmed what it had begun.
    pub(crate) fn note_drained(&mut self, now: SimTime) {
        let is_idle = self.outstanding.is_empty() && self.drive.next_event().is_none();
        if is_idle && self.worked_at + DRAINED_AFTER <= now {
            self.note_at_rest();
        }
    }

    /// A drive at rest has programmed all that it could hand on.
    pub(crate) fn note_at_rest(&mut self) {
        if let Some(store) = self.store_mut()
            && store.first_waiting().is_none()
        {
            store.note_all_programmed();
        }
    }

    /// The earliest instant at which something happens, in nanoseconds; nothing if nothing will.
    #[must_use]
    pub fn next_event(&self) -> Option<u64> {
        let next = self.drive.next_event()?;
        Some(next.max(self.now).since(SimTime::ZERO).0)
    }

    /// Lets everything at or before `now_ns` happen, and appends what ended, in order. An instant before the present is
    /// the present.
    pub fn advance(&mut self, now_ns: u64, done: &mut Vec<Completion>) {
        if self.carries > Carries::Nothing {
            // From completion to completion: what one promises is noted before anything else happens.
            while self.advance_to_completion(now_ns, done).is_some() {}
        } else {
            let now = SimTime(now_ns.min(LATEST_NS)).max(self.now);
            let mut ended = std::mem::take(&mut self.ended);
            self.drive.advance(now, &mut ended);
            self.note_ends(ended, done);
        }
        self.now = self.now.max(SimTime(now_ns.min(LATEST_NS)));
    }

    /// Lets things happen up to the first instant at which something ends, but nothing after `limit_ns`: the same as
    /// [`Device::advance`] from event to event, in one call. Gives the last instant at which something happened.
    pub fn advance_to_completion(
        &mut self,
        limit_ns: u64,
        done: &mut Vec<Completion>,
    ) -> Option<u64> {
        let limit = SimTime(limit_ns.min(LATEST_NS)).max(self.now);
        let (before, mut last) = (done.len(), None);
        while done.len() == before
            && let Some(at) = self.step(limit, done)
        {
            last = Some(at.since(SimTime::ZERO).0);
        }
        last
    }

    /// Lets things happen up to a completion, if that is not after `limit`; gives the last instant at which something did.
    fn step(&mut self, limit: SimTime, done: &mut Vec<Completion>) -> Option<SimTime> {
        let mut ended = std::mem::take(&mut self.ended);
        let last = match self.flat.is_none() && self.drive.passes_all() {
            true => self.drive.advance_to_completion(limit, &mut ended),
            // From event to event: what has come to its place must be there before something newer is in the cache, and what
            // the drive has done is noted before it does more, whenever the host hears of it.
            false => {
                let next = self.drive.next_event().filter(|at| *at <= limit);
                next.inspect(|at| self.drive.advance_holding(*at, &mut ended, &mut self.held))
            }
        };
        if let Some(last) = last {
            self.now = last.max(self.now);
            self.worked_at = last;
        }
        self.note_held();
        self.note_ends(ended, done);
        last
    }

    /// Keeps account of what the drive has done, and a fault keeps from the host.
    fn note_held(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        for completion in held.drain(..) {
            let id = completion.id.0;
            let command = self.outstanding.get_mut(&id).expect("it was submitted");
            command.is_held = true;
            let command = *command;
            self.note_end(id, command, completion.outcome == Outcome::Good);
        }
        self.held = held;
    }

    fn note_ends(&mut self, mut ended: Vec<ftlab_base::Completion>, done: &mut Vec<Completion>) {
        for completion in ended.drain(..) {
            let id = completion.id.0;
            let command = self.outstanding.remove(&id).expect("it was submitted");
            let is_good = completion.outcome == Outcome::Good;
            self.ends.note(command.before, completion.at);
            if self.carries > Carries::Nothing && command.at_store.is_some() && !command.is_held {
                self.note_end(id, command, is_good);
            }
            let mut end = Completion::of(&completion);
            if self.splits {
                end.split = self.split_of(&command, completion.at);
            }
            if command.operation == Operation::Read && is_good {
                end.flip = command.flip();
            }
            done.push(end);
        }
        self.ended = ended;
        if let Some(flat) = &mut self.flat {
            flat.keep_only(|| self.drive.dirty());
        }
    }

    /// Has the drive say where latencies go, if somebody asked.
    pub(crate) fn follow_ways(&mut self) {
        if self.splits
            && let Some(ssd) = self.drive.ssd_mut()
        {
            ssd.follow_ways();
        }
    }

    /// Where the latency of a command went that ends at that instant.
    fn split_of(&mut self, command: &Outstanding, at: SimTime) -> Option<Split> {
        let spans = self.drive.ssd_mut()?.take_spans(command.at_store?)?;
        let inside = spans.controller + spans.link + spans.flash;
        Some(Split {
            host_ns: at.since(command.at).0 - inside.0,
            controller_ns: spans.controller.0,
            link_ns: spans.link.0,
            flash_ns: spans.flash.0,
        })
    }

    /// Keeps account of what a command's end promises.
    fn note_end(&mut self, id: u64, command: Outstanding, is_good: bool) {
        let is_flush = command.operation == Operation::Flush && is_good;
        let sectors = command.first..command.end;
        let covers_all = sectors.is_empty() || self.file.fua_flushes_all();
        if let Some(flat) = &mut self.flat {
            flat.end(id, is_good);
            match (is_flush, covers_all) {
                (false, _) => {}
                (true, true) => flat.flush(),
                (true, false) => flat.flush_sectors(sectors),
            }
            return;
        }
        let slots = self.slots_of(&sectors);
        if let Some(store) = self.store_mut() {
            match (is_flush, covers_all) {
                (false, _) => {}
                (true, true) => store.note_handed_on_programmed(),
                (true, false) => store.note_programmed_of(slots),
            }
        }
    }

    /// Slots that a range of sectors touches, of a drive of flash.
    fn slots_of(&self, sectors: &Range<u64>) -> Range<u32> {
        let slot_sectors = self.slot_bytes() / SECTOR_BYTES;
        let end = sectors.end.div_ceil(slot_sectors) as u32;
        (sectors.start / slot_sectors) as u32..end
    }

    /// Bytes of a slot, or of a sector where there are no slots.
    pub(crate) fn slot_bytes(&self) -> u64 {
        let ssd = self.drive.ssd();
        ssd.map_or(SECTOR_BYTES, |ssd| {
            u64::from(ssd.layer().layout().geometry.slot_bytes)
        })
    }

    /// Gives the data of a read that has ended: what [`Device::read`] does, with the bit that a fault has flipped on the way.
    /// The range is the read's, or a part of it.
    ///
    /// # Errors
    /// As [`Device::read`].
    pub fn receive(&self, end: &Completion, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        self.read(offset, into)?;
        if let Some(flip) = end.flip {
            flip.apply(offset, into);
        }
        Ok(())
    }

    /// Reads what the drive holds, without time: of a read, when it has ended. Whether the flash still gives that back the
    /// read's own outcome says.
    ///
    /// # Errors
    /// When the device keeps no data, the range does not fit it, or the drive has lost what lies there.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        if self.carries != Carries::Data {
            return Err(Error::NoData);
        }
        let command = Command::read(0, offset, into.len() as u64);
        check(&command, self.capacity_bytes())?;
        if let Some(flat) = &self.flat {
            flat.read(offset / SECTOR_BYTES, into);
            return Ok(());
        }
        let ssd = self.drive.ssd().expect("it is of flash");
        let store: &MemoryStore = ssd.store().expect("it was given one");
        let slot_bytes = self.slot_bytes();
        let (mut at, mut rest) = (offset, into);
        while !rest.is_empty() {
            let within = at % slot_bytes;
            let bytes = (slot_bytes - within).min(rest.len() as u64) as usize;
            let (part, after) = rest.split_at_mut(bytes);
            let lpn = Lpn((at / slot_bytes) as u32);
            let first = (within / SECTOR_BYTES) as u32;
            if store.read(lpn, ssd.layer(), first, part) != 0 {
                return Err(Error::Unreadable {
                    offset: at - within,
                });
            }
            at += bytes as u64;
            rest = after;
        }
        Ok(())
    }

    /// The drive as it would be after a flush, as bytes for [`Builder::saved_state`] and `ftlab run --from-state`; kept data
    /// are not in them. This device stays as it is.
    ///
    /// # Errors
    /// When commands are outstanding, or the drive cannot keep what it was given.
    pub fn save_state(&self) -> Result<Vec<u8>, Error> {
        if !self.outstanding.is_empty() {
            let outstanding = self.outstanding.len();
            return Err(Error::AtWork { outstanding });
        }
        // No fault meets this flush: nobody has sent it.
        let mut drive = self.drive.device().fork();
        come_to_rest(&mut *drive, self.now)?;
        let steps = vec!["Commands of another simulator.".to_owned()];
        let version = ftlab_drive::version();
        let origin = Origin::new(&version, &self.file, "embedded", steps, self.seed.0);
        Ok(saved::write(&origin, &*drive))
    }

    /// Counts since the drive was made.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let counters = self.drive.counters();
        Counters {
            host_commands: counters.host_ios,
            host_bytes_written: counters.host_bytes_written,
            nand_bytes_programmed: counters.nand_bytes_programmed,
            nand_reads: counters.nand_reads,
            nand_programs: counters.nand_programs,
            nand_erases: counters.nand_erases,
            buffer_stalls: counters.buffer_stalls,
            operations_hash: counters.stream_hash,
            completions_hash: self.ends.value(),
            power_cycles: self.power_cycles,
            unsafe_shutdowns: self.unsafe_shutdowns,
        }
    }

    /// The drive as ftlab's own crates see it, to look at. No part of the stable interface.
    #[doc(hidden)]
    #[must_use]
    pub fn inner(&self) -> &dyn ftlab_drive::Device {
        &self.drive
    }

    /// Says in words why the drive takes no more writes; nothing while it does.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.drive.fault()
    }
}

/// What the store of a drive does.
pub(crate) fn device_options(file: &DriveFile, carries: Carries) -> StoreOptions {
    let keeps = carries == Carries::Data;
    StoreOptions {
        keeps,
        packs: keeps && file.compresses(),
        capacitors: file.keeps_its_buffer(),
    }
}

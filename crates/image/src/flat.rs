//! The bytes of a drive without flash: sectors, one after the other, and their checksums in a table.
//!
//! A write's bytes are in the file when it completes, unless the drive has a write cache and an end out of order is a
//! power cut for it: then they wait here until the drive has them on the platter, and are lost with the process.
//!
//! A sector and its checksum cannot be written in one operation. So the table has two for each sector, and
//! the sector is as it was written if either fits: before a sector is written, its entry gets the checksum
//! of what lies there and that of what will; afterwards the latter twice. Whoever is cut off between finds
//! the old sector or the new one. Where the machine itself may lose its power, the steps are done with a flush, and
//! its storage is waited for between them; what is to be written waits in memory until then.
//!
//! The table begins as a hole in the file. A chunk of it is filled in when one of its sectors is written first, and a
//! bit elsewhere notes that: where it is set, nothing is as if it had never been written.

use crate::crash::Tap;
use crate::regions::{CHUNK_SECTORS, ENTRY_BYTES, Regions};
use crate::storage::Storage;
use crate::store_options::StoreOptions;

use ftlab_base::{Command, CommandId, CommandKind, Lba, RootSeed, SECTOR_BYTES};
use ftlab_cut::CachedWrites;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const SECTOR: usize = SECTOR_BYTES as usize;
const ZEROS: [u8; SECTOR] = [0; SECTOR];
/// Sectors that may wait for a flush. At this number they are written without one.
const WAITING_MAX: usize = 1 << 14;

/// Error of a read of sectors.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FlatError {
    #[error("{0}")]
    Storage(#[from] io::Error),
    #[error("its bytes are not those that were written: the checksum is wrong")]
    Damaged(u64),
}

/// The checksums of a sector that may lie there; both the same unless a write was cut off.
type Entry = [u64; 2];

/// Store of bytes, by sector.
#[derive(Debug)]
pub(crate) struct FlatStore {
    storage: Box<dyn Storage>,
    regions: Regions,
    /// True if a flush waits for the machine's storage.
    sync: bool,
    /// True if data that are in the drive's write cache alone wait here, too, so that they are lost with the
    /// process.
    caches: bool,
    /// Chunks of the table that are filled in, one bit each.
    begun: Vec<u8>,
    under_way: BTreeMap<CommandId, (Command, Vec<u8>)>,
    /// Sectors that wait for a flush, or for the platter.
    cached: CachedWrites,
    failure: Option<io::Error>,
    /// Recorder for a crash log.
    tap: Option<Box<Tap>>,
}

/// The checksum of a sector. None is 0, which stands in chunks that were never begun.
fn checksum(sector: u64, data: &[u8]) -> u64 {
    xxh3_64_with_seed(data, sector).max(1)
}

impl FlatStore {
    /// Sectors on a storage.
    pub(crate) fn new(
        storage: Box<dyn Storage>,
        regions: Regions,
        options: StoreOptions,
        seed: RootSeed,
    ) -> io::Result<FlatStore> {
        let mut begun = vec![0; regions.begun.bytes as usize];
        storage.read_at(regions.begun.at, &mut begun)?;
        Ok(FlatStore {
            storage,
            regions,
            sync: options.sync,
            caches: options.tracks,
            begun,
            under_way: BTreeMap::new(),
            cached: CachedWrites::new(seed),
            failure: None,
            tap: None,
        })
    }

    pub(crate) fn storage(&mut self) -> &mut dyn Storage {
        &mut *self.storage
    }

    /// Has them lie on another storage, which says the same; gives the one that they lay on.
    pub(crate) fn replace_storage(&mut self, storage: Box<dyn Storage>) -> Box<dyn Storage> {
        std::mem::replace(&mut self.storage, storage)
    }

    /// The crash log that is written, if one is.
    pub(crate) fn tap(&mut self) -> &mut Option<Box<Tap>> {
        &mut self.tap
    }

    /// Sets whether data that are in the drive's write cache alone are lost with it.
    pub(crate) fn set_caches(&mut self, caches: bool) {
        self.caches = caches;
    }

    /// The first sector from one on that may hold something.
    pub(crate) fn next_held(&self, from: u64) -> io::Result<Option<u64>> {
        let chunk = self.next_chunk(from / CHUNK_SECTORS)?;
        Ok(chunk.map(|chunk| from.max(chunk * CHUNK_SECTORS)))
    }

    /// The storage without the right to write to it.
    pub(crate) fn storage_ref(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Error of the last write.
    pub(crate) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// A command is submitted.
    pub(crate) fn give(&mut self, command: Command, data: &[u8]) {
        if command.kind == CommandKind::Write {
            self.under_way.insert(command.id, (command, data.to_vec()));
        }
    }

    /// A command completes; whether it is done.
    pub(crate) fn end(&mut self, id: CommandId) -> bool {
        let Some((command, data)) = self.under_way.remove(&id) else {
            return self.failure.is_none();
        };
        self.write(&command, &data)
    }

    /// Writes at once; whether that is done.
    pub(crate) fn write(&mut self, command: &Command, data: &[u8]) -> bool {
        if command.kind == CommandKind::Write {
            if let Some(tap) = &mut self.tap {
                tap.given(command.id);
                tap.wrote(command.id, command.lba.0 as u32, 0, self.caches, data);
                tap.ended(command.id);
            }
            self.failure = self.take(command.lba.0, data).err();
        }
        self.failure.is_none()
    }

    /// The storage has failed.
    pub(crate) fn fail(&mut self, why: io::Error) {
        self.failure = Some(why);
    }

    fn take(&mut self, first: u64, data: &[u8]) -> io::Result<()> {
        if !self.sync && !self.caches {
            return self.put(&[(first, data)]);
        }
        if !self.sync {
            self.cached.admit(first, data);
            return Ok(());
        }
        self.cached.hold(first, data);
        match self.cached.waiting().len() >= WAITING_MAX {
            true => self.put_waiting(),
            false => Ok(()),
        }
    }

    /// Writes that the drive's cache alone has go on waiting; no others do.
    pub(crate) fn keep_only(&mut self, dirty: impl FnOnce() -> Vec<Range<u64>>) {
        if self.sync || self.cached.waiting().is_empty() {
            return;
        }
        let go = self.cached.keep_only(&dirty());
        self.settle(go);
    }

    /// A disk without time has destaged some of what waits.
    pub(crate) fn destage(&mut self, sectors: u64) {
        let go = self.cached.destage(sectors);
        self.settle(go);
    }

    /// Sectors that would be lost with the process; nothing for a drive that loses none.
    pub(crate) fn lost_sectors(&self) -> Option<u64> {
        self.caches.then_some(self.cached.waiting().len() as u64)
    }

    /// Brings sectors to their places that waited.
    fn settle(&mut self, sectors: BTreeMap<u64, Vec<u8>>) {
        if let Err(why) = self.put_all(&sectors) {
            // They are read from here, and tried again with the next flush.
            self.cached.take_back(sectors);
            self.failure = Some(why);
        }
    }

    /// Waits until the machine's storage has what was written.
    pub(crate) fn flush(&mut self) {
        if self.sync || self.caches {
            self.failure = self.put_waiting().err();
        }
    }

    /// Waits until the machine's storage has these sectors alone.
    pub(crate) fn flush_sectors(&mut self, sectors: &Range<u64>) {
        let go = self.cached.take_of(sectors.clone());
        self.failure = None;
        self.settle(go);
    }

    fn put_waiting(&mut self) -> io::Result<()> {
        let waiting = self.cached.take_all();
        let done = self.put_all(&waiting);
        match done {
            Ok(()) => self.cached.forget_order(),
            Err(_) => self.cached.take_back(waiting),
        }
        done
    }

    fn put_all(&mut self, sectors: &BTreeMap<u64, Vec<u8>>) -> io::Result<()> {
        if sectors.is_empty() {
            return Ok(());
        }
        let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
        for (&sector, data) in sectors {
            match runs.last_mut() {
                Some((first, run)) if *first + (run.len() / SECTOR) as u64 == sector => {
                    run.extend_from_slice(data);
                }
                _ => runs.push((sector, data.clone())),
            }
        }
        let runs: Vec<(u64, &[u8])> = runs.iter().map(|(first, run)| (*first, &**run)).collect();
        self.put(&runs)?;
        if let Some(tap) = &mut self.tap {
            for (first, run) in runs {
                tap.settled(first as u32, (run.len() / SECTOR) as u32);
            }
        }
        Ok(())
    }

    /// Brings runs of sectors, none of them twice, to their places.
    fn put(&mut self, runs: &[(u64, &[u8])]) -> io::Result<()> {
        let chunks = self.fill_in(runs)?;
        for (first, data) in runs {
            let now = self.checksums_now(*first, data.len())?;
            let entries = now.iter().zip((*first..).zip(data.chunks_exact(SECTOR)));
            let entries = entries.map(|(&now, (sector, data))| [now, checksum(sector, data)]);
            self.write_entries(*first, entries)?;
        }
        self.wait()?;
        chunks
            .into_iter()
            .try_for_each(|chunk| self.note_begun(chunk))?;
        for (first, data) in runs {
            self.storage.write_at(self.place(*first), data)?;
        }
        self.wait()?;
        for (first, data) in runs {
            let entries = (*first..).zip(data.chunks_exact(SECTOR));
            let entries = entries.map(|(sector, data)| [checksum(sector, data); 2]);
            self.write_entries(*first, entries)?;
        }
        Ok(())
    }

    /// Fills in the chunks of the table that runs of sectors are the first to be written of.
    fn fill_in(&mut self, runs: &[(u64, &[u8])]) -> io::Result<Vec<u64>> {
        let mut filled = Vec::new();
        for (first, data) in runs {
            let last = first + (data.len() / SECTOR) as u64 - 1;
            for chunk in first / CHUNK_SECTORS..=last / CHUNK_SECTORS {
                let sectors = chunk * CHUNK_SECTORS..(chunk + 1) * CHUNK_SECTORS;
                if !self.is_begun(sectors.start) && !filled.contains(&chunk) {
                    let start = sectors.start;
                    let entries = sectors.map(|sector| [checksum(sector, &ZEROS); 2]);
                    self.write_entries(start, entries)?;
                    filled.push(chunk);
                }
            }
        }
        Ok(filled)
    }

    fn note_begun(&mut self, chunk: u64) -> io::Result<()> {
        let at = chunk / 8;
        let byte = self.begun[at as usize] | 1 << (chunk % 8);
        self.storage.write_at(self.regions.begun.at + at, &[byte])?;
        self.begun[at as usize] = byte;
        Ok(())
    }

    /// True if the chunk of a sector is filled in.
    fn is_begun(&self, sector: u64) -> bool {
        let chunk = sector / CHUNK_SECTORS;
        self.begun[(chunk / 8) as usize] & 1 << (chunk % 8) != 0
    }

    /// True if the data of a sector match a checksum.
    fn fits(&self, checksum_there: u64, sector: u64, data: &[u8]) -> bool {
        match checksum_there {
            0 => data == ZEROS && !self.is_begun(sector),
            written => written == checksum(sector, data),
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        if self.sync {
            self.storage.sync()
        } else {
            Ok(())
        }
    }

    fn place(&self, sector: u64) -> u64 {
        self.regions.data.at + sector * SECTOR_BYTES
    }

    fn entries(&self, first: u64, sectors: usize) -> io::Result<Vec<Entry>> {
        let mut bytes = vec![0; sectors * ENTRY_BYTES as usize];
        let at = self.regions.checksums.at + first * ENTRY_BYTES;
        self.storage.read_at(at, &mut bytes)?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let entries = bytes.chunks_exact(ENTRY_BYTES as usize);
        Ok(entries
            .map(|entry| [word(&entry[..8]), word(&entry[8..])])
            .collect())
    }

    fn write_entries(
        &mut self,
        first: u64,
        entries: impl Iterator<Item = Entry>,
    ) -> io::Result<()> {
        let bytes: Vec<u8> = entries.flatten().flat_map(u64::to_le_bytes).collect();
        let at = self.regions.checksums.at + first * ENTRY_BYTES;
        self.storage.write_at(at, &bytes)
    }

    /// The checksums of what lies in a run of sectors. Where a write was cut off, what lies there says
    /// which of the two it is.
    fn checksums_now(&self, first: u64, bytes: usize) -> io::Result<Vec<u64>> {
        let entries = self.entries(first, bytes / SECTOR)?;
        if entries.iter().all(|[one, other]| one == other) {
            return Ok(entries.into_iter().map(|[one, _]| one).collect());
        }
        let mut there = vec![0; bytes];
        self.storage.read_at(self.place(first), &mut there)?;
        let sectors = (first..).zip(there.chunks_exact(SECTOR));
        let now = entries.into_iter().zip(sectors);
        let now = now.map(
            |([one, other], (sector, data))| match self.fits(other, sector, data) {
                true => other,
                false => one,
            },
        );
        Ok(now.collect())
    }

    pub(crate) fn read(&self, lba: Lba, into: &mut [u8]) -> Result<(), FlatError> {
        self.storage.read_at(self.place(lba.0), into)?;
        let entries = self.entries(lba.0, into.len() / SECTOR)?;
        for ((sector, data), [one, other]) in
            (lba.0..).zip(into.chunks_exact_mut(SECTOR)).zip(entries)
        {
            match self.cached.waiting().get(&sector) {
                Some(waiting) => data.copy_from_slice(waiting),
                None if self.fits(other, sector, data) || self.fits(one, sector, data) => {}
                None => return Err(FlatError::Damaged(sector)),
            }
        }
        Ok(())
    }

    /// Sectors that are not as they were written, and how many of those that are hold something.
    pub(crate) fn check(&self, sectors: u64) -> io::Result<(Vec<u64>, u64)> {
        let (mut damaged, mut written) = (Vec::new(), 0);
        let mut first = 0;
        while let Some(chunk) = self.next_chunk(first)? {
            let from = chunk * CHUNK_SECTORS;
            let Some(left) = sectors.checked_sub(from).filter(|left| *left > 0) else {
                break;
            };
            let count = left.min(CHUNK_SECTORS) as usize;
            let mut data = vec![0; count * SECTOR];
            self.storage.read_at(self.place(from), &mut data)?;
            let entries = self.entries(from, count)?;
            for ((sector, data), entry) in (from..).zip(data.chunks_exact(SECTOR)).zip(entries) {
                if !entry.iter().any(|&sum| self.fits(sum, sector, data)) {
                    damaged.push(sector);
                } else if data != ZEROS {
                    written += 1;
                }
            }
            first = chunk + 1;
        }
        Ok((damaged, written))
    }

    /// The first chunk from one on that is filled in, or in which something lies.
    fn next_chunk(&self, first: u64) -> io::Result<Option<u64>> {
        let data = self.storage.next_data(self.place(first * CHUNK_SECTORS))?;
        let data = data.map(|at| (at - self.regions.data.at) / SECTOR_BYTES / CHUNK_SECTORS);
        let chunks = first..self.begun.len() as u64 * 8;
        let mut chunks = chunks.take_while(|chunk| data.is_none_or(|data| *chunk < data));
        let begun = chunks.find(|chunk| self.is_begun(chunk * CHUNK_SECTORS));
        Ok(begun.or(data))
    }
}

//! A drive that holds bytes.

use crate::{CreateOptions, ImageError, OpenOptions, Recovery};
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Lba, Outcome, SECTOR_BYTES, SimTime,
};
use ftlab_drive::{Device, DriveFile, Testbed};
use std::collections::BTreeMap;
use std::path::Path;

/// Sectors of a piece of memory.
const PIECE_SECTORS: u64 = 128;

/// A drive that holds bytes.
pub struct DataDrive {
    file: DriveFile,
    device: Box<dyn Device>,
    pieces: BTreeMap<u64, Vec<u8>>,
    written: BTreeMap<u64, u128>,
    under_way: BTreeMap<CommandId, (Command, Vec<u8>)>,
    max_sectors: u64,
}

impl DataDrive {
    /// Makes a drive as new, in a new file.
    pub fn create(
        _path: &Path,
        drive: &DriveFile,
        testbed: &Testbed,
        options: &CreateOptions,
    ) -> Result<DataDrive, ImageError> {
        let mut made = Self::in_memory(drive, testbed, options.seed)?;
        if let Some(bytes) = options.size_bytes {
            made.set_max(bytes)?;
        }
        Ok(made)
    }

    /// Opens a drive, recovers it if it was not closed in order, and keeps others from opening it.
    pub fn open(
        path: &Path,
        _options: &OpenOptions<'_>,
    ) -> Result<(DataDrive, Recovery), ImageError> {
        Err(ImageError::Storage {
            path: path.to_owned(),
            what: "open it",
            why: std::io::ErrorKind::Unsupported.into(),
        })
    }

    /// Makes a drive as new that is gone with the process.
    pub fn in_memory(
        drive: &DriveFile,
        testbed: &Testbed,
        seed: u64,
    ) -> Result<DataDrive, ImageError> {
        let device = drive.build(testbed, ftlab_base::RootSeed(seed))?;
        let max_sectors = device.capacity_sectors();
        Ok(DataDrive {
            file: drive.clone(),
            device,
            pieces: BTreeMap::new(),
            written: BTreeMap::new(),
            under_way: BTreeMap::new(),
            max_sectors,
        })
    }

    /// Bytes the host can address.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.max_sectors * SECTOR_BYTES
    }

    /// The drive file that it was made of, with its settings.
    #[must_use]
    pub fn file(&self) -> &DriveFile {
        &self.file
    }

    /// The drive in virtual time, to look at.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Takes a command, with a write's bytes.
    pub fn submit(&mut self, command: Command, data: &[u8], now: SimTime) {
        self.under_way.insert(command.id, (command, data.to_vec()));
        self.device.submit(command, now);
    }

    /// The earliest instant at which something happens; `None` when nothing will.
    #[must_use]
    pub fn next_event(&self) -> Option<SimTime> {
        self.device.next_event()
    }

    /// Lets everything at or before `now` happen and appends what completed, in order.
    pub fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let before = done.len();
        self.device.advance(now, done);
        for completion in &done[before..] {
            let (command, data) = self
                .under_way
                .remove(&completion.id)
                .expect("it was submitted");
            if completion.outcome == Outcome::Good {
                self.keep(&command, &data);
            }
        }
    }

    /// The newest bytes from a sector on; of a read, when it completes.
    pub fn read(&mut self, lba: Lba, into: &mut [u8]) -> Result<(), ImageError> {
        for (sector, bytes) in (lba.0..).zip(into.chunks_mut(SECTOR_BYTES as usize)) {
            let within = (sector % PIECE_SECTORS * SECTOR_BYTES) as usize;
            match self.pieces.get(&(sector / PIECE_SECTORS)) {
                Some(piece) => bytes.copy_from_slice(&piece[within..within + bytes.len()]),
                None => bytes.fill(0),
            }
        }
        Ok(())
    }

    /// Applies a command at once, without time. Only while nothing is outstanding.
    pub fn apply(&mut self, command: Command, data: &[u8]) -> Outcome {
        let outcome = self.device.apply(command);
        if outcome == Outcome::Good {
            self.keep(&command, data);
        }
        outcome
    }

    fn keep(&mut self, command: &Command, data: &[u8]) {
        match command.kind {
            CommandKind::Read | CommandKind::Flush => {}
            CommandKind::Write => {
                let sectors = data.chunks(SECTOR_BYTES as usize);
                for (sector, bytes) in (command.lba.0..).zip(sectors) {
                    self.put(sector, Some(bytes));
                }
            }
            CommandKind::Trim => {
                let first = command.lba.0.next_multiple_of(8);
                let end = (command.lba.0 + u64::from(command.sectors)) / 8 * 8;
                (first..end).for_each(|sector| self.put(sector, None));
            }
        }
    }

    fn put(&mut self, sector: u64, bytes: Option<&[u8]>) {
        let (piece, within) = (sector / PIECE_SECTORS, sector % PIECE_SECTORS);
        let room = (PIECE_SECTORS * SECTOR_BYTES) as usize;
        let held = self.pieces.entry(piece).or_insert_with(|| vec![0; room]);
        let written = self.written.entry(piece).or_default();
        let at = (within * SECTOR_BYTES) as usize;
        let place = &mut held[at..at + SECTOR_BYTES as usize];
        match bytes {
            Some(bytes) => {
                place.copy_from_slice(bytes);
                *written |= 1 << within;
            }
            None => {
                place.fill(0);
                *written &= !(1 << within);
            }
        }
    }

    /// Whether a sector holds anything, and for how many of `sectors` that is so.
    #[must_use]
    pub fn is_mapped(&self, lba: Lba, sectors: u64) -> (bool, u64) {
        let is = |sector: u64| {
            let written = self.written.get(&(sector / PIECE_SECTORS));
            written.is_some_and(|mask| mask >> (sector % PIECE_SECTORS) & 1 == 1)
        };
        let first = is(lba.0);
        let same = (lba.0..lba.0 + sectors).take_while(|&sector| is(sector) == first);
        (first, same.count() as u64)
    }

    /// Whether a trim gives up what it covers: afterwards zeros are read there.
    #[must_use]
    pub fn trims(&self) -> bool {
        self.device.health().is_some()
    }

    /// Sectors of a slot: what a trim gives up as a whole, and what survives a power cut as a whole.
    #[must_use]
    pub fn slot_sectors(&self) -> u32 {
        8
    }

    /// Why the storage under the drive does not do what is asked; the host gets input/output errors.
    #[must_use]
    pub fn failure(&self) -> Option<&ImageError> {
        None
    }

    /// Waits until the machine's own storage has what was written so far.
    pub fn flush_storage(&mut self) -> Result<(), ImageError> {
        Ok(())
    }

    /// Erases everything (ATA SECURITY ERASE UNIT). Only while nothing is outstanding.
    pub fn secure_erase(&mut self) -> Result<(), ImageError> {
        self.device
            .secure_erase()
            .map_err(|_| ImageError::NoFlash)?;
        self.pieces.clear();
        self.written.clear();
        Ok(())
    }

    /// Lets the drive lie without power. Only while nothing is outstanding.
    pub fn rest(&mut self, hours: f64, celsius: f64) -> Result<(), ImageError> {
        self.device.rest(hours, celsius);
        Ok(())
    }

    /// Lets the host address so many bytes from now on (ATA SET MAX).
    pub fn set_max(&mut self, bytes: u64) -> Result<(), ImageError> {
        let most = self.device.capacity_sectors() * SECTOR_BYTES;
        if bytes == 0 || bytes % SECTOR_BYTES != 0 || bytes > most {
            let why =
                format!("it must be whole sectors of {SECTOR_BYTES} bytes, {most} bytes at most");
            return Err(ImageError::Size { asked: bytes, why });
        }
        self.max_sectors = bytes / SECTOR_BYTES;
        Ok(())
    }

    /// Notes the whole state of the drive in its file, so that less is to be recovered.
    pub fn checkpoint(&mut self) -> Result<(), ImageError> {
        Ok(())
    }

    /// Switches the drive off in order: flush, checkpoint. Only while nothing is outstanding.
    pub fn close(self) -> Result<(), ImageError> {
        Ok(())
    }
}

//! Crash logs of a drive at work.

use super::DataDrive;
use crate::crash::{CrashHeader, CrashLogSummary, LogClock, MARK_BYTES_MAX, Tap};
use crate::store_options::StoreOptions;
use crate::{ImageError, OnKill};
use ftlab_base::{Command, CommandKind, Lba, SECTOR_BYTES};
use std::fs::File;
use std::io;

/// Sectors that are read at a time of what was there before.
const BASE_SECTORS: u64 = 128;

impl DataDrive {
    /// Tells the crash log of a flush that is asked for.
    pub(crate) fn tell_flush(&mut self, command: &Command) {
        if command.kind == CommandKind::Flush
            && let Some(tap) = self.body.tap()
        {
            tap.flush();
        }
    }

    /// Begins a crash log in a file that is empty: what the drive holds, and then everything that is written. `clock`
    /// says how many nanoseconds have passed since it began. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When the file cannot be written, or the drive cannot be read.
    pub fn begin_crash_log(
        &mut self,
        file: File,
        version: String,
        began_unix_ns: u64,
        clock: LogClock,
    ) -> Result<(), ImageError> {
        let header = CrashHeader {
            version,
            drive: self.file.slug().to_owned(),
            name: self.file.name().to_owned(),
            capacity_bytes: self.capacity_bytes(),
            slot_bytes: u64::from(self.slot_sectors()) * SECTOR_BYTES,
            atomic_bytes: self.file.atomic_write_bytes(),
            keeps_its_buffer: self.file.keeps_its_buffer(),
            began_unix_ns,
        };
        let tap = Tap::new(file, &header, clock);
        let mut tap = tap.map_err(|why| self.storage_error("begin a crash log of it", why))?;
        self.put_base(&mut tap)?;
        let begun = tap.begun();
        begun.map_err(|why| self.storage_error("begin a crash log of it", why))?;
        // A power cut takes the same from a drive in memory as from one in a file.
        if self.image.is_none() {
            let tracks = StoreOptions::of(&self.file, false, OnKill::Cut).tracks;
            self.body.set_tracks(tracks);
        }
        *self.body.tap() = Some(Box::new(tap));
        Ok(())
    }

    /// Says what the drive holds.
    fn put_base(&mut self, tap: &mut Tap) -> Result<(), ImageError> {
        let end = self.capacity_bytes() / SECTOR_BYTES;
        let mut data = Vec::new();
        let mut sector = 0;
        while let Some(from) = self.next_held(sector)? {
            let sectors = self.is_mapped(Lba(from), (end - from).min(BASE_SECTORS)).1;
            data.resize((sectors * SECTOR_BYTES) as usize, 0);
            self.read(Lba(from), &mut data)?;
            if data.iter().any(|byte| *byte != 0) {
                tap.base(from, &data);
            }
            sector = from + sectors;
            if sector >= end {
                break;
            }
        }
        Ok(())
    }

    /// The first sector from one on that may hold something.
    fn next_held(&self, from: u64) -> Result<Option<u64>, ImageError> {
        let end = self.capacity_bytes() / SECTOR_BYTES;
        let next = self.body.next_held(from, end);
        let next = next.map_err(|why| self.storage_error("read it", why))?;
        Ok(next.filter(|sector| *sector < end))
    }

    /// Notes in the crash log how far somebody has come; whether there is one.
    ///
    /// # Errors
    /// When the text is too long.
    pub fn mark(&mut self, text: &str) -> Result<bool, String> {
        if text.len() > MARK_BYTES_MAX {
            return Err(format!(
                "a mark of {} bytes: {MARK_BYTES_MAX} at most",
                text.len()
            ));
        }
        let tap = self.body.tap().as_mut().filter(|tap| !tap.is_over());
        Ok(tap.map(|tap| tap.mark(text)).is_some())
    }

    /// Ends the crash log, if there is one; what is in it.
    ///
    /// # Errors
    /// When it is not whole, since its file could not be written.
    pub fn end_crash_log(&mut self) -> Option<io::Result<CrashLogSummary>> {
        self.body.tap().take().map(|tap| tap.finish())
    }
}

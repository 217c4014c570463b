//! What a file system has to write beside the data: its journal, and pages of its tables.
//!
//! The numbers are NTFS's. A new file takes a record of the table and an entry of a directory; data
//! that grow a file change the bitmap of free clusters and the file's record. All of this is noted
//! in the journal first. Pages are written once a pass, however often they changed.

use ftlab_base::SECTOR_BYTES;
use ftlab_drive::FileSystemPlaces;
use ftlab_workload::script::Run;
use std::collections::BTreeSet;

/// Pages of 4 KiB, in which the system's cache keeps everything.
pub const PAGE_SECTORS: u64 = 8;
const PAGE_BYTES: u64 = PAGE_SECTORS * SECTOR_BYTES;

/// Records of 1 KiB in a page of the table.
const RECORDS_A_PAGE: u64 = 4;

/// Entries in a page of a directory: names of a dozen characters make entries of about 100 bytes.
const ENTRIES_A_PAGE: u64 = 40;

/// Sectors that a page of the bitmap stands for: a bit for each cluster of 4 KiB.
const SECTORS_A_BITMAP_PAGE: u64 = PAGE_BYTES * 8 * PAGE_SECTORS;

/// Bytes of the journal for a new file (record, entry, first clusters) and for a file that grew:
/// undo and redo of a few dozen bytes each, with their headers.
const JOURNAL_A_FILE: u64 = 2048;
const JOURNAL_A_GROWTH: u64 = 256;

/// The table and the directories have this much room, then they begin again.
const ROOM_SECTORS: u64 = 131_072;

/// The file system of the drive under test.
#[derive(Debug)]
pub struct FileSystem {
    places: FileSystemPlaces,
    files: u64,
    /// First sectors of pages that changed.
    pages: BTreeSet<u64>,
    /// Bytes of the journal not yet written.
    journal_bytes: u64,
    /// Where the journal goes on, in pages.
    journal_page: u64,
}

impl FileSystem {
    pub fn new(places: FileSystemPlaces) -> FileSystem {
        FileSystem {
            places,
            files: 0,
            pages: BTreeSet::new(),
            journal_bytes: 0,
            journal_page: 0,
        }
    }

    /// The end of everything it writes, in bytes from the start of the drive, for a drive of so many.
    pub fn end(places: &FileSystemPlaces, capacity: u64) -> u64 {
        let room = ROOM_SECTORS * SECTOR_BYTES;
        let bitmap = capacity.div_ceil(SECTORS_A_BITMAP_PAGE * SECTOR_BYTES) * PAGE_BYTES;
        let ends = [
            places.journal + places.journal_bytes,
            places.table + room,
            places.directory + room,
            places.bitmap + bitmap,
        ];
        ends.into_iter().max().unwrap_or(0)
    }

    /// Takes in new files.
    pub fn begin_files(&mut self, count: u64) {
        for _ in 0..count {
            self.files += 1;
            self.change(self.places.table, self.files / RECORDS_A_PAGE);
            self.change(self.places.directory, self.files / ENTRIES_A_PAGE);
            self.journal_bytes += JOURNAL_A_FILE;
        }
    }

    /// The newest file has grown by these sectors.
    pub fn grow(&mut self, run: Run) {
        let before = self.pages.len();
        self.change(self.places.bitmap, run.lba / SECTORS_A_BITMAP_PAGE);
        self.change(self.places.table, self.files / RECORDS_A_PAGE);
        if self.pages.len() > before {
            self.journal_bytes += JOURNAL_A_GROWTH;
        }
    }

    fn change(&mut self, place: u64, page: u64) {
        let room_pages = ROOM_SECTORS / PAGE_SECTORS;
        let sector = place / PAGE_BYTES * PAGE_SECTORS;
        self.pages.insert(sector + page % room_pages * PAGE_SECTORS);
    }

    pub fn is_clean(&self) -> bool {
        self.pages.is_empty()
    }

    /// Takes what a pass has to write: runs of the journal, which come first, and pages, in order of
    /// address.
    pub fn take(&mut self) -> (Vec<Run>, Vec<Run>) {
        let pages = std::mem::take(&mut self.pages);
        let pages = pages.into_iter().map(|lba| Run {
            lba,
            sectors: PAGE_SECTORS as u32,
        });
        let mut left = std::mem::take(&mut self.journal_bytes).div_ceil(PAGE_BYTES);
        let all = self.places.journal_bytes / PAGE_BYTES;
        let mut journal = Vec::new();
        while left > 0 {
            let count = left.min(all - self.journal_page);
            journal.push(Run {
                lba: (self.places.journal / PAGE_BYTES + self.journal_page) * PAGE_SECTORS,
                sectors: (count * PAGE_SECTORS) as u32,
            });
            self.journal_page = (self.journal_page + count) % all;
            left -= count;
        }
        (journal, pages.collect())
    }
}

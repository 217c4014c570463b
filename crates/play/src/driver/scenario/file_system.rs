//! Writes of a file system beside the data: its journal, and pages of its tables.
//!
//! The numbers are NTFS's. A new file takes a record of the table, an entry of a directory and clusters, which change
//! the bitmap; data that fill it change its record. All of this is noted in the journal first. Table, bitmap and
//! directory are files in the system's cache: the lazy writer visits one after the other, and writes a share of the
//! pages that have changed there, each once, however often it did.

use crate::driver::write_back::PAGE_SECTORS;
use ftlab_base::SECTOR_BYTES;
use ftlab_host::FileSystemPlaces;
use ftlab_workload::script::Run;
use std::collections::BTreeSet;

/// The file system's own files beside the journal.
const TABLES: usize = 3;
const TABLE: usize = 0;
const BITMAP: usize = 1;
const DIRECTORY: usize = 2;

const PAGE_BYTES: u64 = PAGE_SECTORS * SECTOR_BYTES;

/// Records of 1 KiB in a page of the table.
const RECORDS_A_PAGE: u64 = 4;

/// Entries in a page of a directory: names of a dozen characters make entries of about 100 bytes.
const ENTRIES_A_PAGE: u64 = 40;

/// Sectors that a page of the bitmap covers: a bit for each cluster of 4 KiB.
const SECTORS_A_BITMAP_PAGE: u64 = PAGE_BYTES * 8 * PAGE_SECTORS;

/// Bytes of the journal for a new file (record, entry, clusters) and for a file that was filled further:
/// undo and redo of a few dozen bytes each, with their headers.
const JOURNAL_A_FILE: u64 = 2048;
const JOURNAL_A_GROWTH: u64 = 256;

/// The table and the directories have this much room, then they begin again.
const ROOM_SECTORS: u64 = 131_072;

/// A request for each page.
fn runs(pages: Vec<u64>) -> Vec<Run> {
    let run = |lba| Run {
        lba,
        sectors: PAGE_SECTORS as u32,
    };
    pages.into_iter().map(run).collect()
}

/// The file system of the drive under test.
#[derive(Debug)]
pub struct FileSystem {
    places: FileSystemPlaces,
    files: u64,
    /// True if the newest file has no clusters yet.
    is_empty: bool,
    /// First sectors of pages that changed, table by table.
    pages: [BTreeSet<u64>; TABLES],
    /// The table that the lazy writer visits next.
    next_table: usize,
    /// Bytes of the journal not yet written.
    journal_bytes: u64,
    /// Page at which the journal goes on.
    journal_page: u64,
}

impl FileSystem {
    pub fn new(places: FileSystemPlaces) -> FileSystem {
        FileSystem {
            places,
            files: 0,
            is_empty: false,
            pages: Default::default(),
            next_table: TABLE,
            journal_bytes: 0,
            journal_page: 0,
        }
    }

    /// The end of everything it writes, in bytes from the start of the drive, for a drive of `capacity` bytes.
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
            self.is_empty = true;
            self.change(TABLE, self.files / RECORDS_A_PAGE);
            self.change(DIRECTORY, self.files / ENTRIES_A_PAGE);
            self.journal_bytes += JOURNAL_A_FILE;
        }
    }

    /// The newest file has grown by these sectors.
    pub fn grow(&mut self, run: Run) {
        if std::mem::take(&mut self.is_empty) {
            self.change(BITMAP, run.lba / SECTORS_A_BITMAP_PAGE);
        }
        if self.change(TABLE, self.files / RECORDS_A_PAGE) {
            self.journal_bytes += JOURNAL_A_GROWTH;
        }
    }

    /// Changes a page of a table; returns true if the drive had it as it was.
    fn change(&mut self, table: usize, page: u64) -> bool {
        let places = [self.places.table, self.places.bitmap, self.places.directory];
        let room_pages = ROOM_SECTORS / PAGE_SECTORS;
        let sector = places[table] / PAGE_BYTES * PAGE_SECTORS;
        self.pages[table].insert(sector + page % room_pages * PAGE_SECTORS)
    }

    pub fn is_clean(&self) -> bool {
        self.pages.iter().all(BTreeSet::is_empty)
    }

    /// Takes all there is to write: runs of the journal, which come first, and pages in order of address.
    pub fn take_all(&mut self) -> (Vec<Run>, Vec<Run>) {
        let mut pages: Vec<u64> = self.pages.iter_mut().flat_map(std::mem::take).collect();
        pages.sort_unstable();
        (self.take_journal(), runs(pages))
    }

    /// Takes what the lazy writer has to write of the next table that has changed: runs of the journal,
    /// which come first, and this share of the table's pages, in order of address.
    pub fn take(&mut self, share: f64) -> (Vec<Run>, Vec<Run>) {
        let mut turn = (0..TABLES).map(|n| (self.next_table + n) % TABLES);
        let Some(table) = turn.find(|&table| !self.pages[table].is_empty()) else {
            return (Vec::new(), Vec::new());
        };
        self.next_table = (table + 1) % TABLES;
        let dirty = &mut self.pages[table];
        let due = (dirty.len() as f64 * share).ceil() as usize;
        let pages = std::iter::from_fn(|| dirty.pop_first()).take(due).collect();
        (self.take_journal(), runs(pages))
    }

    fn take_journal(&mut self) -> Vec<Run> {
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
        journal
    }
}

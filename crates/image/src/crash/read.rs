//! A crash log is read: looked through once when it is opened, and event by event.

use super::format::{
    BLOCK_BYTES_MAX, BLOCK_HEAD_BYTES, CrashHeader, Event, FORMAT, HEAD_BYTES, HEADER_BYTES_MAX,
    MAGIC, MARK_BYTES_MAX, seal,
};
use ftlab_base::{Blame, SECTOR_BYTES};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Error of reading a crash log.
#[derive(Debug, Error)]
pub enum CrashLogError {
    /// The system does not do what is asked.
    #[error("{path}: cannot {what}: {why}")]
    System {
        /// Path of the log.
        path: PathBuf,
        /// The failed operation, as a verb.
        what: &'static str,
        /// Error of the system.
        why: io::Error,
    },
    /// It is no crash log, or one of another version.
    #[error("{path}: {why}")]
    Foreign {
        /// Path of the file.
        path: PathBuf,
        /// Description of the file, and the remedy.
        why: String,
    },
    /// It is not as it was written.
    #[error(
        "{path}: the crash log is damaged at byte {at}: {why}; record it again, or cut the file off there to use what \
         is before"
    )]
    Damaged {
        /// Path of the log.
        path: PathBuf,
        /// Position of the damage, in bytes.
        at: u64,
        /// Description of the damage.
        why: String,
    },
}

impl Blame for CrashLogError {
    fn is_input(&self) -> bool {
        match self {
            CrashLogError::Foreign { .. } => true,
            CrashLogError::System { why, .. } => why.kind() == ErrorKind::NotFound,
            CrashLogError::Damaged { .. } => false,
        }
    }
}

/// Counts of a crash log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CrashLogSummary {
    /// Writes that the drive was sent.
    pub writes: u64,
    /// Bytes of data that they wrote.
    pub written_bytes: u64,
    /// Trims of the host.
    pub trims: u64,
    /// Flushes, those of FUA among them.
    pub flushes: u64,
    /// Marks of workloads (`ftlab mark`), which checkers compare with a state.
    pub marks: u64,
    /// Bytes of data that were there before.
    pub base_bytes: u64,
    /// Instants at which cuts leave different things.
    pub points: u64,
    /// Nanoseconds from its beginning to what is said last.
    pub span_ns: u64,
    /// True if the log ends at a power cut of the drive.
    pub ended_by_cut: bool,
}

impl CrashLogSummary {
    pub(super) fn count(&mut self, event: &Event) {
        match *event {
            Event::Base { sectors, .. } => self.base_bytes += u64::from(sectors) * SECTOR_BYTES,
            Event::Wrote { sectors, .. } => {
                self.written_bytes += u64::from(sectors) * SECTOR_BYTES;
            }
            Event::Trimmed { .. } | Event::Erased { .. } => self.trims += 1,
            Event::Flush { .. } => self.flushes += 1,
            Event::Marked { .. } => self.marks += 1,
            _ => {}
        }
        self.points += u64::from(event.is_point());
        self.span_ns = event.at_ns().unwrap_or(self.span_ns);
    }
}

/// A crash log in a file.
#[derive(Debug)]
pub struct CrashLog {
    pub(super) path: PathBuf,
    header: CrashHeader,
    summary: CrashLogSummary,
    /// Points that lie before flushes.
    flushes: Vec<u64>,
    torn_bytes: u64,
}

impl CrashLog {
    /// Looks through a log.
    ///
    /// # Errors
    /// When the file cannot be read, is no crash log, or is damaged.
    pub fn open(path: &Path) -> Result<CrashLog, CrashLogError> {
        let mut reader = Reader::open(path)?;
        let mut summary = CrashLogSummary::default();
        let mut flushes = Vec::new();
        let mut begun = false;
        while let Some((event, _)) = reader.next()? {
            summary.count(&event);
            begun |= event == Event::Begun;
            match event {
                Event::Flush { .. } => flushes.push(summary.points),
                Event::Wrote { command, .. } => summary.writes = summary.writes.max(command),
                Event::Ended { by_cut } => summary.ended_by_cut = by_cut,
                _ => {}
            }
        }
        if !begun {
            let why = "it ends before everything that the drive held was written: record it again";
            let path = path.to_owned();
            let why = why.to_owned();
            return Err(CrashLogError::Foreign { path, why });
        }
        Ok(CrashLog {
            path: path.to_owned(),
            header: reader.header,
            summary,
            flushes,
            torn_bytes: reader.torn_bytes,
        })
    }

    /// Description of the log's drive.
    #[must_use]
    pub fn header(&self) -> &CrashHeader {
        &self.header
    }

    /// Counts of the log.
    #[must_use]
    pub fn summary(&self) -> &CrashLogSummary {
        &self.summary
    }

    /// The points at which a flush was asked for and nothing of it done.
    #[must_use]
    pub fn flushes(&self) -> &[u64] {
        &self.flushes
    }

    /// Bytes of a block at its end that was cut off, and is left out.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }
}

/// Reader of the events.
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
    at: u64,
    pub(super) header: CrashHeader,
    seal: u64,
    block: Vec<u8>,
    /// Bytes of the block that were read.
    read: usize,
    torn_bytes: u64,
    is_over: bool,
}

fn foreign(path: &Path, why: String) -> CrashLogError {
    CrashLogError::Foreign {
        path: path.to_owned(),
        why,
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Reads the header behind a head; gives the bytes that it takes and its seal, too. What it says bounds what blocks may say,
/// so sizes that no drive has are damage.
fn read_header(
    path: &Path,
    head: &[u8; HEAD_BYTES],
    file: &mut impl Read,
) -> Result<(CrashHeader, usize, u64), CrashLogError> {
    let (format, bytes) = (word(head, 8), word(head, 12) as usize);
    if format != FORMAT {
        let why = format!("it has format {format}, and this ftlab reads {FORMAT}: record it again");
        return Err(foreign(path, why));
    }
    let damaged = |why: String| CrashLogError::Damaged {
        path: path.to_owned(),
        at: 0,
        why,
    };
    // The length is checked before it is allocated: a damaged log must not take all memory.
    if bytes > HEADER_BYTES_MAX {
        return Err(damaged("its header has an impossible length".into()));
    }
    let mut body = vec![0; bytes];
    file.read_exact(&mut body)
        .map_err(|_| damaged("its header is not whole".into()))?;
    let sealed = seal(&body, &head[..16], 0);
    if sealed != long(head, 16) {
        return Err(damaged("its header's checksum is wrong".into()));
    }
    let header: CrashHeader =
        postcard::from_bytes(&body).map_err(|why| damaged(why.to_string()))?;
    let is_sound = header.slot_bytes >= SECTOR_BYTES
        && header.slot_bytes <= 1 << 16
        && header.slot_bytes.is_multiple_of(SECTOR_BYTES)
        && header.atomic_bytes >= SECTOR_BYTES
        && header.atomic_bytes.is_multiple_of(SECTOR_BYTES)
        && header.capacity_bytes.is_multiple_of(SECTOR_BYTES);
    if !is_sound {
        return Err(damaged("its header has impossible sizes".into()));
    }
    Ok((header, bytes, sealed))
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Reader, CrashLogError> {
        let system = |why| CrashLogError::System {
            path: path.to_owned(),
            what: "read it",
            why,
        };
        let no_log = || {
            foreign(
                path,
                "it is no crash log: `ftlab serve --crash-log` writes one".into(),
            )
        };
        let file = File::open(path).map_err(system)?;
        let about = file.metadata().map_err(system)?;
        // A folder can be opened, but its read would fail with an error that helps nobody.
        if about.is_dir() {
            return Err(no_log());
        }
        let length = about.len();
        let mut file = BufReader::with_capacity(1 << 17, file);
        let mut head = [0; HEAD_BYTES];
        file.read_exact(&mut head).map_err(|why| match why.kind() {
            ErrorKind::UnexpectedEof => no_log(),
            _ => system(why),
        })?;
        if head[..8] != MAGIC {
            return Err(no_log());
        }
        let (header, bytes, seal) = read_header(path, &head, &mut file)?;
        Ok(Reader {
            path: path.to_owned(),
            file,
            length,
            at: (HEAD_BYTES + bytes) as u64,
            header,
            seal,
            block: Vec::new(),
            read: 0,
            torn_bytes: 0,
            is_over: false,
        })
    }

    fn damaged(&self, why: &str) -> CrashLogError {
        CrashLogError::Damaged {
            path: self.path.clone(),
            at: self.at,
            why: why.to_owned(),
        }
    }

    fn system(&self, why: io::Error) -> CrashLogError {
        CrashLogError::System {
            path: self.path.clone(),
            what: "read it",
            why,
        }
    }

    /// The next event with its data; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Event, &[u8])>, CrashLogError> {
        if self.read == self.block.len() {
            self.is_over = self.is_over || !self.next_block()?;
            if self.is_over {
                return Ok(None);
            }
        }
        let rest = &self.block[self.read..];
        let Ok((event, behind)) = postcard::take_from_bytes::<Event>(rest) else {
            return Err(self.damaged("an event that nobody knows"));
        };
        let bytes = event.data_bytes(SECTOR_BYTES as usize);
        if bytes > behind.len() || !self.is_sound(&event) {
            return Err(self.damaged("an event that cannot be"));
        }
        let from = self.block.len() - behind.len();
        self.read = from + bytes;
        Ok(Some((event, &self.block[from..from + bytes])))
    }

    /// True if the slots and sectors that an event names are on the drive.
    fn is_sound(&self, event: &Event) -> bool {
        let sectors = self.header.capacity_bytes / SECTOR_BYTES;
        let slot_sectors = self.header.slot_bytes / SECTOR_BYTES;
        let slots = sectors.div_ceil(slot_sectors);
        match *event {
            Event::Base { sector, sectors: n } => sector
                .checked_add(n.into())
                .is_some_and(|end| end <= sectors),
            Event::Wrote {
                slot,
                first,
                sectors: n,
                ..
            } => {
                let from = u64::from(slot) * slot_sectors + u64::from(first);
                n > 0
                    && u64::from(first) < slot_sectors
                    && from + u64::from(n) <= slots * slot_sectors
            }
            Event::Withdrawn { slot }
            | Event::Handed { slot }
            | Event::Gone { slot }
            | Event::Programmed { slot } => u64::from(slot) < slots,
            Event::Settled { slot, slots: n } => u64::from(slot) + u64::from(n) <= slots,
            Event::Marked { bytes, .. } => bytes as usize <= MARK_BYTES_MAX,
            _ => true,
        }
    }

    /// Reads the next block; whether there is one.
    fn next_block(&mut self) -> Result<bool, CrashLogError> {
        let left = self.length.saturating_sub(self.at);
        if left < BLOCK_HEAD_BYTES as u64 {
            self.torn_bytes = left;
            return Ok(false);
        }
        let mut head = [0; BLOCK_HEAD_BYTES];
        self.file
            .read_exact(&mut head)
            .map_err(|why| self.system(why))?;
        let (events, packed) = (word(&head, 0) as usize, word(&head, 4) as usize);
        if xxh3_64_with_seed(&head[..8], self.seal) != long(&head, 8) {
            return self.torn_if_empty(&head, left);
        }
        if events == 0 || events > BLOCK_BYTES_MAX || packed > 2 * BLOCK_BYTES_MAX {
            return Err(self.damaged("a block of an impossible length"));
        }
        if left < (BLOCK_HEAD_BYTES + packed) as u64 {
            self.torn_bytes = left;
            return Ok(false);
        }
        let mut body = vec![0; packed];
        self.file
            .read_exact(&mut body)
            .map_err(|why| self.system(why))?;
        let sealed = seal(&body, &head[..16], self.seal);
        if sealed != long(&head, 16) {
            if left == (BLOCK_HEAD_BYTES + packed) as u64 {
                // The machine lost its power before it had all of it.
                self.torn_bytes = left;
                return Ok(false);
            }
            return Err(self.damaged("the checksum of a block is wrong"));
        }
        let unpacked = zstd::bulk::decompress(&body, events);
        match unpacked {
            Ok(block) if block.len() == events => self.block = block,
            _ => return Err(self.damaged("a block that cannot be unpacked")),
        }
        self.read = 0;
        self.seal = sealed;
        self.at += (BLOCK_HEAD_BYTES + packed) as u64;
        Ok(true)
    }

    /// A file whose end the machine did not get to write reads as zeroes there.
    fn torn_if_empty(&mut self, head: &[u8], left: u64) -> Result<bool, CrashLogError> {
        let mut is_empty = head.iter().all(|byte| *byte == 0);
        let mut rest = [0; 4096];
        while is_empty {
            match self.file.read(&mut rest) {
                Ok(0) => {
                    self.torn_bytes = left;
                    return Ok(false);
                }
                Ok(read) => is_empty = rest[..read].iter().all(|byte| *byte == 0),
                Err(why) => return Err(self.system(why)),
            }
        }
        Err(self.damaged("what begins there is no block that follows"))
    }
}

//! Jobs whose requests are of no whole sectors: they go through pages in the host's memory.
//!
//! A write changes pages and ends when they are changed. A flush writes those that have changed, one request for pages in a
//! row, and ends when the drive has flushed them. Before too many wait they are written without a flush, and the write that
//! makes it so waits for that. A read brings the pages that are not in memory. A page of which a part is written is taken to
//! be in memory, as that of a file that grows is. What has changed when the job ends is written behind it.

use super::shares::Shares;
use ftlab_base::{CommandKind, Lba, Nanos, SECTOR_BYTES, SimTime};
use ftlab_workload::Request;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const PAGE_BYTES: u64 = 4096;

/// Changed pages that may wait: 256 MiB, a tenth of a small machine's memory, as Linux has it by default
/// (`vm.dirty_background_ratio`).
const CHANGED_MAX: usize = (256 << 20) / PAGE_BYTES as usize;

/// What a call takes that no drive is asked for: no figure of a host, but time has to go on.
const IN_MEMORY: Nanos = Nanos::from_micros(1);

/// The pages of a job, and the call that is under way.
#[derive(Debug)]
pub struct Pages {
    capacity_bytes: u64,
    present: BTreeSet<u64>,
    changed: BTreeSet<u64>,
    /// The last write, whose data and place are those of all.
    like: Request,
}

impl Pages {
    /// Those of a drive of that size.
    pub fn new(capacity_bytes: u64) -> Pages {
        Pages {
            capacity_bytes,
            present: BTreeSet::new(),
            changed: BTreeSet::new(),
            like: Request::FLUSH,
        }
    }

    /// What a request of the job, in bytes, asks of the drive at once; `flushes` says that a flush comes behind it.
    pub fn requests(&mut self, request: &Request, flushes: bool) -> Vec<Request> {
        let (from, length) = (request.lba.0, u64::from(request.sectors));
        let pages = from / PAGE_BYTES..(from + length).div_ceil(PAGE_BYTES);
        if request.kind == CommandKind::Read {
            let missing = pages.filter(|&page| self.present.insert(page));
            let missing = missing.collect();
            return self.in_rows(missing, request);
        }
        if request.kind == CommandKind::Write {
            self.like = *request;
            self.present.extend(pages.clone());
            self.changed.extend(pages);
        }
        match flushes || self.changed.len() >= CHANGED_MAX {
            true => self.write_back(),
            false => Vec::new(),
        }
    }

    /// Writes of all that has changed.
    pub fn write_back(&mut self) -> Vec<Request> {
        let changed = std::mem::take(&mut self.changed);
        self.in_rows(changed, &self.like)
    }

    /// A request for each row of pages.
    fn in_rows(&self, pages: BTreeSet<u64>, like: &Request) -> Vec<Request> {
        let mut rows: Vec<Range<u64>> = Vec::new();
        for page in pages {
            match rows.last_mut() {
                Some(row) if row.end == page => row.end += 1,
                _ => rows.push(page..page + 1),
            }
        }
        let request = |row: Range<u64>| {
            let end = (row.end * PAGE_BYTES).min(self.capacity_bytes);
            Request {
                lba: Lba(row.start * PAGE_BYTES / SECTOR_BYTES),
                sectors: ((end - row.start * PAGE_BYTES) / SECTOR_BYTES) as u32,
                ..*like
            }
        };
        rows.into_iter().map(request).collect()
    }
}

/// A job's pages of each of its devices, and its call that is under way.
#[derive(Debug)]
pub struct Paged {
    pages: BTreeMap<usize, Pages>,
    call: Option<Call>,
}

/// A call that is under way: requests at the drive, and then perhaps a flush.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    pub device: usize,
    pub kind: CommandKind,
    pub bytes: u64,
    pub counts: bool,
    pub from: SimTime,
    pub is_good: bool,
    left: usize,
    flushes: bool,
}

/// What comes behind an answer of the drive.
#[derive(Debug, Clone, Copy)]
pub enum Behind {
    /// Others of the call.
    Others,
    /// The flush of the call, on that device.
    Flush(usize),
    /// Nothing: the call has ended.
    End(Call),
}

impl Paged {
    /// The pages of a job, where its requests go through some.
    pub fn of(shares: &Shares) -> Option<Paged> {
        let pages = shares.devices();
        let pages = pages.map(|(device, job)| (device, Pages::new(job.device_bytes)));
        shares.job().spec.is_paged().then(|| Paged {
            pages: pages.collect(),
            call: None,
        })
    }

    /// Begins a call; gives what it asks of the drive at once, which is nothing where it ends in memory.
    pub fn begin(
        &mut self,
        (device, request): (usize, Request),
        flushes: bool,
        now: SimTime,
    ) -> Vec<Request> {
        let pages = self.pages.get_mut(&device).expect("one of its devices");
        let flushes = flushes || request.kind == CommandKind::Flush;
        let mut requests = pages.requests(&request, flushes);
        let flushes_later = flushes && !requests.is_empty();
        if flushes && !flushes_later {
            requests.push(Request::FLUSH);
        }
        self.call = Some(Call {
            device,
            kind: request.kind,
            bytes: u64::from(request.sectors),
            counts: request.counts,
            from: now,
            is_good: true,
            left: requests.len(),
            flushes: flushes_later,
        });
        requests
    }

    /// One of the call's requests has ended.
    pub fn ended(&mut self, is_good: bool) -> Behind {
        let call = self.call.as_mut().expect("a call is under way");
        call.is_good &= is_good;
        call.left -= 1;
        if call.left > 0 {
            return Behind::Others;
        }
        if std::mem::take(&mut call.flushes) && call.is_good {
            call.left = 1;
            return Behind::Flush(call.device);
        }
        let call = *call;
        self.call = None;
        Behind::End(call)
    }

    /// When the call ends that asks nothing of the drive.
    pub fn ends_at(&self) -> SimTime {
        let in_memory = self.call.filter(|call| call.left == 0);
        in_memory.map_or(SimTime::NEVER, |call| call.from + IN_MEMORY)
    }

    /// The call that has ended in memory.
    pub fn take_in_memory(&mut self, now: SimTime) -> Option<Call> {
        let has_ended = self.ends_at() <= now;
        has_ended.then(|| self.call.take()).flatten()
    }

    /// Writes of what has changed, each with its device.
    pub fn write_back(&mut self) -> Vec<(usize, Request)> {
        let pages = self.pages.iter_mut();
        let all = pages.flat_map(|(&device, pages)| {
            let requests = pages.write_back();
            requests.into_iter().map(move |request| (device, request))
        });
        all.collect()
    }

    /// What a request asks of a drive that has no clock: these, one after the other.
    pub fn untimed(&mut self, (device, request): (usize, Request), flushes: bool) -> Vec<Request> {
        let pages = self.pages.get_mut(&device).expect("one of its devices");
        let flushes = flushes || request.kind == CommandKind::Flush;
        let mut requests = pages.requests(&request, flushes);
        requests.extend(flushes.then_some(Request::FLUSH));
        requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: CommandKind, from: u64, bytes: u32) -> Request {
        Request {
            kind,
            lba: Lba(from),
            sectors: bytes,
            ..Request::FLUSH
        }
    }

    #[test]
    fn a_flush_writes_the_pages_that_have_changed() {
        let mut pages = Pages::new(1 << 20);
        let mut call = |kind, from, bytes| {
            let requests = pages.requests(&request(kind, from, bytes), kind == CommandKind::Flush);
            let places = requests.iter().map(|r| (r.lba.0, r.sectors));
            places.collect::<Vec<_>>()
        };
        let none = Vec::new();
        assert_eq!(call(CommandKind::Write, 3000, 2300), none);
        assert_eq!(call(CommandKind::Write, 40_960, 1), none);
        assert_eq!(call(CommandKind::Flush, 0, 0), vec![(0, 16), (80, 8)]);
        assert_eq!(call(CommandKind::Flush, 0, 0), none);
        // The second page is in memory.
        assert_eq!(call(CommandKind::Read, 5000, 5000), vec![(16, 8)]);
        assert_eq!(call(CommandKind::Read, 5000, 5000), none);
    }
}

//! Jobs whose requests are of no whole sectors: they go through pages in the host's memory.
//!
//! A write changes pages and ends when they are changed; at the host's dirty limit it waits for the lazy writer
//! (`write_back.rs`), which brings changed pages to the drive. A flush has what has changed on its drive written, whoever
//! did that, and ends when the drive has flushed it. A read brings the pages that are not in memory, and no others: the host
//! does not read ahead. A page of which a part is written is taken to be in memory, as that of a file that grows is; nothing
//! else pushes pages out. What is changed when the jobs end is written behind them.

use super::shares::Shares;
use super::write_back::{Data, PAGE_SECTORS, Ticket, WriteBack};
use ftlab_base::{CommandKind, Lba, Nanos, SECTOR_BYTES, SimTime};
use ftlab_host::PageCache;
use ftlab_workload::Request;
use ftlab_workload::script::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(crate) const PAGE_BYTES: u64 = PAGE_SECTORS * SECTOR_BYTES;

/// The pages that a request in bytes touches.
fn pages_of(request: &Request) -> Range<u64> {
    let (from, length) = (request.lba.0, u64::from(request.sectors));
    from / PAGE_BYTES..(from + length).div_ceil(PAGE_BYTES)
}

fn in_sectors(pages: &Range<u64>) -> Run {
    Run {
        lba: pages.start * PAGE_SECTORS,
        sectors: ((pages.end - pages.start) * PAGE_SECTORS) as u32,
    }
}

/// The pages of a drive.
#[derive(Debug)]
pub struct Pages {
    capacity_sectors: u64,
    present: BTreeSet<u64>,
    write_back: WriteBack,
    /// A write that nobody waited for has failed: the next flush says so.
    has_failed: bool,
}

impl Pages {
    fn new(capacity_bytes: u64, cache: PageCache) -> Pages {
        Pages {
            capacity_sectors: capacity_bytes / SECTOR_BYTES,
            present: BTreeSet::new(),
            write_back: WriteBack::new(cache),
            has_failed: false,
        }
    }

    /// Takes a write of a job in, if there is room below the dirty limit.
    fn write(&mut self, job: usize, request: &Request, now: SimTime) -> bool {
        let pages = pages_of(request);
        let data = Data {
            content: request.content,
            placement: request.placement,
        };
        let is_in = self.write_back.admit(job, in_sectors(&pages), data, now);
        if is_in {
            self.present.extend(pages);
        }
        is_in
    }

    /// Returns the requests of a read to the drive: one for each row of pages that are not in memory.
    fn read(&mut self, request: &Request) -> Vec<Request> {
        let missing = pages_of(request).filter(|&page| self.present.insert(page));
        let mut rows: Vec<Range<u64>> = Vec::new();
        for page in missing {
            match rows.last_mut() {
                Some(row) if row.end == page => row.end += 1,
                _ => rows.push(page..page + 1),
            }
        }
        let ask = |row: Range<u64>| self.request(in_sectors(&row), request);
        rows.iter().cloned().map(ask).collect()
    }

    /// A request for these sectors, as far as the drive has them.
    fn request(&self, run: Run, like: &Request) -> Request {
        let room = self.capacity_sectors - run.lba;
        Request {
            lba: Lba(run.lba),
            sectors: u64::from(run.sectors).min(room) as u32,
            ..*like
        }
    }

    /// The lazy writer's next request.
    fn next_write(&mut self) -> Option<(Request, Ticket)> {
        let write = self.write_back.next()?;
        let like = Request {
            kind: CommandKind::Write,
            content: write.data.content,
            placement: write.data.placement,
            ..Request::FLUSH
        };
        Some((self.request(write.run, &like), write.ticket))
    }

    /// All that has changed, for a drive without a clock.
    fn drain(&mut self) -> Vec<Request> {
        self.write_back.sync();
        let next = || {
            let (request, ticket) = self.next_write()?;
            self.write_back.ended(ticket);
            Some(request)
        };
        std::iter::from_fn(next).collect()
    }
}

/// The pages of the drives of some jobs.
fn pages_of_drives<'s>(
    jobs: impl Iterator<Item = &'s Shares>,
    cache: PageCache,
) -> BTreeMap<usize, Pages> {
    let drives = jobs.flat_map(Shares::devices);
    let mut bytes: BTreeMap<usize, u64> = BTreeMap::new();
    for (device, job) in drives {
        // Jobs on files see no more of a drive than the end of theirs.
        let most = bytes.entry(device).or_default();
        *most = job.device_bytes.max(*most);
    }
    let pages = bytes.into_iter();
    pages
        .map(|(device, bytes)| (device, Pages::new(bytes, cache)))
        .collect()
}

/// A job's pages where there is no clock, and so no lazy writer between its requests.
#[derive(Debug)]
pub struct Untimed {
    pages: BTreeMap<usize, Pages>,
}

impl Untimed {
    /// Those of a job, where its requests go through some.
    pub fn of(shares: &Shares, cache: Option<PageCache>) -> Option<Untimed> {
        let cache = cache.filter(|_| shares.job().spec.is_paged())?;
        let pages = pages_of_drives(std::iter::once(shares), cache);
        Some(Untimed { pages })
    }

    /// Returns the requests of a call to the drive, one after the other.
    pub fn requests(&mut self, (device, request): (usize, Request), flushes: bool) -> Vec<Request> {
        let pages = self.pages.get_mut(&device).expect("one of its devices");
        let mut requests = match request.kind {
            CommandKind::Read => pages.read(&request),
            CommandKind::Write if !pages.write(0, &request, SimTime::ZERO) => {
                let all = pages.drain();
                let is_in = pages.write(0, &request, SimTime::ZERO);
                assert!(is_in, "nothing is dirty");
                all
            }
            _ => Vec::new(),
        };
        if flushes || request.kind == CommandKind::Flush {
            requests.extend(pages.drain());
            requests.push(Request::FLUSH);
        }
        requests
    }

    /// Writes of what has changed, each with its device.
    pub fn write_back(&mut self) -> Vec<(usize, Request)> {
        let pages = self.pages.iter_mut();
        let all = pages.flat_map(|(&device, pages)| {
            let requests = pages.drain().into_iter();
            requests.map(move |request| (device, request))
        });
        all.collect()
    }
}

/// The calls of jobs that go through pages, on a clock.
#[derive(Debug)]
pub struct Paged {
    pages: BTreeMap<usize, Pages>,
    /// By job, which goes through pages or not; the call that is under way.
    calls: Vec<Lane>,
    memory_call: Nanos,
}

#[derive(Debug, Clone, Copy)]
enum Lane {
    /// Its requests go to the drive.
    Direct,
    Idle,
    Busy(Call),
}

/// A call that is under way.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    pub device: usize,
    pub kind: CommandKind,
    pub bytes: u64,
    pub counts: bool,
    pub from: SimTime,
    pub is_good: bool,
    /// A flush comes behind it.
    flushes: bool,
    step: Step,
}

/// Event that a call waits for.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Its time in memory.
    Memory(SimTime),
    /// Room below the dirty limit, for this write.
    Room(Request),
    /// Reads of the drive, which have yet to end.
    Reads(u32),
    /// The writes that it syncs.
    Written(u64),
    /// The flush of the drive.
    Flush,
}

impl Paged {
    /// Those of the jobs of a group, where the requests of some go through pages.
    pub fn of(jobs: &[&Shares], cache: Option<PageCache>) -> Option<Paged> {
        let cache = cache?;
        let is_paged = |job: &Shares| job.job().spec.is_paged();
        let paged = jobs.iter().copied().filter(|job| is_paged(job));
        let pages = pages_of_drives(paged, cache);
        let lane = |job: &&Shares| match is_paged(job) {
            true => Lane::Idle,
            false => Lane::Direct,
        };
        (!pages.is_empty()).then(|| Paged {
            pages,
            calls: jobs.iter().map(lane).collect(),
            memory_call: cache.memory_call.expect("a cache for jobs has it"),
        })
    }

    /// Returns true if a job's requests go through pages.
    pub fn takes(&self, job: usize) -> bool {
        !matches!(self.calls[job], Lane::Direct)
    }

    /// Begins a call and returns the reads that it asks of its drive at once.
    pub fn begin(
        &mut self,
        job: usize,
        (device, request): (usize, Request),
        flushes: bool,
        now: SimTime,
    ) -> Vec<Request> {
        let pages = self.pages.get_mut(&device).expect("one of its devices");
        let mut call = Call {
            device,
            kind: request.kind,
            bytes: u64::from(request.sectors),
            counts: request.counts,
            from: now,
            is_good: true,
            flushes: flushes || request.kind == CommandKind::Flush,
            step: Step::Memory(now + self.memory_call),
        };
        // A read waits for its pages alone; a write for room, and then for the drive only if it has to be there.
        let mut reads = Vec::new();
        match request.kind {
            CommandKind::Read => {
                reads = pages.read(&request);
                if !reads.is_empty() {
                    call.step = Step::Reads(reads.len() as u32);
                }
            }
            CommandKind::Write if !pages.write(job, &request, now) => {
                call.step = Step::Room(request);
            }
            _ if call.flushes => call.step = Step::Written(pages.write_back.sync()),
            _ => {}
        }
        self.calls[job] = Lane::Busy(call);
        reads
    }

    /// Lets calls go on that waited for room or for what they sync; the drives on which a job's call flushes now.
    pub fn go_on(&mut self, now: SimTime) -> Vec<(usize, usize)> {
        for pages in self.pages.values_mut() {
            // In the order in which they came: a small write does not pass a large one that waits for room.
            while let Some(job) = pages.write_back.next_deferred() {
                let Lane::Busy(call) = &mut self.calls[job] else {
                    unreachable!("a job waits in its call");
                };
                let Step::Room(request) = call.step else {
                    unreachable!("it waits for room");
                };
                if !pages.write(job, &request, now) {
                    break;
                }
                call.step = match call.flushes {
                    true => Step::Written(pages.write_back.sync()),
                    false => Step::Memory(now + self.memory_call),
                };
            }
        }
        let mut flushes = Vec::new();
        for (job, lane) in self.calls.iter_mut().enumerate() {
            let Lane::Busy(call) = lane else { continue };
            let pages = self.pages.get_mut(&call.device).expect("its pages");
            if let Step::Written(synced) = call.step
                && pages.write_back.is_written(synced)
            {
                call.is_good &= !std::mem::take(&mut pages.has_failed);
                call.step = Step::Flush;
                flushes.push((job, call.device));
            }
        }
        flushes
    }

    /// The lazy writer's next request, of any of the drives.
    pub fn next_write(&mut self, now: SimTime) -> Option<(usize, Request, Ticket)> {
        self.pages.iter_mut().find_map(|(&device, pages)| {
            pages.write_back.tick(now);
            if !pages.write_back.may_ask(0) {
                return None;
            }
            let (request, ticket) = pages.next_write()?;
            Some((device, request, ticket))
        })
    }

    /// A write of the lazy writer has ended.
    pub fn written(&mut self, device: usize, ticket: Ticket, is_good: bool) {
        let pages = self.pages.get_mut(&device).expect("its pages");
        pages.write_back.ended(ticket);
        pages.has_failed |= !is_good;
    }

    /// A read or a flush of a job's call has ended; the call, if that was all.
    pub fn ended(&mut self, job: usize, is_good: bool) -> Option<Call> {
        let Lane::Busy(call) = &mut self.calls[job] else {
            unreachable!("a call is under way");
        };
        call.is_good &= is_good;
        if let Step::Reads(left) = &mut call.step {
            *left -= 1;
            if *left > 0 {
                return None;
            }
        }
        self.take(job)
    }

    fn take(&mut self, job: usize) -> Option<Call> {
        match std::mem::replace(&mut self.calls[job], Lane::Idle) {
            Lane::Busy(call) => Some(call),
            lane => {
                self.calls[job] = lane;
                None
            }
        }
    }

    /// The call of a job that has ended in memory.
    pub fn take_in_memory(&mut self, job: usize, now: SimTime) -> Option<Call> {
        let has_ended = ends_at(&self.calls[job]) <= now;
        has_ended.then(|| self.take(job)).flatten()
    }

    /// Returns the instant of the next event without the drives: a call ends in memory, or the lazy writer begins.
    pub fn next(&self, now: SimTime) -> SimTime {
        let ends = self.calls.iter().map(ends_at);
        let passes = self
            .pages
            .values()
            .map(|pages| pages.write_back.next_pass());
        ends.chain(passes)
            .fold(SimTime::NEVER, SimTime::min)
            .max(now)
    }

    /// Requests of the lazy writer that are outstanding.
    pub fn writes_at_drives(&self) -> u64 {
        let drives = self.pages.values();
        drives.map(|pages| pages.write_back.at_drive()).sum()
    }

    /// Returns true if no call is under way.
    pub fn is_idle(&self) -> bool {
        !self.calls.iter().any(|lane| matches!(lane, Lane::Busy(_)))
    }

    /// Has all that has changed written.
    pub fn sync(&mut self) {
        for pages in self.pages.values_mut() {
            pages.write_back.sync();
        }
    }
}

/// Returns the end of a call that asks nothing of the drive; `NEVER` for others.
fn ends_at(lane: &Lane) -> SimTime {
    match lane {
        Lane::Busy(Call {
            step: Step::Memory(ends),
            ..
        }) => *ends,
        _ => SimTime::NEVER,
    }
}

//! Data that programs have written and the drive has not: dirty data, and the lazy writer.
//!
//! A program's write ends when the system has the data. Once an interval a *pass* of the lazy
//! writer brings a share of what is dirty to the drive, at least as much as became dirty since the
//! last one, so that the amount settles. Above a *background limit*, if the system has one, a pass begins at once and
//! goes down to it. At the *dirty limit* programs wait, and everything is
//! written. What a program *syncs* is written before all else. So a drive that writes slower than its programs makes them
//! wait in the end; one that stalls makes them wait at once, since their reads stand behind the lazy
//! writer's requests.

use ftlab_base::{Content, Placement, SECTOR_BYTES, SimTime};
use ftlab_host::PageCache;
use ftlab_workload::script::Run;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Pages of 4 KiB, in which the system's cache keeps everything.
pub const PAGE_SECTORS: u64 = 8;

/// Properties of data that a write passes to the drive.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    pub content: Content,
    pub placement: Placement,
}

impl From<Content> for Data {
    fn from(content: Content) -> Data {
        Data {
            content,
            placement: Placement::DEFAULT,
        }
    }
}

/// Dirty data in a row. They are as compressible as what programs wrote there, on average, and lie where the last of
/// them is to lie.
#[derive(Debug, Clone, Copy)]
struct Extent {
    sectors: u64,
    data: Data,
}

impl Extent {
    /// Joins two extents into `sectors` sectors, as compressible as both together.
    fn joined(self, other: Extent, sectors: u64) -> Extent {
        let parts = |extent: Extent| u32::try_from(extent.sectors).unwrap_or(u32::MAX);
        let (theirs, others) = (self.data.content, other.data.content);
        let content = theirs.mixed(parts(self), others, parts(other));
        let data = Data {
            content,
            ..self.data
        };
        Extent { sectors, data }
    }
}

/// A request of the lazy writer.
#[derive(Debug, Clone, Copy)]
pub struct Write {
    pub run: Run,
    pub data: Data,
    pub ticket: Ticket,
}

/// Tag that tells a request of the lazy writer from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub sectors: u32,
    number: u64,
}

/// The pages that a run touches.
fn in_pages(run: Run) -> Run {
    let first = run.lba / PAGE_SECTORS * PAGE_SECTORS;
    let end = (run.lba + u64::from(run.sectors)).next_multiple_of(PAGE_SECTORS);
    Run {
        lba: first,
        sectors: (end - first) as u32,
    }
}

/// Dirty data of all programs on a drive, and who writes them.
#[derive(Debug)]
pub struct WriteBack {
    cache: PageCache,
    /// By their first sector; neither overlapping nor touching.
    waiting: BTreeMap<u64, Extent>,
    waiting_sectors: u64,
    /// Data that programs sync: on their way, before all that waits.
    synced: VecDeque<(Run, Data)>,
    /// Requests that are at the drive, by their numbers, and how many there have been.
    at_drive: BTreeSet<u64>,
    begun: u64,
    in_flight_sectors: u64,
    dirty_max_sectors: u64,
    /// Sectors that became dirty since the last pass.
    dirtied: u64,
    /// Sectors that the present pass has yet to write.
    budget: u64,
    /// A program has met the limit since the last pass began.
    someone_waits: bool,
    /// Programs at the limit, the one that has waited longest first, each with the sectors it has to
    /// write.
    deferred: VecDeque<(usize, u64)>,
    /// Place at which the pass goes on.
    cursor: u64,
    next_pass: SimTime,
}

impl WriteBack {
    pub fn new(cache: PageCache) -> WriteBack {
        WriteBack {
            cache,
            waiting: BTreeMap::new(),
            waiting_sectors: 0,
            synced: VecDeque::new(),
            at_drive: BTreeSet::new(),
            begun: 0,
            in_flight_sectors: 0,
            dirty_max_sectors: 0,
            dirtied: 0,
            budget: 0,
            someone_waits: false,
            deferred: VecDeque::new(),
            cursor: 0,
            next_pass: SimTime::NEVER,
        }
    }

    /// Takes data of a program in; false when the limit is reached, or another
    /// program waits at it. Then everything is written, and the program asks again when it is the
    /// [`WriteBack::next_deferred`]. The system keeps data in whole pages, and so it writes them.
    pub fn admit(&mut self, program: usize, run: Run, data: Data, now: SimTime) -> bool {
        let run = in_pages(run);
        let sectors = u64::from(run.sectors);
        let is_next = self.deferred.front().is_none_or(|&(p, _)| p == program);
        if !is_next || !self.has_room(sectors) {
            self.someone_waits = true;
            if self.deferred.iter().all(|&(p, _)| p != program) {
                self.deferred.push_back((program, sectors));
            }
            return false;
        }
        self.deferred.pop_front();
        let added = self.insert(run, data);
        self.waiting_sectors += added;
        self.dirtied += added;
        self.dirty_max_sectors = self.dirty_max_sectors.max(self.dirty_sectors());
        if self.next_pass == SimTime::NEVER {
            let interval = self.cache.lazy_writer_interval.0;
            self.next_pass = SimTime((now.0 / interval + 1).saturating_mul(interval));
        }
        true
    }

    fn has_room(&self, sectors: u64) -> bool {
        let dirty = self.dirty_sectors();
        dirty == 0 || dirty + sectors <= self.cache.dirty_limit_bytes / SECTOR_BYTES
    }

    /// The program that has waited longest at the limit, once there is room for it.
    pub fn next_deferred(&self) -> Option<usize> {
        let &(program, sectors) = self.deferred.front()?;
        self.has_room(sectors).then_some(program)
    }

    /// Puts a run among those that wait and returns the sectors that were not there before.
    fn insert(&mut self, run: Run, data: Data) -> u64 {
        let (mut start, mut end) = (run.lba, run.lba + u64::from(run.sectors));
        let mut held = 0;
        let mut whole = Extent {
            sectors: end - start,
            data,
        };
        while let Some((&lba, &other)) = self.waiting.range(..=end).next_back() {
            if lba + other.sectors < start {
                break;
            }
            self.waiting.remove(&lba);
            held += other.sectors;
            start = start.min(lba);
            end = end.max(lba + other.sectors);
            whole = whole.joined(other, end - start);
        }
        self.waiting.insert(start, whole);
        end - start - held
    }

    fn dirty_sectors(&self) -> u64 {
        self.waiting_sectors + self.in_flight_sectors
    }

    /// The most that was dirty at a time.
    pub fn dirty_max_bytes(&self) -> u64 {
        self.dirty_max_sectors * SECTOR_BYTES
    }

    /// Returns the instant at which a pass begins: an interval after the last one began, or at once when a program
    /// waits or too much is dirty, and not before the last one is over.
    pub fn next_pass(&self) -> SimTime {
        let passes = self.budget > 0 || self.in_flight_sectors > 0;
        match (passes, self.someone_waits || self.above_background() > 0) {
            (true, _) => SimTime::NEVER,
            (false, true) => SimTime::ZERO,
            (false, false) => self.next_pass,
        }
    }

    /// Sectors that wait above the background limit.
    fn above_background(&self) -> u64 {
        let limit = self.cache.dirty_background_bytes.unwrap_or(u64::MAX);
        self.waiting_sectors.saturating_sub(limit / SECTOR_BYTES)
    }

    /// Returns true if data of programs are on their way to the drive.
    pub fn data_in_flight(&self) -> bool {
        self.in_flight_sectors > 0
    }

    /// Begins the pass that is due.
    pub fn tick(&mut self, now: SimTime) {
        if now < self.next_pass() {
            return;
        }
        let everything = std::mem::take(&mut self.someone_waits);
        if self.waiting_sectors == 0 {
            self.next_pass = SimTime::NEVER;
            return;
        }
        self.next_pass = now + self.cache.lazy_writer_interval;
        let pages = (self.waiting_sectors / PAGE_SECTORS) as f64;
        let share = (pages * self.cache.lazy_writer_share).ceil() as u64 * PAGE_SECTORS;
        let due = match everything {
            true => u64::MAX,
            false => share.max(self.dirtied).max(self.above_background()),
        };
        self.dirtied = 0;
        self.budget = due.min(self.waiting_sectors);
    }

    /// Has all that waits written before all else; returns the number that [`WriteBack::is_written`] takes for it and
    /// for what is on its way.
    pub fn sync(&mut self) -> u64 {
        for (lba, extent) in std::mem::take(&mut self.waiting) {
            let (mut from, end) = (lba, lba + extent.sectors);
            while from < end {
                let sectors = (end - from).min(self.request_sectors_max()) as u32;
                self.synced
                    .push_back((Run { lba: from, sectors }, extent.data));
                from += u64::from(sectors);
            }
        }
        self.in_flight_sectors += std::mem::take(&mut self.waiting_sectors);
        (self.budget, self.dirtied) = (0, 0);
        self.begun + self.synced.len() as u64
    }

    /// Returns true if what was synced is on the drive.
    pub fn is_written(&self, synced: u64) -> bool {
        let next = self.at_drive.first().copied();
        next.unwrap_or(self.begun) >= synced
    }

    fn request_sectors_max(&self) -> u64 {
        self.cache.write_bytes / SECTOR_BYTES
    }

    /// Returns the number of its requests outstanding.
    pub fn at_drive(&self) -> u64 {
        self.at_drive.len() as u64
    }

    /// Returns true if the lazy writer may have one more request outstanding, beside its own and `others` of the rest
    /// of the system.
    pub fn may_ask(&self, others: usize) -> bool {
        self.at_drive.len() + others < self.cache.write_depth as usize
    }

    /// The lazy writer's next request.
    pub fn next(&mut self) -> Option<Write> {
        let (run, data) = self.synced.pop_front().or_else(|| self.next_of_pass())?;
        let ticket = Ticket {
            sectors: run.sectors,
            number: self.begun,
        };
        self.begun += 1;
        self.at_drive.insert(ticket.number);
        Some(Write { run, data, ticket })
    }

    fn next_of_pass(&mut self) -> Option<(Run, Data)> {
        if self.budget == 0 {
            return None;
        }
        let ahead = self.waiting.range(self.cursor..).next();
        let (&lba, &extent) = ahead.or_else(|| self.waiting.iter().next())?;
        let taken = extent
            .sectors
            .min(self.request_sectors_max())
            .min(self.budget);
        self.waiting.remove(&lba);
        if taken < extent.sectors {
            let sectors = extent.sectors - taken;
            self.waiting
                .insert(lba + taken, Extent { sectors, ..extent });
        }
        self.cursor = lba + taken;
        self.budget -= taken;
        self.waiting_sectors -= taken;
        self.in_flight_sectors += taken;
        let sectors = taken as u32;
        Some((Run { lba, sectors }, extent.data))
    }

    /// A request of the lazy writer has ended.
    pub fn ended(&mut self, ticket: Ticket) {
        self.at_drive.remove(&ticket.number);
        self.in_flight_sectors -= u64::from(ticket.sectors);
    }
}

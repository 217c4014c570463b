//! What programs have written and the drive has not: dirty data, and the lazy writer.
//!
//! A program's write ends when the system has the data. Once an interval a *pass* of the lazy
//! writer brings a share of what is dirty to the drive, at least as much as became dirty since the
//! last one, so that the amount settles. At the *dirty limit* programs wait, and everything is
//! written. Beside that, once an interval, the lazy writer comes to one of the file system's tables,
//! and to all of them at a checkpoint. So a drive that writes slower than its programs makes them wait
//! in the end; one that stalls makes them wait at once, since their reads stand behind the lazy
//! writer's requests.

use super::file_system::{FileSystem, PAGE_SECTORS};
use super::owner::Owner;
use ftlab_base::{Content, SECTOR_BYTES, SimTime};
use ftlab_host::OperatingSystem;
use ftlab_workload::script::Run;
use std::collections::{BTreeMap, VecDeque};

/// Dirty data in a row. They are as compressible as what programs wrote there, on average.
#[derive(Debug, Clone, Copy)]
struct Extent {
    sectors: u64,
    content: Content,
}

impl Extent {
    /// So many sectors, as compressible as these and others together.
    fn joined(self, other: Extent, sectors: u64) -> Extent {
        let parts = |extent: Extent| u32::try_from(extent.sectors).unwrap_or(u32::MAX);
        let content = self.content.mixed(parts(self), other.content, parts(other));
        Extent { sectors, content }
    }
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

/// Dirty data of all programs, and who writes them.
#[derive(Debug)]
pub struct WriteBack {
    os: OperatingSystem,
    file_system: FileSystem,
    /// By their first sector; neither overlapping nor touching.
    waiting: BTreeMap<u64, Extent>,
    waiting_sectors: u64,
    in_flight_sectors: u64,
    dirty_max_sectors: u64,
    limit_sectors: u64,
    /// Sectors that became dirty since the last pass.
    dirtied: u64,
    /// Sectors that the present pass has yet to write.
    budget: u64,
    /// A program has met the limit since the last pass began.
    someone_waits: bool,
    /// Programs at the limit, the one that has waited longest first, each with the sectors it has to
    /// write.
    deferred: VecDeque<(usize, u64)>,
    /// Where the pass goes on.
    cursor: u64,
    next_pass: SimTime,
    /// When the lazy writer comes to a table; never while none has changed.
    next_table: SimTime,
    next_checkpoint: SimTime,
    journal: VecDeque<Run>,
    pages: VecDeque<Run>,
    journal_in_flight: bool,
    /// The last request was the file system's: now data have their turn.
    tables_had_turn: bool,
    requests: u32,
}

impl WriteBack {
    pub fn new(os: &OperatingSystem) -> WriteBack {
        WriteBack {
            file_system: FileSystem::new(os.file_system),
            waiting: BTreeMap::new(),
            waiting_sectors: 0,
            in_flight_sectors: 0,
            dirty_max_sectors: 0,
            limit_sectors: os.dirty_limit_bytes / SECTOR_BYTES,
            dirtied: 0,
            budget: 0,
            someone_waits: false,
            deferred: VecDeque::new(),
            cursor: 0,
            next_pass: SimTime::NEVER,
            next_table: SimTime::NEVER,
            next_checkpoint: SimTime::ZERO + os.checkpoint_interval,
            journal: VecDeque::new(),
            pages: VecDeque::new(),
            journal_in_flight: false,
            tables_had_turn: false,
            requests: 0,
            os: os.clone(),
        }
    }

    /// Files that the next writes begin.
    pub fn begin_files(&mut self, count: u64) {
        self.file_system.begin_files(count);
    }

    /// Takes data of a program in, of what `content` tells; false when the limit is reached, or another
    /// program waits at it. Then everything is written, and the program asks again when it is the
    /// [`WriteBack::next_deferred`]. The system keeps data in whole pages, and so it writes them.
    pub fn admit(&mut self, program: usize, run: Run, content: Content, now: SimTime) -> bool {
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
        let added = self.insert(run, content);
        self.waiting_sectors += added;
        self.dirtied += added;
        self.dirty_max_sectors = self.dirty_max_sectors.max(self.dirty_sectors());
        self.file_system.grow(run);
        let interval = self.os.lazy_writer_interval.0;
        let next = SimTime((now.0 / interval + 1).saturating_mul(interval));
        for waits in [&mut self.next_pass, &mut self.next_table] {
            if *waits == SimTime::NEVER {
                *waits = next;
            }
        }
        true
    }

    fn has_room(&self, sectors: u64) -> bool {
        let dirty = self.dirty_sectors();
        dirty == 0 || dirty + sectors <= self.limit_sectors
    }

    /// The program that has waited longest at the limit, once there is room for it.
    pub fn next_deferred(&self) -> Option<usize> {
        let &(program, sectors) = self.deferred.front()?;
        self.has_room(sectors).then_some(program)
    }

    /// Puts a run among those that wait; gives the sectors that were not there before.
    fn insert(&mut self, run: Run, content: Content) -> u64 {
        let (mut start, mut end) = (run.lba, run.lba + u64::from(run.sectors));
        let mut held = 0;
        let mut whole = Extent {
            sectors: end - start,
            content,
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

    /// When the lazy writer begins something.
    pub fn next_pass(&self) -> SimTime {
        self.next_pass_of_data().min(self.next_pass_of_tables())
    }

    /// An interval after the last pass began, or at once when a program waits, and not before the
    /// last one is over.
    fn next_pass_of_data(&self) -> SimTime {
        let passes = self.budget > 0 || self.in_flight_sectors > 0;
        match (passes, self.someone_waits) {
            (true, _) => SimTime::NEVER,
            (false, true) => SimTime::ZERO,
            (false, false) => self.next_pass,
        }
    }

    fn next_pass_of_tables(&self) -> SimTime {
        if self.journal.is_empty() && self.pages.is_empty() {
            self.next_table
        } else {
            SimTime::NEVER
        }
    }

    /// Whether data of programs are on their way to the drive.
    pub fn data_in_flight(&self) -> bool {
        self.in_flight_sectors > 0
    }

    /// Begins what is due.
    pub fn tick(&mut self, now: SimTime) {
        if now >= self.next_pass_of_tables() {
            let (journal, pages) = if now >= self.next_checkpoint {
                self.next_checkpoint = now + self.os.checkpoint_interval;
                self.file_system.take_all()
            } else {
                self.file_system.take(self.os.lazy_writer_share)
            };
            self.journal.extend(journal);
            self.pages.extend(pages);
            self.next_table = match self.file_system.is_clean() {
                true => SimTime::NEVER,
                false => now + self.os.lazy_writer_interval,
            };
        }
        if now >= self.next_pass_of_data() {
            self.begin_pass(now);
        }
    }

    fn begin_pass(&mut self, now: SimTime) {
        let everything = std::mem::take(&mut self.someone_waits);
        if self.waiting_sectors == 0 {
            self.next_pass = SimTime::NEVER;
            return;
        }
        self.next_pass = now + self.os.lazy_writer_interval;
        let pages = (self.waiting_sectors / PAGE_SECTORS) as f64;
        let share = (pages * self.os.lazy_writer_share).ceil() as u64 * PAGE_SECTORS;
        let due = match everything {
            true => u64::MAX,
            false => share.max(self.dirtied),
        };
        self.dirtied = 0;
        self.budget = due.min(self.waiting_sectors);
    }

    /// The lazy writer's next request, while it may have more outstanding. The journal goes before
    /// the pages it speaks of. Files have workers of their own, so tables and data take turns.
    pub fn next(&mut self) -> Option<(Owner, Run, Content)> {
        if self.requests >= self.os.write_depth {
            return None;
        }
        let next = if self.tables_had_turn {
            self.next_data().or_else(|| self.next_of_file_system())
        } else {
            self.next_of_file_system().or_else(|| self.next_data())
        };
        self.tables_had_turn = matches!(next, Some((Owner::Journal | Owner::Page, ..)));
        self.requests += u32::from(next.is_some());
        next
    }

    /// Its tables are numbers that differ from page to page: taken not to compress.
    fn next_of_file_system(&mut self) -> Option<(Owner, Run, Content)> {
        if self.journal_in_flight {
            return None;
        }
        if let Some(run) = self.journal.pop_front() {
            self.journal_in_flight = true;
            return Some((Owner::Journal, run, Content::RANDOM));
        }
        let page = self.pages.pop_front()?;
        Some((Owner::Page, page, Content::RANDOM))
    }

    fn next_data(&mut self) -> Option<(Owner, Run, Content)> {
        if self.budget == 0 {
            return None;
        }
        let ahead = self.waiting.range(self.cursor..).next();
        let (&lba, &extent) = ahead.or_else(|| self.waiting.iter().next())?;
        let most = (self.os.write_bytes / SECTOR_BYTES).min(self.budget);
        let taken = extent.sectors.min(most);
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
        let run = Run {
            lba,
            sectors: taken as u32,
        };
        Some((Owner::Data(run.sectors), run, extent.content))
    }

    /// A request of the lazy writer has ended.
    pub fn ended(&mut self, owner: Owner) {
        self.requests -= 1;
        match owner {
            Owner::Data(sectors) => self.in_flight_sectors -= u64::from(sectors),
            Owner::Journal => self.journal_in_flight = false,
            Owner::Page | Owner::Read { .. } | Owner::Check { .. } | Owner::Through { .. } => {}
        }
    }
}

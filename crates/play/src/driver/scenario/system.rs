//! The operating system under a scenario's programs: their dirty data, and the tables of its file system.
//!
//! Once an interval the lazy writer visits one of the file system's tables, and all of them at a checkpoint. Files
//! have workers of their own, so tables and data take turns.

use super::file_system::FileSystem;
use super::owner::Owner;
use crate::driver::write_back::{Write, WriteBack};
use ftlab_base::{Content, SimTime};
use ftlab_host::{FileSystemPlaces, PageCache};
use ftlab_workload::script::Run;
use std::collections::VecDeque;

/// Data and tables that the operating system has to write.
#[derive(Debug)]
pub struct System {
    cache: PageCache,
    places: FileSystemPlaces,
    pub data: WriteBack,
    file_system: FileSystem,
    /// Instant at which the lazy writer visits the next table; never while none has changed.
    next_table: SimTime,
    next_checkpoint: SimTime,
    journal: VecDeque<Run>,
    pages: VecDeque<Run>,
    journal_in_flight: bool,
    /// Requests of the file system that are outstanding.
    requests: usize,
    /// The last request was the file system's: now data have their turn.
    tables_had_turn: bool,
}

impl System {
    pub fn new(cache: PageCache, places: FileSystemPlaces) -> System {
        System {
            cache,
            data: WriteBack::new(cache),
            file_system: FileSystem::new(places),
            next_table: SimTime::NEVER,
            next_checkpoint: SimTime::ZERO + places.checkpoint_interval,
            journal: VecDeque::new(),
            pages: VecDeque::new(),
            journal_in_flight: false,
            requests: 0,
            tables_had_turn: false,
            places,
        }
    }

    /// Files that the next writes begin.
    pub fn begin_files(&mut self, count: u64) {
        self.file_system.begin_files(count);
    }

    /// As [`WriteBack::admit`]; the newest file grows by it.
    pub fn admit(&mut self, program: usize, run: Run, content: Content, now: SimTime) -> bool {
        let is_in = self.data.admit(program, run, content.into(), now);
        if is_in {
            self.file_system.grow(run);
            if self.next_table == SimTime::NEVER {
                let interval = self.cache.lazy_writer_interval.0;
                self.next_table = SimTime((now.0 / interval + 1).saturating_mul(interval));
            }
        }
        is_in
    }

    /// Returns the instant at which the lazy writer begins something.
    pub fn next_pass(&self) -> SimTime {
        self.data.next_pass().min(self.next_pass_of_tables())
    }

    fn next_pass_of_tables(&self) -> SimTime {
        if self.journal.is_empty() && self.pages.is_empty() {
            self.next_table
        } else {
            SimTime::NEVER
        }
    }

    /// Begins what is due.
    pub fn tick(&mut self, now: SimTime) {
        if now >= self.next_pass_of_tables() {
            let (journal, pages) = if now >= self.next_checkpoint {
                self.next_checkpoint = now + self.places.checkpoint_interval;
                self.file_system.take_all()
            } else {
                self.file_system.take(self.cache.lazy_writer_share)
            };
            self.journal.extend(journal);
            self.pages.extend(pages);
            self.next_table = match self.file_system.is_clean() {
                true => SimTime::NEVER,
                false => now + self.cache.lazy_writer_interval,
            };
        }
        self.data.tick(now);
    }

    /// The next request, while there may be more outstanding. The journal goes before the pages it speaks of.
    pub fn next(&mut self) -> Option<(Owner, Run, Content)> {
        if !self.data.may_ask(self.requests) {
            return None;
        }
        let next = if self.tables_had_turn {
            self.next_data().or_else(|| self.next_of_file_system())
        } else {
            self.next_of_file_system().or_else(|| self.next_data())
        };
        self.tables_had_turn = matches!(next, Some((Owner::Journal | Owner::Page, ..)));
        self.requests += usize::from(self.tables_had_turn);
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
        let Write { run, data, ticket } = self.data.next()?;
        Some((Owner::Data(ticket), run, data.content))
    }

    /// One of its requests has ended.
    pub fn ended(&mut self, owner: Owner) {
        match owner {
            Owner::Data(ticket) => return self.data.ended(ticket),
            Owner::Journal => self.journal_in_flight = false,
            Owner::Page | Owner::Read { .. } | Owner::Check { .. } | Owner::Through { .. } => {}
        }
        self.requests -= 1;
    }
}

//! Reads and trims of a job that verifies, and the writes that it keeps in mind for them.

use super::law::Chance;
use super::positions::Place;
use crate::{ResolvedJob, Verify};
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, RootSeed};
use std::collections::{BTreeMap, VecDeque};

/// The writes of a job that verifies. An entry of memory for each until it is read back, as in fio.
#[derive(Debug, Clone)]
pub struct Checks {
    words: Verify,
    /// Writes by place, of which a later one replaces those that it covers; by age where each block comes once.
    by_place: bool,
    writes: BTreeMap<u64, Place>,
    written: u64,
    to_trim: VecDeque<u64>,
    trims: Chance,
    stream: Stream,
    /// Rest of a batch of reads, and of trims.
    reading: u64,
    trimming: u64,
    last_read: bool,
}

impl Checks {
    /// The checks of a job, if it makes any.
    pub fn of(job: &ResolvedJob, seed: RootSeed) -> Option<Box<Checks>> {
        let spec = &job.spec;
        let words = spec.checks;
        let keeps = spec.kinds().contains(&CommandKind::Write) && words.at_end && !words.only;
        (spec.checks.is_on && keeps).then(|| {
            Box::new(Checks {
                words,
                by_place: !(job.random_map || job.free_map),
                writes: BTreeMap::new(),
                written: 0,
                to_trim: VecDeque::new(),
                trims: Chance::percent(words.trim_percent),
                stream: seed.stream(&format!("workload trims {} {}", spec.index, spec.name)),
                reading: 0,
                trimming: 0,
                last_read: false,
            })
        })
    }

    /// Keeps a request in mind.
    pub fn made(&mut self, kind: CommandKind, place: Place) {
        self.last_read = kind == CommandKind::Read;
        if kind != CommandKind::Write {
            return;
        }
        let (at, sectors) = place;
        let key = match self.by_place {
            true => {
                self.forget(at, at + u64::from(sectors));
                at
            }
            false => self.written,
        };
        self.written += 1;
        self.writes.insert(key, place);
        if self.trims.draw(&mut self.stream) {
            self.to_trim.push_back(key);
        }
    }

    /// Drops the writes that touch a stretch.
    fn forget(&mut self, from: u64, end: u64) {
        while let Some((&at, &(_, sectors))) = self.writes.range(..end).next_back() {
            if at + u64::from(sectors) <= from {
                return;
            }
            self.writes.remove(&at);
        }
    }

    /// Returns what is due between two requests of the job: a trim, or a read of what was written.
    pub fn due(&mut self) -> Option<(CommandKind, Place)> {
        let trim = self.due_trim().map(|place| (CommandKind::Trim, place));
        trim.or_else(|| self.due_read().map(|place| (CommandKind::Read, place)))
    }

    fn due_trim(&mut self) -> Option<Place> {
        let backlog = self.words.trim_backlog;
        if backlog == 0 || self.to_trim.is_empty() {
            return None;
        }
        if self.trimming == 0 {
            if self.last_read || !(self.writes.len() as u64).is_multiple_of(backlog) {
                return None;
            }
            self.trimming = batch(self.words.trim_batch, backlog);
        }
        self.trimming -= 1;
        let key = self.to_trim.pop_front()?;
        match self.words.reads_trimmed {
            true => self.writes.get(&key).copied(),
            false => self.writes.remove(&key),
        }
    }

    fn due_read(&mut self) -> Option<Place> {
        let backlog = self.words.backlog;
        if backlog == 0 || self.writes.is_empty() {
            return None;
        }
        if self.reading == 0 {
            if self.last_read || !(self.writes.len() as u64).is_multiple_of(backlog) {
                return None;
            }
            self.reading = batch(self.words.batch, backlog);
        }
        self.reading -= 1;
        self.left()
    }

    /// The next of what has not been read back, at the end of a pass.
    pub fn left(&mut self) -> Option<Place> {
        self.last_read = true;
        self.writes.pop_first().map(|(_, place)| place)
    }
}

/// Returns the number of a backlog's entries that are done at once.
fn batch(batch: u64, backlog: u64) -> u64 {
    if batch == 0 { backlog } else { batch }
}

//! The bytes of a device without flash: sectors that lie where they lie, and those that are in its write cache alone.

use ftlab_base::{RootSeed, SECTOR_BYTES};
use ftlab_cut::CachedWrites;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

const SECTOR: usize = SECTOR_BYTES as usize;
/// Sectors that are copied together.
const CHUNK: u64 = 128;

/// Sectors of a drive without flash.
#[derive(Debug, Clone)]
pub(crate) struct FlatStore {
    keeps: bool,
    /// Data of the writes that are outstanding, with where they go.
    commands: BTreeMap<u64, (u64, Vec<u8>)>,
    cached: CachedWrites,
    chunks: BTreeMap<u64, Arc<Vec<u8>>>,
}

impl FlatStore {
    /// None were written; the drive was made with a seed.
    pub(crate) fn new(keeps: bool, seed: RootSeed) -> FlatStore {
        FlatStore {
            keeps,
            commands: BTreeMap::new(),
            cached: CachedWrites::new(seed),
            chunks: BTreeMap::new(),
        }
    }

    /// The data of a write of `bytes` that is submitted now.
    pub(crate) fn give(&mut self, id: u64, sector: u64, bytes: u64, data: &[u8]) {
        let data = match self.keeps {
            true => data.to_vec(),
            // The account of what a cut takes goes by sectors that have some.
            false => vec![0; bytes as usize],
        };
        self.commands.insert(id, (sector, data));
    }

    /// A command is over; if it was a write, and was done, its data are in the cache.
    pub(crate) fn end(&mut self, id: u64, is_good: bool) {
        if let Some((sector, data)) = self.commands.remove(&id)
            && is_good
        {
            self.cached.admit(sector, &data);
        }
    }

    /// Commands that are outstanding are gone, and so is what the cache alone had; gives its sectors.
    pub(crate) fn cut(&mut self) -> Vec<u64> {
        self.commands.clear();
        let lost = self.cached.take_all();
        self.cached.forget_order();
        lost.into_keys().collect()
    }

    /// Time has passed: of what waited, the drive's cache alone has these.
    pub(crate) fn keep_only(&mut self, dirty: impl FnOnce() -> Vec<Range<u64>>) {
        if !self.cached.waiting().is_empty() {
            let go = self.cached.keep_only(&dirty());
            self.put(go);
        }
    }

    /// Everything that was written comes to its place.
    pub(crate) fn flush(&mut self) {
        let go = self.cached.take_all();
        self.cached.forget_order();
        self.put(go);
    }

    /// What was written to a range does.
    pub(crate) fn flush_sectors(&mut self, sectors: Range<u64>) {
        let go = self.cached.take_of(sectors);
        self.put(go);
    }

    fn put(&mut self, sectors: BTreeMap<u64, Vec<u8>>) {
        if !self.keeps {
            return;
        }
        for (sector, data) in sectors {
            let chunk = self.chunks.entry(sector / CHUNK);
            let chunk = chunk.or_insert_with(|| Arc::new(vec![0; CHUNK as usize * SECTOR]));
            let at = (sector % CHUNK) as usize * SECTOR;
            Arc::make_mut(chunk)[at..at + SECTOR].copy_from_slice(&data);
        }
    }

    /// The newest bytes of sectors from one on.
    pub(crate) fn read(&self, first: u64, into: &mut [u8]) {
        for (sector, into) in (first..).zip(into.chunks_exact_mut(SECTOR)) {
            let at = (sector % CHUNK) as usize * SECTOR;
            let lies = || Some(&self.chunks.get(&(sector / CHUNK))?[at..at + SECTOR]);
            let waits = self.cached.waiting().get(&sector).map(Vec::as_slice);
            match waits.or_else(lies) {
                Some(data) => into.copy_from_slice(data),
                None => into.fill(0),
            }
        }
    }
}

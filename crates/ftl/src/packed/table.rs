//! Chunks of each logical slot, contents of each superblock, and data that are stored once for several slots.

mod state;

pub(super) use state::TableState;

use crate::page::NOT_A_CANDIDATE;
use ftlab_base::memory::{LargeTable, prefetch};
use ftlab_base::{Divisor, Identity, Lpn, SuperblockId};
use ftlab_nand::StateError;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The length of a slot that lies nowhere.
const UNMAPPED: u8 = 0;
/// In place of a length: the slot's data may be those of other slots as well.
const SHARED: u8 = u8::MAX;
/// The most chunks of a slot.
pub(super) const CHUNKS_PER_SLOT_MAX: u32 = SHARED as u32 - 1;

/// Marks, in an owner, data that several slots may share.
const OF_SHARED: u32 = 1 << 31;
/// The most slots of a drive: the rest of an owner's bits.
pub(super) const SLOTS_MAX: u32 = OF_SHARED - 1;

/// To whom data in flash belong: a logical slot, or data that slots share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Owner(u32);

impl Owner {
    /// To nobody: chunks that were filled up.
    pub const NOBODY: Owner = Owner(u32::MAX);

    pub fn slot(lpn: Lpn) -> Owner {
        Owner(lpn.0)
    }

    fn shared(n: u32) -> Owner {
        Owner(OF_SHARED | n)
    }

    /// The number of the shared data, if it is not a slot.
    fn shared_number(self) -> Option<u32> {
        (self.0 & OF_SHARED != 0).then_some(self.0 & !OF_SHARED)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shared_number() {
            None => Lpn(self.0).fmt(f),
            Some(n) => write!(f, "what slots share as number {n}"),
        }
    }
}

/// Data in flash: the first chunk and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stored {
    pub at: u32,
    pub chunks: u32,
}

/// Data that slots share.
#[derive(Debug, Clone, Copy)]
struct Shared {
    stored: Stored,
    /// Slots that have them; none for an entry that is free.
    slots: u32,
    identity: Identity,
}

/// Owners and chunks that were appended to a superblock, in order.
#[derive(Debug, Clone, Default)]
struct Log {
    owners: Vec<Owner>,
    chunks: Vec<u8>,
    filled: u32,
}

/// The mapping table, the logs of the superblocks, and counts of valid chunks.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// First chunk, or number of the shared data, by logical slot.
    place: LargeTable<u32>,
    /// Chunks, or a mark, by logical slot.
    chunks: LargeTable<u8>,
    shared: Vec<Shared>,
    free_shared: Vec<u32>,
    by_identity: HashMap<Identity, u32, FxBuildHasher>,
    logs: Vec<Log>,
    /// By superblock; marked when it is no candidate.
    valid: Vec<u32>,
    by_superblock: Divisor,
}

impl Table {
    pub fn new(slots: u32, superblocks: u32, chunks_per_superblock: u32) -> Table {
        Table {
            place: LargeTable::zeroes(slots as usize),
            chunks: LargeTable::zeroes(slots as usize),
            shared: Vec::new(),
            free_shared: Vec::new(),
            by_identity: HashMap::default(),
            logs: vec![Log::default(); superblocks as usize],
            valid: vec![NOT_A_CANDIDATE; superblocks as usize],
            by_superblock: Divisor::new(chunks_per_superblock),
        }
    }

    /// Asks memory for what will be needed of a slot.
    #[inline]
    pub fn fetch(&self, lpn: Lpn) {
        prefetch(&self.place, lpn.index());
        prefetch(&self.chunks, lpn.index());
    }

    /// Place of a slot's data, if it has any.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<Stored> {
        let place = self.place[lpn.index()];
        match self.chunks[lpn.index()] {
            UNMAPPED => None,
            SHARED => Some(self.shared[place as usize].stored),
            chunks => Some(Stored {
                at: place,
                chunks: u32::from(chunks),
            }),
        }
    }

    /// Owner of a slot's data: the slot, or shared data.
    pub fn owner_of(&self, lpn: Lpn) -> Option<Owner> {
        match self.chunks[lpn.index()] {
            UNMAPPED => None,
            SHARED => Some(Owner::shared(self.place[lpn.index()])),
            _ => Some(Owner::slot(lpn)),
        }
    }

    /// Returns true if data of an owner are stored.
    pub fn knows(&self, owner: Owner) -> bool {
        match owner.shared_number() {
            Some(n) => self.shared.get(n as usize).is_some_and(|s| s.slots > 0),
            None => self
                .chunks
                .get(owner.0 as usize)
                .is_some_and(|&c| c != UNMAPPED),
        }
    }

    /// Owner of the shared data of an identity.
    pub fn owner_of_known(&self, identity: Identity) -> Option<Owner> {
        self.by_identity.get(&identity).map(|&n| Owner::shared(n))
    }

    /// Place of the shared data of an identity.
    pub fn known(&self, identity: Identity) -> Option<Stored> {
        let n = *self.by_identity.get(&identity)?;
        Some(self.shared[n as usize].stored)
    }

    /// Gives a slot the data that other slots have; false when none have them.
    pub fn share(&mut self, lpn: Lpn, identity: Identity) -> bool {
        let Some(&n) = self.by_identity.get(&identity) else {
            return false;
        };
        // First the new reference, since the slot may hold the last one.
        self.shared[n as usize].slots += 1;
        self.forget(lpn);
        self.place[lpn.index()] = n;
        self.chunks[lpn.index()] = SHARED;
        true
    }

    /// A slot that lies nowhere gets new data, at the end of a superblock's log; gives whose they are.
    #[inline]
    pub fn put(&mut self, lpn: Lpn, stored: Stored, identity: Option<Identity>) -> Owner {
        let owner = match identity {
            None => {
                self.place[lpn.index()] = stored.at;
                self.chunks[lpn.index()] = stored.chunks as u8;
                Owner::slot(lpn)
            }
            Some(identity) => {
                let n = self.enter(stored, identity);
                self.place[lpn.index()] = n;
                self.chunks[lpn.index()] = SHARED;
                Owner::shared(n)
            }
        };
        self.log(stored, owner);
        owner
    }

    /// Makes an entry for data that one slot has.
    fn enter(&mut self, stored: Stored, identity: Identity) -> u32 {
        let entry = Shared {
            stored,
            slots: 1,
            identity,
        };
        let n = match self.free_shared.pop() {
            Some(n) => {
                self.shared[n as usize] = entry;
                n
            }
            None => {
                self.shared.push(entry);
                self.shared.len() as u32 - 1
            }
        };
        self.by_identity.insert(identity, n);
        n
    }

    #[inline]
    fn log(&mut self, stored: Stored, owner: Owner) {
        let superblock = self.by_superblock.quotient(stored.at) as usize;
        let log = &mut self.logs[superblock];
        log.owners.push(owner);
        log.chunks.push(stored.chunks as u8);
        log.filled += stored.chunks;
        self.valid[superblock] += stored.chunks;
    }

    /// Chunks at the end of a superblock's log stay empty.
    pub fn fill_up(&mut self, superblock: SuperblockId, chunks: u32) {
        let log = &mut self.logs[superblock.index()];
        log.filled += chunks;
        let mut left = chunks;
        while left > 0 {
            let part = left.min(CHUNKS_PER_SLOT_MAX);
            log.owners.push(Owner::NOBODY);
            log.chunks.push(part as u8);
            left -= part;
        }
    }

    /// A slot lies nowhere any more. What nobody has any more is garbage.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        let place = self.place[lpn.index()];
        let stored = match std::mem::replace(&mut self.chunks[lpn.index()], UNMAPPED) {
            UNMAPPED => return,
            SHARED => {
                let entry = &mut self.shared[place as usize];
                entry.slots -= 1;
                if entry.slots > 0 {
                    return;
                }
                let stored = entry.stored;
                self.by_identity.remove(&entry.identity);
                self.free_shared.push(place);
                stored
            }
            chunks => Stored {
                at: place,
                chunks: u32::from(chunks),
            },
        };
        self.valid[self.by_superblock.quotient(stored.at) as usize] -= stored.chunks;
    }

    /// The `n`-th entry of a superblock's log: whose it was, and its chunks.
    #[inline]
    pub fn logged(&self, superblock: SuperblockId, n: usize) -> Option<(Owner, u32)> {
        let log = &self.logs[superblock.index()];
        let owner = *log.owners.get(n)?;
        Some((owner, u32::from(log.chunks[n])))
    }

    /// Asks memory for what will be needed to judge the `n`-th entry of a log.
    #[inline]
    pub fn fetch_logged(&self, superblock: SuperblockId, n: usize) {
        let owner = self.logs[superblock.index()].owners.get(n);
        if let Some(owner) = owner.filter(|owner| owner.0 & OF_SHARED == 0) {
            self.fetch(Lpn(owner.0));
        }
    }

    /// Chunks of a superblock that were filled.
    pub fn filled(&self, superblock: SuperblockId) -> u32 {
        self.logs[superblock.index()].filled
    }

    /// Returns true if the data of an owner lie at chunk `at`.
    #[inline]
    pub fn is_at(&self, owner: Owner, at: u32) -> bool {
        if owner == Owner::NOBODY {
            false
        } else if owner.0 & OF_SHARED == 0 {
            let chunks = self.chunks[owner.0 as usize];
            self.place[owner.0 as usize] == at && chunks != UNMAPPED && chunks != SHARED
        } else {
            let entry = &self.shared[(owner.0 & !OF_SHARED) as usize];
            entry.stored.at == at && entry.slots > 0
        }
    }

    /// Valid data move to the end of another superblock's log.
    #[inline]
    pub fn relocate(&mut self, owner: Owner, from: u32, to: Stored) {
        debug_assert!(self.is_at(owner, from));
        if owner.0 & OF_SHARED == 0 {
            self.place[owner.0 as usize] = to.at;
        } else {
            self.shared[(owner.0 & !OF_SHARED) as usize].stored = to;
        }
        self.valid[self.by_superblock.quotient(from) as usize] -= to.chunks;
        self.log(to, owner);
    }

    /// A superblock was erased.
    pub fn clear(&mut self, superblock: SuperblockId) {
        debug_assert_eq!(self.valid_in(superblock), 0);
        let log = &mut self.logs[superblock.index()];
        log.owners.clear();
        log.chunks.clear();
        log.filled = 0;
    }

    /// Valid chunks of a superblock.
    #[inline]
    pub fn valid_in(&self, superblock: SuperblockId) -> u32 {
        self.valid[superblock.index()] & !NOT_A_CANDIDATE
    }

    /// Valid chunks of all, marked where there is no candidate.
    pub fn valid(&self) -> &[u32] {
        &self.valid
    }

    /// Returns true if a policy may choose a superblock.
    pub fn is_candidate(&self, superblock: SuperblockId) -> bool {
        self.valid[superblock.index()] < NOT_A_CANDIDATE
    }

    /// Says whether a policy may choose a superblock.
    pub fn set_candidate(&mut self, superblock: SuperblockId, candidate: bool) {
        let valid = self.valid_in(superblock);
        let mark = if candidate { 0 } else { NOT_A_CANDIDATE };
        self.valid[superblock.index()] = valid | mark;
    }

    /// Checks that map, logs, shared data and counts agree.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self) -> Result<(), StateError> {
        let mut slots = vec![0; self.shared.len()];
        let mut valid = vec![0; self.valid.len()];
        let superblock_chunks = self.by_superblock.get();
        for (lpn, (&place, &chunks)) in (0..)
            .map(Lpn)
            .zip(self.place.iter().zip(self.chunks.iter()))
        {
            match chunks {
                UNMAPPED => {}
                SHARED => slots[place as usize] += 1,
                _ => valid[(place / superblock_chunks) as usize] += u32::from(chunks),
            }
            let found = self.find(lpn);
            let end = found.map_or(0, |s| s.at % superblock_chunks + s.chunks);
            StateError::unless(end <= superblock_chunks, || {
                format!("{lpn} lies in two superblocks")
            })?;
        }
        for (n, entry) in self.shared.iter().enumerate() {
            let (counted, have) = (entry.slots, slots[n]);
            StateError::unless(counted == have, || {
                format!("{have} slots share data {n}, and {counted} are counted")
            })?;
            let known = self.by_identity.get(&entry.identity) == Some(&(n as u32));
            StateError::unless(known || entry.slots == 0, || {
                format!("shared data {n} are not found")
            })?;
            // However many slots share data, these lie on flash once.
            if entry.slots > 0 {
                valid[(entry.stored.at / superblock_chunks) as usize] += entry.stored.chunks;
            }
        }
        let used = slots.iter().filter(|&&n| n > 0).count();
        StateError::length("the table of identities", self.by_identity.len(), used)?;
        let unused = slots.len() - used;
        StateError::length("the list of free numbers", self.free_shared.len(), unused)?;
        for (s, lie) in (0..).map(SuperblockId).zip(valid) {
            let (counted, logged) = (self.valid_in(s), self.valid_in_log(s, 0));
            StateError::unless(counted == lie && logged == lie, || {
                format!(
                    "{lie} valid chunks lie in {s}, {counted} are counted, its log has {logged}"
                )
            })?;
        }
        Ok(())
    }

    /// Valid chunks that a superblock's log has from chunk `from` on.
    pub fn valid_in_log(&self, superblock: SuperblockId, from: u32) -> u32 {
        let first = superblock.0 * self.by_superblock.get();
        let (mut at, mut found) = (0, 0);
        for n in 0.. {
            let Some((owner, chunks)) = self.logged(superblock, n) else {
                break;
            };
            let counts = at >= from && self.is_at(owner, first + at);
            found += if counts { chunks } else { 0 };
            at += chunks;
        }
        found
    }
}

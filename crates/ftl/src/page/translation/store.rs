//! Translation pages on flash: a log over superblocks of its own, and its collection.
//!
//! The log has room for every translation page twice, so its superblocks are half empty on average
//! when they are collected. Collection goes on in step with what is written, as that of host data
//! does, and needs nothing from it: superblocks are exchanged one for one.

use ftlab_base::SuperblockId;
use std::collections::{BTreeMap, VecDeque};

/// A translation page that lies nowhere, or a page on flash that holds none.
pub(super) const NONE: u32 = u32::MAX;

/// Free superblocks of the log at which it begins to collect.
const FREE_MIN: usize = 1;

/// Superblocks that are not counted on to hold translation pages: the open one, a free one and the
/// one under collection.
const BESIDE: u32 = 3;

/// Superblocks that a log of N translation pages takes.
pub(super) fn superblocks_needed(translation_pages: u32, pages_per_superblock: u32) -> u32 {
    (2 * u64::from(translation_pages)).div_ceil(u64::from(pages_per_superblock)) as u32 + BESIDE
}

/// A superblock of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// The translation page in each page programmed, or [`NONE`] when it is out of date.
    pub owners: Vec<u32>,
    pub valid: u32,
}

/// The superblock under collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Collected {
    pub superblock: SuperblockId,
    /// The first page not looked at.
    pub cursor: u32,
    /// Valid pages when it was chosen: copies owed for every `gain` pages written.
    pub valid: u32,
    /// Pages that were not.
    pub gain: u32,
    /// Copies earned, times `gain`.
    pub credit: u64,
}

/// Places of the translation pages on flash, and the superblocks that hold them.
#[derive(Debug, Clone)]
pub(super) struct Store {
    pub pages_per_superblock: u32,
    /// Superblock and page of each translation page; its page is [`NONE`] while there is none.
    pub places: Vec<(SuperblockId, u32)>,
    pub held: BTreeMap<SuperblockId, Held>,
    /// The superblock that is written to; it is held and not full.
    pub open: Option<SuperblockId>,
    pub free: VecDeque<SuperblockId>,
    pub victim: Option<Collected>,
}

impl Store {
    /// An empty log over these superblocks.
    pub fn new(
        translation_pages: u32,
        pages_per_superblock: u32,
        superblocks: VecDeque<SuperblockId>,
    ) -> Store {
        Store {
            pages_per_superblock,
            places: vec![(SuperblockId(0), NONE); translation_pages as usize],
            held: BTreeMap::new(),
            open: None,
            free: superblocks,
            victim: None,
        }
    }

    /// Place of a translation page, if it was ever written.
    pub fn place(&self, page: u32) -> Option<(SuperblockId, u32)> {
        let place = self.places[page as usize];
        (place.1 != NONE).then_some(place)
    }

    /// All superblocks of the log.
    pub fn superblocks(&self) -> impl Iterator<Item = SuperblockId> + '_ {
        self.held.keys().chain(&self.free).copied()
    }

    /// The superblock to write to; it is erased.
    pub fn open(&mut self) -> SuperblockId {
        if let Some(superblock) = self.open {
            return superblock;
        }
        let free = self.free.pop_front();
        let superblock = free.expect("collection keeps a superblock of the log free");
        let held = Held {
            owners: Vec::new(),
            valid: 0,
        };
        self.held.insert(superblock, held);
        self.open = Some(superblock);
        superblock
    }

    /// Puts a translation page into the next page of the open superblock; gives its number there.
    pub fn append(&mut self, page: u32) -> u32 {
        self.forget(page);
        let superblock = self.open.expect("one was opened");
        let held = self.held.get_mut(&superblock).expect("it is held");
        let n = held.owners.len() as u32;
        held.owners.push(page);
        held.valid += 1;
        self.places[page as usize] = (superblock, n);
        if n + 1 == self.pages_per_superblock {
            self.open = None;
        }
        n
    }

    /// Marks flash's copy of a translation page as out of date.
    pub fn forget(&mut self, page: u32) {
        if let Some((superblock, n)) = self.place(page) {
            let held = self.held.get_mut(&superblock).expect("it is held");
            held.owners[n as usize] = NONE;
            held.valid -= 1;
            self.places[page as usize].1 = NONE;
        }
    }

    /// Earns one written page's share of copying, if that is due.
    pub fn earn(&mut self) {
        if self.victim.is_none() && self.free.len() <= FREE_MIN {
            self.victim = self.choose();
        }
        if let Some(victim) = &mut self.victim {
            victim.credit += u64::from(victim.valid);
        }
    }

    /// The full superblock with the fewest valid pages.
    fn choose(&self) -> Option<Collected> {
        let full = self.held.iter().filter(|(s, _)| Some(**s) != self.open);
        let (&superblock, held) = full.min_by_key(|(_, held)| held.valid)?;
        let gain = self.pages_per_superblock - held.valid;
        assert!(gain > 0, "the log has room for every page twice");
        Some(Collected {
            superblock,
            cursor: 0,
            valid: held.valid,
            gain,
            credit: 0,
        })
    }

    /// The next translation page to copy, if a copy is owed.
    pub fn next_copy(&mut self) -> Option<u32> {
        let victim = self.victim.as_mut()?;
        let held = &self.held[&victim.superblock];
        if held.valid == 0 || (victim.credit < u64::from(victim.gain) && !self.free.is_empty()) {
            return None;
        }
        victim.credit = victim.credit.saturating_sub(u64::from(victim.gain));
        let mut left = held.owners[victim.cursor as usize..].iter();
        let skipped = left.position(|&owner| owner != NONE);
        victim.cursor += skipped.expect("a valid page is left") as u32 + 1;
        Some(held.owners[victim.cursor as usize - 1])
    }

    /// The victim, if nothing is left in it: it is no longer the log's.
    pub fn emptied(&mut self) -> Option<SuperblockId> {
        let superblock = self.victim?.superblock;
        if self.held[&superblock].valid > 0 {
            return None;
        }
        self.victim = None;
        self.held.remove(&superblock);
        Some(superblock)
    }

    /// Checks that places, owners and counts agree, and the log can go on.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self, superblocks: usize) -> Result<(), String> {
        let fail = |what: String| Err(what);
        if self.free.is_empty() || self.held.len() + self.free.len() != superblocks {
            return fail(format!(
                "the translation pages have {} superblocks and {} free ones, not {superblocks}",
                self.held.len(),
                self.free.len()
            ));
        }
        let mut placed = 0;
        for (&superblock, held) in &self.held {
            let taken = held.owners.len() as u32;
            let is_open = self.open == Some(superblock);
            // A superblock with room left is the open one, and has something in it.
            if taken > self.pages_per_superblock
                || is_open != (taken < self.pages_per_superblock)
                || taken == 0
            {
                return fail(format!("{superblock} holds {taken} translation pages"));
            }
            let mut valid = 0;
            for (n, &owner) in (0..).zip(&held.owners) {
                if owner != NONE {
                    valid += 1;
                    if self.places.get(owner as usize) != Some(&(superblock, n)) {
                        return fail(format!("{superblock} holds translation page {owner}"));
                    }
                }
            }
            if valid != held.valid {
                return fail(format!("{superblock} has {valid} translation pages"));
            }
            placed += valid as usize;
        }
        if placed != self.places.iter().filter(|place| place.1 != NONE).count() {
            return fail("a translation page lies where none is".into());
        }
        if self.open.is_some_and(|open| !self.held.contains_key(&open)) {
            return fail("translation pages are written to a superblock of others".into());
        }
        if let Some(victim) = &self.victim {
            let held = self.held.get(&victim.superblock);
            let fits = held.is_some_and(|held| {
                self.open != Some(victim.superblock)
                    && victim.cursor <= self.pages_per_superblock
                    && victim.valid.checked_add(victim.gain) == Some(self.pages_per_superblock)
                    && victim.gain > 0
                    && held.valid <= victim.valid
                    && victim.credit < u64::from(self.pages_per_superblock) * 2
                    && held.owners[..victim.cursor as usize]
                        .iter()
                        .all(|&o| o == NONE)
            });
            if !fits {
                return fail(format!(
                    "an impossible victim of translation pages: {victim:?}"
                ));
            }
        }
        Ok(())
    }
}

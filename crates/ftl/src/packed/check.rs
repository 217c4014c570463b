//! Limits of a configuration, and invariants that hold between two requests and in a layer taken over from a saved
//! state.

use super::collect::Victim;
use super::frontier::{COLLECTED, Frontier, HOST};
use super::stripe::{Skip, Stripe};
use super::table::{CHUNKS_PER_SLOT_MAX, SLOTS_MAX};
use super::{PackedConfig, PackedLayer};
use ftlab_base::{BlockId, ConfigError, Layout, SuperblockId};
use ftlab_nand::StateError;
use std::collections::BTreeSet;

/// Superblocks beside the reserve that hold no data one can count on: those that the host and
/// collection write to, and the half of the victim that was passed over, with what is left of it.
const UNCOUNTED_SUPERBLOCKS: u32 = 3;

/// Writable chunks at which collection begins.
pub(super) fn low_water(stripe: &Stripe, reserve_superblocks: u32) -> u32 {
    reserve_superblocks * stripe.superblock + stripe.superblock / 2
}

impl PackedConfig {
    /// Checks that a layer can be built of this on `layout`, without making one.
    ///
    /// # Errors
    /// Says what does not fit, and what it may be.
    pub fn check(&self, layout: &Layout) -> Result<(), ConfigError> {
        let fail = |why| Err(ConfigError(why));
        let geometry = &layout.geometry;
        if layout.groups != 1 {
            return fail(format!(
                "a stripe of {} dies; with map.scheme `packed` a superblock spans all {}",
                layout.stripe_dies,
                geometry.dies()
            ));
        }
        if self.raise && layout.stripe_dies < 2 {
            return fail("parity over 1 die; it takes at least 2".into());
        }
        if self.chunk_bytes == 0 || !geometry.page_bytes.is_multiple_of(self.chunk_bytes) {
            return fail(format!(
                "chunks of {} bytes do not divide pages of {}",
                self.chunk_bytes, geometry.page_bytes
            ));
        }
        if let Some(table) = &self.table {
            table.check()?;
        }
        let slot_chunks = self.chunks_max(layout);
        if slot_chunks > CHUNKS_PER_SLOT_MAX {
            return fail(format!(
                "a slot that does not compress takes {slot_chunks} chunks of {} bytes; at most \
                 {CHUNKS_PER_SLOT_MAX}",
                self.chunk_bytes
            ));
        }
        let unit = geometry.page_bytes / self.chunk_bytes * geometry.planes_per_die;
        if slot_chunks > unit {
            return fail(format!(
                "a slot that does not compress takes {slot_chunks} chunks; a \
                 program unit has {unit}"
            ));
        }
        let row_units = u64::from(layout.stripe_dies) - u64::from(self.raise);
        let chunks = u64::from(unit) * row_units * u64::from(geometry.pages_per_block);
        // Positions of a pass are counted over two superblocks, and the highest number is no chunk's.
        if chunks * (u64::from(layout.superblocks()) + 1) >= u64::from(u32::MAX)
            || chunks >= 1 << 30
        {
            return fail(format!(
                "{chunks} chunks in each of {} superblocks; at most 2^32 chunks can be addressed: \
                 make them larger",
                layout.superblocks()
            ));
        }
        if self.user_slots > SLOTS_MAX {
            return fail(format!("{} slots; at most {SLOTS_MAX}", self.user_slots));
        }
        let stripe = Stripe::new(*layout, self.chunk_bytes, self.raise);
        self.check_room(&stripe, slot_chunks)
    }

    /// Slots of data that do not compress for which there is room beside what collection needs, on a
    /// layout that passes [`PackedConfig::check`].
    #[must_use]
    pub fn slots_max(&self, layout: &Layout) -> u32 {
        let stripe = Stripe::new(*layout, self.chunk_bytes, self.raise);
        let slot_chunks = self.chunks_max(layout);
        let slots = self.room(&stripe, slot_chunks) / u64::from(slot_chunks);
        slots.min(u64::from(SLOTS_MAX)) as u32
    }

    /// The most slots that one program unit holds.
    #[must_use]
    pub fn slots_per_unit_max(&self, layout: &Layout) -> u32 {
        Stripe::new(*layout, self.chunk_bytes, self.raise).unit / self.chunks_of(0)
    }

    /// Chunks for the host's data, however they are packed.
    fn room(&self, stripe: &Stripe, slot_chunks: u32) -> u64 {
        let kept = u64::from(self.reserve_superblocks) + u64::from(UNCOUNTED_SUPERBLOCKS);
        let counted = u64::from(stripe.layout.superblocks()).saturating_sub(kept);
        counted * u64::from(stripe.sure_chunks(slot_chunks))
    }

    /// Superblocks that hold the host's data, however they are packed, and what collection needs.
    pub(super) fn superblocks_needed(&self, stripe: &Stripe, slot_chunks: u32) -> u32 {
        let chunks = u64::from(self.user_slots) * u64::from(slot_chunks);
        let counted = chunks.div_ceil(u64::from(stripe.sure_chunks(slot_chunks)));
        self.reserve_superblocks + UNCOUNTED_SUPERBLOCKS + counted as u32
    }

    fn check_room(&self, stripe: &Stripe, slot_chunks: u32) -> Result<(), ConfigError> {
        let superblocks = stripe.layout.superblocks();
        let reserve = self.reserve_superblocks;
        if reserve < 2 {
            return Err(ConfigError(format!(
                "a reserve of {reserve} superblocks; at least 2, one for host data and one for \
                 collected data"
            )));
        }
        let room = self.room(stripe, slot_chunks);
        let needed = u64::from(self.user_slots) * u64::from(slot_chunks);
        if needed > room || self.user_slots == 0 {
            return Err(ConfigError(format!(
                "{} slots that do not compress take {needed} chunks; beside the parity, a reserve \
                 of {reserve} superblocks and {UNCOUNTED_SUPERBLOCKS} at work, {room} are left for \
                 them, of {} superblocks of {}",
                self.user_slots, superblocks, stripe.superblock
            )));
        }
        Ok(())
    }
}

type Checked = Result<(), StateError>;

impl PackedLayer {
    /// Everything that must hold; O(slots).
    pub(super) fn check(&self) -> Checked {
        self.table.check()?;
        self.check_places()?;
        self.check_frontiers()?;
        self.check_programmed()?;
        self.check_victim()?;
        self.check_room()
    }

    /// Superblocks that are free, open, being collected, or retired: each is in one place only.
    pub(super) fn not_full(&self) -> impl Iterator<Item = SuperblockId> {
        let open = self.frontiers.iter().filter_map(Frontier::open_superblock);
        let victim = self.victim.map(|victim| victim.superblock);
        let (free, retired) = (self.free.iter().copied(), self.retired.iter().copied());
        free.chain(open).chain(victim).chain(retired)
    }

    /// Every superblock is in one place only; those in none are full.
    pub(super) fn check_places(&self) -> Checked {
        let mut elsewhere = BTreeSet::new();
        for s in self.not_full() {
            let is_new = elsewhere.insert(s);
            StateError::unless(is_new, || format!("{s} is in two places at once"))?;
        }
        for s in self.superblocks() {
            let is_full = !elsewhere.contains(&s);
            StateError::unless(self.table.is_candidate(s) == is_full, || {
                format!("{s} may be collected when it is full, and only then")
            })?;
        }
        for &s in self.free.iter().chain(&self.retired) {
            let valid = self.table.valid_in(s);
            StateError::unless(valid == 0, || {
                format!("{s} is free or retired and holds {valid} valid chunks")
            })?;
        }
        for s in self.superblocks() {
            let skips = matches!(self.skip[s.index()], Skip::Failed(_));
            StateError::unless(!skips || self.failed.is_some(), || {
                format!("{s} leaves out a die that works")
            })?;
        }
        Ok(())
    }

    /// Open superblocks are programmed up to the last full unit or row, and what comes after has the
    /// fences that belong to it.
    fn check_frontiers(&self) -> Checked {
        for (f, frontier) in self.frontiers.iter().enumerate() {
            let Some(superblock) = frontier.open_superblock() else {
                continue;
            };
            let (next, programmed) = (frontier.next, frontier.programmed);
            let full = self.stripe.unit_of(next);
            let least = match f {
                HOST => full,
                _ => next / self.stripe.row * self.stripe.row_units,
            };
            let waits = next > programmed * self.stripe.unit;
            let [ready, ready_after] = frontier.ready.map(|fence| fence.is_some());
            let [done, done_after] = frontier.done.map(|fence| fence.is_some());
            // The host's programs signal a fence, as writes wait for them; collected data are read first, and programs
            // wait.
            let fenced = match f {
                HOST => done == waits && (waits || !ready && !frontier.straddled),
                _ => ready == waits && !done && !frontier.straddled,
            };
            let agrees = next < self.stripe.superblock
                && next == self.table.filled(superblock)
                && (least..=full).contains(&programmed)
                && !ready_after
                && !done_after;
            StateError::unless(agrees && fenced, || {
                format!("{superblock} is open and contradicts itself: {frontier:?}")
            })?;
            let skip = self.skip[superblock.index()];
            let leaves_out = self.failed.is_none_or(|die| skip == Skip::Failed(die));
            StateError::unless(leaves_out, || {
                format!("{superblock} is open and does not leave out the die that failed")
            })?;
        }
        let left: u32 = self.frontiers.iter().map(|f| f.left(&self.stripe)).sum();
        let writable = self.free.len() as u32 * self.stripe.superblock + left;
        StateError::unless(self.writable == writable, || {
            format!(
                "{} chunks count as writable, and {writable} are",
                self.writable
            )
        })
    }

    /// Chunks in a full superblock: rows end with it, or where a die failed.
    pub(super) fn chunks_in(&self, superblock: SuperblockId) -> u32 {
        let mut blocks = self.stripe.layout.blocks(superblock);
        let good = blocks.find(|(die, _)| self.failed != Some(u32::from(die.0)));
        let rows = good.map_or(0, |(_, block)| self.array.programmed_pages(block));
        rows * self.stripe.row
    }

    /// Every superblock is programmed as far as it is filled. A free one is erased when it is opened,
    /// so it may be programmed or not; one that is retired lends its blocks to others.
    fn check_programmed(&self) -> Checked {
        let planes = self.stripe.layout.geometry.planes_per_die;
        for superblock in self.superblocks() {
            let open = self.frontiers.iter();
            let mut open = open.filter(|f| f.open_superblock() == Some(superblock));
            let open = open.next().map(|f| f.programmed);
            if self.retired.contains(&superblock) {
                continue;
            }
            let is_free = self.free.contains(&superblock);
            let skip = self.skip[superblock.index()];
            let pages = self.stripe.layout.geometry.pages_per_block;
            if open.is_none() && !is_free {
                let filled = self.table.filled(superblock);
                // When a die fails, open superblocks that have parity are closed before they are full.
                let may_end = self.failed.is_some() && skip == Skip::Parity && filled > 0;
                let agrees = filled == self.chunks_in(superblock)
                    && (may_end || filled == self.stripe.superblock);
                StateError::unless(agrees, || {
                    format!("{superblock} is full, and has {filled} chunks")
                })?;
            }
            let units = open.unwrap_or(self.table.filled(superblock) / self.stripe.unit);
            let (rows, rest) = (units / self.stripe.row_units, units % self.stripe.row_units);
            let begun: Vec<BlockId> = (units - rest..units)
                .map(|unit| self.stripe.place(superblock, unit, skip).block)
                .collect();
            for (die, first) in self.stripe.layout.blocks(superblock) {
                if self.failed == Some(u32::from(die.0)) {
                    continue;
                }
                let want = match is_free {
                    true if self.array.can_fail() => continue,
                    true => self.array.programmed_pages(first),
                    false => (rows + u32::from(begun.contains(&first))).min(pages),
                };
                for block in (first.0..first.0 + planes).map(BlockId) {
                    let have = self.array.programmed_pages(block);
                    StateError::unless(have == want, || {
                        format!("{block} of {superblock} has {have} pages programmed, not {want}")
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Checks that all that is valid of a victim comes after what was passed over.
    fn check_victim(&self) -> Checked {
        let Some(victim) = self.victim else {
            return Ok(());
        };
        let valid = self.table.valid_in(victim.superblock);
        let to_come = self.table.valid_in_log(victim.superblock, victim.at);
        let agrees = victim.passed.is_multiple_of(self.stripe.row)
            && victim.passed <= victim.filled
            && valid == to_come
            && valid <= self.stripe.superblock - victim.gain;
        StateError::unless(agrees, || {
            format!("{valid} chunks are valid of a victim with {to_come} to come: {victim:?}")
        })
    }

    /// Collection can go on: there is a free superblock, or what is being collected needs none.
    fn check_room(&self) -> Checked {
        let left = self.frontiers[COLLECTED].left(&self.stripe);
        let fits = |victim: Victim| self.table.valid_in(victim.superblock) <= left;
        let goes_on = !self.free.is_empty() || self.victim.is_some_and(fits) || self.is_worn_out();
        StateError::unless(goes_on, || {
            format!(
                "{} writable chunks are left and no superblock to collect into",
                self.writable
            )
        })
    }
}

//! What a configuration must keep to, and what must hold between two requests.

use super::frontier::{COLLECTED, HOST};
use super::stripe::{Skip, Stripe};
use super::table::{CHUNKS_PER_SLOT_MAX, SLOTS_MAX};
use super::{PackedConfig, PackedConfigError, PackedLayer};
use ftlab_base::{Layout, SuperblockId};
use std::collections::BTreeSet;

/// Superblocks beside the reserve that hold no data one can count on: those that the host and
/// collection write to, and the half of the victim that was passed over, with what is left of it.
const UNCOUNTED_SUPERBLOCKS: u32 = 3;

/// Chunks that a superblock takes for sure: at its end less than a slot may be left.
pub(super) fn sure_chunks(stripe: &Stripe, slot_chunks: u32) -> u32 {
    stripe.superblock - (slot_chunks - 1)
}

/// Writable chunks at which collection begins.
pub(super) fn low_water(stripe: &Stripe, reserve_superblocks: u32) -> u32 {
    reserve_superblocks * stripe.superblock + stripe.superblock / 2
}

impl PackedConfig {
    /// Whether a layer can be built of this on `layout`; makes none.
    ///
    /// # Errors
    /// Says what does not fit, and what it may be.
    pub fn check(&self, layout: &Layout) -> Result<(), PackedConfigError> {
        let fail = |why| Err(PackedConfigError(why));
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
                "a slot that does not compress takes {slot_chunks} chunks, header included; a \
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
        counted * u64::from(sure_chunks(stripe, slot_chunks))
    }

    fn check_room(&self, stripe: &Stripe, slot_chunks: u32) -> Result<(), PackedConfigError> {
        let superblocks = stripe.layout.superblocks();
        let reserve = self.reserve_superblocks;
        if reserve < 2 {
            return Err(PackedConfigError(format!(
                "a reserve of {reserve} superblocks; at least 2, one for host data and one for \
                 collected data"
            )));
        }
        let room = self.room(stripe, slot_chunks);
        let needed = u64::from(self.user_slots) * u64::from(slot_chunks);
        if needed > room || self.user_slots == 0 {
            return Err(PackedConfigError(format!(
                "{} slots that do not compress take {needed} chunks; beside the parity, a reserve \
                 of {reserve} superblocks and {UNCOUNTED_SUPERBLOCKS} at work, {room} are left for \
                 them, of {} superblocks of {}",
                self.user_slots, superblocks, stripe.superblock
            )));
        }
        Ok(())
    }
}

impl PackedLayer {
    /// Checks tables, counts and lists against one another.
    ///
    /// # Panics
    /// When they disagree.
    pub(super) fn check_all(&self) {
        self.table.check();
        let open = [HOST, COLLECTED].map(|f| &self.frontiers[f]);
        let left: u32 = open.iter().map(|f| f.left(&self.stripe)).sum();
        let free = self.free.len() as u32 * self.stripe.superblock;
        assert_eq!(self.writable, free + left, "writable chunks");
        for frontier in open {
            if let Some(superblock) = frontier.open_superblock() {
                let filled = self.table.filled(superblock);
                assert_eq!(filled, frontier.position(), "chunks filled of {superblock}");
            }
        }
        // Every superblock is in one place only.
        let mut elsewhere = BTreeSet::new();
        let open = open.into_iter().filter_map(|f| f.open_superblock());
        let victim = self.victim.as_ref().map(|victim| victim.superblock());
        for s in self.free.iter().copied().chain(open).chain(victim) {
            assert!(elsewhere.insert(s), "{s} is in two places");
        }
        for s in (0..self.stripe.layout.superblocks()).map(SuperblockId) {
            assert_eq!(
                self.table.is_candidate(s),
                !elsewhere.contains(&s),
                "{s} may be collected when it is full, and only then"
            );
        }
        for s in &self.free {
            assert_eq!(self.table.valid_in(*s), 0, "{s} is free");
        }
        if self.failed.is_none() {
            let skips = self.skip.iter().any(|skip| matches!(skip, Skip::Failed(_)));
            assert!(!skips, "a superblock leaves out a die that works");
        }
    }
}

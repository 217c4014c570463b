//! Foreground garbage collection, in step with the host's writes.
//!
//! A cycle begins when a group has no more than the reserve and half a superblock writable, and
//! frees one superblock of `S` slots. With `v` valid slots to copy, the host gets the other
//! `S − v`, so after every host slot `v / (S − v)` slots are copied: the cycle ends exactly when
//! the space it frees is used up, and the mean of what is writable is the reserve.

use super::victim::VictimView;
use super::{LEAST_RESERVE_SUPERBLOCKS, NOWHERE, PageLayer, low_water};
use crate::Refusal;
use ftlab_base::{Lpn, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};

/// Full superblocks collected in vain, in superblocks of the array, after which a drive gives up. A
/// policy that draws superblocks at random finds one with something to gain long before.
const IN_VAIN_MAX: u32 = 64;

/// A superblock being collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub(super) superblock: SuperblockId,
    /// The first slot not looked at.
    pub(super) cursor: u32,
    /// One past its last slot.
    pub(super) end: u32,
    /// Slots that were valid when it was chosen: copies owed for every `gain` host slots.
    pub(super) valid: u32,
    /// Slots that were not.
    pub(super) gain: u32,
    /// Copies earned by host slots, times `gain`.
    pub(super) credit: u64,
    /// The page last read, so that its other slots need no second read.
    pub(super) page_in_hand: u32,
    /// Reached when what was read for the unit last begun is there.
    pub(super) ready: Fence,
}

impl PageLayer {
    /// Earns one host slot's share of copying in group `g`, and does what is earned.
    #[inline]
    pub(super) fn collect(&mut self, g: usize, batch: &mut OpBatch) {
        if self.groups[g].victim.is_none() && !self.begin_if_low(g) {
            return;
        }
        if let Some(victim) = &mut self.groups[g].victim {
            victim.credit += u64::from(victim.valid);
        }
        while let Some(victim) = self.groups[g].victim
            && self.refusal.is_none()
            && (self.is_owed(&victim) || self.is_behind(g))
        {
            self.collect_next(g, victim, batch);
            if self.groups[g].victim.is_none() && !self.begin_if_low(g) {
                break;
            }
        }
    }

    /// Collects until a group has a superblock to spare beside those its frontiers may need next.
    pub(super) fn make_room(&mut self, g: usize, batch: &mut OpBatch) {
        while self.refusal.is_none()
            && self.groups[g].free.len() <= LEAST_RESERVE_SUPERBLOCKS as usize
        {
            if self.groups[g].victim.is_none() {
                self.begin(g);
            }
            let victim = self.groups[g].victim.expect("just begun");
            self.collect_next(g, victim, batch);
        }
    }

    /// Whether the next copies are paid for. A victim without valid slots costs nothing, and one
    /// without gain is copied at once: it would otherwise use up space for nothing.
    fn is_owed(&self, victim: &Victim) -> bool {
        let left = self.valid_in(victim.superblock);
        victim.credit >= u64::from(victim.gain) * u64::from(left.min(self.row_slots()))
    }

    /// Slots copied together: one program unit on every die of the stripe, so that all dies read,
    /// then all program. Reads queued behind programs would tie the dies into one chain.
    fn row_slots(&self) -> u32 {
        if self.layout.stripe_dies == 1 {
            1
        } else {
            self.layout.stripe_dies * self.unit_slots.get()
        }
    }

    /// Whether less is writable than even the end of a cycle leaves: tables or filled-up units took
    /// space that no host slot paid for.
    fn is_behind(&self, g: usize) -> bool {
        let cycle = self.layout.slots_per_superblock + self.unit_slots.get();
        self.groups[g].writable_slots + cycle < low_water(&self.layout, &self.config)
    }

    /// Copies the next row of the victim; frees it after the last.
    fn collect_next(&mut self, g: usize, mut victim: Victim, batch: &mut OpBatch) {
        let copied = self.copy_row(g, &mut victim, batch);
        victim.credit = victim
            .credit
            .saturating_sub(u64::from(victim.gain) * u64::from(copied));
        let finished = self.valid_in(victim.superblock) == 0;
        self.groups[g].victim = (!finished).then_some(victim);
        if finished {
            self.release(victim.superblock);
        }
    }

    /// Chooses a victim if the group is low on writable slots; false when it is not.
    fn begin_if_low(&mut self, g: usize) -> bool {
        let low = self.groups[g].writable_slots <= low_water(&self.layout, &self.config);
        if low {
            self.begin(g);
        }
        low
    }

    fn begin(&mut self, g: usize) {
        let slots = self.layout.slots_per_superblock;
        let first = g * self.layout.superblocks_per_group as usize;
        let range = first..first + self.layout.superblocks_per_group as usize;
        let view = VictimView {
            first: SuperblockId(first as u32),
            valid: &self.valid_slots[range.clone()],
            closed_at: &self.closed_at[range],
        };
        let chosen = self.config.policy.choose(&view);
        let superblock = chosen.expect("a group that is low on space has full superblocks");
        let valid = self.valid_slots[superblock.index()];
        self.judge_progress(slots - valid);
        let cursor = self.layout.slot(superblock, 0).0;
        // Out of the candidates until it is free, and then for good.
        self.valid_slots[superblock.index()] |= super::NOT_A_CANDIDATE;
        self.groups[g].victim = Some(Victim {
            superblock,
            cursor,
            end: cursor + slots,
            valid,
            gain: slots - valid,
            credit: 0,
            page_in_hand: NOWHERE,
            ready: Fence::NONE,
        });
    }

    /// Counts superblocks collected in vain. Some superblock has a slot to gain as long as the user's
    /// data leave any, and a policy that has not found it in so many tries never will.
    fn judge_progress(&mut self, gain: u32) {
        self.in_vain = if gain > 0 { 0 } else { self.in_vain + 1 };
        let patience = IN_VAIN_MAX.saturating_mul(self.layout.superblocks());
        if self.in_vain > patience {
            let collected = self.in_vain;
            self.refusal = Some(Refusal::NoProgress { collected });
        }
    }

    /// Copies the victim's next valid slots, a row at most; gives their number.
    #[inline]
    fn copy_row(&mut self, g: usize, victim: &mut Victim, batch: &mut OpBatch) -> u32 {
        let mut row = std::mem::take(&mut self.row);
        let most = self.row_slots() as usize;
        while row.len() < most
            && let Some(slot) = self.valid.next_set(victim.cursor, victim.end)
        {
            victim.cursor = slot + 1;
            let ready = self.read_for_collection(g, slot, row.len() as u32, victim, batch);
            row.push((slot, ready));
        }
        for &(slot, ready) in &row {
            let from = Ppa(slot);
            let lpn = Lpn(self.owner[from.index()]);
            self.invalidate(slot);
            self.groups[g].collected.wait_for(ready);
            let to = self.append_collected(g, batch);
            self.remap(lpn, to);
            batch.data(DataMove::Copy { from, to });
        }
        let copied = row.len() as u32;
        row.clear();
        self.row = row;
        copied
    }

    /// Reads a slot that will be the frontier's `nth` next one; gives the fence of its unit.
    fn read_for_collection(
        &mut self,
        g: usize,
        slot: u32,
        nth: u32,
        victim: &mut Victim,
        batch: &mut OpBatch,
    ) -> Fence {
        let begins_unit = self.groups[g].collected.begins_unit(nth, self.unit_slots);
        if begins_unit {
            victim.ready = batch.fence();
        } else if nth == 0 {
            victim.ready = self.groups[g].collected.ready(batch);
        }
        let page = self.layout.page_of_slot(Ppa(slot));
        if begins_unit || victim.page_in_hand != page {
            let order = Order::FREE.signalling(victim.ready);
            self.read_slot(Ppa(slot), 1, Cause::Gc, order, batch);
            victim.page_in_hand = page;
        }
        victim.ready
    }
}

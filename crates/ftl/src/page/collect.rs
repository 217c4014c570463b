//! Foreground garbage collection, in step with the host's writes.
//!
//! A cycle begins when a group has no more than the reserve and half a superblock writable, and
//! frees one superblock of `S` slots. With `v` valid slots to copy, the host gets the other
//! `S − v`, so after every host slot `v / (S − v)` slots are copied: the cycle ends exactly when
//! the space it frees is used up, and the mean of what is writable is the reserve.

use super::victim::VictimView;
use super::{NOWHERE, PageLayer};
use ftlab_base::{Lpn, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, OpBatch, Order};

/// A superblock being collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    superblock: SuperblockId,
    /// The first slot not looked at.
    cursor: u32,
    /// One past its last slot.
    end: u32,
    /// Slots that were valid when it was chosen: copies owed for every `gain` host slots.
    valid: u32,
    /// Slots that were not.
    gain: u32,
    /// Copies earned by host slots, times `gain`.
    credit: u32,
    /// The page last read, so that its other slots need no second read.
    page_in_hand: u32,
}

impl PageLayer {
    /// Earns one host slot's share of copying in group `g`, and does what is earned.
    #[inline]
    pub(super) fn collect(&mut self, g: usize, batch: &mut OpBatch) {
        if self.groups[g].victim.is_none() && !self.begin_if_low(g) {
            return;
        }
        if let Some(victim) = &mut self.groups[g].victim {
            victim.credit += victim.valid;
        }
        // A victim without gain is copied at once: it would otherwise use up space for nothing.
        while let Some(mut victim) = self.groups[g].victim {
            if victim.valid > 0 && victim.credit < victim.gain {
                break;
            }
            let copied = self.copy_next(g, &mut victim, batch);
            if copied && victim.gain > 0 {
                victim.credit -= victim.gain;
            }
            self.groups[g].victim = Some(victim);
            if victim.cursor == victim.end {
                self.groups[g].victim = None;
                self.release(victim.superblock);
                if victim.gain > 0 || !self.begin_if_low(g) {
                    break;
                }
            }
        }
    }

    /// Chooses a victim if the group is low on writable slots; false when it is not.
    fn begin_if_low(&mut self, g: usize) -> bool {
        let slots = self.layout.slots_per_superblock;
        let low = self.config.reserve_superblocks * slots + slots / 2;
        if self.groups[g].writable_slots > low {
            return false;
        }
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
        });
        true
    }

    /// Copies the victim's next valid slot, if it has one.
    #[inline]
    fn copy_next(&mut self, g: usize, victim: &mut Victim, batch: &mut OpBatch) -> bool {
        let Some(slot) = self.valid.next_set(victim.cursor, victim.end) else {
            victim.cursor = victim.end;
            return false;
        };
        victim.cursor = slot + 1;
        let from = Ppa(slot);
        let unit_was_complete = self.groups[g].collected.unit_is_empty(self.unit_slots);
        let slots_per_page = self.layout.geometry.slots_per_page().max(1);
        if unit_was_complete || victim.page_in_hand != slot / slots_per_page {
            let ready = self.groups[g].collected.ready(batch);
            self.read_slot(from, 1, Cause::Gc, Order::FREE.signalling(ready), batch);
            victim.page_in_hand = slot / slots_per_page;
        }
        let lpn = Lpn(self.owner[from.index()]);
        self.invalidate(slot);
        let to = self.append_collected(g, batch);
        self.remap(lpn, to);
        batch.data(DataMove::Copy { from, to });
        // The last valid slot ends the cycle at once rather than one host slot later.
        if self.valid.next_set(victim.cursor, victim.end).is_none() {
            victim.cursor = victim.end;
        }
        true
    }
}

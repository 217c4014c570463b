//! Foreground garbage collection, in step with the host's writes.
//!
//! A cycle begins when a group has no more than the reserve and half a superblock writable, and
//! frees one superblock of `S` slots. With `v` valid slots to copy, the host gets the other
//! `S − v`, so after every host slot `v / (S − v)` slots are copied: the cycle ends exactly when
//! the space it frees is used up, and the mean of what is writable is the reserve.

use super::PageLayer;
use super::frontier::{collected_frontier, wear_of};
use super::table::NOWHERE;
use super::victim::VictimView;
use crate::Refusal;
use ftlab_base::{PagePlace, Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};

/// Full superblocks collected in vain, in superblocks of the array, after which a drive gives up. A
/// policy that draws superblocks at random finds one with something to gain long before.
const IN_VAIN_MAX: u32 = 64;

/// A superblock being collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    superblock: SuperblockId,
    /// Its first page.
    first: PagePlace,
    /// Collected for its valid slots, or moved to level wear.
    cause: Cause,
    /// The frontier its data go to.
    to: usize,
    /// The first slot not looked at.
    cursor: u32,
    /// One past its last slot.
    end: u32,
    /// Slots that were valid when it was chosen: copies owed for every `gain` host slots.
    valid: u32,
    /// Slots that were not.
    gain: u32,
    /// Copies earned by host slots, times `gain`.
    credit: u64,
    /// The page last read, so that its other slots need no second read.
    page_in_hand: u32,
    /// Reached when what was read for the unit last begun is there.
    ready: Fence,
}

impl Victim {
    /// What is collected.
    pub fn superblock(&self) -> SuperblockId {
        self.superblock
    }
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
        while let Some(victim) = &self.groups[g].victim
            && (self.is_owed(victim) || self.is_behind(g))
            && self.refusal.is_none()
        {
            let finished = self.collect_next(g, batch);
            if finished && !self.begin_if_low(g) {
                break;
            }
        }
    }

    /// Collects until a group has a superblock to spare beside those its frontiers may need next.
    pub(super) fn make_room(&mut self, g: usize, batch: &mut OpBatch) {
        let least = self.config.least_reserve() as usize;
        while self.refusal.is_none() && self.groups[g].free.len() <= least {
            if self.groups[g].victim.is_none() {
                self.begin(g);
            }
            self.collect_next(g, batch);
        }
    }

    /// Whether the next copies are paid for. A victim without valid slots costs nothing, and one
    /// without gain is copied at once: it would otherwise use up space for nothing.
    #[inline]
    fn is_owed(&self, victim: &Victim) -> bool {
        let left = self.table.valid_in(victim.superblock);
        victim.credit >= u64::from(victim.gain) * u64::from(left.min(self.row_slots))
    }

    /// Whether less is writable than even the end of a cycle leaves: tables or filled-up units took
    /// space that no host slot paid for.
    #[inline]
    fn is_behind(&self, g: usize) -> bool {
        let cycle = self.layout.slots_per_superblock + self.unit_slots;
        self.groups[g].writable_slots + cycle < self.low_water
    }

    /// Copies the next row of the group's victim; frees it after the last. Whether it did.
    #[inline]
    fn collect_next(&mut self, g: usize, batch: &mut OpBatch) -> bool {
        let copied = if self.row_slots == 1 {
            self.copy_one(g, batch)
        } else {
            self.copy_row(g, batch)
        };
        let victim = self.groups[g].victim.as_mut().expect("a victim is copied");
        let paid = u64::from(victim.gain) * u64::from(copied);
        victim.credit = victim.credit.saturating_sub(paid);
        let superblock = victim.superblock;
        let finished = self.table.valid_in(superblock) == 0;
        if finished {
            self.groups[g].victim = None;
            self.release(superblock);
        }
        finished
    }

    /// Gives a superblock without valid data back to its group.
    pub(super) fn release(&mut self, superblock: SuperblockId) {
        self.table.set_candidate(superblock, false);
        let group = &mut self.groups[self.layout.group_of(superblock) as usize];
        group.free.push_back(superblock);
        group.writable_slots += self.layout.slots_per_superblock;
    }

    /// Chooses a victim if the group is low on writable slots; false when it is not.
    #[inline]
    fn begin_if_low(&mut self, g: usize) -> bool {
        let low = self.groups[g].writable_slots <= self.low_water;
        if low {
            self.begin(g);
        }
        low
    }

    #[inline(never)]
    fn begin(&mut self, g: usize) {
        let (superblock, cause) = match self.stale(g) {
            Some(superblock) => (superblock, Cause::Wear),
            None => (self.choose(g), Cause::Gc),
        };
        let slots = self.layout.slots_per_superblock;
        let valid = self.table.valid_in(superblock);
        let stream = self.stream_of_collected(superblock);
        let cursor = self.layout.slot(superblock, 0).0;
        self.judge_progress(slots - valid);
        // Out of the candidates until it is free, and then for good.
        self.table.set_candidate(superblock, false);
        self.groups[g].victim = Some(Victim {
            superblock,
            first: self.layout.first_page(superblock),
            cause,
            to: collected_frontier(g * self.streams.count() + stream),
            cursor,
            end: cursor + slots,
            valid,
            gain: slots - valid,
            credit: 0,
            page_in_hand: NOWHERE,
            ready: Fence::NONE,
        });
    }

    /// Asks the policy.
    fn choose(&mut self, g: usize) -> SuperblockId {
        if self.streams.count() > 1 {
            self.mask_other_stream(g);
        }
        let first = g as u32 * self.layout.superblocks_per_group;
        let range = first as usize..(first + self.layout.superblocks_per_group) as usize;
        let view = VictimView {
            first: SuperblockId(first),
            valid: if self.streams.count() > 1 {
                &self.masked
            } else {
                &self.table.valid_slots()[range.clone()]
            },
            closed_at: &self.closed_at[range],
        };
        let chosen = self.config.policy.choose(&view);
        chosen.expect("a group that is low on space has full superblocks")
    }

    /// The superblock that static wear levelling wants moved, if it is due.
    fn stale(&mut self, g: usize) -> Option<SuperblockId> {
        let levelling = self.config.wear.levelling?;
        let group = &mut self.groups[g];
        group.collections += 1;
        if group.collections < levelling.every_collections {
            return None;
        }
        let wear = |s| wear_of(&self.layout, &self.array, s);
        let first = g as u32 * self.layout.superblocks_per_group;
        let all = (first..first + self.layout.superblocks_per_group).map(SuperblockId);
        let most = all.map(wear).max()?;
        let range = first as usize..(first + self.layout.superblocks_per_group) as usize;
        let view = VictimView {
            first: SuperblockId(first),
            valid: &self.table.valid_slots()[range.clone()],
            closed_at: &self.closed_at[range],
        };
        let stale = levelling.choose(view.candidates(), wear, most)?;
        self.groups[g].collections = 0;
        Some(stale)
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

    /// Copies the victim's next valid slot, where a superblock lies on one die; 0 when none is left.
    #[inline]
    fn copy_one(&mut self, g: usize, batch: &mut OpBatch) -> u32 {
        let victim = self.groups[g].victim.as_ref().expect("a victim is copied");
        let Some(slot) = self.table.next_valid(victim.cursor, victim.end) else {
            return 0;
        };
        let ready = self.read_for_collection(g, slot, 0, batch);
        self.move_slot(g, slot, ready, batch);
        1
    }

    /// Copies the victim's next valid slots, a row at most; gives their number. All dies read, then
    /// all program: reads queued behind programs would tie the dies into one chain.
    fn copy_row(&mut self, g: usize, batch: &mut OpBatch) -> u32 {
        let mut row = std::mem::take(&mut self.row);
        while row.len() < self.row_slots as usize {
            let victim = self.groups[g].victim.as_ref().expect("a victim is copied");
            let Some(slot) = self.table.next_valid(victim.cursor, victim.end) else {
                break;
            };
            let ready = self.read_for_collection(g, slot, row.len() as u32, batch);
            row.push((slot, ready));
        }
        for &(slot, ready) in &row {
            self.move_slot(g, slot, ready, batch);
        }
        let copied = row.len() as u32;
        row.clear();
        self.row = row;
        copied
    }

    /// Appends a slot of the victim, read when `ready` is reached, to where its data go.
    #[inline]
    fn move_slot(&mut self, g: usize, slot: u32, ready: Fence, batch: &mut OpBatch) {
        let victim = self.groups[g].victim.as_ref().expect("a victim is copied");
        let (of, f, cause) = (victim.superblock, victim.to, victim.cause);
        self.frontiers[f].wait_for(ready);
        let (to, at) = self.append(f, cause, batch);
        self.groups[g].writable_slots -= 1;
        self.table.relocate((slot, of), (to, at));
        batch.data(DataMove::Copy {
            from: Ppa(slot),
            to: Ppa(to),
        });
    }

    /// Reads a slot that will be the frontier's `nth` next one; gives the fence of its unit.
    #[inline]
    fn read_for_collection(&mut self, g: usize, slot: u32, nth: u32, batch: &mut OpBatch) -> Fence {
        let victim = self.groups[g].victim.as_mut().expect("a victim is copied");
        victim.cursor = slot + 1;
        let frontier = &mut self.frontiers[victim.to];
        let begins_unit = self.unit_slots == 1
            || (nth + self.unit_slots - frontier.unit_left()).is_multiple_of(self.unit_slots);
        if begins_unit {
            victim.ready = batch.fence();
        } else if nth == 0 {
            victim.ready = frontier.ready(batch);
        }
        let ready = victim.ready;
        let page = self.layout.page_of_slot(Ppa(slot));
        if begins_unit || victim.page_in_hand != page {
            victim.page_in_hand = page;
            let (first, cause) = (victim.first, victim.cause);
            let n = self.layout.slots_per_superblock - (victim.end - slot);
            let order = Order {
                waits: Fence::NONE,
                signals: [ready, Fence::NONE],
            };
            self.read_pages((first, n), 1, cause, order, batch);
        }
        ready
    }
}

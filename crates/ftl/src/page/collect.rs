//! Foreground garbage collection, in step with the host's writes.
//!
//! A cycle begins when a group has no more than the reserve and half a superblock writable, and
//! frees one superblock of `S` slots. With `v` valid slots to copy, the host gets the other
//! `S − v`, so after every host slot `v / (S − v)` slots are copied: the cycle ends exactly when
//! the space it frees is used up, and the mean of what is writable is the reserve.
//!
//! In turns, the layer copies the same slots later: it waits until the host has written a turn. It begins each cycle
//! earlier by a turn, so that as much is writable at the end.

use super::pacing::{Pace, PacingView};
use super::table::NOWHERE;
use super::victim::VictimView;
use super::wear::WearBounds;
use super::{PageLayer, Victim};
use crate::Refusal;
use ftlab_base::{Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, Fence, OpBatch, Order};

/// Full superblocks collected in vain, in superblocks of the array, after which a drive gives up. A
/// policy that draws superblocks at random finds one with something to gain long before.
const IN_VAIN_MAX: u32 = 64;

/// Slots that are copied in one go at most.
const RUN_MAX: usize = 16;

/// Slots whose table entries are fetched at a time, before they are moved.
const FETCHED_TOGETHER: u32 = 64;

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Earns one host slot's share of copying in group `g`, and does what is earned; or all of it, if
    /// this drive collects in batches.
    #[inline]
    pub(super) fn collect(&mut self, g: usize, batch: &mut OpBatch) {
        if let Pace::InBatches { slots } = self.config.pace {
            return self.collect_if_low(g, slots, batch);
        }
        let going_on = self.groups[g].victim.take();
        let Some(mut victim) = going_on.or_else(|| self.begin_if_low(g)) else {
            return;
        };
        victim.credit += u64::from(victim.valid);
        if victim.credit < self.turn_of(&victim) && !self.is_behind(g) {
            self.groups[g].victim = Some(victim);
            return;
        }
        loop {
            let left = self.table.valid_in(victim.superblock);
            if left == 0 {
                let Some(next) = self.victim_after(g, &victim) else {
                    return;
                };
                victim = next;
                continue;
            }
            let owed = match &self.config.pace {
                Pace::By(_) => u64::from(self.copies_now(g, &victim, left)),
                pace => {
                    // The drive decides when a turn is copied. The layer copies only what goes beyond one turn.
                    let kept = match pace {
                        Pace::InTurns {
                            gives_way: true, ..
                        } => self.turn_of(&victim),
                        _ => 0,
                    };
                    let owed = self.rows_owed(victim.credit.checked_sub(kept), &victim, left);
                    owed.max(u64::from(self.is_behind(g)))
                }
            };
            if owed == 0 || self.refusal.is_some() {
                break;
            }
            self.pay_rows(g, &mut victim, owed.min(left.into()) as u32, batch);
        }
        self.groups[g].victim = Some(victim);
    }

    /// The credit that the host's writes of one turn add to a victim.
    #[inline]
    fn turn_of(&self, victim: &Victim) -> u64 {
        u64::from(victim.valid) * u64::from(self.config.pace.turn_slots())
    }

    /// Returns true if some group has a whole turn to copy, and the drive decides when.
    pub(super) fn owes_turn_to_drive(&self) -> bool {
        let mut victims = self.groups.iter().filter_map(|group| group.victim.as_ref());
        matches!(
            self.config.pace,
            Pace::InTurns {
                gives_way: true,
                ..
            }
        ) && victims.any(|victim| victim.credit >= self.turn_of(victim))
    }

    /// Copies a row of each group that owes one; returns true if any did.
    pub(super) fn copy_owed_rows(&mut self, batch: &mut OpBatch) -> bool {
        let mut any = false;
        for g in 0..self.groups.len() {
            let Some(mut victim) = self.groups[g].victim.take() else {
                continue;
            };
            if self.table.valid_in(victim.superblock) == 0 {
                match self.victim_after(g, &victim) {
                    Some(next) => victim = next,
                    None => continue,
                }
            }
            let left = self.table.valid_in(victim.superblock);
            if left > 0 && victim.credit >= self.price(&victim, left) && self.refusal.is_none() {
                self.pay_rows(g, &mut victim, 1, batch);
                any = true;
            }
            self.groups[g].victim = Some(victim);
        }
        any
    }

    /// Frees a victim whose last slot was copied or written anew, and begins with the next if the group is still low.
    fn victim_after(&mut self, g: usize, victim: &Victim) -> Option<Victim> {
        self.release(victim.superblock);
        let mut next = self.begin_if_low(g)?;
        if self.config.pace.turn_slots() > 0 {
            // The next victim takes what this one left of the turn.
            let earned_by = victim.credit / u64::from(victim.valid.max(1));
            next.credit = earned_by * u64::from(next.valid);
        }
        Some(next)
    }

    /// The credit that copying the next row takes, where the victim has `left` valid slots. Only the last row may be shorter.
    /// A victim without gain costs nothing, so the layer copies it at once: it would otherwise use up space for nothing.
    #[inline]
    fn price(&self, victim: &Victim, left: u32) -> u64 {
        u64::from(victim.gain) * u64::from(left.min(self.row_slots()))
    }

    /// Rows of the `left` slots of a victim that a credit pays for, one after the other.
    #[inline]
    fn rows_owed(&self, credit: Option<u64>, victim: &Victim, left: u32) -> u64 {
        match (credit, self.price(victim, left)) {
            (None, _) => 0,
            (Some(_), 0) => left.into(),
            (Some(credit), price) => credit / price,
        }
    }

    /// Copies a row, or several where copies go in runs, and subtracts their price from the victim's credit.
    #[inline]
    fn pay_rows(&mut self, g: usize, victim: &mut Victim, rows: u32, batch: &mut OpBatch) {
        let copied = match self.copies_in_runs(victim) {
            true => self.copy_run(g, victim, rows, batch),
            false => self.copy_row(g, victim, batch),
        };
        let paid = u64::from(victim.gain) * u64::from(copied);
        victim.credit = victim.credit.saturating_sub(paid);
    }

    /// Asks the pacing policy, which there is, whether the next row is copied.
    #[cold]
    #[inline(never)]
    fn copies_now(&mut self, g: usize, victim: &Victim, left: u32) -> bool {
        let view = PacingView {
            writable_slots: self.groups[g].writable_slots,
            low_slots: self.low_water,
            left_slots: left,
            row_slots: self.row_slots(),
            valid_slots: victim.valid,
            gain_slots: victim.gain,
            owed_slots: match victim.gain {
                0 => f64::INFINITY,
                gain => victim.credit as f64 / f64::from(gain),
            },
            is_behind: self.is_behind(g),
        };
        match &mut self.config.pace {
            Pace::By(policy) => policy.copies(&view),
            _ => false,
        }
    }

    /// Collects until a group has a superblock to spare beside those its frontiers may need next.
    ///
    /// # Errors
    /// When collection makes no progress.
    pub(super) fn make_room(&mut self, g: usize, batch: &mut OpBatch) -> Result<(), Refusal> {
        let least = self.config.least_reserve() + self.config.held_for_failures();
        while self.free_for_data(g) <= least as usize {
            if let Some(refusal) = self.refusal {
                return Err(refusal);
            }
            let going_on = self.groups[g].victim.take();
            let mut victim = going_on.unwrap_or_else(|| self.begin(g));
            while self.table.valid_in(victim.superblock) > 0 {
                if self.copy_row(g, &mut victim, batch) == 0 {
                    self.put_back(g, victim);
                    return Err(self.refusal.expect("copying stops for a reason"));
                }
            }
            self.release(victim.superblock);
        }
        Ok(())
    }

    /// Collects until the host may open a superblock of a group and collection can still go on: it
    /// gives nothing back before a victim's last slot is copied, so there must be room for all of
    /// them behind the frontier, or another superblock. In one log, where the host could take that room, there must
    /// be a superblock for every stream.
    ///
    /// # Errors
    /// When collection makes no progress.
    pub(super) fn make_room_for_host(
        &mut self,
        g: usize,
        batch: &mut OpBatch,
    ) -> Result<(), Refusal> {
        let held = self.config.held_for_failures() as usize;
        let one_log = self.config.one_log;
        let least = held + if one_log { self.streams.count() } else { 2 };
        while self.free_for_data(g) < least {
            let going_on = self.groups[g].victim.take();
            let mut victim = going_on.unwrap_or_else(|| self.begin(g));
            let fits = !one_log && self.free_for_data(g) > held && self.fits(&victim, 0);
            if !fits && self.refusal.is_none() {
                self.copy_row(g, &mut victim, batch);
            }
            self.put_back(g, victim);
            match self.refusal {
                _ if fits => break,
                Some(refusal) => return Err(refusal),
                None => {}
            }
        }
        Ok(())
    }

    /// Ends the collection of a victim that would no longer fit if N slots of the frontier `f`
    /// were lost.
    pub(super) fn end_collection_without(
        &mut self,
        g: usize,
        (f, slots): (usize, u32),
        batch: &mut OpBatch,
    ) {
        while self.free_for_data(g) == 0
            && self.refusal.is_none()
            && let Some(mut victim) = self.groups[g].victim
            && victim.to == f
            && !self.fits(&victim, slots)
        {
            self.copy_row(g, &mut victim, batch);
            self.put_back(g, victim);
        }
    }

    /// Returns true if what is left of a victim fits into the open superblock, less `without` slots.
    pub(super) fn fits(&self, victim: &Victim, without: u32) -> bool {
        let left = self.frontiers[victim.to].left();
        self.table.valid_in(victim.superblock) + without <= left
    }

    /// Goes on with a victim later, or frees it after its last slot.
    pub(super) fn put_back(&mut self, g: usize, victim: Victim) {
        let finished = self.table.valid_in(victim.superblock) == 0;
        self.groups[g].victim = (!finished).then_some(victim);
        if finished {
            self.release(victim.superblock);
        }
    }

    /// Returns true if less is writable than even the end of a cycle leaves: tables or filled-up units took space that
    /// no host slot paid for.
    #[inline]
    fn is_behind(&self, g: usize) -> bool {
        let cycle =
            self.layout.slots_per_superblock + self.unit_slots() + self.config.pace.turn_slots();
        self.groups[g].writable_slots + cycle < self.low_water
    }

    /// Gives a superblock without valid data back to its group.
    pub(super) fn release(&mut self, superblock: SuperblockId) {
        self.table.set_candidate(superblock, false);
        let was_slc = self.is_slc(superblock);
        let aside = self.own_superblocks();
        let group = &mut self.groups[self.layout.group_of(superblock) as usize];
        group.free.push_back(superblock);
        group.slc_used -= u32::from(was_slc);
        if !was_slc || group.slc_used >= aside {
            group.writable_slots += self.layout.slots_per_superblock;
        }
    }

    /// Chooses a victim if the group is low on writable slots.
    #[inline]
    fn begin_if_low(&mut self, g: usize) -> Option<Victim> {
        (self.groups[g].writable_slots <= self.low_water).then(|| self.begin(g))
    }

    #[inline(never)]
    pub(super) fn begin(&mut self, g: usize) -> Victim {
        if self.gains_by_folding(g)
            && let Some(superblock) = self.oldest_of_slc(g)
        {
            return self.begin_with(g, superblock, Cause::Gc);
        }
        let (superblock, cause) = match self.stale(g) {
            Some(superblock) => (superblock, Cause::Wear),
            None => (self.choose(g), Cause::Gc),
        };
        self.begin_with(g, superblock, cause)
    }

    /// Begins with a superblock that was chosen.
    pub(super) fn begin_with(
        &mut self,
        g: usize,
        superblock: SuperblockId,
        cause: Cause,
    ) -> Victim {
        // What its collection frees; of the cache it holds fewer.
        let slots = self.layout.slots_per_superblock;
        let valid = self.table.valid_in(superblock);
        let stream = self.stream_of(superblock);
        let begin = self.layout.slot(superblock, 0).0;
        self.judge_progress(slots - valid);
        // Out of the candidates until it is free, and then for good.
        self.table.set_candidate(superblock, false);
        Victim {
            superblock,
            first: self.layout.first_page(superblock),
            cause,
            to: self.collection_frontier(g * self.streams.count() + stream),
            begin,
            cursor: begin,
            fetched: begin,
            end: begin + self.slots_of(superblock),
            valid,
            gain: slots - valid,
            credit: 0,
            page_in_hand: NOWHERE,
            ready: Fence::NONE,
        }
    }

    /// Asks the policy for the group's next victim.
    fn choose(&mut self, g: usize) -> SuperblockId {
        let has_shares = self.streams.have_shares();
        if has_shares {
            self.mask_other_streams(g);
        }
        let first = g as u32 * self.layout.superblocks_per_group;
        let range = first as usize..(first + self.layout.superblocks_per_group) as usize;
        let view = VictimView::new(
            SuperblockId(first),
            self.layout.slots_per_superblock,
            if has_shares {
                &self.masked
            } else {
                &self.table.valid_slots()[range.clone()]
            },
            &self.closed_at[range],
            self.closed,
        );
        view.ask(&mut *self.config.policy).superblock
    }

    /// The full superblocks of a group.
    pub(super) fn full(&self, g: usize) -> VictimView<'_> {
        let first = g as u32 * self.layout.superblocks_per_group;
        let range = first as usize..(first + self.layout.superblocks_per_group) as usize;
        VictimView::new(
            SuperblockId(first),
            self.layout.slots_per_superblock,
            &self.table.valid_slots()[range.clone()],
            &self.closed_at[range],
            self.closed,
        )
    }

    /// The superblock that static wear levelling wants moved, if it is due.
    fn stale(&mut self, g: usize) -> Option<SuperblockId> {
        let levelling = self.config.wear.levelling?;
        let group = &mut self.groups[g];
        group.collections += 1;
        if group.collections < levelling.every_collections {
            return None;
        }
        // Moving full superblocks frees nothing, and must wait while failures have used up what was
        // kept for them.
        let held = self.config.held_for_failures() as usize;
        if self.array.can_fail() && self.groups[g].free.len() <= held {
            return None;
        }
        if !self.wear_bounds[g].are_beyond(&levelling) {
            return None;
        }
        let superblocks = self.layout.superblocks_per_group as usize;
        let of_group = &self.worn[g * superblocks..(g + 1) * superblocks];
        self.wear_bounds[g] = WearBounds::of(of_group);
        let wear = |s: SuperblockId| self.worn[s.index()];
        let most = self.wear_bounds[g].most();
        let stale = levelling.choose(self.full(g).candidates(), wear, most)?;
        self.groups[g].collections = 0;
        Some(stale)
    }

    /// Counts superblocks collected in vain. Some superblock has a slot to gain as long as the user's
    /// data leave any, and a policy that has not found it in N tries never will.
    fn judge_progress(&mut self, gain: u32) {
        self.in_vain = if gain > 0 { 0 } else { self.in_vain + 1 };
        let patience = IN_VAIN_MAX.saturating_mul(self.layout.superblocks());
        if self.in_vain > patience && self.refusal.is_none() {
            let collected = self.in_vain;
            self.refusal = Some(Refusal::NoProgress { collected });
        }
    }

    /// Copies the victim's next valid slots, a row at most; gives their number. All dies read, then
    /// all program: reads queued behind programs would tie the dies into one chain.
    #[inline(always)]
    pub(super) fn copy_row(&mut self, g: usize, victim: &mut Victim, batch: &mut OpBatch) -> u32 {
        if self.row_slots() == 1 {
            // A valid slot is left, or there would be nothing to copy.
            let Some(slot) = self.table.next_valid(victim.cursor, victim.end) else {
                return 0;
            };
            let ready = self.read_for_collection(slot, 0, victim, batch);
            if !self.move_slot(slot, ready, victim, batch) {
                victim.cursor = slot;
                return 0;
            }
            self.groups[g].writable_slots -= 1;
            return 1;
        }
        let mut row = std::mem::take(&mut self.row);
        let slots = self.chain.slots.unwrap_or_else(|| self.row_slots());
        while row.len() < slots as usize
            && let Some(slot) = self.table.next_valid(victim.cursor, victim.end)
        {
            let ready = self.read_for_collection(slot, row.len() as u32, victim, batch);
            row.push((slot, ready));
        }
        let mut copied = 0;
        for &(slot, ready) in &row {
            if !self.move_slot(slot, ready, victim, batch) {
                // It stays where it is, and so do those behind it.
                victim.cursor = slot;
                break;
            }
            self.groups[g].writable_slots -= 1;
            copied += 1;
        }
        row.clear();
        self.row = row;
        copied
    }

    /// Returns true if a victim's slots can be copied in one go: a slot is a page, no copy fails or is counted apart, and the
    /// superblock that they go to is open.
    #[inline]
    fn copies_in_runs(&self, victim: &Victim) -> bool {
        FLAT && self.streams.count() == 1
            && !self.array.can_fail()
            && !self.frontiers[victim.to].is_closed()
    }

    /// Copies the victim's next valid slots, at most `slots`, as [`PageLayer::copy_row`] does one after the other; gives their
    /// number.
    fn copy_run(&mut self, g: usize, victim: &mut Victim, slots: u32, batch: &mut OpBatch) -> u32 {
        if victim.cursor + FETCHED_TOGETHER / 2 >= victim.fetched {
            let begin = victim.fetched.max(victim.cursor);
            victim.fetched = (begin + FETCHED_TOGETHER).min(victim.end);
            self.table.fetch(begin, victim.fetched);
        }
        let frontier = &mut self.frontiers[victim.to];
        let (to, at, place) = (frontier.next, frontier.superblock, frontier.place);
        let left = self.table.valid_in(victim.superblock);
        let slots = slots.min(frontier.left()).min(left).min(RUN_MAX as u32);
        let run = &mut [0; RUN_MAX][..slots as usize];
        frontier.next += slots;
        frontier.place.page += slots;
        self.table
            .relocate_run((victim.cursor, victim.superblock), (to, at), run);
        let last = run[run.len() - 1];
        victim.cursor = last + 1;
        victim.page_in_hand = self.layout.page_of_slot(Ppa(last));
        let pages = (victim.first, run.iter().map(|slot| slot - victim.begin));
        let (bytes, cause) = (self.read_bytes, victim.cause);
        victim.ready = self.array.copy(pages, place, bytes, cause, batch);
        if batch.carries_data() {
            for (&from, to) in run.iter().zip(to..) {
                let (from, to) = (Ppa(from), Ppa(to));
                batch.data(DataMove::Copy { from, to });
            }
        }
        self.groups[g].writable_slots -= slots;
        if self.frontiers[victim.to].is_closed() {
            self.close(victim.to, at);
        }
        slots
    }

    /// Appends a slot of the victim, read when `ready` is reached, to where its data go. False when
    /// there is no such place left, because blocks have failed.
    #[inline(always)]
    fn move_slot(&mut self, slot: u32, ready: Fence, victim: &Victim, batch: &mut OpBatch) -> bool {
        self.frontiers[victim.to].wait_for(ready);
        if self.chain.slots.is_some() && self.frontiers[victim.to].unit_left() == 1 {
            let chain = &mut self.chain;
            if !chain.done.is_some() {
                chain.done = batch.fence();
            }
            self.frontiers[victim.to].done = chain.done;
        }
        let Some((to, at)) = self.append(victim.to, victim.cause, batch) else {
            return false;
        };
        self.table.relocate((slot, victim.superblock), (to, at));
        if self.streams.count() > 1 {
            let stream = self.stream_of(victim.superblock);
            self.streams.note_copy(stream);
        }
        self.note_birth(at, Some(victim.superblock));
        batch.data(DataMove::Copy {
            from: Ppa(slot),
            to: Ppa(to),
        });
        self.entry_moved(slot, to, batch);
        true
    }

    /// Reads a slot that will be the frontier's `nth` next one; gives the fence of its unit.
    #[inline(always)]
    fn read_for_collection(
        &mut self,
        slot: u32,
        nth: u32,
        victim: &mut Victim,
        batch: &mut OpBatch,
    ) -> Fence {
        if slot >= victim.fetched {
            victim.fetched = (slot + FETCHED_TOGETHER).min(victim.end);
            self.table.fetch(slot, victim.fetched);
        }
        victim.cursor = slot + 1;
        let unit_slots = self.unit_slots();
        let frontier = &mut self.frontiers[victim.to];
        // All reads for a program unit signal one fence, which its program waits for.
        let begins_unit =
            unit_slots == 1 || (nth + unit_slots - frontier.unit_left()).is_multiple_of(unit_slots);
        if begins_unit {
            victim.ready = batch.fence();
        } else if nth == 0 {
            victim.ready = frontier.ready(batch);
        }
        let page = self.layout.page_of_slot(Ppa(slot));
        if begins_unit || victim.page_in_hand != page {
            victim.page_in_hand = page;
            let n = slot - victim.begin;
            let order = Order {
                waits: self.chain.waits,
                signals: [victim.ready, Fence::NONE],
            };
            let (first_page, pages) = self.pages_of_slot(n);
            for n in first_page..first_page + pages {
                let place = self.page_from(victim.first, n);
                let bytes = self.read_bytes;
                if !self.read_page((victim.first, place), bytes, victim.cause, order, batch) {
                    self.lose_page(slot);
                }
            }
        }
        victim.ready
    }
}

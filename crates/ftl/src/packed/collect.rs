//! Foreground collection, in step with the host's writes, a row of the victim at a pass.
//!
//! A cycle begins when no more than the reserve and half a superblock is writable, and frees one
//! superblock of `C` chunks. With `v` of them valid the host gets the other `C − v`, so after `h`
//! chunks of the host collection has passed over `h · C / (C − v)` chunks of the victim: it is
//! through when the space that it frees is used up. The pace does not depend on how much is copied,
//! because a pass costs something even where nothing is.
//!
//! A drive may begin earlier, with superblocks of which hardly anything is valid any more
//! ([`PackedConfig::early_valid`](super::PackedConfig::early_valid)): whenever the host opens a
//! superblock or a cycle ends, it looks whether there is one. The pace is the same, so what is
//! writable stays as much as it was.

use super::PackedLayer;
use super::frontier::COLLECTED;
use super::stripe::Stripe;
use super::table::{Owner, Stored};
use crate::Refusal;
use crate::page::VictimView;
use ftlab_base::{Ppa, SuperblockId};
use ftlab_nand::{Cause, DataMove, OpBatch, Order};

/// Full superblocks collected in vain, in superblocks of the array, after which a drive gives up.
const IN_VAIN_MAX: u32 = 64;

/// Entries of a log whose slots are fetched before they are judged.
const FETCHED_AHEAD: usize = 16;

/// A superblock being collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub superblock: SuperblockId,
    /// Chunks of the superblock that collection has passed over.
    pub passed: u32,
    /// The first entry of its log not looked at, and where its chunks begin.
    pub entry: usize,
    pub at: u32,
    /// Chunks filled: there is nothing behind.
    pub filled: u32,
    /// Chunks that were not valid when it was chosen.
    pub gain: u32,
    /// Passes earned by chunks of the host, times `gain`.
    pub credit: u64,
}

/// Valid data of a row, about to move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    owner: Owner,
    /// The first chunk of the victim, and how many.
    n: u32,
    chunks: u32,
    /// True if they are programmed in this pass, at least in part; `later` if in a later one.
    now: bool,
    later: bool,
}

impl PackedLayer {
    /// Earns the share of collecting of N chunks of the host, and does what is earned.
    #[inline]
    pub(super) fn collect(&mut self, chunks: u32, batch: &mut OpBatch) {
        let Some(mut victim) = self.victim.take().or_else(|| self.begin_if_low()) else {
            return;
        };
        victim.credit += u64::from(chunks) * u64::from(self.stripe.superblock);
        loop {
            if self.is_over(&victim) {
                self.release(victim.superblock);
                match self.begin_if_low().or_else(|| self.begin_early()) {
                    Some(next) => victim = next,
                    None => return,
                }
                continue;
            }
            let pass = self.stripe.row.min(victim.filled - victim.passed);
            let price = u64::from(victim.gain) * u64::from(pass);
            let goes_on = victim.credit >= price || self.is_behind();
            if !goes_on || self.refusal.is_some() {
                break;
            }
            self.pass(&mut victim, batch);
            victim.credit = victim.credit.saturating_sub(price);
        }
        self.victim = Some(victim);
    }

    /// Collects until the host may open a superblock and one more is free for collection.
    ///
    /// # Errors
    /// When collection makes no progress.
    pub(super) fn make_room_for_host(&mut self, batch: &mut OpBatch) -> Result<(), Refusal> {
        loop {
            let is_short = self.is_short_of_donors();
            if self.free.len() >= 2 + usize::from(is_short) {
                if is_short {
                    self.stock_donors();
                }
                return Ok(());
            }
            if let Some(refusal) = self.refusal {
                return Err(refusal);
            }
            let mut victim = match self.victim.take() {
                Some(victim) => victim,
                None => self.begin(),
            };
            self.end_victim(&mut victim, batch);
        }
    }

    /// Ends the collection that is under way if no superblock is free: what is filled up or given up
    /// may be the room that it needs.
    pub(super) fn end_collection_without_room(&mut self, batch: &mut OpBatch) {
        if self.free.is_empty()
            && !self.is_worn_out()
            && let Some(mut victim) = self.victim.take()
        {
            self.end_victim(&mut victim, batch);
        }
    }

    fn end_victim(&mut self, victim: &mut Victim, batch: &mut OpBatch) {
        while !self.is_over(victim) {
            self.pass(victim, batch);
        }
        self.release(victim.superblock);
    }

    /// Ends the collection that is under way, if any is.
    pub(super) fn end_victim_under_way(&mut self, batch: &mut OpBatch) -> bool {
        let Some(mut victim) = self.victim.take() else {
            return false;
        };
        self.end_victim(&mut victim, batch);
        true
    }

    /// Moves what a superblock holds, which is no victim, and frees it.
    pub(super) fn empty(&mut self, superblock: SuperblockId, batch: &mut OpBatch) {
        let mut victim = self.victim_of(superblock);
        self.end_victim(&mut victim, batch);
    }

    /// Returns true if nothing is left to be done for a victim. Where nothing is read but what is valid, that is when
    /// nothing is valid.
    #[inline]
    fn is_over(&self, victim: &Victim) -> bool {
        victim.passed >= victim.filled
            || !self.config.reads_whole && self.table.valid_in(victim.superblock) == 0
    }

    /// Returns true if less is writable than even the end of a cycle leaves: units that were filled up took space that
    /// no slot of the host paid for.
    #[inline]
    fn is_behind(&self) -> bool {
        let cycle = self.stripe.superblock + self.stripe.unit + self.slot_chunks;
        self.writable + cycle < self.low_water
    }

    fn release(&mut self, superblock: SuperblockId) {
        debug_assert_eq!(self.table.valid_in(superblock), 0);
        self.table.set_candidate(superblock, false);
        self.free.push_back(superblock);
        self.writable += self.stripe.superblock;
    }

    #[inline]
    fn begin_if_low(&mut self) -> Option<Victim> {
        (self.writable <= self.low_water).then(|| self.begin())
    }

    /// Chooses a victim although there is room, if so little of it is valid.
    pub(super) fn begin_early(&mut self) -> Option<Victim> {
        let most = self.config.early_valid? * f64::from(self.stripe.superblock);
        let superblock = self.choose()?;
        (f64::from(self.table.valid_in(superblock)) <= most).then(|| self.victim_of(superblock))
    }

    /// Chooses a victim. Refuses further writes when too many in a row have gained nothing.
    #[inline(never)]
    fn begin(&mut self) -> Victim {
        let superblock = self.choose().expect("what room is short of is full");
        let victim = self.victim_of(superblock);
        self.judge_progress(self.table.valid_in(superblock));
        victim
    }

    /// Asks the policy for one of the full superblocks, if there are any.
    fn choose(&mut self) -> Option<SuperblockId> {
        let view = VictimView::new(
            SuperblockId(0),
            self.stripe.superblock,
            self.table.valid(),
            &self.closed_at,
            self.closed,
        );
        view.candidates().next()?;
        Some(view.ask(&mut *self.config.policy).superblock)
    }

    fn victim_of(&mut self, superblock: SuperblockId) -> Victim {
        let valid = self.table.valid_in(superblock);
        // Out of the candidates until it is free, and then for good.
        self.table.set_candidate(superblock, false);
        Victim {
            superblock,
            passed: 0,
            entry: 0,
            at: 0,
            filled: self.table.filled(superblock),
            gain: self.stripe.superblock - valid,
            credit: 0,
        }
    }

    /// Counts superblocks collected in vain: so full that their data may take a superblock again.
    fn judge_progress(&mut self, valid: u32) {
        let sure = self.stripe.sure_chunks(self.slot_chunks);
        self.in_vain = if valid < sure { 0 } else { self.in_vain + 1 };
        let patience = IN_VAIN_MAX.saturating_mul(self.stripe.layout.superblocks());
        if self.in_vain > patience {
            let collected = self.in_vain;
            self.refusal = Some(Refusal::NoProgress { collected });
        }
    }

    /// Passes over a row of the victim: reads it and moves what is valid.
    fn pass(&mut self, victim: &mut Victim, batch: &mut OpBatch) {
        let mut row = std::mem::take(&mut self.row);
        let end = (victim.passed + self.stripe.row).min(victim.filled);
        self.gather(victim, end, &mut row);
        let fills = self.plan(&mut row);
        self.read_row(victim, end, &row, batch);
        let first = self.stripe.first(victim.superblock);
        for moving in &row {
            self.move_data(moving, first, batch);
        }
        self.program_collected(false, batch);
        if self.frontiers[COLLECTED].position() == self.stripe.superblock {
            self.close(COLLECTED);
        }
        if fills {
            self.end_pass();
        }
        victim.passed = end;
        row.clear();
        self.row = row;
    }

    /// Finds what is valid of the slots that begin before `end`.
    fn gather(&self, victim: &mut Victim, end: u32, row: &mut Vec<Moving>) {
        let (superblock, first) = (victim.superblock, self.stripe.first(victim.superblock));
        while victim.at < end
            && let Some((owner, chunks)) = self.table.logged(superblock, victim.entry)
        {
            self.table
                .fetch_logged(superblock, victim.entry + FETCHED_AHEAD);
            if self.table.is_at(owner, first + victim.at) {
                row.push(Moving {
                    owner,
                    n: victim.at,
                    chunks,
                    now: false,
                    later: false,
                });
            }
            victim.at += chunks;
            victim.entry += 1;
        }
    }

    /// Says of the data of a pass which the pass will program: all that comes before the end of the
    /// last row that it fills. Gives whether it fills any.
    fn plan(&self, row: &mut [Moving]) -> bool {
        let Stripe {
            superblock: all,
            row: row_chunks,
            ..
        } = self.stripe;
        let frontier = &self.frontiers[COLLECTED];
        // Where a superblock ends is the end of a row, so positions may be counted through.
        let begin = frontier.position();
        let (mut position, mut base) = (begin, 0);
        let place = |position: &mut u32, base: &mut u32, chunks: u32| {
            if *position + chunks > all {
                *base += all;
                *position = 0;
            }
            let at = *base + *position;
            *position += chunks;
            at
        };
        for moving in row.iter() {
            place(&mut position, &mut base, moving.chunks);
        }
        let filled = base + position / row_chunks * row_chunks;
        let (mut position, mut base) = (begin, 0);
        for moving in row.iter_mut() {
            let at = place(&mut position, &mut base, moving.chunks);
            // Without a row that is filled everything waits for the next pass, as what came before.
            moving.now = at < filled || filled <= begin;
            moving.later = at + moving.chunks > filled && filled > begin;
        }
        filled > begin
    }

    /// Reads the row: the pages of what moves, and the others too if the drive must.
    fn read_row(&mut self, victim: &Victim, end: u32, row: &[Moving], batch: &mut OpBatch) {
        let mut left = row;
        let last = row.last().map_or(0, |moving| moving.n + moving.chunks);
        let pages = self.stripe.page_of(victim.passed)
            ..self.stripe.page_of(end.max(last).saturating_sub(1)) + 1;
        for page in pages {
            let from = page * self.stripe.page;
            let until = from + self.stripe.page;
            // Those that end before this page are done with.
            while let Some((_, rest)) = left.split_first().filter(|(m, _)| m.n + m.chunks <= from) {
                left = rest;
            }
            let here = left.iter().take_while(|moving| moving.n < until);
            let (mut now, mut later, mut is_needed) = (false, false, false);
            for moving in here {
                now |= moving.now;
                later |= moving.later;
                is_needed = true;
            }
            if !is_needed && !self.config.reads_whole {
                continue;
            }
            let mut order = Order::FREE;
            if now {
                order = order.signalling(self.frontiers[COLLECTED].ready(false, batch));
            }
            if later {
                order = order.signalling(self.frontiers[COLLECTED].ready(true, batch));
            }
            let place = (victim.superblock, page);
            if !self.read_page(place, self.stripe.page, Cause::Gc, order, batch) {
                let skip = self.skip[victim.superblock.index()];
                let place = self.stripe.page_place(victim.superblock, page, skip);
                self.lose(victim.superblock, place);
            }
        }
    }

    fn move_data(&mut self, moving: &Moving, first: u32, batch: &mut OpBatch) {
        if !self.frontiers[COLLECTED].fits(moving.chunks, &self.stripe) {
            self.close_and_open(COLLECTED, batch);
        }
        let at = self.take(COLLECTED, moving.chunks);
        let (from, chunks) = (first + moving.n, moving.chunks);
        self.table
            .relocate(moving.owner, from, Stored { at, chunks });
        batch.data(DataMove::Copy {
            from: Ppa(from),
            to: Ppa(at),
        });
    }
}

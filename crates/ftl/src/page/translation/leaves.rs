//! Leaves of a table of runs come into memory and leave it, as the layer writes and reads.

use super::super::PageLayer;
use super::super::table::NOWHERE;
use super::runs::Runs;
use super::{Memory, TranslationConfig};
use crate::Extent;
use ftlab_base::{Lpn, Ppa};
use ftlab_nand::{Fence, OpBatch, Order};

impl<const FLAT: bool> PageLayer<FLAT> {
    /// Runs in memory, if the table is one of runs that does not fit.
    #[inline]
    pub(super) fn runs_mut(&mut self) -> Option<&mut Runs> {
        match self
            .translation
            .as_deref_mut()
            .map(|table| &mut table.memory)
        {
            Some(Memory::Runs(runs)) if !FLAT => Some(runs),
            _ => None,
        }
    }

    /// A host write looks up the run of its slot. If it is not in memory, the firmware does nothing else until it is.
    pub(super) fn run_for_write(&mut self, lpn: Lpn, extent: Extent, batch: &mut OpBatch) -> Order {
        let mut order = Order::FREE;
        if !self.run_is_held(lpn) {
            // The leaf comes where another was, which memory keeps until its program is known to be good.
            let room = self.let_run_in(lpn, true, batch);
            if let Some(place) = self.page_to_read(lpn) {
                let come = batch.fence();
                batch.halt(come);
                let reads_rest =
                    extent == Extent::Part && self.is_on_flash(self.table.slot_of(lpn));
                let known = if reads_rest {
                    batch.fence()
                } else {
                    Fence::NONE
                };
                let reading = Order::after(room).signalling(come).signalling(known);
                self.read_translation(place, reading, batch);
                order.waits = known;
            } else if room.is_some() {
                batch.halt(room);
            }
        }
        order
    }

    /// Returns true if the run of a slot is in memory, and marks its page as looked up then.
    pub(super) fn run_is_held(&mut self, lpn: Lpn) -> bool {
        let page = self.translation_mut().page_of(lpn.0);
        self.runs_mut().is_some_and(|runs| runs.look_up(page))
    }

    /// The runs of a slot's translation page come into memory.
    pub(super) fn hold_run(&mut self, lpn: Lpn, batch: &mut OpBatch) {
        self.let_run_in(lpn, false, batch);
    }

    /// The runs of a slot's translation page come into memory; gives the fence of there being room for them, if something
    /// has to be written for that and somebody waits for it.
    fn let_run_in(&mut self, lpn: Lpn, is_awaited: bool, batch: &mut OpBatch) -> Fence {
        let page = self.translation_mut().page_of(lpn.0);
        if let Some(runs) = self.runs_mut() {
            runs.bring_in(page);
        }
        self.let_runs_leave(page, is_awaited, batch)
    }

    /// A slot that was at `old` has been written, moved or trimmed.
    #[inline(always)]
    pub(in crate::page) fn run_changed(&mut self, lpn: Lpn, old: u32, batch: &mut OpBatch) {
        if !FLAT && self.runs_mut().is_some() {
            self.change_run(lpn, old, batch);
        }
    }

    fn change_run(&mut self, lpn: Lpn, old: u32, batch: &mut OpBatch) {
        let page = self.translation_mut().page_of(lpn.0);
        let neighbours = self.neighbours(lpn);
        let runs_with = |at| self.runs_begun(neighbours, at);
        let more = runs_with(self.table.slot_of(lpn)) - runs_with(old);
        let runs = self.runs_mut().expect("the table is one of runs");
        runs.count(page, more);
        if !runs.holds(page) {
            // Collection, or a trim: the page is read to be changed, and nobody waits for it.
            if let Some(place) = self.page_to_read(lpn) {
                self.read_translation(place, Order::FREE, batch);
            }
            self.hold_run(lpn, batch);
        }
        let runs = self.runs_mut().expect("the table is one of runs");
        runs.change(page);
        self.let_runs_leave(page, false, batch);
    }

    /// Pages leave until what is in memory fits; `stays` does not. Gives the fence of their being gone, if any has to be
    /// written and somebody waits for it.
    fn let_runs_leave(&mut self, stays: u32, is_awaited: bool, batch: &mut OpBatch) -> Fence {
        let mut gone = Fence::NONE;
        while let Some(runs) = self.runs_mut()
            && let Some(page) = runs.next_to_leave(stays)
        {
            if runs.is_dirty(page) {
                if is_awaited && !gone.is_some() {
                    gone = batch.fence();
                }
                self.write_back(page, gone, batch);
            }
            self.runs_mut().expect("it is still one").leave(page);
        }
        gone
    }

    /// Where the slots before and behind one lie, as far as they may be of its run, which does not go past its translation page.
    fn neighbours(&self, lpn: Lpn) -> [u32; 2] {
        let config = self.config.translation.expect("the table is on flash");
        let slot = |lpn: u32| self.table.slot_of(Lpn(lpn));
        let place = lpn.0 % config.entries_per_page;
        let before = if place == 0 { NOWHERE } else { slot(lpn.0 - 1) };
        let is_last = place + 1 == config.entries_per_page || lpn.0 + 1 == self.config.user_slots;
        let behind = if is_last { NOWHERE } else { slot(lpn.0 + 1) };
        [before, behind]
    }

    /// Number of runs that a slot begins, if it is at `at`, and the next one.
    fn runs_begun(&self, [before, behind]: [u32; 2], at: u32) -> i32 {
        i32::from(self.begins_run(before, at)) + i32::from(self.begins_run(at, behind))
    }

    /// Returns true if a slot that lies at `at` begins a run, with the one before it at `before`.
    fn begins_run(&self, before: u32, at: u32) -> bool {
        at != NOWHERE && (before == NOWHERE || !self.follows(before, at))
    }

    /// Returns true if host data in order go to `at` after `before`: a program unit is filled up, and the next one is
    /// in the next group.
    fn follows(&self, before: u32, at: u32) -> bool {
        let unit = self.unit_slots();
        if self.layout.groups == 1 || !(before + 1).is_multiple_of(unit) {
            return at == before + 1;
        }
        let [(from, n), (to, m)] = [before, at].map(|slot| {
            let (superblock, n) = self.layout.locate(Ppa(slot));
            (self.layout.group_of(superblock), n + 1)
        });
        match from + 1 == self.layout.groups {
            false => to == from + 1 && m + unit == n + 1,
            true => to == 0 && (m == n + 1 || m == 1),
        }
    }

    /// The runs of each translation page, by the map.
    pub(super) fn count_runs(&self, config: TranslationConfig) -> Vec<u32> {
        let per_page = config.entries_per_page as usize;
        let pages = self.table.map().len().div_ceil(per_page);
        let mut runs = vec![0; pages];
        let mut before = NOWHERE;
        for (n, at) in self.table.map().enumerate() {
            if n % per_page == 0 {
                before = NOWHERE;
            }
            runs[n / per_page] += u32::from(self.begins_run(before, at));
            before = at;
        }
        runs
    }
}

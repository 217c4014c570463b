//! A mapping table of *runs*: neighbours whose data follow each other on flash share an entry, so what was written in
//! order takes little memory, and each write to a random slot of it one or two entries more.
//!
//! Memory holds the runs of whole translation pages, as a tree holds its leaves. Pages leave by clock, as entries do
//! ([`Clock`](crate::clock::Clock)), as soon as the runs of those that are held do not fit any more.

use crate::clock::{ClockState, Marks};
use ftlab_nand::StateError;

/// Runs in memory, by translation page.
#[derive(Debug, Clone)]
pub(super) struct Runs {
    /// Runs that memory holds at most.
    capacity: u32,
    /// Runs of the pages that are held.
    held: u32,
    /// Runs of each page, held or not.
    of_page: Vec<u32>,
    marks: Marks,
    /// The next page that may have to leave.
    hand: u32,
}

impl Runs {
    /// Holds nothing; nothing is mapped.
    pub fn new(capacity: u32, pages: u32) -> Runs {
        Runs {
            capacity,
            held: 0,
            of_page: vec![0; pages as usize],
            marks: Marks::new(pages),
            hand: 0,
        }
    }

    /// Runs of all pages.
    #[cfg(test)]
    pub fn all(&self) -> u32 {
        self.of_page.iter().sum()
    }

    /// Runs of the pages that are held.
    #[cfg(test)]
    pub fn held(&self) -> u32 {
        self.held
    }

    /// Returns true if a page is held, and marks it as looked up then.
    pub fn look_up(&mut self, page: u32) -> bool {
        self.marks.look_up(page)
    }

    /// Returns true if a page is held.
    pub fn holds(&self, page: u32) -> bool {
        self.marks.holds(page)
    }

    /// Returns true if a page is newer than what flash holds.
    pub fn is_dirty(&self, page: u32) -> bool {
        self.marks.is_dirty(page)
    }

    /// A held page is what flash holds.
    pub fn clean(&mut self, page: u32) {
        self.marks.clean(page);
    }

    /// A page comes in.
    pub fn bring_in(&mut self, page: u32) {
        self.marks.bring_in(page);
        self.held += self.of_page[page as usize];
    }

    /// A held page is newer than what flash holds.
    pub fn change(&mut self, page: u32) {
        self.marks.change(page);
    }

    /// A page has this many runs more, or fewer.
    pub fn count(&mut self, page: u32, more: i32) {
        let runs = &mut self.of_page[page as usize];
        *runs = runs.strict_add_signed(more);
        if self.marks.holds(page) {
            self.held = self.held.strict_add_signed(more);
        }
    }

    /// A page has no runs any more, and flash holds none of it.
    pub fn forget(&mut self, page: u32) {
        let runs = std::mem::take(&mut self.of_page[page as usize]);
        if self.holds(page) {
            self.held -= runs;
            self.clean(page);
        }
    }

    /// The page that has to leave, if what is held does not fit. One always stays, whatever it takes.
    pub fn next_to_leave(&mut self, stays: u32) -> Option<u32> {
        if self.held <= self.capacity || self.held == self.of_page[stays as usize] {
            return None;
        }
        let pages = self.of_page.len() as u32;
        loop {
            let page = self.hand;
            self.hand = if page + 1 == pages { 0 } else { page + 1 };
            // What takes no memory gains nothing by leaving.
            let counts = page != stays && self.holds(page) && self.of_page[page as usize] > 0;
            if counts && !self.marks.takes_chance(page) {
                return Some(page);
            }
        }
    }

    /// A page that is clean leaves.
    pub fn leave(&mut self, page: u32) {
        debug_assert!(!self.is_dirty(page), "flash does not know it");
        self.held -= self.of_page[page as usize];
        self.marks.leave(page);
    }

    /// Saves the pages that are held, for the time that the drive is off.
    pub fn state(&self) -> ClockState {
        let held = (0..self.of_page.len() as u32).filter(|&page| self.holds(page));
        self.marks.state(held.collect(), self.hand)
    }

    /// Takes over such a state; nothing is held yet, and `runs` says how many runs each page has.
    ///
    /// # Errors
    /// Says what memory of this size cannot hold.
    pub fn take_over(&mut self, saved: &ClockState, runs: Vec<u32>) -> Result<(), StateError> {
        let pages = runs.len();
        StateError::unless((saved.hand as usize) < pages, || {
            format!(
                "translation page {} of {pages} is the next to leave",
                saved.hand
            )
        })?;
        self.marks.take_over(saved)?;
        self.hand = saved.hand;
        self.held = saved.ring.iter().map(|&page| runs[page as usize]).sum();
        self.of_page = runs;
        let most = self.of_page.iter().max().copied().unwrap_or(0);
        StateError::unless(self.held <= self.capacity.max(most), || {
            let (held, capacity) = (self.held, self.capacity);
            format!("{held} runs of the map in memory, which holds {capacity}")
        })
    }

    /// Checks the counts against the map, whose pages have these numbers of runs.
    ///
    /// # Panics
    /// When they are not.
    pub fn check(&self, runs: &[u32]) {
        assert_eq!(self.of_page, runs, "runs of each translation page");
        let held: u32 = (0..runs.len() as u32)
            .filter(|&page| self.holds(page))
            .map(|page| runs[page as usize])
            .sum();
        assert_eq!(self.held, held, "runs in memory");
        let most = runs.iter().max().copied().unwrap_or(0);
        assert!(held <= self.capacity.max(most), "{held} runs do not fit");
    }
}

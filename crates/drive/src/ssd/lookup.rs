//! Reads that wait until pages of a mapping table, which lies in flash, have come into memory.

use super::Ssd;
use super::events::Event;
use super::reads::Awaited;
use ftlab_base::{Command, SimTime};
use std::collections::BTreeMap;
use std::ops::Range;

/// Pages of a mapping table that are being read.
#[derive(Debug, Default)]
pub(super) struct TableReads {
    /// By page: the commands that wait for it.
    coming: BTreeMap<u32, Vec<u32>>,
    /// By command: how many pages it waits for.
    missing: BTreeMap<u32, u32>,
}

impl TableReads {
    /// A page is being read.
    fn begin(&mut self, page: u32) {
        self.coming.entry(page).or_default();
    }

    /// A command wants pages; whether it must wait for some that are being read, for whomever.
    fn wait(&mut self, command: u32, pages: Range<u32>) -> bool {
        let mut missing = 0;
        for (_, waiting) in self.coming.range_mut(pages) {
            waiting.push(command);
            missing += 1;
        }
        if missing > 0 {
            self.missing.insert(command, missing);
        }
        missing > 0
    }

    /// A page has been read; the commands that wait for none any more. One that had to leave memory
    /// meanwhile may come twice.
    fn came(&mut self, page: u32) -> Vec<u32> {
        let mut waiting = self.coming.remove(&page).unwrap_or_default();
        waiting.retain(|command| {
            let missing = self.missing.get_mut(command).expect("it waits for a page");
            *missing -= 1;
            let is_ready = *missing == 0;
            if is_ready {
                self.missing.remove(command);
            }
            is_ready
        });
        waiting
    }
}

impl Ssd {
    /// A read wants its entries of the mapping table.
    pub(super) fn look_up(&mut self, number: u32, command: &Command, now: SimTime) {
        let (first, slots) = self.slot.touched(command);
        let pages = self.mapped.look_up(first, slots);
        if !pages.is_empty() {
            self.issue(now);
            if self.table_reads.wait(number, pages) {
                return;
            }
        }
        match self.fetch_entries((first, slots), now) {
            Some(at) => self.events.schedule(at, Event::LookedUp, number),
            None => self.begin_read(number, command, now),
        }
    }

    /// The `n`-th page of the mapping table that the present batch reads will come.
    #[cold]
    pub(super) fn await_table_page(&mut self, n: usize) {
        let (page, come) = self.mapped.batch.table_reads()[n];
        self.table_reads.begin(page);
        self.wait_for(come, Awaited::Table(page));
    }

    /// A page of the mapping table is in memory.
    pub(super) fn table_came(&mut self, page: u32, now: SimTime) {
        for number in self.table_reads.came(page) {
            let command = *self.commands.get(number);
            self.begin_read(number, &command, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_for_a_page_on_its_way_waits_for_the_same_read() {
        let mut reads = TableReads::default();
        reads.begin(0);
        reads.begin(1);
        assert!(reads.wait(70, 0..2) && reads.wait(71, 1..2));
        assert!(!reads.wait(72, 2..3), "that one is there");
        // Page 0 had to leave, and is read once more.
        reads.begin(0);
        assert!(reads.wait(73, 0..1));
        assert_eq!(reads.came(1), [71]);
        assert_eq!(reads.came(0), [70, 73]);
        assert!(reads.came(0).is_empty() && reads.missing.is_empty());
    }
}

//! Commands that wait until pages of a mapping table, which lies in flash, have come into memory.

use std::collections::BTreeMap;
use std::ops::Range;

/// Pages of a mapping table that are being read.
#[derive(Debug, Clone, Default)]
pub(super) struct TableReads {
    /// By page: the commands that wait for it.
    coming: BTreeMap<u32, Vec<u32>>,
    /// By command: how many pages it waits for.
    missing: BTreeMap<u32, u32>,
}

impl TableReads {
    /// A page is being read.
    pub(super) fn begin(&mut self, page: u32) {
        self.coming.entry(page).or_default();
    }

    /// A command wants pages; returns true if it must wait for some that are being read, for whomever.
    pub(super) fn wait(&mut self, command: u32, pages: Range<u32>) -> bool {
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
    pub(super) fn came(&mut self, page: u32) -> Vec<u32> {
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

/// Reads that a stopped firmware waits for, and commands that wait for the firmware.
#[derive(Debug, Clone, Default)]
pub(super) struct Halts {
    /// Reads that are to come before it goes on.
    reads: u32,
    /// Commands that have come meanwhile, in order.
    commands: Vec<u32>,
}

impl Halts {
    /// Returns true if the firmware has stopped.
    #[inline]
    pub(super) fn is_halted(&self) -> bool {
        self.reads > 0
    }

    /// A command has come while the firmware has stopped.
    pub(super) fn hold(&mut self, number: u32) {
        self.commands.push(number);
    }

    /// The firmware stops until something more is read.
    pub(super) fn begin(&mut self) {
        self.reads += 1;
    }

    /// Something is read; gives the commands that go on now, which are none while it waits for more.
    pub(super) fn end(&mut self) -> Vec<u32> {
        self.reads -= 1;
        match self.is_halted() {
            true => Vec::new(),
            false => std::mem::take(&mut self.commands),
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

//! Look-ups in a mapping table that is not all in memory: reads wait for its pages, and so does a firmware that does
//! nothing else until they have been read.

use super::Ssd;
use super::events::{Awaited, Event};
use ftlab_base::{Command, Lpn, SimTime};

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

    /// A read wants its entries of the mapping table; gives when they have come out of the host's memory, if that is where
    /// they are. What is in no memory is read of the flash, whatever else holds.
    fn fetch_entries(&mut self, (first, slots): (Lpn, u32), now: SimTime) -> Option<SimTime> {
        let own = self.own_pieces.as_mut()?;
        let missing = own.want(first, slots);
        if missing == 0 || !self.mapped.layer.holds_entries(first, slots) {
            return None;
        }
        let latency = own.table.latency;
        // A piece is a sector.
        Some(self.link.bring(now, u64::from(missing)) + latency)
    }

    /// The firmware stops for the `n`-th reason of the present batch.
    #[cold]
    pub(super) fn halt(&mut self, n: usize) {
        let until = self.mapped.batch.halts()[n];
        self.halts.begin();
        self.wait_for(until, Awaited::Firmware);
    }

    /// A page that the firmware has waited for is there; it goes on if that was all.
    pub(super) fn go_on(&mut self, now: SimTime) {
        for number in self.halts.end() {
            self.sent(number, now);
        }
    }
}

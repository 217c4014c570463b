//! Reads: from the buffer or the flash, then out over the link.

use super::Ssd;
use super::events::Event;
use ftlab_base::{Command, SimTime};
use ftlab_nand::Fence;

/// What the pages are that are being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The data of a command.
    Data(u32),
    /// A page of the mapping table.
    Table(u32),
}

impl Ssd {
    pub(super) fn begin_read(&mut self, number: u32, command: &Command, now: SimTime) {
        let done = self.mapped.batch.fence();
        let before = self.mapped.unreadable();
        let buffer = &self.buffer;
        self.mapped.read_command(command, self.slot, done, |piece| {
            buffer.holds(piece.lpn, piece.mask)
        });
        if self.mapped.unreadable() > before {
            self.unreadable.insert(number);
        }
        let mut ops = self.mapped.batch.ops().iter();
        if !ops.any(|op| op.order.signals.contains(&done)) {
            // Nothing to wait for; what there is was done to make room for entries of the map.
            self.issue(now);
            self.mapped.batch.recycle(done);
            self.commands.set_first_page(number, now);
            self.data_out(number, now);
            return;
        }
        let sectors = self.slot.first(command);
        let first_page = now + self.params.first_page(sectors);
        self.commands.set_first_page(number, first_page);
        self.issue(now);
        self.wait_for(done, Awaited::Data(number));
    }

    /// Something waits for pages that are being read.
    pub(super) fn wait_for(&mut self, done: Fence, awaited: Awaited) {
        self.scheduler.watch(done);
        if done.index() >= self.reading.len() {
            self.reading.resize(done.index() + 1, None);
        }
        self.reading[done.index()] = Some(awaited);
    }

    /// A read's data are in the drive. In SATA the data of a command cross the link in one piece, so
    /// they wait for those of a write that are coming, and that for room in the buffer.
    pub(super) fn data_out(&mut self, number: u32, now: SimTime) {
        if self
            .admissions
            .front()
            .is_some_and(|write| write.has_begun())
        {
            self.waiting_out.push_back(number);
        } else {
            self.send_out(number, now);
        }
    }

    /// The data of a write are all in the drive, or will never be.
    pub(super) fn end_data_phase(&mut self, now: SimTime) {
        while let Some(number) = self.waiting_out.pop_front() {
            self.send_out(number, now);
        }
    }

    fn send_out(&mut self, number: u32, now: SimTime) {
        let command = self.commands.get(number);
        let work = self.link.sector() * u64::from(command.sectors);
        let last = self.link.sector() * u64::from(self.slot.last(command));
        // Data cross the link as they come out of the flash, in order. The first page can be there
        // no earlier than it takes one to come, and the last slot crosses when all are there.
        let first = self.commands.first_page(number);
        let whole = now.max(self.commands.through(number));
        let start = if self.params.overlap {
            first.max((whole + last).less(work)).min(whole)
        } else {
            whole
        };
        let at = self.link.serve(start, work);
        self.events.schedule(at, Event::DataOut, number);
    }
}

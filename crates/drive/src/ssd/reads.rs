//! Reads: from the buffer or the flash, then out over the link.

use super::Ssd;
use super::events::{Awaited, Event};
use ftlab_base::{Command, Lba, Nanos, SimTime};
use ftlab_nand::Fence;

impl Ssd {
    pub(super) fn begin_read(&mut self, number: u32, command: &Command, now: SimTime) {
        if let Some(ways) = &mut self.ways {
            ways.begun(number, now);
        }
        let (first, count) = self.slot.touched(command);
        let slots = first.0..first.0 + count;
        let is_ahead = self.read_ahead.is_run(number);
        if !is_ahead {
            let sectors = command.lba.0..command.lba.0 + u64::from(command.sectors);
            self.read_ahead.follow(sectors, slots.end);
        }
        let done = self.mapped.batch.fence();
        let before = self.mapped.unreadable();
        let (buffer, ahead) = (&self.buffer, &self.read_ahead);
        self.mapped.read_command(command, self.slot, done, |piece| {
            buffer.holds(piece.lpn, piece.mask) || !is_ahead && ahead.holds(piece.lpn)
        });
        if self.mapped.unreadable() > before {
            if is_ahead {
                // The host reads it again when it asks, and gets the error then.
                self.read_ahead.drop_slots(&slots);
            } else {
                self.unreadable.insert(number);
            }
        }
        // Mostly one page is read, whose end concerns nobody else.
        let batch = &mut self.mapped.batch;
        let is_one = batch.signal_instead(done, Fence::of_command(number));
        let mut ops = batch.ops().iter();
        let reads_flash = is_one || ops.any(|op| op.order.signals.contains(&done));
        let waits = if is_ahead {
            reads_flash
        } else {
            self.read_ahead.wait(number, &slots, u32::from(reads_flash))
        };
        let first_page = if reads_flash {
            let first = self.slot.first(command);
            self.params.first_page(self.params.crosses_together(first))
        } else {
            Nanos::ZERO
        };
        self.commands.set_first_page(number, now + first_page);
        // What does not signal was done to make room for entries of the map.
        self.issue(now);
        if reads_flash && !is_one {
            self.wait_for(done, Awaited::Data(number));
        } else {
            self.mapped.batch.recycle(done);
        }
        if is_ahead {
            if !waits {
                self.data_came(number, now);
            }
            return;
        }
        if !waits {
            self.data_out(number, now);
        }
        self.read_on(command, now);
    }

    /// Reads ahead of a command as far as there is room, unless the host waits for something else as well: a queue
    /// of commands keeps the dies at work by itself.
    fn read_on(&mut self, command: &Command, now: SimTime) {
        if self.front.outstanding() > 1 {
            return;
        }
        let size = u64::from(self.slot.sectors());
        let slots_in_all = self.params.capacity_sectors / size;
        while let Some(slots) = self.read_ahead.wanted(slots_in_all as u32) {
            let ahead = Command {
                lba: Lba(u64::from(slots.start) * size),
                sectors: slots.len() as u32 * size as u32,
                ..*command
            };
            let number = self.commands.enter(ahead);
            self.read_ahead.begin(number, slots);
            self.look_up(number, &ahead, now);
        }
    }

    /// All that a number reads of the flash is in the drive.
    pub(super) fn data_came(&mut self, number: u32, now: SimTime) {
        if self.read_ahead.is_idle() {
            self.data_out(number, now);
            return;
        }
        if self.read_ahead.is_run(number) {
            self.commands.leave(number);
        }
        for ready in self.read_ahead.came(number) {
            self.data_out(ready, now);
        }
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
    /// they wait for those of a write that are coming, and that for room in the buffer; lanes have room for both.
    pub(super) fn data_out(&mut self, number: u32, now: SimTime) {
        let write = self.admissions.front();
        if !self.link.is_duplex() && write.is_some_and(|write| write.has_begun()) {
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
        if let Some(ways) = &mut self.ways {
            ways.there(number, now);
        }
        let command = self.commands.get(number);
        let sectors = u64::from(command.sectors);
        let work = self.link.span(sectors);
        // Data cross the link as they come out of the flash and are corrected, in order. The first of them can be there
        // no earlier than they take to come, and what comes last crosses when all are there.
        let last = if self.params.firmware.overlap {
            self.params.crosses_together(self.slot.last(command))
        } else {
            self.held_at_once(command.sectors)
        };
        let last = self.link.span(u64::from(last));
        let first = self.commands.first_page(number);
        let whole = now.max(self.commands.through(number));
        let start = first.max((whole + last).less(work)).min(whole);
        let at = self.link.send(start, sectors);
        self.events.schedule(at, Event::DataOut, number);
    }
}

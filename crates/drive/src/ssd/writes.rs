//! Writes, trims and flushes: into the buffer, and from there to the flash.

use super::Ssd;
use super::events::Event;
use super::flushes::OwnFlush;
use super::write_through::Ended;
use ftlab_base::{Command, CommandKind, Lpn, Nanos, SimTime};
use ftlab_nand::Fence;

/// A write that is not wholly in the buffer yet, or a read that waits with those before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission {
    number: u32,
    /// Sectors admitted so far.
    admitted: u32,
    stalled: bool,
}

impl Admission {
    /// Returns true if its data are coming: the drive asks for none before there is room for some.
    pub(super) fn has_begun(&self) -> bool {
        self.admitted > 0
    }
}

impl Ssd {
    /// Sectors of a command that a drive holds at once if it works on whole commands: all of them, or as many as its
    /// buffer takes. The others follow when the buffer has room.
    pub(super) fn held_at_once(&self, sectors: u32) -> u32 {
        let buffer = u64::from(self.params.buffer.slots) * u64::from(self.slot.sectors());
        u64::from(sectors).min(buffer) as u32
    }

    /// Sectors of a write that cross the link when all before them are in the buffer and it has room for them: the last slot of
    /// one that is larger.
    pub(super) fn crosses_last(&self, command: &Command) -> u64 {
        let is_held = command.sectors == self.held_at_once(command.sectors);
        match command.kind {
            CommandKind::Write if !is_held => u64::from(self.slot.last(command)),
            _ => 0,
        }
    }

    pub(super) fn begin_write(&mut self, number: u32, now: SimTime) {
        self.forget_ahead(number);
        self.wait_in_turn(number);
        self.admit(now);
    }

    /// Behind what waits for room in the buffer.
    pub(super) fn wait_in_turn(&mut self, number: u32) {
        self.admissions.push_back(Admission {
            number,
            admitted: 0,
            stalled: false,
        });
    }

    /// Returns true if a read must wait in turn.
    pub(super) fn holds_reads(&self) -> bool {
        self.params.firmware.in_order && !self.admissions.is_empty()
    }

    /// Begins the reads whose turn it is.
    fn begin_reads_in_turn(&mut self, now: SimTime) {
        while let Some(&Admission { number, .. }) = self.admissions.front()
            && self.commands.get(number).kind == CommandKind::Read
        {
            self.admissions.pop_front();
            let command = *self.commands.get(number);
            self.look_up(number, &command, now);
        }
    }

    /// Drops what was read ahead of the slots that a command changes.
    fn forget_ahead(&mut self, number: u32) {
        let (first, slots) = self.slot.touched(self.commands.get(number));
        self.read_ahead.drop_slots(&(first.0..first.0 + slots));
    }

    /// The slots that a trim empties: those that it covers wholly. One that covers none does nothing.
    pub(super) fn slots_of_trim(&mut self, command: &Command) -> (Lpn, u32) {
        let (first, slots) = self.slot.whole(command);
        self.totals.void_trims += u64::from(slots == 0);
        (first, slots)
    }

    pub(super) fn trim(&mut self, number: u32, command: &Command, now: SimTime) {
        self.forget_ahead(number);
        let (first, slots) = self.slots_of_trim(command);
        self.totals.host_bytes_written += self.buffer.forget(first, slots);
        let ended = self.cache.dropped(first.0..first.0 + slots);
        self.end_writes(&ended, now);
        self.mapped.trim(first, slots);
        self.issue(now);
        self.events.schedule(now, Event::Done, number);
        // What the buffer dropped is room for others, and perhaps all a flush waits for.
        self.end_flushes(now);
        self.admit(now);
    }

    pub(super) fn begin_flush(&mut self, number: u32, now: SimTime) {
        if self.params.buffer.outlasts_power {
            self.events.schedule(now, Event::Done, number);
            return;
        }
        let command = self.commands.get(number);
        if command.sectors > 0 && !self.params.buffer.fua_flushes_all {
            let (first, slots) = self.slot.touched(command);
            let slots = first.0..first.0 + slots;
            self.buffer.hand_on_first(&slots);
            self.flushes.own.push(OwnFlush {
                number,
                slots,
                is_filled_up: false,
            });
        } else {
            self.flushes.waiting.push_back(number);
            self.begin_round(now);
        }
        self.drain(now);
        self.end_flushes(now);
    }

    /// Begins the round of all flushes that wait, unless one is at work; returns true if it has begun.
    pub(super) fn begin_round(&mut self, now: SimTime) -> bool {
        let flushes = &mut self.flushes;
        let is_at_work = !flushes.round.is_empty() || flushes.is_recording;
        let Some(&first) = flushes.waiting.front() else {
            return false;
        };
        if flushes.record == Nanos::ZERO {
            flushes.round.append(&mut flushes.waiting);
            return true;
        }
        if is_at_work {
            return false;
        }
        std::mem::swap(&mut flushes.round, &mut flushes.waiting);
        flushes.is_recording = true;
        flushes.is_filled_up = false;
        self.buffer.begin_round();
        self.events
            .schedule(now + flushes.record, Event::Recorded, first);
        true
    }

    /// Fills up the units that hold the last of what flushes wait for: once in a round, or whenever nothing else waits.
    pub(super) fn fill_up_for_flushes(&mut self, now: SimTime) {
        let is_due = match self.flushes.record {
            _ if self.flushes.round.is_empty() => false,
            Nanos::ZERO => self.buffer.nothing_waits() && !self.buffer.is_empty(),
            _ => !self.flushes.is_filled_up && self.buffer.round_is_handed_on(),
        };
        if is_due {
            self.flushes.is_filled_up = true;
            self.mapped.flush();
            self.issue(now);
        }
        self.fill_up_for_own_flushes(now);
    }

    /// The record of a round is programmed.
    pub(super) fn recorded(&mut self, now: SimTime) {
        self.flushes.is_recording = false;
        self.end_flushes(now);
        self.admit(now);
    }

    /// Fills up the units that hold the last of what is flushed by itself, once for each flush.
    fn fill_up_for_own_flushes(&mut self, now: SimTime) {
        let mut fills_up = false;
        for own in &mut self.flushes.own {
            if !own.is_filled_up && !self.buffer.waits_any(&own.slots) {
                own.is_filled_up = true;
                fills_up |= self.buffer.holds_any(&own.slots);
            }
        }
        if fills_up {
            self.mapped.flush();
            self.issue(now);
        }
    }

    pub(super) fn end_flushes(&mut self, now: SimTime) {
        let is_over = match self.flushes.record {
            Nanos::ZERO => self.buffer.is_empty(),
            _ => self.buffer.round_is_programmed() && !self.flushes.is_recording,
        };
        if is_over {
            while let Some(number) = self.flushes.round.pop_front() {
                self.events.schedule(now, Event::Done, number);
            }
        }
        let (buffer, events) = (&self.buffer, &mut self.events);
        self.flushes.own.retain(|own| {
            let goes_on = buffer.holds_any(&own.slots);
            if !goes_on {
                events.schedule(now, Event::Done, own.number);
            }
            goes_on
        });
    }

    /// Takes waiting writes into the buffer, in order, as far as there is room, and hands on what
    /// the firmware's queue has room for.
    pub(super) fn admit(&mut self, now: SimTime) {
        // Slots that are handed on make room for more, so both go on until neither can.
        loop {
            while !self.flushes.hold_writes_back()
                && let Some(&Admission { number, .. }) = self.admissions.front()
            {
                if self.commands.get(number).kind == CommandKind::Read {
                    self.begin_reads_in_turn(now);
                    continue;
                }
                if !self.admit_first() {
                    let first = &mut self.admissions[0];
                    self.totals.buffer_stalls += u64::from(!first.stalled);
                    first.stalled = true;
                    break;
                }
                let last = self.crosses_last(self.commands.get(number));
                let came = match last {
                    0 => now,
                    sectors => self.link.bring(now, sectors),
                };
                let arrived = self.commands.through(number).max(came);
                if self.cache.is_whole(number, arrived) {
                    self.written(number, arrived);
                }
                self.admissions.pop_front();
                self.end_data_phase(now);
            }
            if !self.drain(now) {
                break;
            }
            self.end_flushes(now);
        }
        if self.begin_round(now) {
            self.drain(now);
        }
    }

    /// Takes in what there is room for of the write that waits longest; returns true if that was the rest.
    fn admit_first(&mut self) -> bool {
        let admission = &mut self.admissions[0];
        let command = self.commands.get(admission.number);
        let before = self.front.before(command);
        while admission.admitted < command.sectors {
            let piece = self.slot.piece(command, admission.admitted);
            if !self.buffer.admit(&piece) {
                return false;
            }
            self.cache.admitted(admission.number, piece.lpn);
            self.mapped
                .admit(command, before + admission.admitted, &piece, true);
            admission.admitted += piece.sectors;
        }
        true
    }

    /// Hands slots from the buffer to the translation layer while the queues of the dies have room;
    /// whether that left room in the buffer at once, because something need not be programmed.
    pub(super) fn drain(&mut self, now: SimTime) -> bool {
        let mut room = false;
        while !self.halts.is_halted()
            && !self.mapped.takes_no_writes()
            && self.scheduler.wants_more()
            && let Some(front) = self.buffer.front()
        {
            if self.takes_turn() {
                self.issue(now);
                continue;
            }
            let lpn = front.lpn;
            let Ok(fence) = self.mapped.write(front) else {
                self.issue(now);
                self.fail_writes(now);
                return false;
            };
            let (place, bytes) = self.buffer.take().expect("something waits");
            self.totals.host_bytes_written += bytes;
            self.flushes.note_handed_on(lpn);
            // A unit of one slot is programmed at once, and concerns nobody else.
            let tells_place = self.is_for_one_place(fence)
                && (self.mapped.batch).signal_instead(fence, Fence::of_place(place.0));
            self.issue(now);
            if self.fail_die_if_due() {
                self.issue(now);
            }
            if tells_place {
                self.mapped.batch.recycle(fence);
                continue;
            }
            // Nothing need be programmed, so no fence will tell the end.
            if !fence.is_some() {
                self.mapped.programmed(self.buffer.programmed(place));
                let ended = self.cache.dropped(lpn.0..lpn.0 + 1);
                self.end_writes(&ended, now);
                room = true;
                continue;
            }
            self.scheduler.watch(fence);
            let index = fence.index();
            if index >= self.programming.len() {
                self.programming.resize_with(index + 1, Vec::new);
            }
            self.programming[index].push(place);
            self.cache.taken(lpn, index);
        }
        if self.mapped.store_has_failed() {
            self.fail_writes(now);
        }
        if self.cache.must_fill_up() && self.buffer.nothing_waits() && !self.buffer.is_empty() {
            self.mapped.flush();
            self.issue(now);
        }
        self.fill_up_for_flushes(now);
        room
    }

    /// Returns true if nothing waits for a fence but the data that were written last.
    #[inline]
    fn is_for_one_place(&self, fence: Fence) -> bool {
        let others = self.programming.get(fence.index());
        fence.is_some() && self.cache.is_back() && others.is_none_or(Vec::is_empty)
    }

    /// Copies a row of collection's turn, if it goes first; returns true if it did. A turn that has begun goes on until
    /// all of it is copied, but not while too many writes wait.
    #[inline]
    fn takes_turn(&mut self) -> bool {
        let Some(most) = self.params.firmware.waiting_max else {
            return false;
        };
        self.in_turn |= self.mapped.owes_turn();
        if !self.in_turn || self.admissions.len() >= most as usize {
            return false;
        }
        self.in_turn = self.mapped.take_turn();
        self.in_turn
    }

    /// Ends everything that waits for flash that takes no more. What the buffer holds stays there.
    pub(super) fn fail_writes(&mut self, now: SimTime) {
        while !self.admissions.is_empty() {
            self.begin_reads_in_turn(now);
            if let Some(write) = self.admissions.pop_front() {
                self.events.schedule(now, Event::Failed, write.number);
            }
        }
        let writes = self.cache.fail().into_iter();
        for number in writes.chain(self.flushes.drain()) {
            self.events.schedule(now, Event::Failed, number);
        }
        self.end_data_phase(now);
    }

    /// Writes are programmed that had to be; each with when it arrived.
    pub(super) fn end_writes(&mut self, ended: &[Ended], now: SimTime) {
        for &(number, arrived) in ended {
            self.written(number, arrived.max(now));
        }
    }

    /// A write is where it has to be at that time, and is answered no sooner than those before it.
    fn written(&mut self, number: u32, at: SimTime) {
        self.last_written = self.last_written.max(at);
        self.events
            .schedule(self.last_written, Event::Written, number);
    }
}

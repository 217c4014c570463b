//! Flushes: what came before them is brought to the flash, and a record of where it lies.
//!
//! A drive whose flushes program a record serves them in rounds: those that come while one is at work wait for it, and end
//! together with the next; writes go on meanwhile. On others a flush ends when the buffer is empty, and no write is let in before.

use super::Ssd;
use super::events::Event;
use ftlab_base::{Nanos, SimTime};
use std::collections::VecDeque;
use std::ops::Range;

/// Flushes that a drive has in hand.
#[derive(Debug)]
pub(super) struct Flushes {
    /// Those at work, which end together.
    round: VecDeque<u32>,
    /// Those that wait for the next round.
    waiting: VecDeque<u32>,
    /// Flushes of some slots, which end by themselves.
    own: Vec<OwnFlush>,
    /// Time in which a round programs its record.
    record: Nanos,
    /// True while it does.
    is_recording: bool,
    /// True if the units that hold the last of the round's data were filled up.
    is_filled_up: bool,
}

/// A flush of some slots, as a write with FUA asks for.
#[derive(Debug)]
struct OwnFlush {
    number: u32,
    slots: Range<u32>,
    /// True if units that they had begun were filled up.
    is_filled_up: bool,
}

impl Flushes {
    /// None at work, of a drive whose rounds program a record in that time.
    pub(super) fn new(record: Nanos) -> Flushes {
        Flushes {
            round: VecDeque::new(),
            waiting: VecDeque::new(),
            own: Vec::new(),
            record,
            is_recording: false,
            is_filled_up: false,
        }
    }

    /// Returns true while no write is let in.
    #[inline]
    pub(super) fn hold_writes_back(&self) -> bool {
        !self.round.is_empty() && self.record == Nanos::ZERO
    }

    /// Takes all of them, as they have failed.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = u32> {
        let own = self.own.drain(..).map(|own| own.number);
        let waiting = self.waiting.drain(..);
        self.round.drain(..).chain(waiting).chain(own)
    }
}

impl Ssd {
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
}

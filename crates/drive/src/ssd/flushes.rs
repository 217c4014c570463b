//! Flushes that a drive has in hand: what came before them is brought to the flash, and a record of where it lies.
//!
//! A drive whose flushes program a record serves them in rounds: those that come while one is at work wait for it, and end
//! together with the next; writes go on meanwhile. On others a flush ends when the buffer is empty, and no write is let in before.

use ftlab_base::{Lpn, Nanos};
use std::collections::VecDeque;
use std::ops::Range;

/// Flushes that a drive has in hand.
#[derive(Debug, Clone)]
pub(super) struct Flushes {
    /// Those at work, which end together.
    pub(super) round: VecDeque<u32>,
    /// Those that wait for the next round.
    pub(super) waiting: VecDeque<u32>,
    /// Flushes of some slots, which end by themselves.
    pub(super) own: Vec<OwnFlush>,
    /// Time in which a round programs its record.
    pub(super) record: Nanos,
    /// True while it does.
    pub(super) is_recording: bool,
    /// True if the units that hold the last of the round's data were filled up.
    pub(super) is_filled_up: bool,
}

/// A flush of some slots, as a write with FUA asks for.
#[derive(Debug, Clone)]
pub(super) struct OwnFlush {
    pub(super) number: u32,
    pub(super) slots: Range<u32>,
    /// True if units that they had begun were filled up.
    pub(super) is_filled_up: bool,
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

    /// A slot is handed on: those that flush it wait for its unit, too, which is not filled up.
    #[inline]
    pub(super) fn note_handed_on(&mut self, lpn: Lpn) {
        for own in &mut self.own {
            own.is_filled_up &= !own.slots.contains(&lpn.0);
        }
    }

    /// Takes all of them, as they have failed.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = u32> {
        let own = self.own.drain(..).map(|own| own.number);
        let waiting = self.waiting.drain(..);
        self.round.drain(..).chain(waiting).chain(own)
    }
}

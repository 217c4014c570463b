//! A firmware that stops: what it looks up is not in memory, and until it has been read nothing else is done.

use super::Ssd;
use super::reads::Awaited;
use ftlab_base::SimTime;

/// What the firmware waits for, and who waits for the firmware.
#[derive(Debug, Default)]
pub(super) struct Halts {
    /// Reads that are to come before it goes on.
    reads: u32,
    /// Commands that have come meanwhile, in order.
    commands: Vec<u32>,
}

impl Halts {
    /// Whether the firmware has stopped.
    #[inline]
    pub(super) fn is_halted(&self) -> bool {
        self.reads > 0
    }

    /// A command has come while the firmware has stopped.
    pub(super) fn hold(&mut self, number: u32) {
        self.commands.push(number);
    }
}

impl Ssd {
    /// The firmware stops for the `n`-th reason of the present batch.
    #[cold]
    pub(super) fn halt(&mut self, n: usize) {
        let until = self.mapped.batch.halts()[n];
        self.halts.reads += 1;
        self.wait_for(until, Awaited::Firmware);
    }

    /// What the firmware has waited for is there; it goes on if that was all.
    pub(super) fn go_on(&mut self, now: SimTime) {
        self.halts.reads -= 1;
        if !self.halts.is_halted() {
            for number in std::mem::take(&mut self.halts.commands) {
                self.sent(number, now);
            }
        }
    }
}

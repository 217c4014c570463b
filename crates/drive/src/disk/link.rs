//! The host link: one transfer at a time, in the order they were begun.

use ftlab_base::{Command, Nanos, SimTime};
use std::collections::VecDeque;

/// What becomes of the data of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// The host has it: the command is done.
    Host,
    /// The write cache has it: the command is done.
    Cache,
    /// It must go to the platter before the command is done.
    Platter,
}

/// A transfer under way.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// When the last byte is over.
    pub ends: SimTime,
    /// Whose data it is.
    pub command: Command,
    /// Where it goes.
    pub to: To,
}

/// The link and its transfers.
#[derive(Debug, Clone)]
pub struct Link {
    bytes_s: u64,
    transfers: VecDeque<Transfer>,
}

impl Link {
    /// An idle link.
    pub fn new(bytes_s: u64) -> Link {
        Link {
            bytes_s,
            transfers: VecDeque::new(),
        }
    }

    /// The time `bytes` take.
    pub fn span(&self, bytes: u64) -> Nanos {
        Nanos((u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_s)) as u64)
    }

    /// Begins a transfer of length `span` as soon as the link is free.
    pub fn begin(&mut self, now: SimTime, span: Nanos, command: Command, to: To) {
        let free = self.transfers.back().map_or(now, |t| t.ends.max(now));
        self.transfers.push_back(Transfer {
            ends: free + span,
            command,
            to,
        });
    }

    /// When the first transfer ends.
    pub fn next_end(&self) -> Option<SimTime> {
        self.transfers.front().map(|t| t.ends)
    }

    /// The first transfer, if it has ended at `now`.
    pub fn take_ended(&mut self, now: SimTime) -> Option<Transfer> {
        self.transfers.pop_front_if(|t| t.ends <= now)
    }
}

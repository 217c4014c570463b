//! Transfers over the link, and where their data go.

use ftlab_base::{Command, Nanos, SimTime};
use ftlab_host::{Host, Link};
use std::collections::VecDeque;

/// Destination of the data of a transfer.
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
    /// Instant at which the last byte is over.
    pub ends: SimTime,
    /// The command that the data belong to.
    pub command: Command,
    /// Destination of the data.
    pub to: To,
}

/// The link and its transfers.
#[derive(Debug, Clone)]
pub struct Transfers {
    link: Link,
    under_way: VecDeque<Transfer>,
}

impl Transfers {
    /// None, on an idle link.
    pub fn new(link: Link) -> Transfers {
        Transfers {
            link,
            under_way: VecDeque::new(),
        }
    }

    /// Plugs the disk into another port.
    pub fn plug(&mut self, host: &Host) {
        self.link.plug(host);
    }

    /// The time that N sectors take.
    pub fn span(&self, sectors: u64) -> Nanos {
        self.link.span(sectors)
    }

    /// Begins to transfer the data of a command as soon as the link is free.
    pub fn begin(&mut self, now: SimTime, command: Command, to: To) {
        let span = self.span(u64::from(command.sectors));
        self.begin_rest(now, span, command, to);
    }

    /// Begins to transfer what is left of the data of a command, which takes `span`.
    pub fn begin_rest(&mut self, now: SimTime, span: Nanos, command: Command, to: To) {
        self.under_way.push_back(Transfer {
            ends: self.link.serve(now, span),
            command,
            to,
        });
    }

    /// The time for which data have crossed the link by `now`.
    pub fn busy_until(&self, now: SimTime) -> [Nanos; 2] {
        self.link.busy_until(now)
    }

    /// Instant at which the first transfer ends.
    pub fn next_end(&self) -> Option<SimTime> {
        self.under_way.front().map(|t| t.ends)
    }

    /// The first transfer, if it has ended at `now`.
    pub fn take_ended(&mut self, now: SimTime) -> Option<Transfer> {
        self.under_way.pop_front_if(|t| t.ends <= now)
    }
}

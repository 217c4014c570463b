//! A RAM disk: a part of the host's memory that a driver gives out as a drive.
//!
//! A command takes the driver's time and then its bytes are copied, one command after another: both
//! are work of the host's CPU. No cable, no port and no state.

use crate::flashless::Medium;
use crate::occupancy::Occupancy;
use ftlab_base::{Command, CommandKind, Completion, Nanos, Outcome, SECTOR_BYTES, SimTime};
use ftlab_host::{FrontEnd, Host, Limit};
use std::collections::VecDeque;

/// A RAM disk, in physical numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RamParams {
    /// Addressable sectors of 512 bytes.
    pub capacity_sectors: u64,
    /// Time of its driver for a command.
    pub command: Nanos,
    /// Time of copying a sector.
    pub copied_sector: Nanos,
    /// Limit at the port, as before the volumes of clouds; none if left out.
    pub limit: Option<Limit>,
}

/// A RAM disk in virtual time.
#[derive(Debug, Clone)]
pub struct Ram {
    params: RamParams,
    front: FrontEnd,
    /// In the order in which they end.
    ending: VecDeque<(SimTime, Command)>,
}

impl Ram {
    /// A RAM disk of a host that takes no time.
    #[must_use]
    pub fn new(params: RamParams) -> Ram {
        Ram {
            params,
            // The driver takes whatever comes.
            front: FrontEnd::new(u32::MAX, params.limit),
            ending: VecDeque::new(),
        }
    }

    fn copying(&self, command: &Command) -> Nanos {
        match command.kind {
            CommandKind::Read | CommandKind::Write => {
                self.params.copied_sector * u64::from(command.sectors)
            }
            CommandKind::Trim | CommandKind::Flush => Nanos::ZERO,
        }
    }
}

impl Medium for Ram {
    fn capacity_sectors(&self) -> u64 {
        self.params.capacity_sectors
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        let end = command.lba.0 + u64::from(command.sectors);
        assert!(
            end <= self.params.capacity_sectors,
            "{command:?} on a RAM disk of {} sectors, {} bytes",
            self.params.capacity_sectors,
            self.params.capacity_sectors * SECTOR_BYTES
        );
        let copying = self.params.command + self.copying(&command);
        if let Some(sent) = self.front.submit(command, now) {
            // The CPU copies while a limit holds the command up.
            let copied = self.front.work(now, copying);
            self.ending.push_back((copied.max(sent.at), command));
        }
    }

    fn next_event(&self) -> Option<SimTime> {
        self.ending.front().map(|&(at, _)| at)
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while let Some((at, command)) = self.ending.pop_front_if(|&mut (at, _)| at <= now) {
            let next = self.front.completed(at);
            debug_assert_eq!(next, None, "no command waits");
            done.push(Completion {
                id: command.id,
                at,
                outcome: Outcome::Good,
            });
        }
    }

    fn plug(&mut self, host: &Host) {
        self.front.plug(host);
    }

    fn occupancy(&self, now: SimTime) -> Occupancy {
        Occupancy {
            host_busy: vec![self.front.busy_until(now)],
            limit_held: self.front.held_until(now),
            ..Occupancy::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(id: u64, sectors: u32) -> Command {
        Command::write(id, 0, sectors, SimTime::ZERO)
    }

    #[test]
    fn commands_follow_each_other_and_pay_for_what_they_copy() {
        let mut ram = Ram::new(RamParams {
            capacity_sectors: 1 << 10,
            command: Nanos(1000),
            copied_sector: Nanos(100),
            limit: None,
        });
        ram.plug(&Host {
            command: Nanos(500),
            ..Host::NONE
        });
        ram.submit(write(1, 8), SimTime::ZERO);
        ram.submit(write(2, 16), SimTime::ZERO);
        let mut done = Vec::new();
        ram.advance(SimTime(2299), &mut done);
        assert!(done.is_empty());
        ram.advance(SimTime::NEVER, &mut done);
        let ends: Vec<u64> = done.iter().map(|c| c.at.0).collect();
        assert_eq!(ends, [2300, 2300 + 3100]);
        assert_eq!(ram.next_event(), None);
    }
}

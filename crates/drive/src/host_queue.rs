//! What waits in the host until the drive takes it.

use ftlab_base::{Command, CommandKind};
use std::collections::BTreeMap;

/// In which order waiting commands are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOrder {
    /// First come, first served.
    Fifo,
    /// Ascending from the last address, then from the lowest again (C-LOOK): how an operating
    /// system's disk driver sorts what waits for a drive that takes one command at a time.
    CLook,
}

impl HostOrder {
    /// The names a testbed file may give.
    pub const NAMES: [&'static str; 2] = ["fifo", "c-look"];

    /// The order called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<HostOrder> {
        match name {
            "fifo" => Some(HostOrder::Fifo),
            "c-look" => Some(HostOrder::CLook),
            _ => None,
        }
    }
}

/// The host's queue in front of a drive that takes `depth` commands at a time.
#[derive(Debug, Clone)]
pub struct HostQueue {
    order: HostOrder,
    depth: u32,
    at_the_drive: u32,
    arrivals: u64,
    /// Place and arrival of the last command sent.
    position: (u64, u64),
    waiting: BTreeMap<(u64, u64), Command>,
}

impl HostQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(order: HostOrder, depth: u32) -> HostQueue {
        HostQueue {
            order,
            depth,
            at_the_drive: 0,
            arrivals: 0,
            position: (0, 0),
            waiting: BTreeMap::new(),
        }
    }

    /// Takes a command.
    pub fn push(&mut self, command: Command) {
        self.arrivals += 1;
        let place = match self.order {
            HostOrder::Fifo => 0,
            // A flush has no address: it goes where the sweep is.
            HostOrder::CLook if command.kind == CommandKind::Flush => self.position.0,
            HostOrder::CLook => command.lba.0,
        };
        self.waiting.insert((place, self.arrivals), command);
    }

    /// The next command, if the drive has room for one.
    pub fn send(&mut self) -> Option<Command> {
        if self.at_the_drive == self.depth {
            return None;
        }
        let ahead = self.waiting.range(self.position..).next();
        let (&key, _) = ahead.or_else(|| self.waiting.iter().next())?;
        self.position = key;
        self.at_the_drive += 1;
        self.waiting.remove(&key)
    }

    /// The drive has completed a command.
    pub fn completed(&mut self) {
        self.at_the_drive -= 1;
    }

    /// Commands at the drive or waiting for it.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.at_the_drive as usize + self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::{CommandId, Lba, SimTime};

    fn order_of(order: HostOrder, lbas: &[u64]) -> Vec<u64> {
        let mut queue = HostQueue::new(order, 1);
        let mut sent = Vec::new();
        for (id, &lba) in lbas.iter().enumerate() {
            let id = CommandId(id as u64);
            let at = SimTime::ZERO;
            queue.push(Command {
                id,
                kind: CommandKind::Write,
                lba: Lba(lba),
                sectors: 1,
                at,
            });
            if id == CommandId(0) {
                sent.push(queue.send().unwrap().lba.0);
            }
        }
        while queue.outstanding() > 1 {
            assert!(queue.send().is_none(), "the drive takes one at a time");
            queue.completed();
            sent.push(queue.send().unwrap().lba.0);
        }
        sent
    }

    #[test]
    fn fifo_keeps_the_order_of_arrival() {
        assert_eq!(
            order_of(HostOrder::Fifo, &[50, 10, 90, 60]),
            [50, 10, 90, 60]
        );
    }

    #[test]
    fn c_look_sweeps_upwards_and_starts_again_from_below() {
        assert_eq!(
            order_of(HostOrder::CLook, &[50, 10, 90, 60, 20]),
            [50, 60, 90, 10, 20]
        );
    }
}

//! Commands that wait in the host until the drive takes them.

use crate::turns::{Arbitration, Turns};
use ftlab_base::{Command, CommandKind};
use std::collections::{BTreeMap, VecDeque};

/// In which order waiting commands are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOrder {
    /// First come, first served.
    Fifo,
    /// Ascending from the last address, then from the lowest again (C-LOOK): how an operating
    /// system's disk driver sorts what waits for a drive that takes one command at a time.
    CLook,
    /// From one submission queue after the other: how an NVMe drive takes from the queues of several cores.
    InTurns(Arbitration),
}

/// Waiting commands, in the order of the host.
#[derive(Debug, Clone)]
enum Waiting {
    Fifo(VecDeque<Command>),
    CLook(Sweep),
    InTurns(Turns),
}

/// Commands by address, and where the sweep over them is.
#[derive(Debug, Clone, Default)]
struct Sweep {
    arrivals: u64,
    /// Place and arrival of the last command sent.
    position: (u64, u64),
    waiting: BTreeMap<(u64, u64), Command>,
}

impl Sweep {
    /// The place of a command that arrives now.
    fn key(&mut self, command: &Command) -> (u64, u64) {
        self.arrivals += 1;
        let place = match command.kind {
            // A flush has no address: it goes where the sweep is.
            CommandKind::Flush => self.position.0,
            _ => command.lba.0,
        };
        (place, self.arrivals)
    }

    /// A command that need not wait: the sweep goes on from there.
    fn pass(&mut self, command: &Command) {
        self.position = self.key(command);
    }

    fn push(&mut self, command: Command) {
        let key = self.key(&command);
        self.waiting.insert(key, command);
    }

    fn pop(&mut self) -> Option<Command> {
        let ahead = self.waiting.range(self.position..).next();
        let (&key, _) = ahead.or_else(|| self.waiting.iter().next())?;
        self.position = key;
        self.waiting.remove(&key)
    }
}

/// The host's queue in front of a drive that takes `depth` commands at a time.
#[derive(Debug, Clone)]
pub struct HostQueue {
    depth: u32,
    at_the_drive: u32,
    waiting: Waiting,
}

impl HostQueue {
    /// Makes an empty queue for a drive that takes `depth` commands.
    #[must_use]
    pub fn new(order: HostOrder, depth: u32) -> HostQueue {
        HostQueue {
            depth,
            at_the_drive: 0,
            waiting: match order {
                HostOrder::Fifo => Waiting::Fifo(VecDeque::new()),
                HostOrder::CLook => Waiting::CLook(Sweep::default()),
                HostOrder::InTurns(arbitration) => Waiting::InTurns(Turns::new(arbitration)),
            },
        }
    }

    /// Takes a command and returns it when the drive takes it at once.
    #[must_use]
    pub fn push(&mut self, command: Command) -> Option<Command> {
        let at_once = self.at_the_drive < self.depth;
        debug_assert!(
            !at_once || self.waiting() == 0,
            "nobody waits while there is room"
        );
        match &mut self.waiting {
            Waiting::Fifo(_) | Waiting::InTurns(_) if at_once => {}
            Waiting::CLook(sweep) if at_once => sweep.pass(&command),
            Waiting::Fifo(queue) => queue.push_back(command),
            Waiting::CLook(sweep) => sweep.push(command),
            Waiting::InTurns(turns) => turns.push(command),
        }
        self.at_the_drive += u32::from(at_once);
        at_once.then_some(command)
    }

    /// Notes that the drive has completed a command and returns the one that it takes instead.
    #[must_use]
    pub fn completed(&mut self) -> Option<Command> {
        let next = match &mut self.waiting {
            Waiting::Fifo(queue) => queue.pop_front(),
            Waiting::CLook(sweep) => sweep.pop(),
            Waiting::InTurns(turns) => turns.pop(),
        };
        self.at_the_drive -= u32::from(next.is_none());
        next
    }

    fn waiting(&self) -> usize {
        match &self.waiting {
            Waiting::Fifo(queue) => queue.len(),
            Waiting::CLook(sweep) => sweep.waiting.len(),
            Waiting::InTurns(turns) => turns.waiting(),
        }
    }

    /// Commands at the drive or waiting for it.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.at_the_drive as usize + self.waiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::{CommandId, Content, Lba, Placement, SimTime, SubmissionQueue};

    fn order_of(order: HostOrder, lbas: &[u64]) -> Vec<u64> {
        order_of_queues(order, &lbas.iter().map(|&lba| (lba, 0)).collect::<Vec<_>>())
    }

    /// The same of commands that come from several submission queues.
    fn order_of_queues(order: HostOrder, commands: &[(u64, u16)]) -> Vec<u64> {
        let mut queue = HostQueue::new(order, 1);
        let mut sent = Vec::new();
        for (id, &(lba, of)) in commands.iter().enumerate() {
            let id = CommandId(id as u64);
            let at = SimTime::ZERO;
            let at_once = queue.push(Command {
                id,
                kind: CommandKind::Write,
                lba: Lba(lba),
                sectors: 1,
                content: Content::RANDOM,
                queue: SubmissionQueue {
                    number: of,
                    ..SubmissionQueue::FIRST
                },
                placement: Placement::DEFAULT,
                at,
            });
            sent.extend(at_once.map(|command| command.lba.0));
        }
        assert_eq!(sent.len(), 1, "the drive takes one at a time");
        sent.extend(std::iter::from_fn(|| queue.completed()).map(|command| command.lba.0));
        assert_eq!(queue.outstanding(), 0);
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

    #[test]
    fn round_robin_takes_one_of_each_queue_in_turn() {
        let commands = [
            (10, 0),
            (11, 0),
            (12, 0),
            (13, 0),
            (70, 7),
            (71, 7),
            (30, 3),
        ];
        assert_eq!(
            order_of_queues(HostOrder::InTurns(Arbitration::ONE_EACH), &commands),
            [10, 11, 30, 70, 12, 71, 13]
        );
    }
}

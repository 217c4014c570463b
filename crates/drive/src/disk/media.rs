//! Commands that wait for the arm: reads the caches do not hold, and writes with the cache off.

use super::arm::Arm;
use super::platter::Place;
use ftlab_base::{Command, CommandKind, Nanos, SimTime};

/// A command that needs the platter.
#[derive(Debug, Clone, Copy)]
pub struct MediaCommand {
    /// The command.
    pub command: Command,
    /// First sector needed; a read whose beginning is cached needs only the rest.
    pub lba: u64,
    /// Sectors needed, at least 1.
    pub sectors: u64,
    /// Where the first one lies.
    pub place: Place,
    /// How often another command was preferred.
    pub passed: u32,
}

/// The commands, oldest first.
#[derive(Debug, Clone)]
pub struct MediaQueue {
    commands: Vec<MediaCommand>,
}

impl MediaQueue {
    /// An empty queue of a drive that holds `depth` commands.
    pub fn new(depth: u32) -> MediaQueue {
        MediaQueue {
            commands: Vec::with_capacity(depth as usize),
        }
    }

    /// Adds a command.
    pub fn push(&mut self, command: MediaCommand) {
        self.commands.push(command);
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The command to serve next and its positioning time: the oldest if it was passed over twice
    /// as often as there are commands (then at no cost, so that nothing else is preferred), else the
    /// quickest to reach. Without the limit a stream would starve whatever it once left behind.
    pub fn nearest(&self, now: SimTime, arm: &Arm) -> Option<(usize, Nanos)> {
        if self.commands.first()?.passed as usize >= 2 * self.commands.len() {
            return Some((0, Nanos::ZERO));
        }
        let cost =
            |c: &MediaCommand| arm.positioning(now, c.place, c.command.kind == CommandKind::Write);
        self.commands
            .iter()
            .map(cost)
            .enumerate()
            .min_by_key(|&(_, cost)| cost)
    }

    /// Removes the command at `index`; those before it were passed over.
    pub fn take(&mut self, index: usize) -> MediaCommand {
        self.commands[..index]
            .iter_mut()
            .for_each(|c| c.passed += 1);
        self.commands.remove(index)
    }
}

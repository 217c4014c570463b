//! Commands that wait for the arm: reads the caches do not hold, and writes with the cache off.

use super::arm::Arm;
use super::platter::{Place, Platter};
use ftlab_base::{Command, CommandKind, Nanos, SimTime};
use std::ops::Range;

/// A command that needs the platter.
#[derive(Debug, Clone, Copy)]
pub struct MediaCommand {
    /// The command with all its sectors.
    pub command: Command,
    /// First sector needed; a read whose beginning is cached needs only the rest.
    pub lba: u64,
    /// Sectors needed, at least 1.
    pub sectors: u64,
    /// Place of the first of them.
    pub place: Place,
    /// Times that another command was preferred.
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

    /// Adds a command behind the others.
    pub fn push(&mut self, command: MediaCommand) {
        self.commands.push(command);
    }

    /// Returns true if no command waits.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The command to serve next and its positioning time: the oldest if it was passed over twice
    /// as often as there are commands (then at no cost, so that nothing else is preferred), else the
    /// quickest to reach. Without the limit a stream would starve whatever it once left behind.
    /// Commands that begin in `leave`, the stream that the arm has stayed with long enough, come last.
    pub fn nearest(
        &self,
        now: SimTime,
        arm: &Arm,
        leave: Option<Range<u64>>,
    ) -> Option<(usize, Nanos)> {
        if self.commands.first()?.passed as usize >= 2 * self.commands.len() {
            return Some((0, Nanos::ZERO));
        }
        let cost =
            |c: &MediaCommand| arm.positioning(now, c.place, c.command.kind == CommandKind::Write);
        let is_left = |c: &MediaCommand| leave.as_ref().is_some_and(|l| l.contains(&c.lba));
        self.commands
            .iter()
            .map(|c| (is_left(c), cost(c)))
            .enumerate()
            .min_by_key(|&(_, key)| key)
            .map(|(index, (_, cost))| (index, cost))
    }

    /// The first read that lies between `from` and `end`, or with `alone`, when nobody waits but it,
    /// begins there.
    pub fn along(&self, from: u64, end: u64, alone: bool) -> Option<(usize, MediaCommand)> {
        let lies = |c: &MediaCommand| {
            let is_within = c.lba + c.sectors <= end || alone && c.lba <= end;
            c.command.kind == CommandKind::Read && from <= c.lba && is_within
        };
        let index = self.commands.iter().position(lies)?;
        Some((index, self.commands[index]))
    }

    /// Takes off what is `held` of each read, of its sector and number of sectors, since it came; gives
    /// those that need no more.
    pub fn take_held(&mut self, held: impl Fn(u64, u64) -> u64, platter: &Platter) -> Vec<Command> {
        let has_all = |c: &mut MediaCommand| {
            if c.command.kind != CommandKind::Read {
                return false;
            }
            let held = held(c.lba, c.sectors);
            (c.lba, c.sectors) = (c.lba + held, c.sectors - held);
            if held > 0 && c.sectors > 0 {
                c.place = platter.locate(c.lba);
            }
            c.sectors == 0
        };
        self.commands
            .extract_if(.., has_all)
            .map(|c| c.command)
            .collect()
    }

    /// Number of commands that wait.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Removes the command at `index`; those before it were passed over.
    pub fn take(&mut self, index: usize) -> MediaCommand {
        self.commands[..index]
            .iter_mut()
            .for_each(|c| c.passed += 1);
        self.commands.remove(index)
    }
}

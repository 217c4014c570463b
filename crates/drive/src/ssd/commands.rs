//! Commands at the drive, by the numbers that events carry.

use ftlab_base::{Command, SimTime};

/// Commands at the drive; numbers are used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Commands {
    commands: Vec<Command>,
    /// Instant at which each has passed the core and its data have crossed the link, at the earliest.
    through: Vec<SimTime>,
    /// Instant at which the first page of each read can be in the drive.
    first_page: Vec<SimTime>,
    free: Vec<u32>,
}

impl Commands {
    /// Takes a command in; gives its number.
    pub(super) fn enter(&mut self, command: Command) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.commands[number as usize] = command;
                number
            }
            None => {
                self.commands.push(command);
                self.through.push(SimTime::ZERO);
                self.first_page.push(SimTime::ZERO);
                self.commands.len() as u32 - 1
            }
        }
    }

    /// Says when a command has passed what it streams through on its way in.
    pub(super) fn set_through(&mut self, number: u32, at: SimTime) {
        self.through[number as usize] = at;
    }

    /// Instant at which a command has passed what it streams through on its way in.
    pub(super) fn through(&self, number: u32) -> SimTime {
        self.through[number as usize]
    }

    /// Says when the first page of a read can be in the drive.
    pub(super) fn set_first_page(&mut self, number: u32, at: SimTime) {
        self.first_page[number as usize] = at;
    }

    /// Instant at which the first page of a read can be in the drive.
    pub(super) fn first_page(&self, number: u32) -> SimTime {
        self.first_page[number as usize]
    }

    /// A command at the drive.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &Command {
        &self.commands[number as usize]
    }

    /// The command is over; gives what it was.
    pub(super) fn leave(&mut self, number: u32) -> &Command {
        self.free.push(number);
        &self.commands[number as usize]
    }
}

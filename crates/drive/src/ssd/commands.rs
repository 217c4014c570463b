//! Commands at the drive, by the numbers that events carry.

use ftlab_base::Command;

/// Commands at the drive; numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Commands {
    commands: Vec<Command>,
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
                self.commands.len() as u32 - 1
            }
        }
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

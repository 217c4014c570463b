//! Commits: what was done so far is brought to the machine's storage, where the machine may lose its power.
//!
//! A commit goes on beside other work if the storage can do that. Whatever is asked to be kept meanwhile
//! is kept by the next one: there is one under way at a time, and all who wait share the one after it.

use ftlab_base::{Command, CommandId, CommandKind, Completion};
use std::collections::BTreeMap;
use std::ops::Range;

/// The number of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Commit(pub(crate) u64);

/// A flush at the drive.
#[derive(Debug)]
pub(crate) struct Flush {
    /// The sectors that it is of; none for everything.
    pub(crate) sectors: Range<u64>,
    /// The commit that it waits for, once that is known.
    pub(crate) commit: Option<Commit>,
}

/// The sectors that a flush is of; none for everything.
pub(crate) fn sectors_of(command: &Command) -> Range<u64> {
    command.lba.0..command.lba.0 + u64::from(command.sectors)
}

/// Commits that ended, are under way, and are to come.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    /// The last one that somebody waits for.
    pub(crate) wanted: u64,
    /// Flushes at the drive.
    pub(crate) flushes: BTreeMap<CommandId, Flush>,
    /// Flushes that the drive is done with, and their commits are not.
    pub(crate) held: Vec<(Commit, Completion)>,
}

impl Commits {
    pub(crate) fn are_under_way(&self) -> bool {
        self.ended < self.begun.max(self.wanted)
    }

    /// A command is submitted.
    pub(crate) fn submitted(&mut self, command: &Command) {
        if command.kind == CommandKind::Flush {
            let sectors = match command.sectors {
                0 => 0..0,
                _ => sectors_of(command),
            };
            let commit = None;
            self.flushes.insert(command.id, Flush { sectors, commit });
        }
    }
}

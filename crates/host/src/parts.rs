//! Commands that are larger than a drive takes at a time, in parts.

use ftlab_base::{Command, CommandId, CommandKind, Lba, Outcome};
use std::collections::BTreeMap;

/// Splitting of commands, as the host's block layer does it: each part is a command of its own to the drive, and the
/// original ends when the last of them does.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// The most sectors of a read or write, if there is a limit.
    most: Option<u32>,
    /// Commands that were split and have not ended.
    split: BTreeMap<CommandId, Split>,
}

#[derive(Debug, Clone, Copy)]
struct Split {
    begin: Lba,
    parts: u32,
    outcome: Outcome,
}

impl Parts {
    /// Splits at `most` sectors, or nothing if that is `None`.
    #[must_use]
    pub fn of(most: Option<u32>) -> Parts {
        Parts {
            most,
            split: BTreeMap::new(),
        }
    }

    /// True for a command that needs no split, as most do not.
    #[inline]
    #[must_use]
    pub fn is_one(&self, command: &Command) -> bool {
        self.most.is_none_or(|most| command.sectors <= most)
    }

    /// The parts of a command, in order: itself, if it is not too large.
    pub fn split(&mut self, command: Command) -> impl Iterator<Item = Command> + use<> {
        let moves = matches!(command.kind, CommandKind::Read | CommandKind::Write);
        let most = self.most.filter(|_| moves).unwrap_or(u32::MAX);
        let parts = command.sectors.div_ceil(most).max(1);
        if parts > 1 {
            let split = Split {
                begin: command.lba,
                parts,
                outcome: Outcome::Good,
            };
            self.split.insert(command.id, split);
        }
        (0..parts).map(move |n| Command {
            lba: Lba(command.lba.0 + u64::from(n) * u64::from(most)),
            sectors: (command.sectors - n * most).min(most),
            ..command
        })
    }

    /// Ends a command of the drive; returns the end of the host's command, unless other parts of it are under way. It
    /// fails as the first part that does.
    #[inline]
    pub fn ended(&mut self, id: CommandId, outcome: Outcome) -> Option<Outcome> {
        if self.split.is_empty() {
            return Some(outcome);
        }
        let Some(split) = self.split.get_mut(&id) else {
            return Some(outcome);
        };
        if split.outcome == Outcome::Good {
            split.outcome = outcome;
        }
        split.parts -= 1;
        let outcome = split.outcome;
        if split.parts > 0 {
            return None;
        }
        self.split.remove(&id);
        Some(outcome)
    }

    /// Sectors before a command of the drive in what the host asked.
    #[inline]
    #[must_use]
    pub fn before(&self, part: &Command) -> u32 {
        if self.split.is_empty() {
            return 0;
        }
        let split = self.split.get(&part.id);
        split.map_or(0, |split| (part.lba.0 - split.begin.0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::SimTime;

    fn command(kind: CommandKind, sectors: u32) -> Command {
        Command::new(kind, 7, 1000, sectors, SimTime::ZERO)
    }

    fn of(parts: &mut Parts, kind: CommandKind, sectors: u32) -> Vec<(u64, u32)> {
        let split = parts.split(command(kind, sectors));
        split.map(|part| (part.lba.0, part.sectors)).collect()
    }

    #[test]
    fn what_is_too_large_is_split_and_ends_with_its_last_part() {
        let mut parts = Parts::of(Some(256));
        let split = of(&mut parts, CommandKind::Write, 600);
        assert_eq!(split, [(1000, 256), (1256, 256), (1512, 88)]);
        let last = Command {
            lba: Lba(1512),
            ..command(CommandKind::Write, 88)
        };
        assert_eq!(parts.before(&last), 512);
        let ends = [Outcome::Good, Outcome::WriteFault, Outcome::Good];
        let told = ends.map(|outcome| parts.ended(CommandId(7), outcome));
        assert_eq!(told, [None, None, Some(Outcome::WriteFault)]);
        assert_eq!(parts.before(&last), 0);
    }

    #[test]
    fn what_moves_no_data_or_little_is_left_whole() {
        let mut parts = Parts::of(Some(256));
        assert_eq!(of(&mut parts, CommandKind::Read, 256), [(1000, 256)]);
        assert_eq!(of(&mut parts, CommandKind::Trim, 9999), [(1000, 9999)]);
        assert_eq!(of(&mut parts, CommandKind::Flush, 0), [(1000, 0)]);
        assert_eq!(
            of(&mut Parts::default(), CommandKind::Read, 9999),
            [(1000, 9999)]
        );
        assert_eq!(
            parts.ended(CommandId(7), Outcome::Good),
            Some(Outcome::Good)
        );
    }
}

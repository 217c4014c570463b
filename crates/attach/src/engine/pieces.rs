//! The commands of one request, in any order, and the flush that may have to follow.
//!
//! No command is large, so that the requests of others come in between.

use super::request::Operation;
use ftlab_base::{CommandKind, SECTOR_BYTES};
use std::ops::Range;
use std::sync::LazyLock;

/// Sectors that one command reads or writes at most: 1 MiB, about as much as Linux gives a SATA drive
/// at once.
pub(super) const DATA_SECTORS_MAX: u64 = (1 << 20) / SECTOR_BYTES;

/// Sectors that one command trims at most, for each that one carries at most: 128 MiB. A command of ATA may
/// have 2 GiB, which would keep the thread that runs the drive busy for tens of milliseconds.
const TRIMMED_A_DATA_SECTOR: u64 = 128;

/// Made when a request first asks for them: a constant would lie in the program's file.
static ZEROES: LazyLock<Vec<u8>> =
    LazyLock::new(|| vec![0; (DATA_SECTORS_MAX * SECTOR_BYTES) as usize]);

/// A command for the drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub kind: CommandKind,
    /// A part of the request's range, in sectors.
    pub range: Range<u64>,
    /// Zeroes are written, whatever the request's data.
    zeroes: bool,
}

impl Piece {
    fn of(kind: CommandKind, range: Range<u64>) -> Piece {
        Piece {
            kind,
            range,
            zeroes: false,
        }
    }

    fn zeroes(range: Range<u64>) -> Piece {
        Piece {
            zeroes: true,
            ..Piece::of(CommandKind::Write, range)
        }
    }

    pub fn flush() -> Piece {
        Piece::of(CommandKind::Flush, 0..0)
    }

    /// The flush of a request with FUA, which is of its own data.
    pub fn flush_of(range: Range<u64>) -> Piece {
        Piece::of(CommandKind::Flush, range)
    }

    pub fn sectors(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The data that go with it; `part` gives those of the request for a range.
    pub fn data<'a>(&self, part: impl FnOnce(&Range<u64>) -> &'a [u8]) -> &'a [u8] {
        match self.kind {
            CommandKind::Write if self.zeroes => {
                &ZEROES[..(self.sectors() * SECTOR_BYTES) as usize]
            }
            CommandKind::Write => part(&self.range),
            CommandKind::Read | CommandKind::Trim | CommandKind::Flush => &[],
        }
    }

    /// Takes a command off the front that ends at a multiple of its greatest length, so that a
    /// request that is cut is cut between slots.
    fn take_front(&mut self, data_sectors_max: u64) -> Piece {
        let sectors_max = match self.kind {
            CommandKind::Trim => TRIMMED_A_DATA_SECTOR * data_sectors_max,
            _ => data_sectors_max,
        };
        let cut = (self.range.start / sectors_max + 1) * sectors_max;
        let end = self.range.end.min(cut);
        let front = self.range.start..end;
        self.range.start = end;
        Piece {
            range: front,
            ..*self
        }
    }
}

/// The commands of a request, but for the flush of FUA.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// A flush is asked for.
    flush: bool,
    /// Parts of the request that are not cut into commands yet.
    whole: [Option<Piece>; 3],
    data_sectors_max: u64,
}

impl Pieces {
    /// The commands of a request. `trim_sectors` is the length of the slots that the drive trims, if it
    /// trims any; a command carries `data_sectors_max` sectors of data at most, and
    /// trims a hundred times as many.
    pub fn of(
        operation: Operation,
        range: Range<u64>,
        trim_sectors: Option<u64>,
        data_sectors_max: u64,
    ) -> Pieces {
        let one = |piece| [Some(piece), None, None];
        let whole = match operation {
            Operation::Read => one(Piece::of(CommandKind::Read, range)),
            Operation::Write => one(Piece::of(CommandKind::Write, range)),
            Operation::Trim if trim_sectors.is_some() => one(Piece::of(CommandKind::Trim, range)),
            Operation::Zero { no_hole, .. } => match trim_sectors.filter(|_| !no_hole) {
                Some(slot) => zeroes_with_holes(range, slot),
                None => one(Piece::zeroes(range)),
            },
            Operation::Flush | Operation::Cache | Operation::Trim => [None, None, None],
        };
        Pieces {
            flush: operation == Operation::Flush,
            whole,
            data_sectors_max,
        }
    }
}

/// A trim takes whole slots, and leaves parts of slots as they are: these are written.
fn zeroes_with_holes(range: Range<u64>, slot: u64) -> [Option<Piece>; 3] {
    let first = range.start.next_multiple_of(slot);
    let end = range.end / slot * slot;
    if first >= end {
        return [Some(Piece::zeroes(range)), None, None];
    }
    [
        Some(Piece::of(CommandKind::Trim, first..end)),
        Some(Piece::zeroes(range.start..first)),
        Some(Piece::zeroes(end..range.end)),
    ]
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if std::mem::take(&mut self.flush) {
            return Some(Piece::flush());
        }
        let mut left = self.whole.iter_mut().flatten();
        let part = left.find(|part| !part.range.is_empty())?;
        Some(part.take_front(self.data_sectors_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLES: Operation = Operation::Zero {
        no_hole: false,
        fast: false,
    };

    fn told(
        operation: Operation,
        range: Range<u64>,
        slot: Option<u64>,
    ) -> Vec<(CommandKind, Range<u64>)> {
        let pieces = Pieces::of(operation, range, slot, DATA_SECTORS_MAX);
        pieces.map(|piece| (piece.kind, piece.range)).collect()
    }

    #[test]
    fn zeroes_are_trimmed_in_whole_slots_and_written_elsewhere() {
        use CommandKind::{Trim, Write};
        assert_eq!(
            told(HOLES, 5..30, Some(8)),
            [(Trim, 8..24), (Write, 5..8), (Write, 24..30)]
        );
        assert_eq!(told(HOLES, 8..16, Some(8)), [(Trim, 8..16)]);
        assert_eq!(told(HOLES, 9..16, Some(8)), [(Write, 9..16)]);
        assert_eq!(told(HOLES, 1..15, Some(8)), [(Write, 1..15)]);
        let stored = Operation::Zero {
            no_hole: true,
            fast: false,
        };
        assert_eq!(told(stored, 8..16, Some(8)), [(Write, 8..16)]);
        assert_eq!(told(HOLES, 8..16, None), [(Write, 8..16)]);
    }

    #[test]
    fn what_is_too_long_for_a_command_is_told_in_several_that_are_cut_at_round_addresses() {
        use CommandKind::{Read, Trim, Write};
        let n = DATA_SECTORS_MAX;
        let cut = [1..n, n..2 * n, 2 * n..2 * n + 2];
        for (operation, kind) in [
            (Operation::Read, Read),
            (Operation::Write, Write),
            (HOLES, Write),
        ] {
            let told = told(operation, 1..2 * n + 2, None);
            assert_eq!(
                told,
                cut.clone().map(|range| (kind, range)),
                "{operation:?}"
            );
        }
        let n = TRIMMED_A_DATA_SECTOR * DATA_SECTORS_MAX;
        let trims = told(Operation::Trim, 8..n + 8, Some(8));
        assert_eq!(trims, [8..n, n..n + 8].map(|range| (Trim, range)));
    }

    #[test]
    fn a_drive_without_trim_is_told_nothing_of_one() {
        assert_eq!(told(Operation::Trim, 0..8, None), []);
        assert_eq!(told(Operation::Cache, 0..8, Some(8)), []);
        assert_eq!(
            told(Operation::Flush, 0..0, None),
            [(CommandKind::Flush, 0..0)]
        );
    }

    #[test]
    fn zeroes_are_as_long_as_their_piece() {
        for piece in Pieces::of(HOLES, 0..2 * DATA_SECTORS_MAX + 3, None, DATA_SECTORS_MAX) {
            let data = piece.data(|_| b"not these");
            assert_eq!(data.len() as u64, piece.sectors() * SECTOR_BYTES);
            assert!(data.iter().all(|byte| *byte == 0));
        }
    }
}

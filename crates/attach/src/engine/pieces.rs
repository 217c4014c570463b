//! What a drive is told of one request: commands that it can take, in any order, and whether a flush
//! must follow.

use super::ask::What;
use ftlab_base::{CommandKind, SECTOR_BYTES};
use std::ops::Range;

/// Sectors of zeroes that are written with one command: 1 MiB.
const ZERO_SECTORS: u64 = (1 << 20) / SECTOR_BYTES;

/// Sectors that one command trims at most: a block of ATA's DATA SET MANAGEMENT has 64 ranges, and each
/// has up to 65,535 sectors.
const TRIM_SECTORS: u64 = 64 * 65_535;

static ZEROES: [u8; (ZERO_SECTORS * SECTOR_BYTES) as usize] =
    [0; (ZERO_SECTORS * SECTOR_BYTES) as usize];

/// A command for the drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub kind: CommandKind,
    /// In sectors.
    pub range: Range<u64>,
    /// Zeroes are written, whatever the request's data.
    pub zeroes: bool,
}

impl Piece {
    pub fn flush() -> Piece {
        Piece {
            kind: CommandKind::Flush,
            range: 0..0,
            zeroes: false,
        }
    }

    pub fn sectors(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The data that go with it; `data` are those of the request.
    pub fn data<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        match self.kind {
            CommandKind::Write if self.zeroes => {
                &ZEROES[..(self.sectors() * SECTOR_BYTES) as usize]
            }
            CommandKind::Write => data,
            CommandKind::Read | CommandKind::Trim | CommandKind::Flush => &[],
        }
    }
}

/// The commands of a request, but for the flush of FUA.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    /// What the drive is told of whole: a read, a write, a flush.
    whole: Option<Piece>,
    /// Where zeroes are written.
    zeroes: [Range<u64>; 2],
    trims: Range<u64>,
}

impl Pieces {
    /// What to tell a drive that trims slots of so many sectors, if it trims at all.
    pub fn of(what: What, range: Range<u64>, trim_sectors: Option<u64>) -> Pieces {
        let mut pieces = Pieces {
            whole: None,
            zeroes: [0..0, 0..0],
            trims: 0..0,
        };
        let whole = |kind| Piece {
            kind,
            range: range.clone(),
            zeroes: false,
        };
        match what {
            What::Read => pieces.whole = Some(whole(CommandKind::Read)),
            What::Write => pieces.whole = Some(whole(CommandKind::Write)),
            What::Flush => pieces.whole = Some(Piece::flush()),
            What::Cache => {}
            What::Trim if trim_sectors.is_some() => pieces.trims = range,
            What::Trim => {}
            What::Zero { no_hole, .. } => {
                let slot = trim_sectors.filter(|_| !no_hole).unwrap_or(u64::MAX);
                // A trim takes whole slots, and leaves parts of slots as they are.
                let first = range.start.checked_next_multiple_of(slot);
                let end = range.end / slot * slot;
                match first.filter(|first| *first < end) {
                    Some(first) => {
                        pieces.zeroes = [range.start..first, end..range.end];
                        pieces.trims = first..end;
                    }
                    None => pieces.zeroes = [range, 0..0],
                }
            }
        }
        pieces
    }
}

/// Takes up to so many sectors off the front.
fn take(range: &mut Range<u64>, sectors_max: u64) -> Option<Range<u64>> {
    let end = range.end.min(range.start + sectors_max);
    let taken = range.start..end;
    range.start = end;
    (!taken.is_empty()).then_some(taken)
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
        if let Some(range) = take(&mut self.trims, TRIM_SECTORS) {
            return Some(Piece {
                kind: CommandKind::Trim,
                range,
                zeroes: false,
            });
        }
        let mut zeroes = self.zeroes.iter_mut();
        let range = zeroes.find_map(|part| take(part, ZERO_SECTORS))?;
        Some(Piece {
            kind: CommandKind::Write,
            range,
            zeroes: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLES: What = What::Zero {
        no_hole: false,
        fast: false,
    };

    fn told(what: What, range: Range<u64>, slot: Option<u64>) -> Vec<(CommandKind, Range<u64>)> {
        let pieces = Pieces::of(what, range, slot);
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
        let stored = What::Zero {
            no_hole: true,
            fast: false,
        };
        assert_eq!(told(stored, 8..16, Some(8)), [(Write, 8..16)]);
        assert_eq!(told(HOLES, 8..16, None), [(Write, 8..16)]);
    }

    #[test]
    fn what_is_too_long_for_a_command_is_told_in_several() {
        use CommandKind::{Trim, Write};
        let n = ZERO_SECTORS;
        let zeroes = told(HOLES, 1..2 * n + 2, None);
        let want = [1..n + 1, n + 1..2 * n + 1, 2 * n + 1..2 * n + 2];
        assert_eq!(zeroes, want.map(|range| (Write, range)));
        let n = TRIM_SECTORS;
        let trims = told(What::Trim, 0..n + 1, Some(8));
        assert_eq!(trims, [0..n, n..n + 1].map(|range| (Trim, range)));
    }

    #[test]
    fn a_drive_without_trim_is_told_nothing_of_one() {
        assert_eq!(told(What::Trim, 0..8, None), []);
        assert_eq!(told(What::Cache, 0..8, Some(8)), []);
    }

    #[test]
    fn zeroes_are_as_long_as_their_piece() {
        for piece in Pieces::of(HOLES, 0..2 * ZERO_SECTORS + 3, None) {
            let data = piece.data(b"not these");
            assert_eq!(data.len() as u64, piece.sectors() * SECTOR_BYTES);
            assert!(data.iter().all(|byte| *byte == 0));
        }
    }
}

//! A mapping table in the host's memory (NVMe's host memory buffer), and what of it the drive has in memory of its own.

use ftlab_base::{Lpn, Nanos};

/// Division of a mapping table between memory of the drive's own and the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostTable {
    /// Pieces of the table, of a sector each, that its own memory has room for.
    pub own_pieces: u32,
    /// Slots whose entries are in a piece.
    pub slots_per_piece: u32,
    /// Time that it takes to read the host's memory, there and back, beside the time of the data on the lanes.
    pub latency: Nanos,
}

/// No piece of the table.
const NONE: u32 = u32::MAX;

/// The pieces in the drive's own memory: each has one place there, by its number, and takes it from the one before. They
/// are gone when the power is.
#[derive(Debug, Clone)]
pub(super) struct OwnPieces {
    pub(super) table: HostTable,
    places: Vec<u32>,
}

impl OwnPieces {
    pub(super) fn new(table: HostTable) -> OwnPieces {
        OwnPieces {
            table,
            places: vec![NONE; table.own_pieces as usize],
        }
    }

    /// Wants the entries of slots; gives how many pieces of the table are not there. They are from now on.
    pub(super) fn want(&mut self, first: Lpn, slots: u32) -> u32 {
        let of_slot = |lpn: u32| lpn / self.table.slots_per_piece;
        let mut missing = 0;
        for piece in of_slot(first.0)..=of_slot(first.0 + slots.max(1) - 1) {
            let place = (piece % self.table.own_pieces) as usize;
            missing += u32::from(std::mem::replace(&mut self.places[place], piece) != piece);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_takes_the_place_of_another_of_its_number() {
        let mut own = OwnPieces::new(HostTable {
            own_pieces: 4,
            slots_per_piece: 128,
            latency: Nanos::ZERO,
        });
        assert_eq!(own.want(Lpn(0), 1), 1);
        assert_eq!(own.want(Lpn(127), 2), 1, "the second piece is another");
        assert_eq!(own.want(Lpn(100), 100), 0);
        assert_eq!(own.want(Lpn(4 * 128), 1), 1);
        assert_eq!(own.want(Lpn(0), 1), 1, "its place was taken");
        assert_eq!(
            own.want(Lpn(0), 0),
            0,
            "of no slots, the first is looked up"
        );
    }
}

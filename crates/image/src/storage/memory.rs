//! Memory, in pieces that are there once they are written.

use super::Storage;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::Arc;

/// Bytes of a piece.
const PIECE: u64 = 1 << 16;

/// Sparse memory, by piece.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Copies of the memory share what neither has written since.
    pieces: BTreeMap<u64, Arc<[u8]>>,
}

/// The parts of a range that lie in one piece each: the piece, where in it, and how long.
pub(super) fn parts(at: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = at + bytes;
    let pieces = at / PIECE..end.div_ceil(PIECE);
    pieces.map(move |piece| {
        let first = at.max(piece * PIECE);
        let last = end.min((piece + 1) * PIECE);
        (piece, (first % PIECE) as usize, (last - first) as usize)
    })
}

impl Memory {
    /// A piece, if anything was written there.
    pub(super) fn piece(&self, piece: u64) -> Option<&[u8]> {
        self.pieces.get(&piece).map(|bytes| &**bytes)
    }

    /// A piece to write to; `fill` gives what a new one holds.
    pub(super) fn piece_mut<E>(
        &mut self,
        piece: u64,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<&mut [u8], E> {
        match self.pieces.entry(piece) {
            Entry::Occupied(there) => Ok(Arc::make_mut(there.into_mut())),
            Entry::Vacant(room) => {
                let mut bytes = vec![0; PIECE as usize];
                fill(&mut bytes)?;
                Ok(Arc::make_mut(room.insert(bytes.into())))
            }
        }
    }
}

/// Start of a piece, in bytes.
pub(super) fn start_of(piece: u64) -> u64 {
    piece * PIECE
}

impl Storage for Memory {
    fn read_at(&self, at: u64, mut into: &mut [u8]) -> io::Result<()> {
        for (piece, from, bytes) in parts(at, into.len() as u64) {
            let (part, rest) = into.split_at_mut(bytes);
            match self.piece(piece) {
                Some(held) => part.copy_from_slice(&held[from..from + bytes]),
                None => part.fill(0),
            }
            into = rest;
        }
        Ok(())
    }

    fn write_at(&mut self, at: u64, mut bytes: &[u8]) -> io::Result<()> {
        for (piece, from, count) in parts(at, bytes.len() as u64) {
            let (part, rest) = bytes.split_at(count);
            let held = self.piece_mut(piece, |_| Ok::<(), io::Error>(()))?;
            held[from..from + count].copy_from_slice(part);
            bytes = rest;
        }
        Ok(())
    }

    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        let end = at + bytes;
        // What is given up wholly takes no memory.
        let whole = at.div_ceil(PIECE)..end / PIECE;
        if !whole.is_empty() {
            self.pieces.extract_if(whole, |_, _| true).for_each(drop);
        }
        let held = self.pieces.range_mut(at / PIECE..end.div_ceil(PIECE));
        for (piece, held) in held {
            let from = at.max(start_of(*piece)) - start_of(*piece);
            let until = end.min(start_of(piece + 1)) - start_of(*piece);
            Arc::make_mut(held)[from as usize..until as usize].fill(0);
        }
        Ok(())
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        let next = self.pieces.range(at / PIECE..).next();
        Ok(next.map(|(piece, _)| at.max(start_of(*piece))))
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_across_pieces_and_the_rest_is_zeros() {
        let mut memory = Memory::default();
        let data: Vec<u8> = (0..PIECE * 2).map(|n| (n % 251) as u8 + 1).collect();
        memory.write_at(PIECE - 10, &data).unwrap();
        let mut read = vec![9; data.len() + 20];
        memory.read_at(PIECE - 20, &mut read).unwrap();
        assert_eq!(read[..10], [0; 10]);
        assert_eq!(read[10..10 + data.len()], data);
        assert_eq!(read[10 + data.len()..], [0; 10]);
        memory.give_up(PIECE - 5, PIECE + 10).unwrap();
        memory.read_at(PIECE - 20, &mut read).unwrap();
        assert_eq!(read[10..15], data[..5]);
        assert!(
            read[15..15 + PIECE as usize + 10]
                .iter()
                .all(|&byte| byte == 0)
        );
        assert_eq!(
            read[25 + PIECE as usize..10 + data.len()],
            data[15 + PIECE as usize..]
        );
    }
}

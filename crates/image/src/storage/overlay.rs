//! A storage that is only read, under memory that takes what is written: recovery can be tried
//! without changing anything.

use super::Storage;
use super::memory::{Memory, parts, start_of};
use std::io;
use std::sync::Arc;

/// Memory over something that is only read.
#[derive(Debug)]
pub(crate) struct Overlay {
    below: Arc<dyn Storage>,
    above: Memory,
}

impl Overlay {
    /// Nothing is written yet.
    pub(crate) fn new(below: Arc<dyn Storage>) -> Overlay {
        Overlay {
            below,
            above: Memory::default(),
        }
    }

    fn write_part(&mut self, piece: u64, from: usize, part: &[u8]) -> io::Result<()> {
        let below = &self.below;
        let held = self
            .above
            .piece_mut(piece, |bytes| below.read_at(start_of(piece), bytes))?;
        held[from..from + part.len()].copy_from_slice(part);
        Ok(())
    }
}

impl Storage for Overlay {
    fn read_at(&self, at: u64, mut into: &mut [u8]) -> io::Result<()> {
        for (piece, from, bytes) in parts(at, into.len() as u64) {
            let (part, rest) = into.split_at_mut(bytes);
            match self.above.piece(piece) {
                Some(held) => part.copy_from_slice(&held[from..from + bytes]),
                None => self.below.read_at(start_of(piece) + from as u64, part)?,
            }
            into = rest;
        }
        Ok(())
    }

    fn write_at(&mut self, at: u64, mut bytes: &[u8]) -> io::Result<()> {
        for (piece, from, count) in parts(at, bytes.len() as u64) {
            let (part, rest) = bytes.split_at(count);
            self.write_part(piece, from, part)?;
            bytes = rest;
        }
        Ok(())
    }

    /// Does nothing: forgetting data takes memory, and nobody needs it.
    fn give_up(&mut self, _at: u64, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        let (below, above) = (self.below.next_data(at)?, self.above.next_data(at)?);
        Ok(below.into_iter().chain(above).min())
    }

    fn length(&self) -> io::Result<Option<u64>> {
        self.below.length()
    }

    fn machine(&self) -> Option<u64> {
        self.below.machine()
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_lies_below_stays() {
        let mut below = Memory::default();
        below.write_at(100, b"below").unwrap();
        let mut overlay = Overlay::new(Arc::new(below));
        overlay.write_at(102, b"XY").unwrap();
        let mut read = [0; 5];
        overlay.read_at(100, &mut read).unwrap();
        assert_eq!(&read, b"beXYw");
        overlay.below.read_at(100, &mut read).unwrap();
        assert_eq!(&read, b"below");
    }
}

//! Bytes of slots, by the place at which they lie. A copy shares them until one of the two writes.

use ftlab_cut::SectorMask;
use ftlab_nand::DataMove;
use std::sync::Arc;

/// Places that are copied together.
const CHUNK: usize = 256;

/// A slot that lies at a place.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) bytes: Arc<[u8]>,
    /// Sectors that could not be read when the others were written, and are lost.
    pub(crate) lost: SectorMask,
}

type Chunk = Vec<Option<Stored>>;

/// What lies at each place; nothing where nothing was written since the device has bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    chunks: Vec<Option<Arc<Chunk>>>,
}

impl Places {
    /// What lies at a place.
    pub(crate) fn get(&self, place: u32) -> Option<&Stored> {
        let chunk = self.chunks.get(place as usize / CHUNK)?.as_ref()?;
        chunk[place as usize % CHUNK].as_ref()
    }

    fn put(&mut self, place: u32, stored: Option<Stored>) {
        let at = place as usize / CHUNK;
        if at >= self.chunks.len() {
            self.chunks.resize(at + 1, None);
        }
        let chunk = match (&mut self.chunks[at], &stored) {
            (None, None) => return,
            (chunk, _) => chunk.get_or_insert_with(|| Arc::new(vec![None; CHUNK])),
        };
        Arc::make_mut(chunk)[place as usize % CHUNK] = stored;
    }

    /// Follows data that moved; `written` is the slot that the host wrote.
    pub(crate) fn follow(&mut self, moves: &[DataMove], written: Option<&Stored>) {
        for step in moves {
            match *step {
                DataMove::Write { to, .. } => self.put(to.0, written.cloned()),
                DataMove::Copy { from, to } => {
                    let moved = self.get(from.0).cloned();
                    self.put(to.0, moved);
                }
                DataMove::Erase { first, slots } => {
                    (first.0..first.0 + slots).for_each(|place| self.put(place, None));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::{Lpn, Ppa};

    fn stored(byte: u8) -> Stored {
        Stored {
            bytes: vec![byte; 512].into(),
            lost: 0,
        }
    }

    fn first(places: &Places, place: u32) -> Option<u8> {
        places.get(place).map(|stored| stored.bytes[0])
    }

    #[test]
    fn a_copy_has_what_there_was_and_nothing_of_what_comes() {
        let mut places = Places::default();
        let write = |to| DataMove::Write {
            lpn: Lpn(0),
            to: Ppa(to),
        };
        places.follow(&[write(3), write(700)], Some(&stored(1)));
        let copy = places.clone();
        let erase = DataMove::Erase {
            first: Ppa(0),
            slots: 512,
        };
        let moved = DataMove::Copy {
            from: Ppa(3),
            to: Ppa(600),
        };
        places.follow(&[moved, erase], None);
        assert_eq!(first(&places, 3), None);
        assert_eq!(first(&places, 600), Some(1));
        assert_eq!(first(&copy, 3), Some(1));
        assert_eq!(first(&copy, 600), None);
        assert_eq!(first(&copy, 700), Some(1));
        assert_eq!(first(&copy, 10_000), None);
    }
}

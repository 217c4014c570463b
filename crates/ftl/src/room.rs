//! Memory to save a large layer in.
//!
//! The system takes four times as long to give memory as a table takes to be copied into it. Whoever saves a drive
//! that others wait for makes the memory beforehand, in a thread of his own.

/// Memory for the tables of a layer that have an entry for each slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoomSize {
    /// Entries of four bytes.
    pub(crate) words: usize,
    /// Entries of one byte.
    pub(crate) bytes: usize,
}

impl RoomSize {
    /// Returns the size in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.words * size_of::<u32>() + self.bytes
    }

    /// Makes it: the system has given all of it when this returns.
    #[must_use]
    pub fn make(self) -> Room {
        // For zeros it would only promise memory.
        Room {
            words: vec![1; self.words],
            bytes: vec![1; self.bytes],
        }
    }
}

/// Memory for the tables of a layer. Without any, the system is asked for it.
#[derive(Debug, Default)]
pub struct Room {
    words: Vec<u32>,
    bytes: Vec<u8>,
}

impl Room {
    /// A table of words in it.
    pub(crate) fn words(&mut self, table: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.extend(table);
        words
    }

    /// A table of bytes in it.
    pub(crate) fn bytes(&mut self, table: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.extend_from_slice(table);
        bytes
    }
}

//! Sizes of requests, and values that reads, writes and trims have each of their own.

use ftlab_base::CommandKind;

/// A value for each kind of request that moves or drops data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PerKind<T> {
    /// The value for reads.
    pub read: T,
    /// The value for writes.
    pub write: T,
    /// The value for trims.
    pub trim: T,
}

impl<T> PerKind<T> {
    /// The value for a kind, as [`PerKind::of`] gives it.
    #[inline]
    pub const fn get(&self, kind: CommandKind) -> &T {
        match kind {
            CommandKind::Read => &self.read,
            CommandKind::Write | CommandKind::Flush => &self.write,
            CommandKind::Trim => &self.trim,
        }
    }
}

impl<T: Copy> PerKind<T> {
    /// Returns the same value for every kind.
    pub const fn all(value: T) -> Self {
        PerKind {
            read: value,
            write: value,
            trim: value,
        }
    }

    /// The value for a kind; flushes, which have none of their own, go with writes.
    #[inline]
    pub const fn of(&self, kind: CommandKind) -> T {
        match kind {
            CommandKind::Read => self.read,
            CommandKind::Write | CommandKind::Flush => self.write,
            CommandKind::Trim => self.trim,
        }
    }

    /// The value of each kind through `change`.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerKind<U> {
        PerKind {
            read: change(self.read),
            write: change(self.write),
            trim: change(self.trim),
        }
    }
}

/// One size of several that requests have (fio's `bssplit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// The size in bytes.
    pub bytes: u64,
    /// Percent of the requests that have it.
    pub percent: u8,
}

/// Sizes of requests, and their alignment.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSizes {
    /// Request sizes in bytes; the smallest where they differ.
    pub bs: PerKind<u64>,
    /// The largest of these sizes.
    pub bs_max: PerKind<u64>,
    /// Smallest and largest ones by `bsrange` or `bssplit`, whatever `bs` says.
    pub bsrange: PerKind<Option<(u64, u64)>>,
    /// The sizes and their shares by `bssplit`, rarest first; empty where all of a range are alike.
    pub bssplit: PerKind<Vec<Part>>,
    /// Sizes of a range need not be multiples of the smallest.
    pub bs_unaligned: bool,
    /// `bs` gives the sizes of sequential and of random requests, not of reads and writes.
    pub bs_is_seq_rand: bool,
    /// Alignment of random requests in bytes; the request size where none is given.
    pub blockalign: PerKind<Option<u64>>,
}

impl Default for BlockSizes {
    fn default() -> Self {
        BlockSizes {
            bs: PerKind::all(4096),
            bs_max: PerKind::all(4096),
            bsrange: PerKind::all(None),
            bssplit: PerKind::default(),
            bs_unaligned: false,
            bs_is_seq_rand: false,
            blockalign: PerKind::all(None),
        }
    }
}

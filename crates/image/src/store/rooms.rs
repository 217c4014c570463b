//! States of a store that are apart from its bytes: a storage that failed, a request that was cut off, and the slots
//! that a power cut has left.

use super::pending::Pending;
use std::collections::{BTreeSet, VecDeque};
use std::io;

/// A request that was cut off, to be made again instead of what is asked next.
#[derive(Debug)]
pub(crate) struct CutOff {
    /// Moves that are made.
    pub(crate) moved: u32,
    /// The slot it writes, if that may not be in its place.
    pub(crate) slot: Option<Vec<u8>>,
}

/// Requests that are not carried out, because the storage failed.
#[derive(Debug, Default)]
pub(super) struct UnfinishedRequests {
    pub(super) queue: VecDeque<Pending>,
    pub(super) failure: Option<io::Error>,
    /// Slots that are in the cells, of requests that wait to be carried out.
    pub(super) programmed: Vec<u32>,
}

/// Moves of a request that was cut off, which recovery makes again.
#[derive(Debug, Default)]
pub(super) struct Redo {
    pub(super) cut_off: Option<CutOff>,
    /// Moves that were made again.
    pub(super) redone: u64,
}

/// Slots as a power cut has left them, until they are handed on.
#[derive(Debug, Default)]
pub(super) struct CutRestore {
    /// True if the waiting slots are of that kind.
    pub(super) restores: bool,
    /// Slots that are to be given up.
    pub(super) emptied: BTreeSet<u32>,
}

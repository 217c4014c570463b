//! The array in a saved state.

use super::{Array, NandCounters};
use ftlab_base::{StreamHash, deltas};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most any counter can have reached: far beyond what a machine can count to, and far from
/// where adding to it would overflow.
const COUNT_MAX: u64 = 1 << 62;

/// What in a saved state does not fit the drive, or contradicts something else in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError(pub String);

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StateError {}

impl StateError {
    /// Nothing when `holds`, else an error that says `what`.
    ///
    /// # Errors
    /// When it does not hold.
    pub fn unless(holds: bool, what: impl FnOnce() -> String) -> Result<(), StateError> {
        if holds {
            Ok(())
        } else {
            Err(StateError(what()))
        }
    }

    /// That a table has as many entries as the drive needs.
    ///
    /// # Errors
    /// When it has not.
    pub fn length(of: &str, have: usize, want: usize) -> Result<(), StateError> {
        Self::unless(have == want, || {
            format!("{of} has {have} entries; the drive needs {want}")
        })
    }

    /// That a counter can still be counted up.
    ///
    /// # Errors
    /// When it cannot.
    pub fn count(of: &str, count: u64) -> Result<(), StateError> {
        Self::unless(count <= COUNT_MAX, || {
            format!("{of} is {count}, which nothing can count up to")
        })
    }
}

/// Everything that changes in an [`Array`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayState {
    #[serde(with = "deltas")]
    programmed: Vec<u32>,
    #[serde(with = "deltas")]
    erases: Vec<u32>,
    /// Bad blocks, by number.
    bad: Vec<u32>,
    counters: NandCounters,
    stream: StreamHash,
}

impl ArrayState {
    /// Whether a block is out of use.
    #[must_use]
    pub fn has_bad_blocks(&self) -> bool {
        !self.bad.is_empty()
    }
}

impl Array {
    /// Everything that changes, for [`Array::restore`].
    #[must_use]
    pub fn state(&self) -> ArrayState {
        let bad = (0..).zip(&self.bad).filter(|(_, bad)| **bad);
        ArrayState {
            programmed: self.programmed.clone(),
            erases: self.erases.clone(),
            bad: bad.map(|(block, _)| block).collect(),
            counters: self.counters,
            stream: self.stream,
        }
    }

    /// Takes over the state of another array of this shape.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn restore(&mut self, state: ArrayState) -> Result<(), StateError> {
        let blocks = self.geometry.blocks() as usize;
        StateError::length(
            "the table of programmed pages",
            state.programmed.len(),
            blocks,
        )?;
        StateError::length("the table of erases", state.erases.len(), blocks)?;
        let pages = self.geometry.pages_per_block;
        for (block, &programmed) in state.programmed.iter().enumerate() {
            StateError::unless(programmed <= pages, || {
                format!("block {block} has {programmed} of {pages} pages programmed")
            })?;
        }
        let mut bad = vec![false; blocks];
        for block in state.bad {
            let place = bad.get_mut(block as usize);
            let known = place.map(|bad| *bad = true).is_some();
            StateError::unless(known && state.programmed[block as usize] == pages, || {
                format!("block {block} is bad, and does not exist or can be programmed")
            })?;
        }
        let NandCounters {
            reads,
            programs,
            erases,
        } = state.counters;
        for count in reads.into_iter().chain(programs).chain(erases) {
            StateError::count("a counter of operations", count)?;
        }
        for &erases in &state.erases {
            StateError::unless(erases <= u32::MAX / 2, || {
                format!("a block was erased {erases} times, which nothing can have done")
            })?;
        }
        self.programmed = state.programmed;
        self.erases = state.erases;
        self.bad = bad;
        self.counters = state.counters;
        self.stream = state.stream;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, OpBatch, Order};
    use ftlab_base::{BlockId, DieId, Geometry, PagePlace};

    fn array() -> Array {
        Array::new(Geometry {
            channels: 1,
            dies_per_channel: 1,
            planes_per_die: 1,
            blocks_per_die: 4,
            pages_per_block: 4,
            page_bytes: 4096,
            slot_bytes: 4096,
        })
    }

    fn used() -> Array {
        let (mut array, mut batch) = (array(), OpBatch::default());
        for page in 0..3 {
            let place = PagePlace {
                die: DieId(0),
                block: BlockId(2),
                page,
            };
            array.program(place, 1, Cause::Host, Order::FREE, &mut batch);
        }
        let first = (DieId(0), BlockId(1));
        array.erase(first, 1, Cause::Gc, Order::FREE, &mut batch);
        array.mark_bad(BlockId(3));
        array
    }

    #[test]
    fn an_array_comes_back_as_it_was() {
        let mut restored = array();
        restored.restore(used().state()).unwrap();
        assert_eq!(format!("{restored:?}"), format!("{:?}", used()));
    }

    #[test]
    fn what_no_array_can_be_is_refused() {
        let refused = |change: fn(&mut ArrayState)| {
            let mut state = used().state();
            change(&mut state);
            array().restore(state).unwrap_err().0
        };
        let of = |text: &str, part: &str| assert!(text.contains(part), "{text}");
        of(&refused(|s| s.erases.truncate(3)), "has 3 entries");
        of(&refused(|s| s.programmed.push(0)), "has 5 entries");
        of(&refused(|s| s.programmed[0] = 5), "5 of 4 pages");
        of(&refused(|s| s.bad.push(4)), "block 4 is bad");
        of(&refused(|s| s.bad.push(0)), "block 0 is bad");
        of(&refused(|s| s.erases[0] = u32::MAX), "was erased");
        of(&refused(|s| s.counters.reads[2] = u64::MAX), "counter");
    }
}

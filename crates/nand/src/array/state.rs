//! The array in a saved state.

use super::faults::{FaultCounters, Faults};
use super::injected::Injected;
use super::{Array, NandCounters, SLC, WATCHED};
use crate::Reliability;
use crate::StateError;
use ftlab_base::{BlockId, Geometry, StreamHash, deltas};
use serde::{Deserialize, Serialize};

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
    faults: Option<FaultsState>,
}

/// The part of the state of an array whose blocks can fail that changes. Lives of blocks follow from their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FaultsState {
    /// Number of the physical block at each address.
    homes: Vec<u32>,
    reads: Vec<u32>,
    born_s: Vec<u64>,
    age_s: u64,
    counters: FaultCounters,
    injected: Injected,
}

impl Array {
    /// Everything that changes, for [`Array::restore`].
    #[must_use]
    pub fn state(&self) -> ArrayState {
        let bad = (0..).zip(&self.bad).filter(|(_, bad)| **bad);
        ArrayState {
            programmed: self.programmed.iter().map(|n| n & !WATCHED).collect(),
            erases: self.erases.clone(),
            bad: bad.map(|(block, _)| block).collect(),
            counters: self.counters,
            stream: self.stream,
            faults: self.faults.as_ref().map(|faults| FaultsState {
                homes: faults.cells.iter().map(|cell| cell.home).collect(),
                reads: faults.cells.iter().map(|cell| cell.reads).collect(),
                born_s: faults.cells.iter().map(|cell| cell.born_s).collect(),
                age_s: faults.age_s,
                counters: faults.counters,
                injected: faults.injected.clone(),
            }),
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
            let pages = if programmed & SLC == 0 {
                pages
            } else {
                self.slc_pages
            };
            let programmed = programmed & !SLC;
            StateError::unless(programmed <= pages, || {
                format!("block {block} has {programmed} of {pages} pages programmed")
            })?;
        }
        let mut bad = vec![false; blocks];
        for block in state.bad {
            let place = bad.get_mut(block as usize);
            let known = place.is_some_and(|bad| !std::mem::replace(bad, true));
            StateError::unless(known, || {
                format!("block {block} is bad, and does not exist or is so twice")
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
        match (&mut self.faults, state.faults) {
            (None, None) => {}
            (Some(own), Some(saved)) => own.restore(saved, &self.geometry)?,
            // Something went wrong by command in an array in which nothing does by itself.
            (own @ None, Some(saved)) => {
                let new = Faults::new(Reliability::NOTHING, &self.geometry);
                let faults = own.insert(Box::new(new));
                faults.restore(saved, &self.geometry)?;
            }
            (Some(_), None) => {
                return Err(StateError("what can fail here cannot fail there".into()));
            }
        }
        self.watch();
        Ok(())
    }

    /// Marks what must be looked at before it is programmed: it follows from the rest.
    fn watch(&mut self) {
        for block in (0..self.programmed.len() as u32).map(BlockId) {
            let cycles = self.erases[block.index()];
            let worn_out = self
                .faults
                .as_ref()
                .is_some_and(|f| f.is_worn_out(block, cycles));
            if worn_out || self.bad[block.index()] {
                self.programmed[block.index()] |= WATCHED;
            }
        }
    }
}

impl Faults {
    fn restore(&mut self, state: FaultsState, geometry: &Geometry) -> Result<(), StateError> {
        // The file may be damaged: what it says of blocks is checked before it is used, each address and each number
        // once.
        let blocks = self.cells.len();
        StateError::length("the table of bad blocks", state.homes.len(), blocks)?;
        StateError::length("the table of reads", state.reads.len(), blocks)?;
        StateError::length("the table of ages", state.born_s.len(), blocks)?;
        let (planes, per_die) = (geometry.planes_per_die, geometry.blocks_per_die);
        let plane = |block: u32| (block / per_die, block % per_die % planes);
        let mut seen = vec![false; blocks];
        for (address, &home) in state.homes.iter().enumerate() {
            let seen = seen.get_mut(home as usize);
            let first = seen.is_some_and(|seen| !std::mem::replace(seen, true));
            StateError::unless(first && plane(home) == plane(address as u32), || {
                format!("block {home} stands at address {address}, of another plane or twice")
            })?;
            self.house(address, home);
            let born_s = state.born_s[address];
            StateError::unless(born_s <= state.age_s, || {
                format!("block {home} was erased in the future")
            })?;
            self.cells[address].reads = state.reads[address];
            self.cells[address].born_s = born_s;
        }
        let FaultCounters {
            retries,
            unreadable,
            made_good,
            ..
        } = state.counters;
        for count in [retries, unreadable, made_good, state.age_s] {
            StateError::count("a counter of failures", count)?;
        }
        state.injected.check(geometry)?;
        self.age_s = state.age_s;
        self.counters = state.counters;
        self.injected = state.injected;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, OpBatch, Order};
    use ftlab_base::{BlockId, DieId, PagePlace};

    fn array() -> Array {
        Array::new(Geometry {
            channels: 1,
            dies: 1,
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
            let _ = array.program(place, 1, Cause::Host, Order::FREE, &mut batch);
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
        of(&refused(|s| s.bad.push(3)), "is so twice");
        of(&refused(|s| s.erases[0] = u32::MAX), "was erased");
        of(&refused(|s| s.counters.reads[2] = u64::MAX), "counter");
    }
}

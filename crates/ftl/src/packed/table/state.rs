//! The mapping table in a saved state.
//!
//! Saved is where every slot's data lie and which data slots share. How many slots share them, what is
//! valid and the logs of the superblocks follow. A log made anew knows of valid data only; what lies
//! between them is garbage that belongs to nobody, as collection would find out of the old one.

use super::{CHUNKS_PER_SLOT_MAX, Owner, SHARED, Shared, Stored, Table, UNMAPPED};
use crate::Room;
use ftlab_base::{Identity, Lpn, SuperblockId, deltas};
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Everything that changes in a [`Table`] and cannot be worked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::packed) struct TableState {
    /// First chunk, or number of the shared data, by logical slot.
    #[serde(with = "deltas")]
    place: Vec<u32>,
    chunks: Vec<u8>,
    /// By number; none where a number is free.
    shared: Vec<Option<SharedState>>,
    /// Free numbers, the next one last.
    free_shared: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct SharedState {
    at: u32,
    chunks: u8,
    identity: Identity,
}

impl Table {
    pub fn state(&self, mut room: Room) -> TableState {
        let places = self.place.iter().zip(self.chunks.iter());
        let shared = |entry: &Shared| {
            (entry.slots > 0).then_some(SharedState {
                at: entry.stored.at,
                chunks: entry.stored.chunks as u8,
                identity: entry.identity,
            })
        };
        TableState {
            place: room
                .words(places.map(|(&place, &chunks)| if chunks == UNMAPPED { 0 } else { place })),
            chunks: room.bytes(&self.chunks),
            shared: self.shared.iter().map(shared).collect(),
            free_shared: self.free_shared.clone(),
        }
    }

    /// Takes over a state; `self` is as built. Slots take a number of chunks in `sizes`, and
    /// superblocks are filled as far as `filled` says.
    pub fn restore(
        &mut self,
        state: TableState,
        sizes: &RangeInclusive<u32>,
        filled: &[u32],
    ) -> Result<(), StateError> {
        debug_assert!(*sizes.end() <= CHUNKS_PER_SLOT_MAX);
        let slots = self.place.len();
        StateError::length("the map", state.place.len(), slots)?;
        StateError::length("the table of lengths", state.chunks.len(), slots)?;
        self.restore_shared(&state.shared, state.free_shared)?;
        self.place.copy_from_slice(&state.place);
        self.chunks.copy_from_slice(&state.chunks);
        for (n, &chunks) in (0..).zip(&state.chunks) {
            let place = state.place[n as usize];
            match chunks {
                UNMAPPED => {}
                SHARED => {
                    let entry = self.shared.get_mut(place as usize);
                    let is_used = state
                        .shared
                        .get(place as usize)
                        .is_some_and(Option::is_some);
                    let Some(entry) = entry.filter(|_| is_used) else {
                        let lpn = Lpn(n);
                        return Err(StateError(format!(
                            "{lpn} has shared data {place}, which nobody stored"
                        )));
                    };
                    entry.slots += 1;
                }
                _ => self.enter_in_log(Owner::slot(Lpn(n)), sizes, filled)?,
            }
        }
        // Every slot has been counted by now, so shared data that none has show up.
        for n in (0..self.shared.len() as u32).filter(|&n| state.shared[n as usize].is_some()) {
            StateError::unless(self.shared[n as usize].slots > 0, || {
                format!("shared data {n} are kept for no slot")
            })?;
            self.enter_in_log(Owner::shared(n), sizes, filled)?;
        }
        for (s, &filled) in (0..).map(SuperblockId).zip(filled) {
            self.make_log(s, filled)?;
        }
        Ok(())
    }

    fn restore_shared(
        &mut self,
        shared: &[Option<SharedState>],
        free: Vec<u32>,
    ) -> Result<(), StateError> {
        let slots = self.place.len();
        StateError::unless(shared.len() <= slots, || {
            format!("{} data are shared by {slots} slots", shared.len())
        })?;
        for (n, entry) in (0..).zip(shared) {
            let Some(SharedState {
                at,
                chunks,
                identity,
            }) = *entry
            else {
                // A free number keeps its place in the list, so the numbers after it stay as they are.
                self.shared.push(Shared {
                    stored: Stored { at: 0, chunks: 0 },
                    slots: 0,
                    identity: Identity::of(0),
                });
                continue;
            };
            let chunks = u32::from(chunks);
            self.shared.push(Shared {
                stored: Stored { at, chunks },
                slots: 0,
                identity,
            });
            let known = self.by_identity.insert(identity, n);
            StateError::unless(known.is_none(), || {
                format!("shared data {n} are stored a second time")
            })?;
        }
        let mut is_free = vec![false; shared.len()];
        for &n in &free {
            let place = is_free.get_mut(n as usize);
            let is_new = place.is_some_and(|free| !std::mem::replace(free, true));
            StateError::unless(is_new && shared[n as usize].is_none(), || {
                format!("number {n} is not free for data that slots share")
            })?;
        }
        let unused = shared.iter().filter(|entry| entry.is_none()).count();
        StateError::length("the list of free numbers", free.len(), unused)?;
        self.free_shared = free;
        Ok(())
    }

    /// Place of the data of an owner, who has some.
    fn stored(&self, owner: Owner) -> Stored {
        match owner.shared_number() {
            Some(n) => self.shared[n as usize].stored,
            None => Stored {
                at: self.place[owner.0 as usize],
                chunks: u32::from(self.chunks[owner.0 as usize]),
            },
        }
    }

    /// Notes an owner with the superblock of its data, in any order.
    fn enter_in_log(
        &mut self,
        owner: Owner,
        sizes: &RangeInclusive<u32>,
        filled: &[u32],
    ) -> Result<(), StateError> {
        let Stored { at, chunks } = self.stored(owner);
        let (superblock, n) = self.by_superblock.divide(at);
        let filled = filled.get(superblock as usize);
        let fits = filled.is_some_and(|&filled| n + chunks <= filled) && sizes.contains(&chunks);
        StateError::unless(fits, || {
            format!("{owner} has {chunks} chunks from {at} on, where nothing like that can lie")
        })?;
        self.logs[superblock as usize].owners.push(owner);
        Ok(())
    }

    /// Makes the log of a superblock out of the owners that were noted there.
    fn make_log(&mut self, superblock: SuperblockId, filled: u32) -> Result<(), StateError> {
        let mut owners = std::mem::take(&mut self.logs[superblock.index()].owners);
        owners.sort_unstable_by_key(|&owner| self.stored(owner).at);
        let first = superblock.0 * self.by_superblock.get();
        for owner in owners {
            let stored = self.stored(owner);
            let end = first + self.filled(superblock);
            StateError::unless(stored.at >= end, || {
                format!("{owner} lies where other data lie, at chunk {}", stored.at)
            })?;
            self.fill_up(superblock, stored.at - end);
            self.log(stored, owner);
        }
        self.fill_up(superblock, filled - self.filled(superblock));
        Ok(())
    }
}

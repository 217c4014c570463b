//! A mapping table on flash, in a saved state.

use super::Memory;
use super::store::{Collected, Held, NONE};
use crate::clock::ClockState;
use crate::page::PageLayer;
use ftlab_base::{SuperblockId, deltas};
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Everything that changes in a mapping table on flash. Where each translation page lies follows
/// from what the superblocks hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranslationState {
    memory: MemoryState,
    at_hand: u32,
    held: Vec<HeldState>,
    pub(in crate::page) free: Vec<SuperblockId>,
    victim: Option<VictimState>,
}

/// The part of the table that is in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum MemoryState {
    /// Entries, by logical slot.
    Entries(ClockState),
    /// Translation pages as lists of runs, which follow from the map.
    Runs(ClockState),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HeldState {
    superblock: SuperblockId,
    /// The translation page in each page programmed.
    #[serde(with = "deltas")]
    owners: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct VictimState {
    superblock: SuperblockId,
    looked_at: u32,
    valid: u32,
    credit: u64,
}

impl TranslationState {
    /// The superblocks that hold translation pages, each with the pages programmed there.
    pub(in crate::page) fn held(&self) -> impl Iterator<Item = (SuperblockId, u32)> + '_ {
        let pages = |held: &HeldState| held.owners.len() as u32;
        self.held
            .iter()
            .map(move |held| (held.superblock, pages(held)))
    }
}

impl<const FLAT: bool> PageLayer<FLAT> {
    /// The mapping table on flash, if that is where it is.
    pub(in crate::page) fn translation_state(&self) -> Option<TranslationState> {
        let translation = self.translation.as_ref()?;
        let store = &translation.store;
        let held = store.held.iter().map(|(&superblock, held)| HeldState {
            superblock,
            owners: held.owners.clone(),
        });
        Some(TranslationState {
            memory: match &translation.memory {
                Memory::Entries(cache) => MemoryState::Entries(cache.state()),
                Memory::Runs(runs) => MemoryState::Runs(runs.state()),
            },
            at_hand: translation.at_hand,
            held: held.collect(),
            free: store.free.iter().copied().collect(),
            victim: store.victim.map(|victim| VictimState {
                superblock: victim.superblock,
                looked_at: victim.cursor,
                valid: victim.valid,
                credit: victim.credit,
            }),
        })
    }

    /// Takes over a mapping table on flash, after the map itself.
    pub(in crate::page) fn restore_translation(
        &mut self,
        saved: Option<&TranslationState>,
    ) -> Result<(), StateError> {
        let runs = self.config.translation.filter(|config| config.runs);
        let runs = runs.map(|config| self.count_runs(config));
        let (translation, saved) = match (&mut self.translation, saved) {
            (None, None) => return Ok(()),
            (Some(translation), Some(saved)) => (translation, saved),
            (own, _) => {
                let own = if own.is_some() { "only a part" } else { "all" };
                return Err(StateError(format!(
                    "this drive has {own} of its mapping table in memory, unlike the one saved"
                )));
            }
        };
        match (&mut translation.memory, &saved.memory, runs) {
            (Memory::Entries(cache), MemoryState::Entries(saved), None) => {
                cache.take_over(saved)?;
            }
            (Memory::Runs(held), MemoryState::Runs(saved), Some(runs)) => {
                held.take_over(saved, runs)?;
            }
            _ => {
                return Err(StateError(
                    "one mapping table has an entry for each slot, the other one for each run of slots".into(),
                ));
            }
        }
        let pages = translation.store.places.len() as u32;
        StateError::unless(saved.at_hand == NONE || saved.at_hand < pages, || {
            format!("translation page {} of {pages} is at hand", saved.at_hand)
        })?;
        translation.at_hand = saved.at_hand;
        let store = &mut translation.store;
        store.free = saved.free.iter().copied().collect();
        for held in &saved.held {
            let mut valid = 0;
            for (n, &owner) in (0..).zip(&held.owners) {
                if owner != NONE {
                    let place = store.places.get_mut(owner as usize);
                    StateError::unless(place.as_ref().is_some_and(|p| p.1 == NONE), || {
                        format!("translation page {owner} lies in two places, or does not exist")
                    })?;
                    place.into_iter().for_each(|p| *p = (held.superblock, n));
                    valid += 1;
                }
            }
            if (held.owners.len() as u32) < store.pages_per_superblock {
                StateError::unless(store.open.is_none(), || {
                    format!(
                        "{} is the second to take translation pages",
                        held.superblock
                    )
                })?;
                store.open = Some(held.superblock);
            }
            let owners = held.owners.clone();
            store.held.insert(held.superblock, Held { owners, valid });
        }
        store.victim = saved.victim.map(|victim| Collected {
            superblock: victim.superblock,
            cursor: victim.looked_at,
            valid: victim.valid,
            gain: store.pages_per_superblock.saturating_sub(victim.valid),
            credit: victim.credit,
        });
        self.check_translation().map_err(StateError)
    }
}

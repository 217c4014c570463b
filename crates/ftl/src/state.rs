//! A translation layer in a saved state.

use crate::block::BlockState;
use crate::packed::PackedState;
use crate::page::PageState;
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Everything that changes in a translation layer, by scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayerState {
    /// Page mapping.
    Page(PageState),
    /// Block mapping.
    Block(BlockState),
    /// Packed mapping.
    Packed(PackedState),
}

impl LayerState {
    /// Whether program units are begun and not full. Their fences are those of the batch they were
    /// issued with; without time all are one, so only then such a state can be taken over.
    #[must_use]
    pub fn has_open_units(&self) -> bool {
        match self {
            LayerState::Page(page) => page.has_open_units(),
            LayerState::Block(_) => false,
            LayerState::Packed(packed) => packed.has_open_units(),
        }
    }

    /// That the state is not one of a layer of `scheme`.
    pub(crate) fn of_another_scheme(&self, scheme: &str) -> StateError {
        let own = match self {
            LayerState::Page(_) => "page",
            LayerState::Block(_) => "block",
            LayerState::Packed(_) => "packed",
        };
        StateError(format!(
            "it is of a {own}-mapped drive, and the drive is {scheme}-mapped"
        ))
    }
}

#[cfg(test)]
mod tests;

//! A translation layer in a saved state.

use crate::block::BlockState;
use crate::packed::PackedState;
use crate::page::PageState;
use ftlab_base::Layout;
use ftlab_base::rng::Stream;
use ftlab_nand::StateError;
use serde::{Deserialize, Serialize};

/// Everything that changes in a translation layer, by scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayerState {
    /// State of a page-mapped layer.
    Page(PageState),
    /// State of a block-mapped layer.
    Block(BlockState),
    /// State of a packed layer.
    Packed(PackedState),
}

impl LayerState {
    /// Returns true if program units are begun and not full. Their fences are those of the batch they were issued with;
    /// without time all are one, so only then such a state can be taken over.
    #[must_use]
    pub fn has_open_units(&self) -> bool {
        match self {
            LayerState::Page(page) => page.has_open_units(),
            LayerState::Block(_) => false,
            LayerState::Packed(packed) => packed.has_open_units(),
        }
    }

    /// Checks that the state is not one of a layer of `scheme`.
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

/// Checks that superblocks can have been closed in this order and `in_vain` of them collected for nothing. A layer
/// adds these numbers up over the `units` of a superblock, so the sums must not overflow.
pub(crate) fn check_closings(
    closed_at: &[u64],
    closed: u64,
    in_vain: u32,
    layout: &Layout,
    units: u32,
) -> Result<(), StateError> {
    let superblocks = layout.superblocks() as usize;
    StateError::length("the order of closing", closed_at.len(), superblocks)?;
    StateError::unless(closed <= u64::MAX / 4 / u64::from(units), || {
        format!("{closed} superblocks closed; nothing can have done")
    })?;
    for &closed_at in closed_at {
        StateError::unless(closed_at <= closed, || {
            format!("a superblock was closed as number {closed_at} of {closed}")
        })?;
    }
    StateError::unless(in_vain <= u32::MAX / 2, || {
        format!("{in_vain} superblocks were collected in vain")
    })
}

/// Takes over what a victim policy draws from.
pub(crate) fn restore_stream(
    own: Option<&mut Stream>,
    saved: Option<&Stream>,
) -> Result<(), StateError> {
    match (own, saved) {
        (Some(own), Some(saved)) => *own = saved.clone(),
        (None, None) => {}
        _ => return Err(StateError("another victim policy was at work".into())),
    }
    Ok(())
}

#[cfg(test)]
mod tests;

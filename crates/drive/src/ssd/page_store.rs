//! Store of the data behind a drive's translation layer: stamps in tests, bytes in an image.
//!
//! The layer says how data move; a store follows. Nothing here is needed to simulate a drive, so a
//! drive without a store pays for one test a request.

use super::LayerInput;
use ftlab_base::{CommandId, Content, Lpn};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;
use std::any::Any;

/// A part of one slot that a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenPart {
    /// Number of the command.
    pub id: CommandId,
    /// Begin of the part in the command's data, in sectors.
    pub offset: u32,
    /// Number of the slot.
    pub lpn: Lpn,
    /// The first sector of the slot.
    pub first: u32,
    /// Number of sectors of the part.
    pub sectors: u32,
    /// True if it waits in the buffer, and the host may have its answer.
    pub waits: bool,
}

/// The medium under a store could not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreFailed;

/// Carries the data of a drive.
pub trait PageStore: Any + std::fmt::Debug + Send {
    /// A part of a write is in the buffer, or is about to be handed to the layer.
    fn admit(&mut self, _part: WrittenPart) {}

    /// A command has failed: what is left of its data is not asked for.
    fn give_up(&mut self, _id: CommandId) {}

    /// A slot that was admitted is not written after all.
    fn withdraw(&mut self, _lpn: Lpn) {}

    /// A slot is about to be handed to the layer: gives what the layer is to know of it, which is what
    /// the command says unless the store knows better. It is whole for the layer, too, if the rest of it
    /// cannot be read: nothing of that is kept.
    ///
    /// # Errors
    /// When what lies under the store fails; the layer is not asked then.
    fn prepare(
        &mut self,
        _lpn: Lpn,
        extent: Extent,
        stated: Content,
        _layer: &dyn TranslationLayer,
    ) -> Result<(Extent, Content), StoreFailed> {
        Ok((extent, stated))
    }

    /// Slots are about to be given up.
    fn prepare_trim(&mut self, _first: Lpn, _slots: u32, _layer: &dyn TranslationLayer) {}

    /// The layer was asked something, took it or not, and moved data.
    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        layer: &dyn TranslationLayer,
        moves: &[DataMove],
    );

    /// All programs of a slot that were under way are done, so what was handed to the layer of it is in the cells.
    fn programmed(&mut self, _lpn: Lpn) {}

    /// Returns true if something that the layer did is not carried out yet, because what lies under the store failed.
    /// The drive takes no writes until then.
    fn has_failed(&self) -> bool {
        false
    }

    /// Tries again what failed; returns true if all of it is done.
    fn try_again(&mut self) -> bool {
        true
    }

    /// Makes a store for a copy of the drive, if there can be two.
    fn copy(&self) -> Option<Box<dyn PageStore>>;
}

//! What carries the data behind a drive's translation layer: stamps in tests, bytes in an image.
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
    /// The command.
    pub id: CommandId,
    /// Where the part begins in the command's data, in sectors.
    pub offset: u32,
    /// The slot.
    pub lpn: Lpn,
    /// The first sector of the slot.
    pub first: u32,
    /// Sectors.
    pub sectors: u32,
    /// Whether it waits in the buffer, and the host may be told that it is written.
    pub waits: bool,
}

/// What lies under a store could not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreFailed;

/// Carries the data of a drive.
pub trait PageStore: Any + std::fmt::Debug + Send {
    /// A part of a write is in the buffer, or is about to be handed to the layer.
    fn admit(&mut self, _part: WrittenPart) {}

    /// What was admitted of a slot is not written after all.
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

    /// Whether something that the layer did is not carried out yet, because what lies under the
    /// store failed. The drive takes no writes until then.
    fn has_failed(&self) -> bool {
        false
    }

    /// Tries again what failed; whether all of it is done.
    fn try_again(&mut self) -> bool {
        true
    }

    /// The same for a copy of the drive, if there can be two.
    fn copy(&self) -> Option<Box<dyn PageStore>>;
}

//! Account of a volatile write buffer, and of blocks without bytes, while recovery asks a layer the same again.

use crate::blank::Blank;
use ftlab_base::{Content, Lpn};
use ftlab_cut::{Account, Volatile};
use ftlab_drive::ssd::{LayerInput, PageStore, StoreFailed};
use ftlab_ftl::{Extent, TranslationLayer};
use ftlab_nand::DataMove;

/// Follows what a layer is asked again, with what each slot that is written held before.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    pub(crate) account: Account,
    /// True if the drive's buffer is volatile.
    tracks: bool,
    pub(crate) blank: Blank,
}

impl Tracker {
    pub(crate) fn of(volatile: Volatile, tracks: bool, blank: Blank) -> Tracker {
        Tracker {
            account: Account::of(volatile, usize::MAX),
            tracks,
            blank,
        }
    }
}

impl PageStore for Tracker {
    fn prepare(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        stated: Content,
        layer: &dyn TranslationLayer,
    ) -> Result<(Extent, Content), StoreFailed> {
        self.account.prepare(layer, lpn, 1);
        Ok((extent, stated))
    }

    fn prepare_trim(&mut self, first: Lpn, slots: u32, layer: &dyn TranslationLayer) {
        if self.tracks {
            self.account.prepare(layer, first, slots);
        }
    }

    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        _: &dyn TranslationLayer,
        moves: &[DataMove],
    ) {
        if self.tracks {
            self.account.follow(input, taken, moves);
        }
        moves.iter().for_each(|step| self.blank.follow(step));
    }

    /// It lives no longer than a recovery.
    fn copy(&self) -> Option<Box<dyn PageStore>> {
        None
    }
}

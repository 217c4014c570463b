//! The stamp store: instead of data, every physical slot carries whose data it holds and which
//! version, so that a read can be checked end to end at little cost.

use super::LayerInput;
use super::page_store::PageStore;
use ftlab_base::{Content, Identity, Lpn, Ppa};
use ftlab_ftl::TranslationLayer;
use ftlab_nand::DataMove;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// Those of a slot, in a version.
    Of(Lpn, u32),
    /// Those of an identity, whichever slot they were written to.
    Known(Identity),
}

/// Stamps of all physical slots, and the newest one of every logical slot.
#[derive(Debug, Clone)]
pub(super) struct Stamps {
    stored: Vec<Option<Stamp>>,
    /// The newest handed to the translation layer; none when never written, or trimmed.
    newest: Vec<Option<Stamp>>,
    versions: u32,
}

impl Stamps {
    pub(super) fn new(physical_slots: u32, logical_slots: u32) -> Stamps {
        Stamps {
            stored: vec![None; physical_slots as usize],
            newest: vec![None; logical_slots as usize],
            versions: 0,
        }
    }

    /// The host writes a slot: what the layer does next stores a new version.
    fn written(&mut self, lpn: Lpn, content: Content) {
        self.versions += 1;
        let own = Stamp::Of(lpn, self.versions);
        self.newest[lpn.index()] = Some(content.identity().map_or(own, Stamp::Known));
    }

    /// The host no longer needs `slots` slots from `first` on.
    fn trimmed(&mut self, first: Lpn, slots: u32) {
        self.newest[first.index()..first.index() + slots as usize].fill(None);
    }

    /// Follows the moves of one request.
    fn carry(&mut self, moves: &[DataMove]) {
        for step in moves {
            match *step {
                DataMove::Write { lpn, to } => {
                    self.put(to, self.newest[lpn.index()]);
                }
                DataMove::Copy { from, to } => self.put(to, self.stored[from.index()]),
                DataMove::Erase { first, slots } => {
                    self.stored[first.index()..first.index() + slots as usize].fill(None);
                }
            }
        }
    }

    /// Checks that the slot the layer would read holds the newest version of `lpn`, and that there
    /// is one if and only if something was written.
    ///
    /// # Panics
    /// When not: data were lost or mixed up.
    fn check(&self, lpn: Lpn, at: Option<Ppa>) {
        let want = self.newest[lpn.index()];
        assert_eq!(at.is_some(), want.is_some(), "{lpn} is mapped or not");
        let Some(at) = at else { return };
        assert_eq!(
            self.stored[at.index()],
            want,
            "stale or foreign data at {at} for {lpn}"
        );
    }

    fn put(&mut self, to: Ppa, stamp: Option<Stamp>) {
        let place = &mut self.stored[to.index()];
        assert!(place.is_none(), "{to} is written twice without an erase");
        *place = stamp;
    }
}

impl PageStore for Stamps {
    fn follow(
        &mut self,
        input: LayerInput,
        taken: bool,
        layer: &dyn TranslationLayer,
        moves: &[DataMove],
    ) {
        match input {
            LayerInput::Write(write) if taken => self.written(write.lpn, write.content),
            LayerInput::Trim(first, slots) => self.trimmed(first, slots),
            LayerInput::SecureErase => self.trimmed(Lpn(0), layer.slots()),
            LayerInput::Read(first, slots) => {
                for lpn in (first.0..first.0 + slots).map(Lpn) {
                    self.check(lpn, layer.lookup(lpn));
                }
            }
            LayerInput::ReadPart(lpn, ..) => self.check(lpn, layer.lookup(lpn)),
            LayerInput::Write(..)
            | LayerInput::LookUp(..)
            | LayerInput::Flush
            | LayerInput::WorkAhead
            | LayerInput::Turn
            | LayerInput::Fault(_) => {}
        }
        self.carry(moves);
    }

    fn copy(&self) -> Option<Box<dyn PageStore>> {
        Some(Box::new(self.clone()))
    }
}

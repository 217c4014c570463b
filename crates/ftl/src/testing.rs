//! Helpers of the tests of translation layers: a check of fences, an oracle of data, and a scheduler that does
//! everything at the worst moment.

use crate::page::{Greedy, Pace, PageConfig, Separation, WearLevelling};
use crate::{Extent, Refusal, TranslationLayer};
use ftlab_base::rng::Stream;
use ftlab_base::{Content, Identity, Lpn, Placement, Ppa};
use ftlab_nand::{Cause, DataMove, Fence, NandOp, OpBatch, OpKind};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};

/// A page-mapped layer of N slots, without anything that can be left out.
pub(crate) fn page_config(user_slots: u32) -> PageConfig {
    PageConfig {
        user_slots,
        reserve_superblocks: 2,
        ahead_superblocks: 0,
        pace: Pace::InStep,
        one_log: false,
        slc: None,
        policy: Box::new(Greedy),
        checkpoint: None,
        translation: None,
        streams: Separation::None,
        wear: WearLevelling::default(),
        reliability: None,
    }
}

/// Writes of which nothing is said.
pub(crate) trait WriteWhole: TranslationLayer {
    /// Writes a whole slot.
    fn write_whole(&mut self, lpn: Lpn, batch: &mut OpBatch) -> Result<Fence, Refusal> {
        let (content, placement) = (Content::RANDOM, Placement::DEFAULT);
        self.write(lpn, Extent::Whole, content, placement, batch)
    }
}

impl<L: TranslationLayer + ?Sized> WriteWhole for L {}

/// Checks the rule of fences over a run: what waits for a fence is issued after everything that
/// signals it and in one batch, and nobody signals in vain. The run must not recycle fences.
#[derive(Debug, Default)]
pub(crate) struct FenceCheck {
    signalled: BTreeSet<Fence>,
    waited: BTreeSet<Fence>,
}

impl FenceCheck {
    /// Takes in a batch of operations in issue order.
    pub fn issue(&mut self, ops: &[NandOp]) {
        let mut waited = BTreeSet::new();
        for op in ops {
            waited.extend(Some(op.order.waits).filter(|f| f.is_some()));
            for fence in op.order.signals.into_iter().filter(|f| f.is_some()) {
                let late = self.waited.contains(&fence) || waited.contains(&fence);
                assert!(!late, "{op:?} signals {fence:?} after its waiter");
                self.signalled.insert(fence);
            }
        }
        waited.into_iter().for_each(|fence| self.wait(fence));
    }

    /// The operations of a batch wait, or the drive.
    pub fn wait(&mut self, fence: Fence) {
        let first = !fence.is_some() || self.waited.insert(fence);
        assert!(first, "{fence:?} is waited for twice");
    }

    /// Everything signalled was waited for.
    pub fn finish(&self) {
        let lost: Vec<_> = self.signalled.difference(&self.waited).collect();
        assert!(lost.is_empty(), "nobody waits for {lost:?}");
    }
}

/// Identity of the data in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// Those of a slot, in a version.
    Of(Lpn, u32),
    /// Known ones, whichever slot has them.
    Known(Identity),
}

/// Knows the newest data of every logical slot, and what every physical place holds.
#[derive(Debug, Clone)]
pub(crate) struct StampOracle {
    /// The newest data; `None` for unwritten and trimmed. By logical slot.
    newest: Vec<Option<Stamp>>,
    /// Data in each physical place.
    held: Vec<Option<Stamp>>,
    versions: u32,
}

impl StampOracle {
    pub fn new(layer: &(impl TranslationLayer + ?Sized)) -> StampOracle {
        StampOracle {
            newest: vec![None; layer.slots() as usize],
            held: vec![None; layer.places() as usize],
            versions: 0,
        }
    }

    /// The host writes a slot; call before its moves are taken in.
    pub fn write(&mut self, lpn: Lpn) {
        self.versions += 1;
        self.newest[lpn.index()] = Some(Stamp::Of(lpn, self.versions));
    }

    /// The host writes data that others may have written as well.
    pub fn write_known(&mut self, lpn: Lpn, identity: Identity) {
        self.newest[lpn.index()] = Some(Stamp::Known(identity));
    }

    /// The host trims a slot.
    pub fn trim(&mut self, lpn: Lpn) {
        self.newest[lpn.index()] = None;
    }

    /// Returns true if a slot holds data of the host.
    pub fn is_written(&self, lpn: Lpn) -> bool {
        self.newest[lpn.index()].is_some()
    }

    /// Moves data, in order.
    pub fn take(&mut self, moves: &[DataMove]) {
        for step in moves {
            match *step {
                DataMove::Write { lpn, to } => {
                    let stamp = self.newest[lpn.index()];
                    self.fill(to, stamp.expect("written by the host"));
                }
                DataMove::Copy { from, to } => {
                    let stamp = self.held[from.index()];
                    self.fill(to, stamp.expect("a copy has a source"));
                }
                DataMove::Erase { first, slots } => {
                    self.held[first.index()..][..slots as usize].fill(None);
                }
            }
        }
    }

    /// Every logical slot is found where its newest data lie, or nowhere if it has none.
    pub fn check(&self, layer: &(impl TranslationLayer + ?Sized)) {
        for (n, newest) in self.newest.iter().enumerate() {
            let lpn = Lpn(n as u32);
            let found = layer.lookup(lpn).map(|slot| self.held[slot.index()]);
            let wanted = newest.map(Some);
            assert_eq!(found, wanted, "{lpn}");
        }
    }

    fn fill(&mut self, slot: Ppa, stamp: Stamp) {
        let old = self.held[slot.index()].replace(stamp);
        assert_eq!(old, None, "{slot} is programmed twice");
    }
}

/// Does the operations that fences allow in the worst order: reads and erases as soon as they may
/// be, programs one at a time, in random order and only when nothing else is left.
///
/// # Panics
/// When an erase may happen before everything copied from its block is programmed, or the
/// operations wait for each other.
pub(crate) fn check_copies(ops: &[NandOp], pages_per_block: u32, stream: &mut Stream) {
    let mut open = BTreeMap::<Fence, u32>::new();
    for fence in ops.iter().flat_map(|op| op.order.signals) {
        *open.entry(fence).or_default() += u32::from(fence.is_some());
    }
    let mut copies = Copies::new(ops, pages_per_block);
    let mut left: Vec<usize> = (0..ops.len()).collect();
    while !left.is_empty() {
        let may = |n: &usize| open.get(&ops[*n].order.waits).is_none_or(|&o| o == 0);
        let ready: Vec<usize> = left.iter().copied().filter(may).collect();
        assert!(!ready.is_empty(), "{} operations wait for ever", left.len());
        let is_program = |n: &usize| ops[*n].kind == OpKind::Program;
        let eager = ready.iter().copied().find(|n| !is_program(n));
        let n = eager.unwrap_or_else(|| ready[stream.random_range(0..ready.len())]);
        copies.act(n, &ops[n]);
        for fence in ops[n].order.signals {
            open.entry(fence).and_modify(|o| *o = o.saturating_sub(1));
        }
        left.retain(|&other| other != n);
    }
}

/// Copies that are under way or still to come.
struct Copies {
    pages_per_block: u32,
    /// The reads whose pages a program takes, by the fence it waits for: index and block.
    sources: BTreeMap<Fence, Vec<(usize, u32)>>,
    /// Reads whose pages are not programmed yet, by block.
    pending: BTreeMap<u32, BTreeSet<usize>>,
}

impl Copies {
    fn new(ops: &[NandOp], pages_per_block: u32) -> Copies {
        let programs = ops.iter().filter(|op| op.kind == OpKind::Program);
        let waited: BTreeSet<Fence> = programs.map(|op| op.order.waits).collect();
        let mut sources = BTreeMap::<Fence, Vec<(usize, u32)>>::new();
        let mut pending = BTreeMap::<u32, BTreeSet<usize>>::new();
        for (n, op) in ops.iter().enumerate().filter(|(_, op)| is_copy(op)) {
            let block = op.page.0 / pages_per_block;
            let ready = op.order.signals.iter().find(|f| waited.contains(f));
            let ready = *ready.expect("a program waits for what was read");
            sources.entry(ready).or_default().push((n, block));
            pending.entry(block).or_default().insert(n);
        }
        Copies {
            pages_per_block,
            sources,
            pending,
        }
    }

    fn act(&mut self, n: usize, op: &NandOp) {
        let block = op.page.0 / self.pages_per_block;
        match op.kind {
            OpKind::Read => {}
            OpKind::Program => {
                for (read, block) in self.sources.remove(&op.order.waits).unwrap_or_default() {
                    let pending = self.pending.get_mut(&block);
                    pending.expect("noted before").remove(&read);
                }
            }
            OpKind::Erase => {
                for block in block..block + u32::from(op.planes) {
                    let first = self.pending.get(&block).and_then(BTreeSet::first);
                    let early = first.is_some_and(|&read| read < n);
                    assert!(!early, "{op:?} before its copies are programmed");
                }
            }
        }
    }
}

fn is_copy(op: &NandOp) -> bool {
    op.kind == OpKind::Read && op.cause != Cause::Host
}

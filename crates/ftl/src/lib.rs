//! Flash translation layers: mapping, allocation, garbage collection, TRIM.
//!
//! A layer is a state machine without a clock and without I/O. It is given host requests slot by
//! slot, changes its state at once, and appends the NAND operations that make it so to an
//! [`OpBatch`]; what they cost is for a scheduler to say. Time-dependent choices reach it only as
//! inputs, so the operation stream is a function of the drive file, the seed and the inputs.
//!
//! # Invariants
//!
//! - **The FTL knows no clock.** There is no `SimTime`, no `Nanos` and no `ftlab-timing` in
//!   `crates/ftl`. What depends on time is decided in `drive` and reaches the FTL as an input (`LayerInput`: write, look-up,
//!   read, trim, flush). Hence the operation stream is a function of drive file, seed and inputs
//!   (decision 0001).
//! - **The layer does the same when it is asked the same.** Recovery depends on it. Whatever changes what a
//!   layer does – hours of rest – and is no `LayerInput`, must be followed by `DataDrive::checkpoint`.
//! - **Every read of a mapping table passes `Array`.** What memory holds of a table on flash (`clock.rs`) is the layer's
//!   state, changed by reads as well as by writes.
//! - **What was acknowledged stays.** Whatever fails, the newest data of every slot are found, up to
//!   and after the last write; `crates/ftl/src/end_of_life.rs` writes drives of every kind to death with an oracle.
//! - **The reserve never holds user data.** `gc.reserve` is the number of superblocks a group keeps
//!   erased on average. `spare.op` counts neither the reserve nor half of the superblock under collection, which on average
//!   has been copied (with `gc.batch`, nor half a batch): what is left of raw over the user's data, so closed forms hold for it as written
//!   (decision 0002, `docs/theory.md`). OP and spare factor are
//!   different ratios; see the glossary.
//! - **What a drive promises, it holds whatever the data.** The capacity of a packed drive is in slots
//!   that do not compress; compression makes it faster and live longer, and never larger
//!   (decision 0010).
//! - **A promise holds a fence open.** A slot of packed mapping may reach from one program unit into
//!   the next, which is issued later. The first unit's batch promises the fence and the second's keeps it
//!   (`OpBatch::promise`, `Scheduler::promise`); until then it is not reached. `Bench` in `crates/ftl/src/packed/tests.rs`
//!   checks that each is kept once and that none outlives a flush.
//! - **What the compiler knows changes no operation.** `PageLayer<FLAT>` is compiled twice: for any
//!   layout, and for slots of a page on superblocks of one block, where addresses need no arithmetic and a run without time
//!   takes half the work. `what_the_compiler_knows_of_flat_layouts_changes_no_operation` compares the two. `unsafe` stands in
//!   `crates/base/src/memory.rs` alone: prefetching of table entries, and advice to back tables with large pages.
//!
//! # A new mapping scheme
//!
//! It is a module that implements [`TranslationLayer`] whole. A value of the scheme in the `[map]` section of drive
//! files names it. Run it through the oracles of `testing.rs`, and add a drive of it to `KINDS` in the tests of
//! `ftlab-drive`'s `ssd`.

pub mod block;
mod clock;
mod donors;
#[cfg(test)]
mod end_of_life;
mod fault;
mod lost;
pub mod packed;
pub mod page;
mod purge;
mod room;
mod state;
mod terms;
#[cfg(test)]
mod testing;

pub use fault::Fault;
pub use room::{Room, RoomSize};
pub use state::LayerState;
pub use terms::{Extent, Refusal, Spare};

use ftlab_base::{Content, DieId, Identity, Layout, Lpn, Placement, Ppa};
use ftlab_nand::{Array, Fence, InjectionRefused, OpBatch, StateError};
use page::PageMapped;
use std::ops::Range;

/// A mapping scheme with everything below it: block table, allocator, mover.
pub trait TranslationLayer: std::fmt::Debug + Send {
    /// Slots the host sees.
    fn slots(&self) -> u32;

    /// Numbering of the physical slots.
    fn layout(&self) -> &Layout;

    /// Places that [`lookup`](TranslationLayer::lookup) and the moves of data tell apart: slots of the
    /// array, unless the layer places data more finely.
    fn places(&self) -> u32 {
        self.layout().slots()
    }

    /// Bytes of a place; a slot takes one, unless the layer places data more finely.
    fn place_bytes(&self) -> u32 {
        self.layout().geometry.slot_bytes
    }

    /// The array and its counters.
    fn array(&self) -> &Array;

    /// The array, to mark bad blocks or restart its hash.
    fn array_mut(&mut self) -> &mut Array;

    /// Place of a slot's newest data, or the one they will have when the operations issued so far are done.
    fn lookup(&self, lpn: Lpn) -> Option<Ppa>;

    /// Brings what is needed of the mapping table into memory before `slots` slots from `first` on are
    /// read, for a layer that cannot read data whose entries are on flash. Gives the pages of the table
    /// that must have come by then; none of a layer that finds data without. The batch knows which of
    /// them are being read ([`OpBatch::table_reads`]).
    fn look_up(&mut self, _first: Lpn, _slots: u32, _batch: &mut OpBatch) -> Range<u32> {
        0..0
    }

    /// Returns true if memory holds the entries of the mapping table of `slots` slots from `first` on, so that reading
    /// them reads no page of it. Nothing changes.
    fn holds_entries(&self, _first: Lpn, _slots: u32) -> bool {
        true
    }

    /// Reads `slots` slots from `first` on; unmapped ones cost nothing. Whatever the host waits for
    /// signals `done`; when nothing does, there is nothing to wait for.
    fn read(&mut self, first: Lpn, slots: u32, done: Fence, batch: &mut OpBatch);

    /// Reads some sectors of one slot, as [`read`](TranslationLayer::read) does whole slots: a layer
    /// whose slots lie in several pages need not read them all.
    fn read_part(&mut self, lpn: Lpn, _sectors: Range<u32>, done: Fence, batch: &mut OpBatch) {
        self.read(lpn, 1, done, batch);
    }

    /// Returns true if the next read of a slot would give its data: an unmapped one reads as zeros. Nothing is read,
    /// and nothing changes.
    fn can_read(&self, lpn: Lpn) -> bool;

    /// Writes one slot. Gives the fence that is reached when the slot is programmed; its waiter is
    /// the caller. None means that nothing need be programmed. Neighbouring writes that share a program unit give the same fence. `content` is what
    /// the data look like, for a layer that stores less of what compresses; `placement` is with which data they are to lie,
    /// for one that keeps such data apart.
    ///
    /// # Errors
    /// When the layer can take no write; nothing has changed then, and what it holds can be read.
    fn write(
        &mut self,
        lpn: Lpn,
        extent: Extent,
        content: Content,
        placement: Placement,
        batch: &mut OpBatch,
    ) -> Result<Fence, Refusal>;

    /// Place of data beside which a whole slot with the same identity would not be stored. Two identities may be equal
    /// and the data not, so whoever has the data compares them.
    fn known(&self, _identity: Identity) -> Option<Ppa> {
        None
    }

    /// Says that a slot will soon be read or written. Changes nothing; a layer may fetch what it will
    /// need from memory.
    fn expect(&self, _lpn: Lpn) {}

    /// The host no longer needs `slots` slots from `first` on.
    fn trim(&mut self, first: Lpn, slots: u32, batch: &mut OpBatch);

    /// The host pauses: does a piece of what would otherwise have to be done while it writes. Returns true if there was
    /// any.
    fn work_ahead(&mut self, _batch: &mut OpBatch) -> bool {
        false
    }

    /// Returns true if collection has a turn to take and leaves the time to the caller ([`page::Pace::InTurns`]).
    fn owes_turn(&self) -> bool {
        false
    }

    /// Copies a row of what such a turn is to copy; returns true if there was any.
    fn take_turn(&mut self, _batch: &mut OpBatch) -> bool {
        false
    }

    /// Erases whatever is programmed and forgets the mapping; wear and counters stay.
    fn secure_erase(&mut self, batch: &mut OpBatch);

    /// Programs what waits for the rest of its program unit.
    fn flush(&mut self, batch: &mut OpBatch);

    /// Has something go wrong in the flash.
    ///
    /// # Errors
    /// When it cannot go wrong there; nothing has changed then.
    fn inject(&mut self, fault: Fault, _batch: &mut OpBatch) -> Result<(), InjectionRefused> {
        fault::in_array(self, fault)
    }

    /// The die that has died, if one has; the first of several.
    fn dead_die(&self) -> Option<DieId> {
        self.array().dead_die()
    }

    /// A copy in a box, for snapshots of a drive.
    fn boxed(&self) -> Box<dyn TranslationLayer>;

    /// The layer, to look at, if it is page-mapped.
    fn page_layer(&self) -> Option<&dyn PageMapped> {
        None
    }

    /// Everything that changes in the layer.
    fn save(&self) -> LayerState {
        self.save_in(Room::default())
    }

    /// Saves as [`save`](TranslationLayer::save) does, in memory that was made for it.
    fn save_in(&self, room: Room) -> LayerState;

    /// Memory that large tables take in [`save_in`](TranslationLayer::save_in).
    fn room_size(&self) -> RoomSize {
        RoomSize::default()
    }

    /// Takes over a state; the layer is as built. After an error it is to be thrown away.
    ///
    /// # Errors
    /// When a layer built so cannot have such a state.
    fn restore(&mut self, state: LayerState) -> Result<(), StateError>;

    /// Superblocks left to replace bad blocks with, in the group of dies that has the fewest.
    fn spare(&self) -> Spare;

    /// Checks everything that must hold between two calls; O(slots).
    ///
    /// # Panics
    /// When something does not hold: a bug of the layer.
    fn check_invariants(&self);
}

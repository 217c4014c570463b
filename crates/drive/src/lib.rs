//! A whole drive: write buffer, translation layer and timing behind the host's front end; the hard disk; the
//! drive-file schema.
//!
//! # The path of a host write
//!
//! The FTL is a state machine without a clock; a scheduler prices what it does. A host write goes:
//!
//! 1. `Command` → the host's queue, which sends as many as the drive takes (32 with NCQ, else 1, in the order the test
//!    machine's driver sorts: C-LOOK).
//! 2. Host CPU, then the command crosses the link, the firmware core decides, and the data cross link and compressor.
//! 3. Write buffer: coalesced by LPN. With room the write completes now, else it waits.
//! 4. From the buffer to the FTL while the queues of the dies have room: `TranslationLayer::write`.
//! 5. The old slot becomes invalid, the next one is taken, the table is changed, and a share of garbage collection is
//!    done.
//! 6. Every NAND operation passes `Array`, which decides once whether it is legal, and joins a batch with the *fences* it
//!    waits for and signals.
//! 7. The scheduler queues it at its die, in issue order; channel and array phases are events on one heap.
//! 8. The program's fence is reached: the slot's room in the buffer is free, and the next waiting write gets in.
//!
//! Without a clock only 5 and 6 happen, with the same operations: a test compares the hashes. The same inputs and seed
//! give the same bytes.
//!
//! On a timed run of an SSD; methods of `Ssd` are in `crates/drive/src/ssd/mod.rs` and `writes.rs`.
//!
//! ```text
//! Group::act              play/driver/jobs.rs    a worker's request becomes a Command{id, kind, lba, sectors, at}
//! Ssd::submit             FrontEnd::submit        any number may wait in the host, host/queue.rs: in order, or C-LOOK;
//!                                                 once the drive has room: host CPU
//! Ssd::sent               Event::Sent             the command crosses the link, then waits for the firmware core
//! Ssd::decided            Event::Decided          the core has decided: the data cross link and compressor, first come first served
//! Ssd::ready              Event::Ready            the first of the data have arrived
//! Ssd::admit              WriteBuffer::admit      slot by slot, coalesced by LPN; no room: a buffer stall, the write waits
//!                         Event::Done             all slots are in the buffer: the write completes early; reads whose
//!                                                 data waited for the end of its data phase cross the link (reads.rs)
//! Ssd::drain              WriteBuffer::take       only while Scheduler::wants_more
//! TranslationLayer::write ftl/page/layer.rs       (or ftl/block/layer.rs, ftl/packed/layer.rs), with the data's Content
//!   stream_of_write         ftl/page/streams.rs   hot or cold, if the drive tells them apart
//!   Table::invalidate       ftl/page/table.rs     the old physical slot
//!   PageLayer::entry_for_write  ftl/page/translation/ the table's entry, if memory does not hold all of them
//!   PageLayer::append       ftl/page/frontier.rs  the next slot; opens and erases a superblock when needed (wear.rs: which)
//!     Array::program        nand/array.rs         legality, state, counters, stream hash: decided here, once
//!     OpBatch::push         nand/op.rs            not without time
//!   Table::place                                  the table points at the new slot
//!   PageLayer::collect      ftl/page/collect.rs   this slot's share of copying, or a batch (batch.rs); VictimPolicy::choose in victim/
//!   PageLayer::checkpoint                         the tables, every so often
//! Ssd::issue              Scheduler::issue        timing/scheduler/: fences counted, dispatched in issue order
//!                         dispatch → start → begin_transfer → end_transfer → end_array → finish → signal
//! Ssd::run_nand           Scheduler::pop_reached  the program's fence: WriteBuffer::programmed, so room; admit again
//! Ssd::complete           FrontEnd::completed     Completion{id, at, outcome}; the next command is sent
//! source::play            Device::advance_to_completion: the driver looks again when something completed, or a request is due
//! ```
//!
//! An untimed run calls `Ssd::apply`: `Mapped::write` for each slot and `OpBatch::clear`, nothing else.
//!
//! # The `Device` interface
//!
//! `crates/drive/src/device.rs` is all that `bench` and the command line see of a drive.
//!
//! | call | time | |
//! |---|---|---|
//! | `submit`, `next_event`, `advance` | virtual | commands on a clock that the caller owns |
//! | `apply` | none | one command at once; its `Outcome` says whether a write was taken, `fault` why not |
//! | `snapshot` | – | a copy in memory, for jobs that start from one state |
//! | `save`, `restore` | – | what a drive keeps while it is off, as a value; `drive/src/saved/` makes a file of it |
//! | `page_layer` | – | the mapping of a page-mapped drive, to look at: layout, victim policy, where the next host slot goes, valid slots of the full superblocks |
//! | `counters`, `restart_stream_hash` | – | totals, and the hash of the operations |
//!
//! A saved state is made from the bottom up, a value a crate: `ArrayState` (nand), `PageState`, `BlockState` and `PackedState` (ftl),
//! `SsdState` (drive), each in a file `state.rs` beside what it is the state of, with the checks that make `restore` refuse
//! what no drive can be in. What follows from something else that is saved is counted anew instead of being saved: a page
//! layer saves its map, and owners, valid slots and writable slots follow; a packed layer saves where slots lie and what they
//! share, and the logs of its superblocks follow. A victim policy may remember one thing from
//! choice to choice, where its random stream is (`VictimPolicy::stream`). A change of what is saved changes `FORMAT` in
//! `drive/src/saved/mod.rs`.
//!
//! # Invariants
//!
//! - **The stream is the same with and without time.** `Array` hashes every operation it issues, in
//!   issue order. `the_same_inputs_give_the_same_operations_with_and_without_time` (`crates/drive/src/ssd/tests/stream.rs`) logs
//!   the FTL's inputs in a timed run, replays them untimed and compares. Fences are left out of the hash, since their
//!   numbers depend on when others were reached. `every_shipped_drive_does_the_same_with_and_without_time` does so with each
//!   drive of the catalog, made small, with its mapping table in memory and on flash.
//! - **Any drive is refused or right.** A drive file, with whatever settings, is refused with one
//!   line that says why, or the drive answers every command once, keeps the newest data and comes to an end. `crates/fuzz`
//!   tries this on random drives and commands and checks the translation layer after every step; `make test` runs it on
//!   fixed seeds and on every input kept in `crates/fuzz/inputs/`, `make fuzz` lets coverage guide it.
//! - **What decides the numbers has a version, and nothing else does.** `MODEL_VERSION`
//!   (`crates/drive/src/model_version.rs`) is raised whenever results change; `crates/play/tests/model_version.rs` fails if it
//!   is not. The commit that a program was built of (`crates/ftlab/build.rs`) stands in `provenance` of results, and no hash, snapshot
//!   or comparison includes it.

pub mod codec;
mod counters;
pub mod device;
pub mod disk;
pub mod fake;
pub mod faults;
pub mod file;
mod flash_fault;
mod flashless;
pub mod health;
pub mod heat;
mod hosted;
mod model_version;
pub mod nvme;
mod occupancy;
mod passes_on;
mod ram;
pub mod saved;
mod scale;
pub mod smart;
pub mod ssd;
mod state;

pub use counters::{Counters, HostCommands};
pub use device::{CacheRefused, Device, EraseRefused};
pub use file::{
    Catalog, Choice, Class, DriveFile, Flash, Kind, OwnPolicies, OwnVictim, ParameterRow,
    PolicyNameError, REMOVED, Range, RatedBytes, RemovedKey, Spread, default_testbed,
};
pub use flash_fault::FlashFault;
pub use flashless::{Flashless, Medium};
pub use ftlab_timing::Energy;
pub use health::Health;
pub use heat::{HeatTotals, Temperature};
pub use model_version::{MODEL_VERSION, version};
pub use occupancy::{Occupancy, Shares};
pub use ram::{Ram, RamParams};
pub use scale::{Extent, Scale};

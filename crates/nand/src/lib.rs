//! The NAND array's state: what is programmed, what is legal, what is worn, what fails.
//!
//! The array decides once, when an operation is issued, whether it is legal and what it changes,
//! and appends it to an [`OpBatch`]. It knows neither data nor time: a page store may carry the
//! bytes and a scheduler may price the operations, and a run that needs neither leaves them out.
//!
//! # Invariants
//!
//! - **Legality is decided once, in nand.** `Array::read`, `program` and `erase` abort on illegal
//!   use: a page out of order, a read of an erased page, a bad block. No layer checks before and none repairs after; a
//!   violation is a bug of a translation layer.
//! - **Faults are values, decided once, in nand.** What fails is a pure hash of seed, physical
//!   address and P/E count (`nand/src/reliability.rs`), never of time. `Array::program` and `erase` return whether they
//!   succeeded, the layer acts on it (`donors.rs`, `failures.rs` of `page`, `block` and `packed`), and the host sees an `Outcome`. What
//!   somebody asks for (`Fault`, `nand/src/array/injected.rs`) belongs to physical blocks as well, shows where wear would, and is
//!   a `LayerInput`. A
//!   drive file without `[reliability]` has no faults and pays for none: the one check of a program finds watched blocks,
//!   too (`docs/endurance.md`).

mod array;
mod bit_errors;
mod op;
mod reliability;
mod state_error;
mod wear;

pub use array::{Array, ArrayState, FaultCounters, InjectionRefused, NandCounters, Status};
pub use bit_errors::{BitErrors, ErrorParams, HOURS_A_YEAR, REFERENCE_CELSIUS, Stress};
pub use op::{Cause, DataMove, Fence, NandOp, OpBatch, OpKind, OpWord, Order};
pub use reliability::{Endurance, Reliability};
pub use state_error::StateError;
pub use wear::WearHistogram;

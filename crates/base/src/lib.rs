//! Units, identifiers, geometry arithmetic, commands and what they carry, named random streams, histograms,
//! serial servers, amounts and sizes in words, text that can be printed, a guard around what reads files.
//!
//! Nothing here does I/O, knows a file format or reads a clock. Every other crate may use this
//! one; this one uses none of them.
//!
//! # Invariants
//!
//! - **Every random number comes from a named stream.** `RootSeed::stream(name)` and `derive(name)`
//!   (`crates/base/src/rng.rs`), and a copy of a drive goes on with the same numbers. A drive's seed depends on its slug, a
//!   job's on what stands in its file and not on the file's name (`play/src/streams.rs`), so neither the number of threads nor
//!   the set of drives and tests changes a run.
//! - **Only `Geometry` and `Layout` convert addresses.** `Lba`, `Lpn`, `Ppa`, `PageId`, `BlockId`,
//!   `DieId` are types of their own in every interface; tables inside a layer may hold their numbers.

pub mod amount;
pub mod blame;
pub mod command;
pub mod config_error;
pub mod content;
pub mod deltas;
pub mod divisor;
pub mod geometry;
pub mod guard;
pub mod hash;
pub mod histogram;
pub mod ids;
pub mod lanes;
pub mod layout;
pub mod memory;
pub mod octaves;
pub mod plain;
pub mod printable;
pub mod rng;
pub mod server;
pub mod size;
pub mod time;

pub use blame::Blame;
pub use command::{
    Command, CommandId, CommandKind, Completion, Outcome, Placement, Priority, SECTOR_BYTES,
    SubmissionQueue,
};
pub use config_error::ConfigError;
pub use content::{Content, Identity};
pub use divisor::Divisor;
pub use geometry::Geometry;
pub use guard::{Panicked, guarded};
pub use hash::{EndsHash, StreamHash};
pub use histogram::LatencyHistogram;
pub use ids::{BlockId, DieId, Lba, Lpn, PageId, Ppa};
pub use lanes::Lanes;
pub use layout::{Layout, PagePlace, SuperblockId};
pub use octaves::Octaves;
pub use rng::{RootSeed, strata};
pub use server::Server;
pub use time::{Nanos, SimTime};

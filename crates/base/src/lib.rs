//! Units, identifiers, geometry arithmetic, commands and what they carry, named random streams, histograms,
//! amounts in words.
//!
//! Nothing here does I/O, knows a file format or reads a clock. Every other crate may use this
//! one; this one uses none of them.

pub mod amount;
pub mod command;
pub mod content;
pub mod deltas;
pub mod divisor;
pub mod geometry;
pub mod hash;
pub mod histogram;
pub mod ids;
pub mod layout;
pub mod memory;
pub mod plain;
pub mod rng;
pub mod time;

pub use command::{Command, CommandId, CommandKind, Completion, Outcome, SECTOR_BYTES};
pub use content::{Content, Identity};
pub use divisor::Divisor;
pub use geometry::{Geometry, GeometryError};
pub use hash::StreamHash;
pub use histogram::LatencyHistogram;
pub use ids::{BlockId, DieId, Lba, Lpn, PageId, Ppa};
pub use layout::{Layout, PagePlace, SuperblockId};
pub use rng::RootSeed;
pub use time::{Nanos, SimTime};

//! Many runs as one table: every drive with every setting, load and seed of a grid, one row a run.
//!
//! - [`Sweep`] is a grid that was read: a TOML file, or what another program made of its own words ([`Grid`]). It knows
//!   its rows by numbers, and each row's run by its id.
//! - [`Sweep::run`] runs rows on a [`ftlab_lab::Lab`]. A state of a drive is prepared once for all loads of the same
//!   drive, settings and seed.
//! - [`Sweep::save_state`] and [`begin`] divide the loads of one state among others, who load it.
//! - [`Store`] is a folder of Parquet files that is the result, the cache and what an interrupted sweep goes on from.
//! - [`merge()`] makes one table of the folders of all shards.
//!
//! # Invariants
//!
//! - **A run's id is what decides its numbers**: the version of the model, the drive's file, the settings, the text of
//!   the load, state, clock and seed. No path, no name of a load and no commit is in it.
//! - **A row is the same bytes whoever ran it**: on any number of threads, in any shard, beside any other rows.
//! - **A row that was written is not run again**, unless this machine alone was at fault.

mod error;
mod grid;
mod hypercube;
mod keys;
mod merge;
mod rows;
mod run;
mod share;
mod state;
mod store;
mod value;

pub use error::SweepError;
pub use grid::{Point, Sweep};
pub use hypercube::Span;
pub use keys::{DriveText, Grid, Hypercube, ReplayWords, Seeds};
pub use merge::merge;
pub use rows::{REASON, Row, Status};
pub use run::{Listener, Unit};
pub use share::Share;
pub use state::begin;
pub use store::{Finished, Store, rows_as_parquet};
pub use value::Value;

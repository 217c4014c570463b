//! A load on a drive becomes a record.
//!
//! - [`driver::run`] runs a job file on a drive, in virtual time or without time;
//!   [`driver::run_scenario`] runs application scripts, [`driver::run_trace`] plays synthetic traces back and
//!   [`driver::run_replay`] recorded ones ([`recording`]).
//! - [`torture`] wears a drive for minutes of virtual time, most of them without a clock.
//! - [`record`] makes a result of what a run counted, [`logs`] and [`iolog`] the logs that jobs ask for.
//! - [`load`] is a job file, a script or a trace that was read or can be, [`embedded`] those that come with ftlab;
//!   [`streams`] says which random streams a load has.
//! - [`warnings`] says what a reader of a run has to know before using its figures.
//!
//! Nothing here reads a wall clock, starts a thread or opens a file, so the same drive, load and seed give
//! the same record anywhere, in a browser too. Who wants several runs at a time, or tests and figures, is
//! a user of this crate.
//!
//! # Invariants
//!
//! - **Submitted = completed.** A run in which a command does not come back is an error
//!   (`DriverError::Stuck`, `Standstill`, `Endless`, `Unexpected`), not a result. What a timed run is given up for, and what
//!   not, is in `crates/play/src/driver/patience.rs`.

pub mod driver;
pub mod embedded;
pub mod iolog;
pub mod load;
pub mod logs;
pub mod record;
pub mod recording;
mod replay_record;
mod scenario_record;
pub mod streams;
pub mod torture;
mod trace_record;
pub mod warnings;

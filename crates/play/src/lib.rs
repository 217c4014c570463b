//! A load on a drive becomes a record.
//!
//! - [`states`] brings a drive to a state, from `new` to `steady`; [`steady_rule`] is SNIA's rule of the
//!   steady state.
//! - [`driver::run`] runs a job file on a drive, in virtual time or without time;
//!   [`driver::run_scenario`] runs application scripts, [`driver::run_trace`] plays synthetic traces back and
//!   [`driver::run_replay`] recorded ones ([`recording`]).
//! - [`torture`] wears a drive for minutes of virtual time, most of them without a clock.
//! - [`record`] makes a result of what a run counted, [`logs`] and [`iolog`] the logs that jobs ask for.
//! - [`load`] is a job file, a script or a trace that was read or can be, [`embedded`] those that come with ftlab;
//!   [`streams`] says which random streams a load has.
//! - [`watch`] hears how far long work is; [`warnings`] says what a reader of a run has to know before
//!   using its figures.
//!
//! Nothing here reads a wall clock, starts a thread or opens a file, so the same drive, load and seed give
//! the same record anywhere, in a browser too. Who wants several runs at a time, or tests and figures, is
//! a user of this crate.
//!
//! # Invariants
//!
//! - **A state is reached by commands.** Preparation has no back door: whatever a drive holds, a host
//!   could have written (`play/src/states/`). So counters, wear and invariants need no exception for prepared drives, and
//!   `restore` refuses what no drive could go on from.
//! - **Submitted = completed.** A run in which a command does not come back is an error
//!   (`DriverError::Stuck`, `Standstill`, `Endless`, `Unexpected`), not a result. What a timed run is given up for, and what
//!   not, is in `crates/play/src/driver/patience.rs`.

pub mod driver;
pub mod embedded;
#[cfg(test)]
mod fake;
pub mod iolog;
pub mod load;
pub mod logs;
pub mod record;
pub mod recording;
mod replay_record;
mod scenario_record;
pub mod states;
pub mod steady_rule;
pub mod streams;
pub mod torture;
mod trace_record;
pub mod warnings;
pub mod watch;

pub use states::State;

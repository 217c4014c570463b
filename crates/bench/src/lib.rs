//! Everything between a drive and a report: states a drive is brought to, jobs run on it, the
//! tests of the reviews, and published figures beside what the model gives.
//!
//! - [`driver::run`] runs a job file on a drive, in virtual time or without time;
//!   [`driver::run_scenario`] runs application scripts, [`driver::run_trace`] plays traces back.
//! - [`scripts`] and [`traces`] are those that come with ftlab.
//! - [`streams`] says which random streams a load has.
//! - [`states`] brings a drive to a state, from `new` to `steady`.
//! - [`endurance`] writes a drive to its end.
//! - [`methods`] lists the tests of the reviews as data.
//! - [`repeats`] says how far repeats of a run with other seeds come out apart.
//! - [`figures`] maps rows of the reference table to runs and judges them.
//! - [`claims`] checks what the sources say in words by simulation.
//! - [`theory`] sets write amplification beside its closed forms.
//! - [`pts`] runs SNIA's Performance Test Specification; [`steady_rule`] is its rule of the steady state.
//! - [`watch`] hears how far long work is.
//! - [`warnings`] says what a reader of a run has to know before using its figures.
//! - [`review::review`] does all of it for several drives and returns a result set.
//!
//! Nothing here reads a wall clock: the same drives, tests and seed give the same results.

pub mod claims;
pub mod driver;
pub mod drops;
pub mod endurance;
#[cfg(test)]
mod fake;
pub mod figures;
pub mod methods;
pub mod pts;
pub mod record;
pub mod repeats;
pub mod review;
mod scenario_record;
pub mod scripts;
pub mod states;
pub mod steady_rule;
pub mod streams;
pub mod theory;
mod trace_record;
pub mod traces;
pub mod warnings;
pub mod watch;

pub use states::State;

/// The programs of the guide, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/write-a-policy.md")]
struct WriteAPolicy;

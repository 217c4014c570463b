//! The bench: the tests of the reviews on several drives, and published figures beside what the model gives.
//!
//! - [`suites`] are tests as data: those of the reviews, and a user's own.
//! - [`loads`] reads loads, whatever they are.
//! - [`lab`] measures on several drives at a time.
//! - [`review::review`] runs them on several drives and returns a result set.
//! - [`stop`] ends what runs when nobody wants it any more.
//! - [`repeats`] says how far repeats of a run with other seeds come out apart.
//! - [`figures`] maps rows of the reference table to runs and judges them.
//! - [`calibrate`] fits a drive file to a few figures of a real drive.
//! - [`endurance`] writes a drive to its end.
//! - [`plan`] says how long a drive lasts under a load, how fast it answers, and what spare area that takes.
//! - [`variants`] are a drive with numbers of its file at several values.
//! - [`pts`] runs SNIA's Performance Test Specification.
//!
//! Nothing here reads a wall clock: the same drives, tests and seed give the same results.

pub mod calibrate;
pub mod endurance;
pub mod figures;
pub mod lab;
pub mod loads;
pub mod plan;
pub mod pts;
pub mod repeats;
pub mod review;
pub mod stop;
pub mod suites;
mod testbeds;
pub mod variants;

//! The bench: the tests of the reviews on several drives, and published figures beside what the model gives.
//!
//! - [`suites`] are tests as data: those of the reviews, and a user's own.
//! - [`loads`] reads loads of every kind: job files, scripts, scenarios and traces.
//! - [`ask`] is the trait of askers, which make cells of a question and results of their outcomes.
//! - [`review`] asks for tests on several drives.
//! - [`repeats`] tells how much the figures of a run vary over seeds.
//! - [`figures`] maps rows of the reference table to runs and judges them.
//! - [`calibrate`] fits a drive file to a few figures of a real drive.
//! - [`forecast`] says what a drive will give that is known by its sheet, with a range.
//! - [`endurance`] writes a drive to its end.
//! - [`plan`] says how long a drive lasts under a load, how fast it answers, and what spare area that takes.
//! - [`cards`] are the figures that drive cards are made of.
//! - [`variants`] are a drive with numbers of its file at several values.
//! - [`trace_figures`] are what is in a recorded trace.
//! - [`pts`] runs SNIA's Performance Test Specification.
//!
//! Nothing here reads a wall clock: the same drives, tests and seed give the same results.

pub mod ask;
pub mod calibrate;
pub mod cards;
pub mod endurance;
pub mod figures;
pub mod forecast;
pub mod loads;
pub mod plan;
mod proportion;
pub mod pts;
pub mod repeats;
pub mod review;
pub mod sheets;
pub mod suites;
pub mod trace_figures;
pub mod variants;
mod words;

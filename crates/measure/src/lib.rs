//! The bench on a real drive: which drive it is, whether it may be written to, and suites that fio runs there.
//!
//! - [`device`] names a drive and has it alone; nothing is written to one that was not named twice;
//! - [`plan`] turns tests into courses of steps, each of them commands of a host;
//! - [`fio`] runs the jobs of steps;
//! - [`health`] asks the drive what it counts of itself;
//! - [`heat`] pauses while the drive is too warm;
//! - [`session`] goes through a plan, and hands out a run of each measurement;
//! - [`shelf`] makes an entry of a measurement for others, which names neither drive nor machine.

pub mod device;
pub mod fio;
pub mod health;
pub mod heat;
pub mod kernel;
pub mod machine;
pub mod plan;
pub mod programs;
mod purge;
mod run;
pub mod session;
pub mod shelf;
pub mod stop;

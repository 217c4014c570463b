//! A modelled drive attached: it holds data, its time is the wall clock's, and others use it as a block
//! device.
//!
//! [`engine`] has a drive that holds data carry out what is asked of it, each request answered when the
//! model is done with it. [`DriveExport`] offers that to clients of the network block device, [`fuse`]
//! to a loop device of this machine, and [`control`] tells how the drive stands and does to it what no
//! block device has a request for.

pub mod control;
pub mod engine;
mod export;
pub mod fuse;

pub use engine::{Engine, Statistics, Timing};
pub use export::DriveExport;

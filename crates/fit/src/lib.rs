//! A drive file fitted to results of a drive, whoever measured them.
//!
//! A *target* is the figures of a drive that a suite's tests gave ([`target`]). A *candidate* is the drive file to begin with,
//! with other numbers ([`candidate`]). The *bench* runs the target's tests on candidates ([`mod@bench`]), and what is looked for
//! are the numbers at which both give the same figures.
//!
//! Numbers are found in the order in which a bench tells them apart ([`steps`]): first what a command takes without flash, then
//! dies, channels and the time of a read ([`layout`]), then writes, caches and the amount of flash, then what collection does.
//! Counts are searched, as each is another drive; times, rates and sizes are solved for by least squares of logarithms
//! ([`solve`]), and each has a prior, so that what no figure pins stays where it was. What a test tells is read off what it asks for ([`role`]), so
//! that the tests may be of any suite; those whose families begin with `held-out` are fitted to nothing, and judge the fit
//! ([`judge`]).
//!
//! [`hidden`] makes drives whose numbers are known to nobody but the generator, for judging all of that, and [`truth`] says what
//! the tests can tell of one.

pub mod bench;
pub mod candidate;
pub mod csv;
pub mod hidden;
pub mod judge;
pub mod layout;
pub mod pinned;
pub mod role;
pub mod search;
pub mod solve;
pub mod steps;
pub mod target;
pub mod text;
pub mod truth;

mod request;

pub use request::{FitError, Fitted, Request, fit};

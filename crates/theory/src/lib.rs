//! Closed forms of write amplification (WA), evaluated numerically: what a page-mapped drive must
//! come to in the steady state of random writes of one page.
//!
//! Symbols, the same in every formula:
//!
//! | symbol | meaning |
//! |---|---|
//! | T, U | physical and logical pages |
//! | b | pages of a block |
//! | α = T/U = 1 + OP | greater than 1; spare factor is 1 − 1/α |
//! | WA | pages programmed over pages written by the host = 1/(1 − u), u the valid share of victims |
//! | x = α/WA | writes an address gets, on average, while one block stays written |
//!
//! T counts the pages that really hold data: what a drive keeps erased is not part of it. N, the
//! number of blocks, is taken as infinite; drives of thousands of blocks agree to a few parts in a
//! thousand.
//!
//! - [`fifo`], [`greedy`], [`choices`], [`random`]: one victim policy each, uniform writes; [`Policy`] is any of them.
//! - [`fifo_occupancy`], [`greedy_occupancy`], [`choices_occupancy`]: the share of blocks that hold
//!   0, 1, … b valid pages, so that a drive can be put into its steady state without the way there.
//! - [`fifo_mixed`], [`split`], [`spare_by_root`]: hot and cold addresses.
//! - [`in_use_after_trims_of_used`], [`in_use_after_trims_of_any`], [`alpha_in_use`]: TRIM, and
//!   drives that are partly full.
//! - [`RandomWriteBound`]: the share of the flash's speed that write amplification leaves to the host.

mod choices;
mod fifo;
mod greedy;
mod mixed;
mod policy;
mod rate;
mod solve;
mod trim;

pub use choices::{choices, choices_occupancy, random};
pub use fifo::{fifo, fifo_occupancy};
pub use greedy::{greedy, greedy_occupancy};
pub use mixed::{Class, fifo_mixed, spare_by_root, split};
pub use policy::Policy;
pub use rate::RandomWriteBound;
pub use trim::{alpha_in_use, in_use_after_trims_of_any, in_use_after_trims_of_used};

use thiserror::Error;

/// A parameter for which the formula has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("{name} is {value}, but must be {must}")]
pub struct OutOfDomain {
    /// Name of the parameter.
    pub name: &'static str,
    /// Value that was given.
    pub value: f64,
    /// Condition that it must meet.
    pub must: &'static str,
}

/// Passes `value` on if it `fits`.
fn domain(
    name: &'static str,
    value: f64,
    fits: bool,
    must: &'static str,
) -> Result<f64, OutOfDomain> {
    fits.then_some(value)
        .ok_or(OutOfDomain { name, value, must })
}

fn alpha_fits(alpha: f64) -> Result<f64, OutOfDomain> {
    let fits = alpha > 1.0 && alpha.is_finite();
    domain(
        "alpha (physical over logical pages)",
        alpha,
        fits,
        "finite and above 1",
    )
}

fn block_fits(pages_per_block: u32) -> Result<(), OutOfDomain> {
    domain(
        "pages per block",
        f64::from(pages_per_block),
        pages_per_block > 0,
        "at least 1",
    )
    .map(drop)
}

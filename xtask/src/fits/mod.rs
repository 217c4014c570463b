//! Fits of drives that can judge them: hidden ones, whose numbers are known, and public ones, of which others measured much.

mod attached;
mod hidden;
mod public;
mod row;

pub use hidden::{Options as HiddenOptions, command as hidden};
pub use public::{Options as PublicOptions, Public, TAILS_WITHIN, command as public};
pub use row::{Found, Row, summary};

use ftlab_base::RootSeed;
use ftlab_fit::candidate::Candidate;
use std::time::Instant;

/// Root of the random streams of every fit.
const SEED: RootSeed = RootSeed(1);

/// Prints what becomes of a fit of a drive: the step, and how well its candidate fits.
fn followed(drive: &str) -> impl Fn(&str, &Candidate, f64) {
    let begun = Instant::now();
    move |what, candidate, misfit| {
        let seconds = begun.elapsed().as_secs_f64();
        let settings = candidate.settings().join(" ");
        eprintln!("{drive} {seconds:.0} s: {what}: misfit {misfit:.0}, {settings}");
    }
}

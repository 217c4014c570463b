//! Ends and failures of a job by what it sees of the drive; and the depth that it seeks.

mod depth;
mod rates;
mod steady;

pub use depth::{Depth, Verdict};
pub use rates::LeastRates;
pub use steady::{SteadyReport, SteadyWatch};

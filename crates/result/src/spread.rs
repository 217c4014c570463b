//! The spread of a figure over repeats of a run with other seeds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure over repeats that differ by their seeds alone; its mean stands where a figure of a single run
/// would.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Its value in each repeat, that of the root seed first; `null` where a repeat gave none.
    pub values: Vec<Option<f64>>,
    /// Standard deviation of a repeat, estimated from all of them; `null` for fewer than two values.
    pub stddev: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean, by Student's t; `null` for fewer than two
    /// values.
    pub ci95_half_width: Option<f64>,
    /// True if the repeats differ. `false`: the figure is the same for every seed that was tried.
    pub depends_on_seed: bool,
}

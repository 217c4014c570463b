//! Settings to sweep: one or two that have several values, the sides of a table.

use crate::failure::Failure;
use crate::variants;
use ftlab_bench::variants::{Sweep, Variant, all};

/// One or two sweeps, and what is set for all.
#[derive(Debug, PartialEq, Eq)]
pub struct Sweeps {
    /// The rows of a table, or its columns if there is no second.
    pub first: Sweep,
    /// The columns of a table.
    pub second: Option<Sweep>,
    /// One value of each.
    pub variants: Vec<Variant>,
}

impl Sweeps {
    /// Reads `key=value` and `key=value,value…`.
    ///
    /// # Errors
    /// As [`variants::read`], and when not one or two keys have several values.
    pub fn read(settings: &[String]) -> Result<Sweeps, Failure> {
        let settings = variants::read(settings)?;
        let swept: Vec<&Sweep> = (settings.iter())
            .filter(|sweep| sweep.values.len() > 1)
            .collect();
        let why = match swept.as_slice() {
            [first, others @ ..] if others.len() < 2 => {
                return Ok(Sweeps {
                    first: (*first).clone(),
                    second: others.first().map(|second| (*second).clone()),
                    variants: all(&settings),
                });
            }
            [] => "nothing to compare; give a --set several values, for example \
                   --set spare.op=0.07,0.15,0.28"
                .to_owned(),
            many => {
                let names: Vec<&str> = many.iter().map(|sweep| sweep.key.as_str()).collect();
                format!(
                    "a table has two sides, and more than two settings have several values ({}); give \
                     one value to all but two",
                    names.join(", ")
                )
            }
        };
        Err(Failure::Input(why))
    }
}

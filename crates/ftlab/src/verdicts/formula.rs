//! An expression of figures of one run: `read.p99 / write.p99`, in the grammar that claims and published figures use.

use super::figure::Figure;
use ftlab_result::Run;
use ftlab_result::quantity::expression::{self, Scope};

/// An expression of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: String,
    /// True if its values are nanoseconds, as those of a difference of latencies.
    pub is_time: bool,
}

/// Figures of a run, by name.
struct Of<'r>(&'r Run);

impl Scope<'_> for Of<'_> {
    fn value(&self, name: &str) -> Result<f64, String> {
        let measured = Figure::named(name).and_then(|figure| figure.measured(self.0));
        measured.ok_or_else(|| format!("`{name}` was not measured"))
    }
}

/// Stands for any run: each figure is a number of its own, and latencies count in another unit of time.
struct Probe {
    time_unit: f64,
}

impl Scope<'_> for Probe {
    fn value(&self, name: &str) -> Result<f64, String> {
        let figure = Figure::read(name).unwrap_or_else(|| Err(format!("`{name}` is no figure")))?;
        let mixed = name.bytes().fold(7, |sum: u32, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        let value = 1.0 + f64::from(mixed) / f64::from(u32::MAX);
        Ok(match figure.is_time() {
            true => value * self.time_unit,
            false => value,
        })
    }
}

impl Formula {
    /// True for a text that is more than a name.
    pub fn is_one(text: &str) -> bool {
        text.contains(['+', '-', '*', '/', '('])
    }

    /// Parses an expression, and finds out whether its value is a time.
    ///
    /// # Errors
    /// When it is none, names what is no figure, or is neither a time nor a number, such as a latency and a rate added.
    pub fn read(text: &str) -> Result<Formula, String> {
        let with = |time_unit| expression::value(text, &Probe { time_unit });
        // In another unit of time a time changes as the unit does, and a number not at all.
        let (value, in_thirds) = (with(1.0)?, with(3.0)?);
        let is = |right: f64| (in_thirds - right).abs() <= 1e-9 * right.abs();
        let is_time = is(3.0 * value) && value != 0.0;
        match is_time || is(value) {
            true => Ok(Formula {
                text: text.to_owned(),
                is_time,
            }),
            false => Err(format!(
                "`{text}` is neither a time nor a number: add latencies to latencies, and divide them by latencies"
            )),
        }
    }

    /// The value in a run; `None` where one of its figures was not measured, or nothing was divided by.
    pub fn measured(&self, run: &Run) -> Option<f64> {
        let value = expression::value(&self.text, &Of(run)).ok()?;
        value.is_finite().then_some(value)
    }
}

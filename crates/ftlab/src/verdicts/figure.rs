//! A figure of a run by its name, or an expression of several: `write.p99`, `wa`, `read.p99 / write.p99`.

use super::formula::Formula;
use ftlab_base::Nanos;
use ftlab_base::amount::three_digits;
use ftlab_result::Run;
use ftlab_result::quantity::{self, Kind, OfKind, Quantity};
use ftlab_sheet::names::near;
use ftlab_workload::bytes;

/// A figure of runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// A metric of the run by its name.
    Metric(String),
    /// Reads, writes, trims or flushes, and what of them.
    Kind(Kind, OfKind),
    /// An expression of others.
    Formula(Formula),
}

impl Figure {
    /// Reads a name or an expression; `None` for a text that is neither.
    ///
    /// # Errors
    /// When it names a metric that no run has, or adds times to other figures.
    pub fn read(text: &str) -> Option<Result<Figure, String>> {
        if Formula::is_one(text) {
            return Some(Formula::read(text).map(Figure::Formula));
        }
        let figure = Figure::named(text)?;
        let unknown = match &figure {
            Figure::Metric(name) => unknown_figure(name),
            Figure::Kind(..) | Figure::Formula(_) => None,
        };
        Some(unknown.map_or(Ok(figure), Err))
    }

    /// The figure of that name.
    pub fn named(name: &str) -> Option<Figure> {
        match name.split_once('.') {
            Some(_) => {
                let (kind, of) = OfKind::of(name)?;
                Some(Figure::Kind(kind, of))
            }
            None => {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let is_name = !name.is_empty() && name.chars().all(is_word);
                is_name.then(|| Figure::Metric(name.to_owned()))
            }
        }
    }

    /// A value of it as people write it: with a unit of time for latencies, in bytes a second for `bw`.
    pub fn value(&self, text: &str) -> Option<f64> {
        match self {
            Figure::Kind(_, OfKind::BytesPerS) => {
                let bytes_per_s = bytes(text.trim_end_matches("/s")).ok()?;
                Some(bytes_per_s as f64)
            }
            _ if self.is_time() => latency_ns(text),
            _ => number(text),
        }
    }

    /// True for a latency, whose values are nanoseconds.
    pub fn is_time(&self) -> bool {
        match self {
            Figure::Kind(_, of) => !matches!(of, OfKind::Iops | OfKind::BytesPerS),
            Figure::Metric(_) => false,
            Figure::Formula(formula) => formula.is_time,
        }
    }

    /// The figure of a run; none where it gave nothing of the kind.
    pub fn measured(&self, run: &Run) -> Option<f64> {
        match self {
            Figure::Metric(name) => quantity::value(run, name, None),
            Figure::Kind(kind, of) => of.value(*kind, run),
            Figure::Formula(formula) => formula.measured(run),
        }
    }

    /// A value in words.
    pub fn in_words(&self, value: f64) -> String {
        match self {
            Figure::Kind(_, OfKind::Iops) => format!("{value:.0}"),
            Figure::Kind(_, OfKind::BytesPerS) => format!("{:.1} MB/s", value / 1e6),
            // A difference of latencies may be negative.
            _ if self.is_time() => {
                let sign = if value < 0.0 { "-" } else { "" };
                format!("{sign}{}", Nanos(value.abs() as u64))
            }
            Figure::Metric(name) if Quantity::named(name).is_some_and(|of| of.unit == YEARS) => {
                format!("{} {YEARS}", three_digits(value))
            }
            _ => format!("{value:.3}"),
        }
    }
}

/// The unit of a life.
const YEARS: &str = "years";

/// Returns the reason for which a name is no figure of any run; none if it may be one.
fn unknown_figure(name: &str) -> Option<String> {
    (!quantity::is_known(name)).then(|| no_metric(name))
}

/// Returns the reason for which no run will ever have a metric of this name; none if one may. What follows from the
/// counts of one run, such as `gc_share`, is a figure and no metric: repeats have no mean of it.
pub fn unknown_metric(name: &str) -> Option<String> {
    (!quantity::is_metric(name)).then(|| no_metric(name))
}

fn no_metric(name: &str) -> String {
    let near = near(name, quantity::metrics());
    let all: Vec<&str> = quantity::metrics().collect();
    let all = all.join(", ");
    format!("no run has a metric `{name}`{near}; there are {all}")
}

/// A number, in thousands with a k and millions with an M.
fn number(text: &str) -> Option<f64> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => (
            text.trim_end_matches('M'),
            if text.ends_with('M') { 1e6 } else { 1.0 },
        ),
    };
    let value: f64 = digits.trim().parse().ok()?;
    value.is_finite().then_some(value * unit)
}

/// A time with its unit, in nanoseconds.
fn latency_ns(text: &str) -> Option<f64> {
    let units = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
    ];
    let (digits, unit) = units
        .iter()
        .find_map(|(unit, ns)| Some((text.strip_suffix(unit)?, ns)))?;
    Some(number(digits.trim())? * unit)
}

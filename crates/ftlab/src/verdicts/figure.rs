//! A figure of a run by its name: `write.p99`, `wa`.

use ftlab_base::Nanos;
use ftlab_result::Run;
use ftlab_result::quantity::{self, Kind, OfKind};
use ftlab_sheet::names::near;
use ftlab_workload::bytes;

/// A figure of runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// A metric of the run by its name.
    Metric(String),
    /// Reads, writes, trims or flushes, and what of them.
    Kind(Kind, OfKind),
}

impl Figure {
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
            Figure::Metric(_) | Figure::Kind(_, OfKind::Iops) => number(text),
            Figure::Kind(_, OfKind::BytesPerS) => {
                let bytes_per_s = bytes(text.trim_end_matches("/s")).ok()?;
                Some(bytes_per_s as f64)
            }
            Figure::Kind(..) => latency_ns(text),
        }
    }

    /// The figure of a run; none where it gave nothing of the kind.
    pub fn measured(&self, run: &Run) -> Option<f64> {
        match self {
            Figure::Metric(name) => quantity::value(run, name, None),
            Figure::Kind(kind, of) => of.value(*kind, run),
        }
    }

    /// A value in words.
    pub fn in_words(&self, value: f64) -> String {
        match self {
            Figure::Kind(_, OfKind::Iops) => format!("{value:.0}"),
            Figure::Kind(_, OfKind::BytesPerS) => format!("{:.1} MB/s", value / 1e6),
            Figure::Kind(..) => Nanos(value as u64).to_string(),
            Figure::Metric(_) => format!("{value:.3}"),
        }
    }
}

/// Returns the reason for which no run will ever have a metric of this name; none if one may.
pub fn unknown_metric(name: &str) -> Option<String> {
    (!quantity::is_known(name)).then(|| {
        let near = near(name, quantity::metrics());
        let all: Vec<&str> = quantity::metrics().collect();
        let all = all.join(", ");
        format!("no run has a metric `{name}`{near}; there are {all}")
    })
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

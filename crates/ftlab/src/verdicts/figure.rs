//! A figure of a run by its name: `write.p99`, `wa`.

use ftlab_base::Nanos;
use ftlab_result::{Run, Traffic, metrics};
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Trim,
    Flush,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Read, Kind::Write, Kind::Trim, Kind::Flush];

    pub const fn word(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Trim => "trim",
            Kind::Flush => "flush",
        }
    }

    fn of(self, run: &Run) -> &Traffic {
        match self {
            Kind::Read => &run.read,
            Kind::Write => &run.write,
            Kind::Trim => &run.trim,
            Kind::Flush => &run.flush,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OfKind {
    Iops,
    BytesPerS,
    LatencyMean,
    LatencyMax,
    LatencyPercentile(f64),
}

impl OfKind {
    /// What of a kind of request a word says.
    pub fn named(word: &str) -> Option<OfKind> {
        match word {
            "iops" => Some(OfKind::Iops),
            "bw" => Some(OfKind::BytesPerS),
            "mean" | "avg" => Some(OfKind::LatencyMean),
            "max" => Some(OfKind::LatencyMax),
            word => {
                let percent = word.strip_prefix('p')?.parse().ok()?;
                let is_known = ftlab_play::record::PERCENTILES.contains(&percent);
                is_known.then_some(OfKind::LatencyPercentile(percent))
            }
        }
    }
}

impl Figure {
    /// The figure of that name.
    pub fn named(name: &str) -> Option<Figure> {
        match name.split_once('.') {
            Some((kind, of)) => {
                let kind = Kind::ALL.into_iter().find(|of| of.word() == kind)?;
                let of = OfKind::named(of)?;
                // A flush moves no bytes.
                let is_any = !(kind == Kind::Flush && of == OfKind::BytesPerS);
                is_any.then_some(Figure::Kind(kind, of))
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

    /// What the run gave; none where it gave nothing of the kind.
    pub fn measured(&self, run: &Run) -> Option<f64> {
        match self {
            Figure::Metric(name) => run.metrics.get(name).copied(),
            Figure::Kind(kind, of) => {
                let traffic = Some(kind.of(run)).filter(|traffic| traffic.ios > 0)?;
                match of {
                    OfKind::Iops => Some(traffic.iops),
                    OfKind::BytesPerS => Some(traffic.bytes_per_s),
                    // Without a clock there is none.
                    _ if traffic.lat_ns_percentiles.is_empty() => None,
                    OfKind::LatencyMean => Some(traffic.lat_ns_mean),
                    OfKind::LatencyMax => Some(traffic.lat_ns_max as f64),
                    OfKind::LatencyPercentile(percent) => {
                        let percentiles = &traffic.lat_ns_percentiles;
                        let found = percentiles.iter().find(|(p, _)| p == percent);
                        found.map(|(_, ns)| *ns as f64)
                    }
                }
            }
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

/// Why no run will ever have a metric of this name; none if one may.
pub fn unknown_metric(name: &str) -> Option<String> {
    (!metrics::is_one(name)).then(|| {
        let near = near(name, metrics::NAMES.into_iter());
        let all = metrics::NAMES.join(", ");
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

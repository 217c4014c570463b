//! A figure that was both measured and simulated.

use std::collections::BTreeMap;

use ftlab_result::quantity::{self, OfKind, table};
use ftlab_result::{Job, Run, Spread, Traffic};

use crate::format;
use crate::view::measure;

/// Figures of reads or of writes that are compared; the rest of the percentiles is drawn.
const OF_REQUESTS: [(OfKind, &str); 9] = [
    (OfKind::Iops, "IOPS"),
    (OfKind::LatencyMean, "average latency"),
    (OfKind::LatencyPercentile(50.0), "p50"),
    (OfKind::LatencyPercentile(90.0), "p90"),
    (OfKind::LatencyPercentile(99.0), "p99"),
    (OfKind::LatencyPercentile(99.9), "p99.9"),
    (OfKind::LatencyPercentile(99.99), "p99.99"),
    (OfKind::LatencyPercentile(99.999), "p99.999"),
    (OfKind::LatencyMax, "longest latency"),
];

/// Two values that differ by less are the same: percentiles are kept to a thousandth.
const SAME: f64 = 0.002;

/// What a figure is about: errors of one kind are summed up together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Requests or bytes a second.
    Rate,
    /// The time of a request.
    Latency,
    /// Bytes written to flash for those that the host wrote.
    Amplification,
    /// The time of a whole load, a program or a pause.
    Duration,
    /// Watts, and joules a gigabyte.
    Energy,
    /// Counts, shares, amounts.
    Other,
}

impl Kind {
    /// Every kind, in order.
    pub const ALL: [Kind; 6] = [
        Kind::Rate,
        Kind::Latency,
        Kind::Amplification,
        Kind::Duration,
        Kind::Energy,
        Kind::Other,
    ];

    /// Its name in tables.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Kind::Rate => "Rates",
            Kind::Latency => "Latencies",
            Kind::Amplification => "Amplification",
            Kind::Duration => "Durations",
            Kind::Energy => "Energy",
            Kind::Other => "Other figures",
        }
    }

    fn of_unit(unit: &str) -> Kind {
        match unit {
            "IOPS" | "MB/s" | "MiB/s" | "KB/s" | "1/s" => Kind::Rate,
            "ns" | "µs" | "ms" => Kind::Latency,
            "×" => Kind::Amplification,
            "s" | "min" => Kind::Duration,
            "W" | "J/GB" => Kind::Energy,
            _ => Kind::Other,
        }
    }
}

/// A figure of a run, or of one of its jobs, on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure<'a> {
    /// The job; empty where it is of all jobs.
    pub job: &'a str,
    /// Its name, a metric or `read.p99`.
    pub name: String,
    /// Its name in words.
    pub words: String,
    /// The unit of both values; empty for a count.
    pub unit: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// Its value on the real drive.
    pub measured: f64,
    /// Its value on the model; of repeats the mean.
    pub simulated: f64,
    /// The spread of the simulated value over repeats.
    pub spread: Option<&'a Spread>,
    /// True if another figure of the run before it says the same, in another unit or under another name: a rate in bytes
    /// follows from one in requests of one size.
    pub is_repeated: bool,
}

impl Figure<'_> {
    /// The simulated value over the measured one; none where one of them is zero.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        if self.measured == self.simulated {
            return Some(1.0);
        }
        let ratio = self.simulated / self.measured;
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// How far the model is off, whatever the direction: the natural logarithm of the ratio.
    #[must_use]
    pub fn distance(&self) -> Option<f64> {
        Some(self.ratio()?.ln().abs())
    }

    /// The error of the model as a reader sees it: in percent, past half and double as a factor.
    #[must_use]
    pub fn error(&self) -> String {
        self.ratio().map_or("–".to_owned(), format::ratio_error)
    }

    /// The measured value with its unit.
    #[must_use]
    pub fn measured_words(&self) -> String {
        self.value_words(self.measured, None)
    }

    /// The simulated value with its unit.
    #[must_use]
    pub fn simulated_words(&self) -> String {
        self.value_words(self.simulated, self.spread)
    }

    fn value_words(&self, value: f64, spread: Option<&Spread>) -> String {
        match (self.nanoseconds(value), spread) {
            (Some(ns), None) => format::latency_ns(ns),
            _ => format::with_unit(&format::simulated(value, spread), self.unit),
        }
    }

    /// A value of this figure in nanoseconds, if it is a latency.
    fn nanoseconds(&self, value: f64) -> Option<f64> {
        match self.unit {
            "ns" => Some(value),
            "µs" => Some(value * 1e3),
            "ms" => Some(value * 1e6),
            _ => None,
        }
    }

    /// Tells if another figure says the same under another name.
    fn says_the_same(&self, other: &Figure<'_>) -> bool {
        let comparable = |value: f64, of: &Figure<'_>| match of.unit {
            "MiB/s" => value * 1.048_576,
            _ => of.nanoseconds(value).unwrap_or(value),
        };
        let units = [self, other].map(|of| match of.unit {
            "MiB/s" => "MB/s",
            "ns" | "ms" => "µs",
            "1/s" => "IOPS",
            unit => unit,
        });
        let pair = |of: &Figure<'_>| [of.measured, of.simulated].map(|value| comparable(value, of));
        let (own, others) = (pair(self), pair(other));
        units[0] == units[1] && (0..2).all(|n| is_same(own[n], others[n]))
    }
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.abs().max(other.abs())
}

/// The figures of a run that both sides have, the one that the chart of its test draws first.
pub fn figures<'a>(first: &str, measured: &'a Run, simulated: &'a Run) -> Vec<Figure<'a>> {
    let names = measured.metrics.keys().map(String::as_str);
    let names = measure::in_order(
        first,
        names.filter(|name| simulated.metrics.contains_key(*name)),
    );
    let mut figures: Vec<Figure<'a>> = Vec::new();
    let mut put = |figure: Figure<'a>| {
        // Where nothing happened on either side there is nothing to compare.
        if figure.measured == 0.0 && figure.simulated == 0.0 {
            return;
        }
        let is_repeated = (figures.iter().filter(|of| of.job == figure.job))
            .any(|before| figure.says_the_same(before) || follows(&figure, before));
        figures.push(Figure {
            is_repeated,
            ..figure
        });
    };
    for name in names {
        let (unit, values) = (quantity::unit(name), [measured, simulated]);
        let [measured, simulated] = values.map(|run| run.metrics[name]);
        put(Figure {
            job: "",
            name: name.to_owned(),
            words: quantity::words(name),
            unit,
            kind: kind(name, unit),
            measured,
            simulated,
            spread: values[1].spread.get(name),
            is_repeated: false,
        });
    }
    let whole = |run: &'a Run| {
        [
            ("read", &run.read),
            ("write", &run.write),
            ("flush", &run.flush),
        ]
    };
    of_requests("", whole(measured), whole(simulated), &mut put);
    let jobs = |run: &'a Run| -> BTreeMap<&'a str, &'a Job> {
        run.jobs
            .iter()
            .map(|job| (job.name.as_str(), job))
            .collect()
    };
    if measured.jobs.len() > 1 {
        let others = jobs(simulated);
        for (name, job) in jobs(measured) {
            if let Some(other) = others.get(name) {
                let parts = |job: &'a Job| {
                    [
                        ("read", &job.read),
                        ("write", &job.write),
                        ("flush", &job.flush),
                    ]
                };
                of_requests(name, parts(job), parts(other), &mut put);
            }
        }
    }
    figures
}

/// The kind of a metric; a pause is no latency, whatever its unit.
fn kind(name: &str, unit: &str) -> Kind {
    match name {
        name if name == table::LONGEST_PAUSE_S.name => Kind::Duration,
        _ => Kind::of_unit(unit),
    }
}

/// A rate in bytes follows from one in requests before it, where requests are of one size on both sides.
fn follows(figure: &Figure<'_>, before: &Figure<'_>) -> bool {
    let names = [figure.name.as_str(), before.name.as_str()];
    let iops = table::IOPS.name;
    let is_pair = names.contains(&iops)
        && [table::MB_S.name, table::MIB_S.name]
            .iter()
            .any(|of| names.contains(of));
    let ratios = [figure.ratio(), before.ratio()];
    matches!(ratios, [Some(one), Some(other)] if is_pair && is_same(one, other))
}

type Parts<'a> = [(&'static str, &'a Traffic); 3];

fn of_requests<'a>(
    job: &'a str,
    measured: Parts<'a>,
    simulated: Parts<'a>,
    put: &mut impl FnMut(Figure<'a>),
) {
    for ((kind, one), (_, other)) in measured.into_iter().zip(simulated) {
        for (of, words) in OF_REQUESTS {
            let (Some(measured), Some(simulated)) = (of.value_of(one), of.value_of(other)) else {
                continue;
            };
            let unit = match of {
                OfKind::Iops => "IOPS",
                _ => "ns",
            };
            put(Figure {
                job,
                name: format!("{kind}.{}", word(of)),
                words: format!("{}, {words}", requests(kind)),
                unit,
                kind: Kind::of_unit(unit),
                measured,
                simulated,
                spread: None,
                is_repeated: false,
            });
        }
    }
}

fn requests(kind: &str) -> &'static str {
    match kind {
        "read" => "Reads",
        "write" => "Writes",
        _ => "Flushes",
    }
}

/// The word of a figure of requests, as wherever figures are asked for.
fn word(of: OfKind) -> String {
    match of {
        OfKind::Iops => "iops".to_owned(),
        OfKind::BytesPerS => "bw".to_owned(),
        OfKind::LatencyMean => "mean".to_owned(),
        OfKind::LatencyMax => "max".to_owned(),
        OfKind::LatencyPercentile(percent) => format!("p{percent}"),
    }
}

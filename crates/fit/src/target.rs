//! The figures of a drive that a fit is made to, and those that judge it.

use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{ResultSet, Run};
use std::collections::BTreeMap;

/// What tests that are fitted to nothing have at the beginning of their family's slug.
pub const HELD_OUT: &str = "held-out";

/// Where a figure is from: the test, the state of the drive and the metric.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Slug of the test.
    pub test: String,
    /// State of the drive at its start.
    pub state: String,
    /// Name of the metric.
    pub metric: String,
}

/// Kind of a figure, which decides how well it is known and how it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Operations or bytes a second.
    Rate,
    /// A median or mean latency.
    Typical,
    /// Bytes programmed over bytes written.
    Amplification,
    /// An amount of data, such as what a cache takes.
    Size,
    /// A 99th percentile.
    Tail,
    /// A percentile beyond that.
    FarTail,
}

/// Rates, each of which says something of its own.
const RATES: &[Quantity] = &[
    table::IOPS,
    table::MEAN_MB_S,
    table::SLC_WRITE_MB_S,
    table::AFTER_MB_S,
    table::FOLD_MB_S,
    table::RESTED_MB_S,
];

/// Amounts of data that tell what a cache takes.
const SIZES: &[Quantity] = &[table::SLC_GB, table::DIRECT_UNTIL_GB, table::RESTED_GB];

impl Kind {
    /// The kind of a metric; none for what says the same as another, or is no figure of the drive.
    #[must_use]
    pub fn of(metric: &str) -> Option<Kind> {
        let is = |all: &[Quantity]| all.iter().any(|of| of.name == metric);
        match metric {
            _ if is(RATES) => Some(Kind::Rate),
            _ if is(SIZES) => Some(Kind::Size),
            _ if is(&[table::COMMIT_US]) => Some(Kind::Typical),
            _ if is(&[table::WA]) => Some(Kind::Amplification),
            _ if metric.ends_with("_lat_p50_us") => Some(Kind::Typical),
            _ if metric.ends_with("_lat_p99_us") => Some(Kind::Tail),
            _ if metric.ends_with("_lat_p999_us") => Some(Kind::FarTail),
            _ => None,
        }
    }

    /// The relative error of such a figure that counts as one deviation: what a repeat of the run changes, and what the model
    /// is trusted to.
    #[must_use]
    pub fn deviation(self) -> f64 {
        match self {
            Kind::Rate | Kind::Amplification => 0.01,
            Kind::Typical | Kind::Size => 0.02,
            Kind::Tail => 0.06,
            Kind::FarTail => 0.15,
        }
    }

    /// Returns true for rates, medians and amplification, of which a fit must miss none by far.
    #[must_use]
    pub fn is_firm(self) -> bool {
        matches!(self, Kind::Rate | Kind::Typical | Kind::Amplification)
    }
}

/// Figures of a drive by their places.
pub type Figures = BTreeMap<Place, f64>;

/// The figures of runs.
#[must_use]
pub fn figures<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Figures {
    let mut figures = Figures::new();
    for run in runs {
        for (metric, value) in &run.metrics {
            let Some(kind) = Kind::of(metric) else {
                continue;
            };
            // Without a write there is no amplification to speak of, and collection needs a steady drive.
            let is_idle =
                kind == Kind::Amplification && (run.write.ios == 0 || run.state != "steady");
            // A fill has its rates by plateaus.
            let is_twice = *metric == table::IOPS.name && table::MEAN_MB_S.of(run).is_some();
            if is_idle || is_twice || !value.is_finite() || *value <= 0.0 {
                continue;
            }
            let place = Place {
                test: run.test.clone(),
                state: run.state.clone(),
                metric: metric.clone(),
            };
            figures.insert(place, *value);
        }
    }
    figures
}

/// What a drive gave in a suite's tests.
#[derive(Debug, Clone)]
pub struct Target {
    /// Everything that was measured.
    pub figures: Figures,
}

impl Target {
    /// The figures of the one drive of a result set.
    #[must_use]
    pub fn of(set: &ResultSet) -> Target {
        Target {
            figures: figures(&set.runs),
        }
    }

    /// The figures of some tests.
    pub fn of_tests<'a>(&'a self, tests: &'a [String]) -> impl Iterator<Item = (&'a Place, f64)> {
        let figures = self.figures.iter();
        let figures = figures.filter(|(place, _)| tests.contains(&place.test));
        figures.map(|(place, value)| (place, *value))
    }

    /// One figure.
    #[must_use]
    pub fn get(&self, test: &str, metric: &Quantity) -> Option<f64> {
        let mut figures = self.figures.iter();
        let found = figures.find(|(place, _)| place.test == test && place.metric == metric.name);
        found.map(|(_, value)| *value)
    }
}

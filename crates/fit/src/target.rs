//! The figures of a drive that a fit is made to, and those that judge it.

use ftlab_result::quantity::{self, Quantity, table};
use ftlab_result::{ResultSet, Run};
use ftlab_states::State;
use std::collections::BTreeMap;
use thiserror::Error;

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
    table::MB_S,
    table::MIB_S,
    table::WRITE_MIB_S,
    table::WRITES_PER_S,
    table::SERVED_WRITES_PER_S,
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
            _ if is(&[table::WA, table::WRITE_AMP]) => Some(Kind::Amplification),
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

/// The figures of a run that each say something of their own.
fn own_figures(run: &Run) -> impl Iterator<Item = (Place, f64)> {
    // The same figure in other words.
    let is_twice = |metric: &str| match metric {
        // A fill has its rates by plateaus.
        _ if metric == table::IOPS.name => table::MEAN_MB_S.of(run).is_some(),
        _ => [table::MB_S, table::MIB_S, table::WRITES_PER_S]
            .iter()
            .any(|of| of.name == metric),
    };
    let figures = run.metrics.iter().filter_map(move |(metric, value)| {
        let kind = Kind::of(metric)?;
        // Without a write there is no amplification to speak of, and collection needs a drive that was full.
        let is_idle = kind == Kind::Amplification
            && (run.write.ios == 0
                || [State::New.name(), State::Filled.name()].contains(&&*run.state));
        let place = Place {
            test: run.test.clone(),
            state: run.state.clone(),
            metric: metric.clone(),
        };
        (!is_idle && !is_twice(metric)).then_some((place, *value))
    });
    figures.filter(|(_, value)| value.is_finite() && *value > 0.0)
}

/// What runs give of figures.
#[must_use]
pub fn figures<'a>(runs: &[&Run], places: impl IntoIterator<Item = &'a Place>) -> Figures {
    let of = |place: &Place| {
        let mut runs = runs.iter();
        let run = runs.find(|run| run.test == place.test && run.state == place.state)?;
        let value = quantity::value(run, &place.metric, None)?;
        (value.is_finite() && value > 0.0).then(|| (place.clone(), value))
    };
    places.into_iter().filter_map(of).collect()
}

/// What a drive gave in tests.
#[derive(Debug, Clone)]
pub struct Target {
    /// The drive's name.
    pub name: String,
    /// Bytes that the host sees.
    pub capacity_bytes: u64,
    /// Everything that was measured.
    pub figures: Figures,
    /// How and where, in words.
    pub measured: String,
}

/// Reason why results are of no one drive.
#[derive(Debug, Error)]
pub enum TargetError {
    /// A fit is of one drive.
    #[error(
        "the results are of {0} drives; a fit is to one: measure it alone, or give results of it alone"
    )]
    Drives(usize),
    /// Nobody said how large the drive is.
    #[error(
        "the results do not say how large the drive is; give it to `ftlab import results` with --capacity"
    )]
    NoCapacity,
}

impl Target {
    /// What the one drive of a result set gave.
    ///
    /// # Errors
    /// When the results are of no drive or several, or do not say how large it is.
    pub fn of(set: &ResultSet) -> Result<Target, TargetError> {
        let [drive] = &set.drives[..] else {
            return Err(TargetError::Drives(set.drives.len()));
        };
        if drive.capacity_bytes == 0 {
            return Err(TargetError::NoCapacity);
        }
        Ok(Target {
            name: drive.name.clone(),
            capacity_bytes: drive.capacity_bytes,
            figures: set.runs.iter().flat_map(own_figures).collect(),
            measured: format!("{} on {}", set.origin.way.name(), set.origin.testbed),
        })
    }

    /// The figures of some tests.
    pub fn of_tests<'a>(&'a self, tests: &'a [String]) -> impl Iterator<Item = (&'a Place, f64)> {
        let figures = self.figures.iter();
        let figures = figures.filter(|(place, _)| tests.contains(&place.test));
        figures.map(|(place, value)| (place, *value))
    }

    /// Returns true if some test gave such a figure.
    #[must_use]
    pub fn has(&self, metric: &Quantity) -> bool {
        self.figures.keys().any(|place| place.metric == metric.name)
    }

    /// One figure.
    #[must_use]
    pub fn get(&self, test: &str, metric: &Quantity) -> Option<f64> {
        let mut figures = self.figures.iter();
        let found = figures.find(|(place, _)| place.test == test && place.metric == metric.name);
        found.map(|(_, value)| *value)
    }
}

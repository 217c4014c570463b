//! Ends and failures of a job by what it sees of the drive.

use ftlab_base::Nanos;

/// The search for the depth at which a share of the requests ends within a time (fio's `latency_target`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyTarget {
    /// The longest that a request may take; none where nothing is sought.
    pub target: Option<Nanos>,
    /// Time for which a depth is tried.
    pub window: Nanos,
    /// Percent of the requests that have to keep within it.
    pub percentile: f64,
    /// Goes on once the depth is found.
    pub run: bool,
}

impl Default for LatencyTarget {
    fn default() -> Self {
        LatencyTarget {
            target: None,
            window: Nanos::ZERO,
            percentile: 100.0,
            run: false,
        }
    }
}

/// Rate of a job that has to be steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Requests in a second.
    Iops,
    /// Bytes in a second.
    Bandwidth,
}

/// Condition under which a job counts as steady (fio's `steadystate`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Rate that is watched.
    pub measure: Measure,
    /// The slope of a line through the measured seconds, rather than their largest distance from the mean.
    pub by_slope: bool,
    /// Limit that the deviation has to be below.
    pub limit: f64,
    /// The limit is in percent of the mean.
    pub in_percent: bool,
    /// Over how long it looks; zero where nothing is sought.
    pub duration: Nanos,
    /// Time in which nothing counts for it.
    pub ramp: Nanos,
}

impl Default for Steady {
    fn default() -> Self {
        Steady {
            measure: Measure::Iops,
            by_slope: true,
            limit: 0.01,
            in_percent: true,
            duration: Nanos::ZERO,
            ramp: Nanos::ZERO,
        }
    }
}

/// Kinds of failure that do not end a job (fio's `continue_on_error`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Continue {
    /// Errors of the reads.
    pub read: bool,
    /// Writes, trims and flushes.
    pub write: bool,
}

/// Jobs that end with one that has `exitall`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExitWhat {
    /// Those of its group.
    #[default]
    Group,
    /// Those that run just then.
    Stonewall,
    /// All, those to come as well.
    All,
}

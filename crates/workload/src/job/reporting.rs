//! How a job is reported.

/// Which directions a job is reported by (fio's `unified_rw_reporting`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unified {
    /// Reads, writes and trims.
    #[default]
    Apart,
    /// All of them as one.
    Mixed,
    /// Both.
    Both,
}

/// What a job leaves out of what it reports (fio's `disable_lat`, `disable_clat`, `disable_slat` and
/// `disable_bw_measurement`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// From the request's beginning on.
    pub lat: bool,
    /// From submission to completion, and those of flushes.
    pub clat: bool,
    /// Up to submission.
    pub slat: bool,
    /// Rates of requests, of which it writes no log then.
    pub bw: bool,
}

impl LeftOut {
    /// Whether there are any.
    #[must_use]
    pub fn any(self) -> bool {
        self != LeftOut::default()
    }
}

/// How a job is reported. What it is asked to do is the same, however that is.
#[derive(Debug, Clone, PartialEq)]
pub struct Reporting {
    /// Percentiles, ascending; fio's own where there are none.
    pub percentiles: Vec<f64>,
    /// Percentiles of latencies from submission to completion.
    pub of_clat: bool,
    /// The same from the request's beginning on, which is its submission.
    pub of_lat: bool,
    /// The same up to submission, which are zero.
    pub of_slat: bool,
    /// What is left out.
    pub left_out: LeftOut,
    /// By which directions.
    pub unified: Unified,
    /// It begins a group of its own.
    pub new_group: bool,
    /// Whether the drive below it is reported as fio reports disks.
    pub of_disk: bool,
    /// Whether it is reported at all.
    pub is_shown: bool,
}

impl Default for Reporting {
    fn default() -> Self {
        Reporting {
            percentiles: Vec::new(),
            of_clat: true,
            of_lat: false,
            of_slat: false,
            left_out: LeftOut::default(),
            unified: Unified::Apart,
            new_group: false,
            of_disk: true,
            is_shown: true,
        }
    }
}

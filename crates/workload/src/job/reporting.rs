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

/// How a job is reported. What it is asked to do is the same, however that is.
#[derive(Debug, Clone, PartialEq)]
pub struct Reporting {
    /// Percentiles, ascending; fio's own where there are none.
    pub percentiles: Vec<f64>,
    /// Percentiles of latencies from submission to completion.
    pub of_clat: bool,
    /// The same from the request's beginning on, which is its submission.
    pub of_lat: bool,
    /// The same up to submission, of which there are none.
    pub of_slat: bool,
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
            unified: Unified::Apart,
            new_group: false,
            of_disk: true,
            is_shown: true,
        }
    }
}

//! Form of the report on a job.

/// Directions that a job is reported by (fio's `unified_rw_reporting`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unified {
    /// Reads, writes and trims.
    #[default]
    Apart,
    /// All of them as one.
    Mixed,
    /// Both of these forms.
    Both,
}

/// Measurements that a job leaves out of its report (fio's `disable_lat`, `disable_clat`, `disable_slat` and
/// `disable_bw_measurement`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// From the request's beginning on.
    pub lat: bool,
    /// From submission to completion, and those of flushes.
    pub clat: bool,
    /// Those up to submission.
    pub slat: bool,
    /// Rates of requests, of which it writes no log then.
    pub bw: bool,
}

impl LeftOut {
    /// Returns true if any are left out.
    #[must_use]
    pub fn any(self) -> bool {
        self != LeftOut::default()
    }
}

/// Form of the report on a job. It does not change the requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Reporting {
    /// Percentiles, ascending; fio's own where there are none.
    pub percentiles: Vec<f64>,
    /// Percentiles of latencies from submission to completion.
    pub of_clat: bool,
    /// Percentiles of latencies from the request's beginning on, which is its submission.
    pub of_lat: bool,
    /// Percentiles of latencies up to submission, which are zero.
    pub of_slat: bool,
    /// Measurements that are left out.
    pub left_out: LeftOut,
    /// Directions of the report.
    pub unified: Unified,
    /// It begins a group of its own.
    pub new_group: bool,
    /// True if the drive below the job is reported as fio reports disks.
    pub of_disk: bool,
    /// True if the job is reported at all.
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

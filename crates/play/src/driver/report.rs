//! What a run came to.

use super::{JobReport, PauseReport, PowerReport, WriteAmplification};
use ftlab_base::Nanos;
use ftlab_drive::Counters;

/// What a run came to.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Its jobs, in the order of the job file.
    pub jobs: Vec<JobReport>,
    /// Commands submitted, over all jobs and the whole run.
    pub submitted: u64,
    /// Commands completed; equal to `submitted`, or the run had been an error.
    pub completed: u64,
    /// Virtual time from the first job's start to the end of the last; zero without a clock.
    pub simulated: Nanos,
    /// What happened inside the drive, from the end of the first ramp to the end of the run.
    pub counters: Counters,
    /// What the drive took from its supply; `None` without a clock, or when its file does not say.
    pub power: Option<PowerReport>,
    /// NAND bytes programmed over host bytes written.
    pub wa: WriteAmplification,
    /// Whether a job of a job file wrote at random.
    pub writes_at_random: bool,
    /// The same of each second of the measured time; 0 where the host wrote nothing.
    pub series_wa: Vec<f64>,
    /// Times without progress; all zero without a clock.
    pub pauses: PauseReport,
}

impl RunReport {
    /// Whether garbage collection had settled when the run ended: it began on a drive that had, or the
    /// steady rule held at its end. None for a run that wrote nothing at random, or not to flash: what
    /// it costs need not settle.
    #[must_use]
    pub fn settled(&self, began_settled: bool) -> Option<bool> {
        (self.writes_at_random && self.counters.nand_bytes_programmed > 0)
            .then(|| began_settled || self.wa.steady.is_some())
    }
}

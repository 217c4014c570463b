//! Reasons why a cell has no outcome.

use ftlab_base::Blame;
use ftlab_play::driver::DriverError;
use ftlab_sheet::SheetError;
use ftlab_states::PrepareError;
use ftlab_states::watch::Stopped;
use thiserror::Error;

/// Reason why a cell has no outcome.
#[derive(Debug, Error)]
pub enum LabError {
    /// A drive cannot be built.
    #[error("drive {drive}: {error}")]
    Drive {
        /// Slug of the drive.
        drive: String,
        /// Reason of the failure.
        error: SheetError,
    },
    /// A drive cannot be brought to a state.
    #[error("drive {drive}: {error}")]
    Prepare {
        /// Slug of the drive.
        drive: String,
        /// Reason of the failure.
        error: PrepareError,
    },
    /// A course cannot go on.
    #[error("drive {drive}, {course}: {why}")]
    Course {
        /// Slug of the drive.
        drive: String,
        /// The name of the course.
        course: String,
        /// Reason of the failure.
        why: String,
    },
    /// A run cannot be made or finished.
    #[error("{run}: {error}")]
    Run {
        /// Name of the run, as `drive/test/state`.
        run: String,
        /// Reason of the failure.
        error: Box<DriverError>,
    },
    /// A task for a drive, beside its load, that cannot be done.
    #[error("{0}")]
    Refused(String),
    /// It cannot go on, in whole words.
    #[error("{0}")]
    Failed(String),
    /// Nobody waits for it any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The system gives no threads.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// Number that was asked for.
        threads: usize,
        /// Reason that the system gave.
        why: String,
    },
}

impl LabError {
    /// Returns true if the work was ended by whoever waited for it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        match self {
            LabError::Stopped(_) => true,
            LabError::Prepare { error, .. } => matches!(error, PrepareError::Stopped(_)),
            LabError::Run { error, .. } => matches!(**error, DriverError::Stopped(_)),
            _ => false,
        }
    }
}

impl Blame for LabError {
    fn is_input(&self) -> bool {
        match self {
            LabError::Drive { .. } | LabError::Refused(_) => true,
            LabError::Prepare { error, .. } => error.is_input(),
            LabError::Run { error, .. } => error.is_input(),
            LabError::Course { .. }
            | LabError::Failed(_)
            | LabError::Stopped(_)
            | LabError::Threads { .. } => false,
        }
    }
}

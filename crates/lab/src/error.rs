//! Why a cell has no outcome.

use ftlab_base::Blame;
use ftlab_play::driver::DriverError;
use ftlab_play::states::PrepareError;
use ftlab_play::watch::Stopped;
use ftlab_sheet::SheetError;
use thiserror::Error;

/// Why a cell has no outcome.
#[derive(Debug, Error)]
pub enum LabError {
    /// A drive cannot be built.
    #[error("drive {drive}: {error}")]
    Drive {
        /// Slug.
        drive: String,
        /// Why.
        error: SheetError,
    },
    /// A drive cannot be brought to a state.
    #[error("drive {drive}: {error}")]
    Prepare {
        /// Slug.
        drive: String,
        /// Why.
        error: PrepareError,
    },
    /// A course cannot go on.
    #[error("drive {drive}, {course}: {why}")]
    Course {
        /// Slug.
        drive: String,
        /// The name of the course.
        course: String,
        /// Why.
        why: String,
    },
    /// A run cannot be made or finished.
    #[error("{run}: {error}")]
    Run {
        /// `drive/test/state`.
        run: String,
        /// Why.
        error: Box<DriverError>,
    },
    /// What was to be done with a drive beside its load cannot be done.
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
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        why: String,
    },
}

impl LabError {
    /// Whether the work was ended by whoever waited for it.
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

//! Errors of sweeps: of their grids, folders and rows.

use ftlab_base::Blame;
use ftlab_bench::loads::ReadError;
use ftlab_output::OutputError;
use ftlab_sheet::SheetError;
use thiserror::Error;

/// The error of a sweep that cannot be read, begun, kept or merged.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The grid says what cannot be.
    #[error("{file}: {why}")]
    Grid {
        /// The file of the grid.
        file: String,
        /// The error, and the words to write instead.
        why: String,
    },
    /// A drive of the grid cannot be read.
    #[error("{file}: {error}")]
    Drive {
        /// The file of the grid.
        file: String,
        /// The error of the drive.
        error: Box<SheetError>,
    },
    /// A load of the grid cannot be read.
    #[error("{file}: {error}")]
    Load {
        /// The file of the grid.
        file: String,
        /// The error of the load.
        error: Box<ReadError>,
    },
    /// No drive of the grid can be as its settings say.
    #[error("no row of the grid can run, the first because: {0}")]
    AllRefused(String),
    /// A share of the rows is none.
    #[error("{0}")]
    Share(String),
    /// A file of the folder cannot be read.
    #[error("cannot read {path}: {why}; remove it to have its rows run again")]
    Unreadable {
        /// The path of the file, a table of finished rows.
        path: String,
        /// The error of the read or of the format, in a line.
        why: String,
    },
    /// A folder cannot be used.
    #[error("cannot use the folder {path}: {why}")]
    Folder {
        /// The path of the folder.
        path: String,
        /// The reason in a line, with a way out if there is one.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot write {path}: {why}")]
    Unwritten {
        /// The path of the file; `rows` for a table that failed in memory.
        path: String,
        /// The reason in a line: a full disk, missing rights, a table that cannot be packed.
        why: String,
    },
    /// A folder or a file to write is not to be had.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Rows that are to be merged are not there.
    #[error(
        "{missing} of {all} rows are missing, the first of them row {first}; run the shards that have them, then merge"
    )]
    Missing {
        /// Number of rows that are missing.
        missing: usize,
        /// Number of rows of the grid.
        all: usize,
        /// The first that is missing.
        first: usize,
    },
}

impl Blame for SweepError {
    fn is_input(&self) -> bool {
        match self {
            SweepError::Unwritten { .. } | SweepError::Missing { .. } => false,
            SweepError::Output(error) => error.is_input(),
            _ => true,
        }
    }
}

//! What goes into a fit and what comes out.

use ftlab_base::Blame;
use ftlab_drive::DriveFile;
use ftlab_play::driver::DriverError;
use ftlab_sheet::SheetError;
use ftlab_states::PrepareError;
use serde::Serialize;
use thiserror::Error;

/// The reason that a drive file cannot be fitted.
#[derive(Debug, Error)]
pub enum CalibrateError {
    /// A figure that cannot be used, with the reason and the way out.
    #[error("{0}")]
    Input(String),
    /// No such drive can be.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The model cannot be brought to where it is measured.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A run of the model failed.
    #[error(transparent)]
    Run(#[from] DriverError),
}

impl Blame for CalibrateError {
    fn is_input(&self) -> bool {
        match self {
            CalibrateError::Input(_) | CalibrateError::Sheet(_) => true,
            CalibrateError::Prepare(error) => error.is_input(),
            CalibrateError::Run(error) => error.is_input(),
        }
    }
}

/// Write amplification of random writes of one slot, when a share of the drive was in use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredWa {
    /// Bytes programmed over bytes written.
    pub wa: f64,
    /// The share of the addresses that held data.
    pub used: f64,
}

/// A number that was fitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fitted {
    /// Section and key in the drive file, such as `nand.t_program`.
    pub key: &'static str,
    /// The unit of the number; `1` for a count.
    pub unit: &'static str,
    /// The number before the fit; none, if the file did not have it.
    pub was: Option<f64>,
    /// The number after the fit, in the same unit.
    pub is: f64,
    /// The figure's name and unit.
    pub figure: [&'static str; 2],
    /// The figure of the real drive.
    pub measured: f64,
    /// The model's figure before the fit, and after all numbers were fitted.
    pub model: [f64; 2],
    /// The file of the figure; nothing, if it was given as a number.
    pub source: Option<String>,
    /// Ids of the figures that the number is from, or the file.
    pub from: Vec<String>,
}

/// What pins a number of a drive that was made from a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PinnedBy {
    /// What the sheet tells or announces.
    Sheet,
    /// Sources for drives of its class.
    Class,
    /// Nothing: it is assumed.
    Nothing,
}

impl PinnedBy {
    /// Its name, as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PinnedBy::Sheet => "sheet",
            PinnedBy::Class => "class",
            PinnedBy::Nothing => "nothing",
        }
    }
}

/// A number of the drive, and what pins it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pinned {
    /// Section and key.
    pub key: String,
    /// What pins it.
    pub by: PinnedBy,
}

/// A drive fitted to figures, and the record of the fit.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The drive, read from the text below.
    pub file: DriveFile,
    /// Its text, to be kept as a file.
    pub text: String,
    /// The numbers that were fitted, in order.
    pub fitted: Vec<Fitted>,
    /// Figures that the drive does not reach, each with the reason: a sheet's that contradict each other.
    pub contradictions: Vec<String>,
    /// What else is to be known of the drive.
    pub remarks: Vec<String>,
    /// What pins each number, for a drive that was made from a sheet.
    pub pinned: Vec<Pinned>,
}

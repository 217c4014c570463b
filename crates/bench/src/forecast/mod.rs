//! What a drive will give that is known by its data sheet alone: a middle, and a range.
//!
//! The sheet makes the drive and leaves numbers to its class. Members of the class run the load; the range is that of their
//! middle four fifths, widened by what the model is off by on drives that are known, made from their sheets the same way.

mod kind;
mod made;
mod range;
mod request;
mod residuals;
mod row;

pub use kind::Kind;
pub use made::{Forecast, forecast};
pub use range::{Range, middle, outside, residual, widened};
pub use request::{Asked, Request};
pub use residuals::{Known, Residuals};
pub use row::{Row, read, seal, text};

use crate::calibrate::CalibrateError;
use ftlab_base::Blame;
use ftlab_lab::LabError;
use ftlab_sheet::SheetError;
use std::sync::Arc;
use thiserror::Error;

/// The reason that nothing can be predicted.
#[derive(Debug, Error)]
pub enum ForecastError {
    /// What was asked for is wrong, with the way out.
    #[error("{0}")]
    Input(String),
    /// The sheet makes no drive.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// No such member can be, or no such machine is there.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A run failed.
    #[error(transparent)]
    Lab(#[from] Arc<LabError>),
}

impl Blame for ForecastError {
    fn is_input(&self) -> bool {
        match self {
            ForecastError::Input(_) | ForecastError::Sheet(_) => true,
            ForecastError::Calibrate(error) => error.is_input(),
            ForecastError::Lab(error) => error.is_input(),
        }
    }
}

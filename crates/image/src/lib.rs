//! A drive that holds bytes, in memory or in a file that survives power cuts.

mod drive;
mod error;
mod options;

pub use drive::DataDrive;
pub use error::ImageError;
pub use options::{CreateOptions, OpenOptions, Recovery};

//! What fio, and tools that measure drives, wrote: as tests and runs of results.
//!
//! [`fio`] reads fio's JSON and its logs, for whoever has run it; [`read`] reads files and folders of a [`Format`], which
//! tells itself or is named. What no file says stays unknown, and what results have no place for is listed ([`Left`]).
//!
//! This crate knows what tools write. It runs nothing, and knows no drive.

mod error;
pub mod fio;
mod format;
mod left;
mod load;
mod object;
mod readings;
mod source;
mod tools;

pub use error::ReadingError;
pub use format::{Format, read};
pub use left::{Ledger, Left};
pub use readings::{Device, Modelled, Reading, Readings, Said, UNKNOWN, named, slug};

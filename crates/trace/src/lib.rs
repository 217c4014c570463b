//! Recorded block traces: the field's formats, read and written, and what a trace holds.
//!
//! - [`Reader`] is a trace as an iterator over [`Record`]s, whatever its format, unpacked as it is read and in
//!   constant memory; [`Format`] says what each format carries, [`Look`] shows what a file was taken for.
//! - [`Selected`] keeps a part of a trace; [`Scan`] counts it; [`Places`] says where its addresses lie on a drive.
//! - [`Profile`] says what a trace will do to a drive.
//! - [`Writer`] writes requests in a format, and counts in [`Lost`] what that cannot carry.
//!
//! Nothing here knows of drives, clocks that run or threads.
//!
//! # Invariants
//!
//! - **Nothing is passed over in silence.** A line that cannot be read is an error with its number, what was expected
//!   and what to do. Commands that are no reads and writes are counted ([`Reader::others`]).
//! - **A trace of any length is read in the same memory.** What grows is the table of device names, which has an end.

mod blocks;
mod error;
mod fields;
mod fit;
mod format;
mod formats;
mod input;
mod look;
mod merge;
mod profile;
mod reader;
mod recognise;
mod record;
mod scan;
mod select;
mod spec;
mod writer;

pub use blocks::{BLOCK_BYTES, Counts};
pub use error::{Place, TraceError};
pub use fit::{Extent, Fit, Places};
pub use format::Format;
pub use formats::Action;
pub use formats::blktrace::{Event, ToBlktrace};
pub use input::Packing;
pub use look::Look;
pub use profile::{IDLE_DECADES, Profile};
pub use reader::{Opening, Reader, files};
pub use recognise::is_trace_file;
pub use record::{DeviceId, Record};
pub use scan::{Scan, place};
pub use select::{Selected, Selection};
pub use spec::{Column, DeviceWords, Spec};
pub use writer::{Lost, Writer};

//! The lab: cells in, outcomes out.
//!
//! - A [`Cell`] is everything that decides a run: drives with what is set of them, how they begin, the load, clock, machine,
//!   port, length and seed. Its id is a hash of that.
//! - [`Lab`] runs cells on several threads. Cells of the same drives and seed share the states that they begin in: each
//!   is prepared once, and every cell gets a copy.
//! - [`Event`]s tell what happens meanwhile, by the numbers of the cells. Their listener may end the work.
//! - An [`Outcome`] is a run as results have it, whoever asked for it.
//!
//! A [`Course`] is work that prepares its drives itself, act after act.
//!
//! Nothing here knows a suite, a command or a page, or reads a wall clock: the same cells give the same outcomes.

mod cell;
mod error;
mod fill;
mod length;
mod outcome;
mod play;
mod pool;
mod run;
mod states;
mod store;
mod subject;

pub use cell::{Begin, Cell, Course, Observer, Playing, Rest, Saved, Work, mark_of};
pub use error::LabError;
pub use fill::{
    Known as KnownOfFill, metrics as fill_metrics, of as fill_of, of_seconds as fill_of_seconds,
};
pub use length::Length;
pub use outcome::{Outcome, link_words, smart_of};
pub use play::{How, check, play};
pub use pool::Lab;
pub use run::{Event, Listener, Visit, run_together};
pub use states::{Loaded, WRITTEN_ALIKE};
pub use store::Store;
pub use subject::{Devices, Member, Subject, Variant, data_before, mark_of_drive, testbed};

//! Drive files: what a drive is made of, as text with a unit, a source and a confidence at every
//! number, and the drive made of it.
//!
//! A file is a head and sections. Each section is a room of `sections/`: its keys with what they mean, what they
//! must be, and what they become. `map.scheme` decides what `[map]`, `[gc]` and `[wear]` may say.

mod build;
mod catalog;
mod drive_file;
mod embedded;
mod facts;
mod machine;
mod members;
mod own;
mod plan;
mod removed;
mod scale;
mod section;
mod sections;
mod settings;
mod spare;
mod spelled;
mod ssd;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_policies;
#[cfg(test)]
mod tests_of_text;

pub use catalog::Catalog;
pub use drive_file::{DriveFile, ParameterRow, RatedBytes};
pub use facts::{Class, Flash};
pub use machine::default_testbed;
pub use members::{Choice, Range, Spread};
pub use own::{OwnPolicies, OwnVictim, PolicyNameError};
pub(crate) use removed::path_now;
pub use removed::{REMOVED, RemovedKey};
pub use section::{Key, Sheet};
pub use sections::head::Kind;

/// The sections that drive files of a kind may have.
#[must_use]
pub fn sections(kind: Kind) -> &'static [Sheet] {
    match kind {
        Kind::Ssd => ssd::SHEETS,
        Kind::Disk => sections::disk::SHEETS,
        Kind::Ram => sections::ram::SHEETS,
    }
}

//! Configurations and loads of other simulators as a drive file and job files of ftlab.
//!
//! Text comes in, text goes out: [`mqsim`], [`simplessd`], [`femu`] and [`nvmevirt`] each read what one program is
//! configured with and give an [`Imported`]. Every number in its drive file says which key of which file it is from
//! ([`Row`]); what the other program did not say is assumed, and marked so; what has no counterpart is listed
//! ([`Left`]). Nothing is dropped in silence: a key that nothing here knows is listed as well.
//!
//! This crate knows the files of the others and the keys of a drive file. Whether a drive file makes a drive is for
//! `ftlab-drive` to say.

mod draft;
mod femu;
mod formula;
mod mqsim;
mod nvmevirt;
mod settings;
mod shell;
mod simplessd;
mod table;

use ftlab_base::Blame;

pub use draft::{Imported, Job, Left, Row};
pub use femu::femu;
pub use mqsim::mqsim;
pub use nvmevirt::{Nvmevirt, nvmevirt};
pub use simplessd::simplessd;

/// A file of another program: what it is called, for messages and notes, and what stands in it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// Its name without folders.
    pub name: &'a str,
    /// The whole text of the file.
    pub text: &'a str,
}

/// Reason why something could not be taken over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct ImportError {
    /// The file, and the line if one is to blame.
    pub place: String,
    /// The fault, and the remedy.
    pub why: String,
}

impl Blame for ImportError {}

impl ImportError {
    fn new(place: impl Into<String>, why: impl Into<String>) -> ImportError {
        ImportError {
            place: place.into(),
            why: why.into(),
        }
    }
}

//! Files that a user names: those that are read as [`text`], and those that are written.
//!
//! This crate decides which files an output may replace, and puts it there as a whole.
//!
//! Every option of a command that names a file to write, and every function of Python that takes one, goes through
//! here. Two rules hold for all of them:
//!
//! - What begins with a magic number of ftlab's ([`ftlab_sheet::magic`]) holds somebody's data. Nothing of another kind takes
//!   its place, and its own kind only if that is asked for. Images, layers and crash logs are replaced by nothing at all. Other
//!   regular files are replaced where the output says so ([`Replaces`]); devices, directories, sockets and what somebody has
//!   locked never. Pipes, terminals and `/dev/null` replace nothing, so whatever is one run of bytes may go there.
//! - A file is at its place whole, or what was there is there still. It is written without a name where the system can do
//!   that, so that nothing is left of a process that was killed; elsewhere under a name that the next one takes over.

mod begun;
mod folder;
mod new_file;
mod place;
pub mod text;

use ftlab_base::Blame;

pub use begun::Begun;
pub use folder::Folder;
pub use new_file::NewFile;
pub use place::{Replaces, check, distinct};

/// Reason why a file is not written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The request is wrong: the message says what is there, and what to give instead.
    #[error("{0}")]
    Refused(String),
    /// The system does not do it.
    #[error("{0}")]
    Failed(String),
    /// It is a pipe that nobody reads any more.
    #[error("nobody reads it")]
    PipeClosed,
}

impl Blame for OutputError {
    fn is_input(&self) -> bool {
        matches!(self, OutputError::Refused(_))
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, OutputError::PipeClosed)
    }
}

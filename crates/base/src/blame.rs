//! Blame for an error: the request was wrong, or something failed on the way.

use std::error::Error;

/// An error that says whether what was asked for caused it. The command line ends with another exit code for that, and Python
/// raises another exception.
pub trait Blame: Error {
    /// Returns true if the request is wrong, rather than that something failed on the way.
    fn is_input(&self) -> bool {
        true
    }

    /// Returns true if the error says no more than that nobody reads what is written.
    fn is_closed_pipe(&self) -> bool {
        false
    }
}

impl<E: Blame> Blame for std::sync::Arc<E> {
    fn is_input(&self) -> bool {
        (**self).is_input()
    }

    fn is_closed_pipe(&self) -> bool {
        (**self).is_closed_pipe()
    }
}

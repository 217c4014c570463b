//! Reasons why files hold no results that can be read.

use ftlab_base::Blame;

/// Reason why nothing could be taken over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct ReadingError {
    /// The file or folder, and the part of it that is to blame.
    pub place: String,
    /// The fault, and the remedy.
    pub why: String,
}

impl Blame for ReadingError {}

impl ReadingError {
    pub(crate) fn new(place: impl Into<String>, why: impl Into<String>) -> ReadingError {
        ReadingError {
            place: place.into(),
            why: why.into(),
        }
    }
}

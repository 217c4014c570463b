//! The error of a saved state, of the array or of anything above it.

use std::fmt;

/// The most any counter can have reached: far beyond what a machine can count to, and far from
/// where adding to it would overflow.
const COUNT_MAX: u64 = 1 << 62;

/// A part of a saved state that does not fit the drive, or contradicts another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateError(pub String);

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StateError {}

impl StateError {
    /// Nothing when `holds`, else an error that says `what`.
    ///
    /// # Errors
    /// When it does not hold.
    pub fn unless(holds: bool, what: impl FnOnce() -> String) -> Result<(), StateError> {
        if holds {
            Ok(())
        } else {
            Err(StateError(what()))
        }
    }

    /// Checks that a table has as many entries as the drive needs.
    ///
    /// # Errors
    /// When it has not.
    pub fn length(of: &str, have: usize, want: usize) -> Result<(), StateError> {
        Self::unless(have == want, || {
            format!("{of} has {have} entries; the drive needs {want}")
        })
    }

    /// Checks that a counter can still be counted up.
    ///
    /// # Errors
    /// When it cannot.
    pub fn count(of: &str, count: u64) -> Result<(), StateError> {
        Self::unless(count <= COUNT_MAX, || {
            format!("{of} is {count}, which nothing can count up to")
        })
    }
}

//! The errors that a request can end with.

use super::constants::{NBD_EINVAL, NBD_EIO, NBD_ENOSPC, NBD_ENOTSUP, NBD_EPERM, NBD_ESHUTDOWN};

/// Error of a request, as the protocol encodes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NbdError {
    /// A write to an export that is read-only.
    #[error("not permitted")]
    Perm,
    /// The medium failed to read or to store the data.
    #[error("input/output error")]
    Io,
    /// The request is malformed, or reads beyond the end.
    #[error("invalid argument")]
    Inval,
    /// A write beyond the end, or to a device that takes no more.
    #[error("no space left on the device")]
    NoSpc,
    /// Not to be had, as zeroes faster than a write.
    #[error("not supported")]
    NotSup,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Shutdown,
}

impl NbdError {
    /// The number on the wire.
    #[must_use]
    pub fn code(self) -> u32 {
        match self {
            NbdError::Perm => NBD_EPERM,
            NbdError::Io => NBD_EIO,
            NbdError::Inval => NBD_EINVAL,
            NbdError::NoSpc => NBD_ENOSPC,
            NbdError::NotSup => NBD_ENOTSUP,
            NbdError::Shutdown => NBD_ESHUTDOWN,
        }
    }
}

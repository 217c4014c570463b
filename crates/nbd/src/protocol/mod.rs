//! The NBD protocol as functions over bytes, without sockets, threads or clocks.
//!
//! Fixed newstyle negotiation is [`Handshake`], a machine that is fed with what the client sent so far
//! and says what to answer. Requests are [`RequestHeader`]s, checked against the [`Transmission`] that
//! was negotiated; replies are written by [`reply`]. Every function is total: whatever the bytes, it
//! answers, refuses or asks for more, and what it asks for is bounded.

pub mod constants;
mod error;
mod handshake;
mod option;
pub mod reply;
mod request;
mod wire;

pub use error::NbdError;
pub use handshake::{ExportInfo, Handshake, HandshakeEnd, Progress, Transmission, Violation};
pub use option::{
    BadOption, ClientOption, InfoRequest, MetaContextRequest, OPTION_BYTES_MAX,
    OPTION_HEADER_BYTES, OptionHeader,
};
pub use request::{BadRequest, Command, REQUEST_BYTES, RequestHeader};

/// The metadata context that says what is stored; the only one there is.
pub const BASE_ALLOCATION: &str = "base:allocation";

/// The number under which [`BASE_ALLOCATION`] is chosen.
pub const BASE_ALLOCATION_ID: u32 = 1;

/// Limits on the sizes of requests, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSizes {
    /// Offsets and lengths are multiples of it; a power of two of at most 64 KiB.
    pub minimum_bytes: u32,
    /// Best for speed; a power of two.
    pub preferred_bytes: u32,
    /// The most that one request may carry; a multiple of the minimum.
    pub maximum_bytes: u32,
}

impl Default for BlockSizes {
    fn default() -> Self {
        BlockSizes {
            minimum_bytes: 512,
            preferred_bytes: 4096,
            maximum_bytes: 32 << 20,
        }
    }
}

impl BlockSizes {
    /// True if the protocol allows these sizes.
    #[must_use]
    pub fn are_lawful(&self) -> bool {
        let BlockSizes {
            minimum_bytes: minimum,
            preferred_bytes: preferred,
            maximum_bytes: maximum,
        } = *self;
        minimum.is_power_of_two()
            && minimum <= 1 << 16
            && preferred.is_power_of_two()
            && preferred >= minimum.max(512)
            && maximum >= preferred
            && maximum.is_multiple_of(minimum)
    }
}

/// A run of bytes with the same flags of a metadata context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Its length; never zero.
    pub length_bytes: u32,
    /// `NBD_STATE_HOLE`, `NBD_STATE_ZERO`, both or neither.
    pub flags: u32,
}

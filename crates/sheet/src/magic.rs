//! The first bytes of the files that ftlab writes: what such a file is can be told without reading it.
//!
//! Each is a byte that no text has, a name, and ends of lines that a transfer as text would change.

/// Bytes of each.
pub const BYTES: usize = 8;

/// A state of a drive, saved with `--save-state`.
pub const SAVED_STATE: [u8; BYTES] = *b"\x8fftlab\r\n";

/// An image of a drive that holds bytes.
pub const IMAGE: [u8; BYTES] = *b"\x8fimage\r\n";

/// An image that lies on another one, its base.
pub const LAYER: [u8; BYTES] = *b"\x8flayer\r\n";

/// An image packed to travel.
pub const PACKED: [u8; BYTES] = *b"\x8fpacks\r\n";

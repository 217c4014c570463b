//! The first bytes of the files that ftlab writes: they give the kind of a file without the rest.
//!
//! Most are a byte that no text has, a name, and ends of lines that a transfer as text would change.

/// Length of each, in bytes.
pub const BYTES: usize = 8;

/// A state of a drive, saved with `--save-state`.
pub const SAVED_STATE: [u8; BYTES] = *b"\x8fftlab\r\n";

/// An image of a drive that holds bytes.
pub const IMAGE: [u8; BYTES] = *b"\x8fimage\r\n";

/// An image that lies on another one, its base.
pub const LAYER: [u8; BYTES] = *b"\x8flayer\r\n";

/// An image packed to travel.
pub const PACKED: [u8; BYTES] = *b"\x8fpacks\r\n";

/// Writes of clients to a drive, for `ftlab crash`.
pub const CRASH_LOG: [u8; BYTES] = *b"FTLCRASH";

/// Kinds of file that ftlab writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file that begins with [`SAVED_STATE`].
    SavedState,
    /// A file that begins with [`IMAGE`].
    Image,
    /// A file that begins with [`LAYER`].
    Layer,
    /// A file that begins with [`PACKED`].
    Packed,
    /// A file that begins with [`CRASH_LOG`].
    CrashLog,
}

impl Kind {
    /// All kinds, in their order here.
    pub const ALL: [Kind; 5] = [
        Kind::SavedState,
        Kind::Image,
        Kind::Layer,
        Kind::Packed,
        Kind::CrashLog,
    ];

    /// Returns the kind of a file that begins with these bytes.
    #[must_use]
    pub fn of(first: &[u8]) -> Option<Kind> {
        Kind::ALL
            .into_iter()
            .find(|kind| first.starts_with(&kind.magic()))
    }

    /// Returns the first bytes of files of this kind.
    #[must_use]
    pub fn magic(self) -> [u8; BYTES] {
        match self {
            Kind::SavedState => SAVED_STATE,
            Kind::Image => IMAGE,
            Kind::Layer => LAYER,
            Kind::Packed => PACKED,
            Kind::CrashLog => CRASH_LOG,
        }
    }

    /// Returns the kind in words, with an article.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Kind::SavedState => "a saved state of a drive",
            Kind::Image => "an image of a drive",
            Kind::Layer => "an image of a drive that lies on a base",
            Kind::Packed => "a packed image",
            Kind::CrashLog => "a crash log",
        }
    }
}

//! Head of every drive file.

use serde::Deserialize;

/// The keys of [`HEADER_KEYS`].
#[derive(Debug, Clone, Deserialize)]
pub(in crate::file) struct Header {
    pub(in crate::file) schema: u32,
    pub(in crate::file) kind: Kind,
    pub(in crate::file) name: String,
    pub(in crate::file) summary: String,
    #[serde(default)]
    pub(in crate::file) aliases: Vec<String>,
}

/// The keys of a drive file outside its sections.
pub(in crate::file) const HEADER_KEYS: [&str; 5] = ["schema", "kind", "name", "summary", "aliases"];

/// Medium that a drive is built of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Flash, behind a translation layer.
    Ssd,
    /// The platters of a hard disk.
    Disk,
    /// A part of the host's memory.
    Ram,
}

impl Kind {
    /// Its name in drive files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ssd => "ssd",
            Kind::Disk => "disk",
            Kind::Ram => "ram",
        }
    }
}

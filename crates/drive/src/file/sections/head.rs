//! Head of every drive file.

use crate::file::facts::{Class, Flash};
use ftlab_sheet::{check_keys, one_line};
use serde::Deserialize;
use toml::Table;

/// The keys of [`HEADER_KEYS`].
#[derive(Debug, Clone, Deserialize)]
pub(in crate::file) struct Header {
    pub(in crate::file) schema: u32,
    pub(in crate::file) kind: Kind,
    pub(in crate::file) name: String,
    pub(in crate::file) summary: String,
    #[serde(default)]
    pub(in crate::file) aliases: Vec<String>,
    pub(in crate::file) year: Option<u16>,
    pub(in crate::file) flash: Option<Flash>,
    pub(in crate::file) class: Option<Class>,
}

/// The keys of a drive file outside its sections.
const HEADER_KEYS: [&str; 8] = [
    "schema", "kind", "name", "summary", "aliases", "year", "flash", "class",
];

/// Keys without which a file is no drive file, and what each says.
const REQUIRED: [(&str, &str); 4] = [
    ("schema", "a drive file begins with schema = 1"),
    ("kind", "give \"ssd\", \"disk\" or \"ram\""),
    ("name", "give the name that reports show"),
    ("summary", "give a sentence on what the drive is built of"),
];

impl Header {
    /// Takes the head from a file's table.
    pub(in crate::file) fn taken_from(table: &mut Table) -> Result<Header, String> {
        let mut head = Table::new();
        for key in HEADER_KEYS {
            head.extend(table.remove_entry(key));
        }
        check_keys(&head, &REQUIRED)?;
        head.try_into().map_err(|error| one_line(&error))
    }
}

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
    /// The kind of that name.
    pub(in crate::file) fn named(name: &str) -> Option<Kind> {
        [Kind::Ssd, Kind::Disk, Kind::Ram]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

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

//! Keys of a script file and of a scenario file. Unknown keys are refused.

use super::quantity::{Sectors, Share, Span};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The version of both schemas.
pub(super) const SCHEMA: u32 = 1;

/// Contents of a script file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptFile {
    pub schema: Spanned<u32>,
    pub name: String,
    pub summary: String,
    /// The machine its CPU times are of.
    pub testbed: String,
    /// Files by name, with their places.
    #[serde(default)]
    pub files: BTreeMap<String, FilesKeys>,
    pub phase: Vec<Spanned<PhaseKeys>>,
}

/// Files that lie side by side.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilesKeys {
    pub at: Spanned<Sectors>,
    pub size: Spanned<Sectors>,
    /// Number of the files.
    pub count: Option<Spanned<u64>>,
}

/// A part of a program: steps of reading, computing and writing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PhaseKeys {
    /// Name for the reader.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub name: String,
    pub think: Option<Span>,
    pub cpu: Option<Span>,
    pub read: Option<TransferKeys>,
    pub write: Option<WriteKeys>,
    pub check: Option<CheckKeys>,
    /// Requests of the program outstanding.
    pub depth: Option<Spanned<u32>>,
    /// Blocks read before the one at work is done.
    pub ahead: Option<Spanned<u32>>,
}

/// Keys of a read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransferKeys {
    pub files: Spanned<String>,
    pub amount: Spanned<Sectors>,
    /// Size of a request to its weight.
    pub blocks: Spanned<BTreeMap<String, u32>>,
    pub sequential: Option<Share>,
}

/// Keys of a write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteKeys {
    pub files: Spanned<String>,
    pub amount: Spanned<Sectors>,
    pub blocks: Spanned<BTreeMap<String, u32>>,
    pub sequential: Option<Share>,
    pub through: Option<bool>,
    pub buffer_compress_percentage: Option<Spanned<u32>>,
}

/// Keys of a second read of what was just written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckKeys {
    pub amount: Spanned<Sectors>,
    pub blocks: Spanned<BTreeMap<String, u32>>,
    pub sequential: Option<Share>,
}

/// Several programs on one drive.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub schema: Spanned<u32>,
    pub name: String,
    pub summary: String,
    pub testbed: String,
    pub pause: Option<Span>,
    pub process: Spanned<Vec<Spanned<ProcessKeys>>>,
}

/// Keys of one program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProcessKeys {
    pub name: String,
    pub script: Spanned<String>,
    pub start: Option<Span>,
    #[serde(default)]
    pub background: bool,
}

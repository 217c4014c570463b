//! The shelf: what people measured on their drives and gave away, a TOML file a drive beside its compressed results.
//!
//! [`pack`] makes an entry of a measurement, without what tells one drive or machine from others of its kind. [`check`] goes
//! over a folder of entries: each is what its results say, and says nothing of that sort.

mod check;
mod entry;
mod pack;
mod private;

pub use check::check;
pub use entry::{Bench, Entry, Host, Licence, Quoted, Said, json_schema};
pub use pack::{Packed, pack};

use ftlab_result::ResultSet;
use std::io::Read;

/// The version of the form of entries, written as `schema`.
pub const SCHEMA: u32 = 1;

/// The most bytes that the results of an entry take, compressed: the shelf is part of a repository.
pub const BYTES_MAX: usize = 300_000;

/// The most bytes that they unpack to; what is more is no measurement.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// The ends of the names of an entry's two files.
const ENTRY: &str = ".toml";
const RESULTS: &str = ".json.zst";

/// A reason why something is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShelfError {
    /// The results are not those of one real drive.
    #[error("{0}")]
    NotMeasured(&'static str),
    /// What is said of them has a form that no entry has.
    #[error("{0}")]
    Said(String),
    /// Something in the results tells this drive or machine from others.
    #[error("the results hold {0}, which tells this drive or machine from others of its kind")]
    Private(String),
    /// The results are too long.
    #[error(
        "the results take {0} bytes compressed, and an entry has {BYTES_MAX}: measure fewer tests, or with --quick"
    )]
    TooLong(usize),
    /// A file cannot be read, or holds something else.
    #[error("{0}")]
    Unreadable(String),
    /// The entry says something else than its results.
    #[error("{key} is {said} in the entry, and {found} by its results")]
    Differs {
        /// The key in the entry.
        key: String,
        /// Its value there.
        said: String,
        /// Its value by the results.
        found: String,
    },
}

/// Reads the compressed results of an entry.
fn unpacked(bytes: &[u8]) -> Result<ResultSet, ShelfError> {
    if bytes.len() > BYTES_MAX {
        return Err(ShelfError::TooLong(bytes.len()));
    }
    let wrong = |why: String| ShelfError::Unreadable(format!("the results cannot be read: {why}"));
    let decoder = zstd::Decoder::new(bytes).map_err(|why| wrong(why.to_string()))?;
    let mut text = String::new();
    let read = decoder.take(TEXT_BYTES_MAX + 1).read_to_string(&mut text);
    read.map_err(|why| wrong(why.to_string()))?;
    if text.len() as u64 > TEXT_BYTES_MAX {
        return Err(wrong(format!(
            "they unpack to more than {TEXT_BYTES_MAX} bytes"
        )));
    }
    ResultSet::read(&text).map_err(|why| match why {
        ftlab_result::Unread::Foreign(why) => wrong(why.to_string()),
        ftlab_result::Unread::Schema(found) => wrong(format!("they have schema {found}")),
    })
}

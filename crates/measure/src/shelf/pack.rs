//! An entry is made of a measurement.

use super::entry::{self, Entry, Said};
use super::{BYTES_MAX, ENTRY, RESULTS, ShelfError, private};
use ftlab_result::ResultSet;

/// zstd's level: the shelf is written once and kept for long.
const LEVEL: i32 = 19;

/// The two files of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Name and text of the entry.
    pub entry: (String, String),
    /// Name and bytes of the compressed results.
    pub results: (String, Vec<u8>),
}

/// Makes an entry of a measurement, without serial numbers, paths and the build of the kernel; `name` is that of the entry,
/// where it is not to be that of the drive in the results, and `machine` the machine's own.
///
/// # Errors
/// When the results are not those of one real drive, are too long, or name the drive or the machine all the same; when what
/// is said of them has a wrong form.
pub fn pack(
    set: &ResultSet,
    said: &Said,
    name: Option<&str>,
    machine: Option<&str>,
) -> Result<Packed, ShelfError> {
    let sheet = entry::the_drive(set)?;
    let name = name.unwrap_or(&sheet.drive);
    entry::check_name(name)?;
    let mut names = private::parts(sheet);
    names.extend(machine.map(str::to_owned));
    let set = private::without(set, name);
    private::check(&set, &names)?;
    let unwritten =
        |why: String| ShelfError::Unreadable(format!("the entry cannot be written: {why}"));
    let entry = toml::to_string_pretty(&Entry::of(&set, said)?);
    let text = serde_json::to_string(&set).map_err(|why| unwritten(why.to_string()))?;
    let bytes =
        zstd::encode_all(text.as_bytes(), LEVEL).map_err(|why| unwritten(why.to_string()))?;
    if bytes.len() > BYTES_MAX {
        return Err(ShelfError::TooLong(bytes.len()));
    }
    Ok(Packed {
        entry: (
            format!("{name}{ENTRY}"),
            entry.map_err(|why| unwritten(why.to_string()))?,
        ),
        results: (format!("{name}{RESULTS}"), bytes),
    })
}

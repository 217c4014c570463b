//! The part of a drive that a destructive action covers.

use ftlab_base::SECTOR_BYTES;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The part of a drive that a destructive action covers. As JSON it is `{"all": true}` or `{"offset_bytes": …,
/// "bytes": …}`; a key left out never means everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Words", into = "Words")]
pub struct Scope {
    /// In sectors; nothing for the whole drive.
    range: Option<Range<u64>>,
}

impl Scope {
    /// The drive as a whole.
    pub const ALL: Scope = Scope { range: None };

    /// A range of bytes, which must lie within what the host can address.
    ///
    /// # Errors
    /// When it is empty, is no whole number of sectors, or ends beyond what can be addressed.
    pub fn bytes(offset_bytes: u64, bytes: u64) -> Result<Scope, String> {
        if bytes == 0 {
            return Err(format!(
                "a length of 0 bytes covers nothing: give at least one sector of {SECTOR_BYTES} bytes"
            ));
        }
        let is_whole = |bytes: u64| bytes.is_multiple_of(SECTOR_BYTES);
        let end_bytes = offset_bytes.checked_add(bytes);
        let Some(end_bytes) = end_bytes.filter(|_| is_whole(offset_bytes) && is_whole(bytes))
        else {
            return Err(format!(
                "{bytes} bytes from {offset_bytes} on are not whole sectors of {SECTOR_BYTES} bytes"
            ));
        };
        let range = offset_bytes / SECTOR_BYTES..end_bytes / SECTOR_BYTES;
        Ok(Scope { range: Some(range) })
    }

    /// The sectors of it in a drive of that size.
    ///
    /// # Errors
    /// When it reaches beyond the drive.
    pub fn sectors(&self, size_bytes: u64) -> Result<Range<u64>, String> {
        let all = 0..size_bytes / SECTOR_BYTES;
        match &self.range {
            None => Ok(all),
            Some(range) if range.end <= all.end => Ok(range.clone()),
            Some(range) => Err(format!(
                "the range ends at byte {}, and the drive has {size_bytes} bytes",
                range.end * SECTOR_BYTES
            )),
        }
    }
}

/// A scope as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl TryFrom<Words> for Scope {
    type Error = String;

    fn try_from(words: Words) -> Result<Scope, String> {
        match (words.all, words.offset_bytes, words.bytes) {
            (Some(true), None, None) => Ok(Scope::ALL),
            (None, Some(offset_bytes), Some(bytes)) => Scope::bytes(offset_bytes, bytes),
            _ => Err(
                "name a range as {\"offset_bytes\": 0, \"bytes\": 4096}, or say {\"all\": true} \
                 if everything is meant"
                    .to_owned(),
            ),
        }
    }
}

impl From<Scope> for Words {
    fn from(scope: Scope) -> Words {
        let range = scope.range.as_ref();
        Words {
            all: range.is_none().then_some(true),
            offset_bytes: range.map(|range| range.start * SECTOR_BYTES),
            bytes: range.map(|range| (range.end - range.start) * SECTOR_BYTES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_must_be_said_and_a_range_has_a_beginning_and_a_length() {
        for text in [
            "{}",
            "{\"all\": false}",
            "{\"all\": null}",
            "{\"offset_bytes\": 0}",
            "{\"bytes\": 512}",
            "{\"offset_bytes\": 0, \"bytes\": null}",
            "{\"all\": true, \"offset_bytes\": 0, \"bytes\": 512}",
            "{\"all\": true, \"all\": true}",
            "{\"all\": 1}",
            "{\"everything\": true}",
            "{\"offset_bytes\": 0, \"bytes\": 0}",
            "{\"offset_bytes\": 1, \"bytes\": 512}",
            "{\"offset_bytes\": 0, \"bytes\": 513}",
            "{\"offset_bytes\": -512, \"bytes\": 512}",
            "{\"offset_bytes\": 18446744073709551104, \"bytes\": 512}",
        ] {
            let read = serde_json::from_str::<Scope>(text);
            assert!(read.is_err(), "{text}: {read:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let range = Scope::bytes(4096, 512).expect("whole sectors");
        for (scope, text) in [
            (Scope::ALL, "{\"all\":true}"),
            (range, "{\"offset_bytes\":4096,\"bytes\":512}"),
        ] {
            assert_eq!(serde_json::to_string(&scope).expect("numbers"), text);
            assert_eq!(serde_json::from_str::<Scope>(text).expect("a scope"), scope);
        }
    }

    #[test]
    fn a_range_lies_within_the_drive() {
        assert_eq!(Scope::ALL.sectors(8192), Ok(0..16));
        let end = |bytes| Scope::bytes(4096, bytes).expect("whole").sectors(8192);
        assert_eq!(end(4096), Ok(8..16));
        assert!(end(4608).expect_err("a sector too long").contains("8192"));
    }
}

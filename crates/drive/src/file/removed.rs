//! Keys that drive files had once and have no more.
//!
//! A key that goes leaves a row in [`REMOVED`]. In a drive file it is an error, which names what to write instead. In
//! the text of a drive that an older image or saved state holds, it is left out, or its value goes to the key that
//! has taken its place. Opening that gives a note.

use toml::{Table, Value};

/// A key that is gone.
#[derive(Debug, Clone, Copy)]
pub struct RemovedKey {
    /// Its dotted path, as `gc.reserve`.
    pub key: &'static str,
    /// The dotted path of the key whose value it is now; `None` where a drive has no such number any more.
    pub now: Option<&'static str>,
    /// The words to write instead, as an order: `leave it out: …`.
    pub instead: &'static str,
}

/// Every key that drive files of a release could have and those of this one cannot.
pub const REMOVED: &[RemovedKey] = &[
    gone(
        "compress.header",
        "leave it out: what is stored with a slot is in the spare bytes of its page",
    ),
    gone(
        "firmware.trim_slot",
        "leave it out, and give firmware.trim_command what a TRIM takes in the mean",
    ),
    gone(
        "gc.hot_spare",
        "leave it out: hot data get √(share of writes · share of data) of the spare area, which is the best share",
    ),
    gone(
        "limit.read_cost",
        "divide the other numbers of [limit] by it, so that a read counts 1: iops, mb_s and what goes with them, and write_cost",
    ),
    gone(
        "map.copy_window",
        "leave it out: a merge holds all the pages that it copies",
    ),
    gone("nand.t_program_lsb", TYPES_PROGRAM_ALIKE),
    gone("nand.t_program_csb", TYPES_PROGRAM_ALIKE),
    gone("nand.t_program_msb", TYPES_PROGRAM_ALIKE),
    gone("nand.t_program_tsb", TYPES_PROGRAM_ALIKE),
];

const TYPES_PROGRAM_ALIKE: &str = "leave it out: nand.t_program is the mean of the page types";

/// A key that no other has taken the place of.
const fn gone(key: &'static str, instead: &'static str) -> RemovedKey {
    RemovedKey {
        key,
        now: None,
        instead,
    }
}

impl RemovedKey {
    /// Says why a file that has it is refused.
    fn refusal(&self) -> String {
        format!(
            "`{}` is a key of earlier versions: {}",
            self.key, self.instead
        )
    }
}

/// Says why a key of a section is refused, if it was one once.
pub(super) fn refusal(rows: &[RemovedKey], section: &str, key: &str) -> Option<String> {
    let path = format!("{section}.{key}");
    let row = rows.iter().find(|row| row.key == path);
    row.map(RemovedKey::refusal)
}

/// The path that a key of an older version has now; `None` where it is gone.
pub(crate) fn path_now<'a>(rows: &[RemovedKey], path: &'a str) -> Option<&'a str> {
    match rows.iter().find(|row| row.key == path) {
        Some(row) => row.now,
        None => Some(path),
    }
}

/// Makes of the table of an older drive file one of today's; gives a line for each key that was in the way.
pub(super) fn convert(table: &mut Table, rows: &[RemovedKey]) -> Vec<String> {
    let mut notes = Vec::new();
    for row in rows {
        let Some(value) = take(table, row.key) else {
            continue;
        };
        notes.push(match row.now {
            Some(now) => {
                put(table, now, value);
                format!("its drive has `{}`, which is `{now}` now", row.key)
            }
            None => format!(
                "its drive has `{}`, which is a key of earlier versions, and goes on without it",
                row.key
            ),
        });
    }
    notes
}

/// Takes what a dotted path names out of a table; a section that has nothing else goes with it.
fn take(table: &mut Table, path: &str) -> Option<Value> {
    let (section, key) = path.split_once('.')?;
    let keys = table.get_mut(section)?.as_table_mut()?;
    let value = keys.remove(key);
    if keys.is_empty() {
        table.remove(section);
    }
    value
}

/// Gives what a dotted path names a value, unless it has one.
fn put(table: &mut Table, path: &str, value: Value) {
    let (section, key) = path.split_once('.').expect("a key is in a section");
    let section = table
        .entry(section)
        .or_insert_with(|| Value::Table(Table::new()));
    if let Some(keys) = section.as_table_mut() {
        keys.entry(key).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Catalog;

    const ROWS: [RemovedKey; 2] = [
        RemovedKey {
            key: "gc.spare_blocks",
            now: Some("gc.reserve"),
            instead: "write gc.reserve",
        },
        RemovedKey {
            key: "haste.level",
            now: None,
            instead: "leave it out: no drive hastens",
        },
    ];

    #[test]
    fn the_drive_of_an_older_image_goes_on_without_what_is_gone() {
        let now = Catalog::default()
            .load("generic-mlc-8", &["gc.reserve=7".to_owned()])
            .unwrap();
        let mut table: Table = now.text().parse().unwrap();
        let reserve = take(&mut table, "gc.reserve").unwrap();
        put(&mut table, "gc.spare_blocks", reserve);
        put(&mut table, "haste.level", Value::Integer(3));
        let older = table.to_string();
        let (found, notes) = Catalog::default().parse_older("d", &older, &ROWS).unwrap();
        assert_eq!(found.text(), now.text());
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].contains("`gc.spare_blocks`, which is `gc.reserve` now"));
        let (_, notes) = Catalog::default()
            .parse_older("d", &now.text(), &ROWS)
            .unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        // What has no row is refused as ever.
        let refused = Catalog::default()
            .parse_older("d", &older, &ROWS[1..])
            .unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("unknown key `gc.spare_blocks`")
        );
    }

    #[test]
    fn whoever_writes_a_key_that_is_gone_is_told_what_to_write() {
        let why = refusal(&ROWS, "haste", "level").unwrap();
        assert_eq!(
            why,
            "`haste.level` is a key of earlier versions: leave it out: no drive hastens"
        );
        assert_eq!(refusal(&ROWS, "haste", "levels"), None);
    }

    #[test]
    fn no_row_names_a_key_that_there_is_and_each_new_one_is_there() {
        let is_key = |path: &str| {
            let (section, key) = path.split_once('.').expect("a key is in a section");
            let kinds = [crate::Kind::Ssd, crate::Kind::Disk, crate::Kind::Ram];
            let mut sheets = kinds.into_iter().flat_map(crate::file::sections);
            sheets.any(|sheet| sheet.name == section && sheet.keys.iter().any(|k| k.name == key))
        };
        for row in REMOVED {
            assert!(!is_key(row.key), "{} is a key", row.key);
            assert!(row.now.is_none_or(is_key), "{:?} is no key", row.now);
        }
    }
}

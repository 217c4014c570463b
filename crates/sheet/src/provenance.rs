//! Figures that a number was worked out from: `from = ["F0647"]`, by their ids in the tables of `reference/`, or
//! `from = ["randread.json"]`, by the file of a measurement or a data sheet of one's own.

use std::collections::BTreeSet;
use toml::{Table, Value};

/// The key that names them.
pub const FROM_KEY: &str = "from";

/// The tables, each with its file and an id as a line's first cell.
const TABLES: [(&str, &str); 6] = [
    ("published.csv", include_str!("../reference/published.csv")),
    (
        "published-more.csv",
        include_str!("../reference/published-more.csv"),
    ),
    ("scores.csv", include_str!("../reference/scores.csv")),
    ("announced.csv", include_str!("../reference/announced.csv")),
    ("claims.csv", include_str!("../reference/claims.csv")),
    ("modern.csv", include_str!("../reference/modern.csv")),
];

fn is_known(id: &str) -> bool {
    let first_cells = |text: &'static str| text.lines().skip(1).filter_map(|l| l.split(',').next());
    (TABLES.iter()).any(|(_, text)| first_cells(text).any(|known| known == id))
}

/// Returns true if an id names a file of measurements, as fio writes them, or a data sheet. Its owner knows where that is.
fn is_own(id: &str) -> bool {
    [".json", ".toml"]
        .iter()
        .any(|ending| id.len() > ending.len() && id.ends_with(ending))
}

/// Refuses ids that no table has and that are no file of measurements, and one that stands there twice.
///
/// # Errors
/// Which, and where ids are.
pub fn check(from: &[String]) -> Result<(), String> {
    for (n, id) in from.iter().enumerate() {
        if !is_known(id) && !is_own(id) {
            let files = TABLES.map(|(file, _)| file).join(", ");
            return Err(format!(
                "from: no figure is called `{id}`; the ids are those of reference/: {files}; measurements of your own are \
                 files that end in .json, and data sheets end in .toml"
            ));
        }
        if from[..n].contains(id) {
            return Err(format!("from: {id} stands there twice"));
        }
    }
    Ok(())
}

/// All that is named anywhere in a file.
#[must_use]
pub fn named_in(table: &Table) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for (key, value) in table {
        match value {
            Value::Array(ids) if key == FROM_KEY => {
                named.extend(ids.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Value::Table(inner) => named.append(&mut named_in(inner)),
            Value::Array(items) => {
                for inner in items.iter().filter_map(Value::as_table) {
                    named.append(&mut named_in(inner));
                }
            }
            _ => {}
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_tables() {
        let of = |ids: &[&str]| check(&ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>());
        assert_eq!(
            of(&["F0172", "P253", "PN005", "F0114", "C001", "A001", "M0337"]),
            Ok(())
        );
        assert_eq!(of(&["randread-qd1.json", "my.sheet.toml", "F0172"]), Ok(()));
        for unknown in [
            "F9999",
            "id",
            "",
            "F017",
            "ocz-core-jmf602",
            ".json",
            ".toml",
        ] {
            let why = of(&["F0172", unknown]).unwrap_err();
            assert!(
                why.contains(&format!("no figure is called `{unknown}`")),
                "{why}"
            );
        }
        assert!(of(&["F0172", "F0172"]).unwrap_err().contains("twice"));
    }

    #[test]
    fn what_is_named_is_found_wherever_it_stands() {
        let text = "[a]\nb = { value = 1, from = [\"F1\", \"F2\"] }\n[[c]]\nd = [{ from = [\"F3\"] }, \"F4\"]";
        let named = named_in(&text.parse().unwrap());
        assert_eq!(named.into_iter().collect::<Vec<_>>(), ["F1", "F2", "F3"]);
    }
}

//! The text of a drive file, with the sources of the numbers that were fitted.

use super::types::Fitted;
use ftlab_base::amount::rounded;
use ftlab_sheet::provenance::FROM_KEY;
use toml::{Table, Value};

/// Where a number is from, as a file says it: its source, and how a note on a figure begins.
pub type Origin = [&'static str; 2];

/// A number that was fitted to a measurement.
pub const MEASURED: Origin = ["fitted", "fitted to"];
/// A number that was worked out from what a data sheet announces.
pub const ANNOUNCED: Origin = ["derived", "for announced"];

/// The text of a table: its head, then its sections, a key a line.
pub fn of(table: &Table) -> String {
    let (sections, heads): (Vec<_>, Vec<_>) = table.iter().partition(|(_, value)| value.is_table());
    let line = |(key, value): (&String, &Value)| format!("{key} = {value}\n");
    let mut text: String = heads.into_iter().map(line).collect();
    for (section, keys) in sections {
        text += &format!("\n[{section}]\n");
        text.extend(keys.as_table().expect("it is one").iter().map(line));
    }
    text
}

/// Puts the numbers that were fitted in a table.
pub fn put(table: &mut Table, fitted: &[Fitted], origin: Origin) {
    for row in fitted {
        let (section, key) = row.key.split_once('.').expect("a section's key");
        let section = table
            .entry(section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.to_owned(), quantity(row, origin));
        }
    }
}

fn quantity(row: &Fitted, [source, note]: Origin) -> Value {
    let [name, unit] = row.figure;
    let note = format!("{note} {name} of {} {unit}", rounded(row.measured));
    let mut entry = Table::new();
    let value = match row.unit {
        "1" => Value::Integer(row.is as i64),
        _ => Value::Float(row.is),
    };
    entry.insert("value".to_owned(), value);
    for (key, text) in [
        ("unit", row.unit),
        ("source", source),
        ("confidence", "low"),
        ("note", note.trim_end()),
    ] {
        entry.insert(key.to_owned(), Value::String(text.to_owned()));
    }
    if !row.from.is_empty() {
        let from = row.from.iter().cloned().map(Value::String).collect();
        entry.insert(FROM_KEY.to_owned(), Value::Array(from));
    }
    Value::Table(entry)
}

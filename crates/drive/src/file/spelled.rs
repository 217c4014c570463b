//! Numbers in short forms, spelled out: what reads, shows and changes a drive file then knows one form.

use super::section::{Key, Sheet};
use ftlab_sheet::short;
use toml::{Table, Value};

/// Spells out the numbers of a file whose sections are `sheets`. One that cannot be read stays, for its section to refuse.
pub(super) fn spell_out(table: &mut Table, sheets: &[Sheet]) {
    for (name, section) in table.iter_mut() {
        let Value::Table(section) = section else {
            continue;
        };
        let keys = || sheets.iter().filter(|sheet| sheet.name == name);
        for (key, value) in section.iter_mut() {
            let key = keys()
                .flat_map(|sheet| sheet.keys)
                .find(|of| of.name == key);
            if let Some(number) = key.and_then(|key| spelled_out(key, value)) {
                *value = number;
            }
        }
    }
}

fn spelled_out(key: &Key, value: &Value) -> Option<Value> {
    if key.units.is_empty() {
        return None;
    }
    let (number, unit) = match value {
        Value::Integer(number) => (*number as f64, short::bare(*number as f64, key.units).ok()?),
        Value::Float(number) => (*number, short::bare(*number, key.units).ok()?),
        Value::String(text) => short::number(text, key.units).ok()?,
        _ => return None,
    };
    let word = |text: &str| Value::String(text.to_owned());
    Some(Value::Table(Table::from_iter([
        ("value".to_owned(), Value::Float(number)),
        ("unit".to_owned(), word(unit)),
        ("source".to_owned(), word("assumed")),
        ("confidence".to_owned(), word("low")),
    ])))
}

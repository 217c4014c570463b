//! A folder of entries is gone over.

use super::{ENTRY, Entry, RESULTS, ShelfError, private, unpacked};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The page of a shelf, which is no entry.
const PAGE: &str = "README.md";

/// Checks every entry of a folder, and returns them: an entry is of the form, has its results beside it, quotes them as they
/// are, and names neither drive nor machine. No other file is in the folder but its page.
///
/// # Errors
/// With each file that is wrong, and the reason.
pub fn check(folder: &Path) -> Result<Vec<Entry>, Vec<(String, ShelfError)>> {
    let names = match names(folder) {
        Ok(names) => names,
        Err(why) => return Err(vec![(folder.display().to_string(), why)]),
    };
    let (mut entries, mut wrong) = (Vec::new(), Vec::new());
    for name in &names {
        let stem = name.strip_suffix(ENTRY);
        match stem {
            Some(stem) => match entry(folder, stem) {
                Ok(entry) => entries.push(entry),
                Err(why) => wrong.push((name.clone(), why)),
            },
            None if name == PAGE || has_entry(name, &names) => {}
            None => {
                let why = format!(
                    "it is no part of an entry; each has a `{ENTRY}` and a `{RESULTS}` of one name"
                );
                wrong.push((name.clone(), ShelfError::Said(why)));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(entries),
        false => Err(wrong),
    }
}

fn has_entry(name: &str, names: &BTreeSet<String>) -> bool {
    let stem = name.strip_suffix(RESULTS);
    stem.is_some_and(|stem| names.contains(&format!("{stem}{ENTRY}")))
}

fn names(folder: &Path) -> Result<BTreeSet<String>, ShelfError> {
    let unreadable = |why: std::io::Error| ShelfError::Unreadable(format!("cannot be read: {why}"));
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        names.insert(
            file.map_err(unreadable)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    Ok(names)
}

fn entry(folder: &Path, stem: &str) -> Result<Entry, ShelfError> {
    let read = |name: &str| {
        let wrong = |why| ShelfError::Unreadable(format!("cannot read {name}: {why}"));
        std::fs::read(folder.join(name)).map_err(wrong)
    };
    let text = read(&format!("{stem}{ENTRY}"))?;
    let text = String::from_utf8(text).map_err(|why| ShelfError::Unreadable(why.to_string()))?;
    let entry: Entry =
        toml::from_str(&text).map_err(|why| ShelfError::Unreadable(why.to_string()))?;
    let set = unpacked(&read(&format!("{stem}{RESULTS}"))?)?;
    private::check(&set, &[])?;
    let found = Entry::of(&set, &entry.said())?;
    differences(&entry, &found)?;
    if entry.name != stem {
        return Err(ShelfError::Said(format!(
            "its name is {}, and its file's is {stem}",
            entry.name
        )));
    }
    Ok(entry)
}

/// Fails with the first key that an entry has otherwise than its results.
fn differences(said: &Entry, found: &Entry) -> Result<(), ShelfError> {
    let as_value = |of: &Entry| {
        serde_json::to_value(of).map_err(|why| ShelfError::Unreadable(why.to_string()))
    };
    first_difference("", &as_value(said)?, &as_value(found)?)
}

fn first_difference(key: &str, said: &Value, found: &Value) -> Result<(), ShelfError> {
    let inner = |name: &str| match key {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    match (said, found) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            names.into_iter().try_for_each(|name| {
                let of = |object: &serde_json::Map<String, Value>| {
                    object.get(name).cloned().unwrap_or(Value::Null)
                };
                first_difference(&inner(name), &of(one), &of(other))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => (one.iter())
            .zip(other)
            .enumerate()
            .try_for_each(|(n, (one, other))| {
                first_difference(&inner(&(n + 1).to_string()), one, other)
            }),
        (said, found) if said == found => Ok(()),
        (said, found) => Err(ShelfError::Differs {
            key: key.to_owned(),
            said: said.to_string(),
            found: found.to_string(),
        }),
    }
}

//! Fitted numbers, written back into the files they are from.

use crate::numbers::Number;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item};

/// Writes every number into the file of each of its drives, or into the file that one is based on.
/// Nothing is written unless all can be. Gives the files that changed.
///
/// # Errors
/// When a file cannot be read or written, or does not hold a number of that name.
pub fn write(numbers: &[Number], values: &[f64]) -> Result<Vec<PathBuf>> {
    let mut files: BTreeMap<PathBuf, DocumentMut> = BTreeMap::new();
    for (number, &value) in numbers.iter().zip(values) {
        for drive in &number.drives {
            let path = holder(&mut files, drive, &number.key)?;
            let document = files.get_mut(&path).context("it was just read")?;
            let place = find(document, &number.key).context("it was just found")?;
            let written = number.written(value);
            place["value"] = if written.fract() == 0.0 {
                toml_edit::value(written as i64)
            } else {
                toml_edit::value(written)
            };
        }
    }
    for (path, document) in &files {
        std::fs::write(path, document.to_string())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(files.into_keys().collect())
}

/// The file that holds a number of a drive: its own, or the one it is based on.
fn holder(files: &mut BTreeMap<PathBuf, DocumentMut>, drive: &str, key: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../drives");
    let mut next = Some(folder.join(format!("{drive}.toml")));
    while let Some(path) = next {
        if !files.contains_key(&path) {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            files.insert(path.clone(), text.parse()?);
        }
        let document = files.get(&path).context("it was just read")?;
        if holds(document, key) {
            return Ok(path);
        }
        let base = document.get("base").and_then(Item::as_str);
        next = base.map(|base| folder.join("base").join(format!("{base}.toml")));
    }
    bail!("no file of {drive} holds `{key}`")
}

/// Tells if a file has a number. [`find`] cannot tell: to look for a key in order to change it adds it.
fn holds(document: &DocumentMut, key: &str) -> bool {
    let in_section = |(section, name)| document.get(section)?.get(name);
    key.split_once('.').and_then(in_section).is_some()
}

fn find<'a>(document: &'a mut DocumentMut, key: &str) -> Option<&'a mut Item> {
    let (section, name) = key.split_once('.')?;
    document.get_mut(section)?.get_mut(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_a_base_is_written_there_though_the_drive_has_its_section() {
        let mut files = BTreeMap::new();
        let path = holder(&mut files, "intel-320-120", "nand.t_program").unwrap();
        assert!(path.ends_with("base/intel-320.toml"), "{}", path.display());
        let unknown = holder(&mut files, "intel-320-120", "nand.nothing");
        assert!(unknown.unwrap_err().to_string().contains("nand.nothing"));
    }
}

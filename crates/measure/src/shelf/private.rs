//! What tells a drive or a machine from others of its kind: taken out of results, and looked for in them.

use super::ShelfError;
use crate::machine::ID;
use ftlab_result::{DriveSheet, ResultSet};
use serde_json::Value;

/// The numbers of a drive's sheet that say nothing of the kind.
const KEYS: [&str; 15] = [
    "drive.model",
    "drive.firmware",
    "drive.logical_block",
    "drive.scheduler",
    "drive.write_cache",
    "file.system",
    "machine.processor",
    "machine.processors",
    "machine.memory",
    "machine.kernel",
    "bench.fio",
    "bench.engine",
    "bench.processors",
    "bench.max_celsius",
    "suite.hash",
];

/// Stands for the hash of a drive's id: whoever knows ids could find the drive by it.
const NO_HASH: &str = "0000000000000000";

/// Folders at the root whose files are a machine's own.
const FOLDERS: [&str; 8] = [
    "home", "root", "dev", "tmp", "proc", "Users", "mnt", "media",
];

/// A part of an id that is shorter may be anywhere by chance.
const PART_LETTERS_MIN: usize = 4;

/// Results without what names the drive and the machine, under another name of the drive.
pub fn without(set: &ResultSet, name: &str) -> ResultSet {
    let mut set = set.clone();
    for run in &mut set.runs {
        let rest = run.id.strip_prefix(&run.drive).unwrap_or(&run.id);
        run.id = format!("{name}{rest}");
        run.drive = name.to_owned();
        run.global_options.retain(|(_, value)| !value.contains('/'));
        for job in &mut run.jobs {
            job.options.retain(|(_, value)| !value.contains('/'));
        }
    }
    for unfinished in &mut set.unfinished {
        unfinished.drive = name.to_owned();
    }
    for sheet in &mut set.drives {
        if sheet.name == sheet.drive {
            sheet.name = name.to_owned();
        }
        sheet.drive = name.to_owned();
        sheet.file_hash = NO_HASH.to_owned();
        sheet
            .parameters
            .retain(|parameter| KEYS.contains(&parameter.key.as_str()));
        let kernel = sheet
            .parameters
            .iter_mut()
            .find(|of| of.key == "machine.kernel");
        if let Some(kernel) = kernel {
            kernel.value = series(&kernel.value);
            kernel.note = "series".to_owned();
        }
    }
    set
}

/// `6.1.0` is of the series 6.1.
fn series(release: &str) -> String {
    release.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// The parts of the drive's id that name it.
pub fn parts(sheet: &DriveSheet) -> Vec<String> {
    let id = sheet
        .parameters
        .iter()
        .find(|parameter| parameter.key == ID);
    let id = id.map_or("", |id| id.value.as_str());
    let (bytes, kind) = (sheet.capacity_bytes.to_string(), id.split(':').next());
    let parts = id
        .split(':')
        .filter(|part| Some(*part) != kind && *part != bytes);
    let long = parts.filter(|part| part.len() >= PART_LETTERS_MIN);
    long.map(str::to_owned).collect()
}

/// Looks for what names a drive or a machine.
///
/// # Errors
/// With the first that is found.
pub fn check(set: &ResultSet, names: &[String]) -> Result<(), ShelfError> {
    for sheet in &set.drives {
        let foreign = sheet
            .parameters
            .iter()
            .find(|of| !KEYS.contains(&of.key.as_str()));
        if let Some(foreign) = foreign {
            return Err(ShelfError::Private(format!("the number `{}`", foreign.key)));
        }
        if sheet.file_hash != NO_HASH {
            return Err(ShelfError::Private("the hash of the drive's id".to_owned()));
        }
        let kernel = sheet
            .parameters
            .iter()
            .find(|of| of.key == "machine.kernel");
        if kernel.is_some_and(|of| of.value != series(&of.value)) {
            return Err(ShelfError::Private("the build of the kernel".to_owned()));
        }
    }
    let value = serde_json::to_value(set).map_err(|why| ShelfError::Unreadable(why.to_string()))?;
    match named(&value, names) {
        Some(text) => Err(ShelfError::Private(format!("`{text}`"))),
        None => Ok(()),
    }
}

/// The first text in a value that has one of these names, or a path.
fn named<'v>(value: &'v Value, names: &[String]) -> Option<&'v str> {
    match value {
        Value::String(text) => {
            let has_path = FOLDERS
                .iter()
                .any(|folder| text.contains(&format!("/{folder}/")));
            let has_name = names.iter().any(|name| text.contains(name.as_str()));
            (has_path || has_name).then_some(text.as_str())
        }
        Value::Array(all) => all.iter().find_map(|value| named(value, names)),
        Value::Object(all) => all.values().find_map(|value| named(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

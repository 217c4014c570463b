//! Drives by their names, and `ftlab drives`, which lists them.

mod filter;
mod list;

use crate::failure::Failure;
pub use ftlab_console::drives::name;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::{Member, Subject};
use std::collections::BTreeSet;
use std::path::Path;

pub use list::{Options, command};

/// Returns the subjects of tests: the drives of those names each by itself or, where they are named as loads name them
/// (`NAME=DRIVE`), all together.
///
/// # Errors
/// As [`load`], and when some drives have names and others none, or two have the same.
pub fn subjects(
    catalog: &Catalog,
    names: &[String],
    settings: &[String],
) -> Result<Vec<Subject>, Failure> {
    let wrong = |why: &str| Err(Failure::Input(why.to_owned()));
    // A file may be called so.
    let named = |text: &&String| text.contains('=') && !Path::new(text).exists();
    match names.iter().filter(named).count() {
        0 => {
            let drives = load(catalog, names, settings)?;
            return Ok(drives.into_iter().map(Subject::from).collect());
        }
        some if some < names.len() => {
            return wrong(
                "give every drive the name that jobs use for it, as in nvme0=DRIVE, or none a name",
            );
        }
        _ => {}
    }
    let (mut members, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, drive) in names.iter().filter_map(|text| text.split_once('=')) {
        if name.is_empty() || !seen.insert(name) {
            return wrong("every drive needs a name of its own, as in nvme0=DRIVE nvme1=DRIVE");
        }
        members.push(Member {
            name: name.to_owned(),
            file: catalog.load(drive, settings)?,
        });
    }
    Ok(vec![Subject::named(members)])
}

/// The drives of those names, each once, with numbers set.
///
/// # Errors
/// When there is none of a name, a number cannot be set, or two are called alike.
pub fn load(
    catalog: &Catalog,
    names: &[String],
    settings: &[String],
) -> Result<Vec<DriveFile>, Failure> {
    let mut drives: Vec<DriveFile> = Vec::new();
    for name in names {
        let file = catalog.load(name, settings)?;
        match drives.iter().find(|other| other.slug() == file.slug()) {
            None => drives.push(file),
            Some(other) if other.hash() == file.hash() => {}
            Some(_) => {
                return Err(Failure::Input(format!(
                    "two different drives are called {}; rename the file {name}",
                    file.slug()
                )));
            }
        }
    }
    Ok(drives)
}

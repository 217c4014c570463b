//! `ftlab drives`: the drives that come with ftlab. Drives by their names.

use crate::failure::{Failure, Outcome};
use crate::screen;
use comfy_table::{Cell, CellAlignment, ColumnConstraint};
pub use ftlab_console::drives::name;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::{Member, Subject};
use std::collections::BTreeSet;
use std::path::Path;

pub fn command() -> Outcome {
    let standings = ftlab_bench::figures::standings();
    let mut table = screen::table(&[
        "drive",
        "name",
        "kind",
        "capacity",
        "judged",
        "unseen",
        "also called",
    ]);
    for slug in Catalog::drives() {
        let file = Catalog::load(slug, &[])?;
        let capacity = screen::capacity(file.capacity_bytes());
        let standing = standings.iter().find(|row| row.drive == slug);
        let judged = standing.map_or(0, |row| row.judged);
        let error = standing.and_then(|row| row.unseen_error);
        let error = error.map_or_else(|| "–".to_owned(), ftlab_report::error);
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row([
            Cell::new(file.slug()),
            Cell::new(file.name()),
            Cell::new(file.kind().name()),
            right(capacity),
            right(judged.to_string()),
            right(error),
            Cell::new(file.aliases().join(", ")),
        ]);
    }
    // Names are for copying.
    if let Some(slugs) = table.column_mut(0) {
        slugs.set_constraint(ColumnConstraint::ContentWidth);
    }
    screen::print(&format!("{}\n{ABOUT_STANDING}\n", screen::lines(table)))
}

const ABOUT_STANDING: &str = "\
judged: published figures of the drive that the model is held against; unseen: the median error of those that
no number of it was fitted to. docs/accuracy.md lists all.";

/// Returns the subjects of tests: the drives of those names each by itself or, where they are named as loads name them
/// (`NAME=DRIVE`), all together.
///
/// # Errors
/// As [`load`], and when some drives have names and others none, or two have the same.
pub fn subjects(names: &[String], settings: &[String]) -> Result<Vec<Subject>, Failure> {
    let wrong = |why: &str| Err(Failure::Input(why.to_owned()));
    // A file may be called so.
    let named = |text: &&String| text.contains('=') && !Path::new(text).exists();
    match names.iter().filter(named).count() {
        0 => {
            let drives = load(names, settings)?;
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
            file: Catalog::load(drive, settings)?,
        });
    }
    Ok(vec![Subject::named(members)])
}

/// The drives of those names, each once, with numbers set.
///
/// # Errors
/// When there is none of a name, a number cannot be set, or two are called alike.
pub fn load(names: &[String], settings: &[String]) -> Result<Vec<DriveFile>, Failure> {
    let mut drives: Vec<DriveFile> = Vec::new();
    for name in names {
        let file = Catalog::load(name, settings)?;
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

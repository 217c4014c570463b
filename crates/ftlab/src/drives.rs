//! `ftlab drives`: the drives that come with ftlab. Drives by their names.

use crate::failure::{Failure, Outcome};
use crate::screen;
use comfy_table::{Cell, CellAlignment};
use ftlab_drive::{Catalog, DriveFile};

pub fn command() -> Outcome {
    let mut table = screen::table(&["drive", "name", "kind", "capacity", "also called"]);
    for slug in Catalog::drives() {
        let file = Catalog::load(slug, &[])?;
        let capacity = screen::capacity(file.capacity_bytes());
        table.add_row([
            Cell::new(file.slug()),
            Cell::new(file.name()),
            Cell::new(file.kind().name()),
            Cell::new(capacity).set_alignment(CellAlignment::Right),
            Cell::new(file.aliases().join(", ")),
        ]);
    }
    screen::print(&screen::lines(table))
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

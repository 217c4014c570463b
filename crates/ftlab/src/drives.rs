//! `ftlab drives`: the drives that come with ftlab.

use crate::failure::Outcome;
use crate::screen;
use comfy_table::{Cell, CellAlignment};
use ftlab_drive::Catalog;

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

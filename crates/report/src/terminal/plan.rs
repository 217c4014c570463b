//! Drives planned for years under a load, as tables for a terminal.

use super::pts::table;
use crate::view::{View, plan};
use ftlab_result::ResultSet;
use std::fmt::Write as _;

/// Draws the plans of a result set.
#[must_use]
pub fn render(set: &ResultSet) -> String {
    let view = View::new(set);
    let mut out = String::new();
    for sentence in plan::sentences(&view) {
        writeln!(out, "  {sentence}").expect("a string takes it");
    }
    out.push_str(&table(&plan::answers(&view)));
    let rates = (set.plans.iter()).filter_map(|of_drive| plan::rates(&view, of_drive));
    let curves = (set.plans.iter()).filter_map(|of_drive| plan::curve(&view, of_drive));
    for of in plan::goals(&view).into_iter().chain(rates).chain(curves) {
        out.push_str(&table(&of));
    }
    for of_drive in &set.plans {
        let name = view.drive_name(&of_drive.drive);
        writeln!(out, "\n  How these numbers were obtained: {name}").expect("a string takes it");
        for note in plan::notes(of_drive) {
            writeln!(out, "  - {note}").expect("a string takes it");
        }
    }
    out
}

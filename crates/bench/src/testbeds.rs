//! Which machine drives stand behind, and what results say of machines.

use ftlab_host::Testbed;
use ftlab_sheet::SheetError;

/// The machine that was asked for, else the one of this slug.
pub fn asked_or(asked: Option<&Testbed>, slug: &str) -> Result<Testbed, SheetError> {
    match asked {
        Some(testbed) => Ok(testbed.clone()),
        None => Testbed::load(slug),
    }
}

/// The slugs of machines, each once, in their order, as results name them.
pub fn listed<'s>(slugs: impl IntoIterator<Item = &'s str>) -> String {
    let mut listed: Vec<&str> = Vec::new();
    for slug in slugs {
        if !listed.contains(&slug) {
            listed.push(slug);
        }
    }
    listed.join(", ")
}

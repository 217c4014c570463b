//! The figures that the model has seen: those in view of which something of it was chosen.

use super::Row;
use crate::suites;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Ids of the figures that a number of a drive or a machine was worked out from, or that a test was decided in view
/// of; of all that come with ftlab.
static NAMED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let of_drive = |slug| {
        let file = Catalog::default()
            .load(slug, &[])
            .expect("a test loads every drive");
        file.parameters().into_iter().flat_map(|row| row.from)
    };
    let mut named: BTreeSet<String> = Catalog::drives().into_iter().flat_map(of_drive).collect();
    named.append(&mut Testbed::figures_named());
    let assumed = suites::families().flat_map(|family| &family.assumes);
    named.extend(assumed.flat_map(|assumption| assumption.from.clone()));
    named
});

impl Row {
    /// Returns true if the model was made without it. Figures of the reviews were there when it was made. One of
    /// another page was not looked at unless it led to a change, or something names it as the figure that it was worked
    /// out from.
    pub(super) fn is_unseen(&self) -> bool {
        self.id.starts_with('P') && self.led_to.is_none() && !NAMED.contains(&self.id)
    }
}

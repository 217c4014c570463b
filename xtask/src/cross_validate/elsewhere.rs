//! Values of drives of other controllers in a number's place: the guess of somebody who had not seen its figures.

use super::leave_out::Pinned;
use crate::family::Families;
use crate::numbers::Number;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A number as the fit knows it.
///
/// # Errors
/// When a drive file has a number that is none.
pub fn pinned(families: &Families, number: &Number) -> Result<Pinned> {
    let own: BTreeSet<&str> = number
        .drives
        .iter()
        .map(|drive| families.of(drive))
        .collect();
    // One value a family: its siblings are not so many witnesses.
    let mut elsewhere: BTreeMap<&str, (f64, Vec<String>)> = BTreeMap::new();
    for (drive, file) in families.files() {
        let family = families.of(drive);
        if own.contains(family) || elsewhere.contains_key(family) {
            continue;
        }
        let rows = file.parameters().into_iter();
        let mut same = rows.filter(|row| row.key == number.key && row.unit == number.unit);
        if let Some(row) = same.next() {
            let value: f64 = row.value.parse().context("a number of a drive file")?;
            if value > 0.0 {
                elsewhere.insert(family, ((value / number.value).ln(), row.from));
            }
        }
    }
    Ok(Pinned {
        from: number.from.clone(),
        confidence: number.confidence.clone(),
        elsewhere: elsewhere.into_values().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_from_other_controllers_and_says_from_which_figures() {
        let families = Families::load().unwrap();
        let (numbers, _) = families.numbers().unwrap();
        let is = |n: &&Number| {
            n.key == "nand.t_program" && n.drives.contains(&"ocz-vertex3-120".to_owned())
        };
        let number = numbers.iter().find(is).unwrap();
        let pinned = pinned(&families, number).unwrap();
        assert!(pinned.elsewhere.len() > 5, "{pinned:?}");
        assert!(pinned.elsewhere.iter().all(|(ln, _)| ln.is_finite()));
        // What the drives of the controller itself were fitted to tells nothing.
        assert!(
            pinned
                .elsewhere
                .iter()
                .all(|(_, from)| !from.contains(&"F0744".to_owned()))
        );
    }
}

//! Which tests a name stands for.

use super::{Runs, Test, all, families};
use std::collections::BTreeSet;
use thiserror::Error;

/// Names this unlike every test are no misspelling of one.
const ALIKE_LEAST: f64 = 0.6;
const HINTS_MAX: usize = 3;

/// A name that no test, family or method has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown test `{name}`: {hint}")]
pub struct UnknownTest {
    /// As given.
    pub name: String,
    /// What to write instead.
    pub hint: String,
}

/// The tests that `names` stand for, each once, in the order of the list of methods. A name is
/// the slug of a test, the slug of a family, or the id of a method in either case. No names: all
/// tests. [`of_default`] gives those that run without being named.
///
/// # Errors
/// When a name stands for none; with the nearest ones.
pub fn select(names: &[String]) -> Result<Vec<Test>, UnknownTest> {
    if names.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen = BTreeSet::new();
    for name in names {
        let matching: Vec<_> = all()
            .filter(|test| answers_to(test, name))
            .map(|test| test.step.slug)
            .collect();
        if matching.is_empty() {
            return Err(unknown(name));
        }
        chosen.extend(matching);
    }
    Ok(all()
        .filter(|test| chosen.contains(test.step.slug))
        .collect())
}

/// The tests of every review, quick enough for all of them.
#[must_use]
pub fn of_default() -> Vec<Test> {
    let by_default = |test: &Test| test.family.runs == Runs::ByDefault;
    all().filter(by_default).collect()
}

fn answers_to(test: &Test, name: &str) -> bool {
    let is_step = test.step.slug == name;
    let is_family = test.family.slug == name || test.family.method.eq_ignore_ascii_case(name);
    is_step || is_family
}

fn unknown(name: &str) -> UnknownTest {
    let mut slugs: BTreeSet<&str> = all().map(|test| test.step.slug).collect();
    slugs.extend(families().map(|family| family.slug));
    let mut alike: Vec<(f64, &str)> = slugs
        .into_iter()
        .map(|slug| (strsim::jaro_winkler(slug, name), slug))
        .filter(|(likeness, _)| *likeness >= ALIKE_LEAST)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.truncate(HINTS_MAX);
    let nearest: Vec<&str> = alike.into_iter().map(|(_, slug)| slug).collect();
    let listed = "`ftlab tests` lists them by code and by name";
    let hint = match nearest.as_slice() {
        [] => listed.to_owned(),
        _ => format!("did you mean {}? {listed}", nearest.join(" or ")),
    };
    UnknownTest {
        name: name.to_owned(),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(names: &[&str]) -> Vec<&'static str> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        select(&names)
            .unwrap()
            .iter()
            .map(|test| test.step.slug)
            .collect()
    }

    #[test]
    fn a_family_a_method_and_a_slug_select() {
        assert_eq!(slugs(&["randwrite-4k-qd1"]), ["randwrite-4k-qd1"]);
        assert_eq!(slugs(&["a2"]), slugs(&["randwrite-size-sweep"]));
        assert_eq!(slugs(&["A2"]).len(), 5);
        assert_eq!(slugs(&["randwrite-16k-qd1", "A2"]), slugs(&["A2"]));
        assert_eq!(slugs(&[]).len(), all().count());
    }

    #[test]
    fn an_unknown_name_is_answered_with_near_ones() {
        let error = select(&["randwrite-4k-q1".to_owned()])
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("did you mean randwrite-4k-qd1"), "{error}");
        for name in ["zzz", "Z9"] {
            let error = select(&[name.to_owned()]).err().unwrap().to_string();
            assert!(error.contains("`ftlab tests` lists them"), "{error}");
            assert!(error.len() < 120, "a list instead of names: {error}");
        }
    }
}

//! Selects tests by names, and finds the names that are nearest to a wrong one.

use super::{Test, all};
use ftlab_base::Blame;
use ftlab_sheet::names::alike;
use std::collections::BTreeSet;
use thiserror::Error;

/// A name that no test, family or method has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown test `{name}`: {hint}")]
pub struct UnknownTest {
    /// The name as the user wrote it.
    pub name: String,
    /// Advice for the message: the nearest names, and the place where all are listed.
    pub hint: String,
}

impl Blame for UnknownTest {}

/// The tests of the reviews that `names` select, as [`select_of`].
///
/// # Errors
/// As [`select_of`].
pub fn select(names: &[String]) -> Result<Vec<Test>, UnknownTest> {
    select_of(all().collect(), names, LISTED)
}

/// Advice for messages: the command that lists the names of the reviews' tests.
pub const LISTED: &str = "`ftlab tests` lists them by code and by name";

/// The tests among `tests` that `names` select, each once and in their order. A name is the slug of a test, the slug of
/// a family, or the id of a method in either case. No names: all of them. [`of_default`] gives those that run without
/// being named. `listed` is advice for the message on where names are found.
///
/// # Errors
/// When a name selects none; with the nearest ones.
pub fn select_of(
    tests: Vec<Test>,
    names: &[String],
    listed: &str,
) -> Result<Vec<Test>, UnknownTest> {
    if names.is_empty() {
        return Ok(tests);
    }
    let unknown_name = |name: &&String| !tests.iter().any(|test| answers_to(test, name));
    if let Some(name) = names.iter().find(unknown_name) {
        return Err(unknown(&tests, name, listed));
    }
    let is_chosen = |test: &Test| names.iter().any(|name| answers_to(test, name));
    Ok(tests.into_iter().filter(is_chosen).collect())
}

/// Those of the tests that run without being named.
#[must_use]
pub fn of_default(tests: impl IntoIterator<Item = Test>) -> Vec<Test> {
    let by_default = |test: &Test| test.family.runs.is_by_default();
    tests.into_iter().filter(by_default).collect()
}

fn answers_to(test: &Test, name: &str) -> bool {
    let is_step = test.step.slug == name;
    let is_family = test.family.slug == name || test.family.method.eq_ignore_ascii_case(name);
    is_step || is_family
}

fn unknown(tests: &[Test], name: &str, listed: &str) -> UnknownTest {
    let slugs = |test: &Test| [test.step.slug.clone(), test.family.slug.clone()];
    let slugs: BTreeSet<String> = tests.iter().flat_map(slugs).collect();
    let hint = match alike(name, slugs.iter().map(String::as_str)).as_slice() {
        [] => listed.to_owned(),
        nearest => format!("did you mean {}? {listed}", nearest.join(" or ")),
    };
    UnknownTest {
        name: name.to_owned(),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let tests = select(&names).unwrap();
        tests.iter().map(|test| test.step.slug.clone()).collect()
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

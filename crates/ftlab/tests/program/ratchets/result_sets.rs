//! Where results are put together: the fewer places, the fewer ideas of what belongs to them.

use super::{may_only_shrink, sources};

/// Files that build a set by hand.
const BUILDERS: &[&str] = &["crates/bench/src/ask.rs"];

/// Whether a line builds a set, and does not declare, implement, return or take one apart.
fn builds(line: &str) -> bool {
    line.match_indices("ResultSet {").any(|(at, _)| {
        let before = line[..at].trim_end();
        let word = before.rsplit(' ').next().unwrap_or_default();
        !before.ends_with(['&', ':']) && !["struct", "impl", "for", "->", "let"].contains(&word)
            || before.ends_with("::")
    })
}

#[test]
fn results_are_put_together_in_few_places() {
    let sources = sources();
    let builders = sources
        .iter()
        .filter(|source| source.text.lines().any(builds));
    let found: Vec<String> = builders.map(|source| source.path.clone()).collect();
    let rule = "a set of results is built where the others are";
    may_only_shrink(rule, BUILDERS, &found);
}

#[test]
fn a_set_that_is_built_is_told_from_one_that_is_named() {
    for line in [
        "    let set = ResultSet {",
        "    Ok(ftlab_result::ResultSet {",
        "        ResultSet {",
    ] {
        assert!(builds(line), "{line}");
    }
    for line in [
        "pub struct ResultSet {",
        "impl ResultSet {",
        "fn set(runs: Vec<Run>) -> ResultSet {",
        "    let ResultSet { runs, .. } = set;",
        "let set: &ResultSet = {",
    ] {
        assert!(!builds(line), "{line}");
    }
}

//! Rules that the sources do not keep everywhere yet. Each has a list of where they do not, and the list may only become
//! shorter: what is not on it has to keep the rule, and what is on it and keeps the rule has to go.
//!
//! Sources are read as rustfmt leaves them, so an item ends with a brace as far to the right as it begins.

mod circles;
mod functions;
mod globals;
mod metric_names;
mod paths;
mod result_sets;

use crate::repository::text_files;

/// A file of the program and its text, in which tests are blank lines.
struct Source {
    path: String,
    text: String,
}

/// The Rust files that the program and its tools are made of, without tests.
fn sources() -> Vec<Source> {
    let is_source = |path: &str| {
        let is_below = |root: &str| path.starts_with(root) && path.contains("/src/");
        let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
        (is_below("crates/") || is_below("xtask/")) && path.ends_with(".rs") && !is_test
    };
    let files = text_files().into_iter();
    let sources: Vec<Source> = files
        .filter(|(path, _)| is_source(path))
        .map(|(path, text)| Source {
            path,
            text: without_tests(&text),
        })
        .collect();
    assert!(sources.len() > 300, "only {} sources", sources.len());
    sources
}

/// The text with each line of a `#[cfg(test)]` item blank.
fn without_tests(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept += line;
            kept.push('\n');
            continue;
        }
        let end = line.replace("#[cfg(test)]", "}");
        kept.push('\n');
        for line in lines.by_ref() {
            kept.push('\n');
            if line == end
                || line.ends_with(';') && line.len() - line.trim_start().len() < end.len()
            {
                break;
            }
        }
    }
    kept
}

/// Fails unless what breaks a rule is what is listed as doing so.
#[track_caller]
fn may_only_shrink(rule: &str, listed: &[&str], found: &[String]) {
    let new: Vec<&String> = found
        .iter()
        .filter(|one| !listed.contains(&one.as_str()))
        .collect();
    assert!(new.is_empty(), "{rule}:\n{new:#?}");
    let kept: Vec<&&str> = listed
        .iter()
        .filter(|one| !found.iter().any(|found| found == *one))
        .collect();
    assert!(
        kept.is_empty(),
        "{rule}; these keep to it now, take them off the list:\n{kept:#?}"
    );
}

#[test]
fn a_list_may_become_shorter_and_nothing_else() {
    let found = ["a".to_owned(), "b".to_owned()];
    may_only_shrink("a rule", &["a", "b"], &found);
    let fails = |listed: &'static [&str]| {
        let found = found.clone();
        std::panic::catch_unwind(move || may_only_shrink("a rule", listed, &found)).is_err()
    };
    assert!(fails(&["a"]));
    assert!(fails(&["a", "b", "c"]));
}

#[test]
fn tests_are_blank_lines() {
    let text = "fn a() {\n}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n#[cfg(test)]\nuse d;\nfn e() {}\n";
    let kept = without_tests(text);
    assert_eq!(kept.lines().count(), text.lines().count());
    assert!(!kept.contains("fn b") && !kept.contains("use d"), "{kept}");
    assert!(kept.contains("fn c") && kept.contains("fn e"), "{kept}");
}

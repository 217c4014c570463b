//! A function has at most 70 lines, from its signature to its brace.

use super::{Source, sources};

const LINES_MAX: usize = 70;

/// The functions of a text by their names, each with its lines.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(name) = named(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        // A method of a trait may have no body, and a function may stand in one line: these end before any brace.
        let is_end = |line: &&str| {
            let rest = line.strip_prefix(indent);
            rest.is_some_and(|rest| rest == "}" || !rest.starts_with(' ') && rest.ends_with(';'))
        };
        let ends = |line: &str| line.ends_with('}') || line.ends_with(';');
        let long = match ends(line) {
            true => 1,
            false => {
                2 + lines[number + 1..]
                    .iter()
                    .take_while(|line| !is_end(line))
                    .count()
            }
        };
        found.push((name, long));
    }
    found
}

/// The name of the function that begins in a line.
fn named(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    const BEFORE: [&str; 7] = [
        "pub ",
        "pub(crate) ",
        "pub(super) ",
        "const ",
        "async ",
        "unsafe ",
        "default ",
    ];
    while let Some(next) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = next;
    }
    let rest = rest.strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

/// Those of sources that have too many lines, as `file: function`.
fn longer(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for Source { path, text } in sources {
        for (name, lines) in functions(text) {
            if lines > LINES_MAX {
                found.push(format!("{path}: {name}"));
            }
        }
    }
    found
}

#[test]
fn a_function_has_at_most_70_lines() {
    let rule = "a function has at most 70 lines: which two things does it do?";
    let longer = longer(&sources());
    assert!(longer.is_empty(), "{rule}:\n{longer:#?}");
}

#[test]
fn a_long_function_is_found_wherever_it_stands() {
    let body = "        a();\n".repeat(LINES_MAX - 1);
    let text = format!(
        "fn short() {{ a() }}\ntrait T {{\n    fn none(\n        &self,\n    );\n}}\nimpl T {{\n    pub(super) const fn long(\n        &self,\n    ) {{\n{body}    }}\n}}\n"
    );
    let found: Vec<(&str, usize)> = functions(&text);
    assert_eq!(found, [("short", 1), ("none", 3), ("long", LINES_MAX + 3)]);
    let path = "crates/a/src/lib.rs".to_owned();
    assert_eq!(
        longer(&[Source { path, text }]),
        ["crates/a/src/lib.rs: long"]
    );
}

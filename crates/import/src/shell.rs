//! The part of the shell that scripts need which start a program: variables, quotation marks, comments and lines that go on.

use std::collections::BTreeMap;

/// Returns a script's commands with the values that it sets in place of their variables. A variable that it does not
/// set, and the output of a command, stay as they are written.
pub fn expanded(script: &str) -> String {
    let mut variables = BTreeMap::new();
    let mut out = String::new();
    for line in whole_lines(script) {
        let text = expand(&line, &variables);
        match assignment(&line) {
            Some(name) => {
                let value = text.trim_start();
                let value = value.strip_prefix("export ").unwrap_or(value);
                let value = value.split_once('=').map_or("", |(_, value)| value);
                variables.insert(name.to_owned(), value.trim_end().to_owned());
            }
            None => {
                out += &text;
                out.push('\n');
            }
        }
    }
    out
}

/// Lines, with those that end in a backslash put together.
fn whole_lines(script: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = String::new();
    for line in script.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(part) => open += &(part.to_owned() + " "),
            None => all.push(std::mem::take(&mut open) + line),
        }
    }
    all.extend(Some(open).filter(|open| !open.is_empty()));
    all
}

/// The variable that a line sets, if it does nothing else.
fn assignment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && is_one_word(value)).then_some(name)
}

/// Returns true if a value ends where its first word does, but for a comment.
fn is_one_word(value: &str) -> bool {
    let mut quote = None;
    for (at, c) in value.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, c) if c.is_whitespace() => {
                let rest = value[at..].trim_start();
                return rest.is_empty() || rest.starts_with(['#', ';']);
            }
            _ => {}
        }
    }
    true
}

/// A line without quotation marks and comment, its variables replaced.
fn expand(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        // As in a shell, a variable stands for its value in double quotation marks and not in single ones.
        rest = match (quote, c) {
            (None, '#') if out.is_empty() || out.ends_with(char::is_whitespace) => break,
            (None, '"' | '\'') => {
                quote = Some(c);
                after
            }
            (Some(open), c) if open == c => {
                quote = None;
                after
            }
            (None | Some('"'), '$') => match variable(after) {
                Some((name, default, behind)) => {
                    let value = variables.get(name).filter(|value| !value.is_empty());
                    match (value, default) {
                        (Some(value), _) => out += value,
                        (None, Some(default)) => out += &expand(default, variables),
                        (None, None) => out += &rest[..rest.len() - behind.len()],
                    }
                    behind
                }
                None => {
                    out.push('$');
                    after
                }
            },
            _ => {
                out.push(c);
                after
            }
        };
    }
    out
}

/// The variable behind a `$`: its name, its default (`${name:-default}`), and the text behind it.
fn variable(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let end_of_name = |text: &str| {
        text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(text.len())
    };
    if let Some(inner) = text.strip_prefix('{') {
        let (inner, behind) = inner.split_once('}')?;
        let (name, default) = inner.split_at(end_of_name(inner));
        let default = default
            .strip_prefix(":-")
            .or_else(|| default.strip_prefix('-'));
        return Some((name, default, behind));
    }
    let (name, behind) = text.split_at(end_of_name(text));
    (!name.is_empty()).then_some((name, None, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_what_the_script_sets_them_to() {
        let script = "#!/bin/sh\nA=8 # eight\nB=\"x,a=${A}\"\nB=${B}',b='\"$A\"\nexport C=$HOME/i\n\nrun $B \\\n  c=${D:-7} \\\n  d=$E # no\n";
        let out = expanded(script);
        let words: Vec<&str> = out.split_whitespace().collect();
        assert_eq!(words, ["run", "x,a=8,b=8", "c=7", "d=$E"]);
        // A variable of one command alone is none of the script.
        assert_eq!(expanded("A=1 run $A").trim(), "A=1 run $A");
        assert_eq!(expanded("echo 'a $A'\\''").trim_end(), "echo a $A\\");
    }
}

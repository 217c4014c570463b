//! The part of C's preprocessor that `ssd_config.h` needs: conditions on `BASE_SSD`, definitions, and numbers in them.

use crate::formula::{DEEPEST, Names, worked_out};
use crate::{ImportError, Text};
use std::collections::BTreeMap;

/// A definition: its text and line.
#[derive(Debug, Clone)]
struct Definition {
    text: String,
    line: u32,
}

/// The definitions of a header for one base SSD.
#[derive(Debug)]
pub struct Header {
    file: String,
    definitions: BTreeMap<String, Definition>,
    /// In the order in which they stand.
    order: Vec<String>,
}

/// Effect of a condition on the lines behind it.
struct Branch {
    /// True if one of its branches has been taken.
    was_taken: bool,
    is_taken: bool,
    line: u32,
}

/// The text without comments, line by line; a comment of several lines leaves its line breaks.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            out.extend(rest[..end].chars().filter(|c| *c == '\n'));
            out.push(' ');
            rest = &rest[end..];
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out + rest
}

/// Lines with their numbers; one that ends in a backslash goes on in the next.
fn whole_lines(text: &str) -> Vec<(String, u32)> {
    let mut all = Vec::new();
    let mut open: Option<(String, u32)> = None;
    for (line, number) in text.lines().zip(1..) {
        let (so_far, number) = open.take().unwrap_or((String::new(), number));
        match line.strip_suffix('\\') {
            Some(part) => open = Some((so_far + part + " ", number)),
            None => all.push((so_far + line, number)),
        }
    }
    all.extend(open);
    all
}

/// The name in `(BASE_SSD == NAME)`.
fn of_base(condition: &str) -> Option<&str> {
    let inner = condition
        .trim()
        .trim_start_matches('(')
        .trim_end_matches(')');
    let (left, right) = inner.split_once("==")?;
    (left.trim() == "BASE_SSD").then(|| right.trim())
}

/// The base SSDs that a header tells apart.
pub fn bases(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let conditions = text.lines().filter_map(|line| {
        let line = line.trim();
        of_base(
            line.strip_prefix("#if ")
                .or_else(|| line.strip_prefix("#elif "))?,
        )
    });
    conditions.map(str::to_owned).collect()
}

impl Header {
    /// Reads the definitions that the header has for the base SSD `base`.
    ///
    /// # Errors
    /// When a condition cannot be decided, or is not closed.
    pub fn of(file: &Text<'_>, base: &str) -> Result<Header, ImportError> {
        let mut header = Header {
            file: crate::settings::one_line(file.name),
            definitions: BTreeMap::new(),
            order: Vec::new(),
        };
        let mut branches: Vec<Branch> = Vec::new();
        for (line, number) in whole_lines(&without_comments(file.text)) {
            let Some(directive) = line.trim().strip_prefix('#') else {
                continue;
            };
            let directive = directive.trim();
            let (word, rest) = directive
                .split_once(char::is_whitespace)
                .unwrap_or((directive, ""));
            let is_live = branches.iter().all(|branch| branch.is_taken);
            match word {
                // What no compiler looks at needs no meaning.
                "if" | "ifdef" | "ifndef" => {
                    let is_taken = match word {
                        "if" => is_live && header.holds(rest, base, number)?,
                        _ => header.definitions.contains_key(rest.trim()) == (word == "ifdef"),
                    };
                    branches.push(Branch {
                        was_taken: is_taken,
                        is_taken,
                        line: number,
                    });
                }
                "elif" | "else" => {
                    let is_open = header.is_open(&branches);
                    let holds = is_open && (word == "else" || header.holds(rest, base, number)?);
                    let Some(branch) = branches.last_mut() else {
                        return Err(header.wrong(number, &format!("#{word} without #if")));
                    };
                    branch.is_taken = holds && !branch.was_taken;
                    branch.was_taken |= holds;
                }
                "endif" if branches.pop().is_none() => {
                    return Err(header.wrong(number, "#endif without #if"));
                }
                "define" if is_live => header.define(rest, number),
                _ => {}
            }
        }
        match branches.last() {
            Some(open) => Err(header.wrong(open.line, "this #if has no #endif")),
            None => Ok(header),
        }
    }

    /// Returns true if a compiler looks at the next branch of the innermost condition: those around it hold, and none
    /// of its own did.
    fn is_open(&self, branches: &[Branch]) -> bool {
        let around = branches.len().saturating_sub(1);
        branches[..around].iter().all(|branch| branch.is_taken)
            && branches.last().is_none_or(|branch| !branch.was_taken)
    }

    fn wrong(&self, line: u32, why: &str) -> ImportError {
        ImportError::new(format!("{}, line {line}", self.file), why)
    }

    /// Returns true if a condition holds: on `BASE_SSD`, or a number.
    fn holds(&self, condition: &str, base: &str, line: u32) -> Result<bool, ImportError> {
        if let Some(name) = of_base(condition) {
            return Ok(name == base);
        }
        Ok(self.worked_out(condition, line, 0)? != 0.0)
    }

    /// Notes a definition; a macro with arguments is none that counts.
    fn define(&mut self, rest: &str, line: u32) {
        let rest = rest.trim();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (name, text) = rest.split_at(end);
        if text.starts_with('(') {
            return;
        }
        let definition = Definition {
            text: text.trim().to_owned(),
            line,
        };
        if self
            .definitions
            .insert(name.to_owned(), definition)
            .is_none()
        {
            self.order.push(name.to_owned());
        }
    }

    /// The definitions that stand for something, in order: name, number or why it has none, line.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, Result<f64, ImportError>, u32)> {
        let all = self
            .order
            .iter()
            .map(|name| (name, &self.definitions[name]));
        all.filter(|(_, definition)| !definition.text.is_empty())
            .map(|(name, Definition { text, line })| {
                (name.as_str(), self.worked_out(text, *line, 0), *line)
            })
    }

    /// The text of a definition.
    pub fn text(&self, name: &str) -> Option<&str> {
        Some(&self.definitions.get(name)?.text)
    }

    fn worked_out(&self, text: &str, line: u32, depth: u32) -> Result<f64, ImportError> {
        // Definitions that lead to themselves have no number.
        if depth > DEEPEST {
            return Err(self.wrong(line, "its definitions lead in a circle"));
        }
        let mut names = Line {
            header: self,
            line,
            depth,
        };
        worked_out(&mut names, text, depth)
    }
}

/// A line of the header, whose names are those of definitions.
struct Line<'a> {
    header: &'a Header,
    line: u32,
    depth: u32,
}

impl Names for Line<'_> {
    const DIVIDES_WHOLE: bool = true;

    fn value(&mut self, name: &str) -> Result<f64, ImportError> {
        let Some(definition) = self.header.definitions.get(name) else {
            return Err(self.wrong(&format!("`{name}` is neither a number nor defined before")));
        };
        let Definition { text, line } = definition;
        self.header.worked_out(text, *line, self.depth + 1)
    }

    fn function(&self, name: &str) -> Option<fn(&[f64]) -> f64> {
        Some(match name {
            "KB" => |bytes| bytes[0] * 1024.0,
            "MB" => |bytes| bytes[0] * 1_048_576.0,
            "GB" => |bytes| bytes[0] * 1_073_741_824.0,
            _ => return None,
        })
    }

    fn wrong(&self, why: &str) -> ImportError {
        self.header.wrong(self.line, why)
    }
}

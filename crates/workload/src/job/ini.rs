//! The shape of a job file: sections, options, comments. No meaning of any key.

use super::error::{JobError, Source};

/// One section as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub at: Source,
    pub options: Vec<Entry>,
}

impl Section {
    /// Returns true if its options are those of the jobs after it. fio takes any section whose name begins so for one.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

/// One option as written; a key without `=` has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: Option<String>,
    pub at: Source,
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

/// Splits a file into its sections, in order.
///
/// # Errors
/// When a line is neither a section nor an option, or an option stands before all sections.
pub fn sections(text: &str, file: &str) -> Result<Vec<Section>, JobError> {
    let mut sections: Vec<Section> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let at = Source {
            file: file.to_owned(),
            line: index as u32 + 1,
        };
        let line = uncommented(line);
        if line.is_empty() {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let name = section_name(header, &at)?;
            sections.push(Section {
                name,
                at,
                options: Vec::new(),
            });
        } else {
            let Some(section) = sections.last_mut() else {
                let why =
                    format!("`{line}` stands before the first section; put it under [global]");
                return Err(JobError::Syntax { at, why });
            };
            section.options.push(entry(line, at)?);
        }
    }
    Ok(sections)
}

/// A line without its comment, which `#` or `;` begins anywhere, and without outer blanks.
fn uncommented(line: &str) -> &str {
    line.split(['#', ';']).next().unwrap_or("").trim()
}

fn section_name(header: &str, at: &Source) -> Result<String, JobError> {
    let fail = |why: &str| {
        Err(JobError::Syntax {
            at: at.clone(),
            why: why.into(),
        })
    };
    match header.strip_suffix(']').map(str::trim) {
        None => fail("a section is written [name] on a line of its own"),
        Some("") => fail("a section needs a name: write [name]"),
        Some(name) => Ok(name.to_owned()),
    }
}

fn entry(line: &str, at: Source) -> Result<Entry, JobError> {
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim_end(), Some(value.trim_start().to_owned())),
        None => (line, None),
    };
    if key.starts_with("include ") {
        let why = "include is not supported; put the options into this file".into();
        return Err(JobError::Syntax { at, why });
    }
    if key.is_empty() || key.contains(char::is_whitespace) {
        let why = format!("`{line}` is no option; options are written key=value, one on a line");
        return Err(JobError::Syntax { at, why });
    }
    Ok(Entry {
        key: key.to_owned(),
        value,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_options_and_comments_are_told_apart() {
        let text =
            "\u{feff}# a comment\r\n; another\r\n[global]\r\nbs = 4k # why\r\n\r\n[a b]\nthread\n";
        let sections = sections(text, "f").unwrap();
        let names: Vec<_> = sections
            .iter()
            .map(|s| (s.name.as_str(), s.at.line))
            .collect();
        assert_eq!(names, [("global", 3), ("a b", 6)]);
        assert_eq!(sections[0].options[0].key, "bs");
        assert_eq!(sections[0].options[0].value.as_deref(), Some("4k"));
        assert_eq!(sections[1].options[0].value, None);
        assert_eq!(sections[1].options[0].at.line, 7);
    }
}

//! What a configuration says, key by key; which of it was asked for, and what was not.

use crate::draft::Left;
use crate::{ImportError, Text};

/// A key of a file, its value as it stands there, and its line.
#[derive(Debug)]
struct Setting {
    key: String,
    value: String,
    line: u32,
    is_used: bool,
    /// Why it has no value, if so.
    wrong: Option<ImportError>,
}

/// The settings of one file.
#[derive(Debug)]
pub struct Settings {
    file: String,
    /// Whose defaults stand in for keys that are missing.
    program: &'static str,
    rows: Vec<Setting>,
}

/// A number with where it is from.
#[derive(Debug, Clone)]
pub struct Known {
    pub value: f64,
    /// Places in files, or whose default it is.
    pub from: Vec<String>,
    /// Whether some of it was not said.
    pub is_default: bool,
}

/// A word with where it is from.
#[derive(Debug, Clone)]
pub struct Word {
    pub value: String,
    pub from: String,
    pub is_default: bool,
    place: String,
}

impl Known {
    /// The number that both make.
    pub fn with(self, other: &Known, make: impl Fn(f64, f64) -> f64) -> Known {
        let mut from = self.from;
        from.extend(other.from.iter().cloned());
        Known {
            value: make(self.value, other.value),
            from,
            is_default: self.is_default || other.is_default,
        }
    }

    pub fn times(self, other: &Known) -> Known {
        self.with(other, |a, b| a * b)
    }

    pub fn map(self, make: impl Fn(f64) -> f64) -> Known {
        Known {
            value: make(self.value),
            ..self
        }
    }

    /// The mean of some, which are all from the same file.
    pub fn mean(all: &[Known]) -> Known {
        let sum = all.iter().map(|known| known.value).sum::<f64>();
        Known {
            value: sum / all.len() as f64,
            from: all.iter().flat_map(|known| known.from.clone()).collect(),
            is_default: all.iter().any(|known| known.is_default),
        }
    }
}

impl Word {
    /// What is said where the word is none that is known.
    pub fn unknown(&self, known: &str) -> ImportError {
        ImportError::new(&self.place, format!("`{}` is none of: {known}", self.value))
    }

    /// What is said where the word is known and cannot be taken over.
    pub fn refused(&self, why: &str) -> ImportError {
        ImportError::new(&self.place, format!("`{}`: {why}", self.value))
    }
}

/// Text without line breaks and other control characters: it goes into comments of a drive file.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

impl Settings {
    pub fn new(file: &Text<'_>, program: &'static str) -> Settings {
        Settings {
            file: one_line(file.name),
            program,
            rows: Vec::new(),
        }
    }

    pub fn push(&mut self, key: &str, value: &str, line: u32) {
        self.rows.push(Setting {
            key: key.to_owned(),
            value: one_line(value),
            line,
            is_used: false,
            wrong: None,
        });
    }

    /// A key that has no value, and why: said where the value is needed.
    pub fn push_wrong(&mut self, key: &str, text: &str, line: u32, why: ImportError) {
        self.push(key, text, line);
        let row = self.rows.last_mut().expect("one was pushed");
        row.wrong = Some(why);
    }

    pub fn place(&self, line: u32) -> String {
        format!("{}, line {line}", self.file)
    }

    /// What the last row of that key says; it counts as asked for.
    fn take(&mut self, key: &str) -> Option<(String, u32)> {
        let row = self.rows.iter_mut().rfind(|row| row.key == key)?;
        row.is_used = true;
        Some((row.value.clone(), row.line))
    }

    fn label(&self, key: &str, line: u32) -> String {
        format!("{}:{line} {key}", self.file)
    }

    fn default_label(&self, key: &str) -> String {
        format!(
            "{}'s default of {key}, which {} does not have",
            self.program, self.file
        )
    }

    /// A number that may be missing.
    pub fn number_if(&mut self, key: &str) -> Result<Option<Known>, ImportError> {
        let Some((text, line)) = self.take(key) else {
            return Ok(None);
        };
        let row = self.rows.iter().rfind(|row| row.key == key);
        if let Some(why) = row.and_then(|row| row.wrong.clone()) {
            return Err(why);
        }
        let value: Option<f64> = text.parse().ok();
        match value.filter(|value| value.is_finite() && *value >= 0.0) {
            Some(value) => Ok(Some(Known {
                value,
                from: vec![self.label(key, line)],
                is_default: false,
            })),
            None => Err(ImportError::new(
                self.place(line),
                format!("{key} is `{text}`; give a number that is not negative"),
            )),
        }
    }

    /// A number; the program's own default stands in for one that is missing.
    pub fn number(&mut self, key: &str, default: f64) -> Result<Known, ImportError> {
        Ok(self.number_if(key)?.unwrap_or_else(|| Known {
            value: default,
            from: vec![self.default_label(key)],
            is_default: true,
        }))
    }

    /// A number that has no default, or not the same one in all versions of the program.
    pub fn needed(&mut self, key: &str) -> Result<Known, ImportError> {
        self.number_if(key)?.ok_or_else(|| {
            ImportError::new(
                &self.file,
                format!("{key} is missing; add it: there is no default to take"),
            )
        })
    }

    /// Something that is counted or has a size: at least 1, and whole.
    pub fn count(&mut self, key: &str, default: u32) -> Result<Known, ImportError> {
        let known = self.number(key, f64::from(default))?;
        self.whole(key, known)
    }

    /// A number that must be whole, and at least 1.
    pub fn whole(&self, key: &str, known: Known) -> Result<Known, ImportError> {
        let value = known.value;
        if value >= 1.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
            return Ok(known);
        }
        let why = format!("{key} is {value}; give a whole number from 1 to 4,294,967,295");
        Err(ImportError::new(self.place_of(key), why))
    }

    /// Where a key stands, or the file if it does not.
    pub fn place_of(&self, key: &str) -> String {
        let row = self.rows.iter().rfind(|row| row.key == key);
        row.map_or_else(|| self.file.clone(), |row| self.place(row.line))
    }

    /// A word in capitals, as programs compare them.
    pub fn word(&mut self, key: &str, default: &str) -> Word {
        match self.take(key) {
            Some((value, line)) => Word {
                value: value.to_ascii_uppercase(),
                from: self.label(key, line),
                is_default: false,
                place: self.place(line),
            },
            None => Word {
                value: default.to_owned(),
                from: self.default_label(key),
                is_default: true,
                place: self.file.clone(),
            },
        }
    }

    /// Text as it stands, if it does.
    pub fn text_if(&mut self, key: &str) -> Option<String> {
        Some(self.take(key)?.0)
    }

    /// Yes or no: `true`, `on`, `yes`, 1 and their opposites.
    pub fn flag(&mut self, key: &str, default: bool) -> Result<(bool, Word), ImportError> {
        let word = self.word(key, if default { "TRUE" } else { "FALSE" });
        match word.value.as_str() {
            "TRUE" | "T" | "ON" | "YES" | "Y" | "1" => Ok((true, word)),
            "FALSE" | "F" | "OFF" | "NO" | "N" | "0" => Ok((false, word)),
            _ => Err(word.unknown("true, false")),
        }
    }

    /// Lists rows of these keys as without a counterpart, each for its reason.
    pub fn leave(&mut self, reasons: &[(&str, &str)], left: &mut Vec<Left>) {
        for (key, why) in reasons {
            for n in 0..self.rows.len() {
                if self.rows[n].key == *key && !self.rows[n].is_used {
                    self.rows[n].is_used = true;
                    left.push(self.left(n, why));
                }
            }
        }
    }

    /// The same for all rows whose keys begin so.
    pub fn leave_all(&mut self, reasons: &[(&str, &str)], left: &mut Vec<Left>) {
        for (start, why) in reasons {
            for n in 0..self.rows.len() {
                if self.rows[n].key.starts_with(start) && !self.rows[n].is_used {
                    self.rows[n].is_used = true;
                    left.push(self.left(n, why));
                }
            }
        }
    }

    /// Whether a key begins so.
    pub fn any(&self, start: &str) -> bool {
        self.rows.iter().any(|row| row.key.starts_with(start))
    }

    /// Whether a key stands there.
    pub fn has(&self, key: &str) -> bool {
        self.rows.iter().any(|row| row.key == key)
    }

    fn left(&self, n: usize, why: &str) -> Left {
        let row = &self.rows[n];
        Left {
            key: row.key.clone(),
            value: row.value.clone(),
            place: format!("{}:{}", self.file, row.line),
            why: why.to_owned(),
        }
    }

    /// Lists what nothing has asked for.
    pub fn rest(self, left: &mut Vec<Left>) {
        for n in 0..self.rows.len() {
            let row = &self.rows[n];
            if row.is_used {
                continue;
            }
            let again = self.rows[n + 1..].iter().find(|later| later.key == row.key);
            let why = match again {
                Some(later) => format!("it stands again in line {}, which counts", later.line),
                None => format!(
                    "unknown: no key of {}'s that can be taken over",
                    self.program
                ),
            };
            left.push(self.left(n, &why));
        }
    }
}

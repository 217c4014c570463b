//! Settings of a configuration, by key, with a record of those that were asked for and those that were missing.

use crate::draft::Left;
use crate::{ImportError, Text};

/// A key of a file, its value as it stands there, and its line.
#[derive(Debug)]
struct Setting {
    key: String,
    value: String,
    line: u32,
    is_used: bool,
    /// Reason why it has no value, if so.
    wrong: Option<ImportError>,
}

/// The settings of one file.
#[derive(Debug)]
pub struct Settings {
    file: String,
    /// Program whose defaults stand in for keys that are missing.
    program: String,
    rows: Vec<Setting>,
}

/// A number or word with where it is from.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub value: f64,
    /// In capitals, as programs compare them.
    pub word: Option<String>,
    /// Places in files, or whose default it is.
    pub from: Vec<String>,
    /// True if a part of it is a default.
    pub is_default: bool,
}

impl Known {
    /// A number that is from one place.
    pub fn of(value: f64, from: String) -> Known {
        Known {
            value,
            from: vec![from],
            ..Known::default()
        }
    }

    /// Has it depend on another as well.
    pub fn is_from(&mut self, other: &Known) {
        self.from.extend(other.from.iter().cloned());
        self.is_default |= other.is_default;
    }

    /// Returns the value as given by something else than a key.
    pub fn said_by(self, why: &str) -> Known {
        Known {
            from: vec![why.to_owned()],
            is_default: false,
            ..self
        }
    }
}

/// Text without line breaks and other control characters: it goes into comments of a drive file.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

impl Settings {
    pub fn new(file: &Text<'_>, program: &str) -> Settings {
        Settings {
            file: one_line(file.name),
            program: program.to_owned(),
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

    /// Returns the value of the last row of a key, which counts as asked for, and its line.
    fn take(&mut self, key: &str) -> Option<(String, u32)> {
        let row = self.rows.iter_mut().rfind(|row| row.key == key)?;
        row.is_used = true;
        Some((row.value.clone(), row.line))
    }

    fn label(&self, key: &str, line: u32) -> String {
        format!("{}:{line} {key}", self.file)
    }

    fn default_of(&self, key: &str, value: f64) -> Known {
        let from = format!(
            "{}'s default of {key}, which {} does not have",
            self.program, self.file
        );
        Known {
            is_default: true,
            ..Known::of(value, from)
        }
    }

    /// A number that is not negative; the program's own default, if it has one, stands in for one that is missing.
    ///
    /// # Errors
    /// When the value is no such number, or is missing without a default.
    pub fn number(&mut self, key: &str, default: Option<f64>) -> Result<Known, ImportError> {
        let Some((text, line)) = self.take(key) else {
            return match default {
                Some(default) => Ok(self.default_of(key, default)),
                None => Err(ImportError::new(
                    &self.file,
                    format!("{key} is missing; add it: there is no default to take"),
                )),
            };
        };
        let row = self.rows.iter().rfind(|row| row.key == key);
        if let Some(why) = row.and_then(|row| row.wrong.clone()) {
            return Err(why);
        }
        let value: Option<f64> = text.parse().ok();
        match value.filter(|value| value.is_finite() && *value >= 0.0) {
            Some(value) => Ok(Known::of(value, self.label(key, line))),
            None => {
                let why = format!("{key} is `{text}`; give a number that is not negative");
                Err(ImportError::new(self.place(line), why))
            }
        }
    }

    /// A number that must be whole, and at least 1: something that is counted or has a size.
    ///
    /// # Errors
    /// When the value is no such number, or is missing without a default.
    pub fn count(&mut self, key: &str, default: Option<f64>) -> Result<Known, ImportError> {
        let known = self.number(key, default)?;
        let value = known.value;
        if value >= 1.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX) {
            return Ok(known);
        }
        let why = format!("{key} is {value}; give a whole number from 1 to 4,294,967,295");
        Err(ImportError::new(self.place_of(key), why))
    }

    /// A share in percent.
    ///
    /// # Errors
    /// When the value is no number from 0 to 100.
    pub fn percent(&mut self, key: &str, default: f64) -> Result<Known, ImportError> {
        let known = self.number(key, Some(default))?;
        if known.value <= 100.0 {
            return Ok(known);
        }
        let why = format!("{key} is {}; give percent, up to 100", known.value);
        Err(ImportError::new(self.place_of(key), why))
    }

    /// Bytes: k, m, g, t are powers of 1000, K, M, G, T of 1024.
    ///
    /// # Errors
    /// When the value cannot be read as a size.
    pub fn size(&mut self, key: &str) -> Result<Known, ImportError> {
        let units = [
            ("k", 1e3),
            ("m", 1e6),
            ("g", 1e9),
            ("t", 1e12),
            ("K", 1024.0),
            ("M", 1_048_576.0),
            ("G", 1_073_741_824.0),
            ("T", 1_099_511_627_776.0),
        ];
        let wanted = "a number, with k, m, g, t or K, M, G, T behind it";
        self.in_units(key, &units, wanted)
    }

    /// A time, in picoseconds if it says nothing else.
    ///
    /// # Errors
    /// When the value cannot be read as a time.
    pub fn picoseconds(&mut self, key: &str) -> Result<Known, ImportError> {
        let units = [
            ("ms", 1e9),
            ("us", 1e6),
            ("ns", 1e3),
            ("ps", 1.0),
            ("s", 1e12),
        ];
        self.in_units(key, &units, "a number with s, ms, us, ns or ps behind it")
    }

    fn in_units(
        &mut self,
        key: &str,
        units: &[(&str, f64)],
        wanted: &str,
    ) -> Result<Known, ImportError> {
        let (text, line) = self.take(key).unwrap_or_default();
        let (number, unit) = (units.iter())
            .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))
            .unwrap_or((&text, 1.0));
        let value = number.trim().parse::<u64>().ok();
        let value = value.map(|number| number as f64 * unit);
        if let Some(value) = value.filter(|value| *value < u64::MAX as f64) {
            return Ok(Known::of(value, self.label(key, line)));
        }
        let name = key.rsplit('.').next().unwrap_or(key);
        let why = format!("{name} is `{text}`; give {wanted}");
        Err(ImportError::new(self.place_of(key), why))
    }

    /// Returns the place of a key, or the file if the key is missing.
    pub fn place_of(&self, key: &str) -> String {
        let row = self.rows.iter().rfind(|row| row.key == key);
        row.map_or_else(|| self.file.clone(), |row| self.place(row.line))
    }

    /// A word; the program's own default stands in for one that is missing.
    pub fn word(&mut self, key: &str, default: &str) -> Known {
        let (word, known) = match self.take(key) {
            Some((value, line)) => {
                let known = Known::of(0.0, self.label(key, line));
                (value.to_ascii_uppercase(), known)
            }
            None => (default.to_owned(), self.default_of(key, 0.0)),
        };
        Known {
            word: Some(word),
            ..known
        }
    }

    /// Text as it stands, if it does.
    pub fn text_if(&mut self, key: &str) -> Option<String> {
        Some(self.take(key)?.0)
    }

    /// Yes or no, as 1 or 0: `true`, `on`, `yes`, 1 and their opposites.
    ///
    /// # Errors
    /// When the value is none of these words.
    pub fn flag(&mut self, key: &str, default: bool) -> Result<Known, ImportError> {
        let known = self.word(key, if default { "TRUE" } else { "FALSE" });
        let value = match known.word.as_deref().unwrap_or("") {
            "TRUE" | "T" | "ON" | "YES" | "Y" | "1" => 1.0,
            "FALSE" | "F" | "OFF" | "NO" | "N" | "0" => 0.0,
            other => {
                let why = format!("`{other}` is none of: true, false");
                return Err(ImportError::new(self.place_of(key), why));
            }
        };
        Ok(Known {
            value,
            word: None,
            ..known
        })
    }

    /// Lists rows of a key, or of a section where it ends in a point, as without a counterpart.
    pub fn leave(&mut self, key: &str, why: &str, left: &mut Vec<Left>) {
        for n in 0..self.rows.len() {
            let row = &self.rows[n];
            let is_meant = row.key == key || (key.ends_with('.') && row.key.starts_with(key));
            if is_meant && !row.is_used {
                self.rows[n].is_used = true;
                left.push(self.left(n, why));
            }
        }
    }

    /// Returns true if a key begins with `start`.
    pub fn any(&self, start: &str) -> bool {
        self.rows.iter().any(|row| row.key.starts_with(start))
    }

    /// Returns true if the key is there.
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

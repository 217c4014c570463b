//! A simulator's keys as data: `tables/*.toml`, and the reader that does what their rows say.
//!
//! A table begins with the keys that it reads, by kind, each with the program's own default or as `needed`. Its rows stand in the order
//! of the drive file or job. A row does one thing, if what stands behind `when` holds:
//!
//! | row | what it does |
//! |---|---|
//! | `key`, `is` | a number: a formula of keys, with its `unit`, a `note` how it was worked out, `medium` where it only comes close |
//! | `key`, `assume`, `why` | a number that the program does not have |
//! | `key`, `word` | a choice: the program's word in ours |
//! | `key`, `flag` | a choice that is made or not: a formula that is 0 or not |
//! | `key`, `fixed` | a choice: a word, with `why` or the key that it is `from` |
//! | `let`, `is` | a formula with a name for later rows |
//! | `job` | lines of a job file |
//! | `remark` | what else differs, `once` where several flows say it |
//! | `left`, `why` | a key that has no counterpart, here |
//! | `heed` | a key that is read and changes nothing here |
//! | `refuse`, `why` | the configuration cannot be taken over, because of a key |
//!
//! A number notes the keys of its formula as its origin, and is assumed if one of them was not said; `~KEY` is a number alone, and
//! `from` has other keys named. `when` has conditions joined by `and`: `has KEY`, `lacks KEY`, `KEY is WORD or WORD`, `KEY is not WORD`,
//! or a formula. In texts, `{KEY}` is a value as it stands, `{=KEY}` a word in ours, `{@KEY}` where it stands.

use crate::ImportError;
use crate::draft::{Draft, Number};
use crate::formula::{Names, worked_out};
use crate::settings::{Known, Settings};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub program: String,
    /// Whole numbers from 1.
    #[serde(default)]
    counts: BTreeMap<String, f64>,
    /// Numbers that are not negative.
    #[serde(default)]
    numbers: BTreeMap<String, f64>,
    /// Numbers up to 100.
    #[serde(default)]
    percents: BTreeMap<String, f64>,
    /// Whole numbers from 1 without a default.
    #[serde(default)]
    needed_counts: Vec<String>,
    /// Numbers without a default.
    #[serde(default)]
    needed: Vec<String>,
    /// Flags, each true or false.
    #[serde(default)]
    flags: BTreeMap<String, bool>,
    /// Bytes with a unit behind them, which may be missing.
    #[serde(default)]
    sizes: Vec<String>,
    /// Times with a unit behind them, which may be missing; their value is in picoseconds.
    #[serde(default)]
    times: Vec<String>,
    /// Names of files, which may be missing.
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    words: BTreeMap<String, Words>,
    table: Rows,
}

/// The words of a key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    default: String,
    /// Said where the word is none of them.
    #[serde(default)]
    known: String,
    /// Said in its place where the word may be right and cannot be taken over.
    #[serde(default)]
    refused: String,
    /// Their words in ours; any word is right where there is none.
    #[serde(default)]
    ours: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    rows: Vec<Row>,
    /// Keys without a counterpart; one that ends in a point is a section.
    #[serde(default)]
    left: Vec<Left>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    keys: Vec<String>,
    why: String,
}

#[derive(Debug, Deserialize)]
struct Row {
    when: Option<String>,
    #[serde(flatten)]
    step: Step,
}

fn counted() -> String {
    "1".to_owned()
}

/// A number of the other program's.
#[derive(Debug, Deserialize)]
struct NumberRow {
    key: String,
    is: String,
    #[serde(default = "counted")]
    unit: String,
    #[serde(default)]
    from: Vec<String>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    medium: bool,
}

/// Work of a row: the documentation of this module has a line for each.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    Number(NumberRow),
    Assumed {
        key: String,
        assume: String,
        #[serde(default = "counted")]
        unit: String,
        why: String,
    },
    Word {
        key: String,
        word: String,
    },
    Flag {
        key: String,
        flag: String,
        why: Option<String>,
    },
    Fixed {
        key: String,
        fixed: String,
        why: Option<String>,
        #[serde(default)]
        from: String,
    },
    Let {
        r#let: String,
        is: String,
    },
    Job {
        job: String,
    },
    Remark {
        remark: String,
        #[serde(default)]
        once: bool,
    },
    Left {
        left: String,
        why: String,
    },
    Heed {
        heed: String,
    },
    Refuse {
        refuse: String,
        why: String,
    },
}

impl Table {
    /// The table that stands in `text`, which is this crate's own.
    pub fn of(text: &str) -> Table {
        toml::from_str(text).expect("a test reads every table")
    }

    /// Does what the rows say with the settings of `said`, in `draft`, and returns the lines of the job. `named` are
    /// numbers that the rows have by name.
    ///
    /// # Errors
    /// When a value cannot be read, or a row refuses it.
    pub fn apply(
        &self,
        said: &mut Settings,
        draft: &mut Draft,
        named: BTreeMap<String, Known>,
    ) -> Result<String, ImportError> {
        let mut reader = Reader {
            table: self,
            said,
            named,
            sum: Known::default(),
        };
        let mut job = String::new();
        for row in &self.table.rows {
            if reader.holds(row.when.as_deref().unwrap_or("1"))? {
                reader.step(&row.step, draft, &mut job)?;
            }
        }
        Ok(job)
    }

    /// Lists what no row asked for: with the reason where the table has one.
    pub fn leave(&self, mut said: Settings, draft: &mut Draft) {
        for Left { keys, why } in &self.table.left {
            for key in keys {
                said.leave(key, why, &mut draft.left);
            }
        }
        said.rest(&mut draft.left);
    }
}

/// Reader of the rows of a table.
struct Reader<'a> {
    table: &'a Table,
    said: &'a mut Settings,
    named: BTreeMap<String, Known>,
    /// The origin of the names in the formula that is being worked out.
    sum: Known,
}

impl Reader<'_> {
    /// Does what a row says. Rows stand in the order of the file that they write, so this writes as it reads.
    fn step(
        &mut self,
        step: &Step,
        draft: &mut Draft,
        job: &mut String,
    ) -> Result<(), ImportError> {
        match step {
            Step::Number(row) => self.number(row, draft)?,
            Step::Assumed {
                key,
                assume,
                unit,
                why,
            } => {
                let value = self.formula(assume)?.value;
                draft.assumed(key, value, unit, why);
            }
            Step::Word { key, word } => {
                draft.choice(key, self.ours(word)?, &self.known(word)?);
            }
            Step::Flag { key, flag, why } => {
                let known = self.formula(flag)?;
                let known = why
                    .as_deref()
                    .map_or(known.clone(), |why| known.said_by(why));
                draft.choice(key, known.value != 0.0, &known);
            }
            Step::Fixed {
                key,
                fixed,
                why,
                from,
            } => {
                let origin = match why {
                    Some(why) => Known::default().said_by(why),
                    None => self.known(from)?,
                };
                draft.choice(key, fixed.as_str(), &origin);
            }
            Step::Let { r#let, is } => {
                let known = self.formula(is)?;
                self.named.insert(r#let.clone(), known);
            }
            Step::Job { job: lines } => *job += &(self.text(lines)? + "\n"),
            Step::Remark { remark, once } => {
                let remark = self.text(remark)?;
                if !(*once && draft.remarks.contains(&remark)) {
                    draft.remarks.push(remark);
                }
            }
            Step::Left { left, why } => self.said.leave(left, why, &mut draft.left),
            // A key of words can hold a wrong one; any other key only counts as read.
            Step::Heed { heed } if self.table.words.contains_key(heed) => {
                self.known(heed)?;
            }
            Step::Heed { heed } => {
                self.said.text_if(heed);
            }
            Step::Refuse { refuse, why } => {
                return Err(ImportError::new(
                    self.said.place_of(refuse),
                    self.text(why)?,
                ));
            }
        }
        Ok(())
    }

    fn number(&mut self, row: &NumberRow, draft: &mut Draft) -> Result<(), ImportError> {
        let mut known = self.formula(&row.is)?;
        if !row.from.is_empty() {
            known.from.clear();
        }
        for name in &row.from {
            known.is_from(&self.known(name)?);
        }
        let note = self.text(&row.note)?;
        draft.number(Number {
            key: &row.key,
            known,
            unit: &row.unit,
            is_close: row.medium,
            note: &note,
        });
        Ok(())
    }

    /// The value of a name of the rows, or of a key, which is read as its kind is.
    fn known(&mut self, name: &str) -> Result<Known, ImportError> {
        let Table {
            counts,
            numbers,
            percents,
            flags,
            ..
        } = self.table;
        let is_one_of = |keys: &[String]| keys.iter().any(|key| key == name);
        // Names that the rows define come first, so that a table can put a value of its own in place of a key's.
        if let Some(known) = self.named.get(name) {
            Ok(known.clone())
        } else if let Some(default) = counts.get(name) {
            self.said.count(name, Some(*default))
        } else if is_one_of(&self.table.needed_counts) {
            self.said.count(name, None)
        } else if let Some(default) = numbers.get(name) {
            self.said.number(name, Some(*default))
        } else if is_one_of(&self.table.needed) {
            self.said.number(name, None)
        } else if let Some(default) = percents.get(name) {
            self.said.percent(name, *default)
        } else if let Some(default) = flags.get(name) {
            self.said.flag(name, *default)
        } else if is_one_of(&self.table.sizes) {
            self.said.size(name)
        } else if is_one_of(&self.table.times) {
            self.said.picoseconds(name)
        } else {
            self.word(name)
        }
    }

    /// The word of a key, if it is a right one.
    fn word(&mut self, key: &str) -> Result<Known, ImportError> {
        let Some(words) = self.table.words.get(key) else {
            let why = format!("`{key}` is in a formula of {}'s table", self.table.program);
            return Err(ImportError::new(key, why));
        };
        let known = self.said.word(key, &words.default);
        let word = known.word.as_deref().unwrap_or("");
        if words.ours.is_empty() || words.ours.contains_key(word) {
            return Ok(known);
        }
        let why = match words.refused.as_str() {
            "" => format!("`{word}` is none of: {}", words.known),
            refused => format!("`{word}`: {refused}"),
        };
        Err(ImportError::new(self.said.place_of(key), why))
    }

    /// A word in ours; a name of a file as every system writes it.
    fn ours(&mut self, key: &str) -> Result<String, ImportError> {
        let word = self.as_it_stands(key)?;
        let ours = self.table.words.get(key);
        let ours = ours.and_then(|words| words.ours.get(&word));
        Ok(ours.map_or_else(|| word.replace('\\', "/"), String::clone))
    }

    fn as_it_stands(&mut self, key: &str) -> Result<String, ImportError> {
        if self.table.paths.iter().any(|path| path == key) {
            return Ok(self.said.text_if(key).unwrap_or_default());
        }
        let known = self.known(key)?;
        Ok(known.word.unwrap_or_else(|| known.value.to_string()))
    }

    /// A text with what its brackets stand for.
    fn text(&mut self, text: &str) -> Result<String, ImportError> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            out += before;
            out += &if let Some(name) = name.strip_prefix('@') {
                self.known(name)?.from.join(", ")
            } else if let Some(name) = name.strip_prefix('=') {
                self.ours(name)?
            } else {
                self.as_it_stands(name)?
            };
            rest = behind;
        }
        Ok(out + rest)
    }

    /// The number of a formula, from wherever its names are.
    fn formula(&mut self, text: &str) -> Result<Known, ImportError> {
        self.sum = Known::default();
        self.sum.value = worked_out(self, text, 0)?;
        Ok(std::mem::take(&mut self.sum))
    }

    fn holds(&mut self, when: &str) -> Result<bool, ImportError> {
        for condition in when.split(" and ") {
            let holds = if let Some(key) = condition.strip_prefix("has ") {
                self.has(key)
            } else if let Some(key) = condition.strip_prefix("lacks ") {
                !self.has(key)
            } else if let Some((key, words)) = condition.split_once(" is ") {
                let (words, is_wanted) = match words.strip_prefix("not ") {
                    Some(words) => (words, false),
                    None => (words, true),
                };
                let word = self.as_it_stands(key)?;
                words.split(" or ").any(|other| other == word) == is_wanted
            } else {
                self.formula(condition)?.value != 0.0
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a key is there; one of a size or time is there if it has a value.
    fn has(&mut self, key: &str) -> bool {
        let in_units = self.table.sizes.iter().chain(&self.table.times);
        match in_units.into_iter().any(|other| other == key) {
            true => self.said.text_if(key).is_some_and(|text| !text.is_empty()),
            false => self.said.has(key),
        }
    }
}

impl Names for Reader<'_> {
    const DIVIDES_WHOLE: bool = false;

    fn value(&mut self, name: &str) -> Result<f64, ImportError> {
        if let Some(name) = name.strip_prefix('~') {
            return Ok(self.known(name)?.value);
        }
        let known = self.known(name)?;
        self.sum.is_from(&known);
        Ok(known.value)
    }

    fn function(&self, name: &str) -> Option<fn(&[f64]) -> f64> {
        Some(match name {
            "floor" => |values| values[0].floor(),
            "ceil" => |values| values[0].ceil(),
            "round" => |values| values[0].round_ties_even(),
            "log2" => |values| values[0].log2(),
            "max" => |values| values.iter().copied().fold(f64::MIN, f64::max),
            _ => return None,
        })
    }

    fn wrong(&self, why: &str) -> ImportError {
        ImportError::new(format!("the table of {}", self.table.program), why)
    }
}

#[cfg(test)]
mod tests;

//! A drive file in the making, and what is told of it.

use crate::settings::{Known, Word, one_line};
use serde::Serialize;
use std::fmt::Write;

/// A number or word of the drive file.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Section and key, as `nand.page`.
    pub key: String,
    /// As it stands in the drive file.
    pub value: String,
    /// Its unit; empty for a word and for what is counted.
    pub unit: String,
    /// The places in the other program's files that it is from; empty for what was assumed without any.
    pub from: Vec<String>,
    /// How it was worked out, or why it was assumed.
    pub note: String,
    #[serde(skip)]
    entry: String,
    #[serde(skip)]
    is_assumed: bool,
}

/// What the other program says and the drive file or job does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The other program's key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// File and line.
    pub place: String,
    /// Why it was left out.
    pub why: String,
}

/// A load as a job file in fio's words.
#[derive(Debug, Clone)]
pub struct Job {
    /// What tells it from other loads of the same configuration; empty if there is but one.
    pub suffix: String,
    /// The job file.
    pub text: String,
    /// It replays a trace whose addresses the other program takes modulo the drive.
    pub wraps: bool,
}

/// What became of a configuration.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The drive file.
    pub drive: String,
    /// Job files, one for each load.
    pub jobs: Vec<Job>,
    /// What was taken over.
    pub taken: Vec<Row>,
    /// What was not said and had to be assumed.
    pub assumed: Vec<Row>,
    /// What has no counterpart.
    pub left: Vec<Left>,
    /// What else differs.
    pub remarks: Vec<String>,
}

/// How sure a number is that was taken over.
#[derive(Debug, Clone, Copy)]
pub enum Sure {
    /// It means the same in both programs.
    High,
    /// It comes close.
    Medium,
}

/// The drive file, section by section.
#[derive(Debug)]
pub struct Draft {
    program: &'static str,
    source: String,
    rows: Vec<Row>,
    pub left: Vec<Left>,
    pub remarks: Vec<String>,
}

/// A string as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A number without the noise of its last bits.
fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    rounded.to_string()
}

impl Draft {
    /// A drive of `program`, from the file `source`.
    pub fn new(program: &'static str, source: &str) -> Draft {
        Draft {
            program,
            source: one_line(source),
            rows: Vec::new(),
            left: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// A number of the other program's; `how` says how it was worked out, if it was.
    pub fn number(&mut self, key: &str, known: &Known, unit: &str, sure: Sure, how: &str) {
        let note = match (known.from.join(", "), how) {
            (from, "") => from,
            (from, how) => format!("{from}: {how}"),
        };
        let (source, confidence) = match (known.is_default, sure) {
            (true, _) => ("assumed", "low"),
            (false, Sure::High) => ("imported", "high"),
            (false, Sure::Medium) => ("imported", "medium"),
        };
        self.push(key, known.value, unit, (source, confidence), &note);
        let row = self.rows.last_mut().expect("it was pushed");
        row.from.clone_from(&known.from);
        how.clone_into(&mut row.note);
    }

    /// A number that the other program does not have.
    pub fn assumed(&mut self, key: &str, value: f64, unit: &str, why: &str) {
        self.push(key, value, unit, ("assumed", "low"), why);
    }

    fn push(&mut self, key: &str, value: f64, unit: &str, origin: (&str, &str), note: &str) {
        let (source, confidence) = origin;
        let value = plain(value);
        let entry = format!(
            "{{ value = {value}, unit = \"{unit}\", source = \"{source}\", confidence = \"{confidence}\", note = {} }}",
            quoted(note)
        );
        self.rows.push(Row {
            key: key.to_owned(),
            value,
            unit: unit.to_owned(),
            from: Vec::new(),
            note: note.to_owned(),
            entry,
            is_assumed: source == "assumed",
        });
    }

    /// A name or choice; a comment says where it is from.
    pub fn word(&mut self, key: &str, value: &str, from: &Word) {
        self.choice(key, quoted(value), vec![from.from.clone()], from.is_default);
    }

    /// A choice that is made or not.
    pub fn flag(&mut self, key: &str, value: bool, from: &Word) {
        self.choice(
            key,
            value.to_string(),
            vec![from.from.clone()],
            from.is_default,
        );
    }

    /// A choice that the other program does not leave open: `why` says so.
    pub fn fixed(&mut self, key: &str, value: &str, why: &str) {
        self.choice(key, quoted(value), vec![why.to_owned()], false);
    }

    /// The same of a choice that is made or not.
    pub fn fixed_flag(&mut self, key: &str, value: bool, why: &str) {
        self.choice(key, value.to_string(), vec![why.to_owned()], false);
    }

    fn choice(&mut self, key: &str, value: String, from: Vec<String>, is_assumed: bool) {
        self.rows.push(Row {
            key: key.to_owned(),
            entry: format!("{value} # {}", from.join(", ")),
            value,
            unit: String::new(),
            from,
            note: String::new(),
            is_assumed,
        });
    }

    fn file(&self) -> String {
        let mut text = format!(
            "# Taken over from {}'s {} by `ftlab import`.\n\nschema = 1\nkind = \"ssd\"\nname = {}\nsummary = {}\n",
            self.program,
            self.source,
            quoted(&format!("{} {}", self.program, self.source)),
            quoted(&format!(
                "The drive of {}'s {}, as far as it can be said in a drive file.",
                self.program, self.source
            )),
        );
        let mut section = "";
        for row in &self.rows {
            let (of, key) = row.key.split_once('.').expect("a section and a key");
            if of != section {
                let _ = write!(text, "\n[{of}]\n");
                section = of;
            }
            let _ = writeln!(text, "{key} = {}", row.entry);
        }
        if !self.left.is_empty() || !self.remarks.is_empty() {
            text += "\n# Without a counterpart here:\n";
        }
        for left in &self.left {
            let _ = writeln!(
                text,
                "# {} {} = {}: {}",
                left.place, left.key, left.value, left.why
            );
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "# {remark}");
        }
        text
    }

    /// The drive file, and what is told of it, with the jobs that belong to it.
    pub fn finish(self, jobs: Vec<Job>) -> Imported {
        let drive = self.file();
        let (assumed, taken) = self.rows.into_iter().partition(|row| row.is_assumed);
        Imported {
            drive,
            jobs,
            taken,
            assumed,
            left: self.left,
            remarks: self.remarks,
        }
    }
}

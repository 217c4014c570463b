//! A drive file in the making, and the notes for its user.

use crate::settings::{Known, one_line};
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
    /// Calculation of the value, or the reason why it was assumed.
    pub note: String,
    #[serde(skip)]
    entry: String,
    #[serde(skip)]
    is_assumed: bool,
}

/// A setting of the other program that the drive file or job does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The other program's key.
    pub key: String,
    /// Its value in that program.
    pub value: String,
    /// File and line of it.
    pub place: String,
    /// Reason why it was left out.
    pub why: String,
}

/// A load as a job file in fio's words.
#[derive(Debug, Clone)]
pub struct Job {
    /// Ending that tells the file from those of other loads of the same configuration; empty if there is but one.
    pub suffix: String,
    /// Text of the job file.
    pub text: String,
    /// It replays a trace whose addresses the other program takes modulo the drive.
    pub wraps: bool,
}

/// Result of importing a configuration.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Text of the drive file.
    pub drive: String,
    /// Job files, one for each load.
    pub jobs: Vec<Job>,
    /// Settings that were taken over.
    pub taken: Vec<Row>,
    /// Settings that were not given and had to be assumed.
    pub assumed: Vec<Row>,
    /// Settings that have no counterpart.
    pub left: Vec<Left>,
    /// Other differences, a sentence each.
    pub remarks: Vec<String>,
}

/// A number of the other program's.
pub struct Number<'a> {
    pub key: &'a str,
    pub known: Known,
    pub unit: &'a str,
    /// It does not mean the same in both programs, and comes close.
    pub is_close: bool,
    /// Calculation of the number, if it was worked out.
    pub note: &'a str,
}

/// The drive file, section by section.
#[derive(Debug)]
pub struct Draft {
    program: String,
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
    pub fn new(program: &str, source: &str) -> Draft {
        Draft {
            program: program.to_owned(),
            source: one_line(source),
            rows: Vec::new(),
            left: Vec::new(),
            remarks: Vec::new(),
        }
    }

    pub fn number(&mut self, number: Number<'_>) {
        let Number {
            key,
            known,
            unit,
            is_close,
            note,
        } = number;
        let said = match (known.from.join(", "), note) {
            (from, "") => from,
            (from, note) => format!("{from}: {note}"),
        };
        let origin = match (known.is_default, is_close) {
            (true, _) => ("assumed", "low"),
            (false, true) => ("imported", "medium"),
            (false, false) => ("imported", "high"),
        };
        self.push(key, known.value, unit, origin, &said);
        let row = self.rows.last_mut().expect("it was pushed");
        row.from = known.from;
        note.clone_into(&mut row.note);
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
    pub fn choice(&mut self, key: &str, value: impl Into<toml::Value>, origin: &Known) {
        let value = value.into().to_string();
        self.rows.push(Row {
            key: key.to_owned(),
            entry: format!("{value} # {}", origin.from.join(", ")),
            value,
            unit: String::new(),
            from: origin.from.clone(),
            note: String::new(),
            is_assumed: origin.is_default,
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
        // Rows of one section follow one another: its head is written before the first of them.
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

    /// The drive file and its notes, with the jobs that belong to it.
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

//! A configuration in the making, and the notes for its user.

use crate::Card;
use crate::numbers::Numbers;
use serde::Serialize;

/// A key of the other program's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Key {
    /// As the program names it.
    pub key: String,
    /// As it stands in the program's file.
    pub value: String,
    /// Keys of the drive file that it is from; empty for what was assumed.
    pub from: Vec<String>,
    /// Calculation of the value, or the reason why it was assumed; may be empty.
    pub note: String,
}

/// What the other program has no key for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Section and key of the drive file, or job and word of the job file.
    pub key: String,
    /// As it stands there.
    pub value: String,
    /// It decides how fast the drive is, or what it writes.
    pub decides_speed: bool,
    /// Reason why it was left out.
    pub why: String,
}

/// Sections of drive files that change neither times nor what is written to the flash.
const WITHOUT_TIME: [&str; 4] = ["power", "power_loss", "reliability", "smart"];

/// Keys by the elements of the file that they stand in, and notes.
#[derive(Debug, Default)]
pub struct Draft {
    keys: Vec<(&'static str, Key)>,
    pub written: Vec<Key>,
    pub assumed: Vec<Key>,
    pub dropped: Vec<Dropped>,
    pub remarks: Vec<String>,
}

impl Draft {
    /// Adds a key that follows from keys of the drive file.
    pub fn written(
        &mut self,
        element: &'static str,
        (key, value): (&'static str, impl ToString),
        from: &[&str],
        note: impl Into<String>,
    ) {
        let row = self.row(element, key, value.to_string(), from, note.into());
        self.written.push(row);
    }

    /// Adds a key that no drive file says anything of.
    pub fn assumed(
        &mut self,
        element: &'static str,
        (key, value): (&'static str, impl ToString),
        why: impl Into<String>,
    ) {
        let row = self.row(element, key, value.to_string(), &[], why.into());
        self.assumed.push(row);
    }

    fn row(
        &mut self,
        element: &'static str,
        key: &'static str,
        value: String,
        from: &[&str],
        note: String,
    ) -> Key {
        let row = Key {
            key: key.to_owned(),
            value,
            from: from.iter().map(|&key| key.to_owned()).collect(),
            note,
        };
        self.keys.push((element, row.clone()));
        row
    }

    /// Lists what is left of a drive's numbers. `reasons` are of keys, or of sections with their dot; `otherwise` of
    /// the others.
    pub fn drop_rest(&mut self, rest: Numbers, reasons: &[(&str, &str)], otherwise: &str) {
        for row in rest.rest() {
            let is_of = |name: &str| match name.ends_with('.') {
                true => row.key.starts_with(name),
                false => row.key == name,
            };
            let why = reasons.iter().find(|(name, _)| is_of(name));
            let (section, _) = row.key.split_once('.').unwrap_or((&row.key, ""));
            self.dropped.push(Dropped {
                decides_speed: !WITHOUT_TIME.contains(&section),
                value: [row.value.as_str(), row.unit.as_str()]
                    .join(" ")
                    .trim()
                    .to_owned(),
                why: why.map_or(otherwise, |(_, why)| why).to_owned(),
                key: row.key,
            });
        }
    }

    /// The keys of an element with their values, in the order in which they were added.
    pub fn keys(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let own = self
            .keys
            .iter()
            .filter(move |(element, _)| *element == name);
        own.map(|(_, row)| (row.key.as_str(), row.value.as_str()))
    }

    /// The card of these keys, with its files.
    pub fn card(self, files: Vec<(String, String)>) -> Card {
        let Draft {
            written,
            assumed,
            dropped,
            remarks,
            ..
        } = self;
        Card {
            files,
            written,
            assumed,
            dropped,
            remarks,
        }
    }

    /// All that is to be said of the file: what is dropped, what is assumed, what is different.
    pub fn notes(&self, program: &str) -> String {
        let mut text = String::new();
        let mut list = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text += &format!("\n{title}:\n");
                lines.iter().for_each(|line| text += &format!("  {line}\n"));
            }
        };
        let dropped = |decides: bool| {
            let rows = self
                .dropped
                .iter()
                .filter(|row| row.decides_speed == decides);
            let lines = rows.map(|row| format!("{} = {}: {}", row.key, row.value, row.why));
            lines.collect()
        };
        let assumed = self.assumed.iter();
        let assumed = assumed.map(|row| format!("{} = {}: {}", row.key, row.value, row.note));
        list(
            &format!("{program} has no key for these, which decide speed"),
            dropped(true),
        );
        list(
            &format!("{program} has no key for these, which do not decide speed"),
            dropped(false),
        );
        list(
            "No drive file says these, so they are assumed",
            assumed.collect(),
        );
        list("Also different", self.remarks.clone());
        text
    }
}

//! Members of a class. A file of a class says of a number in which range its members have it (`range`), and which choices
//! their makers make (`[members]`). What a drive's own file says is known of that drive, and no range of its class counts.

use super::drive_file::DriveFile;
use ftlab_base::amount::rounded;
use ftlab_base::{RootSeed, strata};
use ftlab_sheet::SheetError;
use ftlab_sheet::quantity::RANGE_KEY;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The section of choices.
pub(super) const SECTION: &str = "members";

/// The seed of the places that members have in ranges and choices.
const SEED: u64 = 1;

/// What makers choose differently: settings, of which a member has one or the other.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The alternatives, each a few settings of the form `key=value`.
    pub of: Vec<Vec<String>>,
    /// Who chooses what.
    #[serde(default)]
    pub note: String,
}

/// A number that members of a class have differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// Section and key.
    pub key: String,
    /// The least and the most, in its unit.
    pub bounds: [f64; 2],
    /// Its unit, as a setting has it.
    pub unit: String,
    is_whole: bool,
}

/// All in which the members of a class differ, and which a drive's own file does not say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    /// Numbers.
    pub ranges: Vec<Range>,
    /// Choices, each with its name.
    pub choices: Vec<(String, Choice)>,
}

/// Takes the choices out of a table of sections; the error says what is wrong with them.
pub(super) fn choices(sections: &mut Table) -> Result<BTreeMap<String, Choice>, String> {
    let Some(section) = sections.remove(SECTION) else {
        return Ok(BTreeMap::new());
    };
    let wrong = |why: String| {
        format!(
            "[{SECTION}]: {why}; a choice is NAME = {{ of = [[\"key=value\"], [\"key=other\"]] }}"
        )
    };
    let choices: BTreeMap<String, Choice> =
        (section.try_into()).map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
    match choices.iter().find(|(_, choice)| choice.of.len() < 2) {
        Some((name, _)) => Err(wrong(format!("{name} has no alternative"))),
        None => Ok(choices),
    }
}

impl Spread {
    /// True where a drive's file says all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.choices.is_empty()
    }

    /// The settings of `count` members: a Latin hypercube, so that each range is hit once in every part of it, and each
    /// choice made as often as the others. Another range or choice moves none.
    #[must_use]
    pub fn members(&self, count: u32) -> Vec<Vec<String>> {
        let places = |name: &str| {
            let strata = strata(count, &mut RootSeed(SEED).stream(name));
            strata
                .into_iter()
                .map(|part| (f64::from(part) + 0.5) / f64::from(count))
        };
        let mut members = vec![Vec::new(); count as usize];
        for range in &self.ranges {
            for (member, place) in members.iter_mut().zip(places(&range.key)) {
                member.push(range.setting(place));
            }
        }
        for (name, choice) in &self.choices {
            for (member, place) in members.iter_mut().zip(places(name)) {
                let which = (place * choice.of.len() as f64) as usize;
                member.extend(choice.of[which].iter().cloned());
            }
        }
        members
    }
}

impl Range {
    /// The range of a number that need not be whole.
    #[must_use]
    pub fn of_number(key: &str, bounds: [f64; 2], unit: &str) -> Range {
        Range {
            key: key.to_owned(),
            bounds,
            unit: unit.to_owned(),
            is_whole: false,
        }
    }

    /// The setting of a member at a place from 0 to 1: even in the logarithm, as times and sizes are.
    fn setting(&self, place: f64) -> String {
        let [low, high] = self.bounds;
        let value = match low > 0.0 {
            true => low * (high / low).powf(place),
            false => low + (high - low) * place,
        };
        let value = match self.is_whole {
            true => value.round(),
            false => rounded(value),
        };
        let unit = if self.unit == "1" { "" } else { &self.unit };
        format!("{}={value}{unit}", self.key)
    }
}

impl DriveFile {
    /// All in which members of its class differ and the file itself does not say.
    #[must_use]
    pub fn spread(&self) -> Spread {
        let mut spread = Spread::default();
        for (name, section) in self.sections() {
            for (key, value) in section {
                spread.ranges.extend(range(&format!("{name}.{key}"), value));
            }
        }
        let is_known = |key: &str| self.says(key);
        for (name, choice) in self.choices() {
            let mut keys = choice
                .of
                .iter()
                .flatten()
                .filter_map(|setting| setting.split_once('='));
            if !keys.any(|(key, _)| is_known(key)) {
                spread.choices.push((name.clone(), choice.clone()));
            }
        }
        spread
    }

    /// The drive as some members of its class would be, each with the settings that make it.
    ///
    /// # Errors
    /// When one cannot be.
    pub fn members(&self, count: u32) -> Result<Vec<(DriveFile, Vec<String>)>, SheetError> {
        let members = self.spread().members(count).into_iter();
        members
            .map(|settings| Ok((self.with(&settings)?, settings)))
            .collect()
    }
}

/// The range of a number, if it has one.
fn range(key: &str, value: &Value) -> Option<Range> {
    let number = value.as_table()?;
    let bounds = number.get(RANGE_KEY)?.as_array()?;
    let bound = |value: &Value| {
        value
            .as_float()
            .or_else(|| Some(value.as_integer()? as f64))
    };
    let is_whole = number.get("value").is_some_and(Value::is_integer)
        && bounds.iter().all(Value::is_integer)
        && number.get("unit").and_then(Value::as_str) == Some("1");
    Some(Range {
        key: key.to_owned(),
        bounds: [bound(bounds.first()?)?, bound(bounds.get(1)?)?],
        unit: number
            .get("unit")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        is_whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    fn load(slug: &str, settings: &[&str]) -> DriveFile {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Catalog::default().load(slug, &settings).expect("it loads")
    }

    fn keys(file: &DriveFile) -> Vec<String> {
        let spread = file.spread();
        let numbers = spread.ranges.iter().map(|range| range.key.clone());
        numbers
            .chain(spread.choices.iter().map(|(name, _)| name.clone()))
            .collect()
    }

    #[test]
    fn what_a_file_says_itself_has_no_range() {
        // A drive that was made from its sheet leaves to its class what that does not tell.
        let class = keys(&load("solidigm-p5520-1920", &[]));
        for key in ["scheduling.suspend_every", "pacing", "order"] {
            assert!(class.iter().any(|of| of == key), "{key}: {class:?}");
        }
        // A setting is as good as the file's own word, and so is one key of a choice.
        let set = keys(&load(
            "solidigm-p5520-1920",
            &["nand.t_read=55us", "gc.turn=2"],
        ));
        assert!(
            !set.iter().any(|of| of == "nand.t_read" || of == "pacing"),
            "{set:?}"
        );
        let measured = keys(&load("samsung-pm9a3-960", &[]));
        for key in ["scheduling.suspend_every", "pacing", "order"] {
            assert!(!measured.iter().any(|of| of == key), "{key}: {measured:?}");
        }
        assert!(load("intel-x25-m-g1-80", &[]).spread().is_empty());
    }

    #[test]
    fn members_lie_evenly_in_their_ranges_and_make_every_choice() {
        const COUNT: u32 = 40;
        let class = load("generic-dc-tlc-1920", &[]);
        let members = class.members(COUNT).expect("they can be");
        let value = |file: &DriveFile, key: &str| -> f64 {
            let rows = file.parameters();
            let row = rows.iter().find(|row| row.key == key);
            row.and_then(|row| row.value.parse().ok())
                .expect("a number")
        };
        for range in class.spread().ranges {
            let [least, most] = range.bounds;
            let values = members.iter().map(|(file, _)| value(file, &range.key));
            let values: Vec<f64> = values.collect();
            assert!(
                values.iter().all(|value| (least..=most).contains(value)),
                "{range:?}: {values:?}"
            );
            let below = values
                .iter()
                .filter(|value| **value < (least * most).sqrt())
                .count();
            assert_eq!(below, COUNT as usize / 2, "{range:?}");
        }
        for (name, choice) in class.spread().choices {
            for settings in &choice.of {
                let has = |of: &&(DriveFile, Vec<String>)| {
                    settings.iter().all(|setting| of.1.contains(setting))
                };
                assert!(members.iter().any(|of| has(&of)), "{name}: {settings:?}");
            }
        }
        // They are the same each time.
        let again = class.members(COUNT).expect("they can be");
        assert!(
            members
                .iter()
                .zip(&again)
                .all(|(one, other)| one.1 == other.1)
        );
    }

    #[test]
    fn a_range_or_choice_that_is_none_is_refused() {
        let with = |base: &str| {
            let text = format!(
                "schema = 1\nkind = \"ssd\"\nbase = \"generic-dc-tlc-1920\"\nname = \"X\"\nsummary = \"x\"\n{base}"
            );
            Catalog::default()
                .parse("x", &text, &[])
                .map(|_| ())
                .unwrap_err()
                .to_string()
        };
        let number = |range: &str| {
            format!(
                "[nand]\nt_read = {{ value = 50, unit = \"us\", range = {range}, source = \"assumed\", confidence = \"low\" }}\n"
            )
        };
        assert!(with(&number("[60, 70]")).contains("60 to 70 does not lie about the value, 50"));
        assert!(with(&number("[60, 40]")).contains("range"));
        assert!(
            with(&number("[60]")).contains("range") || with(&number("[60]")).contains("length")
        );
        for choice in [
            "order = { of = [[\"a.b=1\"]] }",
            "order = 3",
            "order = { off = [] }",
        ] {
            assert!(
                with(&format!("[members]\n{choice}\n")).contains("[members]: "),
                "{choice}"
            );
        }
    }
}

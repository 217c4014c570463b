//! The text of a fitted drive file: what was fitted says so, with its interval and where it was measured.

use crate::candidate::{Candidate, Number};
use crate::pinned::Found;
use ftlab_base::amount::rounded;
use ftlab_bench::calibrate::in_sections;
use ftlab_sheet::SheetError;
use toml::{Table, Value};

/// Half widths of intervals, relative, up to which a number's confidence is high and medium.
const HIGH: f64 = 0.03;
const MEDIUM: f64 = 0.10;

/// The text of a fitted file under a name. `measured` says where and when the figures were measured, in words.
///
/// # Errors
/// When no such drive can be.
pub fn text(
    candidate: &Candidate,
    found: &[Found],
    name: &str,
    measured: &str,
) -> Result<String, SheetError> {
    let file = candidate.file()?;
    let mut table: Table = file.text().parse().expect("it is the text of a drive file");
    table.insert("name".to_owned(), Value::String(name.to_owned()));
    for setting in candidate.settings() {
        let (key, _) = setting.split_once('=').expect("a setting");
        let of = found.iter().find(|of| key_of(of.number) == key);
        if let Some(entry) = entry(&mut table, key) {
            let (source, confidence, note) = match of {
                Some(of) if of.is_pinned() => ("fitted", confidence(of), note(of, measured)),
                Some(of) if of.interval.is_some() => (
                    "fitted",
                    "low",
                    format!("a fifth of it moves no figure by 3 %; {measured}"),
                ),
                Some(_) => (
                    "assumed",
                    "low",
                    "no figure that was measured pins it".to_owned(),
                ),
                None => (
                    "fitted",
                    "medium",
                    format!("of all that were tried it fits best; {measured}"),
                ),
            };
            for (key, text) in [
                ("source", source),
                ("confidence", confidence),
                ("note", &note),
            ] {
                entry.insert(key.to_owned(), Value::String(text.to_owned()));
            }
        }
    }
    Ok(in_sections(&table))
}

/// The key of a drive file that a number is.
fn key_of(number: Number) -> &'static str {
    match number {
        Number::Spare => "nand.blocks_per_die",
        Number::Key(key) => key,
    }
}

fn entry<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Table> {
    let (section, name) = key.split_once('.')?;
    let entry = table.get_mut(section)?.as_table_mut()?.get_mut(name)?;
    entry.as_table_mut()
}

/// Half of an interval over the number in its middle.
fn half_width(of: &Found) -> Option<f64> {
    let interval = of.interval.as_ref()?;
    Some((interval.end() / interval.start()).sqrt() - 1.0)
}

fn confidence(of: &Found) -> &'static str {
    match half_width(of) {
        Some(width) if width <= HIGH => "high",
        Some(width) if width <= MEDIUM => "medium",
        _ => "low",
    }
}

fn note(of: &Found, measured: &str) -> String {
    let within = half_width(of).map_or_else(String::new, |width| {
        format!("within {} %, ", rounded(100.0 * width))
    });
    match &of.moves {
        Some((_, place)) => format!(
            "{within}most by {} of {}; {measured}",
            place.metric, place.test
        ),
        None => format!("{within}{measured}"),
    }
}

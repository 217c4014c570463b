//! Results of earlier versions of the schema, converted to this one step by step.

use crate::{ResultSet, SCHEMA};
use serde_json::{Map, Value};

/// The oldest version that is read.
pub const OLDEST: u32 = 2;

/// Makes of a set of one version a set of the next; the first is for [`OLDEST`].
const STEPS: [fn(&mut Value); (SCHEMA - OLDEST) as usize] =
    [ratios_of_nothing_are_none, drives_of_a_run_stand_at_it];

/// Reasons for which a text holds no results that can be read.
#[derive(Debug)]
pub enum Unread {
    /// It is not JSON, or has not what results have.
    Foreign(serde_json::Error),
    /// It is of a version of the schema that is not read.
    Schema(u32),
}

impl From<serde_json::Error> for Unread {
    fn from(why: serde_json::Error) -> Unread {
        Unread::Foreign(why)
    }
}

/// The beginning of every version.
#[derive(serde::Deserialize)]
struct Versioned {
    schema: u32,
}

impl ResultSet {
    /// Reads the text of a result set of any version of the schema from [`OLDEST`] on, as one of this version.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub fn read(text: &str) -> Result<ResultSet, Unread> {
        let Versioned { schema } = serde_json::from_str(text)?;
        if schema == SCHEMA {
            return Ok(serde_json::from_str(text)?);
        }
        if !(OLDEST..SCHEMA).contains(&schema) {
            return Err(Unread::Schema(schema));
        }
        let mut set: Value = serde_json::from_str(text)?;
        for step in &STEPS[(schema - OLDEST) as usize..] {
            step(&mut set);
        }
        set["schema"] = SCHEMA.into();
        Ok(serde_json::from_value(set)?)
    }
}

/// From 2 to 3: ratios of nothing that was written, and shares of it, were 0.
fn ratios_of_nothing_are_none(set: &mut Value) {
    for run in list(set, "runs") {
        of_nothing(run);
        list(run, "devices").for_each(of_nothing);
    }
}

fn list<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = value.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// The device's figures of a run. One that has no ratio has no share either.
fn of_nothing(run: &mut Value) {
    let is_nothing = |value: &Value| value.as_f64() == Some(0.0);
    for ratio in list(run, "series_wa").filter(|ratio| is_nothing(ratio)) {
        *ratio = Value::Null;
    }
    if let Some(inside) = run.get_mut("inside")
        && inside.get("wa").is_some_and(is_nothing)
    {
        inside["wa"] = Value::Null;
        inside["gc_share"] = Value::Null;
    }
}

/// The fields of a run's only drive, which stood at the run itself.
const OF_DRIVE: [&str; 10] = [
    "settling",
    "inside",
    "series_wa",
    "series_celsius",
    "series_throttle",
    "joules",
    "wear",
    "erases",
    "smart",
    "nvme",
];

/// From 3 to 4: a run's only drive stood at the run itself, several had a list and their sums stood there.
fn drives_of_a_run_stand_at_it(set: &mut Value) {
    for run in list(set, "runs").filter_map(Value::as_object_mut) {
        let mut only = Map::new();
        for field in OF_DRIVE {
            only.extend(run.remove_entry(field));
        }
        only.retain(|_, value| !matches!(value, Value::Array(list) if list.is_empty()));
        match run.remove("devices") {
            Some(Value::Array(mut devices)) if !devices.is_empty() => {
                devices.iter_mut().for_each(written);
                run.insert("at".to_owned(), Value::Array(devices));
                let sum = only.remove("inside");
                run.extend(sum.map(|sum| ("together".to_owned(), sum)));
            }
            _ if only.is_empty() => {}
            _ => {
                run.insert("at".to_owned(), Value::from(vec![Value::Object(only)]));
            }
        }
    }
}

/// Moves the bytes written to one of several drives from a field of its own to where they stand now.
fn written(device: &mut Value) {
    if let Some(bytes) = device
        .as_object_mut()
        .and_then(|of| of.remove("written_bytes"))
    {
        device["inside"]["host_bytes_written"] = bytes;
    }
}

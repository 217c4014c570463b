//! A JSON object whose keys are taken one by one, so that what nobody took can be named.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most of anything that a run has: more is no measurement, and sums of a thousand would not fit.
pub const COUNT_MAX: u64 = 1 << 53;

/// An object, and the place where it stands in its document.
#[derive(Debug)]
pub struct Object {
    at: String,
    keys: Map<String, Value>,
}

impl Object {
    /// The object that stands at `at`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn of(at: impl Into<String>, value: Value) -> Result<Object, String> {
        let at = at.into();
        match value {
            Value::Object(keys) => Ok(Object { at, keys }),
            other => Err(wrong(&at, &other, "an object")),
        }
    }

    /// True if it has a key that was not taken yet.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// The object of a key.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn object(&mut self, key: &str) -> Result<Option<Object>, String> {
        let at = self.place(key);
        self.take(key)
            .map(|value| Object::of(at, value))
            .transpose()
    }

    /// The objects of a list.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn objects(&mut self, key: &str) -> Result<Option<Vec<Object>>, String> {
        let at = self.place(key);
        match self.take(key) {
            None => Ok(None),
            Some(Value::Array(values)) => {
                let each = values.into_iter().enumerate();
                let objects = each.map(|(n, value)| Object::of(format!("{at}[{n}]"), value));
                objects.collect::<Result<_, _>>().map(Some)
            }
            Some(other) => Err(wrong(&at, &other, "a list")),
        }
    }

    /// A number of things.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn count(&mut self, key: &str) -> Result<Option<u64>, String> {
        let at = self.place(key);
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let whole = value
            .as_f64()
            .filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < u64::MAX as f64);
        let count = value.as_u64().or(whole.map(|number| number as u64));
        let count = count.filter(|count| *count <= COUNT_MAX);
        count.map(Some).ok_or_else(|| wrong(&at, &value, "a count"))
    }

    /// A number.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn number(&mut self, key: &str) -> Result<Option<f64>, String> {
        let at = self.place(key);
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let number = value.as_f64();
        number
            .map(Some)
            .ok_or_else(|| wrong(&at, &value, "a number"))
    }

    /// A text; of what is none, how it stands in the file.
    pub fn text(&mut self, key: &str) -> Option<String> {
        self.take(key).map(|value| as_text(&value))
    }

    /// The texts of an object's keys; none of what is absent.
    ///
    /// # Errors
    /// When it is no object.
    pub fn texts(&mut self, key: &str) -> Result<BTreeMap<String, String>, String> {
        let object = self.object(key)?;
        let keys = object.into_iter().flat_map(|object| object.keys);
        Ok(keys.map(|(key, value)| (key, as_text(&value))).collect())
    }

    /// All its keys that are numbers, with their counts.
    ///
    /// # Errors
    /// When a value is no count.
    pub fn counts(mut self) -> Result<Vec<(f64, u64)>, String> {
        let keys: Vec<String> = self.keys.keys().cloned().collect();
        let mut counts = Vec::new();
        for key in keys {
            if let (Ok(number), Some(count)) = (key.parse(), self.count(&key)?) {
                counts.push((number, count));
            }
        }
        Ok(counts)
    }

    /// All its keys that have numbers.
    pub fn numbers(self) -> BTreeMap<String, f64> {
        let keys = self.keys.into_iter();
        keys.filter_map(|(key, value)| Some((key, value.as_f64()?)))
            .collect()
    }

    /// What is left of it.
    pub fn into_value(self) -> Value {
        Value::Object(self.keys)
    }

    /// The keys that nobody took.
    pub fn rest(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// The error for a key that has to be there.
    pub fn lacks(&self, key: &str) -> String {
        format!("{} is missing", self.place(key))
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.keys.remove(key)
    }

    fn place(&self, key: &str) -> String {
        match self.at.is_empty() {
            true => key.to_owned(),
            false => format!("{}.{key}", self.at),
        }
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn wrong(at: &str, found: &Value, wanted: &str) -> String {
    const SHOWN: usize = 40;
    let found: String = found.to_string().chars().take(SHOWN).collect();
    match at.is_empty() {
        true => format!("{found} stands where {wanted} belongs"),
        false => format!("{at} is {found}, where {wanted} belongs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_taken_once_and_errors_name_their_place() {
        let value = json!({"jobs": [{"ios": 3.0, "name": 7, "no": -1, "rest": {}}]});
        let mut whole = Object::of("", value).unwrap();
        let mut jobs = whole.objects("jobs").unwrap().unwrap();
        assert_eq!(jobs[0].count("ios"), Ok(Some(3)));
        assert_eq!(jobs[0].count("ios"), Ok(None));
        assert_eq!(jobs[0].text("name").as_deref(), Some("7"));
        assert_eq!(
            jobs[0].count("no").unwrap_err(),
            "jobs[0].no is -1, where a count belongs"
        );
        assert_eq!(jobs[0].rest().collect::<Vec<_>>(), ["rest"]);
        let mut large = Object::of("", json!({"ios": u64::MAX})).unwrap();
        assert!(large.count("ios").is_err());
        assert!(jobs[0].number("rest").is_err() && Object::of("", json!([])).is_err());
        assert_eq!(whole.rest().count(), 0);
    }
}

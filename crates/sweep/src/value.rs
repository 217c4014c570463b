//! Values of settings, as a TOML file gives them and a table of rows shows them.

use std::fmt::{self, Display, Formatter};

/// The greatest whole number up to which every one is a number of its own.
const WHOLE_MAX: u64 = 1 << 53;

/// The value of a setting: a number or a word of a drive file.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number in the unit that the file has for it.
    Number(f64),
    /// A word, or a number with a unit.
    Word(String),
}

/// As in `key=value` settings: the same number is the same text, however it was written.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => word.fmt(f),
        }
    }
}

impl Value {
    /// A value of a TOML file; the error says what it must be.
    ///
    /// # Errors
    /// When it is neither a number, nor a word, nor true or false.
    pub fn of(value: &toml::Value) -> Result<Value, String> {
        match value {
            toml::Value::Integer(whole) if whole.unsigned_abs() <= WHOLE_MAX => {
                Ok(Value::Number(*whole as f64))
            }
            toml::Value::Float(number) if number.is_finite() => Ok(Value::Number(*number)),
            toml::Value::Boolean(yes) => Ok(Value::Word(yes.to_string())),
            toml::Value::String(word) if !word.trim().is_empty() => {
                Ok(Value::Word(word.trim().to_owned()))
            }
            other => Err(format!(
                "`{other}` is no value; give a number, a word, true or false"
            )),
        }
    }

    /// The number that it is, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Word(_) => None,
        }
    }
}

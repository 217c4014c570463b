//! Errors of files, names and settings.

use crate::places::Places;
use ftlab_base::Blame;
use ftlab_base::plain::without_types;

/// An error of a drive file, a testbed file, a name or a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// No drive or testbed has the name.
    #[error("unknown {what} `{name}`{nearest}; {hint}")]
    Unknown {
        /// Kind of the thing: `drive` or `testbed`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// ` (did you mean …?)`, or nothing.
        nearest: String,
        /// Command that lists the names.
        hint: String,
    },
    /// Several drives or testbeds have parts of that name.
    #[error("`{name}` matches several {what}s: {found}; name one")]
    Several {
        /// Kind of the thing: `drive` or `testbed`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names they have.
        found: String,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// Reason that the system gave.
        why: String,
    },
    /// The text is not what such a file may say.
    #[error("{file}: {why}")]
    Invalid {
        /// The file or slug.
        file: String,
        /// The fault, and its place in the file.
        why: String,
    },
    /// A setting cannot be applied.
    #[error("--set {0}")]
    Setting(String),
}

impl Blame for SheetError {}

impl SheetError {
    /// An error in a file says where the key stands that it names.
    #[must_use]
    pub fn in_text(self, places: &Places) -> SheetError {
        match self {
            SheetError::Invalid { file, why } => SheetError::Invalid {
                file,
                why: places.put(why),
            },
            other => other,
        }
    }

    /// An error in a file on disk names the path rather than the slug.
    #[must_use]
    pub fn at(self, path: &str) -> SheetError {
        match self {
            SheetError::Invalid { why, .. } => SheetError::Invalid {
                file: path.to_string(),
                why,
            },
            other => other,
        }
    }
}

/// A TOML error in one line: where, then what.
#[must_use]
pub fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let place = text.lines().next();
    let place = place.and_then(|line| line.strip_prefix("TOML parse error "));
    let key = text.lines().last().filter(|line| line.starts_with("in `"));
    let message = [error.message(), key.unwrap_or_default()].join(" ");
    let words: Vec<&str> = message.split_whitespace().collect();
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    place + &without_types(&words.join(" "))
}

//! Errors of a script, a scenario or a trace.

use ftlab_base::Blame;
use ftlab_base::plain::without_types;
use thiserror::Error;

/// A script, scenario or trace that cannot be run. The message names the place, what is wrong and what to
/// write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The text is not what such a file may say.
    #[error("{file}:{line}: {why}")]
    Invalid {
        /// The file's name, as given.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The fault, and what belongs there.
        why: String,
    },
    /// Files of a script lie beyond the end of the drive.
    #[error(
        "{file}: files `{files}` end at {end} bytes and the drive has {capacity}; give them a \
         smaller `at`, or take a larger drive"
    )]
    BeyondDrive {
        /// File of the script.
        file: String,
        /// The name of the files.
        files: String,
        /// End of the files, in bytes.
        end: u64,
        /// Bytes of the drive.
        capacity: u64,
    },
}

impl Blame for ScriptError {}

impl ScriptError {
    /// The error at a byte of the text.
    pub(super) fn at(file: &str, text: &str, byte: usize, why: impl Into<String>) -> ScriptError {
        let before = text.as_bytes().iter().take(byte);
        ScriptError::Invalid {
            file: file.to_owned(),
            line: 1 + before.filter(|byte| **byte == b'\n').count(),
            why: why.into(),
        }
    }

    /// An error of the parser, in one line.
    pub(super) fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> ScriptError {
        let byte = error.span().map_or(0, |span| span.start);
        let words: Vec<&str> = error.message().split_whitespace().collect();
        let message = words.join(" ");
        let meant =
            meant(&message).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        ScriptError::at(file, text, byte, without_types(&message) + &meant)
    }
}

/// Names this unlike every other are no misspelling of one.
const ALIKE_LEAST: f64 = 0.6;
const NAME_BYTES_MAX: usize = 64;

/// The name that was meant, among those that the parser lists for an unknown one.
fn meant(message: &str) -> Option<&str> {
    let unknown = ["unknown field `", "unknown variant `"];
    let rest = unknown
        .iter()
        .find_map(|start| message.strip_prefix(start))?;
    let (name, names) = rest.split_once('`')?;
    // Long lines are not misspelt keys, and comparing them would be slow.
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(name, other);
    let names = names.split('`').skip(1).step_by(2);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) >= ALIKE_LEAST).then_some(nearest)
}

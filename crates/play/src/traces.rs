//! The synthetic traces that come with ftlab.

use ftlab_workload::script::ScriptError;
use ftlab_workload::trace::Trace;

// (name, text) of every file in `traces/`, sorted by name.
include!(concat!(env!("OUT_DIR"), "/traces.rs"));

/// The names of all of them, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TRACES.iter().map(|(name, _)| *name)
}

/// The name of the trace of that text.
#[must_use]
pub fn name_of(text: &str) -> Option<&'static str> {
    let (name, _) = TRACES.iter().find(|(_, other)| *other == text)?;
    Some(name)
}

/// The trace of that name.
///
/// # Panics
/// When there is none: tests look every name up that is part of the program.
///
/// # Errors
/// When its text is wrong.
pub fn trace(name: &str) -> Result<Trace, ScriptError> {
    let found = TRACES.iter().find(|(other, _)| *other == name);
    let (name, text) = found.unwrap_or_else(|| panic!("no trace is called {name}"));
    Trace::parse(text, &format!("traces/{name}.toml"))
}

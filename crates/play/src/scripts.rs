//! The scripts and scenarios that come with ftlab.

use ftlab_workload::script::{Scenario, ScriptError};

// (name, text) of every file in `scripts/`, sorted by name.
include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// The names of all of them, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCRIPTS.iter().map(|(name, _)| *name)
}

/// The file and the text of the script or scenario of that name.
#[must_use]
pub fn find(name: &str) -> Option<(String, String)> {
    let (name, text) = SCRIPTS.iter().find(|(other, _)| *other == name)?;
    Some((format!("scripts/{name}.toml"), (*text).to_owned()))
}

/// The name of the script or scenario of that text.
#[must_use]
pub fn name_of(text: &str) -> Option<&'static str> {
    let (name, _) = SCRIPTS.iter().find(|(_, other)| *other == text)?;
    Some(name)
}

/// The scenario of that name, or the script of that name as one.
///
/// # Panics
/// When there is none: tests look every name up that is part of the program.
///
/// # Errors
/// When its text is wrong.
pub fn scenario(name: &str) -> Result<Scenario, ScriptError> {
    let (file, text) = find(name).unwrap_or_else(|| panic!("no script is called {name}"));
    Scenario::parse(&text, &file, &find)
}

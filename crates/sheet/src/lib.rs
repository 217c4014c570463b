//! Files that describe a thing in numbers: drive files and testbed files.
//!
//! A number has a unit, a source, a confidence ([`quantity`]) and, where it was worked out from figures, their ids
//! ([`provenance`]); what several files have in common stands in a base ([`base`]); a file is found by its name or
//! path ([`names`], [mod@file]). What the keys of a file mean is for the crate that owns that kind of file.

pub mod base;
mod error;
pub mod file;
pub mod magic;
pub mod names;
pub mod places;
pub mod provenance;
pub mod quantity;
pub mod short;

pub use error::{SheetError, one_line};

/// The version of the schema of drive files and testbed files.
pub const SCHEMA: u32 = 1;

/// Refuses a file whose head lacks a key; each of `keys` has a word on what to write.
///
/// # Errors
/// When one of them is missing: the first.
pub fn check_keys(head: &toml::Table, keys: &[(&str, &str)]) -> Result<(), String> {
    match keys.iter().find(|(key, _)| !head.contains_key(*key)) {
        Some((key, about)) => Err(format!("`{key}` is missing: {about}")),
        None => Ok(()),
    }
}

/// Refuses a file of another schema.
///
/// # Errors
/// When `schema` is not [`SCHEMA`].
pub fn check_schema(schema: u32) -> Result<(), String> {
    match schema {
        SCHEMA => Ok(()),
        other => Err(format!("schema {other}; this ftlab reads schema {SCHEMA}")),
    }
}

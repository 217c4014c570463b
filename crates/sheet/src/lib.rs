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
pub mod provenance;
pub mod quantity;

pub use error::{SheetError, one_line};

/// The version of the schema of drive files and testbed files.
pub const SCHEMA: u32 = 1;

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

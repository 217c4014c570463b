//! Drives by their names.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use ftlab_drive::Catalog;
use std::ffi::OsStr;

/// Reads what names a drive: any text, as it may be a part of a name or a path. Shells complete the names.
pub fn name() -> impl TypedValueParser<Value = String> {
    Name
}

#[derive(Clone)]
struct Name;

impl TypedValueParser for Name {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            Catalog::drives().into_iter().map(PossibleValue::new),
        ))
    }
}

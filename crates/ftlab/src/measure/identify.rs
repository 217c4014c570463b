//! `--identify`: which drive it is, and whether it may be measured.

use crate::failure::Outcome;
use crate::options::OutputFormat;
use crate::screen;
use ftlab_measure::device::system::System;
use ftlab_measure::device::{Device, Kind};
use serde::Serialize;
use std::path::Path;

/// A device as programs read it.
#[derive(Serialize)]
struct Identified<'a> {
    id: String,
    path: String,
    kind: Kind,
    size_bytes: u64,
    /// `null` where it may be measured.
    refused: Option<&'a str>,
}

pub fn command(path: &Path, format: OutputFormat) -> Outcome {
    let system = System::here();
    let device = Device::find(&system, path)?;
    let refused = device.check(&system).err().map(|why| why.to_string());
    if format == OutputFormat::Json {
        return screen::print(&screen::json(&Identified {
            id: device.id.to_string(),
            path: device.path.display().to_string(),
            kind: device.kind,
            size_bytes: device.bytes,
            refused: refused.as_deref(),
        })?);
    }
    let measurable = match refused {
        None => "yes".to_owned(),
        Some(why) => format!("no: {why}"),
    };
    screen::print(&format!(
        "id:         {}\npath:       {}\nkind:       {}\nsize:       {} ({} bytes)\nmeasurable: {measurable}\n",
        device.id,
        device.path.display(),
        device.kind.name(),
        screen::capacity(device.bytes),
        device.bytes,
    ))
}

//! Reads what a review has written.

use crate::failure::Failure;
use crate::files;
use crate::review::RESULTS;
use ftlab_result::{ResultSet, SCHEMA};
use serde::Deserialize;
use std::path::Path;

const WHAT: &str = "the directory that `ftlab review` wrote, or the results.json in it";

/// What every version of the schema begins with.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
}

/// Reads a result set; `path` is the file, or the directory it is in.
///
/// # Errors
/// When there is none, or this ftlab cannot read it.
pub fn read(path: &Path) -> Result<ResultSet, Failure> {
    let file = if path.is_dir() {
        path.join(RESULTS)
    } else {
        path.to_owned()
    };
    let text = files::read(&file, WHAT)?;
    let wrong = |why: String| Failure::Input(format!("cannot read {}: {why}", file.display()));
    let foreign = |error: serde_json::Error| wrong(format!("{error}; give {WHAT}"));
    let versioned: Versioned = serde_json::from_str(&text).map_err(foreign)?;
    if versioned.schema != SCHEMA {
        return Err(wrong(format!(
            "it has schema {}, and this ftlab reads schema {SCHEMA}; run the review again",
            versioned.schema
        )));
    }
    serde_json::from_str(&text).map_err(foreign)
}

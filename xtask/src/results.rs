//! Results of reviews, as they lie in files.

use anyhow::{Context, Result};
use ftlab_result::ResultSet;
use std::path::Path;

/// Reads the results of a review: its folder, or the file in it.
pub fn read(path: &Path) -> Result<ResultSet> {
    let path = match path.is_dir() {
        true => path.join("results.json"),
        false => path.to_owned(),
    };
    let text = std::fs::read_to_string(&path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no results.json", path.display()))
}

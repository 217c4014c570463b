//! What predictions are off by on drives that are known, made from their sheets alone: what ranges are widened by.

use crate::docs;
use anyhow::{Context, Result, bail};
use ftlab_bench::forecast::{Kind, Request, Residuals, forecast, outside};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Sheets of drives of which figures are known, each with the figures' ids.
const KNOWN: &str = "predictions/known";

const TABLE: &str = "reference/residuals.csv";

/// Members of a class that are run.
const MEMBERS: u32 = 20;

pub fn command() -> Result<()> {
    let published = published()?;
    let lab = docs::lab()?;
    let mut errors = Vec::new();
    for path in sheets()? {
        let request = Request::parse(&path, &fs::read_to_string(&path)?)?;
        let made = forecast(&request, MEMBERS, "", &Residuals::default(), &lab)?;
        for why in &made.lacking {
            eprintln!("{why}");
        }
        for row in &made.rows {
            let asked = request
                .asked
                .iter()
                .find(|asked| asked.id(&request.slug) == row.id);
            let id = asked.and_then(|asked| asked.known.as_deref());
            let id =
                id.with_context(|| format!("{}: it does not say which figure is known", row.id))?;
            let Some(value) = published.get(id) else {
                bail!("{}: reference/modern.csv has no {id}", row.id);
            };
            let range = [row.low, row.middle, row.high];
            let error = outside(range, *value);
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == row.kind);
            let kind = kind.context("it is of a kind")?;
            println!(
                "{id} {}: {} to {} to {}, published {value}: {error:.3} outside",
                row.id, row.low, row.middle, row.high
            );
            errors.push((made.class.clone(), kind, error));
        }
    }
    docs::write(TABLE, &Residuals::of(errors).text())
}

fn sheets() -> Result<Vec<PathBuf>> {
    let mut sheets = Vec::new();
    for entry in fs::read_dir(docs::place(KNOWN))? {
        sheets.push(entry?.path());
    }
    sheets.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    sheets.sort();
    Ok(sheets)
}

/// The values of figures of today's drives, by their ids.
fn published() -> Result<BTreeMap<String, f64>> {
    let text = docs::read("reference/modern.csv")?;
    let mut values = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row?;
        if let Ok(value) = row[6].parse() {
            values.insert(row[0].to_owned(), value);
        }
    }
    Ok(values)
}

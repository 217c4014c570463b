//! What predictions are off by on drives that are known, made from their sheets alone, and on those that were compared: what
//! ranges are widened by.

use crate::docs::{self, Kept};
use anyhow::{Context, Result, bail};
use ftlab_bench::forecast::{Kind, Request, Residuals, forecast, outside, widened};
use ftlab_drive::Catalog;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Sheets of drives of which figures are known, each with the figures' ids.
const KNOWN: &str = "predictions/known";

/// Sheets of drives that were predicted.
const SHEETS: &str = "predictions/sheets";

const TABLE: &str = "reference/residuals.csv";

/// Members of a class that are run.
const MEMBERS: u32 = 20;

pub fn command() -> Result<()> {
    let mut errors = known()?;
    errors.extend(compared()?);
    docs::write(TABLE, &Residuals::of(errors).text())
}

/// A figure's class and kind, and by how much it lies outside the range of members.
type Missed = (String, Kind, f64);

fn kind(name: &str) -> Result<Kind> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.with_context(|| format!("{name} is no kind"))
}

/// Figures of drives that are known, run anew.
fn known() -> Result<Vec<Missed>> {
    let published = published()?;
    let lab = docs::lab()?;
    let mut errors = Vec::new();
    for path in sheets()? {
        let request = Request::parse(&path, &fs::read_to_string(&path)?)?;
        let made = forecast(
            &request,
            &Catalog::default(),
            MEMBERS,
            "",
            &Residuals::default(),
            &lab,
        )?;
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
            let error = outside([row.low, row.middle, row.high], *value);
            println!(
                "{id} {}: {} to {} to {}, published {value}: {error:.3} outside",
                row.id, row.low, row.middle, row.high
            );
            errors.push((made.class.clone(), kind(&row.kind)?, error));
        }
    }
    Ok(errors)
}

/// Predictions that were compared: their drives are known from then on.
fn compared() -> Result<Vec<Missed>> {
    let mut errors = Vec::new();
    for compared in Kept::read()?.rows {
        let (row, Some(published)) = (compared.row, compared.published) else {
            continue;
        };
        let path = docs::place(SHEETS).join(format!("{}.toml", row.drive));
        let request = Request::parse(&path, &fs::read_to_string(&path)?)?;
        let of_members = widened([row.low, row.middle, row.high], -row.residual);
        let error = outside(of_members, published.published);
        errors.push((request.class().to_owned(), kind(&row.kind)?, error));
    }
    Ok(errors)
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

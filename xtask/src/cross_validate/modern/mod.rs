//! Drives of data centres under offered rates, by numbers that were found without what is judged.
//!
//! *Other conditions*: the numbers of a drive from some rates, judged at the others. *Other drives*: a drive with all its
//! rows left out, known by its data sheet alone, and by what the other drives of its class have: a range.

mod fit;
mod measured;
mod model;
mod tables;

use anyhow::Result;
use ftlab_bench::calibrate::{Sheet, from_sheet};
use ftlab_drive::{Catalog, Choice, DriveFile, Range, Spread};
use measured::{Drive, Figures};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tables::{Amplification, Forecast, Judged};

/// The rates by which the numbers of a drive are found.
const FITTED_RATES: [u64; 5] = [10_000, 50_000, 80_000, 150_000, 300_000];

/// Members of a class that are run for a forecast.
const MEMBERS: u32 = 20;

/// Numbers in which the drives of a class differ.
const VARIED: [(&str, &str); 6] = [
    ("scheduling.suspend_time", "us"),
    ("scheduling.suspend_every", "us"),
    ("scheduling.suspend_left_min", "us"),
    ("nand.t_read", "us"),
    ("nand.t_read_spread", ""),
    ("firmware.write_pipeline", "us"),
];

/// Choices in which they differ: keys that go together.
const CHOSEN: [(&str, &[&str]); 4] = [
    ("pacing", &["gc.turn", "gc.waiting_max"]),
    ("order", &["firmware.in_order"]),
    ("reads_behind", &["scheduling.resume_time"]),
    ("depth", &["queue.depth"]),
];

/// Prints both tables, and writes them as a page.
pub fn command() -> Result<()> {
    let drives = measured::drives()?;
    let conditions: Result<Vec<Judged>> = drives.par_iter().map(other_conditions).collect();
    let conditions = conditions?;
    let forecasts: Result<Vec<Forecast>> = drives
        .iter()
        .map(|drive| other_drives(drive, &drives))
        .collect();
    let amplifications: Result<Vec<Vec<Amplification>>> =
        drives.iter().map(amplifications).collect();
    let text = tables::page(&conditions, &forecasts?, &amplifications?.concat(), &drives);
    println!("{text}");
    crate::docs::write("docs/cross-validation-modern.md", &text)
}

/// The drive that a data sheet alone makes.
fn of_sheet(drive: &Drive) -> Result<DriveFile> {
    let file = Catalog::default().load(&drive.slug, &[])?;
    let sheet = Sheet::parse(&format!("{}.sheet.toml", drive.slug), &drive.sheet(&file)?)?;
    Ok(from_sheet(&sheet, &Catalog::default())?.file)
}

/// Write amplification of a drive that is known by its sheet, where it was measured.
fn amplifications(drive: &Drive) -> Result<Vec<Amplification>> {
    let file = of_sheet(drive)?;
    let capacity_gib = file.capacity_bytes() as f64 / f64::from(1 << 30);
    let each = drive.amplifications.par_iter().map(|&(gib, published)| {
        let used = (gib / capacity_gib).min(1.0);
        Ok(Amplification {
            slug: drive.slug.clone(),
            used,
            published,
            got: model::steady_amplification(&file, used)?,
        })
    });
    each.collect()
}

/// A drive's numbers from some rates, and what the model gives at the others.
fn other_conditions(drive: &Drive) -> Result<Judged> {
    let is_fitted = |rate: &u64| FITTED_RATES.contains(rate);
    let all = drive.rates.keys().copied();
    let (fitted, others): (Vec<u64>, Vec<u64>) = all.partition(is_fitted);
    let fitted = drive.conditions(fitted.into_iter());
    let (file, settings) = fit::fit(drive, &fitted, &of_sheet(drive)?)?;
    let others = drive.conditions(others.into_iter());
    let got: Result<BTreeMap<u64, Figures>> = others
        .par_iter()
        .map(|rate| Ok((*rate, model::at(&file, *rate)?)))
        .collect();
    eprintln!("{}: {}", drive.slug, settings.join(" "));
    Ok(Judged {
        slug: drive.slug.clone(),
        got: got?,
    })
}

/// What a drive gives that is known by its sheet and by the other drives of its class.
fn other_drives(drive: &Drive, all: &[Drive]) -> Result<Forecast> {
    let file = of_sheet(drive)?;
    let others: Vec<DriveFile> = all
        .iter()
        .filter(|other| other.slug != drive.slug)
        .map(|other| Catalog::default().load(&other.slug, &[]))
        .collect::<Result<_, _>>()?;
    let spread = spread(&others);
    let rates = drive.conditions(drive.rates.keys().copied());
    let members: Result<Vec<BTreeMap<u64, Figures>>> = (spread.members(MEMBERS).into_par_iter())
        .map(|settings| {
            let member = file.with(&settings)?;
            rates
                .iter()
                .map(|rate| Ok((*rate, model::at(&member, *rate)?)))
                .collect()
        })
        .collect();
    eprintln!("{}: {MEMBERS} members", drive.slug);
    Ok(Forecast {
        slug: drive.slug.clone(),
        members: members?,
    })
}

/// What drives of a class differ in: the ranges of their numbers, and their choices, each as often as it is made.
fn spread(drives: &[DriveFile]) -> Spread {
    let value = |drive: &DriveFile, key: &str| {
        let row = drive.parameters().into_iter().find(|row| row.key == key)?;
        Some((row.value, row.unit))
    };
    let ranges = VARIED.iter().filter_map(|(key, unit)| {
        let values = drives
            .iter()
            .filter_map(|drive| value(drive, key)?.0.parse().ok());
        let values: Vec<f64> = values.collect();
        let bounds = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick));
        let [Some(least), Some(most)] = bounds else {
            return None;
        };
        (least < most).then(|| Range::of_number(key, [least, most], unit))
    });
    let choices = CHOSEN.iter().map(|(name, keys)| {
        let of = drives.iter().map(|drive| {
            let settings = keys.iter().filter_map(|key| {
                let (value, unit) = value(drive, key)?;
                let unit = if unit == "1" { "" } else { &unit };
                Some(format!("{key}={value}{unit}"))
            });
            settings.collect()
        });
        let of: Vec<Vec<String>> = of.collect();
        (
            (*name).to_owned(),
            Choice {
                of,
                note: String::new(),
            },
        )
    });
    Spread {
        ranges: ranges.collect(),
        choices: choices.collect(),
    }
}

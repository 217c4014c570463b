//! How much flash a drive has: `nand.blocks_per_die`, by the write amplification or the rate of random writes.

use super::bench::{Bench, Fit, SEED, SMALL_BYTES};
use super::kind::Kind;
use super::numbers::count_of;
use super::types::{CalibrateError, Fitted, MeasuredWa};
use crate::plan::ClosedForm;
use ftlab_drive::DriveFile;
use ftlab_host::Testbed;

/// The number.
pub const KEY: &str = "nand.blocks_per_die";

/// The least spare area that the closed form is asked for, and the most.
const SPARE_BOUNDS: [f64; 2] = [0.005, 4.0];

/// The least spare area that a rate of random writes is looked for with, and the most: drives are sold with 3 to 60 %.
const RATE_SPARE_BOUNDS: [f64; 2] = [0.02, 1.5];

/// The relative error of a rate at which the flash counts as found.
const CLOSE: f64 = 5e-3;

/// Runs at most.
const TRIES: u32 = 9;

/// The closed form of the drive under random writes of slots, and what it gives now.
pub fn closed_form(file: &DriveFile, at: MeasuredWa) -> Result<(ClosedForm, f64), CalibrateError> {
    let none = |why: &str| CalibrateError::Input(format!("--wa: {}: {why}", file.slug()));
    if has_cache(file) {
        return Err(none(
            "a cache of SLC takes the data first, and no closed form has that: leave --wa out",
        ));
    }
    let (small, _) = file.shrunk_to(SMALL_BYTES)?;
    let device = small.build(&Testbed::load("attached")?, SEED)?;
    let form = ClosedForm::uniform(&small, &*device, at.used).ok_or_else(|| {
        none("no closed form covers it; one does a page map with one stream of data and greedy, fifo, random or d-choices collection")
    })?;
    let now = small.spare().and_then(|spare| form.wa(spare));
    let now = now.ok_or_else(|| none("it has too little spare area for the closed form"))?;
    Ok((form, now))
}

/// True for a drive that writes to a cache of SLC first.
pub fn has_cache(file: &DriveFile) -> bool {
    file.cache_bytes().is_some_and(|bytes| bytes > 0)
}

/// Gives the drive as much flash as the closed form needs for the write amplification that was measured.
pub fn for_wa(file: &DriveFile, at: MeasuredWa) -> Result<(DriveFile, Fitted), CalibrateError> {
    let (form, before) = closed_form(file, at)?;
    let spare = form.spare(at.wa, SPARE_BOUNDS).ok_or_else(|| {
        let [least, most] = SPARE_BOUNDS.map(|spare| 100.0 * spare);
        CalibrateError::Input(format!(
            "--wa {}: no spare area from {least} to {most} % gives that with {:.0} % of the drive in use",
            at.wa,
            100.0 * at.used
        ))
    })?;
    let Some(blocks) = count_of(file, KEY) else {
        return Err(CalibrateError::Input(format!(
            "--wa: {} has no flash whose blocks could be others",
            file.slug()
        )));
    };
    let found = with_spare(file, spare).ok_or_else(|| {
        CalibrateError::Input(format!(
            "--wa {}: {:.1} % of spare area are not to be had of these dies: change nand.channels or nand.dies_per_channel first",
            at.wa,
            100.0 * spare
        ))
    })?;
    let row = Fitted {
        key: KEY,
        unit: "1",
        was: Some(blocks.into()),
        is: count_of(&found, KEY).expect("it was set").into(),
        figure: ["write amplification", ""],
        measured: at.wa,
        model: [before, f64::NAN],
        source: None,
        from: Vec::new(),
    };
    Ok((found, row))
}

/// The drive with as many superblocks as come nearest to a spare area; the reserve is not in proportion.
fn with_spare(file: &DriveFile, spare: f64) -> Option<DriveFile> {
    let [blocks, planes] = [KEY, "nand.planes_per_die"].map(|key| count_of(file, key));
    let (planes, own) = (planes?, file.spare()?);
    let near = f64::from(blocks? / planes) * (1.0 + spare) / (1.0 + own);
    let candidates = (near * 0.98).floor() as u32..=(near * 1.02).ceil() as u32 + 1;
    let with = |superblocks: u32| file.with(&[format!("{KEY}={}", superblocks * planes)]).ok();
    let distance = |file: &DriveFile| (file.spare().unwrap_or(f64::MAX) - spare).abs();
    candidates
        .filter_map(with)
        .min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

/// Gives the drive as much flash as it takes to write at random as fast as was measured: what collection itself reads
/// and moves is in the model, so that the quotient of two rates is no write amplification by itself.
pub fn for_rate(bench: &Bench<'_>, file: &DriveFile) -> Result<Fit, CalibrateError> {
    let number = Kind::RandomWrite.number();
    let wanted = bench.figure.value;
    let was = count_of(file, KEY).map(f64::from);
    let first = bench.shown(file)?;
    let row = |file: &DriveFile| {
        let is = count_of(file, KEY).unwrap_or_default();
        bench.row(number, was, is.into(), first)
    };
    let Some(own) = file.spare() else {
        let why = bench.wrong(
            "the drive collects nothing in a spare area, so that no amount of flash gives it",
        );
        return Ok(Fit::Short {
            why,
            row: row(file),
        });
    };
    let (mut at, mut rate, mut best) = (own, first, file.clone());
    let [mut low, mut high] = RATE_SPARE_BOUNDS.map(f64::ln);
    for _ in 0..TRIES {
        if (rate / wanted - 1.0).abs() < CLOSE {
            return Ok(Fit::At(row(&best)));
        }
        // More spare area writes faster: by the slope where it is one to one in the logarithm, within what is known.
        if rate < wanted {
            low = low.max(at.ln());
        } else {
            high = high.min(at.ln());
        }
        let step = at.ln() + (wanted / rate).ln() * 1.2;
        let next = if step > low && step < high {
            step
        } else {
            f64::midpoint(low, high)
        };
        let Some(other) = with_spare(file, next.exp()) else {
            break;
        };
        if count_of(&other, KEY) == count_of(&best, KEY) {
            break;
        }
        (at, rate, best) = (other.spare().unwrap_or(at), bench.shown(&other)?, other);
    }
    if (rate / wanted - 1.0).abs() < 4.0 * CLOSE {
        return Ok(Fit::At(row(&best)));
    }
    let why = bench.wrong(&format!(
        "the model gives {:.0} IOPS with {:.0} % of spare area: no more of it makes these writes faster, and less no slower",
        rate,
        100.0 * at
    ));
    Ok(Fit::Short {
        why,
        row: row(&best),
    })
}

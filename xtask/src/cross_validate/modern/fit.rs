//! The numbers of a drive that latencies under a rate pin: found by some rates, to be judged at others.

use super::measured::{Drive, Figures, SERVED};
use super::model;
use anyhow::{Context, Result};
use ftlab_drive::DriveFile;
use rayon::prelude::*;

/// What a number, or a choice of a maker, can be.
struct Choice {
    of: &'static [&'static [&'static str]],
    /// The figures that say which.
    by: By,
}

/// Figures that numbers are found by.
#[derive(Clone, Copy)]
enum By {
    All,
    /// What a read waits for: whatever the waits of writes are, it has no part in them.
    Reads,
}

impl By {
    fn counts(self, metric: &str) -> bool {
        match self {
            By::All => true,
            By::Reads => metric.starts_with("read") || metric == SERVED,
        }
    }
}

/// Tried in this order, each with the best of those before; twice.
const CHOICES: [Choice; 9] = [
    Choice {
        of: &[
            &["gc.turn=1", "gc.waiting_max=128"],
            &["gc.turn=1", "gc.waiting_max=65536"],
            &["gc.turn=4", "gc.waiting_max=128"],
            &["gc.turn=10", "gc.waiting_max=128"],
            &["gc.turn=10", "gc.waiting_max=256"],
            &["gc.pacing=in-step"],
        ],
        by: By::All,
    },
    Choice {
        of: &[
            &["firmware.die_queue=2"],
            &["firmware.die_queue=3"],
            &["firmware.die_queue=4"],
        ],
        by: By::All,
    },
    Choice {
        of: &[&["firmware.in_order=false"], &["firmware.in_order=true"]],
        by: By::All,
    },
    Choice {
        of: &[
            &["queue.depth=1024"],
            &["queue.depth=192"],
            &["queue.depth=128"],
        ],
        by: By::All,
    },
    Choice {
        of: &[
            &["scheduling.suspend_time=10us"],
            &["scheduling.suspend_time=25us"],
            &["scheduling.suspend_time=40us"],
            &["scheduling.suspend_time=60us"],
            &["scheduling.suspend_time=80us"],
        ],
        by: By::Reads,
    },
    Choice {
        of: &[
            &["scheduling.suspend_every=20us"],
            &["scheduling.suspend_every=60us"],
            &["scheduling.suspend_every=100us"],
            &["scheduling.suspend_every=150us"],
            &["scheduling.suspend_every=200us"],
        ],
        by: By::Reads,
    },
    Choice {
        of: &[
            &["nand.t_read_spread=0.03"],
            &["nand.t_read_spread=0.1"],
            &["nand.t_read_spread=0.2"],
        ],
        by: By::Reads,
    },
    Choice {
        of: &[
            &["scheduling.suspend_left_min=150us"],
            &["scheduling.suspend_left_min=250us"],
            &["scheduling.suspend_left_min=340us"],
            &["scheduling.suspend_left_min=400us"],
            &["scheduling.suspend_left_min=450us"],
            &["scheduling.suspend_left_min=550us"],
        ],
        by: By::Reads,
    },
    Choice {
        of: &[
            &["scheduling.resume_time=20us"],
            &["scheduling.resume_time=300us"],
            &["scheduling.resume_time=760us"],
        ],
        by: By::Reads,
    },
];

/// Times that all choices are gone through.
const ROUNDS: usize = 2;

/// The logarithm from which a miss is no worse: one figure does not decide over all others, but a wait of milliseconds where there
/// is none counts more than one that is too long by half.
const MISS_MAX: f64 = 3.0;

/// What an alternative leaves of the miss at most: what the class has stays unless another comes clearly nearer.
const CLEARLY: f64 = 0.97;

/// The weight of a figure: medians are better known than tails.
fn weight(metric: &str) -> f64 {
    match metric {
        SERVED => 4.0,
        metric if metric.contains("p50") => 3.0,
        metric if metric.contains("p99_") => 2.0,
        _ => 1.0,
    }
}

/// What a drive gives at each rate.
type Gives = Vec<(u64, Figures)>;

fn gives(rates: &[u64], file: &DriveFile) -> Result<Gives> {
    rates
        .par_iter()
        .map(|rate| Ok((*rate, model::at(file, *rate)?)))
        .collect()
}

/// How far the model is from what was measured: mean of weighted logarithms.
fn miss(drive: &Drive, gives: &Gives, by: By) -> f64 {
    let terms = gives
        .iter()
        .flat_map(|(rate, got)| terms(&drive.rates[rate], got, by));
    let terms: Vec<(f64, f64)> = terms.collect();
    let all: f64 = terms.iter().map(|(weight, _)| weight).sum();
    terms
        .iter()
        .map(|(weight, miss)| weight * miss)
        .sum::<f64>()
        / all
}

fn terms(published: &Figures, got: &Figures, by: By) -> Vec<(f64, f64)> {
    let both = published
        .iter()
        .filter(|(metric, _)| by.counts(metric))
        .filter_map(|(metric, value)| Some((metric, value, got.get(metric)?)));
    both.map(|(metric, value, got)| (weight(metric), (got / value).ln().abs().min(MISS_MAX)))
        .collect()
}

/// The drive of a sheet with the numbers and choices that come nearest at some rates.
pub fn fit(drive: &Drive, rates: &[u64], start: &DriveFile) -> Result<(DriveFile, Vec<String>)> {
    let lowest = *rates.iter().min().context("there are rates")?;
    let mut settings = Vec::new();
    let mut file = alone(drive, lowest, start, &mut settings)?;
    if let Some(rate) = rates.iter().find(|rate| drive.is_saturated(**rate)) {
        file = as_fast(drive, *rate, &file, &mut settings)?;
    }
    // Each alternative is set on the file as it was before any: what is set does not give way to what is set later.
    let mut chosen: [&[&str]; CHOICES.len()] = [&[]; CHOICES.len()];
    let with = |chosen: &[&[&str]]| {
        let words: Vec<String> = chosen
            .concat()
            .iter()
            .map(|&word| word.to_owned())
            .collect();
        file.with(&words)
    };
    let mut best = gives(rates, &file)?;
    for _ in 0..ROUNDS {
        for (place, choice) in CHOICES.iter().enumerate() {
            for alternative in choice.of {
                let mut other = chosen;
                other[place] = alternative;
                if other == chosen {
                    continue;
                }
                let found = gives(rates, &with(&other)?)?;
                let of = |gives| miss(drive, gives, choice.by);
                if of(&found) < CLEARLY * of(&best) {
                    (best, chosen) = (found, other);
                }
            }
        }
    }
    settings.extend(chosen.concat().iter().map(|&word| word.to_owned()));
    let file = with(&chosen)?;
    Ok((file, settings))
}

/// Times of one command at a time, from the medians at the lowest rate.
fn alone(
    drive: &Drive,
    rate: u64,
    start: &DriveFile,
    settings: &mut Vec<String>,
) -> Result<DriveFile> {
    let mut file = start.clone();
    for (metric, key) in [
        ("read_lat_p50_us", "nand.t_read"),
        ("write_lat_p50_us", "firmware.write_pipeline"),
    ] {
        let got = model::at(&file, rate)?[metric];
        let rows = file.parameters();
        let row = rows
            .iter()
            .find(|row| row.key == key)
            .with_context(|| format!("no {key}"))?;
        let now: f64 = row.value.parse()?;
        let is = (now + drive.rates[&rate][metric] - got).max(0.1);
        let setting = format!("{key}={is:.2}us");
        file = file.with(std::slice::from_ref(&setting))?;
        settings.push(setting);
    }
    Ok(file)
}

/// Steps to the amount of flash with which a rate comes out.
const FLASH_STEPS: usize = 3;

/// By how much more spare area a drive writes faster, in logarithms.
const SPARE_A_RATE: f64 = 1.2;

/// As much flash as what is served at full load asks for.
fn as_fast(
    drive: &Drive,
    rate: u64,
    start: &DriveFile,
    settings: &mut Vec<String>,
) -> Result<DriveFile> {
    const KEY: &str = "nand.blocks_per_die";
    let mut file = start.clone();
    for _ in 0..FLASH_STEPS {
        let ratio = drive.rates[&rate][SERVED] / model::at(&file, rate)?[SERVED];
        let rows = file.parameters();
        let count = |key: &str| -> Result<f64> {
            let row = rows.iter().find(|row| row.key == key);
            Ok(row.with_context(|| format!("no {key}"))?.value.parse()?)
        };
        let (blocks, planes) = (count(KEY)?, count("nand.planes_per_die")?);
        let own = file.spare().context("it collects")?;
        let spare = own * ratio.powf(SPARE_A_RATE);
        let blocks = (blocks / planes * (1.0 + spare) / (1.0 + own)).round() * planes;
        let setting = format!("{KEY}={blocks}");
        file = file.with(std::slice::from_ref(&setting))?;
        settings.push(setting);
    }
    Ok(file)
}

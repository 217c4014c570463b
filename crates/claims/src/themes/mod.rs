//! The checks, theme by theme, and the words they share.
//!
//! Tolerances are those of the claim's own words: "equal" is within the noise of a run, "about" a
//! fifth or a quarter, and an order has no tolerance but that noise.

mod applications;
mod compression;
mod copies_and_games;
mod flash;
mod heavy_load;
mod life;
mod mapping;
mod mixes;
mod ports;
mod power;
mod queues;
mod roundup;
mod spare;
mod storage_bench;
mod stutter;
mod trim;
mod waking;
mod wear;

use super::check::{AnyCheck, Sample};
use super::rows;

/// Every check.
pub fn all() -> impl Iterator<Item = AnyCheck> {
    let themes = [
        flash::CHECKS,
        wear::CHECKS,
        life::CHECKS,
        stutter::CHECKS,
        mixes::CHECKS,
        queues::CHECKS,
        applications::CHECKS,
        copies_and_games::CHECKS,
        heavy_load::CHECKS,
        power::CHECKS,
        mapping::CHECKS,
        roundup::CHECKS,
        storage_bench::CHECKS,
        ports::CHECKS,
        trim::CHECKS,
        waking::CHECKS,
        compression::CHECKS,
        spare::CHECKS,
    ];
    let code = themes.into_iter().flatten().map(AnyCheck::Code);
    code.chain(rows::all().iter().map(AnyCheck::Row))
}

/// Drives by short names.
const X25M: &str = "intel-x25-m-g1-80";
const G2: &str = "intel-x25-m-g2-160";
const CORE: &str = "ocz-core-jmf602";
const SLC: &str = "samsung-slc-64";
const MOMENTUS: &str = "seagate-momentus-7200.2";
const RAPTOR: &str = "wd-velociraptor-300";
const GREEN: &str = "wd-green-1tb";
const CAVIAR: &str = "wd-caviar-black-2tb";
const VERTEX: &str = "ocz-vertex";
const GENERIC: &str = "generic-mlc-8";
const V3_120: &str = "ocz-vertex3-120";
const V3_240: &str = "ocz-vertex3-240";
const I520: &str = "intel-520-240";
const I320_120: &str = "intel-320-120";
const I320_300: &str = "intel-320-300";
const I510_120: &str = "intel-510-120";
const I510_250: &str = "intel-510-250";
const M4_128: &str = "crucial-m4-128";
const M4_256: &str = "crucial-m4-256";
const C300_256: &str = "crucial-c300-256";
const FALCON2: &str = "gskill-falcon2-128";
const RAMDISK: &str = "ramdisk-8gb";
const G2_120: &str = "intel-x25-m-g2-120";

/// A figure of all samples.
fn of(samples: &[Sample], metric: &str) -> Vec<f64> {
    samples.iter().map(|sample| sample.get(metric)).collect()
}

/// `drive value, drive value unit`, with as many digits as tell.
pub fn list(samples: &[Sample], metric: &str, unit: &str) -> String {
    let one = |sample: &Sample| format!("{} {}", sample.drive, short(sample.get(metric)));
    let all: Vec<String> = samples.iter().map(one).collect();
    format!("{} {unit}", all.join(", ")).trim_end().to_owned()
}

/// Numbers, one after the other, and their unit.
pub fn row(values: &[f64], unit: &str) -> String {
    let all: Vec<String> = values.iter().map(|&value| short(value)).collect();
    format!("{} {unit}", all.join(", ")).trim_end().to_owned()
}

/// A number in three digits, or whole.
pub fn short(value: f64) -> String {
    if value == 0.0 || value.abs() >= 100.0 {
        return format!("{value:.0}");
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Whether `value` is within a share of `target`.
pub fn near(value: f64, target: f64, share: f64) -> bool {
    (value / target - 1.0).abs() <= share
}

/// Whether every value is above the next one.
pub fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > pair[1])
}

/// Whether every value is below the next one.
pub fn rises(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] < pair[1])
}

/// The largest over the smallest.
pub fn spread(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::NAN, f64::max);
    let least = values.iter().copied().fold(f64::NAN, f64::min);
    most / least
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

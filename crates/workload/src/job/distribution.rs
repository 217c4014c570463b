//! fio's `random_distribution`: the law of random positions.

use super::sizes::PerKind;
use crate::units::{Allowed, Value};

/// Distribution of random requests over the region.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Each place as likely.
    Random,
    /// The block of rank k (from 1) with probability proportional to k^−θ.
    Zipf {
        /// θ: above 0, not 1.
        theta: f64,
        /// Place of the block of rank 1, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// Self-similar: the first share h of the ranks gets 1 − h of the requests, at every scale.
    Pareto {
        /// h: between 0 and 1.
        power: f64,
        /// Place of the first rank, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// The mean of twelve uniform ranks (σ = region/12) and a uniform jitter, as fio draws it.
    Normal {
        /// Full width of the jitter in percent of the region, 0 to 100; more than 50 counts as 50.
        deviation_percent: f64,
        /// Place of the middle rank, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// Uniform within zones; shares of accesses and of the region each add up to 100 %.
    Zoned(Box<PerKind<Vec<Zone>>>),
    /// Shares of zones whose lengths are in bytes; beyond the last zone nothing happens.
    ZonedAbs(Box<PerKind<Vec<ByteZone>>>),
}

impl Distribution {
    /// Returns true if ranks differ in how often they come, so that a hash gives each its place.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        matches!(
            self,
            Distribution::Zipf { .. } | Distribution::Pareto { .. } | Distribution::Normal { .. }
        )
    }

    /// Returns true if the law says where its hottest block lies.
    #[must_use]
    pub fn has_center(&self) -> bool {
        match self {
            Distribution::Zipf { center, .. }
            | Distribution::Pareto { center, .. }
            | Distribution::Normal { center, .. } => center.is_some(),
            Distribution::Random | Distribution::Zoned(_) | Distribution::ZonedAbs(_) => false,
        }
    }
}

/// One zone of [`Distribution::ZonedAbs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteZone {
    /// Percent of the requests.
    pub access_percent: u8,
    /// Length of the zone, in bytes.
    pub bytes: u64,
}

/// One zone of [`Distribution::Zoned`]; zones follow one another from the region's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zone {
    /// Percent of the requests.
    pub access_percent: u8,
    /// Percent of the region.
    pub size_percent: u8,
}

/// θ of a zipf that says none, as in fio.
const ZIPF: f64 = 1.1;
/// h of a pareto that says none.
const PARETO: f64 = 0.2;

const ALLOWED: &str = "random, zipf[:θ[:center]], pareto[:h[:center]], normal[:deviation[:center]], \
                       zoned:access/size:… or zoned_abs:access/bytes:…";

/// Reads the value of `random_distribution`.
///
/// # Errors
/// The allowed values, when it is none of them.
pub fn distribution(value: Value<'_>) -> Result<Distribution, Allowed> {
    let (name, rest) = value
        .text
        .split_once(':')
        .map_or((value.text, None), |(n, r)| (n, Some(r)));
    match (name, rest) {
        ("random", None) => Ok(Distribution::Random),
        ("zipf", rest) => {
            let (theta, center) = float_and_center(rest, ZIPF)?;
            // The law has no finite constant at 1, and fio refuses it.
            let fits = theta > 0.0 && theta <= 100.0 && theta != 1.0;
            let law = Distribution::Zipf { theta, center };
            fits.then_some(law)
                .ok_or_else(|| "zipf:θ with θ above 0 and other than 1".into())
        }
        ("pareto", rest) => {
            let (power, center) = float_and_center(rest, PARETO)?;
            let law = Distribution::Pareto { power, center };
            let fits = power > 0.0 && power < 1.0;
            fits.then_some(law)
                .ok_or_else(|| "pareto:h with h between 0 and 1".into())
        }
        ("normal" | "gauss", rest) => {
            let (deviation_percent, center) = float_and_center(rest, 0.0)?;
            let law = Distribution::Normal {
                deviation_percent,
                center,
            };
            let fits = (0.0..=100.0).contains(&deviation_percent);
            fits.then_some(law)
                .ok_or_else(|| "normal:deviation with a deviation from 0 to 100".into())
        }
        ("zoned", Some(rest)) => {
            let zones = of_kinds(value.part(rest), |v| zones(v.text))?;
            Ok(Distribution::Zoned(Box::new(zones)))
        }
        ("zoned_abs", Some(rest)) => {
            let zones = of_kinds(value.part(rest), byte_zones)?;
            Ok(Distribution::ZonedAbs(Box::new(zones)))
        }
        _ => Err(ALLOWED.into()),
    }
}

/// Zones of reads, writes and trims; the last that are given are those of the kinds after them.
fn of_kinds<T: Clone>(
    value: Value<'_>,
    read: impl Fn(Value<'_>) -> Result<T, Allowed>,
) -> Result<PerKind<T>, Allowed> {
    let parts: Vec<&str> = value.text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("zones of at most three kinds: reads, writes, trims".into());
    }
    let nth = |n: usize| read(value.part(parts[n.min(parts.len() - 1)]));
    Ok(PerKind {
        read: nth(0)?,
        write: nth(1)?,
        trim: nth(2)?,
    })
}

fn float_and_center(text: Option<&str>, default: f64) -> Result<(f64, Option<f64>), Allowed> {
    let Some(text) = text else {
        return Ok((default, None));
    };
    let fail = || Allowed::from(ALLOWED);
    let (value, center) = text
        .split_once(':')
        .map_or((text, None), |(v, c)| (v, Some(c)));
    let value = value.parse().map_err(|_| fail())?;
    let center = center
        .map(str::parse::<f64>)
        .transpose()
        .map_err(|_| fail())?;
    match center {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err("a law with its center from 0 to 1".into())
        }
        _ => Ok((value, center)),
    }
}

/// fio's limit on zones.
const ZONES_MAX: usize = 256;

fn zones(text: &str) -> Result<Vec<Zone>, Allowed> {
    const ALLOWED: &str = "zoned:access/size:… with whole percentages";
    let mut shares = Vec::new();
    for part in text.split(':') {
        let (access, size) = part.split_once('/').ok_or(ALLOWED)?;
        shares.push((percent_or_blank(access)?, percent_or_blank(size)?));
    }
    if shares.len() > ZONES_MAX {
        return Err(format!("zoned:… with at most {ZONES_MAX} zones"));
    }
    let access = completed(shares.iter().map(|s| s.0).collect(), "accesses")?;
    let sizes = completed(shares.iter().map(|s| s.1).collect(), "sizes")?;
    Ok(access
        .into_iter()
        .zip(sizes)
        .map(|(access_percent, size_percent)| Zone {
            access_percent,
            size_percent,
        })
        .collect())
}

fn byte_zones(value: Value<'_>) -> Result<Vec<ByteZone>, Allowed> {
    const ALLOWED: &str =
        "zoned_abs:access/bytes:… with whole percentages, as zoned_abs:60/20g:40/100g";
    let parts: Vec<&str> = value.text.split(':').collect();
    if parts.len() > ZONES_MAX {
        return Err(format!("zoned_abs:… with at most {ZONES_MAX} zones"));
    }
    let mut shares = Vec::new();
    let mut lengths = Vec::new();
    for part in parts {
        let (access, bytes) = part.split_once('/').ok_or(ALLOWED)?;
        shares.push(percent_or_blank(access)?);
        lengths.push(value.part(bytes).bytes().map_err(|_| ALLOWED)?);
    }
    let access = completed(shares, "accesses")?;
    let zone = |(access_percent, bytes)| ByteZone {
        access_percent,
        bytes,
    };
    Ok(access.into_iter().zip(lengths).map(zone).collect())
}

fn percent_or_blank(text: &str) -> Result<Option<u8>, Allowed> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse() {
        Ok(percent @ 0..=100) => Ok(Some(percent)),
        _ => Err("zoned:access/size:… with whole percentages from 0 to 100".into()),
    }
}

/// Shares of which the blank ones split what the others leave of 100 %, as in fio.
fn completed(shares: Vec<Option<u8>>, what: &str) -> Result<Vec<u8>, Allowed> {
    let given: u32 = shares.iter().flatten().map(|&p| u32::from(p)).sum();
    let mut blanks = shares.iter().filter(|p| p.is_none()).count() as u32;
    if given > 100 || (given < 100 && blanks == 0) {
        return Err(format!(
            "zoned:… with {what} that add up to 100, not {given}"
        ));
    }
    let mut left = 100 - given;
    let share_out = |percent: Option<u8>| {
        percent.unwrap_or_else(|| {
            let share = left / blanks;
            left -= share;
            blanks -= 1;
            share as u8
        })
    };
    Ok(shares.into_iter().map(share_out).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(text: &str) -> Result<Distribution, Allowed> {
        super::distribution(Value {
            text,
            kb_base: 1024,
        })
    }

    #[test]
    fn a_law_without_a_number_has_fios() {
        let law = |text| distribution(text).unwrap();
        assert_eq!(law("zipf"), law("zipf:1.1"));
        assert_eq!(law("pareto"), law("pareto:0.2"));
        assert_eq!(law("normal"), law("normal:0"));
    }

    #[test]
    fn zones_may_differ_by_kind_and_be_in_bytes() {
        let zone = |access_percent, bytes| ByteZone {
            access_percent,
            bytes,
        };
        let reads = vec![zone(60, 1 << 20), zone(40, 4 << 20)];
        let others = vec![zone(100, 8 << 10)];
        let kinds = PerKind {
            read: reads,
            write: others.clone(),
            trim: others,
        };
        assert_eq!(
            distribution("zoned_abs:60/1m:40/4m,100/8k"),
            Ok(Distribution::ZonedAbs(Box::new(kinds)))
        );
        assert!(distribution("zoned_abs:60/1m:30/4m").is_err());
    }

    #[test]
    fn every_law_is_read() {
        let zipf = Distribution::Zipf {
            theta: 1.2,
            center: Some(0.25),
        };
        assert_eq!(distribution("zipf:1.2:0.25"), Ok(zipf));
        let pareto = Distribution::Pareto {
            power: 0.2,
            center: None,
        };
        assert_eq!(distribution("pareto:0.2"), Ok(pareto));
        let normal = Distribution::Normal {
            deviation_percent: 10.0,
            center: None,
        };
        assert_eq!(distribution("normal:10"), Ok(normal));
        assert_eq!(distribution("random"), Ok(Distribution::Random));
    }

    #[test]
    fn blank_zone_shares_split_the_rest() {
        let zone = |access_percent, size_percent| Zone {
            access_percent,
            size_percent,
        };
        let want = vec![zone(60, 10), zone(20, 30), zone(20, 60)];
        assert_eq!(
            distribution("zoned:60/10:/30:/"),
            Ok(Distribution::Zoned(Box::new(PerKind {
                read: want.clone(),
                write: want.clone(),
                trim: want,
            })))
        );
    }

    #[test]
    fn laws_out_of_range_are_refused() {
        for text in [
            "",
            "zipf:",
            "zipf:1",
            "zipf:0",
            "zipf:-1",
            "zipf:nan",
            "zipf:inf",
            "zipf:1.2:2",
            "pareto:0",
            "pareto:1",
            "normal:101",
            "normal:nan",
            "random:1",
            "zoned",
            "zoned:",
            "zoned:50/50",
            "zoned:60/50:60/50",
            "zoned:a/b",
            "zoned:50/50:50/50:/",
            "flat",
        ] {
            let empty_zone_is_fine = text == "zoned:50/50:50/50:/";
            assert_eq!(distribution(text).is_err(), !empty_zone_is_fine, "{text}");
        }
    }
}

//! fio's `random_distribution`: the law of random positions.

use crate::units::Allowed;

/// How random requests spread over the region.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Uniform.
    Random,
    /// The block of rank k (from 1) with probability proportional to k^−θ.
    Zipf {
        /// θ: above 0, not 1.
        theta: f64,
        /// Where the block of rank 1 lies, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// Self-similar: the first share h of the ranks gets 1 − h of the requests, at every scale.
    Pareto {
        /// h: between 0 and 1.
        power: f64,
        /// Where the first rank lies, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// The mean of twelve uniform ranks (σ = region/12) and a uniform jitter, as fio draws it.
    Normal {
        /// Full width of the jitter in percent of the region, 0 to 100; more than 50 counts as 50.
        deviation_percent: f64,
        /// Where the middle rank lies, as a share of the region; absent: anywhere.
        center: Option<f64>,
    },
    /// Uniform within zones; shares of accesses and of the region each add up to 100 %.
    Zoned(Vec<Zone>),
}

/// One zone of [`Distribution::Zoned`]; zones follow one another from the region's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zone {
    /// Percent of the requests.
    pub access_percent: u8,
    /// Percent of the region.
    pub size_percent: u8,
}

const ALLOWED: &str =
    "random, zipf:θ[:center], pareto:h[:center], normal:deviation[:center] or zoned:access/size:…";

/// Reads the value of `random_distribution`.
pub fn distribution(text: &str) -> Result<Distribution, Allowed> {
    let (name, rest) = text
        .split_once(':')
        .map_or((text, None), |(n, r)| (n, Some(r)));
    match (name, rest) {
        ("random", None) => Ok(Distribution::Random),
        ("zipf", Some(rest)) => {
            let (theta, center) = float_and_center(rest)?;
            let fits = theta > 0.0 && theta <= 100.0 && theta != 1.0;
            let law = Distribution::Zipf { theta, center };
            fits.then_some(law)
                .ok_or_else(|| "zipf:θ with θ above 0 and other than 1".into())
        }
        ("pareto", Some(rest)) => {
            let (power, center) = float_and_center(rest)?;
            let law = Distribution::Pareto { power, center };
            let fits = power > 0.0 && power < 1.0;
            fits.then_some(law)
                .ok_or_else(|| "pareto:h with h between 0 and 1".into())
        }
        ("normal" | "gauss", Some(rest)) => {
            let (deviation_percent, center) = float_and_center(rest)?;
            let law = Distribution::Normal {
                deviation_percent,
                center,
            };
            let fits = (0.0..=100.0).contains(&deviation_percent);
            fits.then_some(law)
                .ok_or_else(|| "normal:deviation with a deviation from 0 to 100".into())
        }
        ("zoned", Some(rest)) => zones(rest).map(Distribution::Zoned),
        _ => Err(ALLOWED.into()),
    }
}

fn float_and_center(text: &str) -> Result<(f64, Option<f64>), Allowed> {
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
            Ok(Distribution::Zoned(want))
        );
    }

    #[test]
    fn laws_out_of_range_are_refused() {
        for text in [
            "",
            "zipf",
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

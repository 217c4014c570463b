//! Numbers with a unit: `"5 GB"`, `"64 KiB"`, `"1.5 s"`, `"90 %"`.

use ftlab_base::{Nanos, SECTOR_BYTES};
use serde::de::{Deserialize, Deserializer, Error};

const BYTES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];
const TIMES: &[(&str, f64)] = &[("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9)];
const SHARES: &[(&str, f64)] = &[("%", 0.01)];

/// More than any drive holds, as a number and in words.
const BYTES_MOST: (f64, &str) = (1e15, "1,000,000 GB");
/// More than any test takes: a week.
const TIME_MOST: (f64, &str) = (604_800e9, "604,800 s, a week");
const SHARE_MOST: (f64, &str) = (1.0, "100 %");

/// An amount of data, rounded up to whole sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sectors(pub u64);

/// A span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub Nanos);

/// A share, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share(pub f64);

/// Reads `text` as a number and one of `units`.
fn read(text: &str, units: &[(&str, f64)], (most, in_words): (f64, &str)) -> Result<f64, String> {
    let text = text.trim();
    let begin = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (number, unit) = text.split_at(begin.unwrap_or(text.len()));
    let known = || {
        units
            .iter()
            .map(|(unit, _)| *unit)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let factor = units.iter().find(|(name, _)| *name == unit.trim());
    let (Ok(number), Some((_, factor))) = (number.parse::<f64>(), factor) else {
        let known = known();
        return Err(format!(
            "`{text}` is no number with one of the units {known}"
        ));
    };
    let value = number * factor;
    if value > most {
        return Err(format!("`{text}` is too much; at most {in_words}"));
    }
    Ok(value)
}

impl Sectors {
    pub(crate) fn read(text: &str) -> Result<Sectors, String> {
        let bytes = read(text, BYTES, BYTES_MOST)?.ceil() as u64;
        Ok(Sectors(bytes.div_ceil(SECTOR_BYTES)))
    }
}

impl<'de> Deserialize<'de> for Sectors {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Sectors::read(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let ns = read(&String::deserialize(from)?, TIMES, TIME_MOST).map_err(D::Error::custom)?;
        Ok(Span(Nanos(ns.round() as u64)))
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let share = read(&String::deserialize(from)?, SHARES, SHARE_MOST);
        share.map(Share).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_unit_of_its_kind() {
        assert_eq!(Sectors::read("5 GB"), Ok(Sectors(9_765_625)));
        assert_eq!(Sectors::read("64KiB"), Ok(Sectors(128)));
        assert_eq!(Sectors::read("1 B"), Ok(Sectors(1)));
        for wrong in ["5", "5 GBit", "GB", "-1 GB", "1e9 B", "5 s", ""] {
            assert!(Sectors::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(read("1.5 s", TIMES, TIME_MOST), Ok(1.5e9));
        let far = Sectors::read("5000000000000000000 GB").unwrap_err();
        assert!(far.contains("at most 1,000,000 GB"), "{far}");
        let long = read("8 d", TIMES, TIME_MOST).unwrap_err();
        assert!(long.contains("us, ms, s, min"), "{long}");
        let long = read("604801 s", TIMES, TIME_MOST).unwrap_err();
        assert!(long.contains("at most 604,800 s"), "{long}");
        let above = read("101 %", SHARES, SHARE_MOST).unwrap_err();
        assert!(above.contains("at most 100 %"), "{above}");
        for wrong in ["nan GB", "inf GB", "1e400 GB", "-inf GB"] {
            assert!(Sectors::read(wrong).is_err(), "{wrong}");
        }
    }
}

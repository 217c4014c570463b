//! fio's words for sizes, times and percentages. Sizes in bytes are in `ftlab_base::size`.
//!
//! A value that cannot be read is answered with what would be allowed.

use ftlab_base::Nanos;
use ftlab_base::size::{bytes_of, split_number};

/// A size as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// A fixed number of bytes.
    Bytes(u64),
    /// In percent, 1 to 100, of what the key measures.
    Percent(u8),
}

impl Default for Size {
    fn default() -> Self {
        Size::Bytes(0)
    }
}

/// Description of the allowed values, for an error message.
pub type Allowed = String;

const TIME_ALLOWED: &str = "a whole number with an optional suffix us, ms, s, m, h or d";
const PERCENT_ALLOWED: &str = "a percentage from 0% to 100%";

/// A value of a job file, and what its suffixes count in.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    /// Text as it is written.
    pub text: &'a str,
    /// fio's `kb_base`: 1024, or 1000.
    pub kb_base: u64,
}

impl<'a> Value<'a> {
    /// A part of it.
    pub fn part(self, text: &'a str) -> Value<'a> {
        Value { text, ..self }
    }

    /// A size in bytes.
    pub fn bytes(self) -> Result<u64, Allowed> {
        bytes_of(self.text, self.kb_base)
    }

    /// A size in bytes or a percentage of something the key defines. As in fio, 0% is what 0 is.
    pub fn size(self) -> Result<Size, Allowed> {
        let Some(number) = self.text.strip_suffix('%') else {
            return self.bytes().map(Size::Bytes);
        };
        match number.parse() {
            Ok(0) => Ok(Size::Bytes(0)),
            Ok(percent @ 1..=100) => Ok(Size::Percent(percent)),
            _ => Err(PERCENT_ALLOWED.into()),
        }
    }

    /// A whole number (fio takes size suffixes here too) between two bounds, both allowed.
    pub fn number(self, least: u64, most: u64) -> Result<u64, Allowed> {
        match self.bytes() {
            Ok(n) if (least..=most).contains(&n) => Ok(n),
            _ if most == u64::MAX => Err(format!("a whole number of at least {least}")),
            _ => Err(format!("a whole number from {least} to {most}")),
        }
    }

    /// A percentage from 0 to 100, written without a sign.
    pub fn percent(self) -> Result<u8, Allowed> {
        self.number(0, 100).map(|n| n as u8)
    }

    /// A span of time; a bare number counts in `default_unit`.
    pub fn time(self, default_unit: Nanos) -> Result<Nanos, Allowed> {
        time(self.text, default_unit)
    }

    /// A boolean, which fio writes as 0 or 1.
    pub fn boolean(self) -> Result<bool, Allowed> {
        match self.text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err("0 or 1".into()),
        }
    }
}

/// Reads a span of time; a bare number counts in `default_unit`.
pub fn time(text: &str, default_unit: Nanos) -> Result<Nanos, Allowed> {
    let fail = || Allowed::from(TIME_ALLOWED);
    let (number, suffix) = split_number(text).ok_or_else(fail)?;
    let unit = match suffix.to_ascii_lowercase().as_str() {
        "" => default_unit,
        "us" | "usec" => Nanos::from_micros(1),
        "ms" | "msec" => Nanos::from_millis(1),
        "s" | "sec" => Nanos::from_secs(1),
        "m" => Nanos::from_secs(60),
        "h" => Nanos::from_secs(3_600),
        "d" => Nanos::from_secs(86_400),
        _ => return Err(fail()),
    };
    // Half the range leaves room to add such spans to an instant.
    match number.checked_mul(unit.0) {
        Some(ns) if ns <= u64::MAX / 4 => Ok(Nanos(ns)),
        _ => Err("at most 146 years".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_fio_reads_them() {
        for (text, want_ns) in [
            ("60", 60_000_000_000),
            ("60s", 60_000_000_000),
            ("2sec", 2_000_000_000),
            ("500ms", 500_000_000),
            ("500msec", 500_000_000),
            ("7us", 7_000),
            ("7usec", 7_000),
            ("3m", 180_000_000_000),
            ("1H", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
        ] {
            assert_eq!(
                time(text, Nanos::from_secs(1)),
                Ok(Nanos(want_ns)),
                "{text}"
            );
        }
        assert_eq!(time("7", Nanos::from_micros(1)), Ok(Nanos(7_000)));
        for text in ["", "1.5", "-1", "1min", "s", "300000d"] {
            assert!(time(text, Nanos::from_secs(1)).is_err(), "{text}");
        }
    }

    #[test]
    fn percentages_read_as_shares_of_something() {
        let size = |text| {
            Value {
                text,
                kb_base: 1024,
            }
            .size()
        };
        assert_eq!(size("50%"), Ok(Size::Percent(50)));
        assert_eq!(size("1g"), Ok(Size::Bytes(1 << 30)));
        assert_eq!(size("0%"), Ok(Size::Bytes(0)));
        for text in ["101%", "-1%", "%", "5.5%"] {
            assert_eq!(size(text), Err(PERCENT_ALLOWED.into()), "{text}");
        }
    }

    #[test]
    fn a_base_of_1000_turns_the_prefixes_back() {
        let of = |text| {
            Value {
                text,
                kb_base: 1000,
            }
            .bytes()
        };
        assert_eq!(of("4k"), Ok(4_000));
        assert_eq!(of("4kB"), Ok(4_000));
        assert_eq!(of("4KiB"), Ok(4_096));
        assert_eq!(of("1g"), Ok(1_000_000_000));
    }
}

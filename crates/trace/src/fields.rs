//! Fields of a line: cut, and read as numbers.

use crate::error::Fault;
use memchr::memchr;

/// The fields of a line, one after the other.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    rest: Option<&'a [u8]>,
    by: By,
}

/// The separator of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A comma; fields may be empty.
    Commas,
    /// Any number of blanks and tabs.
    Blanks,
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8], by: By) -> Fields<'a> {
        Fields {
            rest: Some(line),
            by,
        }
    }

    /// The next field, if there is one.
    #[inline]
    pub fn next_if(&mut self) -> Option<&'a [u8]> {
        match self.by {
            By::Commas => {
                let rest = self.rest?;
                let (field, rest) = match memchr(b',', rest) {
                    Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                    None => (rest, None),
                };
                self.rest = rest;
                Some(field.trim_ascii())
            }
            By::Blanks => {
                let rest = self.rest?.trim_ascii_start();
                if rest.is_empty() {
                    self.rest = None;
                    return None;
                }
                let end = rest.iter().position(|&byte| is_blank(byte));
                let end = end.unwrap_or(rest.len());
                self.rest = Some(&rest[end..]);
                Some(&rest[..end])
            }
        }
    }

    /// The next field, which must be there.
    #[inline]
    pub fn next(&mut self, name: &'static str) -> Result<&'a [u8], Fault> {
        self.next_if().ok_or_else(|| Fault::missing(name))
    }

    /// The next field as a whole number.
    #[inline]
    pub fn integer(&mut self, name: &'static str) -> Result<u64, Fault> {
        integer(name, self.next(name)?)
    }

    /// The next field as a whole number of sectors of 512 bytes, in bytes.
    #[inline]
    pub fn sectors(&mut self, name: &'static str) -> Result<u64, Fault> {
        sectors(name, self.next(name)?)
    }

    /// The rest of the line.
    pub fn rest(&self) -> &'a [u8] {
        self.rest.unwrap_or_default().trim_ascii()
    }
}

/// A whole number.
#[inline]
pub fn integer(name: &'static str, field: &[u8]) -> Result<u64, Fault> {
    let fail = || Fault::new(name, field, "a whole number below 2^64");
    if field.is_empty() {
        return Err(fail());
    }
    let mut value = 0_u64;
    for &byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(fail());
        }
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or_else(fail)?;
    }
    Ok(value)
}

/// A whole number of sectors of 512 bytes, in bytes.
#[inline]
pub fn sectors(name: &'static str, field: &[u8]) -> Result<u64, Fault> {
    let sectors = integer(name, field)?;
    sectors
        .checked_mul(512)
        .ok_or_else(|| Fault::new(name, field, "sectors of 512 bytes of less than 16 EiB"))
}

/// A decimal number in units of 10^-`digits`; digits beyond are cut off. Seconds to nanoseconds: `digits` = 9.
pub fn decimal(name: &'static str, field: &[u8], digits: u32) -> Result<u64, Fault> {
    let fail = || Fault::new(name, field, "a number of 0 or more, such as 12.000345");
    let (whole, part) = match memchr(b'.', field) {
        Some(at) => (&field[..at], &field[at + 1..]),
        None => (field, &field[field.len()..]),
    };
    if whole.is_empty() && part.is_empty() {
        return Err(fail());
    }
    if field.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return exponent(field, digits).ok_or_else(fail);
    }
    let mut value = match whole {
        [] => 0,
        whole => integer(name, whole).map_err(|_| fail())?,
    };
    let mut part = part.iter().copied();
    for _ in 0..digits {
        let digit = part.next().unwrap_or(b'0').wrapping_sub(b'0');
        if digit > 9 {
            return Err(fail());
        }
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or_else(fail)?;
    }
    match part.all(|byte| byte.is_ascii_digit()) {
        true => Ok(value),
        false => Err(fail()),
    }
}

/// As some programs write small numbers: 1.5e-05.
fn exponent(field: &[u8], digits: u32) -> Option<u64> {
    let value: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    let scaled = (value * 10_f64.powi(digits as i32)).round();
    (0.0..u64::MAX as f64)
        .contains(&scaled)
        .then_some(scaled as u64)
}

/// A time in another unit, in nanoseconds.
#[inline]
pub fn to_ns(name: &'static str, field: &[u8], unit_ns: u64) -> Result<u64, Fault> {
    let value = integer(name, field)?;
    value
        .checked_mul(unit_ns)
        .ok_or_else(|| Fault::new(name, field, "a time of less than 584 years"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_cut_off() {
        let ns = |text: &str| decimal("t", text.as_bytes(), 9);
        assert_eq!(ns("0.000774"), Ok(774_000));
        assert_eq!(ns("1456135200.013118000"), Ok(1_456_135_200_013_118_000));
        assert_eq!(ns("3"), Ok(3_000_000_000));
        assert_eq!(ns(".5"), Ok(500_000_000));
        assert_eq!(ns("0.0000000019"), Ok(1));
        assert_eq!(ns("1.5e-05"), Ok(15_000));
        for text in [
            "",
            ".",
            "-1",
            "1.2.3",
            "1,5",
            "1.5x",
            "99999999999",
            "inf",
            "1e99",
            "-1e3",
        ] {
            assert!(ns(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_have_digits_alone_and_fit() {
        assert_eq!(integer("n", b"18446744073709551615"), Ok(u64::MAX));
        for text in ["", "18446744073709551616", "+1", "0x1", "1 2"] {
            assert!(integer("n", text.as_bytes()).is_err(), "{text}");
        }
        assert!(sectors("n", b"36028797018963968").is_err());
    }

    #[test]
    fn fields_are_cut_by_commas_or_blanks() {
        let mut by_commas = Fields::new(b"a, b,,c", By::Commas);
        let cut: Vec<&[u8]> = std::iter::from_fn(|| by_commas.next_if()).collect();
        assert_eq!(cut, [b"a".as_slice(), b"b", b"", b"c"]);
        let mut by_blanks = Fields::new(b"  a \t b  ", By::Blanks);
        let cut: Vec<&[u8]> = std::iter::from_fn(|| by_blanks.next_if()).collect();
        assert_eq!(cut, [b"a".as_slice(), b"b"]);
    }
}

//! Sizes in bytes as fio writes them, which all of ftlab's options do.

const ALLOWED: &str = "a number with an optional suffix k, m, g, t or p (powers of 1024)";

/// Reads a size in bytes.
///
/// fio's default `kb_base=1024` turns the standards' prefixes round: `4k`, `4kb` and `4ki` are 4096
/// bytes, `4kib` is 4000. (fio's manual also gives 4000 for `4ki`; the program does not.)
///
/// # Errors
/// When it is none; the error says what would be allowed.
pub fn bytes(text: &str) -> Result<u64, String> {
    bytes_of(text, 1024)
}

/// Reads a size in bytes whose plain suffixes count in `kb_base`: 1024, or 1000.
///
/// # Errors
/// When it is none; the error says what would be allowed.
pub fn bytes_of(text: &str, kb_base: u64) -> Result<u64, String> {
    let fail = || String::from(ALLOWED);
    let (number, suffix) = split_number(text).ok_or_else(fail)?;
    let unit = unit_bytes(&suffix.to_ascii_lowercase(), kb_base).ok_or_else(fail)?;
    number
        .checked_mul(unit)
        .ok_or_else(|| "less than 16 EiB".into())
}

/// Bytes of a lower-case size suffix.
fn unit_bytes(suffix: &str, kb_base: u64) -> Option<u64> {
    let Some(prefix) = suffix.chars().next() else {
        return Some(1);
    };
    let Some(power) = "kmgtp".find(prefix) else {
        return (suffix == "b").then_some(1);
    };
    let base: u64 = match &suffix[1..] {
        "" | "b" | "i" => kb_base,
        // fio's other base, whichever is the one.
        "ib" => 2024 - kb_base,
        _ => return None,
    };
    base.checked_pow(power as u32 + 1)
}

/// Splits a leading decimal or `0x` number from what follows it; nothing without one.
#[must_use]
pub fn split_number(text: &str) -> Option<(u64, &str)> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |rest| (rest, 16));
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let value = u64::from_str_radix(&digits[..end], radix).ok()?;
    Some((value, &digits[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_fio_reads_them() {
        for (text, want) in [
            ("4096", 4096),
            ("4096b", 4096),
            ("4k", 4096),
            ("4K", 4096),
            ("4kb", 4096),
            ("4kB", 4096),
            ("4ki", 4096),
            ("4kib", 4000),
            ("4KiB", 4000),
            ("1m", 1 << 20),
            ("1mb", 1 << 20),
            ("1mib", 1_000_000),
            ("8g", 8 << 30),
            ("80gib", 80_000_000_000),
            ("2t", 2 << 40),
            ("2tib", 2_000_000_000_000),
            ("1p", 1 << 50),
            ("0x1000", 4096),
            ("0x10k", 16 << 10),
            ("0", 0),
        ] {
            assert_eq!(bytes(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "", "k", "4.5k", "4 k", "-4k", "4z", "4kk", "4kbi", "4µ", "20000p", "0x", "+1",
        ] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert!(bytes("99999999999999999999").is_err());
    }
}

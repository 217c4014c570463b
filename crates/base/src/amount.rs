//! Amounts as people read them: three significant digits, and the prefix with which they show.

/// Prefixes of powers of 1000.
const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];

/// Prefixes of powers of 1024.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// An amount in powers of 1000, as drives are sold: `80.0 GB`, `22.9 MB/s`.
#[must_use]
pub fn decimal(value: f64, unit: &str) -> String {
    with_prefix(value, 1000.0, &DECIMAL, unit)
}

/// An amount in powers of 1024: `43.6 MiB/s`.
#[must_use]
pub fn binary(value: f64, unit: &str) -> String {
    with_prefix(value, 1024.0, &BINARY, unit)
}

/// A number with three significant digits: `4.06`, `21.9`, `107`. One of 1000 and more keeps its whole part.
#[must_use]
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// A number rounded to four significant digits, as numbers of drive files are worked out: no figure is more exact.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// A whole number with its thousands apart: `30,000,000`.
#[must_use]
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn with_prefix(value: f64, step: f64, prefixes: &[&str], unit: &str) -> String {
    let (mut scaled, mut power) = (value, 0);
    // 999.6 would be shown as 1000.
    while scaled.abs() >= step - 0.5 && power + 1 < prefixes.len() {
        scaled /= step;
        power += 1;
    }
    let prefix = prefixes[power];
    // What is counted in whole ones has no digits behind the point: 512 B.
    let number = match power == 0 && value.fract() == 0.0 {
        true => format!("{value}"),
        false => three_digits(scaled),
    };
    format!("{number} {prefix}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amount_shows_three_digits_in_the_unit_that_fits() {
        for (bytes, words) in [
            (0.0, "0 B"),
            (512.0, "512 B"),
            (4_096.0, "4.10 kB"),
            (999_499.0, "999 kB"),
            (999_600.0, "1.00 MB"),
            (25e6, "25.0 MB"),
            (8_589_934_592.0, "8.59 GB"),
            (80e9, "80.0 GB"),
            (999.96e9, "1.00 TB"),
            (182.5e12, "182 TB"),
            (3e15, "3.00 PB"),
            (3e21, "3000 EB"),
        ] {
            assert_eq!(decimal(bytes, "B"), words);
        }
        assert_eq!(binary(45_756_416.0, "B/s"), "43.6 MiB/s");
        assert_eq!(binary(1_023.0 * 1_024.0, "B"), "1023 KiB");
        assert_eq!(binary(1_023.9 * 1_024.0, "B"), "1.00 MiB");
        assert_eq!(decimal(0.5, "B/s"), "0.50 B/s");
    }

    #[test]
    fn three_digits_stay_three_where_rounding_carries() {
        let shown = [4.06, 9.994, 9.996, 99.94, 99.96, 1_234.5].map(three_digits);
        assert_eq!(shown, ["4.06", "9.99", "10.0", "99.9", "100", "1234"]);
    }

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 999, 1_000, 30_000_000, u64::MAX].map(grouped);
        let words = ["0", "999", "1,000", "30,000,000"];
        assert_eq!(shown[..4], words);
        assert_eq!(shown[4], "18,446,744,073,709,551,615");
    }
}

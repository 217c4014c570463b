//! Numbers as a reader sees them: three significant digits, grouped thousands, units that fit.

use ftlab_result::Spread;

/// Three significant digits, thousands grouped: `0.0891`, `9.17`, `244`, `11,200`.
pub fn number(value: f64) -> String {
    const DIGITS: i32 = 3;
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Round first: 99.96 has three digits before the point only afterwards.
    let rounded = round_to_digits(value, DIGITS);
    let magnitude = rounded.abs().log10().floor() as i32;
    if magnitude < -4 {
        return format!("{rounded:.2e}");
    }
    // A whole number is a count or was written so; zeros behind it would claim precision.
    let whole = value.fract() == 0.0;
    let decimals = if whole {
        0
    } else {
        (DIGITS - 1 - magnitude).max(0)
    };
    group_thousands(&format!("{rounded:.*}", decimals as usize))
}

/// Digits of a mean at most, however narrow its interval is.
const MEAN_DIGITS_MAX: i32 = 7;

/// A mean and half the width of its interval, each with the decimals that two digits of the latter need, and
/// the sign between them: `10,613 ± 32`. No width at all is `± 0`, and an unknown one `± –`.
#[must_use]
pub fn mean(value: f64, half_width: Option<f64>) -> String {
    let Some(half_width) = half_width else {
        return format!("{} ± –", number(value));
    };
    let (value, half_width) = interval(value, half_width);
    format!("{value} ± {half_width}")
}

/// A mean and half the width of its interval, as text.
fn interval(value: f64, half_width: f64) -> (String, String) {
    let is_number = value.is_finite() && half_width.is_finite();
    if !is_number || half_width <= 0.0 {
        return (number(value), number(half_width));
    }
    let magnitude = |value: f64| value.abs().log10().floor() as i32;
    let most = match value {
        0.0 => MEAN_DIGITS_MAX,
        _ => MEAN_DIGITS_MAX - 1 - magnitude(value),
    };
    let decimals = 1 - magnitude(round_to_digits(half_width, 2));
    if decimals > most {
        return (number(value), format!("{half_width:.1e}"));
    }
    let text = |value: f64| group_thousands(&format!("{value:.*}", decimals.max(0) as usize));
    (text(value), text(half_width))
}

/// A simulated figure: of one run, or over repeats.
pub fn simulated(value: f64, spread: Option<&Spread>) -> String {
    spread.map_or_else(
        || number(value),
        |spread| mean(value, spread.ci95_half_width),
    )
}

/// `value` rounded to `digits` significant digits.
pub fn round_to_digits(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let magnitude = value.abs().log10().floor() as i32;
    let factor = 10f64.powi(digits - 1 - magnitude);
    (value * factor).round() / factor
}

/// A number as the page's data keep it: with digits enough that the script, which rounds once more, prints what the
/// tables beside it do.
pub fn kept(value: f64) -> f64 {
    const DIGITS: i32 = 7;
    round_to_digits(value, DIGITS)
}

/// A number as a source wrote it, thousands grouped; words stay as they are.
pub fn literal(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(_) if !text.contains(['e', 'E']) => group_thousands(text),
        _ => text.to_owned(),
    }
}

fn group_thousands(digits: &str) -> String {
    let (sign, rest) = match digits.strip_prefix('-') {
        Some(rest) => ("−", rest),
        None => ("", digits),
    };
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A latency given in nanoseconds, in the unit that fits.
pub fn latency_ns(ns: f64) -> String {
    let (divisor, unit) = latency_unit(ns);
    format!("{} {unit}", number(round_to_digits(ns / divisor, 3)))
}

/// The unit that fits a latency, in nanoseconds.
fn latency_unit(ns: f64) -> (f64, &'static str) {
    match ns {
        _ if ns < 1e3 => (1.0, "ns"),
        _ if ns < 1e6 => (1e3, "µs"),
        _ if ns < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// A latency given in milliseconds, of one run or of repeats, in the unit that fits.
pub fn simulated_latency_ms(ms: f64, spread: Option<&Spread>) -> String {
    let ns = ms * 1e6;
    let Some(spread) = spread else {
        return latency_ns(ns);
    };
    let (divisor, unit) = latency_unit(ns);
    let half_width = spread.ci95_half_width.map(|ms| ms * 1e6 / divisor);
    let value = round_to_digits(ns / divisor, MEAN_DIGITS_MAX);
    format!("{} {unit}", mean(value, half_width))
}

/// An amount of data in the decimal unit that fits.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        b if b >= 1e6 => format!("{} MB", number(round_to_digits(b / 1e6, 3))),
        b => format!("{} KB", number(round_to_digits(b / 1e3, 3))),
    }
}

/// A capacity in decimal units, as drives are sold.
pub fn capacity(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e12 => format!("{} TB", number(b / 1e12)),
        b if b >= 1e9 => format!("{} GB", number(b / 1e9)),
        b => format!("{} MB", number(b / 1e6)),
    }
}

/// A share between 0 and 1 as a percentage, to one digit below ten.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value == 0.0 || value.abs() >= 9.95 {
        format!("{value:.0} %")
    } else {
        format!("{value:.1} %")
    }
}

/// From this factor on, in either direction, an error is a factor: past half and double a percentage misleads.
const FACTOR_MIN: f64 = 2.0;

/// An error |ln(simulated ÷ published)| whose direction does not matter: `4.7 %`, and `a factor of 3.03`.
pub fn error(error: f64) -> String {
    match error.exp() {
        factor if factor > FACTOR_MIN => format!("a factor of {}", number(factor)),
        factor => percent(factor - 1.0),
    }
}

/// Formats an error with its direction: `+2.1 %` where the model is above the published value, `−36 %` where it is
/// below, `×0.36` and `×3.03` where it is past half and double.
pub fn signed_error(error: f64, published: &str, simulated: Option<f64>) -> String {
    let below = matches!(
        (published.parse::<f64>(), simulated),
        (Ok(published), Some(simulated)) if simulated < published
    );
    ratio_error(if below { -error } else { error }.exp())
}

/// Formats a ratio as an error with its direction, as [`signed_error`] does.
#[must_use]
pub fn ratio_error(ratio: f64) -> String {
    if !(FACTOR_MIN.recip()..=FACTOR_MIN).contains(&ratio) {
        return format!("×{}", number(ratio));
    }
    match percent((ratio - 1.0).abs()).as_str() {
        none @ ("0 %" | "0.0 %") => none.to_owned(),
        text if ratio < 1.0 => format!("−{text}"),
        text => format!("+{text}"),
    }
}

/// A published value with its source's qualifier in front: `≈ 60`, `> 2`, `up to 15`.
pub fn published(value: &str, qualifier: &str) -> String {
    let value = literal(value);
    match qualifier {
        "approx" => format!("≈ {value}"),
        "gt" => format!("> {value}"),
        "at-least" => format!("≥ {value}"),
        "lt" => format!("< {value}"),
        "upto" => format!("up to {value}"),
        "range-lo" => format!("from {value}"),
        "range-hi" => format!("to {value}"),
        "qualitative" => format!("“{value}”"),
        "derived" => format!("{value} (derived)"),
        q if q.starts_with("ambiguous") => format!("{value} (?)"),
        _ => value,
    }
}

/// A unit as printed: the tables write `iops`, a reader expects `IOPS`.
#[must_use]
pub fn unit(unit: &str) -> &str {
    match unit {
        "iops" => "IOPS",
        "count" => "",
        "x" => "×",
        other => other,
    }
}

/// A unit that a figure may be converted from.
pub fn unit_word(unit: &str) -> &'static str {
    match unit {
        "MiB/s" => "MiB/s",
        "MB/s" => "MB/s",
        "s" => "seconds",
        "min" => "minutes",
        _ => "another unit",
    }
}

/// A value with its unit, no dangling space when it has none.
pub fn with_unit(value: &str, unit_name: &str) -> String {
    match unit(unit_name) {
        "" => value.to_owned(),
        unit => format!("{value} {unit}"),
    }
}

/// Text in which a number and its unit stay on one line: `64 GB`, `100 ms`, `14 %`.
pub fn keep_units(text: &str) -> String {
    const NO_BREAK_SPACE: char = '\u{a0}';
    const UNITS: [&str; 10] = ["%", "ns", "µs", "ms", "s", "KiB", "KB", "MB", "GB", "TB"];
    let mut out = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        let unit = word.trim_end_matches(['.', ',', ':', ';']);
        let follows_number = out.ends_with(|c: char| c.is_ascii_digit());
        if index > 0 {
            let kept = follows_number && UNITS.contains(&unit);
            out.push(if kept { NO_BREAK_SPACE } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_significant_digits() {
        let shown: Vec<String> = [
            0.08914, 9.168, 99.96, 244.0, 243.6, 11_171.4, 0.0, 20.0, 1234567.0,
        ]
        .into_iter()
        .map(number)
        .collect();
        assert_eq!(
            shown,
            [
                "0.0891",
                "9.17",
                "100",
                "244",
                "244",
                "11,200",
                "0",
                "20",
                "1,230,000"
            ]
        );
    }

    #[test]
    fn a_mean_has_the_decimals_that_its_interval_needs() {
        let shown = |value, half_width| mean(value, Some(half_width));
        assert_eq!(shown(10_613.37, 32.44), "10,613 ± 32");
        assert_eq!(shown(0.089_143, 0.000_121), "0.08914 ± 0.00012");
        assert_eq!(shown(163.0, 0.5), "163.00 ± 0.50");
        assert_eq!(shown(163.2, 0.096), "163.200 ± 0.096");
        assert_eq!(shown(163.2, 0.0999), "163.20 ± 0.10");
        assert_eq!(shown(12.34, 1234.5), "12 ± 1,234");
        assert_eq!(shown(163.24, 1e-9), "163 ± 1.0e-9");
        assert_eq!(shown(0.0, 0.5), "0.00 ± 0.50");
        assert_eq!(shown(11_171.4, 0.0), "11,200 ± 0");
        assert_eq!(mean(11_171.4, None), "11,200 ± –");
    }

    #[test]
    fn a_mean_latency_and_its_interval_share_a_unit() {
        let half = Spread {
            values: Vec::new(),
            stddev: None,
            ci95_half_width: Some(0.000_31),
            depends_on_seed: true,
        };
        assert_eq!(
            simulated_latency_ms(0.085_312, Some(&half)),
            "85.31 ± 0.31 µs"
        );
        assert_eq!(simulated_latency_ms(0.085_312, None), "85.3 µs");
    }

    #[test]
    fn latencies_choose_their_unit() {
        assert_eq!(latency_ns(85_312.0), "85.3 µs");
        assert_eq!(latency_ns(991_000_000.0), "991 ms");
        assert_eq!(latency_ns(1.52e10), "15.2 s");
    }

    #[test]
    fn a_published_value_keeps_its_digits_and_qualifier() {
        assert_eq!(published("11171", "eq"), "11,171");
        assert_eq!(published("0.360", "approx"), "≈ 0.360");
        assert_eq!(published("lots", "qualitative"), "“lots”");
        assert_eq!(published("210", "ambiguous-state"), "210 (?)");
    }

    #[test]
    fn a_unit_stays_with_its_number() {
        assert_eq!(
            keep_units("a 64 GB drive, 100 ms."),
            "a 64\u{a0}GB drive, 100\u{a0}ms."
        );
        assert_eq!(keep_units("3 steps"), "3 steps");
    }

    #[test]
    fn an_error_shows_its_direction() {
        assert_eq!(signed_error(0.021, "100", Some(102.1)), "+2.1 %");
        assert_eq!(signed_error(0.12, "100", Some(88.7)), "−11 %");
        assert_eq!(signed_error(0.478, "573", Some(355.0)), "−38 %");
        assert_eq!(signed_error(0.0, "100", Some(100.0)), "0 %");
    }

    #[test]
    fn an_error_past_half_and_double_is_a_factor() {
        let of = |published: f64, simulated: f64| {
            let error = (simulated / published).ln().abs();
            signed_error(error, &published.to_string(), Some(simulated))
        };
        assert_eq!(of(573.0, 208.0), "×0.363");
        assert_eq!(of(208.0, 573.0), "×2.75");
        assert_eq!(of(100.0, 199.0), "+99 %");
        assert_eq!(of(100.0, 51.0), "−49 %");
        assert_eq!(error(0.046), "4.7 %");
        assert_eq!(error(1.11), "a factor of 3.03");
    }
}

//! Figures as the page of claims prints them, and the comparisons of lists of them.
//!
//! Tolerances are those of the claim's own words: "equal" is within the noise of a run, "about" a
//! fifth or a quarter, and an order has no tolerance but that noise.

/// Numbers, one after the other.
pub fn row(values: &[f64]) -> String {
    let all: Vec<String> = values.iter().map(|&value| short(value)).collect();
    all.join(", ")
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

/// Returns `true` if `value` is within a share of `target`.
pub fn near(value: f64, target: f64, share: f64) -> bool {
    (value / target - 1.0).abs() <= share
}

/// Returns `true` if every value is above the next one.
pub fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > pair[1])
}

/// Returns `true` if every value is below the next one.
pub fn rises(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] < pair[1])
}

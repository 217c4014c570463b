//! Statistics of lists of figures; each is no number of none.

/// Returns the smallest of the figures.
#[must_use]
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::min)
}

/// Returns the largest of the figures.
#[must_use]
pub fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// Returns the arithmetic mean of the figures.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation over the mean.
#[must_use]
pub fn scatter(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (squares / values.len() as f64).sqrt() / mean
}

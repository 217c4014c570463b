//! How far a drive's figures are from what was measured.

use crate::target::{Figures, Kind, Place};

/// A figure that was measured beside the model's.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Where it is from.
    pub place: Place,
    /// Its kind.
    pub kind: Kind,
    /// The measured value.
    pub measured: f64,
    /// The model's; none if it gives none.
    pub model: Option<f64>,
}

impl Judged {
    /// The error as a share of what was measured; infinite where the model gives none.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.model
            .map_or(f64::INFINITY, |model| (model / self.measured - 1.0).abs())
    }
}

/// Measured figures of some tests beside the model's.
#[must_use]
pub fn judged(measured: &Figures, model: &Figures, tests: &[String]) -> Vec<Judged> {
    let of_tests = measured
        .iter()
        .filter(|(place, _)| tests.contains(&place.test));
    let judged = of_tests.filter_map(|(place, value)| {
        Some(Judged {
            place: place.clone(),
            kind: Kind::of(&place.metric)?,
            measured: *value,
            model: model.get(place).copied(),
        })
    });
    judged.collect()
}

/// The median of errors; zero without any.
#[must_use]
pub fn median(mut errors: Vec<f64>) -> f64 {
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(0.0)
}

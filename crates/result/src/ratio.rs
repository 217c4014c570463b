//! Ratios of what was written: of nothing there is none, which is 0 here and `null` in a file.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn known(ratio: f64) -> Option<f64> {
    Some(ratio).filter(|ratio| *ratio != 0.0)
}

pub fn serialize<S: Serializer>(ratio: &f64, to: S) -> Result<S::Ok, S::Error> {
    known(*ratio).serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(0.0))
}

/// Serialization of lists of ratios, each as one alone.
pub mod each {
    use super::*;

    pub fn serialize<S: Serializer>(ratios: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(ratios.iter().map(|ratio| known(*ratio)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let all: Vec<Option<f64>> = Vec::deserialize(from)?;
        Ok(all.into_iter().map(Option::unwrap_or_default).collect())
    }
}

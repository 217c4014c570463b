//! Verdicts on figures of runs by what was required of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict on a requirement of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Id of the run, or the name of what was judged.
    pub run: String,
    /// The requirement, as it was typed.
    pub required: String,
    /// The measured value, in words.
    pub measured: String,
    /// Share of the bound that the figure leaves, in percent; below 0 where it goes beyond. Absent without a figure, and
    /// for a bound of 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_pct: Option<f64>,
    /// The finding.
    pub finding: Finding,
}

/// What a requirement was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The figure keeps the bound.
    Met,
    /// The figure does not keep the bound.
    Missed,
    /// The run has no such figure, so nothing can be said.
    Unknown,
}

impl Finding {
    /// The finding on a figure, if there is one, that keeps its bound or does not.
    #[must_use]
    pub fn of(keeps: Option<bool>) -> Finding {
        match keeps {
            Some(true) => Finding::Met,
            Some(false) => Finding::Missed,
            None => Finding::Unknown,
        }
    }

    /// Its word: `met`, `missed` or `unknown`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Finding::Met => "met",
            Finding::Missed => "missed",
            Finding::Unknown => "unknown",
        }
    }
}

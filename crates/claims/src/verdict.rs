//! What became of a claim.

use crate::table::Claim;
use serde::{Deserialize, Serialize};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The runs show what was said.
    Holds,
    /// The runs show something else.
    Fails,
    /// A drive or mechanism is missing, or a run failed.
    Open,
    /// No model of a drive can tell.
    NotForAModel,
}

impl Verdict {
    /// All of them, those that runs decide first.
    pub const ALL: [Verdict; 4] = [
        Verdict::Holds,
        Verdict::Fails,
        Verdict::Open,
        Verdict::NotForAModel,
    ];

    /// In words, as printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Open => "open",
            Verdict::NotForAModel => "not for a model",
        }
    }
}

/// A claim and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// What became of it.
    pub verdict: Verdict,
    /// What was measured, with figures; what is missing; why no model can tell.
    pub measured: String,
    /// What decided it: a drive, what was set in its file, and what ran on it.
    pub runs: Vec<String>,
}

/// How many claims came to what, in a sentence.
#[must_use]
pub fn summary(judged: &[Judged]) -> String {
    let count = |verdict: Verdict| judged.iter().filter(|one| one.verdict == verdict).count();
    let [holds, fails, open, not] = Verdict::ALL.map(count);
    format!(
        "{} claims: {holds} hold, {fails} fail, {open} open, {not} not for a model",
        judged.len()
    )
}

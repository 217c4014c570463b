//! Verdicts on claims, and their names.

use crate::table::Claim;
use serde::{Deserialize, Serialize};

/// The verdict on a claim.
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
    /// The claim that was judged.
    #[serde(flatten)]
    pub claim: Claim,
    /// Judgement of the claim.
    pub verdict: Verdict,
    /// A text with the measured figures, or the reason why there are none.
    pub measured: String,
    /// The runs that decided it: drive, settings and load.
    pub runs: Vec<String>,
}

/// Numbers of claims by verdict, in a sentence.
#[must_use]
pub fn summary(judged: &[Judged]) -> String {
    let count = |verdict: Verdict| judged.iter().filter(|one| one.verdict == verdict).count();
    let [holds, fails, open, not] = Verdict::ALL.map(count);
    let claims = if judged.len() == 1 { "claim" } else { "claims" };
    format!(
        "{} {claims}: {holds} hold, {fails} fail, {open} open, {not} not for a model",
        judged.len()
    )
}

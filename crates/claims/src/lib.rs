//! Statements of the sources that are not a single number, checked by simulation.
//!
//! `reference/claims.csv` has what was said ([`claims`]). `reference/claim-checks.toml` has the check of each:
//! the measurements it needs, comparisons of their figures in the statement's own terms – an order, a ratio, a
//! shape –, and a text with the figures it rests on (`rows.rs`, `comparison.rs`). It lists, too, what no drive
//! model can decide, and what waits for a mechanism or a drive, each with the reason. A test fails for a claim
//! that has neither check nor reason.
//!
//! A measurement that several checks need is made once (`lab.rs`): tests of the reviews and loads of the checks' own by
//! [`ftlab_lab`], and experiments, which do things to drives without time (`experiments/`). A figure that
//! a comparison names is a metric of the run or follows from it (`sample.rs`).
//!
//! Runs alone decide a claim. `xtask docs claims` writes the page of all.

mod comparison;
mod experiments;
mod lab;
mod need;
mod rows;
mod sample;
mod table;
mod verdict;
mod words;

pub use lab::{Checks, Plan};
pub use table::{Claim, claims};
pub use verdict::{Judged, Verdict, summary};

use ftlab_base::Blame;
use ftlab_bench::ask::Ends;
use ftlab_lab::LabError;
use lab::Samples;
use need::Need;
use rows::{check_of, needs_of};
use sample::Sample;
use std::collections::BTreeSet;

/// Reasons for which claims could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// No claim has that id.
    #[error("there is no claim {0}; they are C001 to C270, see docs/claims.md")]
    Unknown(String),
    /// A run that failed.
    #[error(transparent)]
    Run(#[from] LabError),
}

impl Blame for ClaimsError {
    fn is_input(&self) -> bool {
        match self {
            ClaimsError::Unknown(_) => true,
            ClaimsError::Run(error) => error.is_input(),
        }
    }
}

impl Plan {
    /// The cells of it.
    ///
    /// # Errors
    /// An id that is none, or a changed drive that cannot be built.
    pub fn checks(&self) -> Result<Checks, ClaimsError> {
        let all = claims();
        let unknown = |id: &&String| !all.iter().any(|claim| claim.id == **id);
        if let Some(id) = self.ids.iter().find(unknown) {
            return Err(ClaimsError::Unknown(id.clone()));
        }
        let is_asked = |claim: &Claim| {
            let is_named = self.ids.is_empty() || self.ids.contains(&claim.id);
            let is_on = || needs_of(claim).iter().any(|need| self.is_of(need.drive));
            is_named && (self.drives.is_empty() || is_on())
        };
        let claims = all.into_iter().filter(is_asked).collect();
        Ok(Checks::of(self, claims)?)
    }
}

impl Checks {
    /// Returns the verdict on each claim, in the order of the table.
    #[must_use]
    pub fn judged(&self, ends: Ends) -> Vec<Judged> {
        let samples = self.samples(ends);
        let claims = self.claims.iter().cloned();
        claims.map(|claim| judge(claim, &samples)).collect()
    }
}

fn judge(claim: Claim, samples: &Samples) -> Judged {
    let (verdict, measured, runs) = match check_of(&claim.id) {
        None => {
            let (verdict, why) = reason(&claim.id);
            (verdict, why.to_owned(), Vec::new())
        }
        Some(row) => {
            let (verdict, measured) = decide(row, samples);
            (
                verdict,
                measured,
                row.needs.iter().map(Need::label).collect(),
            )
        }
    };
    Judged {
        claim,
        verdict,
        measured,
        runs,
    }
}

/// Judges a check by the samples of its runs.
fn decide(row: &rows::Row, samples: &Samples) -> (Verdict, String) {
    let sample = |need: &Need| match samples.get(&need.key()) {
        Some(sample) => sample.clone(),
        None => Err(format!("{} has no room for it", need.label())),
    };
    let samples: Result<Vec<Sample>, String> = row.needs.iter().map(sample).collect();
    let samples = match samples {
        Ok(samples) => samples,
        Err(why) => return (Verdict::Open, format!("a run failed: {why}")),
    };
    let (holds, measured) = row.judge(&samples);
    let absent: BTreeSet<String> = samples.iter().flat_map(Sample::absent).collect();
    match (absent.into_iter().next(), holds) {
        (Some(absent), _) => (Verdict::Open, format!("no run tells {absent}")),
        (None, true) => (Verdict::Holds, measured),
        (None, false) => (Verdict::Fails, measured),
    }
}

/// Returns the verdict on a claim without a check, and the reason for it.
fn reason(id: &str) -> (Verdict, &'static str) {
    let is_of = |undecided: &&rows::Undecided| undecided.claims.iter().any(|claim| claim == id);
    let undecided = rows::undecided().iter().find(is_of);
    let undecided = undecided.expect("a test looks for claims with neither check nor reason");
    (undecided.verdict, &undecided.why)
}

#[cfg(test)]
mod tests;

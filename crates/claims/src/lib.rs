//! Statements of the sources that are not a single number, checked by simulation.
//!
//! `reference/claims.csv` has what was said. A [`Check`] belongs to one statement: the measurements
//! it needs, and a judgement of them in the statement's own terms – an order, a ratio, a shape – with
//! the figures it rests on. Measurements are shared: what two checks need is run once (`lab.rs`).
//! Checks that are comparisons are rows of `reference/claim-checks.toml` (`rows.rs`, `comparison.rs`), the others
//! are code (`themes/`). Whether a claim holds is decided by runs alone; `undecided.rs` lists what no drive model can
//! decide, and what waits for a mechanism or a drive, each with the reason. A test fails for a claim that has
//! neither check nor reason. `ftlab claims --out docs/claims.md` writes the page of all.

mod check;
mod comparison;
mod experiments;
mod lab;
mod lives;
mod rows;
mod table;
mod themes;
mod undecided;
mod wakings;

pub use check::{AnyCheck, Check, Finding, Need, Sample};
pub use table::{Claim, claims};

use ftlab_base::RootSeed;
use ftlab_bench::review::ReviewError;
use ftlab_drive::DriveFile;
use lab::Lab;
use serde::Serialize;
use std::collections::BTreeSet;

/// What to check.
#[derive(Debug)]
pub struct Plan {
    /// Ids of claims; none for all.
    pub ids: Vec<String>,
    /// Drives that take the place of those of the same slug; when there are any, only claims are
    /// checked that need one of them.
    pub drives: Vec<DriveFile>,
    /// Bytes that drives and their copies may take together.
    pub memory_bytes: u64,
    /// Root of every random stream.
    pub seed: RootSeed,
    /// Measurements at a time; at least 1.
    pub threads: usize,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// Why claims could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// No claim has that id.
    #[error("there is no claim {0}; they are C001 to C270, see docs/claims.md")]
    Unknown(String),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] ReviewError),
}

/// The check of a claim, if there is one.
#[must_use]
pub fn check_of(id: &str) -> Option<AnyCheck> {
    themes::all().find(|check| check.id() == id)
}

/// Checks claims, in the order of the table. `progress` hears of
/// measurements done, of all, and of the one just done.
///
/// # Errors
/// An id that is none, or a changed drive that cannot be built.
pub fn check(
    plan: &Plan,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Vec<Judged>, ClaimsError> {
    let all = claims();
    let unknown = |id: &&String| !all.iter().any(|claim| claim.id == **id);
    if let Some(id) = plan.ids.iter().find(unknown) {
        return Err(ClaimsError::Unknown(id.clone()));
    }
    let asked = |claim: &Claim| plan.ids.is_empty() || plan.ids.contains(&claim.id);
    let on_drives = |claim: &Claim| {
        let needs = || check_of(&claim.id).map_or(&[][..], AnyCheck::needs);
        let is_on = |file: &DriveFile| needs().iter().any(|need| names(need.drive, file));
        plan.drives.is_empty() || plan.drives.iter().any(is_on)
    };
    let asked: Vec<Claim> = all
        .into_iter()
        .filter(|claim| asked(claim) && on_drives(claim))
        .collect();
    let mut lab = Lab::new(plan);
    for check in asked.iter().filter_map(|claim| check_of(&claim.id)) {
        lab.ask(check.needs())?;
    }
    lab.measure(progress)?;
    Ok(asked.into_iter().map(|claim| judge(claim, &lab)).collect())
}

/// Whether a file is what a check calls `name`.
fn names(name: &str, file: &DriveFile) -> bool {
    file.slug() == name || file.aliases().iter().any(|alias| alias == name)
}

fn judge(claim: Claim, lab: &Lab<'_>) -> Judged {
    let Some(check) = check_of(&claim.id) else {
        let (verdict, why) = undecided::reason(&claim.id);
        return Judged {
            claim,
            verdict,
            measured: why.to_owned(),
            runs: Vec::new(),
        };
    };
    let runs: Vec<String> = check.needs().iter().map(Need::label).collect();
    let samples: Result<Vec<Sample>, String> =
        check.needs().iter().map(|need| lab.sample(need)).collect();
    let samples = match samples {
        Ok(samples) => samples,
        Err(why) => {
            return Judged {
                claim,
                verdict: Verdict::Open,
                measured: format!("a run failed: {why}"),
                runs,
            };
        }
    };
    let finding = check.finding(&samples);
    let absent: BTreeSet<String> = samples.iter().flat_map(Sample::absent).collect();
    let (verdict, measured) = match (absent.into_iter().next(), finding.holds) {
        (Some(absent), _) => (Verdict::Open, format!("no run tells {absent}")),
        (None, true) => (Verdict::Holds, finding.measured),
        (None, false) => (Verdict::Fails, finding.measured),
    };
    Judged {
        claim,
        verdict,
        measured,
        runs,
    }
}

#[cfg(test)]
mod tests;

//! ftlab's answer: a review of one test, in a process of its own, as what that takes is measured.

use super::question::{Question, SUITE};
use super::{Own, SHRINK_TO, process};
use anyhow::{Context, Result, bail};
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Test};
use ftlab_drive::Catalog;
use ftlab_lab::{Lab, Subject};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// No test takes as long.
const LIMIT: Duration = Duration::from_secs(3600);

#[derive(Debug, Args)]
pub struct OwnOptions {
    /// A drive
    drive: String,
    /// A test of the suite
    test: String,
    /// File for the figures
    out: PathBuf,
}

/// Reviews one test of a drive as `ftlab review` does, on one core.
pub fn review_one(options: &OwnOptions) -> Result<()> {
    let drive = Catalog::default().load(&options.drive, &[])?;
    let drives = Subject::fit(vec![Subject::from(drive)], Some(SHRINK_TO))?;
    let suite = suites::named(SUITE).map_err(anyhow::Error::msg)?;
    let tests: Vec<Test> = suite
        .tests()
        .filter(|test| test.step.slug == options.test)
        .collect();
    if tests.is_empty() {
        bail!("{} is no test of the suite {SUITE}", options.test);
    }
    let review = Review::of(drives, tests, RootSeed(1));
    let lab = Lab::new(1, crate::plan::MEMORY_BYTES)?;
    let results = review.results(&lab, &|_, _| Ok(()))?;
    let text = serde_json::to_string(&results.figures)?;
    std::fs::write(&options.out, text)
        .with_context(|| format!("cannot write {}", options.out.display()))
}

/// Asks ftlab.
pub fn ask(question: &Question) -> Result<Own> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("figures.json");
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([
            "docs",
            "peers-own",
            question.drive.slug(),
            &question.test.step.slug,
        ])
        .arg(&out);
    let ended = process::run(&mut command, folder.path(), (LIMIT, LIMIT))?;
    if !ended.status.success() {
        bail!(
            "{} {}: {}",
            question.drive.slug(),
            question.test.step.slug,
            ended.printed
        );
    }
    let mut figures: Vec<ftlab_result::Figure> =
        serde_json::from_str(&std::fs::read_to_string(&out)?)?;
    figures.retain(|figure| {
        figure.test == question.test.step.slug && figure.model == question.drive.slug()
    });
    Ok(Own {
        figures,
        took: ended.took,
    })
}

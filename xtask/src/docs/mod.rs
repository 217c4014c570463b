//! Pages of `docs/` that say what the model is worth: drawn from runs, nothing on them typed in.

mod accuracy;
mod cards;
mod claims;
mod fit;
mod predictions;
mod theory;

pub use predictions::Kept;

use crate::peers;
use crate::plan::{MEMORY_BYTES, threads};
use anyhow::{Context, Result};
use clap::Subcommand;
use ftlab_lab::Lab;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub enum Page {
    /// Write docs/accuracy.md, and what README.md, docs/how-accurate.md and reference/standing.csv say of it
    Accuracy {
        /// A review of all drives and tests (`ftlab review --all --out DIR`)
        review: PathBuf,
    },
    /// Write docs/cards/: what other programs read of ten drives, and how far each form is off
    Cards,
    /// Write docs/claims.md: every claim of the sources with its verdict
    Claims,
    /// Write the page of fits: what was found of hidden drives, and how far fits of public ones are off
    Fit(fit::Options),
    /// Write docs/peers.md: ftlab beside other simulators, of which MQSIM is the path of MQSim's program
    Peers(peers::Options),
    /// Review one test of a drive, for `peers` to measure
    #[command(hide = true)]
    PeersOwn(peers::OwnOptions),
    /// Write docs/predictions.md and what docs/accuracy.md says of it, and seal what was predicted
    Predictions,
    /// Write docs/theory.md and its charts: simulated write amplification beside its closed forms
    Theory,
}

pub fn command(page: &Page) -> Result<()> {
    match page {
        Page::Accuracy { review } => accuracy::draw(review),
        Page::Cards => cards::draw(),
        Page::Claims => claims::draw(),
        Page::Fit(options) => fit::draw(options),
        Page::Peers(options) => peers::draw(options),
        Page::PeersOwn(options) => peers::review_one(options),
        Page::Predictions => predictions::draw(),
        Page::Theory => theory::draw(),
    }
}

/// The path of a file of the repository.
pub fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

pub fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(place(path)).with_context(|| format!("cannot read {path}"))
}

/// Writes a file of the repository, and says so.
pub fn write(path: &str, text: &str) -> Result<()> {
    let place = place(path);
    let folder = place.parent().context("it is a path of a file")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make a folder for {path}"))?;
    std::fs::write(place, text).with_context(|| format!("cannot write {path}"))?;
    println!("{path}");
    Ok(())
}

/// A lab with all cores.
pub fn lab() -> Result<Lab> {
    Ok(Lab::new(threads(None), MEMORY_BYTES)?)
}

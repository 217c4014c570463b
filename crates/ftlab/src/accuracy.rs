//! `ftlab accuracy`: how near a review's figures are to the published ones.

use crate::failure::Outcome;
use crate::files::NewFile;
use crate::{results, screen};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab review --all --out out/all
  ftlab accuracy out/all
  ftlab accuracy out/all --out docs/accuracy.md")]
pub struct Options {
    /// What `ftlab review` wrote: its directory, or the results.json in it
    results: PathBuf,
    /// Write the page here instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn command(options: &Options) -> Outcome {
    let out = options.out.as_deref();
    let out = out.map(|path| NewFile::ready(path, "--out")).transpose()?;
    let set = results::read(&options.results)?;
    let page = ftlab_report::accuracy::render(&set);
    match out {
        Some(file) => file.write(page.as_bytes()),
        None => screen::print(&page),
    }
}

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
  ftlab accuracy out/all --out docs/accuracy.md --standing reference/standing.csv")]
pub struct Options {
    /// What `ftlab review` wrote: its directory, or the results.json in it
    results: PathBuf,
    /// Write the page here instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write here, as CSV, what stands behind each drive: what `ftlab drives` tells of them
    #[arg(long, value_name = "FILE")]
    standing: Option<PathBuf>,
}

pub fn command(options: &Options) -> Outcome {
    let ready = |path: &Option<PathBuf>, option| {
        let path = path.as_deref();
        path.map(|path| NewFile::ready(path, option)).transpose()
    };
    let out = ready(&options.out, "--out")?;
    let standing = ready(&options.standing, "--standing")?;
    let set = results::read(&options.results)?;
    if let Some(file) = standing {
        file.write(ftlab_report::accuracy::standing(&set).as_bytes())?;
    }
    let page = ftlab_report::accuracy::render(&set);
    match out {
        Some(file) => file.write(page.as_bytes()),
        None => screen::print(&page),
    }
}

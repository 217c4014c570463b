//! `ftlab theory`: write amplification simulated and by its closed forms, as a page with charts.

mod chart;
mod page;
#[cfg(test)]
mod tests;

use crate::failure::{Failure, Outcome};
use crate::files::Folder;
use crate::options::{SEED, Work};
use crate::screen;
use clap::Args;
use ftlab_bench::lab::Lab;
use ftlab_bench::theory::{self, Point};
use std::path::{Path, PathBuf};

/// The page's name in a directory that is given as such.
const PAGE: &str = "theory.md";
/// Where the charts lie, from the page.
const IMAGES: &str = "images";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab theory                               every case; some minutes
  ftlab theory --quick --out out/theory      a few of them
  ftlab theory --out docs/theory.md          a page of that name, the charts in docs/images")]
pub struct Options {
    /// Few cases, in a fraction of the time
    #[arg(long)]
    quick: bool,
    /// The page, a path that ends with .md, or a directory for theory.md; charts go to images/ beside
    #[arg(long, value_name = "FILE.md|DIR", default_value = "ftlab-theory")]
    out: PathBuf,
    #[command(flatten)]
    work: Work,
}

pub fn command(options: &Options) -> Outcome {
    let (folder, name) = place(&options.out)?;
    let points = points(options)?;
    let (charts, seed) = (chart::draw_all(&points), options.work.seed);
    let text = page::render(&points, &typed(options.quick, seed));
    let mut files = vec![(name.clone(), text)];
    files.extend(
        charts
            .into_iter()
            .map(|chart| (in_images(chart.file), chart.svg)),
    );
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    folder.write(&files)?;
    let (page, summary) = (folder.join(&name), page::summary(&points));
    screen::print(&format!("{summary}\nPage: {}\n", page.display()))
}

/// The folder to write into and the page's name in it.
fn place(out: &Path) -> Result<(Folder, String), Failure> {
    let is_page = out.extension().is_some_and(|extension| extension == "md");
    let (folder, name) = match (is_page, out.file_name().and_then(|name| name.to_str())) {
        (true, Some(name)) if !out.is_dir() => (out.parent().unwrap_or(Path::new("")), name),
        _ => (out, PAGE),
    };
    // A bare name has an empty parent: the directory the program runs in.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    Folder::ready(&folder.join(IMAGES))?;
    let folder = Folder::ready(folder)?;
    folder.check(&[name])?;
    Ok((folder, name.to_owned()))
}

fn in_images(file: &str) -> String {
    format!("{IMAGES}/{file}")
}

fn points(options: &Options) -> Result<Vec<Point>, Failure> {
    let cases = if options.quick {
        theory::quick_cases()
    } else {
        theory::cases()
    };
    let lab = Lab::new(
        options.work.machine.threads(),
        options.work.machine.memory_bytes(),
    );
    let lab = lab.map_err(|error| Failure::Running(error.to_string()))?;
    let progress = options.work.signs.bar();
    let report = |done, total| progress.set(done, total, "cases");
    let points = theory::sweep(&lab, &cases, theory::PAGES, options.work.root(), &report)?;
    Ok(points.into_iter().map(page::as_printed).collect())
}

/// The command that draws the page again.
fn typed(quick: bool, seed: u64) -> String {
    let mut command = "ftlab theory".to_owned();
    if quick {
        command += " --quick";
    }
    if seed != SEED {
        command += &format!(" --seed {seed}");
    }
    command
}

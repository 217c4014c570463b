//! Write amplification of simulated drives beside its closed forms, as a page with charts: the same policies, loads, spare
//! areas and block sizes in both.
//!
//! A case runs as a user would run it: the generic drive with a few numbers of its file set, a job file, no clock.

mod case;
mod chart;
mod page;
mod runs;
#[cfg(test)]
mod tests;

use super::lab;
use anyhow::Result;
use ftlab_base::RootSeed;

/// The page, and where its charts lie from it.
const PAGE: &str = "docs/theory.md";
const IMAGES: &str = "images";

/// The path of a chart from the page.
fn image(file: &str) -> String {
    format!("{IMAGES}/{file}")
}

/// Simulates every case and writes the page and its charts; takes some minutes.
pub fn draw() -> Result<()> {
    let points = runs::simulated(&lab()?, &case::cases(), case::PAGES, RootSeed(1))?;
    let points: Vec<_> = points.into_iter().map(page::as_printed).collect();
    for chart in chart::draw_all(&points) {
        super::write(&format!("docs/{}", image(chart.file)), &chart.svg)?;
    }
    super::write(PAGE, &page::render(&points))?;
    println!("{}", page::summary(&points));
    Ok(())
}

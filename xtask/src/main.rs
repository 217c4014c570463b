//! Tools for whoever works on ftlab itself.

mod calibrate;
mod cross_validate;
mod docs;
mod family;
mod fits;
mod licences;
mod lines;
mod numbers;
mod peers;
mod plan;
mod release_notes;
mod residuals;
mod results;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "Tools for whoever works on ftlab itself")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Fit the numbers of drive files that are marked `fitted` to their published figures
    Calibrate(calibrate::Options),
    /// Predict each published figure by numbers that were fitted without the test it is from
    CrossValidate(cross_validate::Options),
    /// Measure and fit drives whose numbers the fit does not know, by their seeds
    Hidden(fits::HiddenOptions),
    /// Fit drives of which others published many figures to half of them, and judge by the other half
    Public(fits::PublicOptions),
    /// Draw a page of docs/ that says what the model is worth
    #[command(subcommand)]
    Docs(docs::Page),
    /// Write reference/residuals.csv: what predictions are off by on drives that are known
    Residuals,
    /// Write the licences of the libraries that are linked into ftlab
    Licences(licences::Options),
    /// Write the notes of a release: what CHANGELOG.md says of this version
    ReleaseNotes(release_notes::Options),
    /// Count the lines of code, by crate
    Lines(lines::Options),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Task::Calibrate(options) => calibrate::command(&options),
        Task::CrossValidate(options) => cross_validate::command(&options),
        Task::Hidden(options) => fits::hidden(&options),
        Task::Public(options) => fits::public(&options),
        Task::Docs(page) => docs::command(&page),
        Task::Residuals => residuals::command(),
        Task::Licences(options) => licences::command(&options),
        Task::ReleaseNotes(options) => release_notes::command(&options),
        Task::Lines(options) => lines::command(&options),
    }
}

//! Fits the numbers of drive files that are marked `fitted` to the published figures of the drives.
//!
//! A fit is the smallest sum of what errors |ln(simulated / published)| cost over everything that
//! drives answer, found by the Nelder–Mead method over the logarithms of the numbers. Drives given
//! together share the numbers that their files take from the same place.

mod errors;
mod fit;
mod judge;
mod sensitivity;
mod write;

use crate::family::Families;
use crate::numbers::{self, Number};
use anyhow::{Context, Result, bail};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use errors::{Reviewer, Weighed};
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo run --release -p xtask -- calibrate ocz-core-jmf602 --evaluations 0
  cargo run --release -p xtask -- calibrate intel-x25-m-g2-80 intel-x25-m-g2-160 --write")]
pub struct Options {
    /// Drives of `ftlab drives`
    #[arg(required = true)]
    drives: Vec<String>,
    /// Fit only these of the fitted numbers, for example nand.channel_rate; may be repeated
    #[arg(long = "only", value_name = "KEY")]
    only: Vec<String>,
    /// Reviews to try, beside those that the first simplex takes; 0 only shows where the files stand
    #[arg(long, default_value_t = 60)]
    evaluations: u64,
    /// Write the fit into the files, unless it worsens figures of the family that no number was fitted to
    #[arg(long)]
    write: bool,
    /// Leave out the table that says which figure pins which number
    #[arg(long)]
    no_sensitivity: bool,
    /// Root of every random stream
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Jobs at a time; by default as many as there are cores
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub fn command(options: &Options) -> Result<()> {
    let reviewer = Reviewer::new(options.seed, options.jobs);
    let numbers = numbers::fitted(&options.drives, &options.only)?;
    let start: Vec<f64> = numbers.iter().map(|number| number.value).collect();
    let before = reviewer.errors(&numbers, &start, &options.drives)?;
    if before.is_empty() {
        bail!(
            "no published figure is answered by {}",
            options.drives.join(", ")
        );
    }
    let found = if options.evaluations == 0 || numbers.is_empty() {
        start.clone()
    } else {
        let price = |values: &[f64]| {
            let errors = reviewer.errors(&numbers, values, &options.drives)?;
            Ok(errors::sum(&errors))
        };
        fit::fit(&numbers, &price, options.evaluations)?
    };
    let after = reviewer.errors(&numbers, &found, &options.drives)?;
    println!("{}", figures("id", &before, &after));
    println!("{}", fits(&numbers, &found));
    println!("{}", summary(&options.drives, &numbers, &before, &after));
    if !options.no_sensitivity && !numbers.is_empty() {
        println!(
            "{}",
            sensitivity::table(&reviewer, &numbers, &found, &options.drives)?
        );
    }
    // Figures that the fit has not seen decide if it is more than a better guess at those that it has.
    if options.write {
        let families = Families::load()?;
        let siblings = families.siblings(&options.drives);
        let [before, after] =
            [&start, &found].map(|values| reviewer.unseen(&families, &numbers, values, &siblings));
        let (before, after) = (before?, after?);
        match before.is_empty() {
            true => println!("no unseen figure of the family tells whether the fit is right"),
            false => println!("{}", figures("unseen", &before, &after)),
        }
        judge::judge(&before, &after)?;
        for path in write::write(&numbers, &found).context("the fit cannot be written")? {
            println!("written: {}", path.display());
        }
    }
    Ok(())
}

fn table<const N: usize>(header: [&str; N], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Every figure, below a heading for their ids: published, before and after the fit.
fn figures(id: &str, before: &[Weighed], after: &[Weighed]) -> Table {
    let header = [
        id,
        "drive",
        "test",
        "metric",
        "published",
        "before",
        "after",
        "error",
        "verdict",
    ];
    let mut table = table(header, &[4, 5, 6, 7]);
    // Figures without a ratio have a row as well, with an empty error.
    for (before, after) in before.iter().zip(after) {
        let figure = &after.figure;
        let simulated = |weighed: &Weighed| {
            let value = weighed.figure.simulated;
            value.map_or_else(|| "–".to_owned(), numbers::short)
        };
        let signed = after
            .ratio
            .map(|ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0));
        table.add_row([
            figure.id.clone(),
            figure.model.clone(),
            figure.test.clone(),
            figure.metric.clone(),
            format!("{} {}", figure.qualifier, figure.published),
            simulated(before),
            simulated(after),
            signed.unwrap_or_default(),
            format!("{:?}", figure.verdict).to_lowercase(),
        ]);
    }
    table
}

/// Every number that was fitted.
fn fits(numbers: &[Number], found: &[f64]) -> Table {
    let mut table = table(["number", "drives", "before", "after", "unit"], &[2, 3]);
    for (number, &value) in numbers.iter().zip(found) {
        table.add_row([
            number.key.clone(),
            number.drives.join(", "),
            numbers::short(number.value),
            numbers::short(number.written(value)),
            number.unit.clone(),
        ]);
    }
    table
}

/// Counts numbers and the figures that they stand against, and sums the errors up.
fn summary(drives: &[String], numbers: &[Number], before: &[Weighed], after: &[Weighed]) -> String {
    let mut lines = String::new();
    for drive in drives {
        let is_its_own = |weighed: &&Weighed| weighed.figure.model == *drive;
        let count = after.iter().filter(is_its_own).count();
        let fitted = numbers
            .iter()
            .filter(|number| number.drives.contains(drive));
        let is_shared = |number: &&Number| number.is_of_base || number.drives.len() > 1;
        let (shared, own): (Vec<_>, Vec<_>) = fitted.partition(is_shared);
        lines += &format!(
            "{drive}: {} fitted numbers of its own and {} shared, against {count} figures\n",
            own.len(),
            shared.len()
        );
    }
    lines
        + &format!(
            "sum of what errors cost: {:.4} before, {:.4} after",
            errors::sum(before),
            errors::sum(after)
        )
}

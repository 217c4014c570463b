//! Predictions beside what was published, as a page and as a section of the page about accuracy.

mod kept;
#[cfg(test)]
mod tests;

pub use kept::Kept;
use kept::{Compared, Published};

use super::write;
use anyhow::Result;
use std::fmt::Write as _;

const PAGE: &str = "docs/predictions.md";
const SEALS: &str = "predictions/seals.csv";

/// Between these stands the section of docs/accuracy.md.
pub const MARKS: [&str; 2] = ["<!-- predictions -->", "<!-- /predictions -->"];

/// The share of published values that ranges are meant to hold, in percent.
const MEANT: [f64; 2] = [70.0, 90.0];

const HEAD: &str = "\
# Predictions

What the model said of drives that it knew by their data sheets, before a figure of theirs was read; beside it what was published.
Drawn by

```sh
cargo run --release -p xtask -- docs predictions
```

`ftlab predict` wrote each row to a dated file under `predictions/`, which the history shows before the published value came. A file is
sealed once values stand beside it (`predictions/seals.csv`), and a test fails if it changes. *The range* is that of the middle four fifths
of the members of the drive's class, widened by what the model is off by on drives that are known, of the same class and kind
(`reference/residuals.csv`). *Error* is that of the middle member. Published values are facts from printed reviews and data sheets
(`predictions/published.csv`).
";

/// Writes the page and the section, and seals the files that are new.
pub fn draw() -> Result<()> {
    let kept = Kept::read()?;
    write(SEALS, &kept.seals_text())?;
    write(PAGE, &kept.page())?;
    super::accuracy::put_predictions(&kept.section())
}

/// Counts of some predictions.
struct Group {
    predicted: usize,
    compared: usize,
    hits: usize,
    /// |ln(middle / published)|, the smallest first.
    errors: Vec<f64>,
    /// The upper end over the lower, of those that were compared, the smallest first.
    widths: Vec<f64>,
}

impl Group {
    fn of<'a>(rows: impl Iterator<Item = &'a Compared> + Clone) -> Group {
        let compared = rows.clone().filter(|row| row.published.is_some());
        let mut errors: Vec<f64> = compared
            .clone()
            .filter_map(Compared::error)
            .map(f64::abs)
            .collect();
        errors.sort_by(f64::total_cmp);
        let mut widths: Vec<f64> = compared
            .clone()
            .map(|row| row.row.high / row.row.low)
            .collect();
        widths.sort_by(f64::total_cmp);
        Group {
            predicted: rows.count(),
            compared: compared.clone().count(),
            hits: compared.filter(|row| row.is_hit()).count(),
            errors,
            widths,
        }
    }

    /// The share of ranges that hold, in percent.
    fn share(&self) -> f64 {
        100.0 * self.hits as f64 / self.compared as f64
    }

    fn within(&self, factor: f64) -> f64 {
        let near = self.errors.iter().filter(|error| **error <= factor.ln());
        100.0 * near.count() as f64 / self.compared as f64
    }

    /// The cells of a table: predicted, compared, in their ranges, width, median error, within 15 % and × 1.5.
    fn cells(&self) -> String {
        let number = |text: String| {
            if self.compared == 0 {
                "–".to_owned()
            } else {
                text
            }
        };
        let median = |of: &[f64]| ftlab_result::median(of).unwrap_or(f64::NAN);
        format!(
            "{} | {} | {} | {} | {} | {} | {} |",
            self.predicted,
            self.compared,
            number(format!("{} ({:.0} %)", self.hits, self.share())),
            number(format!("× {:.2}", median(&self.widths))),
            number(ftlab_report::error(median(&self.errors))),
            number(format!("{:.0} %", self.within(1.15))),
            number(format!("{:.0} %", self.within(1.5))),
        )
    }
}

const COLUMNS: &str = "predicted | compared | in their ranges | width of a range | median error | within 15 % | within × 1.5 |";
const ALIGNED: &str = "--:|--:|--:|--:|--:|--:|--:|";

impl Kept {
    fn groups(&self, called: &str, of: fn(&Compared) -> &str) -> String {
        let mut names: Vec<&str> = self.rows.iter().map(of).collect();
        names.sort_unstable();
        names.dedup();
        let mut text = format!("| {called} | {COLUMNS}\n|---|{ALIGNED}\n");
        for name in names {
            let group = Group::of(self.rows.iter().filter(|row| of(row) == name));
            writeln!(text, "| {name} | {}", group.cells()).expect("it is a string");
        }
        text
    }

    /// All of it in a sentence or two.
    fn in_short(&self) -> String {
        let all = Group::of(self.rows.iter());
        let [least, most] = MEANT;
        let mut text = format!(
            "{} figures of {} drives were predicted; {} of them have been compared.",
            all.predicted,
            self.drives(),
            all.compared
        );
        if all.compared > 0 {
            let median = ftlab_result::median(&all.errors).unwrap_or(f64::NAN);
            write!(
                text,
                " {} lie in their ranges ({:.0} %, meant are {least:.0} to {most:.0} %); the middle member is off by {} in the median.",
                all.hits,
                all.share(),
                ftlab_report::error(median)
            )
            .expect("it is a string");
        }
        text
    }

    /// The section of the page about accuracy.
    pub fn section(&self) -> String {
        let [begin, end] = MARKS;
        format!(
            "\n{begin}\n## Predictions\n\n{} Every row stands in [predictions](predictions.md).\n\n{}\n{}\n{}\n{end}\n",
            self.in_short(),
            self.groups("round", |row| &row.round),
            self.groups("kind", |row| &row.row.kind),
            self.groups("drive", |row| &row.row.drive),
        )
    }

    /// The page.
    fn page(&self) -> String {
        let mut text = format!("{HEAD}\n{}\n", self.in_short());
        if !self.notes.is_empty() {
            write!(text, "\n{}\n", self.notes.trim_end()).expect("it is a string");
        }
        write!(
            text,
            "\n## By round\n\n{}\n## By kind\n\n{}\n## By drive\n\n{}",
            self.groups("round", |row| &row.round),
            self.groups("kind", |row| &row.row.kind),
            self.groups("drive", |row| &row.row.drive),
        )
        .expect("it is a string");
        for round in self.rounds() {
            text += &self.round(&round);
        }
        text
    }

    fn round(&self, round: &str) -> String {
        let mut text = format!(
            "\n## Every prediction: {round}\n\n| drive | test | metric | predicted on | middle | range | published | error | in its range | source |\n\
             |---|---|---|---|--:|--:|--:|--:|---|---|\n"
        );
        for compared in self.rows.iter().filter(|row| row.round == round) {
            let row = &compared.row;
            let seen = if row.input_shows {
                ", on the page of the input"
            } else {
                ""
            };
            let beside = compared.published.as_ref().map_or_else(
                || "– |  |  |  |".to_owned(),
                |published| beside(compared, published),
            );
            writeln!(
                text,
                "| `{}` | {}, {} | {}{seen} | {} | {} {} | {} to {} | {beside}",
                row.drive,
                row.test,
                row.state,
                row.metric,
                row.date,
                ftlab_report::number(row.middle),
                row.unit,
                ftlab_report::number(row.low),
                ftlab_report::number(row.high),
            )
            .expect("it is a string");
        }
        text
    }
}

/// The cells of what was published.
fn beside(compared: &Compared, published: &Published) -> String {
    let error = compared.error().unwrap_or(f64::NAN);
    let signed = 100.0 * (error.exp() - 1.0);
    let hit = if compared.is_hit() { "yes" } else { "**no**" };
    let source = published.source.replace('|', "\\|");
    let source = match published.url.as_str() {
        "" => source,
        url => format!("[{source}]({url})"),
    };
    let note = match published.note.as_str() {
        "" => String::new(),
        note => format!("; {}", note.replace('|', "\\|")),
    };
    format!(
        "{} | {signed:+.0} % | {hit} | {source}{note} |",
        ftlab_report::number(published.published)
    )
}

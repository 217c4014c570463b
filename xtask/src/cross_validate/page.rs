//! The page and the table that say what was found.

use super::LeftOut;
use super::figures::Alone;
use crate::numbers::Number;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The errors up to which a figure counts as met, and as told roughly: factors.
const NEAR: f64 = 1.15;
const ROUGHLY: f64 = 1.3;

/// The number of worst figures that are shown.
const WORST: usize = 10;

pub struct Found<'a> {
    pub left_out: &'a [LeftOut],
    /// The lesson of a figure, by its id.
    pub lessons: &'a BTreeMap<String, String>,
    /// The number of numbers that were fitted anew.
    pub numbers: usize,
    pub choices: &'a [Number],
    pub alone: &'a [Alone],
}

const HEAD: &str = "\
# Cross-validation

What the model says of a published figure if its numbers were fitted without the test that the figure is from. Drawn by

```sh
cargo run --release -p xtask -- cross-validate --review out/all
```

Every test of every drive is left out in turn. What is left are the figures of all other tests and what makers announce;
all numbers that were worked out from figures of tests are fitted anew to them, those of a controller for all its
drives together, and the result predicts the test that was left out. A number that nothing else pins becomes what drives of
other controllers have in its place, the median of them: the best guess of somebody who had not seen the figure. Where
nothing has one, the figure is not predicted, and counts as missed.

A refit is made with slopes: each number is moved by a tenth, the tests of its drives run again, and d ln(figure) /
d ln(number) is taken from that. Least squares over logarithms, in which an error past 15 % weighs less the larger it is,
then give the numbers; none goes farther than its confidence allows. The tests whose figures moved the farthest are
checked by runs with the numbers so found.

What it does not say: choices are not made again (whether planes program together, how many log blocks there are), nor
are mechanisms, nor the amounts in the scripts of programs and traces, many of which were fitted to figures, too. The
error of programs is therefore flattered.
";

/// A share of the whole, a factor, or none.
fn told(error: Option<f64>) -> String {
    match error.map(f64::exp) {
        None => "not predicted".to_owned(),
        Some(factor) if factor > 2.0 => format!("× {factor:.1}"),
        Some(factor) => format!("{:.1} %", (factor - 1.0) * 100.0),
    }
}

/// Of errors, of which those that are none are larger than any.
struct Errors(Vec<Option<f64>>);

impl Errors {
    fn of<'a>(
        figures: impl Iterator<Item = &'a LeftOut>,
        error: fn(&LeftOut) -> Option<f64>,
    ) -> Errors {
        let mut errors: Vec<Option<f64>> = figures.map(error).collect();
        errors.sort_by(|a, b| size(*a).total_cmp(&size(*b)));
        Errors(errors)
    }

    fn median(&self) -> String {
        let n = self.0.len();
        if n == 0 {
            return "–".to_owned();
        }
        let middle = [self.0[(n - 1) / 2], self.0[n / 2]];
        let mean = middle[0].zip(middle[1]).map(|(a, b)| f64::midpoint(a, b));
        told(mean)
    }

    fn within(&self, factor: f64) -> String {
        let near = self.0.iter().filter(|&&error| size(error) <= factor.ln());
        match self.0.len() {
            0 => "–".to_owned(),
            all => format!("{:.0} %", 100.0 * near.count() as f64 / all as f64),
        }
    }
}

fn size(error: Option<f64>) -> f64 {
    error.unwrap_or(f64::INFINITY)
}

fn cells(name: &str, figures: &[&LeftOut]) -> String {
    let fitted = Errors::of(figures.iter().copied(), |f| Some(f.error_as_it_is()));
    let left_out = Errors::of(figures.iter().copied(), LeftOut::error);
    format!(
        "| {name} | {} | {} | {} | {} | {} |\n",
        figures.len(),
        fitted.median(),
        left_out.median(),
        left_out.within(NEAR),
        left_out.within(ROUGHLY),
    )
}

const COLUMNS: &str = "figures | as fitted, median | left out, median | within 15 % | within 30 % |\n|---|--:|--:|--:|--:|--:|\n";

fn grouped(page: &mut String, by: &str, figures: &[LeftOut], name: fn(&LeftOut) -> &str) {
    let mut groups: BTreeMap<&str, Vec<&LeftOut>> = BTreeMap::new();
    for figure in figures {
        groups.entry(name(figure)).or_default().push(figure);
    }
    write!(page, "\n## By {by}\n\n| {by} | {COLUMNS}").expect("to a string");
    for (name, figures) in groups {
        page.push_str(&cells(name, &figures));
    }
}

/// Renders the page as Markdown.
pub fn render(found: &Found<'_>) -> String {
    let figures = found.left_out;
    let mut page = HEAD.to_owned();
    let mut add = |text: String| page.push_str(&text);
    add(format!(
        "\n{} numbers were fitted anew, without each of the tests of {} scored figures.\n\n| | {COLUMNS}",
        found.numbers,
        figures.len()
    ));
    add(cells("all", &figures.iter().collect::<Vec<_>>()));
    grouped(&mut page, "family", figures, |figure| &figure.family);
    grouped(&mut page, "kind of test", figures, |figure| figure.kind);
    worst(&mut page, found);
    checks(&mut page, figures);
    alone(&mut page, found.alone);
    choices(&mut page, found.choices);
    page
}

fn worst(page: &mut String, found: &Found<'_>) {
    let mut worst: Vec<&LeftOut> = found.left_out.iter().collect();
    worst.sort_by(|a, b| size(b.error()).total_cmp(&size(a.error())));
    page.push_str(
        "\n## The worst\n\n| id | drive | published | as fitted | left out | error | what it teaches |\n\
         |---|---|--:|--:|--:|--:|---|\n",
    );
    for figure in worst.into_iter().take(WORST) {
        let lesson = found
            .lessons
            .get(&figure.id)
            .map_or("not looked into yet", String::as_str);
        writeln!(page, "{} {lesson} |", row(figure)).expect("to a string");
    }
}

/// The cells of a figure.
fn row(figure: &LeftOut) -> String {
    let short = crate::numbers::short;
    let moved = figure.checked.or(figure.moved);
    let predicted = moved.map_or("–".to_owned(), |by| short(figure.simulated * by.exp()));
    format!(
        "| {} | {} | {} | {} | {predicted} | {} |",
        figure.id,
        figure.drive,
        short(figure.published),
        short(figure.simulated),
        told(figure.error()),
    )
}

fn checks(page: &mut String, figures: &[LeftOut]) {
    let checked: Vec<_> = (figures.iter())
        .filter_map(|figure| Some((figure, figure.moved?, figure.checked?)))
        .collect();
    if checked.is_empty() {
        return;
    }
    page.push_str(
        "\n## Checked by full refits\n\nWhat slopes say that the figure becomes, and what runs with the refitted numbers say. \
         The latter counts above.\n\n| id | drive | as fitted | by slopes | by runs |\n|---|---|--:|--:|--:|\n",
    );
    for (figure, by_slopes, by_runs) in checked {
        let [as_fitted, by_slopes, by_runs] =
            [0.0, by_slopes, by_runs].map(|by| crate::numbers::short(figure.simulated * by.exp()));
        let LeftOut { id, drive, .. } = figure;
        writeln!(
            page,
            "| {id} | {drive} | {as_fitted} | {by_slopes} | {by_runs} |"
        )
        .expect("to a string");
    }
}

fn alone(page: &mut String, numbers: &[Alone]) {
    page.push_str(
        "\n## Numbers that one test alone pins\n\nWithout it they are a guess. They explain that test and say nothing beyond \
         it.\n\n| number | drives | test |\n|---|---|---|\n",
    );
    for Alone { number, unit } in numbers {
        let (drive, test) = unit;
        writeln!(
            page,
            "| `{}` | {} | {test} of {drive} |",
            number.key,
            number.drives.join(", ")
        )
        .expect("to a string");
    }
}

fn choices(page: &mut String, numbers: &[Number]) {
    page.push_str(
        "\n## Choices that no refit makes again\n\n| number | drives | from |\n|---|---|---|\n",
    );
    for number in numbers {
        let (drives, from) = (number.drives.join(", "), number.from.join(", "));
        writeln!(page, "| `{}` | {drives} | {from} |", number.key).expect("to a string");
    }
}

/// Each figure in a line, for a look at a part of them.
pub fn figures(figures: &[LeftOut]) -> String {
    let mut text = "| id | drive | published | as fitted | left out | error |\n".to_owned();
    for figure in figures {
        text += &row(figure);
        text.push('\n');
    }
    text
}

/// The table that `docs accuracy` reads.
pub fn csv(figures: &[LeftOut]) -> Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "id",
        "drive",
        "family",
        "kind",
        "published",
        "simulated",
        "predicted",
        "error",
        "full_refit",
    ])?;
    for figure in figures {
        // A full refit is nearer the truth than the linear one, where somebody had the time for it.
        let moved = figure.checked.or(figure.moved);
        let predicted = moved.map(|by| crate::numbers::short(figure.simulated * by.exp()));
        let error = figure.error().map(|error| format!("{error:.4}"));
        table.write_record([
            figure.id.as_str(),
            &figure.drive,
            &figure.family,
            figure.kind,
            &crate::numbers::short(figure.published),
            &crate::numbers::short(figure.simulated),
            &predicted.unwrap_or_default(),
            &error.unwrap_or_default(),
            if figure.checked.is_some() { "yes" } else { "" },
        ])?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

/// Reads the lessons of figures from a table of two columns, `id` and `lesson`.
pub fn lessons(path: &Path) -> Result<BTreeMap<String, String>> {
    let reader = csv::Reader::from_path(path);
    let mut reader = reader.with_context(|| format!("cannot read {}", path.display()))?;
    let rows: Result<BTreeMap<String, String>, csv::Error> = reader.deserialize().collect();
    rows.with_context(|| format!("{} has two columns, id and lesson", path.display()))
}

/// A span of time in words.
pub fn span(seconds: f64) -> String {
    match seconds {
        long if long >= 5400.0 => format!("{:.1} hours", long / 3600.0),
        middling if middling >= 90.0 => format!("{:.0} minutes", middling / 60.0),
        short => format!("{short:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(id: &str, simulated: f64, moved: Option<f64>) -> LeftOut {
        LeftOut {
            id: id.to_owned(),
            drive: "a-drive".to_owned(),
            family: "a-controller".to_owned(),
            kind: "jobs",
            published: 100.0,
            simulated,
            moved,
            checked: None,
        }
    }

    #[test]
    fn what_is_not_predicted_counts_as_missed() {
        let figures = [
            figure("F1", 101.0, Some(0.0)),
            figure("F2", 101.0, Some(0.2)),
            figure("F3", 100.0, None),
        ];
        let all = cells("all", &figures.iter().collect::<Vec<_>>());
        assert_eq!(all, "| all | 3 | 1.0 % | 23.4 % | 33 % | 67 % |\n");
        let most = cells("all", &[&figures[2], &figures[2], &figures[0]]);
        assert!(most.contains("| not predicted | 33 %"), "{most}");
    }

    #[test]
    fn the_worst_come_first_with_what_they_teach_and_a_check_takes_the_place_of_slopes() {
        let mut checked = figure("F1", 100.0, Some(0.5));
        checked.checked = Some(0.1);
        let left_out = [checked, figure("F2", 100.0, Some(-0.3))];
        let lessons = [("F2".to_owned(), "it needs a witness".to_owned())].into();
        let page = render(&Found {
            left_out: &left_out,
            lessons: &lessons,
            numbers: 1,
            choices: &[],
            alone: &[],
        });
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
        let worst = at("| F2 | a-drive | 100.0 | 100.0 | 74.08 | 35.0 % | it needs a witness |");
        assert!(
            worst < at("| F1 | a-drive | 100.0 | 100.0 | 110.5 | 10.5 % | not looked into yet |")
        );
        at("| F1 | a-drive | 100.0 | 164.9 | 110.5 |");
        let table = csv(&left_out).unwrap();
        assert!(
            table.contains("F1,a-drive,a-controller,jobs,100.0,100.0,110.5,0.1000,yes\n"),
            "{table}"
        );
    }
}

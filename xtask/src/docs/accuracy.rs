//! The accuracy of the model as a page in Markdown: every published figure beside the model's, every
//! miss with its reason, every drive with the numbers that were fitted for it.

use super::write;
use anyhow::{Context, Result};
use ftlab_result::{DriveSheet, Figure, ResultSet, Verdict};
use std::fmt::Write as _;
use std::path::Path;

/// The error up to which a figure counts as met: a factor, and in words.
const NEAR: (f64, &str) = (1.15, "15 %");

/// The error up to which the model at least tells what to expect.
const ROUGHLY: (f64, &str) = (1.3, "30 %");

const HEAD: &str = "\
Nothing on this page is typed in but the reasons of misses, which are in `reference/misses.csv`. The error of a
figure says how far the model is above or below what was published: in percent, and past half and double as a
factor (`×0.36`). Medians take both directions alike: half and double are as far off. Figures that their source only
bounds (`<`, `>`, ranges, about) and maxima pass or fail; what a source leaves ambiguous is shown and not judged.
";

/// A warning about quick reviews.
const QUICK: &str = "\
The review was a quick one: its jobs end early, so what comes late or seldom is not as it would be,
and figures of procedures are shown and not judged.
";

/// The page, what `ftlab drives` says of drives, and the pages that quote.
const PAGE: &str = "docs/accuracy.md";
const STANDING: &str = "reference/standing.csv";
const QUOTING: [&str; 2] = ["README.md", "docs/how-accurate.md"];

/// Between these a page has what is quoted of the figures.
const QUOTE: [&str; 2] = ["<!-- accuracy -->", "<!-- /accuracy -->"];

/// Writes the page of a review of all drives, and what other files say of it.
pub fn draw(review: &Path) -> Result<()> {
    let set = crate::results::read(review)?;
    let sentence = in_short(&set);
    for path in QUOTING {
        let [begin, end] = QUOTE;
        let quoted = quoting(&super::read(path)?, &sentence);
        let quoted = quoted
            .with_context(|| format!("{path} has no {begin} with an {end} behind it, each once"))?;
        write(path, &quoted)?;
    }
    write(STANDING, &standing(&set))?;
    let page = render(&set) + &predictions()?;
    write(PAGE, &page)
}

/// The section about predictions, between its marks.
fn predictions() -> Result<String> {
    let kept = super::predictions::Kept::read()?;
    Ok(kept.section())
}

/// Puts the section about predictions in the place of the last one, or at the end of the page.
pub fn put_predictions(section: &str) -> Result<()> {
    let page = super::read(PAGE)?;
    let [begin, end] = super::predictions::MARKS;
    let page = match (page.find(begin), page.find(end)) {
        (Some(from), Some(to)) => format!(
            "{}{}",
            &page[..from].trim_end(),
            &page[to + end.len()..].trim_end()
        ),
        _ => page.trim_end().to_owned(),
    };
    write(PAGE, &(page + "\n" + section))
}

/// A page with a sentence in the place of the last one; nothing if it does not say where.
fn quoting(page: &str, sentence: &str) -> Option<String> {
    let [begin, end] = QUOTE;
    let (before, rest) = page.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    let is_once = !after.contains(begin) && !after.contains(end);
    is_once.then(|| format!("{before}{begin}\n{sentence}\n{end}{after}"))
}

/// Draws the page as Markdown.
fn render(set: &ResultSet) -> String {
    let quick = if set.origin.quick { " --quick" } else { "" };
    let mut page = format!(
        "# Accuracy\n\nPublished figures beside what the model gives, drawn by\n\n```sh\nftlab review --all{quick} \
         --out out/all\ncargo run --release -p xtask -- docs accuracy out/all\n```\n\n{HEAD}"
    );
    if set.origin.quick {
        page += QUICK;
    }
    summary(&mut page, set);
    kinds(&mut page, set);
    sources(&mut page, set);
    witnesses(&mut page, set);
    drives(&mut page, set);
    misses(&mut page, set);
    everything(&mut page, set);
    page
}

/// Those that were there when the model was made.
fn seen(set: &ResultSet) -> impl Iterator<Item = &Figure> + Clone {
    set.figures.iter().filter(|figure| !figure.unseen)
}

/// Those that were not.
fn unseen(set: &ResultSet) -> impl Iterator<Item = &Figure> + Clone {
    set.figures.iter().filter(|figure| figure.unseen)
}

/// Errors of figures, the smallest first.
struct Errors(Vec<f64>);

impl Errors {
    fn of(errors: impl Iterator<Item = f64>) -> Errors {
        let mut errors: Vec<f64> = errors.collect();
        errors.sort_by(f64::total_cmp);
        Errors(errors)
    }

    /// The figures as they are.
    fn fitted<'a>(figures: impl Iterator<Item = &'a Figure>) -> Errors {
        Errors::of(figures.filter_map(|figure| figure.error))
    }

    /// Each figure with its test left out.
    fn left_out<'a>(figures: impl Iterator<Item = &'a Figure>) -> Errors {
        Errors::of(figures.filter_map(|figure| figure.left_out_error))
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    /// The share whose error is within a factor.
    fn within(&self, factor: f64) -> String {
        let near = self.0.iter().filter(|&&error| error <= factor.ln());
        match self.count() {
            0 => "–".to_owned(),
            scored => ftlab_report::percent(near.count() as f64 / scored as f64),
        }
    }

    fn median(&self) -> String {
        ftlab_result::median(&self.0).map_or_else(|| "–".to_owned(), ftlab_report::error)
    }
}

fn is_miss(figure: &&Figure) -> bool {
    figure.verdict == Verdict::Fail
}

/// Figures of a group: how many were judged and passed, and how near the scored ones are.
struct Group {
    judged: usize,
    passed: usize,
    errors: Errors,
}

impl Group {
    fn of<'a>(figures: impl Iterator<Item = &'a Figure> + Clone) -> Group {
        let count = |is: fn(Verdict) -> bool| figures.clone().filter(|f| is(f.verdict)).count();
        Group {
            judged: count(|verdict| verdict != Verdict::Shown),
            passed: count(|verdict| verdict == Verdict::Pass),
            errors: Errors::fitted(figures),
        }
    }
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("to a string");
    page.push('\n');
}

fn summary(page: &mut String, set: &ResultSet) {
    let all = Group::of(seen(set));
    let misses: Vec<&Figure> = seen(set).filter(is_miss).collect();
    let unexplained = misses.iter().filter(|figure| figure.why.is_empty()).count();
    line(
        page,
        format_args!(
            "\nftlab {}, seed {}: {} figures of {} drives. {} are scored: half of them are off by no more than \
             {}, {} by no more than {}. Of all {} that are judged {} pass; of {} misses {} are unexplained.",
            set.origin.version,
            set.origin.seed,
            seen(set).count(),
            set.drives.len(),
            all.errors.count(),
            all.errors.median(),
            all.errors.within(NEAR.0),
            NEAR.1,
            all.judged,
            all.passed,
            misses.len(),
            unexplained,
        ),
    );
}

/// The errors of each kind of figure.
fn kinds(page: &mut String, set: &ResultSet) {
    page.push_str(
        "\n*Seen* are the figures that were there when a number or a mechanism of their drive was chosen: all of the \
         reviews, and of other pages those that led to a change or that a number says it was worked out from. A fit \
         flatters them. What it hides shows when a test is left out and the numbers of the controller's drives are \
         fitted without it ([cross-validation](cross-validation.md)). *Unseen* figures say the same without a fit.\n\n\
         | figures | scored | median error | within 15 % | within 30 % |\n|---|--:|--:|--:|--:|\n",
    );
    let kinds = [
        ("seen", Errors::fitted(seen(set))),
        ("seen, their test left out", Errors::left_out(seen(set))),
        ("unseen", Errors::fitted(unseen(set))),
    ];
    for (kind, errors) in kinds {
        let (scored, median) = (errors.count(), errors.median());
        let [near, roughly] = [NEAR.0, ROUGHLY.0].map(|factor| errors.within(factor));
        line(
            page,
            format_args!("| {kind} | {scored} | {median} | {near} | {roughly} |"),
        );
    }
    line(page, format_args!("\n{}", in_short(set)));
}

/// The accuracy of the model in a sentence or two, which other pages of this project quote.
fn in_short(set: &ResultSet) -> String {
    let told = |errors: &Errors| {
        format!(
            "half are off by no more than {}, and {} are within {}",
            errors.median(),
            errors.within(NEAR.0),
            NEAR.1
        )
    };
    let nobody = Errors::fitted(unseen(set));
    let mut text = match nobody.count() {
        0 => "No figure was asked that was not there when the model was made.".to_owned(),
        scored => format!(
            "Of {scored} figures that nobody looked at when the model was made, {}.",
            told(&nobody)
        ),
    };
    let left_out = Errors::left_out(seen(set));
    text += &match left_out.count() {
        0 => String::new(),
        scored => format!(
            " Of {scored} that were there, {} when their test is left out and the numbers of the controller's drives \
             are fitted without it.",
            told(&left_out)
        ),
    };
    text
}

fn sources(page: &mut String, set: &ResultSet) {
    let mut names: Vec<&str> = seen(set).map(|f| f.source.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    page.push_str("\n## By source\n\n| source | judged | pass | scored | median error | within 15 % |\n|---|--:|--:|--:|--:|--:|\n");
    for name in names {
        let group = Group::of(seen(set).filter(|figure| figure.source == name));
        line(
            page,
            format_args!(
                "| {} | {} | {} | {} | {} | {} |",
                cell(name),
                group.judged,
                group.passed,
                group.errors.count(),
                group.errors.median(),
                group.errors.within(NEAR.0)
            ),
        );
    }
}

/// Figures that say what the model is worth where nobody looked.
fn witnesses(page: &mut String, set: &ResultSet) {
    let group = Group::of(unseen(set));
    if unseen(set).next().is_none() {
        return;
    }
    line(
        page,
        format_args!(
            "\n## Figures that no number was fitted to\n\nOther tests, other pages and data sheets \
             (`reference/published-more.csv`): no number and no mechanism of the model was chosen in view of them, \
             and one that leads to a change counts with the others from then on. {} are scored: the median error is {}, \
             {} are within {} and {} within {}. Of {} that are judged {} pass.\n\n\
             | id | drive | test | published | simulated | error | worth |\n|---|---|---|--:|--:|--:|---|",
            group.errors.count(),
            group.errors.median(),
            group.errors.within(NEAR.0),
            NEAR.1,
            group.errors.within(ROUGHLY.0),
            ROUGHLY.1,
            group.judged,
            group.passed,
        ),
    );
    for figure in unseen(set) {
        line(
            page,
            format_args!("{} {} |", compared(figure), cell(&figure.note)),
        );
    }
}

fn fitted(drive: &DriveSheet) -> (usize, usize) {
    let fitted = drive.parameters.iter().filter(|row| row.is_of_figures());
    let shared = fitted.clone().filter(|row| !row.base.is_empty()).count();
    (fitted.count() - shared, shared)
}

fn drives(page: &mut String, set: &ResultSet) {
    page.push_str(
        "\n## By drive\n\nNumbers that were worked out from figures, by a fit or by hand: those of the drive itself, and \
         those that it takes from its controller's file and shares with its siblings. A figure of several drives counts \
         for the first of them.\n\n\
         | drive | figures judged | pass | median error | numbers of its own | its controller's |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for drive in &set.drives {
        let group = Group::of(seen(set).filter(|f| f.model == drive.drive));
        let (own, shared) = fitted(drive);
        line(
            page,
            format_args!(
                "| `{}` | {} | {} | {} | {own} | {shared} |",
                drive.drive,
                group.judged,
                group.passed,
                group.errors.median(),
            ),
        );
    }
}

/// Figures behind each drive, as CSV: the number that is judged, the number of further ones that no number was
/// fitted to, and the median of their |ln(simulated / published)|; drives without either are left out.
fn standing(set: &ResultSet) -> String {
    let mut table = "drive,judged,unseen,unseen_error\n".to_owned();
    for drive in &set.drives {
        let figures = || set.figures.iter().filter(|f| f.model == drive.drive);
        let seen = Group::of(figures().filter(|figure| !figure.unseen));
        let unseen = Group::of(figures().filter(|figure| figure.unseen));
        let judged = seen.judged + unseen.judged;
        let error = ftlab_result::median(&unseen.errors.0);
        let error = error.map_or_else(String::new, |error| format!("{error:.3}"));
        if judged > 0 {
            let (drive, unseen) = (&drive.drive, unseen.errors.count());
            line(
                &mut table,
                format_args!("{drive},{judged},{unseen},{error}"),
            );
        }
    }
    table
}

fn misses(page: &mut String, set: &ResultSet) {
    page.push_str("\n## Misses\n\n");
    if !set.figures.iter().any(|figure| is_miss(&figure)) {
        page.push_str("None.\n");
        return;
    }
    page.push_str("| id | drive | test | published | simulated | error | why |\n|---|---|---|--:|--:|--:|---|\n");
    for figure in set.figures.iter().filter(is_miss) {
        let why = match figure.why.as_str() {
            "" => "**unexplained**",
            why => why,
        };
        line(page, format_args!("{} {} |", compared(figure), cell(why)));
    }
}

fn everything(page: &mut String, set: &ResultSet) {
    page.push_str("\n## Every figure\n\n| id | drive | test | published | simulated | error | left out | verdict |\n|---|---|---|--:|--:|--:|--:|---|\n");
    for figure in seen(set) {
        let verdict = match figure.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Shown => "shown",
        };
        let left_out = figure
            .left_out_error
            .map_or_else(String::new, ftlab_report::error);
        line(
            page,
            format_args!("{} {left_out} | {verdict} |", compared(figure)),
        );
    }
}

/// The cells that every table of figures begins with.
fn compared(figure: &Figure) -> String {
    let simulated = figure
        .simulated
        .map_or_else(|| "–".to_owned(), ftlab_report::number);
    let error = figure.error.map_or_else(String::new, |error| {
        ftlab_report::signed_error(error, &figure.published, figure.simulated)
    });
    format!(
        "| {} | {} | {} | {} | {} | {} |",
        figure.id,
        cell(&figure.drive),
        cell(&asked(figure)),
        cell(&ftlab_report::with_unit(
            &ftlab_report::published(&figure.published, &figure.qualifier),
            &figure.unit
        )),
        simulated,
        error,
    )
}

/// Test and metric, and what of state, data and link the source says.
fn asked(figure: &Figure) -> String {
    let said = [&figure.state, &figure.data, &figure.link];
    let said = said
        .into_iter()
        .filter(|word| !["na", "unstated"].contains(&word.as_str()));
    let mut words = vec![figure.test.as_str(), figure.metric.as_str()];
    words.extend(said.map(String::as_str));
    words.join(", ")
}

/// Text within a table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests;

//! A pair as tables for a terminal.

use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table};

use super::{Figure, Match, Pair, Side};
use crate::format;
use crate::settling;
use crate::terminal::{lines, plain};

const STRING: &str = "writing to a string succeeds";

/// Draws a pair for a terminal `width` columns wide: how far the model is off, and of each run these figures or, when none
/// is named, what the chart of its test draws.
#[must_use]
pub fn render(pair: &Pair<'_>, metrics: &[String], width: u16) -> String {
    let mut out = format!(
        "measured:  {}, in {}\nsimulated: {}, in {}\n\n",
        pair.measured.drive.name,
        pair.measured.label,
        pair.simulated.drive.name,
        pair.simulated.label
    );
    let heads = ["kind", "furthest off", "figures", "median error", "worst"];
    let mut table = table(&heads, width);
    for summary in pair.summaries() {
        let worst = summary.worst;
        table.add_row([
            summary.kind.words().to_lowercase(),
            worst.map_or("–".to_owned(), |(matched, figure)| {
                format!("{} {}", matched.name, figure.name)
            }),
            summary.figures.to_string(),
            summary.median.map_or("–".to_owned(), format::error),
            worst.map_or("–".to_owned(), |(_, figure)| figure.error()),
        ]);
    }
    out += &lines(table, 2);
    out.push('\n');
    let shown = shown(pair, metrics);
    if !shown.is_empty() {
        out += &figures(&shown, width);
        out.push('\n');
    }
    for (side, way) in [(&pair.measured, "measured"), (&pair.simulated, "simulated")] {
        alone(&mut out, side, way);
    }
    writeln!(out, "{} runs on both sides", pair.matches.len()).expect(STRING);
    out
}

fn shown<'p, 'a>(pair: &'p Pair<'a>, metrics: &[String]) -> Vec<(&'p Match<'a>, &'p Figure<'a>)> {
    let wanted = |matched: &Match<'_>, figure: &Figure<'_>| match metrics {
        [] => matched
            .drawn()
            .is_some_and(|drawn| drawn.name == figure.name && figure.job.is_empty()),
        named => named.contains(&figure.name),
    };
    let matches = pair.matches.iter();
    let figures =
        matches.flat_map(|matched| matched.figures.iter().map(move |figure| (matched, figure)));
    figures
        .filter(|(matched, figure)| wanted(matched, figure))
        .collect()
}

fn figures(shown: &[(&Match<'_>, &Figure<'_>)], width: u16) -> String {
    let mut table = table(&["run", "figure", "measured", "simulated", "error"], width);
    for (matched, figure) in shown {
        let unsettled = settling::is_unsettled(matched.simulated);
        let name = match figure.job {
            "" => figure.name.clone(),
            job => format!("{} of {job}", figure.name),
        };
        table.add_row([
            matched.name.to_owned(),
            name,
            figure.measured_words(),
            settling::marked(figure.simulated_words(), unsettled),
            figure.error(),
        ]);
    }
    let mut out = lines(table, 2);
    if shown
        .iter()
        .any(|(matched, _)| settling::is_unsettled(matched.simulated))
    {
        out += settling::NOTE;
        out.push('\n');
    }
    out
}

fn alone(out: &mut String, side: &Side<'_>, way: &str) {
    if !side.alone.is_empty() {
        writeln!(out, "not compared, in {} alone:", side.label).expect(STRING);
    }
    for alone in &side.alone {
        writeln!(out, "  {} ({})", alone.run.id, alone.why()).expect(STRING);
    }
    for why in side.unfinished() {
        writeln!(out, "not {way}: {why}").expect(STRING);
    }
}

fn table(heads: &[&str], width: u16) -> Table {
    let mut table = plain();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(heads);
    table
}

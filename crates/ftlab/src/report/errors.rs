//! The figures of a real drive and its model as a table.

use ftlab_export::{Cells, Column, Table};
use ftlab_report::pair::{Figure, Match, Pair};

/// A row: a figure with its run.
type Row<'p> = (&'p Match<'p>, &'p Figure<'p>);

/// Every figure that both sides have, a row each. `repeated` says of which another row before it says the same.
pub fn table<'p>(pair: &'p Pair<'p>) -> Table {
    let matches = pair.matches.iter();
    let rows: Vec<Row<'p>> = matches
        .flat_map(|matched| matched.figures.iter().map(move |figure| (matched, figure)))
        .collect();
    let words = |name: &str, word: &dyn Fn(&Row<'p>) -> String| {
        let cell = |row: &Row<'p>| Some(word(row)).filter(|word| !word.is_empty());
        column(name, Cells::Text(rows.iter().map(cell).collect()))
    };
    let numbers = |name: &str, number: &dyn Fn(&Row<'p>) -> Option<f64>| {
        column(name, Cells::Number(rows.iter().map(number).collect()))
    };
    Table {
        name: "errors",
        columns: vec![
            words("test", &|(matched, _)| matched.measured.test.clone()),
            words("state", &|(matched, _)| matched.measured.state.clone()),
            words("run", &|(matched, _)| matched.name.to_owned()),
            words("job", &|(_, figure)| figure.job.to_owned()),
            words("figure", &|(_, figure)| figure.name.clone()),
            words("kind", &|(_, figure)| figure.kind.words().to_lowercase()),
            words("unit", &|(_, figure)| figure.unit.to_owned()),
            numbers("measured", &|(_, figure)| Some(figure.measured)),
            numbers("simulated", &|(_, figure)| Some(figure.simulated)),
            numbers("ratio", &|(_, figure)| figure.ratio()),
            numbers("error_pct", &|(_, figure)| {
                figure.ratio().map(|ratio| 100.0 * (ratio - 1.0))
            }),
            words("repeated", &|(_, figure)| {
                if figure.is_repeated { "yes" } else { "no" }.to_owned()
            }),
        ],
    }
}

fn column(name: &str, cells: Cells) -> Column {
    Column {
        name: name.to_owned(),
        cells,
    }
}

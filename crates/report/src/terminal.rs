//! Results as tables for a terminal: every figure beside the model, runs nobody published, tally.

use ftlab_result::quantity::table;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width,
    presets,
};
use ftlab_result::{Figure, ResultSet, Run, Spread, Verdict};

use crate::format;
use crate::view::View;
use crate::view::pts::Sheet;
use crate::view::repeats::Repeats;

pub mod plan;
mod pts;

/// Letters of space between columns.
const GAP: usize = 2;
/// A slug narrower than this cannot be read.
const TEXT_WIDTH_MIN: usize = 10;

/// Draws a result set for a terminal `width` columns wide; with `colour`, verdicts carry ANSI
/// colours (they are words either way).
#[must_use]
pub fn render(set: &ResultSet, width: usize, colour: bool) -> String {
    let view = View::new(set);
    // All tables of figures share one layout, so that their columns stand below each other.
    let figures = Layout::new(
        &FIGURE_COLUMNS,
        set.figures
            .iter()
            .map(|figure| figure_cells(figure, set.origin.quick)),
        width,
    );
    let mut out = String::new();
    for run in &set.runs {
        if let Some(sheet) = Sheet::of(&view, run) {
            heading(&mut out, &sheet.title);
            out.push_str(&pts::sheet(&sheet));
        }
    }
    for family in view
        .families
        .iter()
        .filter(|family| !family.figures.is_empty())
    {
        heading(
            &mut out,
            &format!("{} {}", family.methods().join(", "), family.title),
        );
        out.push_str(&figure_table(
            &figures,
            &family.figures,
            set.origin.quick,
            colour,
        ));
    }
    if !view.unplaced.is_empty() {
        heading(&mut out, "Published, without a run here");
        out.push_str(&figure_table(
            &figures,
            &view.unplaced,
            set.origin.quick,
            colour,
        ));
    }
    let unpublished = runs_without_figures(set);
    if !unpublished.is_empty() {
        heading(&mut out, "Runs without published figures");
        out.push_str(&run_table(&unpublished, width));
    }
    if !set.unfinished.is_empty() {
        heading(&mut out, "Without results");
        for drive in &set.unfinished {
            writeln!(out, "{}: {}", drive.drive, drive.why).expect("writing to a string succeeds");
        }
    }
    let tally = (!set.figures.is_empty()).then(|| tally_line(set));
    let repeats = Repeats::of(set).into_iter().flat_map(Repeats::sentences);
    let below: Vec<String> = tally.into_iter().chain(repeats).collect();
    if !below.is_empty() {
        heading(&mut out, &below.join("\n"));
    }
    out
}

fn heading(out: &mut String, text: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    writeln!(out, "{}", text.trim()).expect("writing to a string succeeds");
}

/// A table without lines between cells and without colours.
pub(crate) fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.force_no_tty();
    table
}

/// The lines of a plain table; columns from the `numbers`-th on stand to the right.
pub(crate) fn lines(mut table: Table, numbers: usize) -> String {
    for (n, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, GAP as u16));
        if n >= numbers {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// A column: its title, and whether it holds numbers.
type Column = (&'static str, Kind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Shown whole, whatever the width.
    Whole,
    /// Shown whole, and right-aligned.
    Number,
    /// Wrapped when the terminal is too narrow.
    Text,
}

const FIGURE_COLUMNS: [Column; 8] = [
    ("id", Kind::Whole),
    ("drive", Kind::Text),
    ("test", Kind::Text),
    ("metric", Kind::Text),
    ("published", Kind::Number),
    ("simulated", Kind::Number),
    ("error", Kind::Number),
    ("verdict", Kind::Whole),
];

const RUN_COLUMNS: [Column; 7] = [
    ("drive", Kind::Text),
    ("test", Kind::Text),
    ("state", Kind::Whole),
    (table::IOPS.name, Kind::Number),
    (table::MB_S.name, Kind::Number),
    ("avg", Kind::Number),
    ("max", Kind::Number),
];

/// Column widths shared by several tables, so that they line up.
struct Layout {
    columns: &'static [Column],
    widths: Vec<usize>,
}

impl Layout {
    /// Widths for these rows: numbers whole, texts shrunk, widest first, until all fits.
    fn new<const N: usize>(
        columns: &'static [Column; N],
        rows: impl Iterator<Item = [String; N]>,
        width: usize,
    ) -> Self {
        let mut widths: Vec<usize> = columns.iter().map(|(title, _)| title.len()).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(&row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let room = width.saturating_sub(GAP * (N - 1));
        while widths.iter().sum::<usize>() > room {
            let shrinkable = |&i: &usize| columns[i].1 == Kind::Text && widths[i] > TEXT_WIDTH_MIN;
            match (0..N).filter(shrinkable).max_by_key(|&i| widths[i]) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        Self { columns, widths }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_delimiter('-');
        // The constraints below decide alone; the terminal's width is already in them.
        table.set_width(u16::MAX);
        table.set_header(self.columns.iter().map(|(title, _)| Cell::new(title)));
        let last = self.columns.len() - 1;
        for (index, ((_, kind), width)) in self.columns.iter().zip(&self.widths).enumerate() {
            let column = table
                .column_mut(index)
                .expect("the header made every column");
            let gap = if index == last { 0 } else { GAP };
            column.set_padding((0, gap as u16));
            let whole = u16::try_from(width + gap).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(whole)));
            if *kind == Kind::Number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

fn figure_table(layout: &Layout, figures: &[&Figure], quick: bool, colour: bool) -> String {
    let mut table = layout.table();
    if colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    for figure in figures {
        let mut cells: Vec<Cell> = figure_cells(figure, quick)
            .into_iter()
            .map(Cell::new)
            .collect();
        if let Some(verdict) = cells.pop() {
            cells.push(coloured(verdict, figure.verdict));
        }
        table.add_row(cells);
    }
    format!("{}\n", table.trim_fmt())
}

fn coloured(cell: Cell, verdict: Verdict) -> Cell {
    match verdict {
        Verdict::Pass => cell.fg(Color::Green),
        Verdict::Fail => cell.fg(Color::Red).add_attribute(Attribute::Bold),
        Verdict::Shown => cell.add_attribute(Attribute::Dim),
    }
}

fn figure_cells(figure: &Figure, quick: bool) -> [String; FIGURE_COLUMNS.len()] {
    let drive = if figure.model.is_empty() {
        &figure.drive
    } else {
        &figure.model
    };
    let error = |error| format::signed_error(error, &figure.published, figure.simulated);
    [
        figure.id.clone(),
        drive.clone(),
        in_state(&figure.test, &figure.state),
        metric(figure),
        format::published(&figure.published, &figure.qualifier),
        (figure.simulated).map_or("–".to_owned(), |value| {
            format::simulated(value, figure.spread.as_ref())
        }),
        figure.error.map_or("–".to_owned(), error),
        verdict_words(figure.verdict, quick),
    ]
}

fn in_state(test: &str, state: &str) -> String {
    match state {
        "" | "na" | "unstated" => test.to_owned(),
        state => format!("{test} {state}"),
    }
}

/// The metric with its unit, unless its name says the unit already.
fn metric(figure: &Figure) -> String {
    let spelled = figure.unit.to_ascii_lowercase().replace('/', "_");
    let said = figure.metric == spelled || figure.metric.ends_with(&format!("_{spelled}"));
    if said || figure.unit.is_empty() {
        figure.metric.clone()
    } else {
        format!("{} {}", figure.metric, figure.unit)
    }
}

/// A verdict; one of a quick review says so.
fn verdict_words(verdict: Verdict, quick: bool) -> String {
    let word = match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Shown => return "shown".to_owned(),
    };
    format!("{word}{}", if quick { ", quick" } else { "" })
}

fn runs_without_figures(set: &ResultSet) -> Vec<&Run> {
    let answered: BTreeSet<&str> = set
        .figures
        .iter()
        .map(|figure| figure.run.as_str())
        .collect();
    // What a specification asks for has tables of its own. Families share runs: the 4 KiB step of a sweep is the 4 KiB test. Such a run is listed once.
    let mut told: Vec<&Run> = Vec::new();
    let (answered, others): (Vec<&Run>, Vec<&Run>) = set
        .runs
        .iter()
        .filter(|run| run.pts.is_none())
        .partition(|run| answered.contains(run.id.as_str()));
    for run in others {
        let same = |other: &&&Run| other.drive == run.drive && other.metrics == run.metrics;
        if answered.iter().chain(&told).find(same).is_none() {
            told.push(run);
        }
    }
    told
}

fn run_table(runs: &[&Run], width: usize) -> String {
    let layout = Layout::new(&RUN_COLUMNS, runs.iter().map(|run| run_cells(run)), width);
    let mut table = layout.table();
    table.force_no_tty();
    for run in runs {
        table.add_row(run_cells(run));
    }
    format!("{}\n", table.trim_fmt())
}

fn run_cells(run: &Run) -> [String; RUN_COLUMNS.len()] {
    let cell = |name: &str, words: fn(f64, Option<&Spread>) -> String| {
        let value = run.metrics.get(name);
        value.map_or("–".to_owned(), |&value| {
            words(value, run.spread.get(name))
        })
    };
    let plain = |name: &str| cell(name, format::simulated);
    let latency = |name: &str| cell(name, format::simulated_latency_ms);
    [
        run.drive.clone(),
        run.test.clone(),
        run.state.clone(),
        plain(table::IOPS.name),
        plain(table::MB_S.name),
        latency(table::LAT_AVG_MS.name),
        latency(table::LAT_MAX_MS.name),
    ]
}

fn tally_line(set: &ResultSet) -> String {
    let tally = set.tally();
    let quick = if set.origin.quick { "quick: " } else { "" };
    let mut line = format!(
        "{quick}{} pass, {} fail, {} shown",
        tally.pass, tally.fail, tally.shown
    );
    if let (Some(median), Some(worst)) = (tally.median_error, tally.worst_error) {
        let (median, worst) = (format::error(median), format::error(worst));
        write!(
            line,
            "; error of {} scored: median {median}, worst {worst}",
            tally.scored
        )
        .expect("writing to a string succeeds");
    }
    line
}

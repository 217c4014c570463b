//! The names of a chart's lines and bars, in rows above it.

use super::{LINE, MARGIN, Series, WIDTH, px};
use maud::{Markup, html};

/// The piece of a line before a name.
const PIECE: f64 = 24.0;
/// The width of a letter of a name, in the widest of the usual fonts without serifs.
const LETTER: f64 = 8.4;
const THICKNESS_OF_LINES: u32 = 2;
const THICKNESS_OF_BARS: u32 = 10;

/// The series that have names, each with the place where it begins, in rows that fit.
pub fn rows(series: &[Series]) -> Vec<Vec<(f64, &Series)>> {
    let mut rows: Vec<Vec<(f64, &Series)>> = Vec::new();
    let mut free = f64::INFINITY;
    for series in series.iter().filter(|series| !series.name.is_empty()) {
        let width = PIECE + MARGIN + series.name.chars().count() as f64 * LETTER;
        if free + width > WIDTH - MARGIN {
            rows.push(Vec::new());
            free = 2.0 * MARGIN;
        }
        if let Some(row) = rows.last_mut() {
            row.push((free, series));
        }
        free += width + MARGIN;
    }
    rows
}

/// The legend, whose last row ends at `bottom`.
pub fn drawn(series: &[Series], bottom: f64) -> Markup {
    let rows = rows(series);
    let first = bottom - rows.len() as f64 * LINE;
    html! {
        @for (n, row) in rows.iter().enumerate() {
            @let y = first + n as f64 * LINE;
            @for (x, series) in row {
                @let thickness = if series.bars.is_empty() { THICKNESS_OF_LINES } else { THICKNESS_OF_BARS };
                line x1=(px(*x)) x2=(px(x + PIECE)) y1=(px(y + LINE / 2.0)) y2=(px(y + LINE / 2.0))
                    stroke=(series.colour()) stroke-width=(thickness) stroke-dasharray=[series.dashes()] {}
                text x=(px(x + PIECE + MARGIN / 2.0)) y=(px(y + 0.75 * LINE)) { (series.name) }
            }
        }
    }
}

//! A page of bar charts with text around them, which needs no script.

use super::document;
use crate::format::number;
use crate::svg::{self, Axis, Chart, Series};
use maud::{PreEscaped, html};

const HEIGHT: f64 = 300.0;
/// Of the room that bars side by side have, the share that they fill.
const FILLED: f64 = 0.8;
const STYLE: &str = "pre { overflow-x: auto; font: .8125rem/1.5 var(--mono); } svg { max-width: 100%; height: auto; \
                     border-radius: var(--radius); } h2 { margin-top: 2rem; font-size: 1.1875rem; }";

/// The name below bars that stand side by side, with a value for each series.
pub type Bar = (String, Vec<f64>);

/// A chart of bars, with its title and series.
#[derive(Debug)]
pub struct Bars<'a> {
    /// The heading above it.
    pub title: &'a str,
    /// Names of the bars that stand side by side.
    pub series: &'a [&'a str],
    /// From left to right, each with as many values as there are names.
    pub bars: Vec<Bar>,
}

/// A page: sentences, a text, charts, and what stands below them.
#[derive(Debug)]
pub struct Page<'a> {
    /// The heading.
    pub title: &'a str,
    /// The answer in sentences, a paragraph each.
    pub lead: &'a [String],
    /// A text as a terminal has it; may be empty.
    pub text: &'a str,
    /// The charts. One without any value above zero is left out.
    pub charts: &'a [Bars<'a>],
    /// The heading below them.
    pub below: &'a str,
    /// What it is a heading of.
    pub end: End<'a>,
}

/// The end of a page.
#[derive(Debug)]
pub enum End<'a> {
    /// A text as a terminal has it.
    Text(&'a str),
    /// A table: heads of its columns, and rows.
    Table(&'a [&'a str], Vec<Vec<&'a str>>),
}

/// Draws a page.
#[must_use]
pub fn render(page: &Page<'_>) -> String {
    let is_drawn = |chart: &&Bars<'_>| {
        let mut values = chart.bars.iter().flat_map(|(_, values)| values);
        values.any(|value| *value > 0.0)
    };
    document::alone(
        page.title,
        STYLE,
        &html! {
            h1 { (page.title) }
            @for sentence in page.lead { p { (sentence) } }
            @if !page.text.is_empty() { pre { (page.text) } }
            @for chart in page.charts.iter().filter(is_drawn) {
                h2 { (chart.title) }
                (PreEscaped(svg::draw(&[chart.laid_out()])))
            }
            h2 { (page.below) }
            @match &page.end {
                End::Text(text) => pre { (text) },
                End::Table(heads, rows) => div.scroll tabindex="0" {
                    table {
                        thead { tr { @for head in *heads { th scope="col" { (head) } } } }
                        tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
                    }
                },
            }
        },
    )
}

impl Bars<'_> {
    fn laid_out(&self) -> Chart<'static> {
        let values = self.bars.iter().flat_map(|(_, values)| values);
        let most = values.fold(0.0_f64, |most, value| most.max(*value));
        let marks =
            (self.bars.iter().enumerate()).map(|(n, (name, _))| (n as f64 + 0.5, name.clone()));
        Chart {
            title: String::new(),
            height: HEIGHT,
            across: Axis {
                name: String::new(),
                low: 0.0,
                high: self.bars.len() as f64,
                is_log: false,
                marks: marks.collect(),
            },
            up: Axis::round(String::new(), 0.0..most * 1.05),
            series: (0..self.series.len())
                .map(|n| self.side_by_side(n))
                .collect(),
            note: None,
        }
    }

    /// The bars of a series, which has a name on the chart if there are others.
    fn side_by_side(&self, n: usize) -> Series {
        let name = self.series[n];
        let width = FILLED / self.series.len() as f64;
        let bar = |(at, (of, values)): (usize, &Bar)| {
            let left = at as f64 + (1.0 - FILLED) / 2.0 + n as f64 * width;
            svg::Bar {
                across: (left, left + width),
                value: values[n],
                words: format!("{of}: {} {name}", number(values[n])),
            }
        };
        Series {
            name: if self.series.len() > 1 {
                name.to_owned()
            } else {
                String::new()
            },
            colour: n,
            bars: self.bars.iter().enumerate().map(bar).collect(),
            ..Series::default()
        }
    }
}

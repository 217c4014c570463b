//! Lines and bars as SVG, for files that a text embeds and for pages without a script. The charts of a report are
//! drawn by its script.

mod axis;
mod legend;

pub use axis::Axis;
use maud::{Markup, html};

/// The width of every chart, in pixels.
const WIDTH: f64 = 860.0;

/// The colours of Okabe and Ito, which the colour-blind can tell apart, without the light ones.
const COLOURS: [&str; 6] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#3c3c3c", "#a06e00",
];
/// Dark on white, whatever the colours of the page around it.
const PAPER: &str = "#ffffff";
const INK: &str = "#1d2126";
const GRID: &str = "#e1e1e1";

/// Around all of a chart, and between its parts, in pixels.
const MARGIN: f64 = 14.0;
/// Of a line of text.
const LINE: f64 = 20.0;
/// Of a letter, about: what reads an SVG has fonts of its own.
const LETTER: f64 = 7.2;
const DOT_RADIUS: f64 = 4.0;
/// Half the width of the dashes at the ends of an interval.
const WHISKER: f64 = 5.0;

/// A chart, which may be one of several in a file.
#[derive(Debug)]
pub struct Chart<'a> {
    /// Its title; empty for none.
    pub title: String,
    /// Its height in pixels.
    pub height: f64,
    /// From left to right.
    pub across: Axis,
    /// From the foot to the top.
    pub up: Axis,
    /// The marks, each over those before.
    pub series: Vec<Series>,
    /// A sentence at the foot of the chart.
    pub note: Option<&'a str>,
}

/// The marks of one colour.
#[derive(Debug, Default)]
pub struct Series {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// The number of its colour, of which there are six; behind the last they begin again.
    pub colour: usize,
    /// Points that a line connects.
    pub line: Vec<(f64, f64)>,
    /// True if the line is one of dashes.
    pub dashed: bool,
    /// Points with a dot each, which no line covers.
    pub dots: Vec<(f64, f64)>,
    /// Intervals around dots: where across, from, to.
    pub intervals: Vec<(f64, f64, f64)>,
    /// Bars, in any order.
    pub bars: Vec<Bar>,
}

/// A bar that stands on zero.
#[derive(Debug)]
pub struct Bar {
    /// Its left and its right edge.
    pub across: (f64, f64),
    /// The value at its top.
    pub value: f64,
    /// Shown to who points at it.
    pub words: String,
}

/// Draws charts one below the other, as the text of a file.
#[must_use]
pub fn draw(charts: &[Chart<'_>]) -> String {
    let height = |charts: &[Chart<'_>]| charts.iter().map(|chart| chart.height).sum::<f64>();
    let whole = height(charts);
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(whole) viewBox={ "0 0 " (WIDTH) " " (whole) }
            role="img" aria-label=(titles.join("; ")) font-family="sans-serif" font-size="14" fill=(INK) {
            rect width="100%" height="100%" fill=(PAPER) {}
            @for (n, chart) in charts.iter().enumerate() {
                g transform={ "translate(0 " (height(&charts[..n])) ")" } { (Placed::of(chart).drawn()) }
            }
        }
    };
    // What is between tags is escaped, so this parts tags alone: a line each, as in any other text file.
    svg.into_string().replace("><", ">\n<") + "\n"
}

/// A chart whose axes have their places, in pixels from its corner.
struct Placed<'a> {
    chart: &'a Chart<'a>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A place or a length as it is written.
fn px(pixels: f64) -> String {
    format!("{pixels:.1}")
}

impl<'a> Placed<'a> {
    fn of(chart: &'a Chart<'a>) -> Placed<'a> {
        let title = if chart.title.is_empty() { 0.0 } else { LINE };
        let names = if chart.across.name.is_empty() {
            1.2
        } else {
            2.4
        };
        let named = if chart.up.name.is_empty() { 0.0 } else { LINE };
        Placed {
            chart,
            left: MARGIN + named + chart.up.longest_mark() * LETTER + MARGIN / 2.0,
            right: WIDTH - 2.0 * MARGIN,
            top: MARGIN + title + legend::rows(&chart.series).len() as f64 * LINE + MARGIN / 2.0,
            bottom: chart.height - MARGIN - names * LINE,
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.chart.across.share(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.chart.up.share(value) * (self.bottom - self.top)
    }

    fn drawn(&self) -> Markup {
        let series = &self.chart.series;
        html! {
            @if !self.chart.title.is_empty() {
                text x=(px(WIDTH / 2.0)) y=(px(MARGIN + 0.7 * LINE)) text-anchor="middle" font-size="17" { (self.chart.title) }
            }
            (legend::drawn(series, self.top - MARGIN / 2.0))
            (self.axes())
            @for series in series { (self.lines(series)) }
            // Dots last, so that no line covers one.
            @for series in series { (self.dots(series)) }
            @if let Some(note) = self.chart.note {
                text x=(px(self.left + MARGIN / 2.0)) y=(px(self.bottom - MARGIN / 2.0)) { (note) }
            }
        }
    }

    fn axes(&self) -> Markup {
        let (left, right, bottom) = (px(self.left), px(self.right), px(self.bottom));
        let middle = px(f64::midpoint(self.top, self.bottom));
        let Chart { across, up, .. } = self.chart;
        html! {
            @for (at, words) in &up.marks {
                @let y = self.y(*at);
                line x1=(left) x2=(right) y1=(px(y)) y2=(px(y)) stroke=(GRID) {}
                text x=(px(self.left - MARGIN / 2.0)) y=(px(y + 5.0)) text-anchor="end" { (words) }
            }
            @for (x, words) in across.spaced(|at| self.x(at)) {
                line x1=(px(x)) x2=(px(x)) y1=(px(self.top)) y2=(bottom) stroke=(GRID) {}
                text x=(px(x)) y=(px(self.bottom + LINE)) text-anchor="middle" { (words) }
            }
            line x1=(left) x2=(right) y1=(bottom) y2=(bottom) stroke=(INK) {}
            @if !across.name.is_empty() {
                text x=(px(f64::midpoint(self.left, self.right))) y=(px(self.bottom + 2.1 * LINE)) text-anchor="middle" { (across.name) }
            }
            @if !up.name.is_empty() {
                text transform={ "translate(" (px(MARGIN + 0.6 * LINE)) " " (middle) ") rotate(-90)" } text-anchor="middle" { (up.name) }
            }
        }
    }

    fn lines(&self, series: &Series) -> Markup {
        let colour = series.colour();
        let points = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", self.x(*x), self.y(*y));
        let points: Vec<String> = series.line.iter().map(points).collect();
        html! {
            @for bar in &series.bars {
                @let (from, to) = (self.x(bar.across.0), self.x(bar.across.1));
                @let top = self.y(bar.value);
                rect x=(px(from)) y=(px(top)) width=(px(to - from)) height=(px(self.y(0.0) - top)) fill=(colour) { title { (bar.words) } }
            }
            @if !points.is_empty() {
                polyline points=(points.join(" ")) fill="none" stroke=(colour) stroke-width="2" stroke-dasharray=[series.dashes()] {}
            }
            @for (at, from, to) in &series.intervals {
                @let (x, from, to) = (self.x(*at), px(self.y(*from)), px(self.y(*to)));
                line x1=(px(x)) x2=(px(x)) y1=(from) y2=(to) stroke=(colour) {}
                @for end in [&from, &to] {
                    line x1=(px(x - WHISKER)) x2=(px(x + WHISKER)) y1=(end) y2=(end) stroke=(colour) {}
                }
            }
        }
    }

    fn dots(&self, series: &Series) -> Markup {
        html! {
            @for (x, y) in &series.dots {
                circle cx=(px(self.x(*x))) cy=(px(self.y(*y))) r=(DOT_RADIUS) fill=(series.colour()) {}
            }
        }
    }
}

impl Series {
    fn colour(&self) -> &'static str {
        COLOURS[self.colour % COLOURS.len()]
    }

    fn dashes(&self) -> Option<&'static str> {
        self.dashed.then_some("7 5")
    }
}

#[cfg(test)]
mod tests;

//! The frame every chart sits in: caption, buttons, a picture and its data.

use maud::{Markup, html};

/// A chart of the page; its data are found by the script.
pub struct ChartFrame<'a> {
    /// Anchor of the family whose data it draws; empty for the verdicts.
    pub family: &'a str,
    /// The kind of chart: `main`, `scatter`, `time`, `latency`, `verdicts`, `pts-rounds` …
    pub kind: &'a str,
    /// Caption above the chart.
    pub title: &'a str,
}

pub fn chart(frame: &ChartFrame<'_>) -> Markup {
    let id = match frame.family {
        "" => format!("chart/{}", frame.kind),
        family => format!("{family}/{}", frame.kind),
    };
    let caption = format!("{id}-caption");
    html! {
        figure.chart data-family=(frame.family) data-kind=(frame.kind) {
            div.chart-head {
                figcaption id=(caption) { (frame.title) }
                div.tools {
                    span.choices {}
                    button type="button" data-drives aria-expanded="false"
                        aria-controls={ (id) "-drives" } aria-describedby=(caption) { "Drives" }
                    button type="button" data-log aria-pressed="false"
                        aria-describedby=(caption) { "Log scale" }
                    button type="button" data-table aria-expanded="false"
                        aria-controls={ (id) "-data" } aria-describedby=(caption) { "Data" }
                }
            }
            div.picker id={ (id) "-drives" } hidden {}
            p.key {}
            div.plot id=(id) role="img" aria-labelledby=(caption) {}
            div.chart-data id={ (id) "-data" } hidden {}
        }
    }
}

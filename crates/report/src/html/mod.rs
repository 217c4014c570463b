//! One self-contained page: text and tables are in the HTML, charts are drawn from embedded data.
//!
//! The page asks for nothing: styles, script, chart library and data are inside it, and its
//! content security policy forbids the rest.

mod assets;
pub mod comparison;
mod drives;
mod family;
mod front;
mod tables;
mod unfinished;

use ftlab_result::ResultSet;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use crate::view::chart::{self, ChartSpec};
use crate::view::headline::{self, Headline};
use crate::view::{View, detail};

/// What the page's script gets.
#[derive(Serialize)]
struct PageData<'a> {
    drives: Vec<&'a str>,
    charts: &'a [ChartSpec],
}

/// Draws a result set as one HTML file that works offline.
#[must_use]
pub fn render(set: &ResultSet) -> String {
    let view = View::new(set);
    let headlines = headline::headlines(&view);
    let charts = all_charts(&view, &headlines);
    let data = PageData {
        drives: view
            .slugs()
            .iter()
            .map(|slug| view.drive_name(slug))
            .collect(),
        charts: &charts,
    };
    page(&view, &headlines, &charts, &embed_json(&data)).into_string()
}

fn all_charts(view: &View<'_>, headlines: &[Headline<'_>]) -> Vec<ChartSpec> {
    let mut charts = Vec::new();
    charts.extend(chart::of_headlines(view, headlines));
    for family in &view.families {
        charts.extend(chart::of_family(view, family));
        charts.extend(detail::charts(view, family));
    }
    charts
}

/// JSON that cannot end the script element it stands in, whatever the strings hold.
fn embed_json(data: &PageData<'_>) -> String {
    let json = serde_json::to_string(data).expect("chart data has string keys only");
    json.replace('<', "\\u003c")
}

fn page(view: &View<'_>, headlines: &[Headline<'_>], charts: &[ChartSpec], json: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(view))
            body {
                a.skip href="#content" { "Skip to the content" }
                (sidebar(view))
                main #content tabindex="-1" {
                    (front::header(view))
                    (unfinished::notice(&view.set.unfinished))
                    (front::verdicts(view, headlines, charts))
                    @for family in &view.families {
                        (family::section(view, family, charts))
                    }
                    (family::unplaced(view))
                    (drives::section(view, headlines))
                    (footer(view))
                }
                script #report-data type="application/json" { (PreEscaped(json)) }
                script { (PreEscaped(assets::CHART_LIBRARY)) }
                script { (PreEscaped(assets::script())) }
            }
        }
    }
}

fn head(view: &View<'_>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta http-equiv="Content-Security-Policy" content=(assets::CONTENT_SECURITY_POLICY);
            meta name="generator" content={ "ftlab " (view.set.origin.version) };
            // An empty icon, so that no browser asks for one.
            link rel="icon" href="data:,";
            title { "ftlab review: " (front::title(view)) }
            style { (PreEscaped(assets::style())) }
            // Before the body is drawn, so that a stored theme does not flash.
            script { (PreEscaped(assets::THEME_EARLY)) }
        }
    }
}

fn sidebar(view: &View<'_>) -> Markup {
    html! {
        header.bar {
            a.brand href="#top" { "ftlab" span { " review" } }
            nav aria-label="Sections of the report" {
                details.menu open {
                    summary { "Contents" }
                    ul {
                        li { a href="#verdicts" { "Verdicts" } }
                        @if !view.families.is_empty() {
                            li.group { "Tests" }
                        }
                        @for family in &view.families {
                            li { a href={ "#" (family.id) } { (family.title) } }
                        }
                        @if !view.unplaced.is_empty() {
                            li { a href="#unplaced" { "Without a run" } }
                        }
                        @if !view.set.drives.is_empty() {
                            li.group { "Drives" }
                        }
                        @for (index, drive) in view.set.drives.iter().enumerate() {
                            li { a href={ "#drive-" (index + 1) } { (drive.name) } }
                        }
                    }
                }
            }
            button.theme type="button" data-theme-toggle aria-label="Switch between light and dark" {
                span aria-hidden="true" { "◐" }
            }
        }
    }
}

fn footer(view: &View<'_>) -> Markup {
    let origin = &view.set.origin;
    html! {
        footer {
            p {
                "Made by ftlab " (origin.version) " with seed " (origin.seed) " on the test machine "
                code { (origin.testbed) } ". The same seed, drive files and version give the same \
                numbers. Charts are drawn with Apache ECharts (Apache License 2.0)."
            }
        }
    }
}

/// The frame every chart sits in: caption, buttons, a picture and its data.
fn chart_figure(chart: &ChartSpec) -> Markup {
    let caption = format!("{}-caption", chart.id);
    html! {
        figure.chart data-chart=(chart.id) {
            div.chart-head {
                figcaption id=(caption) { (chart.title) }
                div.tools {
                    button type="button" data-log aria-pressed=(chart.log.to_string())
                        aria-describedby=(caption) { "Log scale" }
                    button type="button" data-table aria-expanded="false"
                        aria-controls={ (chart.id) "-data" } aria-describedby=(caption) { "Data" }
                }
            }
            div.plot id=(chart.id) role="img" aria-labelledby=(caption) {}
            div.chart-data id={ (chart.id) "-data" } hidden {}
        }
    }
}

fn chart_called<'a>(charts: &'a [ChartSpec], id: &str) -> Option<&'a ChartSpec> {
    charts.iter().find(|chart| chart.id == id)
}

//! One self-contained page: text and tables are in the HTML, charts and tables of runs are made
//! from embedded data when they are looked at.
//!
//! The page asks for nothing: styles, scripts and data are inside it, and its
//! content security policy forbids the rest. It is read as several pages – an overview, one a
//! review, one a drive – of which the script shows one at a time.

mod accuracy;
mod answer;
mod assets;
mod cards;
pub mod charts;
pub mod comparison;
mod contents;
mod document;
mod drives;
mod family;
mod figure;
mod frame;
mod front;
mod navigation;
mod own;
pub mod pair;
mod plan;
mod pts;
mod tables;
mod unfinished;
mod uses;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use ftlab_result::{ResultSet, Way};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use crate::view::family_data::{self, FamilyData};
use crate::view::headline::{self, Headline};
use crate::view::series::Thinning;
use crate::view::{View, colours, purpose};

/// The data that the page's script gets at once; it reads those of a family when they are looked at.
#[derive(Serialize)]
struct PageData<'a> {
    drives: Vec<DriveData<'a>>,
    /// The word above the values of drives.
    value: &'static str,
    /// True if panels show all drives on the same axes, and not a drive each.
    together: bool,
    verdicts: Option<front::VerdictData>,
}

#[derive(Serialize)]
struct DriveData<'a> {
    name: &'a str,
    colour: usize,
}

/// Draws a result set as one HTML file that works offline.
#[must_use]
pub fn render(set: &ResultSet) -> String {
    let view = View::new(set);
    let headlines = headline::headlines(&view);
    let data = Data::of(&view, front::VerdictData::of(&view, &headlines));
    page(&view, &headlines, &data).into_string()
}

/// What the script of a page draws from.
struct Data<'a> {
    page: PageData<'a>,
    families: Vec<FamilyData>,
}

impl<'a> Data<'a> {
    fn of(view: &'a View<'a>, verdicts: Option<front::VerdictData>) -> Self {
        let thinning = Thinning::for_runs(&view.set.runs);
        let shown: Vec<Vec<usize>> = (view.families.iter())
            .map(|family| family_data::shown_first(view, family))
            .collect();
        let mut together = shown.clone();
        together.extend(verdicts.iter().map(|data| data.shown.clone()));
        let colours = colours::assign(view.slugs().len(), &together);
        let families = (view.families.iter().zip(&shown))
            .map(|(family, shown)| FamilyData::of(view, family, shown, thinning))
            .collect();
        let page = PageData {
            drives: (view.slugs().iter().zip(colours))
                .map(|(slug, colour)| DriveData {
                    name: view.drive_name(slug),
                    colour,
                })
                .collect(),
            value: match (view.pair, view.set.origin.way) {
                (Some(_), _) => "Value",
                (None, Way::Measured) => "Measured",
                (None, Way::Simulated | Way::Attached) => "Simulated",
            },
            together: view.pair.is_some(),
            verdicts,
        };
        Data { page, families }
    }

    /// As elements of the page, with the script that reads them.
    fn embedded(&self, view: &View<'_>) -> Markup {
        html! {
            (embedded("report-data", &self.page))
            @for (family, data) in view.families.iter().zip(&self.families) {
                (packed(&format!("{}/data", family.id), data))
            }
            script { (PreEscaped(assets::LIBRARIES)) }
            script { (PreEscaped(assets::script())) }
        }
    }
}

/// JSON as the page's own script unpacks it when it is looked at, deflated and in base64: a fifth of its size.
fn packed<T: Serialize>(id: &str, data: &T) -> Markup {
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut deflated, data).expect("the page's data have string keys only");
    let deflated = deflated.finish().expect("memory takes what is written");
    html! { script id=(id) type="application/octet-stream" { (STANDARD.encode(deflated)) } }
}

/// JSON that cannot end the script element it stands in, whatever the strings hold.
fn embedded<T: Serialize>(id: &str, data: &T) -> Markup {
    let json = serde_json::to_string(data).expect("the page's data have string keys only");
    let safe = json.replace('<', "\\u003c");
    html! { script id=(id) type="application/json" { (PreEscaped(safe)) } }
}

fn page(view: &View<'_>, headlines: &[Headline<'_>], data: &Data<'_>) -> Markup {
    let purposes = purpose::purposes(view);
    // The bar of navigation offers the parts that this report has.
    let parts: Vec<(&str, &str)> = [
        (
            !headline::say_nothing(headlines),
            ("verdicts", "Which drive stutters"),
        ),
        (!purposes.is_empty(), ("uses", "Which drive for what")),
        (
            !view.set.figures.is_empty(),
            ("accuracy", "How accurate is it"),
        ),
    ]
    .into_iter()
    .filter_map(|(is_there, part)| is_there.then_some(part))
    .collect();
    let content = html! {
        div.page #top {
            (front::header(view))
            (unfinished::notice(&view.set.unfinished))
            (answer::section(view))
            (plan::section(view))
            (contents::differences(view))
            @if view.set.figures.is_empty() { (contents::section(view)) }
            (front::verdicts(view, headlines, data.page.verdicts.as_ref()))
            (uses::section(view, &purposes))
            (accuracy::section(view))
        }
        @for review in view.reviews() { (family::review(view, &review, &data.families)) }
        (family::unplaced(view))
        @for (index, drive) in view.set.drives.iter().enumerate() {
            (drives::page(view, index, drive, headlines, &purposes))
        }
        (footer(view))
    };
    let title = format!("ftlab review: {}", front::title(view));
    whole(view, &title, &parts, &content, data)
}

/// A page with its head, the bar of navigation and the data of its script; `parts`: anchors and titles of what the overview
/// has beside its head.
fn whole(
    view: &View<'_>,
    title: &str,
    parts: &[(&str, &str)],
    content: &Markup,
    data: &Data<'_>,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(view, title))
            body {
                a.skip href="#content" { "Skip to the content" }
                (navigation::bar(view, parts))
                main #content tabindex="-1" {
                    noscript { p.notice { "Charts and tables of runs need JavaScript, which is off. Everything else is here." } }
                    (content)
                }
                (data.embedded(view))
            }
        }
    }
}

fn head(view: &View<'_>, title: &str) -> Markup {
    html! {
        head {
            (document::meta())
            meta name="generator" content={ "ftlab " (view.set.origin.version) };
            (document::look(title, ""))
            // Before the body is drawn, so that a stored theme does not flash.
            script { (PreEscaped(assets::THEME_EARLY)) }
        }
    }
}

/// Slugs of test machines, as the page shows them.
fn machines(slugs: &str) -> Markup {
    html! {
        @for (index, slug) in slugs.split(", ").enumerate() {
            @if index > 0 { ", " }
            code { (slug) }
        }
    }
}

/// Says what another run would give.
const fn repeatable(way: Way) -> &'static str {
    match way {
        Way::Simulated => "The same seed, drive files and version give the same numbers.",
        Way::Attached | Way::Measured => {
            "Times are those of a wall clock, so another run gives other numbers."
        }
    }
}

fn footer(view: &View<'_>) -> Markup {
    let origin = &view.set.origin;
    html! {
        footer {
            p {
                "Made by ftlab " (origin.version) " with seed " (origin.seed)
                @if origin.repeats > 1 { " and " (origin.repeats) " repeats" }
                @if origin.testbed.contains(", ") { " on the test machines " } @else { " on the test machine " }
                (machines(&origin.testbed)) ". " (repeatable(origin.way))
                " Charts are drawn with Apache ECharts (Apache License 2.0)."
            }
        }
    }
}

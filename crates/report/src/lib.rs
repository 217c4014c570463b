//! Results as tables and as one self-contained HTML page. Never links the simulator,
//! so what a real drive gave and what a model gave look the same.
//!
//! Two entry points, all pure functions of a [`ftlab_result::ResultSet`]:
//!
//! - [`html::render`]: a page that works from a file, without a network.
//! - [`terminal::render`]: tables for a terminal.
//!
//! Several result sets side by side are a [`comparison::Comparison`], drawn by [`comparison::terminal()`] and
//! [`html::comparison::render`]. A real drive beside its model is a [`pair::Pair`], drawn by [`pair::terminal()`] and
//! [`html::pair::render`], which draws both in every chart. Charts for files that a text embeds are drawn by [`svg`], and so are those of pages without
//! a script ([`html::charts`]).
//!
//! `view` decides once everything that is drawn; the HTML and terminal modules only lay it out.
//!
//! # The path of a report
//!
//! ```text
//! html::render            report/src/html/mod.rs      a result set becomes one page
//!   View::new             report/src/view/mod.rs      families of tests, reviews, figures by family
//!   headline, purpose     report/src/view/            verdicts: who stutters and why, which drive for what
//!   shown_first           report/src/view/family_data.rs  the drives a chart shows at first
//!   colours::assign       report/src/view/colours.rs  drives that charts draw together differ
//!   Thinning::for_runs    report/src/view/series.rs   points a run may keep; minimum and maximum of a stretch stay
//!   FamilyData::of        report/src/view/family_data.rs  what charts and tables of runs are made of, in columns
//!   page                  report/src/html/            text and tables as HTML, data as JSON, an element a family
//! startPages              report/web/src/page.js      one page is shown; links unfold what they lead to
//! watch                   report/web/src/charts.js    a chart that nears the view parses its family's data and draws
//! ```
//!
//! Rust decides everything, once: verdicts, units, defaults, colours. The script only chooses among it (drives,
//! measure, step, scale) and draws. Tables of figures are HTML; those of runs are made when they are unfolded, as thousands
//! of rows would make a report of all drives slow to open.
//!
//! `report::settling` marks the figures of runs that ended before garbage collection had settled, and
//! `play/src/warnings.rs` says of a single run what its reader has to know: what was seen, why it matters, what to do
//! instead. Who waits for long work hears how far it is through `states/src/watch.rs`; `console/src/progress.rs` shows it.
//!
//! `ftlab compare` (`ftlab/src/compare/`) runs the same on variants of one drive: `sweep.rs` reads the settings, `grid.rs` puts
//! metrics into tables, `chart.rs` draws them. `ftlab report` (`ftlab/src/report/`) reads result sets and simulates nothing:
//! `report::comparison` matches their runs, `crates/export` makes tables. The types of `crates/result` are the schema;
//! `docs/schema/results.schema.json` is made of them, and a test compares the two.

pub mod comparison;
mod format;
pub mod html;
pub mod pair;
pub mod settling;
pub mod svg;
pub mod terminal;
mod view;

pub use format::{
    error, mean, number, percent, published, signed_error, unit as unit_as_printed, with_unit,
};
pub use view::condition::{link as link_words, state as state_words};

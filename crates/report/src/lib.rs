//! Results as tables, as one self-contained HTML page and as a page about accuracy. Never links the simulator,
//! so what a real drive gave and what a model gave look the same.
//!
//! Three entry points, all pure functions of a [`ftlab_result::ResultSet`]:
//!
//! - [`html::render`]: a page that works from a file, without a network.
//! - [`terminal::render`]: tables for a terminal.
//! - [`accuracy::render`]: a page in Markdown about how right the model is.
//!
//! Several result sets side by side are a [`comparison::Comparison`], drawn by [`comparison::terminal()`] and
//! [`html::comparison::render`].
//!
//! What is drawn is decided once in `view`; the HTML and terminal modules only lay it out.

pub mod accuracy;
pub mod comparison;
mod format;
pub mod html;
pub mod settling;
pub mod terminal;
mod view;

pub use format::mean;

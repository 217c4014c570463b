//! Results as a terminal table and as one self-contained HTML page. Never links the simulator,
//! so what a real drive gave and what a model gave look the same.
//!
//! Two entry points, both pure functions of a [`ftlab_result::ResultSet`]:
//!
//! - [`html::render`]: a page that works from a file, without a network.
//! - [`terminal::render`]: tables for a terminal.
//!
//! What is drawn is decided once in `view`; the HTML and terminal modules only lay it out.

mod format;
pub mod html;
pub mod terminal;
mod view;

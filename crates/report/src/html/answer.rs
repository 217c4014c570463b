//! The answer of a report: sentences on what was required, and the figures that one decides by.

use super::pts::table;
use crate::settling;
use crate::view::{View, answer};
use maud::{Markup, html};

/// Sentences and table; nothing where nothing was required and no load was the user's own.
pub fn section(view: &View<'_>) -> Markup {
    let (sentences, rows) = (answer::sentences(view), answer::table(view));
    let is_unsettled = view.set.runs.iter().any(settling::is_unsettled);
    html! {
        @if !sentences.is_empty() || rows.is_some() {
            section #answer aria-labelledby="answer-title" {
                h2 #answer-title { "The answer" }
                @for sentence in &sentences { p.answer { (sentence) } }
                @if let Some(rows) = &rows {
                    (table("answer-runs", rows))
                    @if is_unsettled { p.small { (settling::NOTE) } }
                }
            }
        }
    }
}

//! A notice of drives without results, before anything is concluded.

use ftlab_result::Unfinished;
use maud::{Markup, html};

/// Nothing when every drive has all its results.
pub fn notice(unfinished: &[Unfinished]) -> Markup {
    html! {
        @if !unfinished.is_empty() {
            section #unfinished aria-labelledby="unfinished-title" {
                h2 #unfinished-title { "Without results" }
                p { "This was asked for too, and is in no chart and no verdict." }
                ul {
                    @for drive in unfinished {
                        li { code { (drive.drive) } ": " (drive.why) }
                    }
                }
            }
        }
    }
}

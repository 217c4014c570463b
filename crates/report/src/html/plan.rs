//! Drives planned for years under a load.

use super::pts::table;
use crate::format;
use crate::view::{View, anchor, plan};
use maud::{Markup, PreEscaped, html};

/// The answers, the spare area that each goal takes, and the curves; nothing where no drive was planned.
pub fn section(view: &View<'_>) -> Markup {
    let plans = &view.set.plans;
    html! {
        @if !plans.is_empty() {
            section #plan aria-labelledby="plan-title" {
                h2 #plan-title { "How long, how fast, and how much spare area" }
                @for sentence in plan::sentences(view) { p { (sentence) } }
                (table("plan-answers", &plan::answers(view)))
                @if let Some(goals) = plan::goals(view) { (table("plan-goals", &goals)) }
                @for chart in plan::rate_charts(view) { figure.drawn { (PreEscaped(chart)) } }
                @for of_drive in plans {
                    @if let Some(rates) = plan::rates(view, of_drive) {
                        (table(&format!("plan-rates-{}", anchor(&of_drive.drive)), &rates))
                    }
                }
                @for chart in plan::charts(view) { figure.drawn { (PreEscaped(chart)) } }
                @for of_drive in plans {
                    @if let Some(curve) = plan::curve(view, of_drive) {
                        (table(&format!("plan-curve-{}", anchor(&of_drive.drive)), &curve))
                    }
                }
                @for of_drive in plans {
                    details.behind {
                        summary { "How these numbers were obtained: " (view.drive_name(&of_drive.drive)) }
                        ul { @for note in plan::notes(of_drive) { li { (format::keep_units(&note)) } } }
                    }
                }
            }
        }
    }
}

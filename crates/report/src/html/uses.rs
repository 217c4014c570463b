//! Drives ranked by use: a card a use.

use maud::{Markup, html};

use super::cards;
use super::navigation::drive_id;
use crate::format;
use crate::view::View;
use crate::view::headline::join_names;
use crate::view::purpose::Purpose;
use crate::view::standing;

/// More drives that are level with each other are counted.
const NAMES_MAX: usize = 3;

pub fn section(view: &View<'_>, purposes: &[Purpose<'_, '_>]) -> Markup {
    html! {
        @if !purposes.is_empty() {
            section #uses aria-labelledby="uses-title" {
                h2 #uses-title { "Which drive for what" }
                p.method {
                    "The one test that is nearest to a use ranks the drives for it, with data that do not compress and \
                    on the fastest port of each drive. Drives within 2\u{a0}% are level."
                    @if view.set.origin.quick {
                        " How even a speed stays takes longer to show than a quick review lasts."
                    }
                }
                div.uses style=(cards::columns(purposes.len())) { @for purpose in purposes { (card(view, purpose)) } }
            }
        }
    }
}

fn card(view: &View<'_>, purpose: &Purpose<'_, '_>) -> Markup {
    let best = purpose.best();
    // Drives level with the best share the title; the ladder begins behind them.
    let rest = &purpose.ranked[best.len()..];
    let amount = |value: f64| format::with_unit(&format::number(value), purpose.unit);
    html! {
        article.use {
            h3 { (purpose.title) }
            p.winner {
                @if best.is_empty() {
                    "No verdict: fewer than two models are verified"
                } @else if best.len() <= NAMES_MAX {
                    @for (index, (slug, _)) in best.iter().enumerate() {
                        @if index > 0 { ", " }
                        (drive(view, slug))
                    }
                } @else {
                    (drive(view, best[0].0)) " and " (best.len() - 1) " level with it"
                }
            }
            @if let Some((_, value)) = best.first() {
                p.amount { b { (amount(*value)) } " " (purpose.says) }
            }
            dl.ladder {
                @if let Some((slug, value)) = rest.first() {
                    div { dt { @if best.is_empty() { "verified" } @else { "next" } } dd { (drive(view, slug)) } dd.num { (amount(*value)) } }
                }
                @if rest.len() > 2 {
                    @let (slug, value) = purpose.ranked[purpose.ranked.len() / 2];
                    div { dt { "middle" } dd { (drive(view, slug)) } dd.num { (amount(value)) } }
                }
                @if let [_, .., (slug, value)] = rest {
                    div { dt { "last" } dd { (drive(view, slug)) } dd.num { (amount(*value)) } }
                }
            }
            @if !purpose.unverified.is_empty() {
                details.unverified {
                    summary { (purpose.unverified.len()) " more: " (standing::UNVERIFIED) }
                    dl.ladder {
                        @for (slug, value) in &purpose.unverified {
                            div { dt {} dd { (drive(view, slug)) } dd.num { (amount(*value)) } }
                        }
                    }
                }
            }
            p.small {
                "Test "
                a href={ "#" (purpose.family.id) } { (join_names(&purpose.family.methods())) }
                " ranks " (purpose.ranked.len()) " drives. " (purpose.better)
            }
        }
    }
}

fn drive(view: &View<'_>, slug: &str) -> Markup {
    html! {
        @match view.sheet(slug) {
            Some(_) => a href={ "#" (drive_id(slug)) } { (format::keep_units(view.drive_name(slug))) },
            None => (slug),
        }
    }
}

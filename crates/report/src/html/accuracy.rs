//! The accuracy of the model: figures reproduced, by review, and every miss with its reason.

use ftlab_result::{Figure, Verdict};
use maud::{Markup, html};

use super::{frame, navigation, tables};
use crate::format;
use crate::view::View;
use crate::view::errors::bands;

/// Nothing where no published figure is beside the results.
pub fn section(view: &View<'_>) -> Markup {
    if view.set.figures.is_empty() {
        return html! {};
    }
    html! {
        section #accuracy aria-labelledby="accuracy-title" {
            h2 #accuracy-title { "How accurate is it?" }
            p.method {
                "Every figure that the reviewers published and a test here answers stands beside the model’s. The \
                error says how far the model is above or below, in percent, and past half and double as a factor. \
                Figures that a source gives as a bound or a range pass or fail; unclear ones are only shown."
            }
            (tally(view))
            (tables::bands(&bands(view.set.figures.iter())))
            (reviews(view))
            (misses(view))
        }
    }
}

fn tally(view: &View<'_>) -> Markup {
    let tally = view.set.tally();
    let error = |error: Option<f64>| error.map_or("–".to_owned(), format::error);
    html! {
        section.tally aria-label="How the figures came out" {
            div.stat { b { (tally.pass) } span { "figures pass" } }
            div.stat.fails[tally.fail > 0] { b { (tally.fail) } span { "figures fail" } }
            div.stat { b { (tally.shown) } span { "shown, not judged" } }
            div.stat { b { (error(tally.median_error)) } span { "median error of " (tally.scored) } }
            @if let Some(figure) = worst_figure(view) {
                div.stat {
                    b { (tables::error(figure)) }
                    span { "worst error, " a href={ "#" (view.figure_anchor(figure)) } { (figure.id) } }
                }
            }
        }
    }
}

fn worst_figure<'a>(view: &View<'a>) -> Option<&'a Figure> {
    let scored = view
        .set
        .figures
        .iter()
        .filter(|figure| figure.error.is_some());
    let by_error =
        |a: &&Figure, b: &&Figure| a.error.unwrap_or(0.0).total_cmp(&b.error.unwrap_or(0.0));
    scored.max_by(by_error)
}

fn reviews(view: &View<'_>) -> Markup {
    let reviews = view.reviews();
    let median = |figures: &[&Figure]| {
        let mut errors: Vec<f64> = figures.iter().filter_map(|figure| figure.error).collect();
        errors.sort_by(f64::total_cmp);
        ftlab_result::median(&errors).map_or("–".to_owned(), format::error)
    };
    let columns = html! {
        (frame::words(&["Review"]))
        (frame::numbers(&["Pass", "Judged", "Shown", "Median error"]))
    };
    let rows = html! {
        tbody {
            @for review in &reviews {
                @let score = review.score();
                @let figures: Vec<&Figure> = review.families.iter().flat_map(|f| f.figures.iter().copied()).collect();
                @if !figures.is_empty() {
                    tr {
                        th scope="row" {
                            a href={ "#" (navigation::review_id(review)) } { (navigation::review_name(review)) }
                        }
                        td.num { (score.pass) }
                        td.num { (score.judged) }
                        td.num { (score.shown) }
                        td.num { (median(&figures)) }
                    }
                }
            }
        }
    };
    // Where nothing is judged, the table would be empty of what it is about.
    html! {
        @if reviews.iter().any(|review| review.score().judged > 0) {
            (frame::table("reviews-caption", None, &html! { "By review" }, &columns, &rows))
        }
    }
}

fn misses(view: &View<'_>) -> Markup {
    let misses: Vec<&Figure> = (view.set.figures.iter())
        .filter(|figure| figure.verdict == Verdict::Fail)
        .collect();
    let explained = misses
        .iter()
        .filter(|figure| !figure.why.is_empty())
        .count();
    html! {
        @if !misses.is_empty() {
            details.behind {
                summary { "The " (misses.len()) " misses, " @if explained == misses.len() { "all" } @else { (explained) " of them" } " explained" }
                ul.misses {
                    @for figure in misses {
                        li {
                            a href={ "#" (view.figure_anchor(figure)) } { (figure.id) } " "
                            (view.drive_name(&figure.model)) ", " (view.metric_words(&figure.metric)) ": "
                            (tables::published_and_simulated(figure))
                            @if !figure.why.is_empty() { span.sub { (figure.why) } }
                        }
                    }
                }
            }
        }
    }
}

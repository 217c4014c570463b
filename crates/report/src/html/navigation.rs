//! The contents: overview, tests by review, drives with a filter.

use maud::{Markup, html};

use crate::view::View;
use crate::view::errors::source_short;
use crate::view::{Review, anchor};

/// The contents of a page; `parts`: anchors and titles of what the overview has beside its head.
pub fn bar(view: &View<'_>, parts: &[(&str, &str)]) -> Markup {
    html! {
        header.bar {
            a.brand href="#top" { "ftlab" span { @if view.set.origin.quick { " quick review" } @else { " review" } } }
            nav aria-label="Contents of the report" {
                details.menu open {
                    summary { "Contents" }
                    div.menu-body {
                        ul {
                            li { a href="#top" { "Overview" } }
                            @for (id, title) in parts { li { a.part href={ "#" (id) } { (title) } } }
                        }
                        @if !view.families.is_empty() { p.group { "Tests" } }
                        @for review in view.reviews() { (tests(&review)) }
                        @if !view.unplaced.is_empty() {
                            ul { li { a href="#unplaced" { "Without a run" } } }
                        }
                        @if !view.set.drives.is_empty() { (drives(view)) }
                    }
                }
            }
            button.theme type="button" data-theme-toggle aria-label="Switch between light and dark" {
                span aria-hidden="true" { "◐" }
            }
        }
    }
}

/// `tests/a`: where the tests of a review stand.
pub fn review_id(review: &Review<'_, '_>) -> String {
    match review.letters {
        "" => "tests/other".to_owned(),
        letters => format!("tests/{}", anchor(letters)),
    }
}

/// `AnandTech 2008`: the source of its tests, else of most of its figures; the letters of its methods where
/// neither is known.
pub fn review_name(review: &Review<'_, '_>) -> String {
    let tests = || review.families.iter().flat_map(|family| &family.tests);
    let figures = || review.families.iter().flat_map(|family| &family.figures);
    let from = |source: &str| {
        let of_tests = tests().filter(|test| test.source == source).count();
        let of_figures = figures().filter(|figure| figure.source == source).count();
        (of_tests, of_figures)
    };
    // The first of equals, as the last of the reversed.
    let most = review
        .sources()
        .into_iter()
        .rev()
        .max_by_key(|source| from(source));
    match (most, review.letters) {
        (Some(source), _) => source_short(source),
        (None, "") => "Your loads".to_owned(),
        (None, "PTS") => "SNIA PTS".to_owned(),
        (None, letters) => format!("Tests {letters}"),
    }
}

/// `drive/intel-x25-m-g1-80`: where a drive's page is.
pub fn drive_id(slug: &str) -> String {
    format!("drive/{}", anchor(slug))
}

fn tests(review: &Review<'_, '_>) -> Markup {
    html! {
        details.review {
            summary {
                span { (review_name(review)) }
                span.count { (review.families.len()) }
            }
            ul {
                @for family in &review.families {
                    li {
                        a href={ "#" (family.id) } {
                            span.method { (family.methods().join(", ")) } " " (family.title)
                        }
                    }
                }
            }
        }
    }
}

fn drives(view: &View<'_>) -> Markup {
    html! {
        p.group { "Drives" }
        @if view.set.drives.len() > 8 {
            input.filter type="search" placeholder="Filter drives" aria-label="Filter the list of drives"
                data-filter="drive-list";
        }
        ul #drive-list {
            @for drive in &view.set.drives {
                li { a href={ "#" (drive_id(&drive.drive)) } { (view.drive_name(&drive.drive)) } }
            }
        }
    }
}

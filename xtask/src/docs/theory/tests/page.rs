//! The page in docs/ is the one that its figures draw.

use crate::docs::theory::case::{Case, cases};
use crate::docs::theory::runs::Point;
use crate::docs::theory::{chart, page};
use ftlab_theory::Policy;

const PAGE: &str = include_str!("../../../../../docs/theory.md");
const DRAW_AGAIN: &str = "draw it again: cargo run --release -p xtask -- docs theory";

/// The simulated figures of the page, in its order: the cell before the error of each table row.
fn simulated() -> Vec<f64> {
    let mut figures = Vec::new();
    let mut column = None;
    for line in PAGE.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let header = cells.iter().position(|&cell| cell == "simulated");
        if header.is_some() || cells.len() < 3 {
            column = header;
        } else if let Some(column) = column
            && !cells[column].starts_with('-')
        {
            let figure = cells[column].parse();
            figures.push(figure.unwrap_or_else(|_| panic!("{line}; {DRAW_AGAIN}")));
        }
    }
    figures
}

/// The page's points: today's cases and closed forms, the figures as committed.
fn committed() -> Vec<Point> {
    let (cases, figures) = (cases(), simulated());
    assert_eq!(figures.len(), cases.len(), "{DRAW_AGAIN}");
    let point = |(case, simulated): (Case, f64)| Point {
        case,
        theory: case.theory(),
        simulated,
    };
    cases.into_iter().zip(figures).map(point).collect()
}

#[test]
fn the_committed_page_is_what_its_figures_draw() {
    let points = committed();
    let drawn = page::render(&points);
    for (number, (drawn, there)) in drawn.lines().zip(PAGE.lines()).enumerate() {
        assert_eq!(drawn, there, "line {}; {DRAW_AGAIN}", number + 1);
    }
    assert_eq!(drawn.len(), PAGE.len(), "{DRAW_AGAIN}");
}

#[test]
fn the_committed_charts_are_what_its_figures_draw() {
    let there = [
        (
            chart::SPARE,
            include_str!("../../../../../docs/images/theory-spare.svg"),
        ),
        (
            chart::HOT_COLD,
            include_str!("../../../../../docs/images/theory-hot-cold.svg"),
        ),
        (
            chart::TRIM,
            include_str!("../../../../../docs/images/theory-trim.svg"),
        ),
    ];
    let drawn = chart::draw_all(&committed());
    assert_eq!(drawn.len(), there.len());
    for (drawn, (file, there)) in drawn.iter().zip(there) {
        assert_eq!(drawn.file, file);
        assert!(drawn.svg == there, "docs/images/{file}; {DRAW_AGAIN}");
    }
}

#[test]
fn the_committed_figures_are_as_close_as_the_page_says() {
    for point in committed() {
        let (case, error) = (point.case, point.error());
        // A victim is as full as any block, so write amplification scatters most.
        let error_max = match case.policy {
            Policy::Random => 0.01,
            _ => 0.005,
        };
        assert!(error.abs() <= error_max, "{case}: {error}");
    }
}

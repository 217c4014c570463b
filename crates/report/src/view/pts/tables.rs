//! Tables that the standard asks for.

use super::{EXCURSION_MAX_PCT, Matrix, Quantity, SLOPE_MAX_PCT, Table, block_words, mix_words};
use crate::format;
use ftlab_result::pts::{Cell, Course, Point, Pts, SteadyState};

/// Rows of the table of a course that is one long one.
const ROWS: usize = 10;

pub fn of(pts: &Pts, quantity: Quantity, capacity_bytes: u64) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(pts.steady.as_ref().map(tracking));
    let shown = quantity.of_matrices(&pts.cells).iter();
    tables.extend(shown.map(|&quantity| matrix(&pts.cells, quantity)));
    match pts.courses.as_slice() {
        [] => {}
        [only] => tables.push(course(only, quantity, capacity_bytes)),
        several => tables.push(groups(several, pts.steady.as_ref(), quantity)),
    }
    tables
}

fn tracking(steady: &SteadyState) -> Table {
    let row = |of: &ftlab_result::pts::Tracking| {
        let judged = |value: f64, most: f64| {
            let verdict = if value <= most { "pass" } else { "FAIL" };
            format!("{value:.1} % {verdict}")
        };
        vec![
            of.access.clone(),
            format!("{} {}", format::number(of.mean), of.unit),
            judged(of.excursion_pct, EXCURSION_MAX_PCT),
            judged(of.slope_pct, SLOPE_MAX_PCT),
            if of.is_steady { "steady" } else { "NOT STEADY" }.to_owned(),
        ]
    };
    let header = [
        "access",
        "average",
        "excursion, at most 20 %",
        "slope, at most 10 %",
        "",
    ];
    let rows = steady.tracking.iter().map(row).collect();
    Table::new(
        "Tracking variables in the measurement window",
        &header,
        rows,
    )
}

fn matrix(cells: &[Cell], quantity: Quantity) -> Table {
    let Matrix { blocks, mixes } = Matrix::of(cells);
    let over = match quantity {
        Quantity::LongestLatency => "longest in the measurement window",
        _ => "mean over the measurement window",
    };
    let mut header = vec!["block size \\ R/W".to_owned()];
    header.extend(mixes.iter().map(|&mix| mix_words(mix)));
    let row = |&block: &u64| {
        let mut row = vec![block_words(block)];
        row.extend(mixes.iter().map(|&mix| {
            let value = Matrix::value(cells, block, mix, quantity);
            value.map_or("–".to_owned(), format::number)
        }));
        row
    };
    let unit = match quantity {
        Quantity::Iops => String::new(),
        _ => format!(", {}", quantity.unit()),
    };
    let title = format!("{}{unit}: {over}", quantity.words());
    Table::new(title, &header, blocks.iter().map(row).collect())
}

/// Samples at even distances of one course.
fn course(course: &Course, quantity: Quantity, capacity_bytes: u64) -> Table {
    // A course has more samples than a table has rows; the first and the last are always shown.
    let last = course.points.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..ROWS).map(|n| n * last / (ROWS - 1)).collect();
    places.dedup();
    let row = |&place: &usize| {
        let point = course.points.get(place)?;
        Some(vec![
            format!(
                "{:.2}",
                point.written_bytes as f64 / capacity_bytes.max(1) as f64
            ),
            format::number(point.written_bytes as f64 / 1e9),
            format::number(point.at_s),
            format::number(quantity.value(&point.rate)),
            format::number(point.rate.lat_avg_ms),
            format::number(point.rate.lat_max_ms),
        ])
    };
    let (shown, all) = (places.len(), course.points.len());
    let header = [
        "capacities written",
        "GB",
        "after s",
        quantity.unit(),
        "average ms",
        "longest ms",
    ];
    let rows = places.iter().filter_map(row).collect();
    Table::new(
        format!("{}, {shown} of {all} samples", course.name),
        &header,
        rows,
    )
}

/// A row an access group; beside the steady state where there is one.
fn groups(courses: &[Course], steady: Option<&SteadyState>, quantity: Quantity) -> Table {
    let before = steady.and_then(|steady| Some(steady.tracking.first()?.mean));
    let row = |course: &Course| {
        let value = |point: &Point| quantity.value(&point.rate);
        let values: Vec<f64> = course.points.iter().map(value).collect();
        let end =
            |value: Option<&f64>| value.map_or("–".to_owned(), |&value| format::number(value));
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mut row = vec![
            course.name.clone(),
            end(values.first()),
            end(values.last()),
            format::number(mean),
            end(values.iter().min_by(|a, b| a.total_cmp(b))),
            end(values.iter().max_by(|a, b| a.total_cmp(b))),
        ];
        row.extend(before.map(|before| format!("{:.2}", mean / before)));
        row
    };
    let mut header = vec!["access group", "first", "last", "mean", "least", "most"];
    header.extend(before.map(|_| "mean : steady"));
    let title = format!("{} of each access group", quantity.unit());
    Table::new(title, &header, courses.iter().map(row).collect())
}

//! The standard's tables.

use super::{EXCURSION_MAX_PCT, Matrix, Quantity, SLOPE_MAX_PCT, Table, block_words, mix_words};
use crate::format;
use ftlab_result::pts::{Cell, Course, Point, Pts, SteadyState};

/// Rows of the table of a course that is one long one.
const ROWS: usize = 10;

pub fn of(pts: &Pts, quantity: Quantity, capacity_bytes: u64) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(pts.steady.as_ref().map(tracking));
    if pts.cells.len() > 1 {
        tables.push(matrix(&pts.cells, quantity));
        if quantity == Quantity::AverageLatency {
            tables.push(matrix(&pts.cells, Quantity::LongestLatency));
        }
    }
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
    Table {
        title: "Tracking variables in the measurement window".to_owned(),
        header: [
            "access",
            "average",
            "excursion, at most 20 %",
            "slope, at most 10 %",
            "",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: steady.tracking.iter().map(row).collect(),
    }
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
    Table {
        title: format!("{}{unit}: {over}", quantity.words()),
        header,
        rows: blocks.iter().map(row).collect(),
    }
}

/// Samples at even distances of one course.
fn course(course: &Course, quantity: Quantity, capacity_bytes: u64) -> Table {
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
    Table {
        title: format!(
            "{}, {} of {} samples",
            course.name,
            places.len(),
            course.points.len()
        ),
        header: vec![
            "capacities written".to_owned(),
            "GB".to_owned(),
            "after s".to_owned(),
            quantity.unit().to_owned(),
            "average ms".to_owned(),
            "longest ms".to_owned(),
        ],
        rows: places.iter().filter_map(row).collect(),
    }
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
    let mut header: Vec<String> = ["access group", "first", "last", "mean", "least", "most"]
        .map(str::to_owned)
        .to_vec();
    header.extend(before.map(|_| "mean : steady".to_owned()));
    Table {
        title: format!("{} of each access group", quantity.unit()),
        header,
        rows: courses.iter().map(row).collect(),
    }
}

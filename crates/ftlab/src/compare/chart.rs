//! The grids as one SVG: a panel each, the first setting across, a line for each value of the second.

use super::grid::{Grid, Value};
use super::sweep::Sweeps;
use super::words;
use ftlab_bench::variants::Sweep;
use ftlab_drive::DriveFile;
use ftlab_report::svg::{self, Axis, Chart, Series};

/// The height of a panel in pixels.
const HEIGHT: f64 = 360.0;

/// Draws the grids of a drive, one below the other, with the 95 % confidence intervals of the means of repeats.
pub fn draw(drive: &DriveFile, sweeps: &Sweeps, grids: &[Grid]) -> String {
    let rows = drive.parameters();
    let unit = rows
        .iter()
        .find(|row| row.key == sweeps.first.key)
        .map_or("", |row| &row.unit);
    let panel = |grid: &Grid| Chart {
        title: format!("{}: {}", drive.name(), grid.title),
        height: HEIGHT,
        across: across(&sweeps.first, unit),
        up: up(grid),
        series: series(sweeps, grid),
        note: grid.flat,
    };
    svg::draw(&grids.iter().map(panel).collect::<Vec<_>>())
}

/// The axis across: a mark at each value.
fn across(sweep: &Sweep, unit: &str) -> Axis {
    let places = places(sweep);
    let (low, high) = (places[0], places[places.len() - 1]);
    let margin = if high > low { (high - low) * 0.05 } else { 1.0 };
    let words = sweep.values.iter().map(|value| words::value(sweep, value));
    Axis {
        name: words::axis(sweep, unit),
        low: low - margin,
        high: high + margin,
        is_log: false,
        marks: places.into_iter().zip(words).collect(),
    }
}

/// The axis of the metric, with room for all intervals.
fn up(grid: &Grid) -> Axis {
    let values = grid.values.iter().flatten().flatten();
    let (least, most) = values.fold((0.0_f64, 0.0_f64), |(least, most), value| {
        let (low, high) = reach(value);
        (least.min(low), most.max(high))
    });
    Axis::round(grid.measure.clone(), least..most + (most - least) * 0.05)
}

/// A line for each value of the second setting.
fn series(sweeps: &Sweeps, grid: &Grid) -> Vec<Series> {
    let places = places(&sweeps.first);
    let second = sweeps.second.as_ref();
    let name = |sweep: &Sweep, n: usize| {
        let value = words::value(sweep, &sweep.values[n]);
        format!("{}: {value}", words::key(&sweep.key))
    };
    let line = |n: usize| {
        let values = places.iter().zip(&grid.values);
        let values: Vec<(f64, Value)> = values.filter_map(|(x, row)| Some((*x, row[n]?))).collect();
        let points: Vec<(f64, f64)> = values.iter().map(|(x, value)| (*x, value.mean)).collect();
        // An interval without width would be a dash across its own point.
        let wide = values
            .iter()
            .filter(|(_, value)| value.half_width > Some(0.0));
        Series {
            name: second.map_or_else(String::new, |sweep| name(sweep, n)),
            colour: n,
            line: points.clone(),
            dots: points,
            intervals: wide
                .map(|(x, value)| {
                    let (low, high) = reach(value);
                    (*x, low, high)
                })
                .collect(),
            ..Series::default()
        }
    };
    (0..second.map_or(1, |sweep| sweep.values.len()))
        .map(line)
        .collect()
}

/// Returns the ends of a value's interval; without an interval both are the value.
fn reach(value: &Value) -> (f64, f64) {
    let half_width = value.half_width.unwrap_or(0.0);
    (value.mean - half_width, value.mean + half_width)
}

/// Returns the places of values across: the values themselves if they are numbers of one unit in rising order, else
/// their ranks.
fn places(sweep: &Sweep) -> Vec<f64> {
    let number = |text: &String| {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || "+-._".contains(c));
        let digits = &text[..text.len() - unit.len()];
        Some((
            digits.replace('_', "").parse::<f64>().ok()?,
            unit.to_owned(),
        ))
    };
    let numbers: Option<Vec<(f64, String)>> = sweep.values.iter().map(number).collect();
    let rising = numbers.filter(|numbers| {
        let pairs = numbers.windows(2);
        pairs
            .into_iter()
            .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 == pair[1].1)
    });
    match rising {
        Some(numbers) => numbers.into_iter().map(|(number, _)| number).collect(),
        None => (0..sweep.values.len()).map(|n| n as f64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_they_are_and_words_side_by_side() {
        let places = |values: &[&str]| {
            places(&Sweep {
                key: "k".to_owned(),
                values: values.iter().map(ToString::to_string).collect(),
            })
        };
        assert_eq!(places(&["0.07", "0.15", "0.28"]), [0.07, 0.15, 0.28]);
        assert_eq!(places(&["7%", "28%"]), [7.0, 28.0]);
        assert_eq!(places(&["900us", "1ms"]), [0.0, 1.0]);
        assert_eq!(places(&["greedy", "fifo"]), [0.0, 1.0]);
        assert_eq!(places(&["2", "1"]), [0.0, 1.0]);
    }
}

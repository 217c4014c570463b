//! The grids as one SVG: a panel each, the first setting across, a line for each value of the second.

use super::grid::{Grid, Value};
use super::sweep::Sweeps;
use super::words;
use crate::paper::{COLOURS, GRID, PAPER};
use ftlab_bench::variants::Sweep;
use ftlab_drive::DriveFile;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width and height of a panel.
const SIZE: (u32, u32) = (860, 360);

/// Height of a line of the legend, of what is around its lines, and of the grid that it stands in, in pixels.
const LEGEND_LINE: f64 = 18.0;
const LEGEND_FRAME: f64 = 26.0;
const GRID_HEIGHT: f64 = 262.0;

/// Width of the dashes at the ends of an interval, in pixels.
const WHISKER_WIDTH: u32 = 10;

/// Draws the grids of a drive, one below the other, with the 95 % confidence intervals of the means of repeats.
pub fn draw(drive: &DriveFile, sweeps: &Sweeps, grids: &[Grid]) -> String {
    let mut svg = String::new();
    drawn(&mut svg, drive, sweeps, grids).expect("drawing into a string succeeds");
    // The lines end as those of any other text file.
    let lines: Vec<&str> = svg.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

fn drawn(
    svg: &mut String,
    drive: &DriveFile,
    sweeps: &Sweeps,
    grids: &[Grid],
) -> Result<(), Box<dyn std::error::Error>> {
    let height = SIZE.1 * grids.len().max(1) as u32;
    let area = SVGBackend::with_string(svg, (SIZE.0, height)).into_drawing_area();
    area.fill(&PAPER)?;
    let rows = drive.parameters();
    let unit = rows
        .iter()
        .find(|row| row.key == sweeps.first.key)
        .map_or("", |row| &row.unit);
    let across = words::axis(&sweeps.first, unit);
    for (grid, panel) in grids.iter().zip(area.split_evenly((grids.len().max(1), 1))) {
        let caption = format!("{}: {}", drive.name(), grid.title);
        draw_panel(&panel, &caption, &across, sweeps, grid)?;
    }
    area.present()?;
    Ok(())
}

fn draw_panel(
    panel: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    caption: &str,
    across: &str,
    sweeps: &Sweeps,
    grid: &Grid,
) -> Result<(), Box<dyn std::error::Error>> {
    let places = places(&sweeps.first);
    let (low, high) = (places[0], places[places.len() - 1]);
    let margin = (high - low) * 0.05;
    let values = grid.values.iter().flatten().flatten();
    let (least, most) = values.fold((0.0_f64, 0.0_f64), |(least, most), value| {
        let (low, high) = reach(value);
        (least.min(low), most.max(high))
    });
    let entries = sweeps.second.as_ref().map_or(0, |sweep| sweep.values.len());
    // The legend stands above the highest point, unless that would leave lines less than half of the grid.
    let legend = (LEGEND_FRAME + LEGEND_LINE * entries as f64).min(GRID_HEIGHT / 2.0);
    let headroom = GRID_HEIGHT / (GRID_HEIGHT - legend);
    // Values that are all zero still need an axis.
    let top = if most > least { most * headroom } else { 1.0 };
    let axis = Across {
        axis: (low - margin..high + margin).into(),
        places: places.clone(),
    };
    let mut chart = ChartBuilder::on(panel)
        .caption(caption, ("sans-serif", 17))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(76)
        .build_cartesian_2d(axis, least..top)?;
    let label = |x: &f64| {
        let at = places.iter().position(|place| place == x);
        at.map_or_else(String::new, |n| {
            words::value(&sweeps.first, &sweeps.first.values[n])
        })
    };
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .x_desc(across)
        .y_desc(&grid.measure)
        .x_label_formatter(&label)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .draw()?;
    for n in 0..entries.max(1) {
        let colour = COLOURS[n % COLOURS.len()];
        let values: Vec<(f64, Value)> = (places.iter().zip(&grid.values))
            .filter_map(|(x, row)| Some((*x, row[n]?)))
            .collect();
        let points: Vec<(f64, f64)> = values.iter().map(|(x, value)| (*x, value.mean)).collect();
        let line = chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?;
        if let Some(second) = &sweeps.second {
            line.label(format!(
                "{}: {}",
                words::key(&second.key),
                words::value(second, &second.values[n])
            ))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour));
        }
        // An interval without width would be a dash across its own point.
        let wide = values
            .iter()
            .filter(|(_, value)| value.half_width > Some(0.0));
        chart.draw_series(wide.map(|(x, value)| {
            let (low, high) = reach(value);
            ErrorBar::new_vertical(*x, low, value.mean, high, colour.filled(), WHISKER_WIDTH)
        }))?;
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour.filled())))?;
    }
    if let Some(why) = grid.flat {
        let at = (low - margin / 2.0, least + (top - least) * 0.03);
        let style = ("sans-serif", 14)
            .into_font()
            .color(&COLOURS[4])
            .pos(Pos::new(HPos::Left, VPos::Bottom));
        chart.draw_series([Text::new(why, at, style)])?;
    }
    if sweeps.second.is_some() {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(PAPER)
            .border_style(GRID)
            .legend_area_size(30)
            .label_font(("sans-serif", 14))
            .draw()?;
    }
    Ok(())
}

/// From where to where a value's interval goes; without one it is the value.
fn reach(value: &Value) -> (f64, f64) {
    let half_width = value.half_width.unwrap_or(0.0);
    (value.mean - half_width, value.mean + half_width)
}

/// The axis across: a line with a mark at each value.
struct Across {
    axis: RangedCoordf64,
    places: Vec<f64>,
}

impl Ranged for Across {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.axis.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.places.clone(),
        }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.axis.range()
    }
}

/// Where values stand across: by what they are if they are numbers of one unit in rising order, else side by
/// side.
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

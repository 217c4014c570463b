//! The page of a trace: its figures and charts, in one file that loads nothing.

use super::info::Figures;
use crate::paper::{COLOURS, GRID, PAPER};
use ftlab_base::amount::decimal;
use ftlab_trace::{BLOCK_BYTES, Look, Profile};
use plotters::prelude::*;

const SIZE: (u32, u32) = (720, 300);

/// A bar: what it is of, and one value for each series.
type Bar = (String, Vec<f64>);

/// The page.
pub fn render(look: &Look, profile: &Profile, figures: &Figures, text: &str) -> String {
    let mut charts = Vec::new();
    let bytes = |bytes: f64| decimal(bytes, "B");
    let directions = ["reads", "writes"];
    charts.push((
        "Sizes: requests up to each size",
        bars(&sizes(profile), &directions),
    ));
    let step = profile.course_step_s();
    let rate = |of: u64| {
        if step > 0.0 {
            of as f64 / step / 1e6
        } else {
            0.0
        }
    };
    let course = (0..).zip(&profile.course);
    let course: Vec<Bar> = course
        .map(|(n, [read, written])| {
            (
                format!("{:.0} s", f64::from(n) * step),
                vec![rate(*read), rate(*written)],
            )
        })
        .collect();
    charts.push(("Course: MB/s over time", bars(&course, &directions)));
    let decades = [
        "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1000 s",
        "more",
    ];
    let idle = decades.into_iter().zip(&profile.idle);
    let idle: Vec<Bar> = idle
        .map(|(name, count)| (name.to_owned(), vec![*count as f64]))
        .collect();
    charts.push((
        "Time since the request before: requests up to each time",
        bars(&idle, &["requests"]),
    ));
    let hot = (1..=20).filter_map(|n| {
        let share = f64::from(n) / 20.0;
        let writes = profile.blocks.hottest(share)?;
        Some((format!("{:.0} %", 100.0 * share), vec![100.0 * writes]))
    });
    let hot: Vec<Bar> = hot.collect();
    charts.push((
        "Skew: % of the writes to the hottest % of the written blocks",
        bars(&hot, &["writes"]),
    ));
    let distances = (0..).zip(&profile.blocks.distances);
    let distances: Vec<Bar> = distances
        .map(|(n, count)| (bytes(2_f64.powi(n) * BLOCK_BYTES as f64), vec![*count]))
        .collect();
    charts.push((
        "Reuse distance: accesses with fewer bytes of other blocks between",
        bars(&distances, &["accesses"]),
    ));
    let least = figures.least_write_amplification.iter();
    let least: Vec<Bar> = least
        .map(|[op, wa]| (format!("{:.0} % spare", 100.0 * op), vec![*wa]))
        .collect();
    charts.push((
        "Least write amplification where blocks written as often are kept together",
        bars(&least, &["bound"]),
    ));
    let charts = charts.iter().filter(|(_, svg)| !svg.is_empty());
    let charts: String = charts
        .map(|(title, svg)| format!("<h2>{title}</h2>\n{svg}\n"))
        .collect();
    let (file, words, text) = (escaped(&look.file), escaped(&look.words()), escaped(text));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{file}</title>\n\
         <style>body{{font:16px/1.5 sans-serif;max-width:760px;margin:2em auto;padding:0 1em}}pre{{overflow-x:auto;\
         font-size:13px}}svg{{max-width:100%;height:auto}}h2{{font-size:1.05em}}</style></head>\n\
         <body><h1>{file}</h1>\n<pre>{text}</pre>\n{charts}<h2>As it was read</h2>\n<pre>{words}</pre>\n</body></html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Requests by the power of two that their size does not exceed.
fn sizes(profile: &Profile) -> Vec<Bar> {
    let mut classes: Vec<[f64; 2]> = Vec::new();
    for kind in 0..2 {
        for (size, count) in &profile.sizes[kind] {
            let class = size.next_power_of_two().ilog2() as usize;
            if classes.len() <= class {
                classes.resize(class + 1, [0.0; 2]);
            }
            classes[class][kind] += *count as f64;
        }
    }
    let first = classes
        .iter()
        .position(|class| *class != [0.0; 2])
        .unwrap_or(0);
    let classes = (0..).zip(&classes).skip(first);
    let name = |class: u32| match class {
        0..10 => format!("{} B", 1_u64 << class),
        10..20 => format!("{} KiB", 1_u64 << (class - 10)),
        20..30 => format!("{} MiB", 1_u64 << (class - 20)),
        _ => format!("{} GiB", 1_u64 << (class - 30)),
    };
    classes
        .map(|(class, counts)| (name(class), counts.to_vec()))
        .collect()
}

/// Bars side by side, as SVG; nothing where there are none.
fn bars(bars: &[Bar], series: &[&str]) -> String {
    let most = bars
        .iter()
        .flat_map(|(_, values)| values)
        .fold(0.0_f64, |most, value| most.max(*value));
    if most <= 0.0 {
        return String::new();
    }
    let mut svg = String::new();
    draw(&mut svg, bars, series, most).expect("drawing to a string succeeds");
    svg
}

fn draw(
    svg: &mut String,
    bars: &[Bar],
    series: &[&str],
    most: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&PAPER)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..bars.len() as f64, 0.0..most * 1.05)?;
    let label = |x: &f64| {
        bars.get(x.floor() as usize)
            .map_or(String::new(), |(name, _)| name.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .x_labels(bars.len().min(12))
        .x_label_formatter(&label)
        .draw()?;
    let width = 0.8 / series.len() as f64;
    for (n, (name, colour)) in series.iter().zip(COLOURS).enumerate() {
        let bar = |(at, (_, values)): (usize, &Bar)| {
            let left = at as f64 + 0.1 + n as f64 * width;
            Rectangle::new([(left, 0.0), (left + width, values[n])], colour.filled())
        };
        let drawn = chart.draw_series(bars.iter().enumerate().map(bar))?;
        if series.len() > 1 {
            drawn.label(*name).legend(move |(x, y)| {
                Rectangle::new([(x, y - 4), (x + 10, y + 4)], colour.filled())
            });
        }
    }
    if series.len() > 1 {
        chart
            .configure_series_labels()
            .background_style(PAPER)
            .draw()?;
    }
    root.present()?;
    Ok(())
}

//! The two tables.

use super::measured::{Drive, Figures, SERVED};
use ftlab_bench::forecast::{Range, middle, residual, widened};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the model gives of a drive at rates that its numbers were not found by.
pub struct Judged {
    pub slug: String,
    pub got: BTreeMap<u64, Figures>,
}

/// What the members of a class give in place of a drive.
pub struct Forecast {
    pub slug: String,
    pub members: Vec<BTreeMap<u64, Figures>>,
}

/// Steady write amplification of random writes to a share of a drive that is known by its sheet.
#[derive(Clone)]
pub struct Amplification {
    pub slug: String,
    pub used: f64,
    pub published: f64,
    pub got: f64,
}

/// The least difference of two published values that has an order.
const DIFFERENT: f64 = 1.1;

/// The metrics, in the order of the tables.
const METRICS: [&str; 7] = [
    SERVED,
    "read_lat_p50_us",
    "read_lat_p99_us",
    "read_lat_p999_us",
    "write_lat_p50_us",
    "write_lat_p99_us",
    "write_lat_p999_us",
];

/// A published value and what stands beside it.
struct Row<T> {
    drive: String,
    rate: u64,
    published: f64,
    got: T,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The share of what holds.
fn share(holds: impl Iterator<Item = bool>) -> (usize, usize) {
    holds.fold((0, 0), |(right, all), holds| {
        (right + usize::from(holds), all + 1)
    })
}

fn percent((right, all): (usize, usize)) -> String {
    match all {
        0 => "–".to_owned(),
        _ => format!("{:.0} % of {all}", 100.0 * right as f64 / all as f64),
    }
}

/// The page.
pub fn page(
    conditions: &[Judged],
    forecasts: &[Forecast],
    amplifications: &[Amplification],
    drives: &[Drive],
) -> String {
    let mut text = HEAD.to_owned();
    text += &other_conditions(conditions, drives);
    text += &other_drives(forecasts, conditions, drives);
    text += &steady_amplification(amplifications);
    text
}

fn steady_amplification(rows: &[Amplification]) -> String {
    let mut text = "
## Steady write amplification

Random writes to a share of a drive that its sheet alone makes, beside what was measured on the real one.

| drive | used | published | simulated | error |
|---|--:|--:|--:|--:|
"
    .to_owned();
    let error = |row: &Amplification| 100.0 * (row.got / row.published - 1.0);
    for row in rows {
        writeln!(
            text,
            "| {} | {:.0} % | {:.2} | {:.2} | {:+.1} % |",
            row.slug,
            100.0 * row.used,
            row.published,
            row.got,
            error(row)
        )
        .expect("it is a string");
    }
    let errors = rows.iter().map(|row| error(row).abs()).collect();
    writeln!(
        text,
        "\nHalf of them are off by no more than {:.1} %.",
        median(errors)
    )
    .expect("it is a string");
    text
}

const HEAD: &str = "\
# Cross-validation of today's drives

Drives of data centres under offered rates (`reference/modern.csv`, source `ssdiq-2025`), by numbers that were found without
what is judged. Drawn by

```sh
cargo run --release -p xtask -- cross-validate --modern
```

Each drive begins as the one that `ftlab calibrate --sheet` makes of what its maker announces. Rates above a drive's capacity
count as one condition.
";

fn published(drives: &[Drive], slug: &str, rate: u64, metric: &str) -> Option<f64> {
    let drive = drives.iter().find(|drive| drive.slug == slug)?;
    drive.rates.get(&rate)?.get(metric).copied()
}

fn other_conditions(judged: &[Judged], drives: &[Drive]) -> String {
    let mut text = "
## Other conditions

The numbers of each drive are found by what was measured at 10,000, 50,000, 80,000, 150,000 and 300,000 writes a second, and judged at
the other rates. *Order*: of two drives at one rate whose published values differ by more than 10 %, the right one is larger.

| figure | n | median error | within × 1.5 | order of drives right |
|---|--:|--:|--:|--:|
"
    .to_owned();
    for metric in METRICS {
        let rows = judged_rows(judged, drives, metric);
        let errors = rows.iter().map(|row| (row.got / row.published).ln().abs());
        let errors: Vec<f64> = errors.collect();
        let within = share(errors.iter().map(|error| *error <= 1.5_f64.ln()));
        let order = share(
            pairs(&rows)
                .map(|(one, other)| (one.published > other.published) == (one.got > other.got)),
        );
        writeln!(
            text,
            "| `{metric}` | {} | {:.1} % | {} | {} |",
            rows.len(),
            100.0 * (median(errors).exp() - 1.0),
            percent(within),
            percent(order)
        )
        .expect("it is a string");
    }
    text + &each_figure(
        "with the published one in brackets",
        |metric| judged_rows(judged, drives, metric),
        |row| format!("{:.0} ({:.0})", row.got, row.published),
    )
}

/// What was judged of one metric.
fn judged_rows(judged: &[Judged], drives: &[Drive], metric: &str) -> Vec<Row<f64>> {
    let mut rows = Vec::new();
    for drive in judged {
        for (&rate, figures) in &drive.got {
            let published = published(drives, &drive.slug, rate, metric);
            let (Some(published), Some(&got)) = (published, figures.get(metric)) else {
                continue;
            };
            rows.push(Row {
                drive: drive.slug.clone(),
                rate,
                published,
                got,
            });
        }
    }
    rows
}

/// Each figure of the table, a line for a drive at a rate.
fn each_figure<T>(
    what: &str,
    rows: impl Fn(&str) -> Vec<Row<T>>,
    cell: impl Fn(&Row<T>) -> String,
) -> String {
    let mut lines: BTreeMap<(String, u64), String> = BTreeMap::new();
    let mut head = format!("\nEach of these figures, {what}:\n\n| drive | offered, 1/s |");
    for metric in METRICS {
        write!(head, " `{metric}` |").expect("it is a string");
        for row in rows(metric) {
            let cell = format!(" {} |", cell(&row));
            *lines.entry((row.drive, row.rate)).or_default() += &cell;
        }
    }
    head += "\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for ((drive, rate), cells) in lines {
        writeln!(head, "| {drive} | {rate} |{cells}").expect("it is a string");
    }
    head
}

/// Pairs of drives at one rate whose published values differ.
fn pairs<T>(rows: &[Row<T>]) -> impl Iterator<Item = (&Row<T>, &Row<T>)> {
    let each = rows.iter().enumerate();
    each.flat_map(move |(n, one)| rows[n + 1..].iter().map(move |other| (one, other)))
        .filter(|(one, other)| one.rate == other.rate && one.drive != other.drive)
        .filter(|(one, other)| {
            let ratio = one.published / other.published;
            !(1.0 / DIFFERENT..=DIFFERENT).contains(&ratio)
        })
}

/// Which rows of a metric are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    BelowCapacity,
}

/// What the model is off by, as a logarithm, on other drives and under conditions that their numbers were not found by.
fn missed(judged: &[Judged], drives: &[Drive], without: &str, metric: &str) -> f64 {
    let mut errors = Vec::new();
    for drive in judged.iter().filter(|drive| drive.slug != without) {
        for (rate, figures) in &drive.got {
            let published = published(drives, &drive.slug, *rate, metric);
            if let (Some(published), Some(got)) = (published, figures.get(metric)) {
                errors.push((got / published).ln().abs());
            }
        }
    }
    residual(errors)
}

fn other_drives(forecasts: &[Forecast], judged: &[Judged], drives: &[Drive]) -> String {
    let mut text = "
## Other drives

Each drive with all its rows left out: its data sheet says what it pins, and what the other drives of its class have is a range, from
which 20 members are drawn. *The range* of a figure is that of the middle 80 % of the members, widened on both sides by what the model is off
by on the other drives in the table above (four of five figures). *Width*: its upper end over the lower, in the median. *Apart*: pairs of
drives at one rate whose ranges do not overlap, of those that differ.

| figure | n | median error of the middle member | middle within × 1.5 | in the range | width | apart | order right where apart |
|---|--:|--:|--:|--:|--:|--:|--:|
"
    .to_owned();
    let mut all = (0, 0);
    let below = |metric: &&&str| metric.starts_with("read");
    let metrics = METRICS.iter().map(|metric| (*metric, Which::All));
    let metrics = metrics.chain(
        METRICS
            .iter()
            .filter(below)
            .map(|metric| (*metric, Which::BelowCapacity)),
    );
    for (metric, which) in metrics {
        let rows = forecast_rows(forecasts, judged, drives, (metric, which));
        let (line, inside) = forecast_line(metric, which, &rows);
        text += &line;
        if which == Which::All {
            all = (all.0 + inside.0, all.1 + inside.1);
        }
    }
    writeln!(text, "\nThe ranges hold {} figures.", percent(all)).expect("it is a string");
    text + &each_figure(
        "that of the middle member and its range, with the published one in brackets",
        |metric| forecast_rows(forecasts, judged, drives, (metric, Which::All)),
        |row| {
            let [least, middle, most] = row.got;
            format!("{middle:.0}, {least:.0}–{most:.0} ({:.0})", row.published)
        },
    )
}

/// The line of a metric, and how many of its figures lie in their ranges.
fn forecast_line(metric: &str, which: Which, rows: &[Row<Range>]) -> (String, (usize, usize)) {
    let errors = rows
        .iter()
        .map(|row| (row.got[1] / row.published).ln().abs());
    let errors: Vec<f64> = errors.collect();
    let within = share(errors.iter().map(|error| *error <= 1.5_f64.ln()));
    let inside = share(rows.iter().map(|row| {
        let [least, _, most] = row.got;
        (least..=most).contains(&row.published)
    }));
    let width = median(rows.iter().map(|row| row.got[2] / row.got[0]).collect());
    let is_apart = |(one, other): &(&Row<Range>, &Row<Range>)| {
        one.got[0] > other.got[2] || other.got[0] > one.got[2]
    };
    let apart = share(pairs(rows).map(|pair| is_apart(&pair)));
    let order = pairs(rows).filter(is_apart);
    let order = share(
        order.map(|(one, other)| (one.published > other.published) == (one.got[1] > other.got[1])),
    );
    let words = match which {
        Which::All => "",
        Which::BelowCapacity => ", below capacity",
    };
    let line = format!(
        "| `{metric}`{words} | {} | {:.1} % | {} | {} | × {width:.2} | {} | {} |\n",
        rows.len(),
        100.0 * (median(errors).exp() - 1.0),
        percent(within),
        percent(inside),
        percent(apart),
        percent(order)
    );
    (line, inside)
}

fn forecast_rows(
    forecasts: &[Forecast],
    judged: &[Judged],
    drives: &[Drive],
    (metric, which): (&str, Which),
) -> Vec<Row<Range>> {
    let mut rows = Vec::new();
    for forecast in forecasts {
        let slug = &forecast.slug;
        let wider = missed(judged, drives, slug, metric);
        let is_saturated = |rate: u64| {
            let drive = drives.iter().find(|drive| drive.slug == *slug);
            drive.is_some_and(|drive| drive.is_saturated(rate))
        };
        let rates = forecast
            .members
            .first()
            .into_iter()
            .flat_map(BTreeMap::keys);
        for rate in rates.filter(|rate| which == Which::All || !is_saturated(**rate)) {
            let Some(published) = published(drives, slug, *rate, metric) else {
                continue;
            };
            let values = forecast
                .members
                .iter()
                .filter_map(|of| of[rate].get(metric).copied());
            let Some(range) = middle(values.collect()) else {
                continue;
            };
            rows.push(Row {
                drive: slug.clone(),
                rate: *rate,
                published,
                got: widened(range, wider),
            });
        }
    }
    rows
}

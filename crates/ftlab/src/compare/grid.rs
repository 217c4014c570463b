//! Results of the variants: each metric of a test, by the values of the settings.

use super::sweep::Sweeps;
use crate::screen;
use ftlab_bench::variants::Sweep;
use ftlab_report::settling;
use ftlab_result::quantity::{self, table};
use ftlab_result::{ResultSet, Run, TestSheet};

/// A metric of a run, over all variants.
#[derive(Debug, PartialEq)]
pub struct Grid {
    /// Test, state and what else the test varies.
    pub run: String,
    /// Name of the run in words.
    pub title: String,
    /// The metric in words, with its unit.
    pub measure: String,
    /// The reason for which the metric is the same for all variants; none where it is not.
    pub flat: Option<&'static str>,
    /// Name of the metric.
    pub metric: String,
    /// By the first setting's value, then by the second's; none where a variant has no such run.
    pub values: Vec<Vec<Option<Value>>>,
}

/// The value of a variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The mean if there are repeats.
    pub mean: f64,
    /// Half of the 95 % confidence interval of the mean of repeats; none for a single run, or where fewer
    /// than two repeats have a value.
    pub half_width: Option<f64>,
    /// True if the run ended before garbage collection had settled.
    pub unsettled: bool,
}

/// The grids of these metrics or, when none is named, of what the chart of each test draws.
pub fn grids(sweeps: &Sweeps, set: &ResultSet, metrics: &[String]) -> Vec<Grid> {
    let tests = &set.tests;
    let columns = sweeps.second.as_ref().map_or(1, |sweep| sweep.values.len());
    let mut grids: Vec<Grid> = Vec::new();
    let mut runs_of: Vec<Vec<&Run>> = Vec::new();
    for variant in &sweeps.variants {
        let of_variant = format!("@{}", variant.name);
        let is_of = |run: &&Run| run.drive.ends_with(&of_variant);
        for run in set.runs.iter().filter(is_of) {
            let test = tests.iter().find(|test| test.test == run.test);
            let drawn = test.map(|test| test.chart_metric.clone());
            let named = if metrics.is_empty() {
                drawn.as_slice()
            } else {
                metrics
            };
            for metric in named {
                let Some(&mean) = run.metrics.get(metric) else {
                    continue;
                };
                let spread = run.spread.get(metric);
                let half_width = spread.and_then(|spread| spread.ci95_half_width);
                let name = without_drive(run);
                let is_this = |grid: &Grid| grid.run == name && grid.metric == *metric;
                // A variant may lack the metric: its place in the grid stays empty.
                let at = grids.iter().position(is_this).unwrap_or_else(|| {
                    runs_of.push(Vec::new());
                    grids.push(Grid {
                        run: name.to_owned(),
                        title: title(test, run),
                        measure: measure(test, metric),
                        flat: None,
                        metric: metric.clone(),
                        values: vec![vec![None; columns]; sweeps.first.values.len()],
                    });
                    grids.len() - 1
                });
                runs_of[at].push(run);
                let second = variant.at.get(1).copied().unwrap_or(0);
                grids[at].values[variant.at[0]][second] = Some(Value {
                    mean,
                    half_width,
                    unsettled: settling::is_unsettled(run),
                });
            }
        }
    }
    for (grid, runs) in grids.iter_mut().zip(runs_of) {
        grid.flat = why_flat(grid, &runs);
    }
    grids
}

/// The title of a run, without words that only tell files apart.
fn title(test: Option<&TestSheet>, run: &Run) -> String {
    let (title, step) = test.map_or((run.test.as_str(), ""), |test| (&test.title, &test.step));
    let state = ftlab_report::state_words(&run.state);
    let known = ["", "na"].contains(&run.state.as_str());
    let of_drive = if known {
        String::new()
    } else {
        format!("{state} drive")
    };
    let link = ftlab_report::link_words(&run.link);
    let parts = [title, step, &of_drive, &run.data, &link];
    let parts: Vec<&str> = parts
        .into_iter()
        .filter(|part| !["", "none", "no link", "incompressible"].contains(part))
        .collect();
    parts.join(", ")
}

fn measure(test: Option<&TestSheet>, metric: &str) -> String {
    let words = quantity::words(metric);
    let own = test.filter(|test| test.chart_metric == metric);
    let unit = own.map_or_else(
        || quantity::unit(metric),
        |test| ftlab_report::unit_as_printed(&test.chart_unit),
    );
    match unit {
        "" => words,
        unit if unit == words => words,
        unit => format!("{words}, {unit}"),
    }
}

/// Values within this share of the largest are drawn as one line.
const FLAT_SHARE: f64 = 0.005;

/// Returns the reason for which nothing rises or falls; none where something does.
fn why_flat(grid: &Grid, runs: &[&Run]) -> Option<&'static str> {
    let means: Vec<f64> = grid
        .values
        .iter()
        .flatten()
        .flatten()
        .map(|value| value.mean)
        .collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if means.len() < 2 || most - least > FLAT_SHARE * most.abs() {
        return None;
    }
    let first = runs.first()?;
    let is_of_flash = [table::WA, table::WA_STEADY]
        .iter()
        .any(|of| of.name == grid.metric);
    Some(if runs.iter().all(|run| run.metrics == first.metrics) {
        "Flat: the runs are the same in every metric, so this test does not reach what the settings change."
    } else if is_of_flash
        && runs.iter().all(|run| {
            run.inside()
                .is_some_and(|inside| inside.gc_share == Some(0.0))
        })
    {
        "Flat: no run collected garbage; a longer run, or --state steady-fast, shows what collection costs."
    } else {
        "Flat: the settings change other metrics of these runs, and this one by less than 0.5 %."
    })
}

fn without_drive(run: &Run) -> &str {
    let rest = run.id.strip_prefix(&run.drive).unwrap_or(&run.id);
    rest.trim_start_matches('/')
}

/// The grids as tables, one of all for one setting, a matrix each for two; and what their marks mean.
pub fn tables(sweeps: &Sweeps, grids: &[Grid]) -> String {
    let values = grids.iter().flat_map(|grid| grid.values.iter().flatten());
    let has_mark = values.flatten().any(|value| value.unsettled);
    let note = has_mark.then(|| settling::NOTE.to_owned() + "\n");
    without_note(sweeps, grids) + &note.unwrap_or_default()
}

fn without_note(sweeps: &Sweeps, grids: &[Grid]) -> String {
    match &sweeps.second {
        None => table_of_one(&sweeps.first, grids),
        Some(second) => grids
            .iter()
            .map(|grid| matrix(&sweeps.first, second, grid))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn table_of_one(sweep: &Sweep, grids: &[Grid]) -> String {
    let values = sweep.values.iter().map(|v| format!("{}={v}", sweep.key));
    let header: Vec<String> = (["run", "metric"].map(str::to_owned).into_iter())
        .chain(values)
        .collect();
    let mut table = screen::table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for grid in grids {
        let cells = grid.values.iter().map(|row| words(row[0]));
        table.add_row(
            [grid.run.clone(), grid.metric.clone()]
                .into_iter()
                .chain(cells),
        );
    }
    screen::lines(table)
}

fn matrix(first: &Sweep, second: &Sweep, grid: &Grid) -> String {
    let values = second.values.iter().map(|v| format!("{}={v}", second.key));
    let header: Vec<String> = std::iter::once(first.key.clone()).chain(values).collect();
    let mut table = screen::table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for (value, row) in first.values.iter().zip(&grid.values) {
        let cells = row.iter().map(|value| words(*value));
        table.add_row(std::iter::once(value.clone()).chain(cells));
    }
    format!("{} {}\n{}", grid.run, grid.metric, screen::lines(table))
}

/// Four significant digits, as variants may be near each other, or those that the interval has.
fn words(value: Option<Value>) -> String {
    let Some(value) = value else {
        return "–".to_owned();
    };
    let mean = value.mean;
    let words = match value.half_width {
        None => four_digits(mean),
        Some(0.0) => format!("{} ± 0", four_digits(mean)),
        Some(_) => ftlab_report::mean(mean, value.half_width),
    };
    settling::marked(words, value.unsettled)
}

fn four_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (3 - value.abs().log10().floor() as i32).max(0);
    format!("{value:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_decimals_that_its_interval_needs() {
        let of = |mean, half_width, unsettled| {
            words(Some(Value {
                mean,
                half_width,
                unsettled,
            }))
        };
        let shown = |mean, half_width| of(mean, half_width, false);
        assert_eq!(of(1.4712, None, true), "1.471*");
        assert_eq!(shown(12.3456, None), "12.35");
        assert_eq!(shown(0.0, None), "0");
        assert_eq!(shown(1234.56, Some(0.25)), "1,234.56 ± 0.25");
        assert_eq!(shown(1234.56, Some(40.0)), "1,235 ± 40");
        assert_eq!(shown(12.3456, Some(0.0)), "12.35 ± 0");
        assert_eq!(words(None), "–");
    }
}

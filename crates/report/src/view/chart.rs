//! The charts of a report as data: what the page's script turns into pictures and tables.

use ftlab_result::{Chart, Figure, Run};
use serde::Serialize;

use super::headline::{self, Headline};
use super::{Family, View};
use crate::format;

/// Above this ratio of largest to smallest, small bars vanish on a linear axis.
const LOG_ABOVE_RATIO: f64 = 30.0;

/// One chart.
#[derive(Debug, Serialize)]
pub struct ChartSpec {
    /// Id of its element in the page.
    pub id: String,
    /// What it shows, also read out by screen readers.
    pub title: String,
    /// Name of the value axis.
    pub axis: String,
    /// Unit of the value axis.
    pub unit: String,
    /// Whether the value axis starts out logarithmic.
    pub log: bool,
    /// The picture.
    #[serde(flatten)]
    pub plot: Plot,
}

/// The kinds of pictures.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Plot {
    /// A bar a run, grouped by step, with a tick at the published value.
    Bars {
        /// Top to bottom.
        rows: Vec<Row>,
    },
    /// A line a drive and state over the steps, with marks at the published values.
    Lines {
        /// Left to right.
        steps: Vec<String>,
        /// One a drive and state.
        lines: Vec<StepLine>,
    },
    /// From the mean to the longest latency, a row a drive.
    Range {
        /// Top to bottom.
        rows: Vec<RangeRow>,
        /// Where the reference line stands.
        threshold: f64,
        /// What the reference line means.
        threshold_text: String,
    },
    /// Share of I/Os against latency; one step of the family at a time.
    Histogram {
        /// What can be chosen.
        picks: Vec<Pick>,
    },
    /// IOPS against time; one step of the family at a time.
    Timeline {
        /// What can be chosen.
        picks: Vec<Pick>,
    },
}

/// One bar.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Step of the family.
    pub step: String,
    /// Place of the drive.
    pub drive: usize,
    /// State, when the chart has to tell states apart.
    pub state: String,
    /// What the model gives.
    pub value: Option<f64>,
    /// What was published.
    pub published: Vec<Mark>,
}

/// A published value in a chart.
#[derive(Debug, Clone, Serialize)]
pub struct Mark {
    /// In the chart's unit.
    pub value: f64,
    /// As the source wrote it.
    pub text: String,
}

/// One line over the steps.
#[derive(Debug, Serialize)]
pub struct StepLine {
    /// Place of the drive.
    pub drive: usize,
    /// State, when the chart has to tell states apart.
    pub state: String,
    /// One a step; `null` where nothing ran.
    pub values: Vec<Option<f64>>,
    /// One list a step.
    pub published: Vec<Vec<Mark>>,
}

/// One row of a range chart.
#[derive(Debug, Serialize)]
pub struct RangeRow {
    /// Place of the drive.
    pub drive: usize,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// One choice of a chart that shows a step at a time.
#[derive(Debug, Serialize)]
pub struct Pick {
    /// What the reader chooses.
    pub label: String,
    /// What is then drawn.
    pub lines: Vec<XyLine>,
}

/// One line over a continuous axis.
#[derive(Debug, Serialize)]
pub struct XyLine {
    /// Place of the drive.
    pub drive: usize,
    /// What of the drive, when it has more than one line.
    pub part: String,
    /// (x, y), ascending in x.
    pub points: Vec<(f64, f64)>,
}

/// The chart of a family, unless no run has the metric it draws.
pub fn of_family(view: &View<'_>, family: &Family<'_>) -> Option<ChartSpec> {
    let first = family.tests.first()?;
    let metric = first.chart_metric.as_str();
    let drawn = |run: &&&Run| run.metrics.contains_key(metric);
    family.runs.iter().find(drawn)?;
    let plot = match first.chart {
        Chart::Bars => bars(view, family, metric),
        Chart::Lines => lines(view, family, metric),
    };
    let axis = format::metric_words(metric);
    Some(ChartSpec {
        id: format!("{}-chart", family.id),
        title: format!(
            "{}: {}",
            family.title,
            axis.to_lowercase().replace("iops", "IOPS")
        ),
        axis,
        unit: format::unit(&first.chart_unit).to_owned(),
        log: wants_log(family, metric),
        plot,
    })
}

fn wants_log(family: &Family<'_>, metric: &str) -> bool {
    let values = family
        .runs
        .iter()
        .filter_map(|run| run.metrics.get(metric).copied());
    let (low, high) = values
        .filter(|value| *value > 0.0)
        .fold((f64::INFINITY, 0.0f64), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    high > low * LOG_ABOVE_RATIO
}

fn bars(view: &View<'_>, family: &Family<'_>, metric: &str) -> Plot {
    let mut runs: Vec<&Run> = family.runs.clone();
    let step_index = |run: &Run| family.tests.iter().position(|test| test.test == run.test);
    runs.sort_by_key(|run| (step_index(run), view.drive_index(&run.drive)));
    let row = |run: &Run| Row {
        step: family.step(&run.test).to_owned(),
        drive: view.drive_index(&run.drive),
        state: state_label(family, run),
        value: run.metrics.get(metric).copied(),
        published: marks(family, run, metric),
    };
    Plot::Bars {
        rows: runs.into_iter().map(row).collect(),
    }
}

fn lines(view: &View<'_>, family: &Family<'_>, metric: &str) -> Plot {
    let mut lines = Vec::new();
    for slug in view.slugs() {
        for state in family.states() {
            let run_at = |test: &str| {
                family
                    .runs
                    .iter()
                    .find(|run| run.drive == *slug && run.state == state && run.test == test)
            };
            let runs: Vec<_> = family.tests.iter().map(|test| run_at(&test.test)).collect();
            let Some(first) = runs.iter().flatten().next() else {
                continue;
            };
            lines.push(StepLine {
                drive: view.drive_index(slug),
                state: state_label(family, first),
                values: runs
                    .iter()
                    .map(|run| run.and_then(|run| run.metrics.get(metric).copied()))
                    .collect(),
                published: runs
                    .iter()
                    .map(|run| run.map_or_else(Vec::new, |run| marks(family, run, metric)))
                    .collect(),
            });
        }
    }
    let steps = family
        .tests
        .iter()
        .map(|test| family.step(&test.test).to_owned())
        .collect();
    Plot::Lines { steps, lines }
}

fn state_label(family: &Family<'_>, run: &Run) -> String {
    if family.names_states() {
        run.state.clone()
    } else {
        String::new()
    }
}

/// Published values the chart can show beside a run: those of its metric, or of the same metric
/// in seconds where the chart is in milliseconds.
fn marks(family: &Family<'_>, run: &Run, metric: &str) -> Vec<Mark> {
    let mark = |figure: &&Figure| {
        let value: f64 = figure.published.parse().ok()?;
        let scale = scale_between(&figure.metric, metric)?;
        let text = format::published(&figure.published, &figure.qualifier);
        Some(Mark {
            value: value * scale,
            text: format::with_unit(&text, &figure.unit),
        })
    };
    family
        .figures
        .iter()
        .filter(|figure| figure.run == run.id)
        .filter_map(mark)
        .collect()
}

fn scale_between(figure_metric: &str, chart_metric: &str) -> Option<f64> {
    // A chart draws `mib_s` where its sources count megabytes in binary, whatever they call them.
    if figure_metric == chart_metric || (figure_metric, chart_metric) == ("mb_s", "mib_s") {
        return Some(1.0);
    }
    let stem = chart_metric.strip_suffix("_ms")?;
    (figure_metric.strip_suffix("_s")? == stem).then_some(1000.0)
}

/// The chart of the front page: how far the longest random write lies from the mean.
pub fn of_headlines(view: &View<'_>, headlines: &[Headline<'_>]) -> Option<ChartSpec> {
    let row = |headline: &Headline<'_>| {
        let (low, high) = (headline.avg_ms?, headline.max_ms?);
        let drive = view.drive_index(&headline.drive.drive);
        (low > 0.0).then_some(RangeRow { drive, low, high })
    };
    let rows: Vec<RangeRow> = headlines.iter().filter_map(row).collect();
    if rows.is_empty() {
        return None;
    }
    Some(ChartSpec {
        id: "verdict-chart".to_owned(),
        title: "4 KiB random writes: from the average to the longest wait".to_owned(),
        axis: "Latency".to_owned(),
        unit: "ms".to_owned(),
        log: true,
        plot: Plot::Range {
            rows,
            threshold: headline::STUTTER_MS,
            threshold_text: "felt as a hang".to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::scale_between;

    #[test]
    fn a_figure_in_seconds_finds_its_place_in_a_chart_in_milliseconds() {
        assert_eq!(scale_between("lat_max_ms", "lat_max_ms"), Some(1.0));
        assert_eq!(scale_between("lat_max_s", "lat_max_ms"), Some(1000.0));
        assert_eq!(scale_between("lat_max_s", "lat_avg_ms"), None);
        assert_eq!(scale_between("mb_s", "lat_avg_ms"), None);
    }
}

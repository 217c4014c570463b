//! What lies behind a family's chart: distributions, time series, and how drives were prepared.

use ftlab_result::{Run, Traffic};

use super::chart::{ChartSpec, Pick, Plot, XyLine};
use super::{Family, View, series};

/// The charts of latencies and of IOPS over time, those with anything to draw.
pub fn charts(view: &View<'_>, family: &Family<'_>) -> Vec<ChartSpec> {
    let histogram = picks(view, family, shares);
    let buckets = series::buckets_for(view.set.runs.len());
    let timeline = picks(view, family, |run| over_time(run, buckets));
    let mut charts = Vec::new();
    if !histogram.is_empty() {
        charts.push(ChartSpec {
            id: format!("{}-histogram", family.id),
            title: format!("{}: how long single I/Os took", family.title),
            axis: "Share of I/Os".to_owned(),
            unit: "%".to_owned(),
            log: true,
            plot: Plot::Histogram { picks: histogram },
        });
    }
    if !timeline.is_empty() {
        charts.push(ChartSpec {
            id: format!("{}-timeline", family.id),
            title: format!("{}: IOPS over time", family.title),
            axis: "IOPS".to_owned(),
            unit: String::new(),
            log: true,
            plot: Plot::Timeline { picks: timeline },
        });
    }
    charts
}

/// Lines of one run: what each shows, when a run has several, and its points.
type Lines = Vec<(&'static str, Vec<(f64, f64)>)>;

fn picks(view: &View<'_>, family: &Family<'_>, lines_of: impl Fn(&Run) -> Lines) -> Vec<Pick> {
    let mut picks = Vec::new();
    for test in &family.tests {
        for state in family.states() {
            let runs = family
                .runs
                .iter()
                .filter(|run| run.test == test.test && run.state == state);
            let lines: Vec<XyLine> = runs
                .flat_map(|run| {
                    let drive = view.drive_index(&run.drive);
                    lines_of(run).into_iter().map(move |(part, points)| XyLine {
                        drive,
                        part: part.to_owned(),
                        points,
                    })
                })
                .collect();
            if !lines.is_empty() {
                picks.push(Pick {
                    label: pick_label(family, &test.test, state),
                    lines,
                });
            }
        }
    }
    picks
}

fn pick_label(family: &Family<'_>, test: &str, state: &str) -> String {
    match (family.step(test), state) {
        ("", state) => format!("{state} drive"),
        (step, "") => step.to_owned(),
        (step, state) => format!("{step}, {state} drive"),
    }
}

fn shares(run: &Run) -> Lines {
    let directions = [
        ("reads", &run.read),
        ("writes", &run.write),
        ("trims", &run.trim),
    ];
    let drawn: Vec<(&'static str, &Traffic)> = directions
        .into_iter()
        .filter(|(_, traffic)| !traffic.lat_ns_histogram.is_empty())
        .collect();
    let alone = drawn.len() == 1;
    drawn
        .into_iter()
        .map(|(part, traffic)| {
            (
                if alone { "" } else { part },
                series::latency_shares(traffic),
            )
        })
        .collect()
}

fn over_time(run: &Run, buckets: usize) -> Lines {
    match series::iops_over_time(run, buckets) {
        points if points.len() > 1 => vec![("", points)],
        _ => Vec::new(),
    }
}

/// One way drives were prepared.
pub struct Preparation<'a> {
    /// The state it leads to.
    pub state: &'a str,
    /// The steps, in words.
    pub steps: &'a [String],
    /// Slugs of the drives it was done on.
    pub drives: Vec<&'a str>,
}

/// The distinct ways the drives of a family were prepared.
pub fn preparations<'a>(family: &Family<'a>) -> Vec<Preparation<'a>> {
    let mut found: Vec<Preparation<'a>> = Vec::new();
    for run in family.runs.iter().filter(|run| !run.steps.is_empty()) {
        let same = |p: &&mut Preparation<'_>| p.state == run.state && p.steps == run.steps;
        match found.iter_mut().find(same) {
            Some(preparation) if preparation.drives.contains(&run.drive.as_str()) => {}
            Some(preparation) => preparation.drives.push(&run.drive),
            None => found.push(Preparation {
                state: &run.state,
                steps: &run.steps,
                drives: vec![&run.drive],
            }),
        }
    }
    found
}

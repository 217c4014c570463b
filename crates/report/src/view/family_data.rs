//! The data of a family's charts and tables, in columns: what the page's script draws from.

use ftlab_result::quantity::{self, Quantity, table};
use std::collections::BTreeSet;

use ftlab_result::{Chart, Figure, Run, Traffic};
use serde::Serialize;

use super::condition::Conditions;
use super::courses::{Series, series_of};
use super::measure;
use super::pts::PtsData;
use super::series::{self, Thinning};
use super::{Family, View};
use crate::format::{self, kept};
use crate::settling;

/// So few drives need no choice.
const ALL_SHOWN_MAX: usize = 6;
/// Lines that a reader can tell apart in one chart.
const LINES_SHOWN_MAX: usize = 8;
/// Bars that a reader takes in at once.
const BARS_SHOWN_MAX: usize = 16;
/// Fewer drives with published figures get others of the same review for company, up to this many.
const COMPANY_MIN: usize = 4;
const COMPANY_MAX: usize = 6;
/// The chart of temperature and speed: in the open where a drive slows down, among the rest where none does.
const WARMTH: &str = "How warm it got, and how fast it was";
/// Percentiles of the page's tables.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

/// Everything of a family that is drawn.
#[derive(Debug, Serialize)]
pub struct FamilyData {
    id: String,
    title: String,
    chart: Chart,
    /// The values that the tests vary, left to right.
    steps: Vec<String>,
    /// Labels that tell runs of one drive and step apart.
    conditions: Vec<String>,
    /// True if states of the drive are among the conditions.
    states: bool,
    /// Places of the drives shown at first.
    shown: Vec<usize>,
    /// The metrics that can be drawn; the chart's comes first.
    measures: Vec<Measure>,
    /// One entry a run in each column.
    runs: Runs,
    published: Vec<Mark>,
    traffic: Vec<TrafficRow>,
    series: Vec<Series>,
    wear: Vec<Wear>,
    /// Temperatures at which the drives do something about them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<Limit>,
    /// The place of the measure that is drawn beside the first.
    beside: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fills: Vec<FillRow>,
    /// Latencies of those whom the family is about, where it is about how they spread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    latencies: Vec<LatencyRow>,
    /// Tests of SNIA's specification.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pts: Vec<PtsData>,
    /// True if the drives are a real one and its model.
    #[serde(skip)]
    is_pair: bool,
}

/// (P/E cycles in percent of the rated ones, share of the blocks in percent).
#[derive(Debug, Serialize)]
struct Wear {
    run: usize,
    blocks: Vec<(f64, f64)>,
}

/// A temperature from which on a drive does something about it.
#[derive(Debug, Serialize)]
struct Limit {
    drive: usize,
    celsius: f64,
    words: &'static str,
}

/// The speed of a fill.
#[derive(Debug, Serialize)]
struct FillRow {
    run: usize,
    /// Points of (GB written, MB/s).
    course: Vec<(f64, f64)>,
    /// From GB, to GB, MB/s.
    plateaus: Vec<(f64, f64, f64)>,
    /// GB written when the host rested.
    rests: Vec<f64>,
}

/// The distribution of the latencies of a kind of request.
#[derive(Debug, Serialize)]
struct LatencyRow {
    run: usize,
    part: &'static str,
    /// (upper bound in milliseconds, share in percent).
    shares: Vec<(f64, f64)>,
}

#[derive(Debug, Serialize)]
struct Measure {
    name: String,
    words: String,
    unit: String,
    better: &'static str,
    /// One a run; of repeats the mean.
    values: Vec<Option<f64>>,
    /// Half of the 95 % confidence interval of the mean, one a run; empty when nothing was repeated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    half_widths: Vec<Option<f64>>,
}

#[derive(Debug, Default, Serialize)]
struct Runs {
    drive: Vec<usize>,
    step: Vec<usize>,
    condition: Vec<usize>,
    state: Vec<String>,
    /// Places of the runs that ended before garbage collection had settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsettled: Vec<usize>,
    /// Write amplification, share of copies, waits for the buffer, erases, mapping programs; all
    /// `null` for a drive without flash.
    inside: Vec<Option<[Option<f64>; 5]>>,
}

/// A published value in the unit of a measure.
#[derive(Debug, Serialize)]
struct Mark {
    run: usize,
    measure: usize,
    value: f64,
    text: String,
    /// A number to be met, not a bound.
    exact: bool,
    /// The score of a closed program: only the order of the drives is checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    order_only: bool,
    /// The unit of the source, where that is not the chart's.
    #[serde(skip_serializing_if = "str::is_empty")]
    converted_from: &'static str,
    /// The drive that was measured, where it is another.
    #[serde(skip_serializing_if = "String::is_empty")]
    of: String,
}

/// One direction of a run.
#[derive(Debug, Serialize)]
struct TrafficRow {
    run: usize,
    part: &'static str,
    iops: f64,
    mb_s: f64,
    /// Mean, percentiles, longest; in milliseconds.
    latency_ms: Vec<Option<f64>>,
    /// (upper bound in milliseconds, share in percent).
    shares: Vec<(f64, f64)>,
    /// (percent, milliseconds); of a real drive and its model alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    percentiles: Vec<(f64, f64)>,
}

/// The drives a family's charts show at first: all when they are few; else those with published
/// figures, and where those are few, others that the same review published anything for, or that
/// have most figures anywhere.
pub fn shown_first(view: &View<'_>, family: &Family<'_>) -> Vec<usize> {
    let all = super::distinct(family.runs.iter().map(|run| run.drive.as_str()));
    if all.len() <= ALL_SHOWN_MAX {
        let mut all: Vec<usize> = all.into_iter().map(|slug| view.drive_index(slug)).collect();
        all.sort_unstable();
        return all;
    }
    let ran = |slug: &str| family.runs.iter().any(|run| run.drive == slug);
    let counted = |figures: &mut dyn Iterator<Item = &Figure>| {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        for figure in figures.filter(|figure| ran(&figure.model)) {
            let drive = view.drive_index(&figure.model);
            match counts.iter_mut().find(|(known, _)| *known == drive) {
                Some((_, count)) => *count += 1,
                None => counts.push((drive, 1)),
            }
        }
        counts.sort_by_key(|&(drive, count)| (std::cmp::Reverse(count), drive));
        counts
    };
    let own = counted(&mut family.figures.iter().copied());
    let of_review = || {
        let families = view
            .families
            .iter()
            .filter(|f| f.review() == family.review());
        counted(&mut families.flat_map(|family| family.figures.iter().copied()))
    };
    let anywhere = || counted(&mut view.set.figures.iter());
    let most = match family.tests.first().map(|test| test.chart) {
        Some(Chart::Lines) => LINES_SHOWN_MAX / Conditions::of(family).a_drive_max(),
        _ => BARS_SHOWN_MAX,
    };
    // A drive alone says little: those with most figures nearby keep it company.
    let mut ranked = own;
    for more in [of_review(), anywhere()] {
        if ranked.len() >= COMPANY_MIN {
            break;
        }
        let known: Vec<usize> = ranked.iter().map(|&(drive, _)| drive).collect();
        let fresh = more.into_iter().filter(|(drive, _)| !known.contains(drive));
        let room = COMPANY_MAX.saturating_sub(ranked.len());
        ranked.extend(fresh.take(room));
    }
    let mut shown: Vec<usize> = ranked
        .into_iter()
        .take(most)
        .map(|(drive, _)| drive)
        .collect();
    if shown.is_empty() {
        let some = all.into_iter().take(COMPANY_MAX);
        shown = some.map(|slug| view.drive_index(slug)).collect();
    }
    shown.sort_unstable();
    shown
}

impl FamilyData {
    pub fn of(view: &View<'_>, family: &Family<'_>, shown: &[usize], thinning: Thinning) -> Self {
        let conditions = Conditions::of(family);
        let measures = measures(family);
        let chart = family.tests.first().map_or(Chart::Bars, |test| test.chart);
        // The place of a run in the family is its key in every table of the page.
        let runs_by_place = || family.runs.iter().enumerate();
        let step = |run: &Run| family.tests.iter().position(|test| test.test == run.test);
        let runs = Runs {
            drive: column(family, |run| view.drive_index(&run.drive)),
            step: column(family, |run| step(run).unwrap_or(0)),
            condition: column(family, |run| conditions.index(run)),
            state: column(family, |run| super::condition::state(&run.state).to_owned()),
            unsettled: runs_by_place()
                .filter_map(|(index, run)| settling::is_unsettled(run).then_some(index))
                .collect(),
            inside: column(family, inside),
        };
        // Those of all tests of all drives would be as large as all else of a page.
        let of_own = view.is_of_own_load();
        let is_pair = view.pair.is_some();
        Self {
            id: family.id.clone(),
            title: family.title.to_owned(),
            chart,
            steps: family
                .tests
                .iter()
                .map(|test| family.step(&test.test).to_owned())
                .collect(),
            conditions: conditions.labels(),
            states: conditions.names_states(),
            shown: shown.to_vec(),
            published: marks(family, &measures),
            traffic: runs_by_place()
                .flat_map(|(index, run)| traffic_rows(index, run, is_pair))
                .collect(),
            series: runs_by_place()
                .filter_map(|(index, run)| series_of(index, run, chart, thinning, of_own))
                .collect(),
            wear: runs_by_place().filter_map(wear_of).collect(),
            limits: limits(view, family),
            pts: PtsData::of_family(view, family),
            beside: beside(family, &measures),
            fills: runs_by_place().filter_map(fill_of).collect(),
            latencies: match chart {
                Chart::Percentiles => runs_by_place()
                    .flat_map(|(index, run)| latency_rows(family, index, run))
                    .collect(),
                _ => Vec::new(),
            },
            measures,
            runs,
            is_pair,
        }
    }

    /// Kinds and titles of the charts that answer the test: for a test of endurance under load its course first, and
    /// the courses of states side by side where states are compared.
    pub fn charts(&self) -> Vec<(&'static str, &str)> {
        // The order is that of the page: the charts that a family is about come first.
        let has_series = !self.series.is_empty();
        let of_pts = |has: fn(&PtsData) -> bool| self.pts.iter().any(has);
        let has_rounds = of_pts(PtsData::has_rounds);
        there(&[
            (
                self.chart == Chart::Scatter && has_series,
                "scatter",
                "IOPS of every interval",
            ),
            (!self.measures.is_empty(), "main", &self.title),
            (!self.latencies.is_empty(), "longer", "How many took longer"),
            (
                self.traffic.iter().any(|row| !row.percentiles.is_empty()),
                "percentiles",
                "Percentiles of latency",
            ),
            (
                self.is_pair && self.has_shares(),
                "latency",
                "How long single I/Os took",
            ),
            (
                of_pts(PtsData::has_courses),
                "pts-course",
                "The rate over what was written",
            ),
            (
                of_pts(PtsData::has_matrix),
                "pts-matrix",
                "By block size and mix, mean over the measurement window",
            ),
            (has_rounds, "pts-rounds", "Convergence to the steady state"),
            (has_rounds, "pts-window", "Measurement window"),
            (self.has_throttled(), "warmth", WARMTH),
            (
                !self.wear.is_empty(),
                "wear",
                "Wear of the blocks at the end",
            ),
            (self.states && has_series, "states", "The states over time"),
        ])
    }

    /// Kinds and titles of the charts of what lies behind the numbers.
    pub fn charts_behind(&self) -> Vec<(&'static str, &str)> {
        let has_latencies = !self.is_pair && self.has_shares();
        let has_series = !self.series.is_empty();
        let is_even = self.is_warmed() && !self.has_throttled();
        there(&[
            (has_latencies, "latency", "How long single I/Os took"),
            (has_series, "time", "The course over time"),
            (is_even, "warmth", WARMTH),
        ])
    }

    fn has_shares(&self) -> bool {
        self.traffic.iter().any(|row| !row.shares.is_empty())
    }

    fn is_warmed(&self) -> bool {
        self.series.iter().any(|series| series.celsius.is_line())
    }

    /// True if a drive slowed down for its temperature.
    fn has_throttled(&self) -> bool {
        (self.series.iter()).any(|series| !series.throttle.is_empty())
    }
}

/// Those of some charts that have data.
fn there<'a>(charts: &[(bool, &'static str, &'a str)]) -> Vec<(&'static str, &'a str)> {
    let there = charts.iter().filter(|(has_data, ..)| *has_data);
    there.map(|(_, kind, title)| (*kind, *title)).collect()
}

fn column<T>(family: &Family<'_>, of: impl Fn(&Run) -> T) -> Vec<T> {
    family.runs.iter().map(|run| of(run)).collect()
}

fn measures(family: &Family<'_>) -> Vec<Measure> {
    let Some(first) = family.tests.first() else {
        return Vec::new();
    };
    let names = family.runs.iter().flat_map(|run| run.metrics.keys());
    let of_name = |name: &str| {
        let values: Vec<Option<f64>> = column(family, |run| {
            let value = run.metrics.get(name).copied()?;
            // An interval may be narrower than what is kept of a figure without one.
            let is_mean = run.spread.contains_key(name);
            Some(if is_mean { value } else { kept(value) })
        });
        let half_widths = column(family, |run| {
            run.spread.get(name)?.ci95_half_width.map(kept)
        });
        let own = name == first.chart_metric;
        Measure {
            name: name.to_owned(),
            words: quantity::words(name),
            unit: match own {
                true => format::unit(&first.chart_unit).to_owned(),
                false => quantity::unit(name).to_owned(),
            },
            better: measure::better_words(name),
            values,
            half_widths: match half_widths.iter().any(Option::is_some) {
                true => half_widths,
                false => Vec::new(),
            },
        }
    };
    let names = measure::in_order(&first.chart_metric, names.map(String::as_str));
    let told = |measure: &Measure| measure.values.iter().flatten().any(|value| *value != 0.0);
    names.into_iter().map(of_name).filter(told).collect()
}

fn inside(run: &Run) -> Option<[Option<f64>; 5]> {
    let inside = run.inside()?;
    let flash = inside.nand_programs > 0 || inside.nand_reads > 0;
    flash.then(|| {
        [
            run.wa().map(kept),
            inside.gc_share.map(kept),
            Some(inside.buffer_stalls as f64),
            Some(inside.nand_erases as f64),
            Some(inside.map_programs as f64),
        ]
    })
}

/// The published values that have a place in the chart. What was published of another drive, or of a class of
/// drives, stands beside one only where nothing was published of itself.
fn marks(family: &Family<'_>, measures: &[Measure]) -> Vec<Mark> {
    let mut marks = Vec::new();
    for figure in &family.figures {
        let Some(run) = family.runs.iter().position(|run| run.id == figure.run) else {
            continue;
        };
        let Ok(value) = figure.published.parse::<f64>() else {
            continue;
        };
        for (index, measure) in measures.iter().enumerate() {
            if let Some(scale) = scale_between(figure, &measure.name) {
                marks.push(mark(figure, run, index, value, scale, measure));
            }
        }
    }
    let own: BTreeSet<(usize, usize)> = (marks.iter())
        .filter(|mark| mark.of.is_empty())
        .map(|mark| (mark.run, mark.measure))
        .collect();
    marks.retain(|mark| mark.of.is_empty() || !own.contains(&(mark.run, mark.measure)));
    marks
}

fn mark(
    figure: &Figure,
    run: usize,
    index: usize,
    value: f64,
    scale: f64,
    measure: &Measure,
) -> Mark {
    // A converted value is no longer the one that the source printed, which the mark tells.
    let is_converted = scale != 1.0;
    let (number, unit) = match is_converted {
        true => (format::number(value * scale), measure.unit.as_str()),
        false => (figure.published.clone(), figure.unit.as_str()),
    };
    let text = format::with_unit(&format::published(&number, &figure.qualifier), unit);
    let text = match figure.qualifier.as_str() {
        "order" => format!("{text}, order only"),
        _ => text,
    };
    let of = match figure.drive == figure.model {
        true => String::new(),
        false => super::drive_words(figure).to_owned(),
    };
    Mark {
        run,
        measure: index,
        value: value * scale,
        text,
        exact: matches!(figure.qualifier.as_str(), "eq" | "approx" | "derived"),
        order_only: figure.qualifier == "order",
        converted_from: match is_converted {
            true => format::unit_word(&figure.unit),
            false => "",
        },
        of,
    }
}

/// 2^20 bytes in 10^6 bytes.
const MEBIBYTE_MB: f64 = 1.048_576;

/// The factor that turns a figure into a value of a measure: the same quantity, perhaps in another unit.
fn scale_between(figure: &Figure, measure: &str) -> Option<f64> {
    let is_binary = figure.unit == "MiB/s";
    let metric = figure.metric.as_str();
    let alike = [
        (table::WRITE_AMP, table::WA),
        (table::WRITE_MIB_S, table::MIB_S),
        (table::SERVED_WRITES_PER_S, table::WRITES_PER_S),
    ];
    let is_alike =
        |(own, other): &(Quantity, Quantity)| own.name == metric && other.name == measure;
    if metric == table::MB_S.name {
        let in_decimal = if is_binary { MEBIBYTE_MB } else { 1.0 };
        match measure {
            of if of == table::MB_S.name => return Some(in_decimal),
            of if of == table::MIB_S.name => return Some(in_decimal / MEBIBYTE_MB),
            _ => {}
        }
    } else if metric == measure || alike.iter().any(is_alike) {
        return Some(1.0);
    }
    let (figure_stem, measure_stem) = (figure.metric.rsplit_once('_')?, measure.rsplit_once('_')?);
    if figure_stem.0 != measure_stem.0 {
        return None;
    }
    match (figure_stem.1, measure_stem.1) {
        ("s", "ms") => Some(1e3),
        ("minutes", "seconds") => Some(60.0),
        _ => None,
    }
}

fn traffic_rows(index: usize, run: &Run, with_percentiles: bool) -> Vec<TrafficRow> {
    let directions = [
        ("reads", &run.read),
        ("writes", &run.write),
        ("trims", &run.trim),
    ];
    let moved = directions
        .into_iter()
        .filter(|(_, traffic)| traffic.ios > 0);
    let row = |(part, traffic): (&'static str, &Traffic)| TrafficRow {
        run: index,
        part,
        iops: kept(traffic.iops),
        mb_s: kept(traffic.bytes_per_s / 1e6),
        latency_ms: latencies(traffic),
        shares: series::latency_shares(traffic),
        percentiles: match with_percentiles {
            true => percentiles(traffic),
            false => Vec::new(),
        },
    };
    moved.map(row).collect()
}

fn percentiles(traffic: &Traffic) -> Vec<(f64, f64)> {
    let all = traffic.lat_ns_percentiles.iter();
    all.map(|&(percent, ns)| (percent, kept(ns as f64 / 1e6)))
        .collect()
}

fn latencies(traffic: &Traffic) -> Vec<Option<f64>> {
    let ms = |ns: f64| kept(ns / 1e6);
    let percentile = |wanted: &f64| {
        let mut known = traffic.lat_ns_percentiles.iter();
        known
            .find(|(percent, _)| (percent - wanted).abs() < 1e-6)
            .map(|&(_, ns)| ms(ns as f64))
    };
    let mut row = vec![Some(ms(traffic.lat_ns_mean))];
    row.extend(PERCENTILES.iter().map(percentile));
    row.push(Some(ms(traffic.lat_ns_max as f64)));
    row
}

fn beside(family: &Family<'_>, measures: &[Measure]) -> Option<usize> {
    let name = &family.tests.first()?.chart_beside;
    measures.iter().position(|measure| measure.name == *name)
}

fn fill_of((index, run): (usize, &&Run)) -> Option<FillRow> {
    let fill = run.fill.as_ref()?;
    Some(FillRow {
        run: index,
        course: (fill.course.iter())
            .map(|&(gb, mb_s)| (kept(gb), kept(mb_s)))
            .collect(),
        plateaus: (fill.plateaus.iter())
            .map(|part| (kept(part.from_gb), kept(part.to_gb), kept(part.mb_s)))
            .collect(),
        rests: fill.rests_gb.iter().copied().map(kept).collect(),
    })
}

/// Of a test that is about one of its jobs, that job's.
fn latency_rows(family: &Family<'_>, index: usize, run: &Run) -> Vec<LatencyRow> {
    let test = family.tests.iter().find(|test| test.test == run.test);
    let of = test.map_or("", |test| test.latencies_of.as_str());
    let job = run.jobs.iter().find(|job| job.name == of);
    let (read, write) = job.map_or((&run.read, &run.write), |job| (&job.read, &job.write));
    let rows = [("reads", read), ("writes", write)].map(|(part, traffic)| LatencyRow {
        run: index,
        part,
        shares: series::latency_shares(traffic),
    });
    (rows.into_iter())
        .filter(|row| !row.shares.is_empty())
        .collect()
}

/// Limits of the drives that tell how warm they were, as their files have them.
fn limits(view: &View<'_>, family: &Family<'_>) -> Vec<Limit> {
    let is_warmed = |slug: &str| {
        let mut runs = family.runs.iter();
        runs.any(|run| {
            run.drive == slug && (run.only()).is_some_and(|only| !only.series_celsius.is_empty())
        })
    };
    let words = |key: &str| match key {
        "thermal.light_from" => Some("slows down"),
        "thermal.heavy_from" => Some("slows down heavily"),
        _ => None,
    };
    let mut limits = Vec::new();
    for sheet in view
        .set
        .drives
        .iter()
        .filter(|sheet| is_warmed(&sheet.drive))
    {
        let drive = view.drive_index(&sheet.drive);
        limits.extend(sheet.parameters.iter().filter_map(|parameter| {
            Some(Limit {
                drive,
                words: words(&parameter.key)?,
                celsius: parameter.value.parse().ok()?,
            })
        }));
    }
    limits
}

fn wear_of((index, run): (usize, &&Run)) -> Option<Wear> {
    let rounded = |&(cycles, share): &(f64, f64)| (kept(cycles), kept(share));
    let wear = &run.only()?.wear;
    (!wear.is_empty()).then(|| Wear {
        run: index,
        blocks: wear.iter().map(rounded).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::scale_between;
    use ftlab_result::Figure;

    fn scale(metric: &str, unit: &str, measure: &str) -> Option<f64> {
        let figure: Figure = serde_json::from_value(serde_json::json!({
            "id": "F1", "drive": "", "model": "", "test": "", "state": "", "data": "", "link": "",
            "metric": metric, "unit": unit, "published": 1, "qualifier": "eq", "simulated": 2.0,
            "error": 0.0, "verdict": "fail", "run": "", "source": ""
        }))
        .expect("a figure");
        scale_between(&figure, measure)
    }

    #[test]
    fn a_figure_finds_its_place_in_a_chart_in_another_unit_of_time() {
        assert_eq!(scale("lat_max_ms", "ms", "lat_max_ms"), Some(1.0));
        assert_eq!(scale("lat_max_s", "s", "lat_max_ms"), Some(1000.0));
        assert_eq!(
            scale("extract_minutes", "min", "extract_seconds"),
            Some(60.0)
        );
        assert_eq!(scale("lat_max_s", "s", "lat_avg_ms"), None);
        assert_eq!(scale("mb_s", "MB/s", "lat_avg_ms"), None);
    }

    #[test]
    fn megabytes_and_mebibytes_are_never_drawn_as_one() {
        assert_eq!(scale("mb_s", "MiB/s", "mib_s"), Some(1.0));
        assert_eq!(scale("mb_s", "MB/s", "mb_s"), Some(1.0));
        assert_eq!(scale("mb_s", "MiB/s", "mb_s"), Some(1.048_576));
        let back = scale("mb_s", "MB/s", "mib_s").expect("the same quantity");
        assert!((back * 1.048_576 - 1.0).abs() < 1e-12);
    }
}

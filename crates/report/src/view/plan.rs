//! A drive planned for years, as a report shows it: its answers, the curve over spare area, and what meets the goals.

use super::View;
use super::pts::Table;
use crate::format::{capacity, keep_units, latency_ns, literal, number};
use crate::svg::{self, Axis, Chart, Series};
use ftlab_result::plan::{AtRate, Goal, Latency, Measure, Plan, Point};

/// A fact of a drive: its name, and its value for each drive.
type Row = (&'static str, fn(&Plan) -> Option<String>);

/// The latencies of a kind of request at a rate: the kind, and where they are.
type OfKind = (&'static str, fn(&AtRate) -> Option<Latency>);

const KINDS: [OfKind; 2] = [("reads", |at| at.read), ("writes", |at| at.write)];

/// The height of a chart in pixels.
const CHART_HEIGHT: f64 = 320.0;

/// In the order that a buyer asks.
const ROWS: [Row; 14] = [
    ("capacity for the host", |plan| {
        Some(capacity(plan.capacity_bytes))
    }),
    ("spare area", |plan| plan.now.spare.map(percent)),
    ("write amplification", |plan| {
        plan.now.wa.map(|wa| wa_in_words(wa, plan.now.settled))
    }),
    ("by the closed form", |plan| {
        plan.now.closed_form_wa.map(|wa| format!("{wa:.3}"))
    }),
    ("host writes a day", |plan| {
        let day = plan.now.host_bytes_per_day.map(a_day)?;
        let times = plan.host_drive_writes_per_day.map(number)?;
        Some(format!("{day}, {times} DWPD"))
    }),
    ("flash writes a day", |plan| {
        let wear = plan.now.wear?;
        let (day, cycles) = (a_day(wear.flash_bytes_per_day), number(wear.cycles_per_day));
        Some(format!("{day}, {cycles} P/E cycles"))
    }),
    ("years", |plan| {
        let wear = plan.now.wear?;
        Some(wear.years().map_or("unknown".to_owned(), number))
    }),
    ("years to the announced amount", |plan| {
        let years = number(plan.now.wear?.announced_years?);
        let terabytes = plan.rated_bytes? / 1_000_000_000_000;
        let amount = literal(&terabytes.to_string());
        let whose = match plan.rated_bytes_assumed {
            true => ", assumed as usual in its class",
            false => "",
        };
        Some(format!("{years}: {amount} TBW{whose}"))
    }),
    ("years to the rated cycles", |plan| {
        plan.now.wear?.rated_years.map(number)
    }),
    ("years to 1 % failed blocks", |plan| {
        plan.now.wear?.failed_1_pct_years.map(number)
    }),
    ("used after 5 years", |plan| {
        let used = plan.now.wear?.used_pct_5_years?;
        Some(format!("{} %", number(used)))
    }),
    ("reads: p50, p99, p99.9", |plan| {
        plan.read.as_ref().map(latencies)
    }),
    ("writes: p50, p99, p99.9", |plan| {
        plan.write.as_ref().map(latencies)
    }),
    ("highest rate", |plan| {
        let rate = plan.highest_rate.as_ref()?;
        let goal = latency_ns(rate.p99_ns as f64);
        Some(match rate.host_bytes_per_day.zip(rate.iops) {
            Some((day, iops)) => {
                format!(
                    "{} a day, {} requests/s for p99 {goal}",
                    a_day(day),
                    number(iops)
                )
            }
            None => rate.words.clone(),
        })
    }),
];

/// Each drive's answer as a sentence: years, and latencies at the load's rate.
pub fn sentences(view: &View<'_>) -> Vec<String> {
    let sentence = |plan: &Plan| {
        let drive = view.drive_name(&plan.drive);
        let day = plan.now.host_bytes_per_day.map(a_day);
        let years = match (plan.now.wear.map(|wear| wear.years()), day) {
            (None, _) => Some("does not wear out".to_owned()),
            (Some(Some(years)), Some(day)) => {
                Some(format!("lasts {} at {day} a day", lifetime(years)))
            }
            _ => None,
        };
        let p99 = |of: &Latency| latency_ns(of.p99_ns as f64);
        let kinds = [("reads", &plan.read), ("writes", &plan.write)];
        let latencies: Vec<String> = (kinds.iter())
            .filter_map(|(kind, of)| Some(format!("99 % of {kind} within {}", p99(of.as_ref()?))))
            .collect();
        let answers =
            (!latencies.is_empty()).then(|| format!("answers {}", latencies.join(" and ")));
        let unknown = match years {
            None => {
                " How many years it lasts is unknown: its file names no rated amount of writes."
            }
            Some(_) => "",
        };
        let said: Vec<String> = years.into_iter().chain(answers).collect();
        keep_units(&format!("{drive} {}.{unknown}", said.join(", and ")))
    };
    view.set.plans.iter().map(sentence).collect()
}

/// A chart over spare area for each figure that has one.
pub fn charts(view: &View<'_>) -> Vec<String> {
    type Figure = fn(&Point) -> Option<f64>;
    let figures: [(&str, Figure); 3] = [
        ("write amplification", |point| point.wa),
        ("99th percentile of latency, ms", |point| {
            Some(point.p99_ns? as f64 / 1e6)
        }),
        ("years", |point| point.wear?.years()),
    ];
    figures
        .iter()
        .filter_map(|(name, of)| chart(view, name, *of))
        .collect()
}

/// A chart over the rate of the load for the latencies of each kind of request.
pub fn rate_charts(view: &View<'_>) -> Vec<String> {
    let chart = |(kind, of): &OfKind| rate_chart(view, kind, *of);
    KINDS.iter().filter_map(chart).collect()
}

/// The 99th percentile of a kind of request over the rate, up to the first rate that a drive does not keep up with.
fn rate_chart(view: &View<'_>, kind: &str, of: fn(&AtRate) -> Option<Latency>) -> Option<String> {
    let at = |at: &AtRate| Some((at.asked_iops, of(at)?.p99_ns as f64 / 1e6));
    let series = lines(view, |plan| {
        let kept = plan.rates.iter().take_while(|at| at.keeps_up);
        kept.filter_map(at).collect()
    })?;
    let points = || series.iter().flat_map(|series| &series.line);
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let values = || points().map(of);
        values().fold(f64::INFINITY, f64::min)..values().fold(0.0, f64::max)
    };
    Some(svg::draw(&[Chart {
        title: format!("99th percentile of {kind}, as far as a drive keeps up with the rate"),
        height: CHART_HEIGHT,
        across: Axis::ratios("requests a second".to_owned(), ends(|point| point.0)),
        up: Axis::ratios(
            format!("99th percentile of {kind}, ms"),
            ends(|point| point.1),
        ),
        series,
        note: None,
    }]))
}

/// A line for each drive; none where no drive has two points to connect.
fn lines(view: &View<'_>, of: impl Fn(&Plan) -> Vec<(f64, f64)>) -> Option<Vec<Series>> {
    let line = |(n, plan): (usize, &Plan)| {
        let line = of(plan);
        Series {
            name: view.drive_name(&plan.drive).to_owned(),
            colour: n,
            line: line.clone(),
            dots: line,
            ..Series::default()
        }
    };
    let series: Vec<Series> = view.set.plans.iter().enumerate().map(line).collect();
    let is_drawn = series.iter().any(|series| series.line.len() > 1);
    is_drawn.then_some(series)
}

fn chart(view: &View<'_>, name: &str, of: fn(&Point) -> Option<f64>) -> Option<String> {
    let at = |point: &Point| Some((100.0 * point.spare?, of(point)?));
    let series = lines(view, |plan| plan.curve.iter().filter_map(at).collect())?;
    let points = || series.iter().flat_map(|series| &series.line);
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let across = most(&mut points().map(|point| point.0));
    let up = most(&mut points().map(|point| point.1));
    Some(svg::draw(&[Chart {
        title: format!("{name} over spare area"),
        height: CHART_HEIGHT,
        across: Axis::round(
            "spare area, % of the user's capacity".to_owned(),
            0.0..across * 1.05,
        ),
        up: Axis::round(name.to_owned(), 0.0..up * 1.05),
        series,
        note: None,
    }]))
}

/// The answers, drive beside drive.
pub fn answers(view: &View<'_>) -> Table {
    let plans = &view.set.plans;
    let named = |plan: &Plan| view.drive_name(&plan.drive).to_owned();
    let has_one = |row: &&Row| plans.iter().any(|plan| (row.1)(plan).is_some());
    let row = |(name, of): &Row| {
        let cell = |plan: &Plan| of(plan).map_or("–".to_owned(), |text| keep_units(&text));
        std::iter::once((*name).to_owned())
            .chain(plans.iter().map(cell))
            .collect()
    };
    Table {
        title: "Answers".to_owned(),
        header: std::iter::once("as they are".to_owned())
            .chain(plans.iter().map(named))
            .collect(),
        rows: ROWS.iter().filter(has_one).map(row).collect(),
    }
}

/// A column of the curve: its name, and its value at a point.
type Column = (&'static str, fn(&Point) -> Option<String>);

const COLUMNS: [Column; 7] = [
    ("for the host", |point| Some(capacity(point.capacity_bytes))),
    ("WA", |point| {
        point.wa.map(|wa| wa_in_words(wa, point.settled))
    }),
    ("closed form", |point| {
        point.closed_form_wa.map(|wa| format!("{wa:.3}"))
    }),
    ("years", |point| point.wear?.years().map(number)),
    ("used in 5 years", |point| {
        let used = point.wear?.used_pct_5_years?;
        Some(format!("{} %", number(used)))
    }),
    ("p99", |point| point.p99_ns.map(|ns| latency_ns(ns as f64))),
    ("p99.9", |point| {
        point.p99_9_ns.map(|ns| latency_ns(ns as f64))
    }),
];

/// A drive at several rates of the load; none where none was asked for.
pub fn rates(view: &View<'_>, plan: &Plan) -> Option<Table> {
    let has_one = |kind: &&OfKind| plan.rates.iter().any(|at| (kind.1)(at).is_some());
    let kinds: Vec<&OfKind> = KINDS.iter().filter(has_one).collect();
    let row = |at: &AtRate| {
        let answered = match at.keeps_up {
            true => number(at.iops),
            false => format!("{} (falls behind)", number(at.iops)),
        };
        let latencies = kinds.iter().flat_map(|(_, of)| {
            let of = of(at);
            let ns: [fn(&Latency) -> u64; 3] = [|of| of.p50_ns, |of| of.p99_ns, |of| of.p99_9_ns];
            ns.map(|ns| of.map_or("–".to_owned(), |of| latency_ns(ns(&of) as f64)))
        });
        [number(at.asked_iops), answered]
            .into_iter()
            .chain(latencies)
            .collect()
    };
    let percentiles = (kinds.iter())
        .flat_map(|(kind, _)| ["p50", "p99", "p99.9"].map(|percent| format!("{kind} {percent}")));
    (!plan.rates.is_empty()).then(|| Table {
        title: format!("{} over the rate of the load", view.drive_name(&plan.drive)),
        header: ["requests a second", "answered"]
            .map(str::to_owned)
            .into_iter()
            .chain(percentiles)
            .collect(),
        rows: plan.rates.iter().map(row).collect(),
    })
}

/// A drive at several spare areas; none where they cannot be varied.
pub fn curve(view: &View<'_>, plan: &Plan) -> Option<Table> {
    let has_one = |column: &&Column| plan.curve.iter().any(|point| (column.1)(point).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(has_one).collect();
    let row = |point: &Point| {
        let spare = point.spare.map_or("–".to_owned(), percent);
        let spare = match point.spare == plan.now.spare {
            true => format!("{spare} (as it is)"),
            false => spare,
        };
        let cell = |column: &&Column| (column.1)(point).unwrap_or_else(|| "–".to_owned());
        std::iter::once(spare)
            .chain(columns.iter().map(cell))
            .collect()
    };
    // A curve of one point is the drive as it is, which the answers have.
    (plan.curve.len() > 1).then(|| Table {
        title: format!("{} over spare area", view.drive_name(&plan.drive)),
        header: std::iter::once("spare area")
            .chain(columns.iter().map(|(name, _)| *name))
            .map(str::to_owned)
            .collect(),
        rows: plan.curve.iter().map(row).collect(),
    })
}

/// The spare area of each drive for each goal; none where nothing was asked.
pub fn goals(view: &View<'_>) -> Option<Table> {
    let of_plan = |plan: &Plan| -> Vec<Vec<String>> {
        let row = |goal: &Goal| {
            let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
            let spare = goal.spare.map(percent).map(|spare| match goal.is_least {
                true => spare,
                false => format!("≤ {spare}"),
            });
            vec![
                view.drive_name(&plan.drive).to_owned(),
                goal_in_words(goal.measure, goal.wanted),
                spare.unwrap_or_else(|| match goal.reached {
                    Some(_) => "none does".to_owned(),
                    None => "unknown".to_owned(),
                }),
                or_none(goal.closed_form_spare.map(percent)),
                or_none(goal.capacity_bytes.map(capacity)),
                or_none(goal.reached.map(|value| reached(goal.measure, value))),
            ]
        };
        plan.goals.iter().map(row).collect()
    };
    let rows: Vec<Vec<String>> = view.set.plans.iter().flat_map(of_plan).collect();
    let header = [
        "drive",
        "goal",
        "least spare area",
        "closed form",
        "for the host",
        "reaches",
    ];
    (!rows.is_empty()).then(|| Table::new("The least spare area for each goal", &header, rows))
}

/// Sentences on the sources of a drive's numbers, and on those that could not be had.
pub fn notes(plan: &Plan) -> Vec<String> {
    let rate = plan.highest_rate.iter();
    let rate = rate.map(|rate| format!("Highest rate: {}", rate.words));
    let goals = plan.goals.iter().map(|goal| {
        let goal_words = goal_in_words(goal.measure, goal.wanted);
        format!("For {goal_words}: {}", goal.words)
    });
    plan.notes
        .iter()
        .cloned()
        .chain(rate)
        .chain(goals)
        .collect()
}

/// Years in words, a short time in days.
fn lifetime(years: f64) -> String {
    const DAYS_A_YEAR: f64 = 365.25;
    match years {
        _ if years < 0.5 => format!("{} days", number((years * DAYS_A_YEAR).round())),
        _ => format!("{} years", number(years)),
    }
}

fn a_day(bytes: f64) -> String {
    capacity(bytes as u64)
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn wa_in_words(wa: f64, settled: bool) -> String {
    let mark = if settled { "" } else { " (not steady)" };
    format!("{wa:.3}{mark}")
}

fn latencies(of: &Latency) -> String {
    let [p50, p99, p99_9] = [of.p50_ns, of.p99_ns, of.p99_9_ns].map(|ns| latency_ns(ns as f64));
    format!("{p50}, {p99}, {p99_9} at {}/s", number(of.iops))
}

fn goal_in_words(measure: Measure, wanted: f64) -> String {
    match measure {
        Measure::Wa => format!("WA ≤ {wanted}"),
        Measure::LifeYears => format!("life ≥ {wanted} years"),
        Measure::P99Ns => format!("p99 ≤ {}", latency_ns(wanted)),
    }
}

fn reached(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Wa => format!("WA {value:.3}"),
        Measure::LifeYears => format!("{} years", number(value)),
        Measure::P99Ns => format!("p99 {}", latency_ns(value)),
    }
}

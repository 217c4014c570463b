//! The charts, as SVG: closed forms are lines, simulated drives dots on them.

use super::case::{Case, Load};
use super::runs::Point;
use ftlab_report::svg::{self, Axis, Chart, Series};
use ftlab_theory::{Policy, alpha_in_use, in_use_after_trims_of_used};
use std::ops::Range;

pub const SPARE: &str = "theory-spare.svg";
pub const HOT_COLD: &str = "theory-hot-cold.svg";
pub const TRIM: &str = "theory-trim.svg";

/// A chart and the file it goes to.
pub struct Drawn {
    pub file: &'static str,
    pub svg: String,
}

const HEIGHT: f64 = 520.0;
/// Between these points of the x axis a curve is straight.
const STEP_PERCENT: f64 = 1.0;
/// Blocks of the charts.
const PAGES_PER_BLOCK: u32 = 128;
const OP_PERCENT: Range<f64> = 5.0..40.0;
const TRIMS_PERCENT: Range<f64> = 0.0..40.0;

pub fn draw_all(points: &[Point]) -> Vec<Drawn> {
    let op = || Axis::round("over-provisioning, %".to_owned(), OP_PERCENT);
    let trims = Axis::round("share of trims, %".to_owned(), TRIMS_PERCENT);
    vec![
        drawn(
            SPARE,
            "Uniform random writes, 128 pages a block",
            op(),
            &[1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0],
            uniform(points),
        ),
        drawn(
            HOT_COLD,
            "FIFO with hot and cold addresses (% of addresses / % of writes)",
            op(),
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 13.0],
            hot_cold(points),
        ),
        drawn(
            TRIM,
            "TRIM beside uniform random writes, 128 pages a block",
            trims,
            &[1.0, 1.5, 2.0, 3.0, 5.0, 8.0],
            trim(points),
        ),
    ]
}

/// A chart of write amplification, whose axis is logarithmic and ends with the first and the last of its marks.
fn drawn(
    file: &'static str,
    title: &str,
    across: Axis,
    wa: &[f64],
    mut series: Vec<Series>,
) -> Drawn {
    // A line that left the frame would cross the marks and titles around it.
    let (low, high) = (wa[0], wa[wa.len() - 1]);
    for series in &mut series {
        series.line.retain(|(_, wa)| (low..=high).contains(wa));
    }
    let up = Axis {
        name: "write amplification".to_owned(),
        low,
        high,
        is_log: true,
        marks: wa.iter().map(|wa| (*wa, wa.to_string())).collect(),
    };
    let chart = Chart {
        title: title.to_owned(),
        height: HEIGHT,
        across,
        up,
        series,
        note: None,
    };
    Drawn {
        file,
        svg: svg::draw(&[chart]),
    }
}

fn along(percent: Range<f64>) -> impl Iterator<Item = f64> {
    let steps = ((percent.end - percent.start) / STEP_PERCENT).round() as u32;
    (0..=steps).map(move |n| percent.start + f64::from(n) * STEP_PERCENT)
}

/// The simulated figures of the cases that fit, against what `x_percent` says of each.
fn dots(
    points: &[Point],
    fits: impl Fn(&Case) -> bool,
    x_percent: impl Fn(&Case) -> f64,
) -> Vec<(f64, f64)> {
    points
        .iter()
        .filter(|point| point.case.pages_per_block == PAGES_PER_BLOCK && fits(&point.case))
        .map(|point| (x_percent(&point.case), point.simulated))
        .collect()
}

/// The closed form of a case against over-provisioning.
fn against_op(case: Case) -> Vec<(f64, f64)> {
    let at = |percent: f64| {
        let op = percent / 100.0;
        (percent, Case { op, ..case }.theory())
    };
    along(OP_PERCENT).map(at).collect()
}

fn op_percent(case: &Case) -> f64 {
    100.0 * case.op
}

fn case(policy: Policy, load: Load, separate: bool) -> Case {
    Case {
        policy,
        load,
        separate,
        op: OP_PERCENT.start / 100.0,
        pages_per_block: PAGES_PER_BLOCK,
    }
}

fn uniform(points: &[Point]) -> Vec<Series> {
    let policies = [
        Policy::Random,
        Policy::Choices(2),
        Policy::Choices(10),
        Policy::Fifo,
        Policy::Greedy,
    ];
    let curve = |(policy, colour): (Policy, usize)| {
        let same = |case: &Case| case.policy == policy && case.load == Load::Uniform;
        Series {
            name: policy.to_string(),
            colour,
            dashed: policy == Policy::Fifo,
            line: against_op(case(policy, Load::Uniform, false)),
            dots: dots(points, same, op_percent),
            ..Series::default()
        }
    };
    policies.into_iter().zip(0..).map(curve).collect()
}

fn hot_cold(points: &[Point]) -> Vec<Series> {
    let parts = [(10, 90), (20, 80), (50, 90)];
    let curve = |separate: bool| {
        move |((addresses_percent, writes_percent), colour): ((u8, u8), usize)| {
            let load = Load::HotCold {
                addresses_percent,
                writes_percent,
            };
            let same = |case: &Case| case.load == load && case.separate == separate;
            let logs = if separate { "separate logs" } else { "one log" };
            Series {
                name: format!("{addresses_percent}/{writes_percent} in {logs}"),
                colour,
                dashed: separate,
                line: against_op(case(Policy::Fifo, load, separate)),
                dots: dots(points, same, op_percent),
                ..Series::default()
            }
        }
    };
    // Uniform writes are the measure of both: one log is worse, separate logs are better.
    let uniform = Series {
        name: "uniform writes".to_owned(),
        colour: 4,
        dashed: false,
        line: against_op(case(Policy::Fifo, Load::Uniform, false)),
        dots: Vec::new(),
        ..Series::default()
    };
    let mixed = parts.into_iter().zip(0..).map(curve(false));
    let separate = parts.into_iter().zip(0..).map(curve(true));
    mixed.chain([uniform]).chain(separate).collect()
}

fn trim(points: &[Point]) -> Vec<Series> {
    let mut curves = Vec::new();
    for (op, colour) in [0.07, 0.127, 0.28].into_iter().zip(0..) {
        for policy in [Policy::Fifo, Policy::Greedy] {
            let same = |case: &Case| {
                let is_trim = matches!(case.load, Load::Trim { .. } | Load::Uniform);
                case.policy == policy && is_trim && case.op == op
            };
            let trims_percent = |case: &Case| match case.load {
                Load::Trim { percent } => f64::from(percent),
                Load::Uniform | Load::HotCold { .. } => 0.0,
            };
            let at = |percent: f64| {
                let in_use = in_use_after_trims_of_used(percent / 100.0).ok()?;
                let alpha = alpha_in_use(1.0 + op, in_use).ok()?;
                Some((percent, policy.uniform(alpha, PAGES_PER_BLOCK).ok()?))
            };
            curves.push(Series {
                name: format!("OP {} %, {policy}", (op * 1000.0).round() / 10.0),
                colour,
                dashed: policy == Policy::Fifo,
                line: along(TRIMS_PERCENT).filter_map(at).collect(),
                dots: dots(points, same, trims_percent),
                ..Series::default()
            });
        }
    }
    curves
}

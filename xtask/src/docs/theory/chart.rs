//! The charts, as SVG: closed forms are lines, simulated drives dots on them.

use super::case::{Case, Load};
use super::runs::Point;
use ftlab_theory::{Policy, alpha_in_use, in_use_after_trims_of_used};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

pub const SPARE: &str = "theory-spare.svg";
pub const HOT_COLD: &str = "theory-hot-cold.svg";
pub const TRIM: &str = "theory-trim.svg";

/// The colours of Okabe and Ito, which the colour-blind can tell apart, without the light ones.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(60, 60, 60),
    RGBColor(160, 110, 0),
];
/// Dark on white, whatever the colours of the page around it.
const PAPER: RGBColor = WHITE;
const GRID: RGBColor = RGBColor(225, 225, 225);

/// A chart and the file it goes to.
pub struct Drawn {
    pub file: &'static str,
    pub svg: String,
}

/// A closed form and the simulated figures that belong to it.
struct Curve {
    label: String,
    colour: RGBColor,
    dashed: bool,
    line: Vec<(f64, f64)>,
    dots: Vec<(f64, f64)>,
}

struct Chart<'a> {
    file: &'static str,
    title: &'a str,
    x_label: &'a str,
    x_percent: std::ops::Range<f64>,
    /// Marked on the axis, which is logarithmic and ends with the first and the last.
    wa: &'a [f64],
    curves: Vec<Curve>,
}

const SIZE: (u32, u32) = (860, 520);
/// Between these points of the x axis a curve is straight. Coordinates are whole pixels, so that finer
/// steps would look rougher.
const STEP_PERCENT: f64 = 1.0;
/// Blocks of the charts.
const PAGES_PER_BLOCK: u32 = 128;
const OP_PERCENT: std::ops::Range<f64> = 5.0..40.0;
const TRIMS_PERCENT: std::ops::Range<f64> = 0.0..40.0;

pub fn draw_all(points: &[Point]) -> Vec<Drawn> {
    let charts = [
        Chart {
            file: SPARE,
            title: "Uniform random writes, 128 pages a block",
            x_label: "over-provisioning, %",
            x_percent: OP_PERCENT,
            wa: &[1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0],
            curves: uniform(points),
        },
        Chart {
            file: HOT_COLD,
            title: "FIFO with hot and cold addresses (% of addresses / % of writes)",
            x_label: "over-provisioning, %",
            x_percent: OP_PERCENT,
            wa: &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 13.0],
            curves: hot_cold(points),
        },
        Chart {
            file: TRIM,
            title: "TRIM beside uniform random writes, 128 pages a block",
            x_label: "share of trims, %",
            x_percent: TRIMS_PERCENT,
            wa: &[1.0, 1.5, 2.0, 3.0, 5.0, 8.0],
            curves: trim(points),
        },
    ];
    charts.iter().map(Drawn::of).collect()
}

fn along(percent: std::ops::Range<f64>) -> impl Iterator<Item = f64> {
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

fn uniform(points: &[Point]) -> Vec<Curve> {
    let policies = [
        Policy::Random,
        Policy::Choices(2),
        Policy::Choices(10),
        Policy::Fifo,
        Policy::Greedy,
    ];
    let curve = |(policy, colour): (Policy, &RGBColor)| {
        let same = |case: &Case| case.policy == policy && case.load == Load::Uniform;
        Curve {
            label: policy.to_string(),
            colour: *colour,
            dashed: policy == Policy::Fifo,
            line: against_op(case(policy, Load::Uniform, false)),
            dots: dots(points, same, op_percent),
        }
    };
    policies.into_iter().zip(&COLOURS).map(curve).collect()
}

fn hot_cold(points: &[Point]) -> Vec<Curve> {
    let parts = [(10, 90), (20, 80), (50, 90)];
    let curve = |separate: bool| {
        move |((addresses_percent, writes_percent), colour): ((u8, u8), &RGBColor)| {
            let load = Load::HotCold {
                addresses_percent,
                writes_percent,
            };
            let same = |case: &Case| case.load == load && case.separate == separate;
            let logs = if separate { "separate logs" } else { "one log" };
            Curve {
                label: format!("{addresses_percent}/{writes_percent} in {logs}"),
                colour: *colour,
                dashed: separate,
                line: against_op(case(Policy::Fifo, load, separate)),
                dots: dots(points, same, op_percent),
            }
        }
    };
    let uniform = Curve {
        label: "uniform writes".to_owned(),
        colour: COLOURS[4],
        dashed: false,
        line: against_op(case(Policy::Fifo, Load::Uniform, false)),
        dots: Vec::new(),
    };
    let mixed = parts.into_iter().zip(&COLOURS).map(curve(false));
    let separate = parts.into_iter().zip(&COLOURS).map(curve(true));
    mixed.chain([uniform]).chain(separate).collect()
}

fn trim(points: &[Point]) -> Vec<Curve> {
    let mut curves = Vec::new();
    for (op, colour) in [0.07, 0.127, 0.28].into_iter().zip(&COLOURS) {
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
            curves.push(Curve {
                label: format!("OP {} %, {policy}", (op * 1000.0).round() / 10.0),
                colour: *colour,
                dashed: policy == Policy::Fifo,
                line: along(TRIMS_PERCENT).filter_map(at).collect(),
                dots: dots(points, same, trims_percent),
            });
        }
    }
    curves
}

impl Drawn {
    fn of(chart: &Chart<'_>) -> Drawn {
        let mut svg = String::new();
        chart
            .draw(&mut svg)
            .expect("drawing into a string succeeds");
        // The lines end as those of any other text file.
        let lines: Vec<&str> = svg.lines().map(str::trim_end).collect();
        Drawn {
            file: chart.file,
            svg: lines.join("\n") + "\n",
        }
    }
}

impl Chart<'_> {
    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&PAPER)?;
        let (lowest, highest) = (self.wa[0], self.wa[self.wa.len() - 1]);
        let wa = (lowest..highest)
            .log_scale()
            .with_key_points(self.wa.to_vec());
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d(self.x_percent.clone(), wa)?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_desc(self.x_label)
            .y_desc("write amplification")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|wa| wa.to_string())
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 15))
            .draw()?;
        for curve in &self.curves {
            let style = curve.colour.stroke_width(2);
            let line = curve.line.iter().copied();
            let line = line.filter(|(_, wa)| (lowest..=highest).contains(wa));
            let drawn = if curve.dashed {
                chart.draw_series(DashedLineSeries::new(line, 7, 5, style))?
            } else {
                chart.draw_series(LineSeries::new(line, style))?
            };
            let (gap, pattern) = if curve.dashed { (5, 7) } else { (0, 24) };
            drawn.label(&curve.label).legend(move |(x, y)| {
                DashedPathElement::new([(x, y), (x + 24, y)], pattern, gap, style)
            });
        }
        // Dots last, so that no line covers one.
        for curve in &self.curves {
            let dot = |&at| Circle::new(at, 4, curve.colour.filled());
            chart.draw_series(curve.dots.iter().map(dot))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(PAPER)
            .border_style(GRID)
            .legend_area_size(30)
            .label_font(("sans-serif", 14))
            .draw()?;
        area.present()?;
        Ok(())
    }
}

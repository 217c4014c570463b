//! The page of a trace: its figures and charts, in one file that loads nothing.

use ftlab_base::amount::decimal;
use ftlab_bench::trace_figures::Figures;
use ftlab_report::html::charts::{self, Bar, Bars, End, Page};
use ftlab_trace::{BLOCK_BYTES, Look, Profile};

const DIRECTIONS: &[&str] = &["reads", "writes"];

/// Times between requests by decade.
const DECADES: [&str; 11] = [
    "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1000 s", "more",
];

/// Shares of the written blocks whose writes are drawn, in percent.
const HOT_STEP_PERCENT: usize = 5;

/// Renders the page with its charts and the text of the profile.
pub fn render(look: &Look, profile: &Profile, figures: &Figures, text: &str) -> String {
    // The charts come in the order in which one asks: what is requested, when, where, and at what cost.
    let bars = [
        Bars {
            title: "Sizes: requests up to each size",
            series: DIRECTIONS,
            bars: sizes(profile),
        },
        Bars {
            title: "Course: MB/s over time",
            series: DIRECTIONS,
            bars: course(profile),
        },
        Bars {
            title: "Time since the request before: requests up to each time",
            series: &["requests"],
            bars: idle(profile),
        },
        Bars {
            title: "Skew: % of the writes to the hottest % of the written blocks",
            series: &["writes"],
            bars: hot(profile),
        },
        Bars {
            title: "Reuse distance: accesses with fewer bytes of other blocks between",
            series: &["accesses"],
            bars: distances(profile),
        },
        Bars {
            title: "Least write amplification where blocks written as often are kept together",
            series: &["bound"],
            bars: least(figures),
        },
    ];
    charts::render(&Page {
        title: &look.file,
        lead: &[],
        text,
        charts: &bars,
        below: "As it was read",
        end: End::Text(&look.words()),
    })
}

fn course(profile: &Profile) -> Vec<Bar> {
    let step_s = profile.course_step_s();
    let rate = |bytes: u64| match step_s > 0.0 {
        true => bytes as f64 / step_s / 1e6,
        false => 0.0,
    };
    let course = (0..).zip(&profile.course);
    course
        .map(|(n, part)| {
            (
                format!("{:.0} s", f64::from(n) * step_s),
                part.map(rate).to_vec(),
            )
        })
        .collect()
}

fn idle(profile: &Profile) -> Vec<Bar> {
    let idle = DECADES.into_iter().zip(&profile.idle);
    idle.map(|(name, count)| (name.to_owned(), vec![*count as f64]))
        .collect()
}

fn hot(profile: &Profile) -> Vec<Bar> {
    let shares = (HOT_STEP_PERCENT..=100).step_by(HOT_STEP_PERCENT);
    let bar = |percent: usize| {
        let writes = profile.blocks.hottest(percent as f64 / 100.0)?;
        Some((format!("{percent} %"), vec![100.0 * writes]))
    };
    shares.filter_map(bar).collect()
}

fn distances(profile: &Profile) -> Vec<Bar> {
    let bytes = |n: i32| decimal(2_f64.powi(n) * BLOCK_BYTES as f64, "B");
    let distances = (0..).zip(&profile.blocks.distances);
    distances
        .map(|(n, count)| (bytes(n), vec![*count]))
        .collect()
}

fn least(figures: &Figures) -> Vec<Bar> {
    let least = figures.least_write_amplification.iter();
    least
        .map(|[op, wa]| (format!("{:.0} % spare", 100.0 * op), vec![*wa]))
        .collect()
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

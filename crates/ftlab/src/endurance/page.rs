//! The page of a life: its answer and charts, in one file that loads nothing.

use super::{GB, percent, terabytes};
use ftlab_base::amount::{decimal, three_digits};
use ftlab_bench::endurance::{MarkRow, Report};
use ftlab_report::html::charts::{self, Bar, Bars, End, Page};

/// Renders the page, with the answer as the terminal has it below the charts.
pub fn render(report: &Report, text: &str) -> String {
    let of = |share: fn(&MarkRow) -> Vec<f64>| -> Vec<Bar> {
        let bar = |row: &MarkRow| (terabytes(row.host_tb), share(row));
        report.life.iter().map(bar).collect()
    };
    let charts = [
        Bars {
            title: "Wear: % of the rated cycles that is used, by host writes",
            series: &["% of the rated cycles"],
            bars: of(|row| vec![100.0 * row.worn_share]),
        },
        Bars {
            title: "Failures: % of the blocks that is bad, and of the spare area that is left",
            series: &["% bad", "% of the spare area left"],
            bars: of(|row| vec![100.0 * row.bad_share, 100.0 * row.spare_share]),
        },
        Bars {
            title: "Write amplification",
            series: &["write amplification"],
            bars: of(|row| vec![row.wa]),
        },
    ];
    let title = format!("The life of {} under {}", report.drive, report.job);
    charts::render(&Page {
        title: &title,
        lead: &answer(report),
        text: "",
        charts: &charts,
        below: "All figures",
        end: End::Text(text),
    })
}

/// The answer in sentences.
fn answer(report: &Report) -> [String; 3] {
    let years = three_digits(report.lived_years);
    let per_day = decimal(report.per_day_gb * GB, "B");
    let asked = report.years;
    let (host, then) = (terabytes(report.host_tb), percent(report.then.worn_share));
    [
        format!(
            "The drive lasts {years} years at {per_day} of writes a day; {asked} years were asked for."
        ),
        format!(
            "It took {host} of host writes until its end: {}.",
            report.ending
        ),
        format!("After the years asked for, or at its end, {then} of the rated cycles were used."),
    ]
}

//! The verdict on a simulated figure beside the published one.

use ftlab_result::Verdict;
use ftlab_result::quantity::table;

/// The factor by which an averaged figure may be off. Repeating a review on a second sample of a drive moves its
/// averages about this much.
const TOLERANCE: f64 = 1.15;

/// The factor for a figure that its source only gives as "about".
const TOLERANCE_APPROX: f64 = 1.25;

/// The factor for a maximum: one event of a run whose length is mostly not stated.
const TOLERANCE_MAXIMUM: f64 = 2.0;

/// The factor for a 99th percentile, which collection decides, and for percentiles beyond, of which each is few
/// requests.
const TOLERANCE_P99: f64 = 1.5;
const TOLERANCE_BEYOND_P99: f64 = 2.0;

/// "Up to x" promises no more than x, and something near it: at least this share of it.
const UPTO_LEAST: f64 = 2.0 / 3.0;

/// Not the qualifier of a row, but how what a maker promises is judged: a drive that bears more keeps
/// the promise.
pub const AT_LEAST: &str = "at-least";

/// The verdict of a row on the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Agreement or not; some figures are only shown.
    pub verdict: Verdict,
    /// |ln(simulated / published)|, for rows that are scored by it.
    pub error: Option<f64>,
}

impl Judgement {
    /// Shown beside the published value, not judged.
    pub const SHOWN: Judgement = Judgement {
        verdict: Verdict::Shown,
        error: None,
    };

    fn when(holds: bool) -> Self {
        let verdict = if holds { Verdict::Pass } else { Verdict::Fail };
        Judgement {
            verdict,
            error: None,
        }
    }
}

/// Judges `simulated` by a row of the reference table. Both figures are in the row's unit.
#[must_use]
pub fn judge(metric: &str, qualifier: &str, published: f64, simulated: f64) -> Judgement {
    if published <= 0.0 || simulated <= 0.0 {
        return near_nothing(qualifier, published, simulated);
    }
    let error = (simulated / published).ln().abs();
    let within = |factor: f64| error <= factor.ln();
    match qualifier {
        "eq" | "approx" if metric.starts_with("lat_max_") || metric == table::PAUSES.name => {
            Judgement::when(within(TOLERANCE_MAXIMUM))
        }
        "eq" if is_scored(metric) => Judgement {
            error: Some(error),
            ..Judgement::when(within(tolerance(metric)))
        },
        "eq" => Judgement::when(within(TOLERANCE)),
        AT_LEAST => Judgement::when(simulated >= published),
        "approx" => Judgement::when(within(TOLERANCE_APPROX)),
        "gt" => Judgement::when(simulated > published),
        "lt" => Judgement::when(simulated < published),
        "upto" => {
            let near = simulated > published * UPTO_LEAST;
            Judgement::when(near && simulated <= published)
        }
        "range-lo" => Judgement::when(simulated >= published),
        "range-hi" => Judgement::when(simulated <= published),
        _ => Judgement::SHOWN, // ambiguous-*, qualitative, derived
    }
}

/// The factor by which a figure may be off.
fn tolerance(metric: &str) -> f64 {
    match metric.split_once("_lat_p") {
        Some((_, "99_us")) => TOLERANCE_P99,
        Some((_, beyond)) if beyond.starts_with("99") => TOLERANCE_BEYOND_P99,
        _ => TOLERANCE,
    }
}

/// Judges two figures of which one is zero and has no logarithm: a drive without pauses must have none in the model.
fn near_nothing(qualifier: &str, published: f64, simulated: f64) -> Judgement {
    match qualifier {
        "eq" => Judgement::when(published == simulated),
        "gt" => Judgement::when(simulated > published),
        "lt" => Judgement::when(simulated < published),
        AT_LEAST | "range-lo" => Judgement::when(simulated >= published),
        "range-hi" => Judgement::when(simulated <= published),
        "approx" | "upto" => Judgement::when(false),
        _ => Judgement::SHOWN,
    }
}

/// Ratios, shares and differences follow from two scored rows and would count them twice.
fn is_scored(metric: &str) -> bool {
    !(metric.contains("ratio_vs_")
        || metric.starts_with("advantage_vs_")
        || metric.starts_with("extra_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(metric: &str, qualifier: &str, published: f64, simulated: f64) -> Verdict {
        judge(metric, qualifier, published, simulated).verdict
    }

    #[test]
    fn averages_are_scored_by_their_error() {
        let close = judge("lat_avg_ms", "eq", 244.0, 230.0);
        assert_eq!(close.verdict, Verdict::Pass);
        assert!((close.error.unwrap() - (244.0f64 / 230.0).ln()).abs() < 1e-12);
        assert_eq!(verdict("iops", "eq", 100.0, 116.0), Verdict::Fail);
        assert_eq!(verdict("iops", "eq", 100.0, 87.5), Verdict::Pass);
        assert_eq!(verdict("iops", "approx", 100.0, 124.0), Verdict::Pass);
    }

    #[test]
    fn maxima_are_judged_by_a_factor_and_not_scored() {
        let within = judge("lat_max_ms", "eq", 94.2, 180.0);
        assert_eq!(
            within,
            Judgement {
                verdict: Verdict::Pass,
                error: None
            }
        );
        assert_eq!(verdict("lat_max_ms", "eq", 94.2, 190.0), Verdict::Fail);
    }

    #[test]
    fn what_follows_from_scored_figures_is_judged_and_not_scored_again() {
        let is_scored = |metric| judge(metric, "eq", 10.0, 11.0).error.is_some();
        for metric in ["seconds", "extract_minutes", "watts", "iops", "wa"] {
            assert!(is_scored(metric), "{metric}");
        }
        for metric in [
            "time_ratio_vs_x",
            "advantage_vs_x_pct",
            "extra_seconds_vs_x",
            "pauses",
            "lat_max_ms",
        ] {
            assert!(!is_scored(metric), "{metric}");
        }
        assert_eq!(
            verdict("extra_seconds_vs_x", "eq", 10.0, 11.0),
            Verdict::Pass
        );
    }

    #[test]
    fn bounds_are_conditions() {
        assert_eq!(verdict("lat_max_s", "gt", 30.0, 31.0), Verdict::Pass);
        assert_eq!(verdict("lat_max_s", "gt", 30.0, 30.0), Verdict::Fail);
        assert_eq!(verdict("lat_avg_s", "upto", 15.0, 15.0), Verdict::Pass);
        assert_eq!(verdict("lat_avg_s", "upto", 15.0, 9.0), Verdict::Fail);
        assert_eq!(verdict("lifetime", AT_LEAST, 5.0, 20.0), Verdict::Pass);
        assert_eq!(verdict("lifetime", AT_LEAST, 5.0, 4.9), Verdict::Fail);
        assert_eq!(verdict("mb_s", "range-lo", 30.0, 30.0), Verdict::Pass);
        assert_eq!(verdict("mb_s", "range-hi", 40.0, 40.1), Verdict::Fail);
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(verdict("pauses", "eq", 0.0, 0.0), Verdict::Pass);
        assert_eq!(verdict("pauses", "eq", 0.0, 1.0), Verdict::Fail);
        assert_eq!(verdict("pauses", "eq", 20.0, 0.0), Verdict::Fail);
        assert_eq!(verdict("pauses", "eq", 20.0, 39.0), Verdict::Pass);
        assert_eq!(
            verdict("stall_latency_s", "range-lo", 0.0, 0.3),
            Verdict::Pass
        );
        assert_eq!(
            verdict("advantage_pct", "approx", 30.0, -3.0),
            Verdict::Fail
        );
    }

    #[test]
    fn doubtful_rows_are_only_shown() {
        assert_eq!(
            judge("mb_s", "ambiguous-test", 163.0, 163.0),
            Judgement::SHOWN
        );
        assert_eq!(judge("seconds", "derived", 34.0, 10.0), Judgement::SHOWN);
    }
}

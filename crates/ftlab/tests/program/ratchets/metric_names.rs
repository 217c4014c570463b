//! Where names of metrics stand: in the table of quantities, from which all others take them.

use super::{may_only_shrink, sources};
use ftlab_result::quantity::table;

/// The table.
const TABLE: &str = "crates/result/src/quantity/table.rs";

/// Files with such a name. Some name other things as metrics are named: keys of drive files, fields of older results.
const ELSEWHERE: &[&str] = &[
    "crates/attach/src/control/metrics.rs",
    "crates/bench/src/figures/metric.rs",
    "crates/drive/src/file/sections/limit.rs",
    "crates/result/src/older.rs",
    "crates/result/src/quantity/course.rs",
    "xtask/src/calibrate/errors.rs",
    "xtask/src/cross_validate/figures.rs",
];

/// The name of a metric that a text has in quotes. Those of one word are words of other things, too: `iops`, `seconds`.
fn named(text: &str) -> Option<&'static str> {
    let mut names = table::ALL.iter().map(|of| of.name);
    names.find(|name| name.contains('_') && text.contains(&format!("\"{name}\"")))
}

#[test]
fn a_metrics_name_is_written_in_the_table_alone() {
    let sources = sources();
    let others = sources.iter().filter(|source| source.path != TABLE);
    let found: Vec<String> = others
        .filter(|source| named(&source.text).is_some())
        .map(|source| source.path.clone())
        .collect();
    let rule = "a metric is named by its constant in the table of quantities";
    may_only_shrink(rule, ELSEWHERE, &found);
}

#[test]
fn a_name_in_quotes_is_told_from_others() {
    assert_eq!(named("put(\"lat_avg_ms\", 1.0)"), Some("lat_avg_ms"));
    for text in ["lat_avg_ms: f64", "\"lat_avg_ms_of\"", "\"seconds\""] {
        assert_eq!(named(text), None, "{text}");
    }
}

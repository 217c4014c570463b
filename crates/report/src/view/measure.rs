//! The measures that a chart offers, and their order.

use ftlab_result::quantity::{Better, Quantity, better, table};

/// Metrics drawn first, when a run has them; others follow by name.
const ORDER: [Quantity; 10] = [
    table::IOPS,
    table::MB_S,
    table::MIB_S,
    table::LAT_AVG_MS,
    table::LAT_P99_MS,
    table::LAT_P99_99_MS,
    table::LAT_MAX_MS,
    table::WA,
    table::WA_STEADY,
    table::WATTS,
];

/// The metrics a chart offers, that of the family first, without those that say another way what the run's table says.
pub fn in_order<'a>(first: &'a str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names
        .filter(|name| *name != table::DIRTY_MAX_MB.name)
        .collect();
    let place = |name: &str| ORDER.iter().position(|known| known.name == name);
    names.sort_by_key(|name| (*name != first, place(name).unwrap_or(ORDER.len()), *name));
    names.dedup();
    names
}

/// `Lower is better.`, or nothing.
pub fn better_words(metric: &str) -> &'static str {
    match better(metric) {
        Better::Higher => "Higher is better.",
        Better::Lower => "Lower is better.",
        Better::Neither => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_familys_own_metric_is_offered_first() {
        let names = ["wa", "iops", "zebra", "lat_max_ms", "dirty_max_mb"];
        assert_eq!(
            in_order("lat_max_ms", names.into_iter()),
            ["lat_max_ms", "iops", "wa", "zebra"]
        );
    }
}

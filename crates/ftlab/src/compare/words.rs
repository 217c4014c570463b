//! Keys and values of settings as a chart says them: words and units instead of `spare.op`.

use ftlab_bench::variants::Sweep;

/// The key whose value is a share of the user's capacity.
const OVER_PROVISIONING: &str = "spare.op";

/// A setting in words: `Over-provisioning`, `Garbage collection: policy`, `Flash: program time`.
pub fn key(key: &str) -> String {
    if key == OVER_PROVISIONING {
        return "Over-provisioning".to_owned();
    }
    let Some((section, name)) = key.split_once('.') else {
        return capitalised(&spaced(key));
    };
    let section = match section {
        "buffer" => "Write buffer".to_owned(),
        "gc" => "Garbage collection".to_owned(),
        "map" => "Mapping".to_owned(),
        "nand" => "Flash".to_owned(),
        "spare" => "Spare area".to_owned(),
        "wear" => "Wear levelling".to_owned(),
        other => capitalised(&spaced(other)),
    };
    let name = match name.strip_prefix("t_") {
        Some(operation) => format!("{} time", spaced(operation)),
        None => spaced(name),
    };
    format!("{section}: {name}")
}

/// The name of the axis of a setting: with the unit of its values, unless each has its own.
pub fn axis(sweep: &Sweep, unit: &str) -> String {
    let words = key(&sweep.key);
    let bare = |value: &String| value.parse::<f64>().is_ok();
    match unit {
        _ if sweep.key == OVER_PROVISIONING => format!("{words}, % of the user’s capacity"),
        "" => words,
        unit if sweep.values.iter().all(bare) => format!("{words}, {unit}"),
        _ => words,
    }
}

/// A value of a setting: shares in percent, others as they were given.
pub fn value(sweep: &Sweep, value: &str) -> String {
    match value.parse::<f64>() {
        Ok(share) if sweep.key == OVER_PROVISIONING => {
            let percent = (share * 1e4).round() / 100.0;
            format!("{percent} %")
        }
        _ => spaced(value),
    }
}

fn spaced(text: &str) -> String {
    text.replace('_', " ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(key: &str, values: &[&str]) -> Sweep {
        Sweep {
            key: key.to_owned(),
            values: values.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_chart_says_words_and_units() {
        let spare = sweep("spare.op", &["0.07", "0.285"]);
        assert_eq!(
            axis(&spare, ""),
            "Over-provisioning, % of the user’s capacity"
        );
        assert_eq!(value(&spare, "0.285"), "28.5 %");
        assert_eq!(
            axis(&sweep("link.rate", &["300", "600"]), "MB/s"),
            "Link: rate, MB/s"
        );
        let sized = sweep("buffer.size", &["64KiB", "1MiB"]);
        assert_eq!(axis(&sized, "MiB"), "Write buffer: size");
        assert_eq!(value(&sized, "64KiB"), "64KiB");
        assert_eq!(key("nand.t_program"), "Flash: program time");
    }
}

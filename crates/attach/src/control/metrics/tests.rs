use super::*;
use crate::engine::{Engine, Timing};
use ftlab_base::Nanos;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::DataDrive;
use std::collections::{BTreeMap, BTreeSet};

/// A family of metrics, as a strict reader of OpenMetrics 1.0 sees it.
#[derive(Default)]
struct Family {
    name: String,
    kind: String,
    /// What follows the family's name, the labels but `le`, that label, and the value, in order.
    samples: Vec<(String, String, Option<String>, f64)>,
}

/// Reads a page and gives its families, or says which rule of the format it breaks.
fn strictly(page: &str) -> Result<Vec<Family>, String> {
    let lines = page.strip_suffix("# EOF\n").ok_or("the end is not # EOF")?;
    let mut families: Vec<Family> = Vec::new();
    let mut told = BTreeSet::new();
    for line in lines.lines() {
        if let Some(words) = line.strip_prefix("# ") {
            let mut words = words.splitn(3, ' ');
            let [what, name, text] = [(); 3].map(|()| words.next().unwrap_or_default());
            if families.last().is_none_or(|family| family.name != name) {
                families.push(Family {
                    name: name.to_owned(),
                    ..Family::default()
                });
            }
            let family = families.last_mut().expect("just now");
            if !told.insert((what.to_owned(), name.to_owned())) {
                return Err(format!("{what} of {name} twice, or {name} in two places"));
            }
            match what {
                "TYPE" if family.samples.is_empty() => family.kind = text.to_owned(),
                "UNIT" if name.ends_with(&format!("_{text}")) => {}
                "HELP" => {}
                _ => return Err(format!("{line:?} has no place here")),
            }
            continue;
        }
        let family = families.last_mut().ok_or("a sample without a family")?;
        let (series, value) = line.rsplit_once(' ').ok_or("a sample without a value")?;
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let labels = labels.strip_suffix('}').ok_or("labels without an end")?;
        let suffix = name.strip_prefix(&family.name);
        let suffix = suffix.ok_or_else(|| format!("{name} within {}", family.name))?;
        if !told.insert(("a sample".to_owned(), series.to_owned())) {
            return Err(format!("{series} twice"));
        }
        let (le, others): (Vec<&str>, Vec<&str>) = labels
            .split(',')
            .filter(|label| !label.is_empty())
            .partition(|label| label.starts_with("le="));
        let le = le
            .first()
            .map(|le| le["le=".len()..].trim_matches('"').to_owned());
        let value: f64 = value.parse().map_err(|_| format!("{line:?}: no number"))?;
        family
            .samples
            .push((suffix.to_owned(), others.join(","), le, value));
    }
    families.iter().try_for_each(judge)?;
    Ok(families)
}

/// What a family says of one set of labels.
#[derive(Default)]
struct Histogram {
    /// Upper bounds, and how many are no larger.
    buckets: Vec<(f64, f64)>,
    counts: Vec<f64>,
    sums: usize,
}

fn judge(family: &Family) -> Result<(), String> {
    let Family {
        name,
        kind,
        samples,
    } = family;
    let suffixes: &[&str] = match kind.as_str() {
        "counter" => &["_total"],
        "gauge" => &[""],
        "histogram" => &["_bucket", "_sum", "_count"],
        _ => return Err(format!("{name} is a {kind:?}")),
    };
    if let Some(other) = samples
        .iter()
        .find(|sample| !suffixes.contains(&sample.0.as_str()))
    {
        return Err(format!("{name}{} in a {kind}", other.0));
    }
    if kind != "histogram" {
        return Ok(());
    }
    let mut histograms: BTreeMap<&str, Histogram> = BTreeMap::new();
    for (suffix, labels, le, value) in samples {
        let histogram = histograms.entry(labels).or_default();
        match (suffix.as_str(), le) {
            ("_bucket", Some(le)) => {
                let bound = match le.as_str() {
                    "+Inf" => f64::INFINITY,
                    le => le.parse().map_err(|_| format!("{name}: le={le:?}"))?,
                };
                histogram.buckets.push((bound, *value));
            }
            ("_count", None) => histogram.counts.push(*value),
            ("_sum", None) => histogram.sums += 1,
            _ => return Err(format!("{name}{suffix} with le {le:?}")),
        }
    }
    for (
        labels,
        Histogram {
            buckets,
            counts,
            sums,
        },
    ) in histograms
    {
        let wrong = |what: &str| Err(format!("{name}{{{labels}}}: {what}"));
        let Some((bound, last)) = buckets.last() else {
            return wrong("no buckets");
        };
        if *bound != f64::INFINITY {
            return wrong("+Inf bucket missing");
        }
        if counts != [*last] || sums != 1 {
            return wrong("the +Inf bucket is not the count");
        }
        if !buckets.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1) {
            return wrong("bounds or counts go down");
        }
    }
    Ok(())
}

/// A page of a drive that answered requests, the slowest of them later than the last bound.
fn page() -> String {
    let file = Catalog::default()
        .load("intel-320-120", &[])
        .expect("a drive");
    let testbed = Testbed::load("attached").expect("a testbed");
    let drive = DataDrive::in_memory(&file, &testbed, 1).expect("a drive");
    let engine = Engine::start(drive, Timing::Off).expect("an engine");
    let (report, mut counted) = Report::of(&engine).expect("it runs");
    for us in [90, 400] {
        counted.reads.latency.record(Nanos::from_micros(us));
    }
    counted
        .writes
        .latency
        .record(Nanos::from_micros(100_000_000));
    counted.lateness.record(Nanos::from_micros(7));
    text(report, counted)
}

#[test]
fn a_strict_reader_takes_the_page() {
    let families = strictly(&page()).expect("a lawful page");
    let named = |name: &str| families.iter().find(|family| family.name == name);
    let latency = named("ftlab_latency_seconds").expect("latencies");
    let at = |kind: &str, bound: &str| {
        let labels = format!("kind=\"{kind}\"");
        let of = |sample: &&(String, String, Option<String>, f64)| {
            sample.1 == labels && sample.2.as_deref() == Some(bound)
        };
        latency.samples.iter().find(of).expect("a bucket").3
    };
    assert_eq!(
        [at("read", "+Inf"), at("write", "+Inf"), at("trim", "+Inf")],
        [2.0, 1.0, 0.0]
    );
    // The read of 400 µs is above the first bound and the write of 100 s above all of them.
    assert_eq!(
        [at("read", "0.000128"), at("read", "33.554432")],
        [1.0, 2.0]
    );
    assert_eq!(at("write", "33.554432"), 0.0);
    assert_eq!(
        named("ftlab_lateness_seconds").expect("lateness").kind,
        "histogram"
    );
    assert!(families.len() > 15, "{} families", families.len());
}

#[test]
fn the_strict_reader_finds_what_is_wrong() {
    let page = page();
    let infinite = "le=\"+Inf\"";
    let largest = format!("le=\"{:?}\"", f64::MAX);
    for (what, broken) in [
        ("no end", page.replace("# EOF\n", "")),
        ("no +Inf", page.replace(infinite, &largest)),
        (
            "a count that is not that of +Inf",
            page.replace(
                "latency_seconds_count{kind=\"read\"} 2",
                "latency_seconds_count{kind=\"read\"} 3",
            ),
        ),
        (
            "a counter without _total",
            page.replace("requests_total", "requests"),
        ),
        (
            "a unit that is not in the name",
            page.replace("_bytes bytes", "_bytes seconds"),
        ),
        (
            "a family in two places",
            page.replace("# EOF\n", "# TYPE ftlab_takes_writes gauge\n# EOF\n"),
        ),
        (
            "a sample twice",
            page.replace("kind=\"write\"", "kind=\"read\""),
        ),
    ] {
        assert_ne!(broken, page, "{what}");
        assert!(strictly(&broken).is_err(), "{what} is not found");
    }
}

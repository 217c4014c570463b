//! Figures of a run by their names: the [table](table::ALL) of those with a name of their own, and families of names: latencies by
//! percentile (`write_lat_p99_us`), times of a scenario's programs (`unpack_seconds`), figures of a kind of request (`write.p99`), of
//! a part of the run's course (`mean_iops[50%..]`).

mod course;
pub mod drops;
pub mod expression;
mod of_kind;
pub mod statistics;
pub mod table;

pub use of_kind::{Kind, OfKind, PERCENTILES};
pub use table::{Better, Quantity, Source};

use crate::Run;

/// The end of the name of the time that a program of a scenario took.
const OF_PROGRAM: &str = "_seconds";

/// Tells if a run may have a metric of this name.
#[must_use]
pub fn is_metric(name: &str) -> bool {
    let own = Quantity::named(name).map(|of| matches!(of.source, Source::Metric));
    own.unwrap_or_else(|| percentile(name).is_some() || program(name).is_some())
}

/// Tells if a run may have a figure of this name, be it a metric or what follows from others.
#[must_use]
pub fn is_known(name: &str) -> bool {
    is_metric(name) || Quantity::named(name).is_some()
}

/// The names of metrics that runs may have, without families.
pub fn metrics() -> impl Iterator<Item = &'static str> {
    let is_metric = |of: &&&Quantity| matches!(of.source, Source::Metric);
    table::ALL.iter().filter(is_metric).map(|of| of.name)
}

/// The figure of a run, or of one of its repeats from 0.
#[must_use]
pub fn value(run: &Run, name: &str, repeat: Option<usize>) -> Option<f64> {
    let metric = match repeat {
        Some(repeat) => run.metric_in(name, repeat),
        None => run.metrics.get(name).copied(),
    };
    metric.or_else(|| match Quantity::named(name).map(|of| of.source) {
        Some(Source::Of(of)) => of(run),
        Some(Source::As(text)) => expression::value(text, &OfRun { run, repeat }).ok(),
        Some(Source::Metric) => None,
        None => match OfKind::of(name) {
            Some((kind, of)) => of.value(kind, run),
            None => course::value(run, name),
        },
    })
}

/// The figures that an expression names are those of a run.
struct OfRun<'a> {
    run: &'a Run,
    repeat: Option<usize>,
}

impl expression::Scope<'_> for OfRun<'_> {
    fn value(&self, name: &str) -> Result<f64, String> {
        value(self.run, name, self.repeat).ok_or_else(|| format!("the run has no `{name}`"))
    }
}

/// The unit of a metric as printed; empty for a count, and for what is no metric.
#[must_use]
pub fn unit(name: &str) -> &'static str {
    match Quantity::named(name) {
        Some(of) => of.unit,
        None if percentile(name).is_some() => "µs",
        None if program(name).is_some() => "s",
        None => "",
    }
}

/// The end that one wants of a metric.
#[must_use]
pub fn better(name: &str) -> Better {
    match Quantity::named(name) {
        Some(of) => of.better,
        None if percentile(name).is_some() || program(name).is_some() => Better::Lower,
        None => Better::Neither,
    }
}

/// A metric as a reader can choose it; what is none is its name in words.
#[must_use]
pub fn words(name: &str) -> String {
    let own = Quantity::named(name).map(|of| of.words.to_owned());
    let family = || percentile(name).or_else(|| Some(format!("Time taken: {}", program(name)?)));
    own.or_else(family).unwrap_or_else(|| {
        let name = name.strip_suffix("_pct").unwrap_or(name);
        let words = name.replace('_', " ");
        let mut letters = words.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    })
}

/// The name of the time that a program of a scenario took.
#[must_use]
pub fn of_program(program: &str) -> String {
    format!("{program}{OF_PROGRAM}")
}

/// The name of a percentile of latency of a kind of request: 99.9 of writes is `write_lat_p999_us`.
#[must_use]
pub fn of_percentile(kind: Kind, percent: f64) -> String {
    let digits = percent.to_string().replace('.', "");
    format!("{}_lat_p{digits}_us", kind.word())
}

/// `write_lat_p999_us` in words; nothing for other metrics.
fn percentile(name: &str) -> Option<String> {
    let (kind, digits) = name.strip_suffix("_us")?.split_once("_lat_p")?;
    let plural = match kind {
        "read" | "write" => "s",
        "flush" => "es",
        _ => return None,
    };
    digits.parse::<u32>().ok()?;
    let (whole, part) = digits.split_at_checked(2)?;
    let point = if part.is_empty() { "" } else { "." };
    Some(format!("{whole}{point}{part}th percentile, {kind}{plural}"))
}

/// A program of a scenario whose time a metric is, in words; nothing for other metrics.
fn program(name: &str) -> Option<String> {
    let part = name
        .strip_suffix(OF_PROGRAM)
        .filter(|part| !part.is_empty())?;
    let words = match part {
        "chrome" => "Chrome",
        "create" => "creating the archive",
        "excel" => "Excel",
        "extract" => "extracting",
        "launch" => "launching",
        "max" => "3ds Max",
        "nav" => "Norton AntiVirus",
        "nav_scan" => "virus scan",
        "page" => "web page",
        "pcmark" => "PCMark",
        "photoshop" => "Photoshop",
        "photoshop_launch" => "launching Photoshop",
        "program" => "the program",
        "services" => "services of Vista",
        "word" => "Word",
        other => return Some(other.replace('_', " ")),
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_tells_its_unit_and_its_better_end() {
        let told = |name| (unit(name), better(name));
        assert_eq!(told("lat_p99_99_ms"), ("ms", Better::Lower));
        assert_eq!(told("iops"), ("IOPS", Better::Higher));
        assert_eq!(told("extract_seconds"), ("s", Better::Lower));
        assert_eq!(told("drop_time_s"), ("s", Better::Neither));
        assert_eq!(told("write_lat_p999_us"), ("µs", Better::Lower));
        assert_eq!(words("write_lat_p999_us"), "99.9th percentile, writes");
        assert_eq!(words("flush_lat_p50_us"), "50th percentile, flushes");
        assert_eq!(words("frames_per_second"), "Frames per second");
        assert_eq!(words("nav_scan_seconds"), "Time taken: virus scan");
    }

    #[test]
    fn names_of_metrics_are_told_from_others_and_stand_once() {
        for name in ["wa", "mb_s", "unpack_seconds", "flush_lat_p99999_us"] {
            assert!(is_metric(name), "{name}");
        }
        for name in [
            "",
            "foo",
            "was",
            "p99",
            "_seconds",
            "read_lat_p_us",
            "WA",
            "us_per_io",
        ] {
            assert!(!is_metric(name), "{name}");
        }
        let mut names: Vec<&str> = table::ALL.iter().map(|of| of.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), table::ALL.len());
    }

    #[test]
    fn names_of_sources_are_figures_in_their_units() {
        let run = Run {
            metrics: [
                ("iops".to_owned(), 5_000.0),
                ("extract_seconds".to_owned(), 90.0),
            ]
            .into(),
            ..Run::default()
        };
        assert_eq!(value(&run, "us_per_io", None), Some(200.0));
        assert_eq!(value(&run, "extract_minutes", None), Some(1.5));
        assert_eq!(value(&run, "write_amp", None), None);
        // Every expression of the table is one, of quantities that there are.
        for of in table::ALL {
            if let Source::As(text) = of.source {
                struct Known;
                impl expression::Scope<'_> for Known {
                    fn value(&self, name: &str) -> Result<f64, String> {
                        is_metric(name)
                            .then_some(1.0)
                            .ok_or_else(|| name.to_owned())
                    }
                }
                assert!(expression::value(text, &Known).is_ok(), "{text}");
            }
        }
    }
}

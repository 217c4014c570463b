//! Requirements of every run: `--require 'write.p99 < 5ms'`.

use super::figure::Figure;
use crate::failure::Failure;
use crate::files::NewFile;
use clap::Args;
use ftlab_result::{Finding, Judgement, Run};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct RequireOptions {
    /// A requirement on every run, for example 'write.p99 < 5ms', 'flush.p99 < 10ms', 'wa <= 2.1', 'read.iops >= 20k' or
    /// 'read.p99.9 / read.p50 < 8'; may be repeated.
    /// Exit code 3 where one does not
    #[arg(long = "require", value_name = "METRIC < VALUE", value_parser = requirement)]
    requirements: Vec<Requirement>,
    /// Write the verdicts as JUnit's XML
    #[arg(long, value_name = "FILE", requires = "requirements")]
    junit: Option<PathBuf>,
}

/// A bound that a figure of every run has to keep.
#[derive(Debug, Clone)]
pub struct Requirement {
    text: String,
    figure: Figure,
    relation: Relation,
    bound: f64,
}

#[derive(Debug, Clone, Copy)]
enum Relation {
    Below,
    AtMost,
    Above,
    AtLeast,
}

const RELATIONS: [(&str, Relation); 4] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Below),
    (">", Relation::Above),
];

const ALLOWED: &str = "a metric, one of < <= > >=, and a value: write.p99 < 5ms, read.iops >= 20k, wa <= 2.1; of reads, \
                       writes, trims and flushes (flush.p99 < 10ms) there are iops, mean, max and percentiles as p99.9, and \
                       bw but of flushes; an expression such as read.p99 / read.p50 may take a metric's place";

fn requirement(text: &str) -> Result<Requirement, String> {
    let read = || {
        let found = RELATIONS.iter().find_map(|(sign, relation)| {
            let (figure, value) = text.split_once(sign)?;
            Some((figure.trim(), *relation, value.trim()))
        });
        let (name, relation, value) = found?;
        let figure = match Figure::read(name)? {
            Ok(figure) => figure,
            Err(why) => {
                let others = "of reads, writes and trims there are others, such as write.p99";
                return Some(Err(format!("{why}; {others}")));
            }
        };
        Some(Ok(Requirement {
            text: text.trim().to_owned(),
            bound: figure.value(value)?,
            figure,
            relation,
        }))
    };
    read().unwrap_or_else(|| Err(ALLOWED.to_owned()))
}

impl Requirement {
    fn is_met(&self, measured: f64) -> bool {
        match self.relation {
            Relation::Below => measured < self.bound,
            Relation::AtMost => measured <= self.bound,
            Relation::Above => measured > self.bound,
            Relation::AtLeast => measured >= self.bound,
        }
    }
}

impl Requirement {
    /// Share of the bound that a figure leaves, in percent.
    fn margin_pct(&self, measured: f64) -> Option<f64> {
        let left = match self.relation {
            Relation::Below | Relation::AtMost => self.bound - measured,
            Relation::Above | Relation::AtLeast => measured - self.bound,
        };
        let margin = 100.0 * left / self.bound.abs();
        margin.is_finite().then_some(margin)
    }
}

impl RequireOptions {
    /// The file of verdicts, before any work is done for it.
    pub fn junit(&self) -> Result<Option<NewFile>, Failure> {
        let path = self.junit.as_deref();
        Ok(path
            .map(|path| NewFile::ready(path, "--junit"))
            .transpose()?)
    }

    /// The verdicts on runs.
    pub fn verdicts<'a>(&self, runs: impl IntoIterator<Item = &'a Run>) -> Vec<Judgement> {
        let mut verdicts = Vec::new();
        for run in runs {
            for requirement in &self.requirements {
                let measured = requirement.figure.measured(run);
                let words = measured.map(|value| requirement.figure.in_words(value));
                verdicts.push(Judgement {
                    run: run.id.clone(),
                    required: requirement.text.clone(),
                    measured: words.unwrap_or_else(|| "unknown".to_owned()),
                    margin_pct: measured.and_then(|measured| requirement.margin_pct(measured)),
                    finding: Finding::of(measured.map(|measured| requirement.is_met(measured))),
                });
            }
        }
        verdicts
    }
}

#[cfg(test)]
mod tests {
    use super::super::unknown_metric;
    use super::*;
    use ftlab_result::Traffic;

    fn run() -> Run {
        let write = Traffic {
            ios: 10,
            iops: 20_000.0,
            bytes_per_s: 81_920_000.0,
            lat_ns_percentiles: vec![(99.0, 4_000_000), (99.9, 9_000_000)],
            ..Traffic::default()
        };
        let flush = Traffic {
            ios: 5,
            lat_ns_mean: 500_000.0,
            lat_ns_max: 2_000_000,
            lat_ns_percentiles: vec![(99.0, 1_900_000)],
            ..Traffic::default()
        };
        Run {
            metrics: [("wa".to_owned(), 2.0)].into(),
            write,
            flush,
            ..Run::default()
        }
    }

    #[test]
    fn requirements_are_met_or_missed_by_what_was_measured() {
        for (text, met) in [
            ("write.p99 < 5ms", Some(true)),
            ("write.p99<4ms", Some(false)),
            ("write.p99 <= 4000us", Some(true)),
            ("write.p99.9 < 5ms", Some(false)),
            ("write.iops >= 20k", Some(true)),
            ("write.bw > 100m/s", Some(false)),
            ("wa <= 2.1", Some(true)),
            ("wa > 2", Some(false)),
            ("flush.p99 < 2ms", Some(true)),
            ("sync.p99 < 2ms", Some(true)),
            ("flush.max < 2ms", Some(false)),
            ("flush.mean <= 500us", Some(true)),
            ("flush.p50 < 1s", None),
            ("read.p99 < 5ms", None),
            ("watts < 5", None),
            ("write.p99.9 / write.p99 < 2.3", Some(true)),
            ("write.p99.9 - write.p99 > 5ms", Some(false)),
            ("max(flush.p99, write.p99) <= 4ms", Some(true)),
            ("(flush.mean - write.p99) < 0us", Some(true)),
            ("wa / (wa - 2) < 9", None),
            ("read.p99 / write.p99 < 9", None),
        ] {
            let requirement = requirement(text).unwrap();
            let measured = requirement.figure.measured(&run());
            assert_eq!(
                measured.map(|value| requirement.is_met(value)),
                met,
                "{text}"
            );
        }
    }

    #[test]
    fn a_metric_that_no_run_has_is_refused_with_its_like() {
        let why = requirement("foo < 2").unwrap_err();
        assert!(why.contains("no run has a metric `foo`"), "{why}");
        let why = requirement("wa_stedy < 2").unwrap_err();
        assert!(why.contains("did you mean wa_steady"), "{why}");
        assert!(requirement("unpack_seconds < 2").is_ok());
        // A figure of one run can be required, but repeats have no mean of it.
        assert!(requirement("gc_share < 0.3").is_ok());
        assert!(unknown_metric("gc_share").is_some());
        assert_eq!(unknown_metric("wa"), None);
    }

    #[test]
    fn what_is_no_requirement_is_refused() {
        for text in [
            "",
            "wa",
            "wa = 2",
            "write.p99 < 5",
            "write.p98 < 5ms",
            "flush.bw < 1m",
            "wa < much",
            "< 2",
            "a b < 2",
            "write.p99 - flush.p99 < 5",
            "write.p99 + wa < 5",
            "write.p99 * write.p99 < 5",
            "write.p98 / 2 < 5ms",
            "foo / wa < 5",
            "(wa < 2",
            "wa / < 2",
        ] {
            assert!(requirement(text).is_err(), "{text}");
        }
    }
}

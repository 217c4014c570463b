//! Limits of how far results may fall behind earlier ones: `--fail-if 'write.p99 +5%'`.

use super::conclude;
use super::figure::Figure;
use crate::failure::{Failure, Outcome};
use crate::files::NewFile;
use clap::Args;
use ftlab_result::quantity::{Kind, OfKind};
use ftlab_result::{Finding, Judgement, Run};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct FailOptions {
    /// A change that is too large, for example 'p99 +5%', 'read.iops -3%' or 'wa +1%'; may be repeated. Exit code 3 where
    /// a run changed by more
    #[arg(long = "fail-if", value_name = "METRIC +N%", value_parser = limit, requires = "new",
        conflicts_with_all = ["settings", "tests"])]
    limits: Vec<Limit>,
    /// Write the verdicts as JUnit's XML
    #[arg(long, value_name = "FILE", requires = "limits")]
    junit: Option<PathBuf>,
}

/// A limit of how far one figure may get worse.
#[derive(Debug, Clone)]
pub struct Limit {
    text: String,
    /// The figures that the name covers: those of every kind of request, unless it names one.
    figures: Vec<(String, Figure)>,
    /// The limit is that of a rise, not of a fall.
    may_rise: bool,
    /// The most that it may change, as a share: negative for a fall.
    share: f64,
}

const ALLOWED: &str = "a metric and how far it may rise or fall, in percent: p99 +5%, read.iops -3%, wa +1%; of reads, writes, \
                       trims and flushes there are iops, mean, max and percentiles as p99.9, and bw but of flushes";

fn limit(text: &str) -> Result<Limit, String> {
    read(text).unwrap_or_else(|| Err(ALLOWED.to_owned()))
}

fn read(text: &str) -> Option<Result<Limit, String>> {
    let text = text.trim();
    let sign = text.rfind(['+', '-'])?;
    let (name, change) = (text[..sign].trim(), &text[sign..]);
    let percent: f64 = change[1..].strip_suffix('%')?.trim().parse().ok()?;
    let may_rise = change.starts_with('+');
    let figures = match OfKind::named(name) {
        Some(_) => {
            let names = Kind::ALL.map(|kind| format!("{}.{name}", kind.word()));
            let named = |name: String| Some((Figure::named(&name)?, name));
            let named = names.into_iter().filter_map(named);
            named.map(|(figure, name)| (name, figure)).collect()
        }
        None => match Figure::read(name)? {
            Ok(figure) => vec![(name.to_owned(), figure)],
            Err(why) => return Some(Err(why)),
        },
    };
    let limit = Limit {
        text: text.to_owned(),
        figures,
        may_rise,
        share: if may_rise { percent } else { -percent } / 100.0,
    };
    (percent.is_finite() && percent >= 0.0).then_some(Ok(limit))
}

impl Limit {
    fn is_met(&self, before: f64, now: f64) -> bool {
        let bound = before * (1.0 + self.share);
        match self.may_rise {
            true => now <= bound,
            false => now >= bound,
        }
    }
}

impl FailOptions {
    /// The file of verdicts, before any work is done for it.
    pub fn junit(&self) -> Result<Option<NewFile>, Failure> {
        let path = self.junit.as_deref();
        Ok(path
            .map(|path| NewFile::ready(path, "--junit"))
            .transpose()?)
    }

    /// Checks that there is something to hold to each limit.
    ///
    /// # Errors
    /// When no run before had what a limit is about.
    pub fn check(&self, before: &[Run]) -> Outcome {
        let has = |(_, figure): &(String, Figure)| {
            before.iter().any(|run| figure.measured(run).is_some())
        };
        match self
            .limits
            .iter()
            .find(|limit| !limit.figures.iter().any(has))
        {
            None => Ok(()),
            Some(limit) => Err(Failure::Input(format!(
                "--fail-if '{}': no run of the first results has such a figure; give another, such as write.p99, \
                 read.iops or wa",
                limit.text
            ))),
        }
    }

    /// Says how runs stand to those of the same names before; a failure where one has changed too much, or is missing.
    pub fn judge(&self, before: &[Run], now: &[Run], junit: Option<&NewFile>) -> Outcome {
        let mut verdicts = Vec::new();
        for limit in &self.limits {
            for run in before {
                let again = now.iter().find(|again| again.id == run.id);
                for (name, figure) in &limit.figures {
                    let Some(was) = figure.measured(run) else {
                        continue;
                    };
                    let is = again.and_then(|again| figure.measured(again));
                    let words = is.map(|is| change_in_words(figure, was, is));
                    let words = words.unwrap_or_else(|| "not measured again".to_owned());
                    verdicts.push(Judgement {
                        run: run.id.clone(),
                        required: limit.text.clone(),
                        measured: format!("{name}: {words}"),
                        margin_pct: None,
                        finding: Finding::of(Some(is.is_some_and(|is| limit.is_met(was, is)))),
                    });
                }
            }
        }
        conclude(&verdicts, junit, false)
    }
}

/// Renders a figure as it was and as it is, and the change in percent.
pub fn change_in_words(figure: &Figure, was: f64, is: f64) -> String {
    let (before, now) = (figure.in_words(was), figure.in_words(is));
    if was == is {
        return format!("{before}, unchanged");
    }
    match was > 0.0 {
        true => format!("{before} → {now} ({:+.1} %)", 100.0 * (is / was - 1.0)),
        false => format!("{before} → {now}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::Traffic;

    fn run(iops: f64, p99_ns: u64) -> Run {
        let write = Traffic {
            ios: 10,
            iops,
            lat_ns_percentiles: vec![(99.0, p99_ns)],
            ..Traffic::default()
        };
        Run {
            id: "a".to_owned(),
            metrics: [("wa".to_owned(), 2.0)].into(),
            write,
            ..Run::default()
        }
    }

    fn judged(text: &str, now: &[Run]) -> Outcome {
        let options = FailOptions {
            limits: vec![limit(text).unwrap()],
            junit: None,
        };
        let before = [run(1000.0, 1_000_000)];
        options.check(&before)?;
        options.judge(&before, now, None)
    }

    #[test]
    fn a_change_beyond_its_limit_is_a_failure() {
        let slower = [run(960.0, 1_059_000)];
        for (text, met) in [
            ("p99 +5%", false),
            ("write.p99 +6%", true),
            ("p99 + 7 %", true),
            ("write.iops -5%", true),
            ("iops -3%", false),
            ("p99 -5%", true),
            ("wa +0%", true),
            ("wa -0%", true),
        ] {
            let outcome = judged(text, &slower);
            let is_verdict = matches!(outcome, Err(Failure::Verdict(_)));
            assert_eq!((outcome.is_ok(), is_verdict), (met, !met), "{text}");
        }
        let gone = judged("wa +5%", &[]);
        assert!(matches!(gone, Err(Failure::Verdict(_))));
        let other = judged("read.p99 +5%", &slower);
        assert!(matches!(other, Err(Failure::Input(_))));
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in ["", "p99", "p99 5%", "p99 +5", "+5%", "a b +5%", "p99 +x%"] {
            assert!(limit(text).is_err(), "{text}");
        }
        let why = limit("wa_stedy +5%").unwrap_err();
        assert!(
            why.contains("no run has a metric `wa_stedy` (did you mean wa_steady"),
            "{why}"
        );
    }
}

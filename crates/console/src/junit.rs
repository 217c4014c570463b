//! Verdicts as JUnit's XML, which programs of tests read.

/// The verdicts, for those who judge something else than runs.
pub use ftlab_result::{Finding, Judgement};

use std::fmt::Write;

/// The verdicts as JUnit's XML, which programs of tests read.
pub fn xml(verdicts: &[Judgement]) -> String {
    let count = |finding| {
        let of = verdicts.iter().filter(|verdict| verdict.finding == finding);
        of.count()
    };
    let (missed, unknown) = (count(Finding::Missed), count(Finding::Unknown));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"ftlab\" tests=\"{}\" \
         failures=\"{missed}\" errors=\"{unknown}\">\n",
        verdicts.len()
    );
    for Judgement {
        run,
        required,
        measured,
        finding,
        ..
    } in verdicts
    {
        let (run, required, measured) = (escaped(run), escaped(required), escaped(measured));
        let case = format!("    <testcase classname=\"{run}\" name=\"{required}\"");
        let child = match finding {
            Finding::Met => None,
            Finding::Missed => Some("failure"),
            Finding::Unknown => Some("error"),
        };
        let _ = match child {
            None => writeln!(xml, "{case}/>"),
            Some(child) => writeln!(
                xml,
                "{case}>\n      <{child} message=\"{measured}\"/>\n    </testcase>"
            ),
        };
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

/// A text as an attribute has it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

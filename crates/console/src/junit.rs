//! Verdicts as JUnit's XML, which programs of tests read.

use std::fmt::Write;

/// Verdict on a requirement of a run.
pub struct Verdict<'a> {
    /// The run, or the state of a drive.
    pub run: &'a str,
    /// The requirement, as it was typed.
    pub required: &'a str,
    /// The measured value, in words.
    pub measured: String,
    /// True if the requirement is met.
    pub is_met: bool,
}

/// The verdicts as JUnit's XML, which programs of tests read.
pub fn xml(verdicts: &[Verdict<'_>]) -> String {
    let missed = verdicts.iter().filter(|verdict| !verdict.is_met).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"ftlab\" tests=\"{}\" \
         failures=\"{missed}\">\n",
        verdicts.len()
    );
    for Verdict {
        run,
        required,
        measured,
        is_met,
    } in verdicts
    {
        let (run, required, measured) = (escaped(run), escaped(required), escaped(measured));
        let _ = match is_met {
            true => writeln!(
                xml,
                "    <testcase classname=\"{run}\" name=\"{required}\"/>"
            ),
            false => writeln!(
                xml,
                "    <testcase classname=\"{run}\" name=\"{required}\">\n      <failure message=\"{measured}\"/>\n    \
                 </testcase>"
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

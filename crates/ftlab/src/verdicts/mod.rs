//! What runs have to give, and how they stand to it: as a table, as JUnit's XML if asked, and as the exit code.

mod fail_if;
mod figure;
mod require;

pub use fail_if::{FailOptions, change_in_words};
pub use figure::{Figure, unknown_metric};
pub use require::RequireOptions;

use crate::failure::{Failure, Outcome};
use crate::files::NewFile;
use crate::screen;
use std::fmt::Write;

/// How a run stands to a requirement.
pub struct Verdict<'a> {
    pub run: &'a str,
    pub required: &'a str,
    pub measured: String,
    pub is_met: bool,
}

/// Prints verdicts, on standard error where standard output is for programs, and writes them to a file; a failure where
/// one is missed.
fn conclude(verdicts: &[Verdict<'_>], junit: Option<&NewFile>, is_for_programs: bool) -> Outcome {
    if verdicts.is_empty() {
        return Ok(());
    }
    if let Some(file) = junit {
        file.write(xml(verdicts).as_bytes())?;
    }
    let mut table = screen::table(&["run", "required", "measured", "verdict"]);
    for verdict in verdicts {
        let word = if verdict.is_met { "met" } else { "missed" };
        table.add_row([
            verdict.run,
            verdict.required,
            verdict.measured.as_str(),
            word,
        ]);
    }
    match is_for_programs {
        true => screen::say(&format!("{table}\n")),
        false => screen::print(&format!("\n{table}\n"))?,
    }
    let missed = verdicts.iter().filter(|verdict| !verdict.is_met).count();
    match missed {
        0 => Ok(()),
        missed => Err(Failure::Verdict(format!(
            "{missed} of {} requirements are missed",
            verdicts.len()
        ))),
    }
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

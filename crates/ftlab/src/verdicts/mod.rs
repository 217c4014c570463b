//! Verdicts of runs by what is required of them: as a table, as JUnit's XML if asked, and as the exit code.

mod fail_if;
mod figure;
mod formula;
mod require;

pub use fail_if::{FailOptions, change_in_words};
pub use figure::{Figure, unknown_metric};
pub use require::RequireOptions;

use crate::failure::{Failure, Outcome};
use crate::files::NewFile;
use crate::screen;
use ftlab_console::junit::xml;
use ftlab_result::{Finding, Judgement};

/// Prints verdicts, on standard error where standard output is for programs, and writes them to a file; a failure where
/// one is missed, and wrong input where one asks for a figure that there is not.
pub fn conclude(verdicts: &[Judgement], junit: Option<&NewFile>, is_for_programs: bool) -> Outcome {
    if verdicts.is_empty() {
        return Ok(());
    }
    if let Some(file) = junit {
        file.write(xml(verdicts).as_bytes())?;
    }
    let mut table = screen::table(&["run", "required", "measured", "verdict"]);
    for verdict in verdicts {
        table.add_row([
            &verdict.run,
            &verdict.required,
            &verdict.measured,
            verdict.finding.word(),
        ]);
    }
    match is_for_programs {
        true => screen::say(&format!("{table}\n")),
        false => screen::print(&format!("\n{table}\n"))?,
    }
    let all = verdicts.len();
    let count = |finding| {
        let of = verdicts.iter().filter(|verdict| verdict.finding == finding);
        of.count()
    };
    match (count(Finding::Missed), count(Finding::Unknown)) {
        (0, 0) => Ok(()),
        (0, unknown) => Err(Failure::Input(format!(
            "{unknown} of {all} requirements cannot be judged, as the runs have no such figure"
        ))),
        (missed, 0) => Err(Failure::Verdict(format!(
            "{missed} of {all} requirements are missed"
        ))),
        (missed, unknown) => Err(Failure::Verdict(format!(
            "{missed} of {all} requirements are missed, and {unknown} cannot be judged, as the runs have no such figure"
        ))),
    }
}

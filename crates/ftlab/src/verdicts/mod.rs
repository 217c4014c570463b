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
use ftlab_console::junit::{Verdict, xml};

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

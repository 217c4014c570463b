//! How the program ends.

use ftlab_base::printable;
use ftlab_bench::endurance::EnduranceError;
use ftlab_bench::loads::ReadError;
use ftlab_bench::review::ReviewError;
use ftlab_bench::suites::UnknownTest;
use ftlab_bench::theory::TheoryError;
use ftlab_claims::ClaimsError;
use ftlab_play::driver::DriverError;
use ftlab_play::states::PrepareError;
use ftlab_sheet::SheetError;
use ftlab_trace::TraceError;
use ftlab_workload::JobError;
use ftlab_workload::script::ScriptError;
use std::fmt::Display;
use std::io::ErrorKind;
use std::process::ExitCode;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for is wrong. The message says what, where and what to do.
    Input(String),
    /// Something failed on the way.
    Running(String),
    /// A run does not give what was required of it.
    Verdict(String),
    /// Whoever read the output has had enough.
    PipeClosed,
}

/// What a command ends in.
pub type Outcome = Result<(), Failure>;

const FAILED: u8 = 1;
const WRONG_INPUT: u8 = 2;
const MISSED: u8 = 3;

/// The exit code of a program that SIGINT ended, as shells have it.
pub const EXIT_INTERRUPTED: i32 = 130;

/// Says on standard error what went wrong, in one line, and chooses the exit code.
pub fn exit(outcome: Outcome) -> ExitCode {
    let Err(failure) = outcome else {
        return ExitCode::SUCCESS;
    };
    failure.say();
    match failure {
        Failure::PipeClosed => ExitCode::SUCCESS,
        Failure::Input(_) => ExitCode::from(WRONG_INPUT),
        Failure::Running(_) => ExitCode::from(FAILED),
        Failure::Verdict(_) => ExitCode::from(MISSED),
    }
}

impl Failure {
    /// Says it on standard error, in one line.
    pub fn say(&self) {
        match self {
            Failure::Input(message) | Failure::Running(message) | Failure::Verdict(message) => {
                // It may repeat words of a file or of the command line.
                eprintln!("error: {}", printable::line(message));
            }
            Failure::PipeClosed => {}
        }
    }

    /// What cannot be written: to standard output, a closed pipe is no failure.
    pub fn printing(error: &std::io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Running(format!("cannot write to standard output: {error}")),
        }
    }

    fn of(is_input: bool, error: &dyn Display) -> Failure {
        let message = error.to_string();
        if is_input {
            Failure::Input(message)
        } else {
            Failure::Running(message)
        }
    }
}

/// Errors of these types are failures: wrong input, if what is said behind the type holds of one.
macro_rules! failures {
    ($($error:ty, $is_input:expr;)*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let is_input: fn(&$error) -> bool = $is_input;
                Failure::of(is_input(&error), &error)
            }
        })*
    };
}

failures! {
    SheetError, |_| true;
    JobError, |_| true;
    ScriptError, |_| true;
    TraceError, |_| true;
    UnknownTest, |_| true;
    ReadError, |_| true;
    DriverError, DriverError::is_input;
    EnduranceError, EnduranceError::is_input;
    PrepareError, PrepareError::is_input;
    ReviewError, ReviewError::is_input;
    // The drive and the jobs are the program's own.
    TheoryError, |_| false;
    ClaimsError, |error| match error {
        ClaimsError::Unknown(_) => true,
        ClaimsError::Run(error) => error.is_input(),
    };
}

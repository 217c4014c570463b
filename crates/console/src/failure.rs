//! Failures, and the exit codes of the program.

use ftlab_base::{Blame, printable};
use std::io::ErrorKind;

/// Reason why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The request is wrong. The message says what, where and what to do.
    Input(String),
    /// Something failed on the way.
    Running(String),
    /// A run does not give what was required of it.
    Verdict(String),
    /// The reader of the output has gone.
    PipeClosed,
}

/// Result of a command.
pub type Outcome = Result<(), Failure>;

const FAILED: u8 = 1;
const WRONG_INPUT: u8 = 2;
const MISSED: u8 = 3;

/// The exit code of a program that SIGINT ended, as shells have it.
pub const EXIT_INTERRUPTED: i32 = 130;

/// Says on standard error what went wrong, in one line, and chooses the exit code.
pub fn exit_code(outcome: Outcome) -> u8 {
    let Err(failure) = outcome else {
        return 0;
    };
    failure.say();
    match failure {
        Failure::PipeClosed => 0,
        Failure::Input(_) => WRONG_INPUT,
        Failure::Running(_) => FAILED,
        Failure::Verdict(_) => MISSED,
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

    /// Makes a failure of an error in writing to standard output: a closed pipe is none.
    pub fn printing(error: &std::io::Error) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Running(format!("cannot write to standard output: {error}")),
        }
    }

    /// With a message: of wrong input, or of what failed on the way.
    #[must_use]
    pub fn of(is_input: bool, message: String) -> Failure {
        match is_input {
            true => Failure::Input(message),
            false => Failure::Running(message),
        }
    }
}

impl<E: Blame> From<E> for Failure {
    fn from(error: E) -> Failure {
        match error.is_closed_pipe() {
            true => Failure::PipeClosed,
            false => Failure::of(error.is_input(), error.to_string()),
        }
    }
}

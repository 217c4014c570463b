//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftlab::main_with_policies(&[])
}

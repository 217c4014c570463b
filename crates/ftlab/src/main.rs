//! The command line program `ftlab`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftlab::main_with_policies(&[])
}

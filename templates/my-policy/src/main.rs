//! ftlab, whose drives know our policies, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftlab::main_with_policies(&my_policy::POLICIES)
}

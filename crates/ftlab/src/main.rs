//! The command line program `ftlab`.

use std::process::ExitCode;

/// In place of musl's, which is slow.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ftlab::main_with_policies(&[])
}

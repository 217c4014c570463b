//! The command line within Python's process: what the script `ftlab` of the package runs.

use ftlab_console::own::Call;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Does what `words` ask, the command's name first, and gives the exit code. `again` are the words that start the
/// command line once more, a program first, and `code` is this module's file.
#[pyfunction]
pub fn command_line(
    py: Python<'_>,
    words: Vec<OsString>,
    mut again: Vec<OsString>,
    code: PathBuf,
) -> u8 {
    let first = again.split_off(1.min(again.len()));
    let program = again.pop().map(PathBuf::from).unwrap_or_default();
    let call = Call {
        words,
        program,
        first,
        code,
    };
    py.detach(|| ftlab::main_called(call))
}

//! Errors as exceptions with the words of the command line.

use ftlab_base::{Blame, printable};
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;

create_exception!(
    ftlab,
    InputError,
    PyValueError,
    "What was asked for is wrong. The message says what, where and what to do."
);
create_exception!(
    ftlab,
    RunError,
    PyRuntimeError,
    "Something failed on the way: a run, a file, or this machine."
);

pub fn input_error(why: &dyn Display) -> PyErr {
    InputError::new_err(printable::line(&why.to_string()))
}

pub fn run_error(why: &dyn Display) -> PyErr {
    RunError::new_err(printable::line(&why.to_string()))
}

/// Reads something of the caller's, a file or a text; a panic over it becomes an error as well.
pub fn guarded<T>(what: &dyn Display, reading: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    ftlab_base::guarded(reading).unwrap_or_else(|panic| {
        let why = format!("cannot read {what}: {panic}; please report it, with the file");
        Err(input_error(&why))
    })
}

/// An error as the exception of its kind.
pub fn raised(why: impl Blame) -> PyErr {
    match why.is_input() {
        true => input_error(&why),
        false => run_error(&why),
    }
}

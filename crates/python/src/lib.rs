//! ftlab for Python: the native half of the package `ftlab`.
//!
//! A thin layer over the road that the command line takes. What a caller sees, with its words, is in `python/ftlab`; here is
//! what that calls:
//!
//! - [`runs`] makes result sets of loads on drives, [`results`] their tables.
//! - [`others`] is what is asked of files and of a whole life: endurance, calibration, imports, figures of traces.
//! - [`device`] is a drive in the caller's virtual time.
//! - [`sweep`] is a grid, and the folder that keeps its rows.
//! - [`table`] gives tables to others without a copy, by Arrow's C interface.
//! - [`policies`] are callables of Python's that a drive asks, through [`calls`].
//! - [`program`] is the command line, for the script `ftlab`.
//! - [`work`] runs what is long: without the interpreter's lock, ended by Ctrl-C, with panics as exceptions.

// Everything public here is public to Python alone, where stubs and docstrings of the package describe it.
#![allow(missing_docs, clippy::too_many_arguments)]

mod calls;
mod device;
mod drive;
mod errors;
mod others;
mod policies;
mod program;
mod results;
mod runs;
mod sweep;
mod table;
mod theory;
mod work;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_ftlab")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MODEL_VERSION", ftlab_drive::MODEL_VERSION)?;
    module.add("InputError", py.get_type::<errors::InputError>())?;
    module.add("RunError", py.get_type::<errors::RunError>())?;
    module.add_class::<device::Completion>()?;
    module.add_class::<device::Device>()?;
    module.add_class::<drive::Drive>()?;
    module.add_class::<policies::Candidate>()?;
    module.add_class::<policies::PacingView>()?;
    module.add_class::<policies::VictimView>()?;
    module.add_class::<results::Results>()?;
    module.add_class::<sweep::Store>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(drive::catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(drive::drive_names, module)?)?;
    module.add_function(wrap_pyfunction!(others::calibrate, module)?)?;
    module.add_function(wrap_pyfunction!(others::from_sheet, module)?)?;
    module.add_function(wrap_pyfunction!(others::endurance, module)?)?;
    module.add_function(wrap_pyfunction!(others::import_files, module)?)?;
    module.add_function(wrap_pyfunction!(others::trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(program::command_line, module)?)?;
    module.add_function(wrap_pyfunction!(results::quantities, module)?)?;
    module.add_function(wrap_pyfunction!(results::results_of_json, module)?)?;
    module.add_function(wrap_pyfunction!(runs::compare, module)?)?;
    module.add_function(wrap_pyfunction!(runs::plan, module)?)?;
    module.add_function(wrap_pyfunction!(runs::review, module)?)?;
    module.add_function(wrap_pyfunction!(runs::run, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::merge, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::read_table, module)?)?;
    theory::add(module)
}

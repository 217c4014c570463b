//! Closed forms of write amplification.

use crate::errors::input_error;
use ftlab_theory::{self as forms, Class, OutOfDomain};
use pyo3::prelude::*;

fn checked<T>(value: Result<T, OutOfDomain>) -> PyResult<T> {
    value.map_err(|error| input_error(&error))
}

fn classes(shares: Vec<(f64, f64)>) -> Vec<Class> {
    let class = |(addresses, writes)| Class { addresses, writes };
    shares.into_iter().map(class).collect()
}

#[pyfunction]
fn fifo(alpha: f64) -> PyResult<f64> {
    checked(forms::fifo(alpha))
}

#[pyfunction]
fn greedy(alpha: f64, pages_per_block: u32) -> PyResult<f64> {
    checked(forms::greedy(alpha, pages_per_block))
}

#[pyfunction]
fn random(alpha: f64) -> PyResult<f64> {
    checked(forms::random(alpha))
}

#[pyfunction]
fn choices(alpha: f64, pages_per_block: u32, draws: u32) -> PyResult<f64> {
    checked(forms::choices(alpha, pages_per_block, draws))
}

#[pyfunction]
fn fifo_occupancy(alpha: f64, pages_per_block: u32) -> PyResult<Vec<f64>> {
    checked(forms::fifo_occupancy(alpha, pages_per_block))
}

#[pyfunction]
fn greedy_occupancy(alpha: f64, pages_per_block: u32) -> PyResult<Vec<f64>> {
    checked(forms::greedy_occupancy(alpha, pages_per_block))
}

#[pyfunction]
fn choices_occupancy(alpha: f64, pages_per_block: u32, draws: u32) -> PyResult<Vec<f64>> {
    checked(forms::choices_occupancy(alpha, pages_per_block, draws))
}

#[pyfunction]
fn fifo_mixed(alpha: f64, shares: Vec<(f64, f64)>) -> PyResult<f64> {
    checked(forms::fifo_mixed(alpha, &classes(shares)))
}

#[pyfunction]
fn spare_by_root(shares: Vec<(f64, f64)>) -> PyResult<Vec<f64>> {
    checked(forms::spare_by_root(&classes(shares)))
}

#[pyfunction]
fn in_use_after_trims_of_used(trims: f64) -> PyResult<f64> {
    checked(forms::in_use_after_trims_of_used(trims))
}

#[pyfunction]
fn in_use_after_trims_of_any(trims: f64) -> PyResult<f64> {
    checked(forms::in_use_after_trims_of_any(trims))
}

#[pyfunction]
fn alpha_in_use(alpha: f64, in_use: f64) -> PyResult<f64> {
    checked(forms::alpha_in_use(alpha, in_use))
}

/// Adds the functions to the module, under names that `ftlab.theory` gives on.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let theory = PyModule::new(module.py(), "theory")?;
    theory.add_function(wrap_pyfunction!(fifo, &theory)?)?;
    theory.add_function(wrap_pyfunction!(greedy, &theory)?)?;
    theory.add_function(wrap_pyfunction!(random, &theory)?)?;
    theory.add_function(wrap_pyfunction!(choices, &theory)?)?;
    theory.add_function(wrap_pyfunction!(fifo_occupancy, &theory)?)?;
    theory.add_function(wrap_pyfunction!(greedy_occupancy, &theory)?)?;
    theory.add_function(wrap_pyfunction!(choices_occupancy, &theory)?)?;
    theory.add_function(wrap_pyfunction!(fifo_mixed, &theory)?)?;
    theory.add_function(wrap_pyfunction!(spare_by_root, &theory)?)?;
    theory.add_function(wrap_pyfunction!(in_use_after_trims_of_used, &theory)?)?;
    theory.add_function(wrap_pyfunction!(in_use_after_trims_of_any, &theory)?)?;
    theory.add_function(wrap_pyfunction!(alpha_in_use, &theory)?)?;
    module.add_submodule(&theory)
}

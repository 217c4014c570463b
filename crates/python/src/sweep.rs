//! Sweeps: grids of Python's words, and the folder that keeps their rows.

use crate::errors::{guarded, input_error, raised, run_error};
use crate::table::Table;
use crate::work::{Machine, warn_of_memory, work};
use ftlab_drive::Catalog;
use ftlab_states::watch::Stopped;
use ftlab_sweep::{Finished, Grid, Row, Share, Status, SweepError, begin, rows_as_parquet};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A grid that was read.
#[pyclass(frozen, module = "ftlab")]
pub struct Sweep {
    grid: Grid,
    sweep: ftlab_sweep::Sweep,
}

/// A folder with rows of sweeps, until its table is finished.
#[pyclass(frozen, module = "ftlab")]
pub struct Store {
    store: Mutex<Option<ftlab_sweep::Store>>,
}

fn share_of(text: Option<&str>) -> PyResult<Share> {
    let share = text.map_or(Ok(Share::ALL), str::parse);
    share.map_err(raised)
}

/// Returns the path of the table, and its number of rows by status.
fn finished<'py>(py: Python<'py>, finished: &Finished) -> PyResult<(PathBuf, Bound<'py, PyDict>)> {
    let counts = PyDict::new(py);
    for status in Status::ALL {
        counts.set_item(status.word(), finished.count(status))?;
    }
    Ok((finished.path.clone(), counts))
}

#[pymethods]
impl Sweep {
    /// Reads a grid of the words that a grid's file has. Relative paths in it begin at `folder`.
    #[staticmethod]
    fn of(py: Python<'_>, grid: &Bound<'_, PyAny>, folder: PathBuf, name: &str) -> PyResult<Sweep> {
        let grid: Grid = pythonize::depythonize(grid)
            .map_err(|error| input_error(&format!("{name}: {error}")))?;
        Sweep::read(py, grid, &folder, name)
    }

    /// Reads a grid's file.
    #[staticmethod]
    fn of_file(py: Python<'_>, path: PathBuf) -> PyResult<Sweep> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| input_error(&format!("cannot read {shown}: {error}")))?;
        guarded(&shown, || {
            let grid = Grid::parse(&text, &shown).map_err(raised)?;
            Sweep::read(py, grid, path.parent().unwrap_or(Path::new("")), &shown)
        })
    }

    /// The texts of everything that it names, for a machine that has none of the files.
    fn packed(&self) -> PyResult<String> {
        let packed = self.sweep.packed(&self.grid);
        serde_json::to_string(&packed).map_err(|error| run_error(&error))
    }

    /// The grid that was packed.
    #[staticmethod]
    fn unpacked(py: Python<'_>, text: &str) -> PyResult<Sweep> {
        let grid: Grid = serde_json::from_str(text).map_err(|error| run_error(&error))?;
        Sweep::read(py, grid, Path::new(""), "the grid")
    }

    /// The rows of a share that a store has not, those together that start from the same state.
    fn missing(
        &self,
        py: Python<'_>,
        store: &Store,
        shard: Option<&str>,
    ) -> PyResult<Vec<Vec<usize>>> {
        let share = share_of(shard)?;
        py.detach(|| {
            let store = store.lock()?;
            let units = self.sweep.missing(share, &|id| store.has(id));
            let rows = |unit| self.sweep.rows_in(std::slice::from_ref(unit));
            Ok(units.iter().map(rows).collect())
        })
    }

    /// Runs what a store has not on threads of this machine.
    #[pyo3(signature = (store, shard, threads, memory_gib, progress))]
    fn run(
        &self,
        py: Python<'_>,
        store: &Store,
        shard: Option<&str>,
        threads: Option<usize>,
        memory_gib: Option<f64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let lab = Machine::of(threads, memory_gib)?.lab()?;
        let share = share_of(shard)?;
        let units = {
            let store = store.lock()?;
            self.sweep.missing(share, &|id| store.has(id))
        };
        let total = self.sweep.rows_in(&units).len();
        warn_of_memory(py, self.sweep.most_bytes(&units, &lab))?;
        let end = work(py, progress, |way| {
            let failure = Mutex::new(None);
            let end = self.sweep.run(&units, None, &lab, &|row: Option<Row>| {
                let Some(row) = row else {
                    return way.ask();
                };
                if let Some(store) = store.held().as_mut() {
                    store.add(row).map_err(|error: SweepError| {
                        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                        *failure = Some(error);
                        Stopped
                    })?;
                }
                way.one_more(total);
                Ok(())
            });
            let failure = failure.into_inner();
            (end, failure.unwrap_or_else(PoisonError::into_inner))
        });
        // Whatever ended it: what was done is written.
        let flushed = store.lock()?.flush();
        let (end, failure) = end?;
        failure.map_or(Ok(()), Err).map_err(raised)?;
        flushed.map_err(raised)?;
        end.map_err(|_| run_error(&"it was stopped"))
    }

    /// Groups of rows of which each may begin from one saved state; nothing if they are to stay together.
    fn alike(&self, rows: Vec<usize>) -> PyResult<Option<Vec<Vec<usize>>>> {
        self.check(&rows)?;
        let [unit] = &self.sweep.units_of(&rows)[..] else {
            return Ok(None);
        };
        Ok(self.sweep.alike(unit))
    }

    /// The state that a row begins with; nothing if its drive cannot be brought there.
    fn save_state<'py>(
        &self,
        py: Python<'py>,
        row: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.check(&[row])?;
        let lab = Machine::of(Some(1), None)?.lab()?;
        let saved = work(py, None, |way| {
            self.sweep.save_state(row, &lab, &|_| way.ask())
        })?;
        let saved = saved.map_err(|_| run_error(&"it was stopped"))?;
        Ok(saved.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Runs rows of the grid on one thread, from a saved state if there is one; gives them as the bytes of a Parquet
    /// file.
    fn run_rows<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<usize>,
        state: Option<&[u8]>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check(&rows)?;
        let lab = Machine::of(Some(1), None)?.lab()?;
        let taken = work(py, None, |way| {
            let (taken, units) = (Mutex::new(Vec::new()), self.sweep.units_of(&rows));
            let from = state.map(begin);
            let end = self
                .sweep
                .run(&units, from.as_ref(), &lab, &|row: Option<Row>| {
                    let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
                    taken.extend(row);
                    way.ask()
                });
            let rows = taken.into_inner();
            end.map(|()| rows.unwrap_or_else(PoisonError::into_inner))
        })?;
        let taken = taken.map_err(|_| run_error(&"it was stopped"))?;
        parquet(py, taken)
    }

    /// Rows that could not be made, with the reason, as `run_rows` gives them.
    fn not_run<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<usize>,
        why: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.check(&rows)?;
        let row = |&row: &usize| Row::skipped(self.sweep.id(row), why);
        parquet(py, rows.iter().map(row).collect())
    }
}

impl Sweep {
    fn read(py: Python<'_>, grid: Grid, folder: &Path, name: &str) -> PyResult<Sweep> {
        let sweep = py.detach(|| ftlab_sweep::Sweep::of(&grid, folder, name, &Catalog::default()));
        Ok(Sweep {
            sweep: sweep.map_err(raised)?,
            grid,
        })
    }

    fn check(&self, rows: &[usize]) -> PyResult<()> {
        let all = self.sweep.rows();
        match rows.iter().find(|row| **row >= all) {
            None => Ok(()),
            Some(row) => Err(input_error(&format!(
                "there is no row {row} in a grid of {all} rows"
            ))),
        }
    }
}

fn parquet<'py>(py: Python<'py>, rows: Vec<Row>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = rows_as_parquet(rows).map_err(raised)?;
    Ok(PyBytes::new(py, &bytes))
}

#[pymethods]
impl Store {
    /// Opens a folder for the rows of a grid, and makes it if there is none.
    #[staticmethod]
    fn open(py: Python<'_>, out: PathBuf, sweep: &Sweep) -> PyResult<Store> {
        let store = py.detach(|| ftlab_sweep::Store::open(&out, &sweep.sweep));
        Ok(Store {
            store: Mutex::new(Some(store.map_err(raised)?)),
        })
    }

    /// Takes rows that were run elsewhere. The interpreter goes on while they are written: a scheduler may run in it.
    fn add(&self, py: Python<'_>, rows: Vec<u8>) -> PyResult<()> {
        py.detach(|| self.lock()?.add_parquet(rows).map_err(raised))
    }

    /// Writes what no file has yet.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.lock()?.flush().map_err(raised))
    }

    /// Writes the table of a share, of which all rows are there: where it is, and how many rows ended in each way.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        sweep: &Sweep,
        shard: Option<&str>,
    ) -> PyResult<(PathBuf, Bound<'py, PyDict>)> {
        let share = share_of(shard)?;
        let taken = self.held().take().ok_or_else(over)?;
        let ended = py.detach(|| taken.finish(&sweep.sweep, share));
        finished(py, &ended.map_err(raised)?)
    }
}

fn over() -> PyErr {
    run_error(&"the folder's table is finished; open it again")
}

/// A store that is open.
struct Open<'s>(MutexGuard<'s, Option<ftlab_sweep::Store>>);

impl std::ops::Deref for Open<'_> {
    type Target = ftlab_sweep::Store;

    fn deref(&self) -> &ftlab_sweep::Store {
        self.0.as_ref().expect("it is open")
    }
}

impl std::ops::DerefMut for Open<'_> {
    fn deref_mut(&mut self) -> &mut ftlab_sweep::Store {
        self.0.as_mut().expect("it is open")
    }
}

impl Store {
    fn held(&self) -> MutexGuard<'_, Option<ftlab_sweep::Store>> {
        // What a thread that panicked left is still what was done.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> PyResult<Open<'_>> {
        let held = self.held();
        match held.is_some() {
            true => Ok(Open(held)),
            false => Err(over()),
        }
    }
}

/// Puts the tables that shards left in folders together.
#[pyfunction]
pub fn merge<'py>(
    py: Python<'py>,
    folders: Vec<PathBuf>,
    out: PathBuf,
) -> PyResult<(PathBuf, Bound<'py, PyDict>)> {
    let merged = py.detach(|| ftlab_sweep::merge(&folders, &out));
    finished(py, &merged.map_err(raised)?)
}

/// The table of a Parquet file that ftlab wrote.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
    let read = py.detach(|| {
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        ftlab_export::read_parquet("table", bytes).map_err(|error| error.to_string())
    });
    let (table, _) = read.map_err(|why| {
        let path = path.display();
        input_error(&format!("cannot read {path}: {why}"))
    })?;
    Table::of(table)
}

//! Results: a result set, and the tables that are made of it.

use crate::errors::{guarded, raised, run_error};
use crate::table::Table;
use ftlab_export::Table as Exported;
use ftlab_output::Folder;
use ftlab_result::ResultSet;
use pyo3::prelude::*;
use std::path::PathBuf;

/// What runs came to.
#[pyclass(frozen, module = "ftlab")]
pub struct Results {
    set: ResultSet,
}

impl From<ResultSet> for Results {
    fn from(set: ResultSet) -> Results {
        Results { set }
    }
}

impl Results {
    fn table(&self, table: fn(&[(&str, &ResultSet)]) -> Exported) -> PyResult<Table> {
        let mut table = table(&[("", &self.set)]);
        // There is one set, which has no name.
        table.columns.retain(|column| column.name != "set");
        Table::of(table)
    }
}

#[pymethods]
impl Results {
    #[getter]
    fn runs(&self) -> PyResult<Table> {
        self.table(ftlab_export::runs)
    }

    #[getter]
    fn figures(&self) -> PyResult<Table> {
        self.table(ftlab_export::figures)
    }

    #[getter]
    fn devices(&self) -> PyResult<Table> {
        self.table(ftlab_export::devices)
    }

    #[getter]
    fn series(&self) -> PyResult<Table> {
        self.table(ftlab_export::series)
    }

    #[getter]
    fn percentiles(&self) -> PyResult<Table> {
        Table::of(ftlab_export::percentiles(&self.set))
    }

    #[getter]
    fn histogram(&self) -> PyResult<Table> {
        Table::of(ftlab_export::histogram(&self.set))
    }

    #[getter]
    fn per_second(&self) -> PyResult<Table> {
        Table::of(ftlab_export::per_second(&self.set))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.set.runs.iter().flat_map(|run| &run.warnings);
        warnings.map(ToString::to_string).collect()
    }

    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.set).map_err(|error| run_error(&error))
    }

    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| ftlab_report::html::render(&self.set))
    }

    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let (json, page) = (self.json()?, self.html(py));
        let files = [
            ("results.json", json.as_bytes()),
            ("index.html", page.as_bytes()),
        ];
        let saved = Folder::ready_for(&folder, "save").and_then(|folder| folder.write(&files));
        saved.map_err(raised)
    }
}

/// The result set of a `results.json`.
#[pyfunction]
pub fn results_of_json(text: &str) -> PyResult<Results> {
    guarded(&"the results", || {
        let set: ResultSet = serde_json::from_str(text).map_err(|error| run_error(&error))?;
        Ok(set.into())
    })
}

/// The names of all quantities that a run may have, whether one has them or not.
#[pyfunction]
pub fn quantities() -> Vec<&'static str> {
    let all = ftlab_result::quantity::table::ALL.iter();
    all.map(|quantity| quantity.name).collect()
}

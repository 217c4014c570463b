//! Drives.

use crate::errors::input_error;
use crate::table::Table;
use ftlab_drive::{Catalog, DriveFile, ParameterRow};
use ftlab_export::{Cells, Column};
use pyo3::prelude::*;

/// A drive: a drive file, and numbers of it that were set.
#[pyclass(frozen, module = "ftlab")]
pub struct Drive {
    file: DriveFile,
}

impl Drive {
    pub fn file(&self) -> &DriveFile {
        &self.file
    }
}

/// The slugs of all drives that come with ftlab.
#[pyfunction]
pub fn drives() -> Vec<&'static str> {
    Catalog::drives()
}

#[pymethods]
impl Drive {
    /// The drive of a name or of a path that ends in .toml.
    #[staticmethod]
    fn named(name: &str, settings: Vec<String>) -> PyResult<Drive> {
        let file = Catalog::load(name, &settings).map_err(|error| input_error(&error))?;
        Ok(Drive { file })
    }

    /// The drive of a drive file's text; `slug` names it, and its random streams.
    #[staticmethod]
    fn of_text(slug: &str, text: &str, settings: Vec<String>) -> PyResult<Drive> {
        let file = DriveFile::parse(slug, text, &settings).map_err(|error| input_error(&error))?;
        Ok(Drive { file })
    }

    /// The drive of a drive file's content.
    #[staticmethod]
    fn of_dict(slug: &str, content: &Bound<'_, PyAny>, settings: Vec<String>) -> PyResult<Drive> {
        let content: toml::Table = pythonize::depythonize(content)
            .map_err(|error| input_error(&format!("the content of a drive file: {error}")))?;
        Drive::of_text(slug, &content.to_string(), settings)
    }

    /// The same drive with numbers set.
    fn with_settings(&self, settings: Vec<String>) -> PyResult<Drive> {
        let file = self.file.with(&settings);
        Ok(Drive {
            file: file.map_err(|error| input_error(&error))?,
        })
    }

    #[getter]
    fn slug(&self) -> &str {
        self.file.slug()
    }

    #[getter]
    fn name(&self) -> &str {
        self.file.name()
    }

    #[getter]
    fn summary(&self) -> &str {
        self.file.summary()
    }

    #[getter]
    fn aliases(&self) -> Vec<String> {
        self.file.aliases().to_vec()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.file.kind().name()
    }

    #[getter]
    fn capacity_bytes(&self) -> u64 {
        self.file.capacity_bytes()
    }

    #[getter]
    fn flash_bytes(&self) -> Option<u64> {
        self.file.raw_bytes()
    }

    #[getter]
    fn text(&self) -> String {
        self.file.text()
    }

    #[getter]
    fn parameters(&self) -> PyResult<Table> {
        let rows = self.file.parameters();
        let of = |name: &str, word: fn(&ParameterRow) -> &String| Column {
            name: name.to_owned(),
            cells: Cells::Text(rows.iter().map(|row| Some(word(row).clone())).collect()),
        };
        Table::of(ftlab_export::Table {
            name: "parameters",
            columns: vec![
                of("key", |row| &row.key),
                of("value", |row| &row.value),
                of("unit", |row| &row.unit),
                of("source", |row| &row.source),
                of("confidence", |row| &row.confidence),
                of("note", |row| &row.note),
            ],
        })
    }
}

//! Drives, as Python's objects of them.

use crate::calls::Calls;
use crate::errors::input_error;
use crate::policies::{Callable, Callables};
use crate::table::Table;
use ftlab_drive::{Catalog, DriveFile, ParameterRow};
use ftlab_export::{Cells, Column};
use pyo3::prelude::*;
use std::sync::Arc;

/// A drive: a drive file, numbers of it that were set, and policies that Python brings.
#[pyclass(frozen, module = "ftlab")]
pub struct Drive {
    file: DriveFile,
    callables: Callables,
}

impl Drive {
    /// The drive file, for a run that keeps what callables raise.
    pub fn file(&self, calls: &Arc<Calls>) -> DriveFile {
        let own = self.callables.for_run(calls);
        (self.file).knowing(own.expect("their names were checked when they were given"))
    }
}

impl From<DriveFile> for Drive {
    fn from(file: DriveFile) -> Drive {
        Drive {
            file,
            callables: Callables::default(),
        }
    }
}

/// The slugs of all drives that come with ftlab.
#[pyfunction]
pub fn drive_names() -> Vec<&'static str> {
    Catalog::drives()
}

/// The drives that come with ftlab, a row each.
#[pyfunction]
pub fn catalogue() -> PyResult<Table> {
    let files: Result<Vec<DriveFile>, _> = (Catalog::drives().into_iter())
        .map(|slug| Catalog::default().load(slug, &[]))
        .collect();
    let files = files.map_err(|error| input_error(&error))?;
    let port = |file: &DriveFile| {
        let rows = file.parameters().into_iter();
        let mut rows = rows.filter(|row| row.key == "link.port");
        rows.next().map(|row| row.value)
    };
    let text = |name: &str, word: &dyn Fn(&DriveFile) -> Option<String>| Column {
        name: name.to_owned(),
        cells: Cells::Text(files.iter().map(word).collect()),
    };
    let whole = |name: &str, count: &dyn Fn(&DriveFile) -> Option<u64>| Column {
        name: name.to_owned(),
        cells: Cells::Whole(files.iter().map(count).collect()),
    };
    Table::of(ftlab_export::Table {
        name: "drives",
        columns: vec![
            text("drive", &|file| Some(file.slug().to_owned())),
            text("name", &|file| Some(file.name().to_owned())),
            whole("year", &|file| year_of(file.name())),
            text("kind", &|file| Some(file.kind().name().to_owned())),
            text("port", &port),
            whole("capacity_bytes", &|file| Some(file.capacity_bytes())),
            whole("flash_bytes", &DriveFile::raw_bytes),
            whole("rated_cycles", &|file| file.rated_cycles().map(u64::from)),
            whole("rated_bytes", &|file| {
                file.rated_bytes().map(|rated| rated.bytes)
            }),
            text("summary", &|file| Some(file.summary().to_owned())),
        ],
    })
}

/// The year in brackets behind a name, in which the drive came out.
fn year_of(name: &str) -> Option<u64> {
    let (_, behind) = name.rsplit_once('(')?;
    let year = behind.strip_suffix(')')?;
    (year.len() == 4).then(|| year.parse().ok())?
}

#[pymethods]
impl Drive {
    /// The drive of a name or of a path that ends in .toml.
    #[staticmethod]
    fn named(name: &str, settings: Vec<String>) -> PyResult<Drive> {
        let file = Catalog::default()
            .load(name, &settings)
            .map_err(|error| input_error(&error))?;
        Ok(file.into())
    }

    /// The drive of a drive file's text; `slug` names it, and its random streams.
    #[staticmethod]
    fn of_text(slug: &str, text: &str, settings: Vec<String>) -> PyResult<Drive> {
        let file = Catalog::default()
            .parse(slug, text, &settings)
            .map_err(|error| input_error(&error))?;
        Ok(file.into())
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
            callables: self.callables.clone(),
        })
    }

    /// The same drive with callables as its policies; None leaves what it has.
    #[pyo3(signature = (victim, pacing))]
    fn asking(
        &self,
        victim: Option<&Bound<'_, PyAny>>,
        pacing: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Drive> {
        let mut callables = self.callables.clone();
        let mut settings = Vec::new();
        if let Some(victim) = victim {
            let victim = callables.victim.insert(Callable::new(victim)?);
            settings.push(format!("gc.policy={}", victim.name));
        }
        if let Some(pacing) = pacing {
            let pacing = callables.pacing.insert(Callable::new(pacing)?);
            settings.push(format!("gc.pacing={}", pacing.name));
        }
        // Nobody asks them as long as the drive does not run.
        let own = callables.for_run(&Arc::default());
        let own = own.map_err(|error| input_error(&error))?;
        let file = self.file.knowing(own).with(&settings);
        Ok(Drive {
            file: file.map_err(|error| input_error(&error))?,
            callables,
        })
    }

    /// The names of the callables that it asks.
    #[getter]
    fn callables(&self) -> Vec<&str> {
        let Callables { victim, pacing } = &self.callables;
        let each = victim.iter().chain(pacing);
        each.map(|callable| callable.name.as_str()).collect()
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

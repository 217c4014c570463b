//! Tables for Python: Arrow arrays that others take over without a copy.

use crate::errors::run_error;
use arrow_array::ffi::{FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator};
use arrow_array::{Int64Array, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use ftlab_export::Cells;
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PyTuple};
use std::sync::Arc;

/// A table whose columns are Arrow arrays.
#[pyclass(frozen, module = "ftlab")]
pub struct Table {
    batch: RecordBatch,
}

/// A column of a table: an Arrow array.
#[pyclass(frozen, module = "ftlab")]
pub struct Column {
    name: String,
    array: ArrayRef,
}

impl Table {
    pub fn of(table: ftlab_export::Table) -> PyResult<Table> {
        let columns = table.columns.into_iter();
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
            .map(|column| {
                let array = array(column.cells);
                let field = Field::new(column.name, array.data_type().clone(), true);
                (field, array)
            })
            .unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Ok(Table {
            batch: batch.map_err(arrow)?,
        })
    }

    fn columns(&self) -> impl Iterator<Item = (&String, &ArrayRef)> {
        let names = self.batch.schema_ref().fields().iter();
        names.map(|field| field.name()).zip(self.batch.columns())
    }
}

fn array(cells: Cells) -> ArrayRef {
    match cells {
        Cells::Text(cells) => Arc::new(StringArray::from(cells)),
        Cells::Whole(cells) => whole(cells),
        // What lacks nothing has no mask, and is a plain array for NumPy.
        Cells::Number(cells) => match cells.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(all) => Arc::new(Float64Array::from(all)),
            None => Arc::new(Float64Array::from(cells)),
        },
    }
}

/// Whole numbers with a sign, so that differences of them have one. Only what is too large for that has none, such as a
/// seed of 64 bits.
fn whole(cells: Vec<Option<u64>>) -> ArrayRef {
    let signed = |cell: &Option<u64>| cell.map(i64::try_from).transpose();
    match cells.iter().map(signed).collect::<Result<Vec<_>, _>>() {
        Ok(signed) => match signed.iter().copied().collect::<Option<Vec<i64>>>() {
            Some(all) => Arc::new(Int64Array::from(all)),
            None => Arc::new(Int64Array::from(signed)),
        },
        Err(_) => match cells.iter().copied().collect::<Option<Vec<u64>>>() {
            Some(all) => Arc::new(UInt64Array::from(all)),
            None => Arc::new(UInt64Array::from(cells)),
        },
    }
}

fn arrow(error: ArrowError) -> PyErr {
    run_error(&error)
}

#[pymethods]
impl Table {
    /// The table of columns by their names: lists of words, whole numbers or numbers, with None for what is missing.
    #[staticmethod]
    fn from_pydict(columns: &Bound<'_, PyDict>) -> PyResult<Table> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::<ArrayRef>::new());
        for (name, cells) in columns {
            let array: ArrayRef = if let Ok(cells) = cells.extract::<Vec<Option<i64>>>() {
                match cells.iter().copied().collect::<Option<Vec<i64>>>() {
                    Some(all) => Arc::new(Int64Array::from(all)),
                    None => Arc::new(Int64Array::from(cells)),
                }
            } else if let Ok(cells) = cells.extract::<Vec<Option<f64>>>() {
                Arc::new(Float64Array::from(cells))
            } else {
                Arc::new(StringArray::from(cells.extract::<Vec<Option<String>>>()?))
            };
            let name: String = name.extract()?;
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Ok(Table {
            batch: batch.map_err(arrow)?,
        })
    }

    /// The table as a capsule that pandas, Polars, PyArrow and others read without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows a table to ignore this: a caller that asked for other types converts what it gets.
        drop(requested_schema);
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The names and types of the columns as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref()).map_err(arrow)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The names of the columns; a unit stands last in a name.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.columns().map(|(name, _)| name.clone()).collect()
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.columns().any(|(other, _)| other == name)
    }

    fn __getitem__(&self, name: &str) -> PyResult<Column> {
        let found = self.columns().find(|(other, _)| *other == name);
        let (name, array) = found.ok_or_else(|| {
            let names = self.column_names().join(", ");
            PyKeyError::new_err(format!("there is no column `{name}`; there are {names}"))
        })?;
        Ok(Column {
            name: name.clone(),
            array: Arc::clone(array),
        })
    }

    /// Every column as a list, by its name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, array) in self.columns() {
            let cells: PyResult<Vec<_>> = (0..array.len()).map(|n| cell(py, array, n)).collect();
            all.set_item(name, cells?)?;
        }
        Ok(all)
    }

    /// Each row as a dictionary.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let rows = (0..self.batch.num_rows()).map(|n| {
            let row = PyDict::new(py);
            for (name, array) in self.columns() {
                row.set_item(name, cell(py, array, n)?)?;
            }
            Ok(row)
        });
        let rows: PyResult<Vec<Bound<'py, PyDict>>> = rows.collect();
        PyList::new(py, rows?)?.try_iter()
    }

    /// The table as a pandas DataFrame.
    ///
    /// Returns
    /// -------
    /// pandas.DataFrame
    ///     Whole numbers are signed; in a column with gaps they are floats, and what is missing is NaN.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1("to_pandas", (slf,))
    }

    /// The table as a Polars DataFrame, without a copy.
    ///
    /// Returns
    /// -------
    /// polars.DataFrame
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1("to_polars", (slf,))
    }

    /// The table as a NumPy array of records, a field for each column.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    fn to_numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1("to_numpy", (slf,))
    }

    /// Draws a column over another with Matplotlib.
    ///
    /// Parameters
    /// ----------
    /// x : str, optional
    ///     The column along the axis; by default the first of the table.
    /// y : str or list of str, optional
    ///     The columns that are drawn; by default the last one with numbers.
    /// by : str, optional
    ///     A line for each value of this column.
    /// ax : matplotlib.axes.Axes, optional
    ///     Axes to draw into; new ones without it.
    /// **options
    ///     Passed on to `Axes.plot`.
    ///
    /// Returns
    /// -------
    /// matplotlib.axes.Axes
    #[pyo3(signature = (x=None, y=None, *, by=None, ax=None, **options))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        x: Option<Bound<'py, PyAny>>,
        y: Option<Bound<'py, PyAny>>,
        by: Option<Bound<'py, PyAny>>,
        ax: Option<Bound<'py, PyAny>>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plots = slf.py().import("ftlab._plots")?;
        plots.call_method("lines", (slf, x, y, by, ax), options.as_ref())
    }

    /// The table in the interchange protocol of DataFrames; PyArrow is needed for it.
    #[pyo3(signature = (nan_as_null=false, allow_copy=true))]
    fn __dataframe__<'py>(
        slf: &Bound<'py, Self>,
        nan_as_null: bool,
        allow_copy: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1("interchange", (slf, nan_as_null, allow_copy))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        tables(slf.py())?.call_method1("html", (slf,))
    }

    fn __repr__(&self) -> String {
        let (rows, names) = (self.batch.num_rows(), self.column_names().join(", "));
        format!("<ftlab.Table of {rows} rows: {names}>")
    }
}

/// The part of the package that knows the libraries of others.
fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("ftlab._tables")
}

fn cell<'py>(py: Python<'py>, array: &ArrayRef, n: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(n) {
        return Ok(py.None().into_bound(py));
    }
    let any = array.as_any();
    if let Some(words) = any.downcast_ref::<StringArray>() {
        return Ok(words.value(n).into_pyobject(py)?.into_any());
    }
    if let Some(counts) = any.downcast_ref::<Int64Array>() {
        return Ok(counts.value(n).into_pyobject(py)?.into_any());
    }
    if let Some(counts) = any.downcast_ref::<UInt64Array>() {
        return Ok(counts.value(n).into_pyobject(py)?.into_any());
    }
    let numbers = any.downcast_ref::<Float64Array>();
    let number = numbers.expect("tables hold words, counts and numbers");
    Ok(number.value(n).into_pyobject(py)?.into_any())
}

impl Column {
    /// NumPy's word for its numbers and where they lie, if nothing is missing.
    fn plain(&self) -> Option<(&'static str, usize)> {
        if self.array.null_count() > 0 {
            return None;
        }
        let any = self.array.as_any();
        let counts = any.downcast_ref::<Int64Array>();
        let counts = counts.map(|counts| ("<i8", counts.values().as_ptr() as usize));
        let large = any.downcast_ref::<UInt64Array>();
        let counts = counts.or(large.map(|large| ("<u8", large.values().as_ptr() as usize)));
        let numbers = any.downcast_ref::<Float64Array>();
        counts.or(numbers.map(|numbers| ("<f8", numbers.values().as_ptr() as usize)))
    }
}

#[pymethods]
impl Column {
    /// Its name; a unit stands last in it.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The column as a pair of capsules that others read without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema);
        let (array, schema) = to_ffi(&self.array.to_data()).map_err(arrow)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }

    /// Where NumPy finds the numbers, which it takes without a copy. A column with gaps and one of words have none.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Some((kind, address)) = self.plain() else {
            return Err(PyAttributeError::new_err("__array_interface__"));
        };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", kind)?;
        interface.set_item("shape", (self.array.len(),))?;
        // Read, and not written: others share it.
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }

    /// The column as a NumPy array: without a copy where no cell is empty, else with NaN for what is missing.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let cells: PyResult<Vec<_>> = match self.plain() {
            Some(_) => {
                let own = Column {
                    name: self.name.clone(),
                    array: Arc::clone(&self.array),
                };
                return numpy.call_method1("asarray", (own,));
            }
            None => (0..self.array.len())
                .map(|n| cell(py, &self.array, n))
                .collect(),
        };
        let kind = match self.array.data_type() {
            DataType::Utf8 => "object",
            _ => "float64",
        };
        numpy.call_method1("array", (cells?, kind))
    }

    /// The column as NumPy asks for one that it cannot take without a copy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // NumPy copies itself where it must.
        let _ = copy;
        let array = self.to_numpy(py)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// The cells as a list; None where there is nothing to say.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let cells: PyResult<Vec<_>> = (0..self.array.len())
            .map(|n| cell(py, &self.array, n))
            .collect();
        PyList::new(py, cells?)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.array.len();
        let n = match at < 0 {
            true => len.checked_add_signed(at),
            false => usize::try_from(at).ok(),
        };
        match n.filter(|n| *n < len) {
            Some(n) => cell(py, &self.array, n),
            None => Err(PyIndexError::new_err(format!(
                "row {at} of a column of {len}"
            ))),
        }
    }

    fn __repr__(&self) -> String {
        format!("<ftlab.Column {} of {} rows>", self.name, self.array.len())
    }
}

//! A table read back from the Parquet file that it was written as.

use crate::parquet::{Notes, ParquetError};
use crate::table::{Cells, Column, Table};
use bytes::Bytes;
use ftlab_base::guarded;
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError as Inner;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::sync::Arc;

/// The notes of a file, for which nothing else of it is read.
///
/// # Errors
/// When it is no Parquet file, or a damaged one.
pub fn notes(file: Vec<u8>) -> Result<Notes, ParquetError> {
    guarded_of(|| notes_of(&open(file)?))
}

/// The table that [`crate::parquet()`] wrote, under a name, and its notes.
///
/// # Errors
/// When it is no Parquet file, a damaged one, or one with columns of other kinds.
pub fn read_parquet(name: &'static str, file: Vec<u8>) -> Result<(Table, Notes), ParquetError> {
    guarded_of(|| read(name, file))
}

/// Runs a reader behind a guard, as the library panics over some damaged files.
fn guarded_of<T>(reading: impl FnOnce() -> Result<T, Inner>) -> Result<T, ParquetError> {
    let read = guarded(reading).unwrap_or_else(|panic| Err(Inner::General(panic.to_string())));
    read.map_err(ParquetError)
}

fn open(file: Vec<u8>) -> Result<SerializedFileReader<Bytes>, Inner> {
    SerializedFileReader::new(Bytes::from(file))
}

fn notes_of(reader: &SerializedFileReader<Bytes>) -> Result<Notes, Inner> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let pairs = pairs.into_iter().flatten();
    Ok(pairs
        .filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?)))
        .collect())
}

fn read(name: &'static str, file: Vec<u8>) -> Result<(Table, Notes), Inner> {
    let reader = open(file)?;
    let notes = notes_of(&reader)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let mut groups = Vec::new();
    for n in 0..reader.num_row_groups() {
        let group = reader.get_row_group(n)?;
        let columns = (0..schema.num_columns()).map(|at| column(group.as_ref(), at));
        groups.push(Table {
            name,
            columns: columns.collect::<Result<_, _>>()?,
        });
    }
    // A table without rows has no row group: its columns are in the schema alone.
    if groups.is_empty() {
        let columns = schema.columns().iter();
        let columns = columns.map(|of| {
            Ok(Column {
                name: of.name().to_owned(),
                cells: match of.physical_type() {
                    Physical::BYTE_ARRAY => Cells::Text(Vec::new()),
                    Physical::INT64 => Cells::Whole(Vec::new()),
                    Physical::DOUBLE => Cells::Number(Vec::new()),
                    other => return Err(foreign(of.name(), other)),
                },
            })
        });
        groups.push(Table {
            name,
            columns: columns.collect::<Result<_, Inner>>()?,
        });
    }
    Ok((Table::joined(name, groups), notes))
}

fn foreign(column: &str, kind: impl std::fmt::Debug) -> Inner {
    Inner::General(format!(
        "column {column} is of a kind that ftlab does not write ({kind:?})"
    ))
}

fn column(group: &dyn RowGroupReader, at: usize) -> Result<Column, Inner> {
    let of = Arc::clone(&group.metadata().schema_descr_ptr().columns()[at]);
    let rows = usize::try_from(group.metadata().num_rows())
        .map_err(|_| Inner::General("a negative number of rows".into()))?;
    let cells = match group.get_column_reader(at)? {
        ColumnReader::ByteArrayColumnReader(reader) => {
            let words = cells(reader, rows, |bytes| {
                let text = std::str::from_utf8(bytes.data());
                text.map(str::to_owned)
                    .map_err(|error| Inner::General(error.to_string()))
            });
            Cells::Text(words?)
        }
        ColumnReader::Int64ColumnReader(reader) => {
            Cells::Whole(cells(reader, rows, |count| Ok(count.cast_unsigned()))?)
        }
        ColumnReader::DoubleColumnReader(reader) => {
            Cells::Number(cells(reader, rows, |value| Ok(*value))?)
        }
        _ => return Err(foreign(of.name(), of.physical_type())),
    };
    Ok(Column {
        name: of.name().to_owned(),
        cells,
    })
}

/// All cells of a column: which hold something, and what.
fn cells<T: DataType, C>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    value: impl Fn(&T::T) -> Result<C, Inner>,
) -> Result<Vec<Option<C>>, Inner> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    while levels.len() < rows {
        let (more, ..) =
            reader.read_records(rows - levels.len(), Some(&mut levels), None, &mut values)?;
        if more == 0 {
            return Err(Inner::General(format!(
                "{} of {rows} rows are there",
                levels.len()
            )));
        }
    }
    let mut values = values.iter();
    let cell = |level: &i16| match level {
        0 => Ok(None),
        _ => values.next().map(&value).transpose(),
    };
    levels.iter().map(cell).collect()
}

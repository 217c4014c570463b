//! Parquet with named columns, as `columns` names them: read a batch of rows at a time, written a row group at a time.

use super::Seen;
use super::columns::{COLUMNS, Cell, Meaning, layout, record, word};
use super::fiu::digits;
use crate::error::{Fault, Place, TraceError};
use crate::record::Record;
use crate::spec::Spec;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

pub const SPEC: Spec = Spec {
    name: "parquet",
    title: "Parquet with named columns",
    by: None,
    ..super::columns::SPEC
};

/// Rows that are in memory when read.
const BATCH_ROWS: usize = 8192;

/// Rows of a row group when written: tens of megabytes.
const GROUP_ROWS: usize = 1 << 18;

/// The magic number of Parquet files.
pub const MAGIC: &[u8] = b"PAR1";

/// The values of a column, some rows of them.
enum Values {
    Integers(Vec<i64>),
    Shorts(Vec<i32>),
    Reals(Vec<f64>),
    Singles(Vec<f32>),
    Flags(Vec<bool>),
    Texts(Vec<ByteArray>),
}

/// A column at work.
struct Column {
    reader: ColumnReader,
    values: Values,
    /// For each row, where in the values its own is; none where it has none.
    rows: Vec<Option<usize>>,
    is_optional: bool,
    is_signed: bool,
}

impl Column {
    fn new(reader: ColumnReader, is_optional: bool, is_signed: bool) -> Result<Column, String> {
        let values = match &reader {
            ColumnReader::Int64ColumnReader(_) => Values::Integers(Vec::new()),
            ColumnReader::Int32ColumnReader(_) => Values::Shorts(Vec::new()),
            ColumnReader::DoubleColumnReader(_) => Values::Reals(Vec::new()),
            ColumnReader::FloatColumnReader(_) => Values::Singles(Vec::new()),
            ColumnReader::BoolColumnReader(_) => Values::Flags(Vec::new()),
            ColumnReader::ByteArrayColumnReader(_) => Values::Texts(Vec::new()),
            _ => return Err("a type that is no number, truth value or text".to_owned()),
        };
        Ok(Column {
            reader,
            values,
            rows: Vec::new(),
            is_optional,
            is_signed,
        })
    }

    /// Reads the next rows; gives how many.
    fn fill(&mut self) -> Result<usize, ParquetError> {
        fn read<T: DataType>(
            reader: &mut ColumnReaderImpl<T>,
            values: &mut Vec<T::T>,
            levels: &mut Vec<i16>,
        ) -> Result<usize, ParquetError> {
            values.clear();
            let (rows, ..) = reader.read_records(BATCH_ROWS, Some(levels), None, values)?;
            Ok(rows)
        }
        let mut levels = Vec::new();
        let levels_of = &mut levels;
        let rows = match (&mut self.reader, &mut self.values) {
            (ColumnReader::Int64ColumnReader(of), Values::Integers(values)) => {
                read(of, values, levels_of)?
            }
            (ColumnReader::Int32ColumnReader(of), Values::Shorts(values)) => {
                read(of, values, levels_of)?
            }
            (ColumnReader::DoubleColumnReader(of), Values::Reals(values)) => {
                read(of, values, levels_of)?
            }
            (ColumnReader::FloatColumnReader(of), Values::Singles(values)) => {
                read(of, values, levels_of)?
            }
            (ColumnReader::BoolColumnReader(of), Values::Flags(values)) => {
                read(of, values, levels_of)?
            }
            (ColumnReader::ByteArrayColumnReader(of), Values::Texts(values)) => {
                read(of, values, levels_of)?
            }
            _ => unreachable!("values are made for their reader"),
        };
        self.rows.clear();
        let mut next = 0..;
        let is_there =
            |row: usize| !self.is_optional || levels.get(row).is_some_and(|level| *level > 0);
        self.rows
            .extend((0..rows).map(|row| is_there(row).then(|| next.next()).flatten()));
        Ok(rows)
    }

    fn cell(&self, row: usize) -> Result<Cell<'_>, Fault> {
        let Some(at) = self.rows[row] else {
            return Ok(Cell::Nothing);
        };
        let integer = |value: i64| match u64::try_from(value) {
            Ok(value) => Ok(Cell::Integer(value)),
            Err(_) if !self.is_signed => Ok(Cell::Integer(value.cast_unsigned())),
            Err(_) => Err(Fault::new(
                "a number",
                value.to_string().as_bytes(),
                "0 or more",
            )),
        };
        match &self.values {
            Values::Integers(values) => integer(values[at]),
            Values::Shorts(values) if self.is_signed => integer(i64::from(values[at])),
            Values::Shorts(values) => Ok(Cell::Integer(u64::from(values[at].cast_unsigned()))),
            Values::Reals(values) => Ok(Cell::Real(values[at])),
            Values::Singles(values) => Ok(Cell::Real(f64::from(values[at]))),
            Values::Flags(values) => Ok(Cell::Flag(values[at])),
            Values::Texts(values) => Ok(Cell::Text(values[at].data())),
        }
    }
}

/// A file, and where in it one is.
pub struct Table {
    file: String,
    reader: SerializedFileReader<File>,
    layout: Vec<Option<Meaning>>,
    /// Those that mean something, at their place in the layout.
    columns: Vec<Option<Column>>,
    group: usize,
    row: usize,
    rows: usize,
    /// Rows read so far.
    number: u64,
}

impl Table {
    pub fn open(path: &Path) -> Result<Table, TraceError> {
        let file = path.display().to_string();
        let fail = |why: String| TraceError::of_file(&file, why);
        let opened = File::open(path).map_err(|error| fail(error.to_string()))?;
        let reader = SerializedFileReader::new(opened);
        let reader = reader.map_err(|error| {
            fail(format!(
                "it is no whole Parquet file: {error}; get it again"
            ))
        })?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let columns = schema.columns();
        if columns.iter().any(|column| column.max_rep_level() > 0) {
            return Err(fail(
                "it has lists, and a trace has rows of plain values; write one row a request"
                    .to_owned(),
            ));
        }
        let layout = layout(columns.iter().map(|column| column.name()));
        let layout = layout
            .map_err(|fault| TraceError::of_fault(&file, Place::Row(1), SPEC.title, &fault))?;
        Ok(Table {
            file,
            reader,
            layout,
            columns: Vec::new(),
            group: 0,
            row: 0,
            rows: 0,
            number: 0,
        })
    }

    fn damaged(&self, error: &ParquetError) -> TraceError {
        let why = format!(
            "it cannot be read: {error}; write it again without compression or with Snappy, gzip or zstd"
        );
        TraceError::at(&self.file, Place::Row(self.number + 1), why)
    }

    /// The next request; none at the end of the file.
    pub fn next(&mut self, seen: &mut Seen) -> Result<Option<Record>, TraceError> {
        while self.row == self.rows {
            if !self.fill()? {
                return Ok(None);
            }
        }
        let (columns, row) = (&self.columns, self.row);
        let cell = |n: usize| match &columns[n] {
            Some(column) => column.cell(row),
            None => Ok(Cell::Nothing),
        };
        self.number += 1;
        let record = record(&self.layout, cell, seen);
        self.row += 1;
        record.map(Some).map_err(|fault| {
            TraceError::of_fault(&self.file, Place::Row(self.number), SPEC.title, &fault)
        })
    }

    /// Reads the next batch, of the next row group where one is over; false at the end.
    fn fill(&mut self) -> Result<bool, TraceError> {
        loop {
            let mut counts = Vec::new();
            let mut error = None;
            for column in self.columns.iter_mut().flatten() {
                match column.fill() {
                    Ok(rows) => counts.push(rows),
                    Err(why) => error = Some(why),
                }
            }
            if let Some(error) = error {
                return Err(self.damaged(&error));
            }
            (self.row, self.rows) = (0, counts.iter().copied().min().unwrap_or(0));
            if counts.iter().any(|count| *count != self.rows) {
                let why = "its columns have different numbers of rows: it is damaged; get it again";
                return Err(TraceError::of_file(&self.file, why));
            }
            if self.rows > 0 {
                return Ok(true);
            }
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            self.columns = self.open_group(self.group)?;
            self.group += 1;
        }
    }

    fn open_group(&self, group: usize) -> Result<Vec<Option<Column>>, TraceError> {
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let group = self
            .reader
            .get_row_group(group)
            .map_err(|error| self.damaged(&error))?;
        let mut columns = Vec::new();
        for (n, meaning) in self.layout.iter().enumerate() {
            if meaning.is_none() {
                columns.push(None);
                continue;
            }
            let descriptor = schema.column(n);
            let reader = group
                .get_column_reader(n)
                .map_err(|error| self.damaged(&error))?;
            let is_signed = !matches!(
                descriptor.logical_type_ref(),
                Some(LogicalType::Integer(integer)) if !integer.is_signed
            );
            let column = Column::new(reader, descriptor.max_def_level() > 0, is_signed);
            let column = column.map_err(|why| {
                TraceError::of_file(
                    &self.file,
                    format!("its column {} has {why}", descriptor.name()),
                )
            })?;
            columns.push(Some(column));
        }
        Ok(columns)
    }
}

/// Writes row groups.
pub struct ToParquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    devices: Vec<String>,
    rows: Vec<Record>,
}

impl<W: Write + Send> ToParquet<W> {
    pub fn new(out: W, devices: Vec<String>) -> std::io::Result<ToParquet<W>> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema()?), Arc::new(properties))?;
        Ok(ToParquet {
            writer,
            devices,
            rows: Vec::with_capacity(GROUP_ROWS),
        })
    }

    pub fn record(&mut self, record: &Record) -> std::io::Result<()> {
        self.rows.push(*record);
        match self.rows.len() {
            GROUP_ROWS => Ok(self.group()?),
            _ => Ok(()),
        }
    }

    pub fn end(mut self) -> std::io::Result<()> {
        if !self.rows.is_empty() {
            self.group()?;
        }
        self.writer.close()?;
        Ok(())
    }

    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let rows = &self.rows;
        let text = |text: &str| ByteArray::from(text);
        let whole = |value: u64| Some(value.cast_signed());
        put::<Int64Type, _>(&mut group, rows, |row| whole(row.at_ns))?;
        put::<ByteArrayType, _>(&mut group, rows, |row| {
            Some(text(&self.devices[row.device.0 as usize]))
        })?;
        put::<ByteArrayType, _>(&mut group, rows, |row| Some(text(word(row.kind))))?;
        put::<Int64Type, _>(&mut group, rows, |row| whole(row.offset_bytes))?;
        put::<Int64Type, _>(&mut group, rows, |row| whole(row.length_bytes))?;
        put::<BoolType, _>(&mut group, rows, |row| Some(row.preflush))?;
        put::<BoolType, _>(&mut group, rows, |row| Some(row.fua))?;
        put::<Int64Type, _>(&mut group, rows, |row| row.response_ns.and_then(whole))?;
        put::<ByteArrayType, _>(&mut group, rows, |row| {
            row.digest.map(|digest| text(&digits(&digest)))
        })?;
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

fn schema() -> Result<Type, ParquetError> {
    let mut fields = Vec::new();
    for name in COLUMNS {
        let (physical, logical) = match name {
            "device" | "op" | "digest" => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            "preflush" | "fua" => (Physical::BOOLEAN, None),
            _ => (Physical::INT64, Some(LogicalType::integer(64, false))),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        fields.push(Arc::new(field.build()?));
    }
    Type::group_type_builder("trace")
        .with_fields(fields)
        .build()
}

/// Writes the next column: which rows hold something, and what.
fn put<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Record],
    value: impl Fn(&Record) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let column = group.next_column()?;
    let mut column =
        column.ok_or_else(|| ParquetError::General("the schema has fewer columns".into()))?;
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

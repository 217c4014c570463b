//! A table as a Parquet file, compressed with Snappy.

use crate::table::{Cells, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError as Inner;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::sync::Arc;

/// The error of a table that cannot be written as Parquet, or of a file that cannot be read as a table.
#[derive(Debug)]
pub struct ParquetError(pub(crate) Inner);

impl Display for ParquetError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "Parquet: {}", self.0)
    }
}

impl std::error::Error for ParquetError {}

/// Notes of a file beside its table, by name.
pub type Notes = BTreeMap<String, String>;

/// The bytes of a Parquet file: every column may have nulls, counts are unsigned 64-bit integers.
///
/// # Errors
/// When two columns have the same name.
pub fn parquet(table: &Table) -> Result<Vec<u8>, ParquetError> {
    parquet_with(table, &Notes::new())
}

/// The bytes of a Parquet file with notes, which Parquet calls key-value metadata.
///
/// # Errors
/// As [`parquet()`].
pub fn parquet_with(table: &Table, notes: &Notes) -> Result<Vec<u8>, ParquetError> {
    write(table, notes).map_err(ParquetError)
}

fn write(table: &Table, notes: &Notes) -> Result<Vec<u8>, Inner> {
    let pairs = notes.iter();
    let pairs = pairs.map(|(name, text)| KeyValue::new(name.clone(), text.clone()));
    let pairs: Vec<KeyValue> = pairs.collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs).filter(|pairs| !pairs.is_empty()))
        .build();
    let schema = Arc::new(schema(table)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    if table.rows() > 0 {
        let mut group = writer.next_row_group()?;
        for column in &table.columns {
            match &column.cells {
                Cells::Text(cells) => {
                    let bytes = |text: &String| ByteArray::from(text.as_str());
                    put::<ByteArrayType, _>(&mut group, cells, bytes)?;
                }
                // The same 64 bits; the schema says that they have no sign.
                Cells::Whole(cells) => {
                    put::<Int64Type, _>(&mut group, cells, |count| count.cast_signed())?;
                }
                Cells::Number(cells) => put::<DoubleType, _>(&mut group, cells, |value| *value)?,
            }
        }
        group.close()?;
    }
    writer.into_inner()
}

fn schema(table: &Table) -> Result<Type, Inner> {
    let mut fields = Vec::new();
    for column in &table.columns {
        let (physical, logical) = match column.cells {
            Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Cells::Whole(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Cells::Number(_) => (Physical::DOUBLE, None),
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        fields.push(Arc::new(field.build()?));
    }
    Type::group_type_builder(table.name)
        .with_fields(fields)
        .build()
}

/// Writes the next column: which cells hold something, and what.
fn put<T: DataType, C>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: &[Option<C>],
    value: impl Fn(&C) -> T::T,
) -> Result<(), Inner> {
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.iter().flatten().map(value).collect();
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| Inner::General("the schema has fewer columns".into()))?;
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

//! Parquet: typed columns, in groups of rows that fit in memory.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::page::ExportedPage;
use crate::table::{Cell, Column, ColumnType, columns};
use crate::{Export, ExportError, Exported};

/// Rows of a group.
const GROUP_ROWS: usize = 10_000;
/// Bytes of text after which a group ends early.
const GROUP_BYTES: usize = 64 << 20;

pub(crate) fn save(export: &Export<'_>, path: &Path) -> Result<Exported, ExportError> {
    let extras = export.settings.extras;
    let columns = columns(extras);
    let file = File::create(path).map_err(|source| ExportError::io("create", path, source))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("scenthound ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(file, schema(&columns)?, Arc::new(properties))?;
    let mut rows: Vec<ExportedPage> = Vec::new();
    let mut bytes = 0;
    let exported = export.each_page(extras, |page| {
        bytes += 2000
            + page.text.as_ref().map_or(0, String::len)
            + page
                .links
                .iter()
                .flatten()
                .map(|link| link.len() + 24)
                .sum::<usize>();
        rows.push(page);
        if rows.len() >= GROUP_ROWS || bytes >= GROUP_BYTES {
            write_group(&mut writer, &columns, &rows)?;
            rows.clear();
            bytes = 0;
        }
        Ok(())
    })?;
    if !rows.is_empty() {
        write_group(&mut writer, &columns, &rows)?;
    }
    writer.close()?;
    Ok(exported)
}

fn schema(columns: &[&Column]) -> Result<TypePtr, ExportError> {
    let mut fields = Vec::with_capacity(columns.len());
    for column in columns {
        let leaf = |name: &str, physical, logical| {
            Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()
        };
        let name = column.name;
        let field = match column.kind {
            ColumnType::Text => leaf(name, PhysicalType::BYTE_ARRAY, Some(LogicalType::String))?,
            ColumnType::Number => leaf(name, PhysicalType::DOUBLE, None)?,
            ColumnType::Whole => leaf(name, PhysicalType::INT64, None)?,
            ColumnType::Flag => leaf(name, PhysicalType::BOOLEAN, None)?,
            ColumnType::Time => leaf(
                name,
                PhysicalType::INT64,
                Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
            )?,
            ColumnType::List => list_type(name)?,
        };
        fields.push(Arc::new(field));
    }
    Ok(Arc::new(
        Type::group_type_builder("page").with_fields(fields).build()?,
    ))
}

/// A list in three levels, as the format prescribes it.
fn list_type(name: &str) -> Result<Type, ExportError> {
    let element = Type::primitive_type_builder("element", PhysicalType::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::String))
        .build()?;
    let repeated = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    Ok(Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(repeated)])
        .build()?)
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    columns: &[&Column],
    rows: &[ExportedPage],
) -> Result<(), ExportError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut out) = group.next_column()? else {
            break;
        };
        write_column(&mut out, rows.iter().map(|row| (column.get)(row)))?;
        out.close()?;
    }
    group.close()?;
    Ok(())
}

fn write_column(
    out: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Cell>,
) -> Result<(), ExportError> {
    let mut levels: Vec<i16> = Vec::new();
    let mut repetitions: Vec<i16> = Vec::new();
    let mut texts: Vec<ByteArray> = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    let mut wholes: Vec<i64> = Vec::new();
    let mut flags: Vec<bool> = Vec::new();
    let mut kind = ColumnType::Text;
    for cell in cells {
        let is_known = match cell {
            Cell::Text(text) => push(&mut texts, text.map(|text| ByteArray::from(text.into_bytes()))),
            Cell::Number(number) => {
                kind = ColumnType::Number;
                push(&mut numbers, number)
            }
            Cell::Whole(number) | Cell::Time(number) => {
                kind = ColumnType::Whole;
                push(&mut wholes, number)
            }
            Cell::Flag(flag) => {
                kind = ColumnType::Flag;
                push(&mut flags, flag)
            }
            Cell::List(list) => {
                kind = ColumnType::List;
                if list.is_empty() {
                    levels.push(0);
                    repetitions.push(0);
                }
                for (at, element) in list.into_iter().enumerate() {
                    texts.push(ByteArray::from(element.into_bytes()));
                    levels.push(1);
                    repetitions.push(i16::from(at > 0));
                }
                continue;
            }
        };
        levels.push(i16::from(is_known));
    }
    match kind {
        ColumnType::Text | ColumnType::List => {
            let repetitions = (kind == ColumnType::List).then_some(repetitions.as_slice());
            out.typed::<ByteArrayType>()
                .write_batch(&texts, Some(&levels), repetitions)?
        }
        ColumnType::Number => out
            .typed::<DoubleType>()
            .write_batch(&numbers, Some(&levels), None)?,
        ColumnType::Whole | ColumnType::Time => {
            out.typed::<Int64Type>()
                .write_batch(&wholes, Some(&levels), None)?
        }
        ColumnType::Flag => out.typed::<BoolType>().write_batch(&flags, Some(&levels), None)?,
    };
    Ok(())
}

/// Adds a value, if there is one.
fn push<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let is_known = value.is_some();
    values.extend(value);
    is_known
}

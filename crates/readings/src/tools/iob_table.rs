//! Rows of a table with a header, whose cells are asked for by the names of their columns.

use crate::error::ReadingError;
use crate::object::COUNT_MAX;
use crate::source::Source;
use std::rc::Rc;

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// The file that it is in.
    pub source: Source,
    /// File and line.
    pub place: String,
    header: Rc<Vec<String>>,
    cells: csv::StringRecord,
}

impl Row {
    /// The names of all columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(String::as_str)
    }

    /// A cell as it stands there.
    pub fn text(&self, name: &str) -> Result<&str, ReadingError> {
        let place = self.header.iter().position(|known| known == name);
        let cell = place.and_then(|place| self.cells.get(place));
        cell.map(str::trim).ok_or_else(|| {
            ReadingError::new(
                &self.place,
                format!("there is no column {name}; give a table as SSD-iq's iob writes it"),
            )
        })
    }

    /// A number.
    pub fn number(&self, name: &str) -> Result<f64, ReadingError> {
        let text = self.text(name)?;
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| {
            ReadingError::new(
                &self.place,
                format!("{name} is {text:?}, where a number belongs; is the file cut off?"),
            )
        })
    }

    /// A number of things.
    pub fn count(&self, name: &str) -> Result<u64, ReadingError> {
        let number = self.number(name)?;
        match (0.0..=COUNT_MAX as f64).contains(&number) {
            true => Ok(number as u64),
            false => Err(ReadingError::new(
                &self.place,
                format!("{name} is {number}, where a count belongs"),
            )),
        }
    }
}

/// The rows of a table. Runs that were added to a file later may have a header of their own, which is no row.
///
/// # Errors
/// When it cannot be read, or a row has another number of cells than the header.
pub fn rows(source: &Source) -> Result<Vec<Row>, ReadingError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(source.open()?);
    let mut header: Option<Rc<Vec<String>>> = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let cells = record.map_err(|error| {
            ReadingError::new(&source.name, format!("{error}; is the file cut off?"))
        })?;
        let names: Vec<String> = cells.iter().map(|name| name.trim().to_owned()).collect();
        match &header {
            None => header = Some(Rc::new(names)),
            Some(known) if **known == names => {}
            Some(known) => rows.push(Row {
                source: source.clone(),
                place: format!(
                    "{}:{}",
                    source.name,
                    cells.position().map_or(0, csv::Position::line)
                ),
                header: Rc::clone(known),
                cells,
            }),
        }
    }
    Ok(rows)
}

//! The tables of all shares put together.

use crate::SweepError;
use crate::rows::{NAME, ROW, arranged};
use crate::share::Share;
use crate::store::{self, Finished, GRID, ROWS};
use ftlab_export::{Cells, Column, Notes, Table};
use ftlab_output::Folder;
use std::path::{Path, PathBuf};

/// Puts the tables that shares left in folders together, in the order of their grid, as the table that one sweep over all
/// of it leaves: the same bytes.
///
/// # Errors
/// When a folder has no table, the tables are not of one grid, rows are missing, or the whole cannot be written.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Finished, SweepError> {
    let (tables, notes) = gathered(folders)?;
    let rows = notes.get(ROWS).and_then(|rows| rows.parse().ok());
    let table = in_order(&Table::joined(NAME, tables), rows.unwrap_or_default())?;
    Folder::ready(out)?;
    let path = out.join(Share::ALL.file());
    if let Some((_, there)) = store::read(&path)?
        && there.get(GRID) != notes.get(GRID)
    {
        return Err(SweepError::Folder {
            path: out.display().to_string(),
            why: "it has the table of another grid; give another one".to_owned(),
        });
    }
    let finished = Finished::of(path, &table);
    store::write(&finished.path, &table, &finished.notes(notes))?;
    Ok(finished)
}

/// The tables of all folders, and the notes of their grid.
fn gathered(folders: &[PathBuf]) -> Result<(Vec<Table>, Notes), SweepError> {
    let mut found: Option<(PathBuf, Notes)> = None;
    let mut tables = Vec::new();
    for folder in folders {
        let wrong = |why: String| SweepError::Folder {
            path: folder.display().to_string(),
            why,
        };
        let before = tables.len();
        for path in store::files(folder)? {
            let Some((table, notes)) = store::read(&path)? else {
                continue;
            };
            // What is under way has no row numbers, and what is of earlier grids those of no grid.
            if table.column(ROW).is_none() {
                continue;
            }
            match &found {
                Some((first, other)) if other.get(GRID) != notes.get(GRID) => {
                    let (first, path) = (first.display(), path.display());
                    return Err(wrong(format!(
                        "{path} is of another grid than {first}; merge the shards of one grid"
                    )));
                }
                Some(_) => {}
                None => found = Some((path, notes)),
            }
            tables.push(table);
        }
        if tables.len() == before {
            let why = "it has no table of a sweep or of a share; give folders that `ftlab sweep` has finished";
            return Err(wrong(why.to_owned()));
        }
    }
    Ok((tables, found.map(|(_, notes)| notes).unwrap_or_default()))
}

/// A table with its rows in the order of their grid, which has `all` rows.
fn in_order(joined: &Table, all: usize) -> Result<Table, SweepError> {
    let mut at: Vec<Option<usize>> = vec![None; all];
    if let Some(Cells::Whole(numbers)) = joined.column(ROW) {
        for (place, number) in numbers.iter().enumerate() {
            let number = number.and_then(|number| usize::try_from(number).ok());
            if let Some(row) = number.and_then(|number| at.get_mut(number)) {
                *row = Some(place);
            }
        }
    }
    if let Some(first) = at.iter().position(Option::is_none) {
        return Err(SweepError::Missing {
            missing: at.iter().filter(|row| row.is_none()).count(),
            all,
            first,
        });
    }
    let columns = joined.columns.iter().map(|column| Column {
        name: column.name.clone(),
        cells: column.cells.take(&at),
    });
    Ok(arranged(Table {
        name: NAME,
        columns: columns.collect(),
    }))
}

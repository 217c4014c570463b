//! The folder of a sweep: what was run, so that nothing is run twice and nothing that was done is lost.
//!
//! `sweep.parquet` is the table of a grid whose rows are all there, `sweep-K-of-N.parquet` that of a share. All else is in the folder
//! `_aside`, which whoever reads a folder as one table leaves out: what is under way in `part-*.parquet`, a part as soon as it is a
//! sixteenth of all that is there, so that an interrupted sweep loses no more and ten thousand rows take a hundred files; and rows of
//! other grids than the last in `earlier.parquet`.

use crate::SweepError;
use crate::grid::Sweep;
use crate::rows::{self, NAME, RUN_ID, Row, STATUS, Status};
use crate::share::Share;
use ftlab_export::{Notes, Table, notes, parquet_with, read_parquet};
use ftlab_output::{Folder, NewFile, Replaces};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A part is written as soon as it has this share of all rows.
const PART_SHARE: usize = 16;

/// The folder of rows that are in no table of the grid. Readers of a folder of Parquet files skip names that begin so.
const ASIDE: &str = "_aside";
const EARLIER: &str = "earlier.parquet";
const PART: &str = "part-";

/// The note by which files of sweeps are known, and how their rows are to be read.
const FORMAT: (&str, &str) = ("ftlab.sweep", "1");
/// The note of the grid that the rows are numbered by.
pub const GRID: &str = "ftlab.grid";
/// The note of how many rows that has.
pub const ROWS: &str = "ftlab.rows";
/// The note of how many rows of a whole table were skipped.
const SKIPPED: &str = "ftlab.skipped";

/// A folder with rows of sweeps.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The files that were read or written, with the ids of their rows.
    files: BTreeMap<PathBuf, Vec<String>>,
    tables: Vec<Table>,
    /// The table and the row of each id.
    at: BTreeMap<String, (usize, usize)>,
    /// Ids of rows that a machine could not make: they are tried again.
    skipped: BTreeSet<String>,
    /// Rows that no file has yet.
    pending: Vec<Row>,
    /// Tables of rows that were run elsewhere.
    arrived: Vec<Table>,
    /// Notes in the files of parts.
    notes: Notes,
}

impl Store {
    /// Opens a folder for the rows of a grid, and makes it if there is none.
    ///
    /// # Errors
    /// When it cannot be made or written to, or a file in it cannot be read.
    pub fn open(folder: &Path, sweep: &Sweep) -> Result<Store, SweepError> {
        Folder::ready(folder)?;
        let mut store = Store {
            folder: folder.to_owned(),
            files: BTreeMap::new(),
            tables: Vec::new(),
            at: BTreeMap::new(),
            skipped: BTreeSet::new(),
            pending: Vec::new(),
            arrived: Vec::new(),
            notes: notes_of(sweep),
        };
        for path in files(folder)? {
            if let Some((table, _)) = read(&path)? {
                store.keep(path, table)?;
            }
        }
        Ok(store)
    }

    /// Returns `true` if a folder has the whole table of a share already, by the notes of that file.
    ///
    /// # Errors
    /// When the file of that name cannot be read.
    pub fn is_whole(folder: &Path, sweep: &Sweep, share: Share) -> Result<bool, SweepError> {
        let path = folder.join(share.file());
        if path.is_file() {
            // Before anybody is told to remove it.
            ftlab_output::check(&path, "--out", Replaces::Files)?;
        }
        match fs::read(&path) {
            // What else the folder may be is said by whoever opens it.
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
            {
                Ok(false)
            }
            Err(error) => Err(unreadable(&path, &error)),
            Ok(bytes) => {
                let notes = notes(bytes).map_err(|error| no_parquet(&path, &error))?;
                Ok(notes == whole(notes_of(sweep), 0))
            }
        }
    }

    /// Returns `true` if the row of an id is there, and no reason to try it again.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.at.contains_key(id) && !self.skipped.contains(id)
    }

    /// Number of rows that are there.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.at.len() + self.unwritten()
    }

    fn unwritten(&self) -> usize {
        self.pending.len() + self.arrived.iter().map(Table::rows).sum::<usize>()
    }

    /// Takes a row that was run.
    ///
    /// # Errors
    /// When it is time to write, and that fails.
    pub fn add(&mut self, row: Row) -> Result<(), SweepError> {
        self.pending.push(row);
        self.flush_if_much()
    }

    /// Takes rows that were run elsewhere: a table as [`rows_as_parquet`] gave it.
    ///
    /// # Errors
    /// When it is none, or it is time to write, and that fails.
    pub fn add_parquet(&mut self, bytes: Vec<u8>) -> Result<(), SweepError> {
        let (table, _) = read_parquet(NAME, bytes)
            .map_err(|error| unreadable(Path::new("rows of a worker"), &error))?;
        self.arrived.push(table);
        self.flush_if_much()
    }

    fn flush_if_much(&mut self) -> Result<(), SweepError> {
        match self.unwritten() * PART_SHARE > self.at.len() {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes what no file has yet.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), SweepError> {
        if self.unwritten() == 0 {
            return Ok(());
        }
        let mut tables = std::mem::take(&mut self.arrived);
        let mut pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            pending.sort_by(|a, b| a.id.cmp(&b.id));
            tables.push(rows::table(pending));
        }
        self.take(Table::joined(NAME, tables))
    }

    fn take(&mut self, table: Table) -> Result<(), SweepError> {
        let table = rows::arranged(table);
        let ids = ids(&table).map_err(|why| unreadable(&self.folder, &why))?;
        let path = self.aside()?.join(format!(
            "{PART}{:016x}.parquet",
            xxh3_64(ids.concat().as_bytes())
        ));
        write(&path, &table, &self.notes)?;
        self.keep(path, table)
    }

    /// The folder of what is in no table of the grid.
    fn aside(&self) -> Result<PathBuf, SweepError> {
        let aside = self.folder.join(ASIDE);
        fs::create_dir_all(&aside).map_err(|error| SweepError::Folder {
            path: aside.display().to_string(),
            why: error.to_string(),
        })?;
        Ok(aside)
    }

    fn keep(&mut self, path: PathBuf, table: Table) -> Result<(), SweepError> {
        let ids = ids(&table).map_err(|why| unreadable(&path, &why))?;
        let statuses = statuses(&table).map_err(|why| unreadable(&path, &why))?;
        for (row, (id, status)) in ids.iter().zip(statuses).enumerate() {
            match status {
                Status::Skipped if self.has(id) => continue,
                Status::Skipped => self.skipped.insert(id.clone()),
                Status::Done | Status::Refused | Status::Failed => self.skipped.remove(id),
            };
            self.at.insert(id.clone(), (self.tables.len(), row));
        }
        self.files.insert(path, ids);
        self.tables.push(table);
        Ok(())
    }

    /// Writes the table of a share, of which all rows are there, and removes the files that it takes the place of.
    ///
    /// # Errors
    /// When it cannot be written. What was there then stays.
    ///
    /// # Panics
    /// When a row of the share is not there.
    pub fn finish(mut self, sweep: &Sweep, share: Share) -> Result<Finished, SweepError> {
        self.flush()?;
        let offsets: Vec<usize> = (self.tables.iter())
            .scan(0, |before, table| {
                Some(std::mem::replace(before, *before + table.rows()))
            })
            .collect();
        let at = |id: &String| {
            let (table, row) = self.at.get(id).expect("every row of the share was run");
            offsets[*table] + row
        };
        let numbers = sweep.rows_of(share);
        let of_share: Vec<String> = numbers.iter().map(|&row| sweep.id(row)).collect();
        let places: Vec<usize> = of_share.iter().map(at).collect();
        let is_ours: BTreeSet<&String> = of_share.iter().collect();
        let others: Vec<usize> = (self.at.keys())
            .filter(|id| !is_ours.contains(id))
            .map(at)
            .collect();
        let ends = Table::joined(NAME, std::mem::take(&mut self.tables));
        let table = rows::of_grid(sweep, &numbers, &ends, &places);
        let mut finished = Finished::of(self.folder.join(share.file()), &table);
        let mut replaced: Vec<&PathBuf> = Vec::new();
        match share.is_all() {
            true => {
                let earlier = self.folder.join(ASIDE).join(EARLIER);
                if !others.is_empty() {
                    self.aside()?;
                    finished.aside = Some((earlier.clone(), others.len()));
                    let others = rows::without_grid(&ends, &others);
                    write(&earlier, &others, &Notes::from([note(FORMAT.0, FORMAT.1)]))?;
                }
                let is_kept = |path: &&PathBuf| **path != earlier || others.is_empty();
                replaced.extend(self.files.keys().filter(is_kept));
            }
            // Other shares may be under way in the same folder.
            false => replaced.extend(self.files.iter().filter_map(|(path, ids)| {
                let is_part = path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(PART));
                (is_part && ids.iter().all(|id| is_ours.contains(id))).then_some(path)
            })),
        }
        write(&finished.path, &table, &finished.notes(notes_of(sweep)))?;
        for path in replaced.into_iter().filter(|path| **path != finished.path) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(SweepError::Unwritten {
                        path: path.display().to_string(),
                        why: format!(
                            "its rows are in {} now, and it cannot be removed: {error}",
                            finished.path.display()
                        ),
                    });
                }
                _ => {}
            }
        }
        if share.is_all() {
            // Fails where something is in it. Other shares may be about to write there.
            let _ = fs::remove_dir(self.folder.join(ASIDE));
        }
        Ok(finished)
    }
}

/// The table of a share that was written.
#[derive(Debug)]
pub struct Finished {
    /// The file of the table.
    pub path: PathBuf,
    /// Number of rows by their end.
    counts: Vec<(Status, usize)>,
    /// Number of rows whose runs ended before garbage collection had settled.
    pub unsettled: usize,
    /// The folder of rows of other grids, and their number.
    pub aside: Option<(PathBuf, usize)>,
}

impl Finished {
    pub(crate) fn of(path: PathBuf, table: &Table) -> Finished {
        let statuses = statuses(table).expect("it was made of rows");
        let count = |status: &Status| statuses.iter().filter(|other| *other == status).count();
        Finished {
            path,
            counts: Status::ALL
                .iter()
                .map(|status| (*status, count(status)))
                .collect(),
            unsettled: rows::unsettled(table),
            aside: None,
        }
    }

    /// The notes of its file, together with those of the grid.
    pub(crate) fn notes(&self, of_grid: Notes) -> Notes {
        whole(of_grid, self.count(Status::Skipped))
    }

    /// Number of rows whose runs ended so.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        let of = self.counts.iter().find(|(other, _)| *other == status);
        of.map_or(0, |(_, count)| *count)
    }
}

/// Rows as the bytes of a Parquet file, for [`Store::add_parquet`].
///
/// # Errors
/// When they are no table.
pub fn rows_as_parquet(rows: Vec<Row>) -> Result<Vec<u8>, SweepError> {
    let table = rows::arranged(rows::table(rows));
    parquet_with(&table, &Notes::new()).map_err(|error| SweepError::Unwritten {
        path: "rows".to_owned(),
        why: error.to_string(),
    })
}

/// The Parquet files of a folder, and of what is aside in it, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let fail = |error: std::io::Error| SweepError::Folder {
        path: folder.display().to_string(),
        why: error.to_string(),
    };
    let mut files = Vec::new();
    for folder in [folder.to_owned(), folder.join(ASIDE)] {
        let entries = match fs::read_dir(&folder) {
            Err(error) if folder.ends_with(ASIDE) && error.kind() == ErrorKind::NotFound => {
                continue;
            }
            entries => entries.map_err(fail)?,
        };
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|ending| ending == "parquet") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The table of a file; none if it is no sweep's, or another share has put it into its own just now.
pub fn read(path: &Path) -> Result<Option<(Table, Notes)>, SweepError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(|error| unreadable(path, &error))?,
    };
    let (table, notes) = read_parquet(NAME, bytes).map_err(|error| no_parquet(path, &error))?;
    Ok((notes.get(FORMAT.0).map(String::as_str) == Some(FORMAT.1)).then_some((table, notes)))
}

/// Writes a file whole, or leaves what is there.
pub fn write(path: &Path, table: &Table, notes: &Notes) -> Result<(), SweepError> {
    let fail = |why: String| SweepError::Unwritten {
        path: path.display().to_string(),
        why,
    };
    let bytes = parquet_with(table, notes).map_err(|error| fail(error.to_string()))?;
    Ok(NewFile::ready(path, "--out")?.write(&bytes)?)
}

fn no_parquet(path: &Path, why: &dyn std::fmt::Display) -> SweepError {
    unreadable(
        path,
        &format!("it is no Parquet file that can be read ({why})"),
    )
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> SweepError {
    SweepError::Unreadable {
        path: path.display().to_string(),
        why: why.to_string(),
    }
}

fn note(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

fn notes_of(sweep: &Sweep) -> Notes {
    Notes::from([
        note(FORMAT.0, FORMAT.1),
        note(GRID, &sweep.hash()),
        note(ROWS, &sweep.rows().to_string()),
    ])
}

/// The notes of a table of which all rows are there: those of its grid, and how many rows were skipped.
fn whole(mut notes: Notes, skipped: usize) -> Notes {
    notes.extend([note(SKIPPED, &skipped.to_string())]);
    notes
}

/// The ids of a table's rows.
fn ids(table: &Table) -> Result<Vec<String>, String> {
    let ids = table.column(RUN_ID);
    let id = |row| ids.and_then(|ids| ids.word(row)).map(str::to_owned);
    let id = |row| id(row).ok_or_else(|| format!("row {row} has no {RUN_ID}"));
    (0..table.rows()).map(id).collect()
}

/// The end of each row of a table.
fn statuses(table: &Table) -> Result<Vec<Status>, String> {
    let words = table.column(STATUS);
    let status = |row| {
        let word = words.and_then(|words| words.word(row)).unwrap_or_default();
        Status::named(word).ok_or_else(|| format!("row {row} has the {STATUS} `{word}`"))
    };
    (0..table.rows()).map(status).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Fault, NotRun};
    use ftlab_drive::Catalog;
    use ftlab_result::Run;

    fn row(sweep: &Sweep, number: usize, fault: Option<Fault>) -> Row {
        let not_run = |fault| NotRun {
            why: "it has its reasons".to_owned(),
            fault,
        };
        let end = fault.map_or_else(|| Ok(Run::default()), |fault| Err(not_run(fault)));
        Row::of(sweep.id(number), end)
    }

    #[test]
    fn what_this_machine_could_not_do_is_tried_again_and_nothing_else() {
        let text = "drives = ['generic-mlc-8']\nseeds = 4\nloads = ['randwrite-4k-qd1']\n";
        let sweep = Sweep::parse(text, Path::new("grid.toml"), &Catalog::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), &sweep).unwrap();
        let faults = [
            None,
            Some(Fault::Input),
            Some(Fault::Model),
            Some(Fault::Here),
        ];
        for (number, fault) in faults.into_iter().enumerate() {
            store.add(row(&sweep, number, fault)).unwrap();
        }
        let finished = store.finish(&sweep, Share::ALL).unwrap();
        assert_eq!(
            Status::ALL.map(|status| finished.count(status)),
            [1, 1, 1, 1]
        );
        assert!(!Store::is_whole(folder.path(), &sweep, Share::ALL).unwrap());
        let mut store = Store::open(folder.path(), &sweep).unwrap();
        let there: Vec<bool> = (0..4).map(|number| store.has(&sweep.id(number))).collect();
        assert_eq!(there, [true, true, true, false]);
        store.add(row(&sweep, 3, None)).unwrap();
        let finished = store.finish(&sweep, Share::ALL).unwrap();
        assert_eq!(finished.count(Status::Done), 2);
        assert!(Store::is_whole(folder.path(), &sweep, Share::ALL).unwrap());
    }

    #[test]
    fn rows_are_written_in_few_files_and_soon() {
        let text = "drives = ['generic-mlc-8']\nseeds = 600\nloads = ['randwrite-4k-qd1']\n";
        let sweep = Sweep::parse(text, Path::new("grid.toml"), &Catalog::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), &sweep).unwrap();
        for number in 0..600 {
            store.add(row(&sweep, number, None)).unwrap();
            assert!(
                store.unwritten() * PART_SHARE <= store.at.len(),
                "at row {number}"
            );
        }
        let files = files(folder.path()).unwrap().len();
        assert!((16..100).contains(&files), "{files} files");
    }
}

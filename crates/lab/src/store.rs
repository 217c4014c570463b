//! A file of outcomes by the ids of their cells: a call that was interrupted goes on from there.
//!
//! The file has a line for each cell, and one before them that says what simulated them. A line that was not written whole is
//! the last one, and is left out.

use crate::Outcome;
use ftlab_result::SCHEMA;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first line of a store.
#[derive(Serialize, Deserialize, PartialEq)]
struct Head {
    /// Names the build that simulated the cells, where builds of one version may differ.
    simulator: String,
    /// Version of the schema that the outcomes have.
    schema: u32,
}

/// A cell that has ended.
#[derive(Serialize, Deserialize)]
struct Line<O> {
    id: String,
    outcomes: O,
}

/// Outcomes of cells, by id.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    /// Bytes of the lines that were written whole.
    whole: u64,
    known: BTreeMap<String, Vec<Outcome>>,
}

impl Store {
    /// An empty one, in place of what is there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn new(path: &Path, simulator: &str) -> io::Result<Store> {
        let head = Head {
            simulator: simulator.to_owned(),
            schema: SCHEMA,
        };
        let mut store = Store {
            path: path.to_owned(),
            file: File::create(path)?,
            whole: 0,
            known: BTreeMap::new(),
        };
        store.write(&head)?;
        Ok(store)
    }

    /// Opens the store that is there if the same program simulated it and its outcomes are of this schema, else an empty one.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn open(path: &Path, simulator: &str) -> io::Result<Store> {
        if !path.exists() {
            return Store::new(path, simulator);
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut reader = BufReader::new(&mut file);
        let (mut known, mut whole, mut text) = (BTreeMap::new(), 0, String::new());
        // A line without its end was cut off by a kill: the file is cut before it.
        loop {
            text.clear();
            let bytes = reader.read_line(&mut text)?;
            if bytes == 0 || !text.ends_with('\n') {
                break;
            }
            if whole == 0 {
                match serde_json::from_str::<Head>(&text) {
                    Ok(head) if head.simulator == simulator && head.schema == SCHEMA => {}
                    _ => {
                        drop(reader);
                        return Store::new(path, simulator);
                    }
                }
            } else if let Ok(line) = serde_json::from_str::<Line<Vec<Outcome>>>(&text) {
                known.insert(line.id, line.outcomes);
            }
            whole += bytes as u64;
        }
        drop(reader);
        if whole == 0 {
            return Store::new(path, simulator);
        }
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        Ok(Store {
            path: path.to_owned(),
            file,
            whole,
            known,
        })
    }

    /// The outcomes of the cell of an id, if they are there.
    #[must_use]
    pub fn outcomes(&self, id: &str) -> Option<Vec<Outcome>> {
        self.known.get(id).cloned()
    }

    /// Returns the number of cells in the store.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns true if there is no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Keeps the outcomes of a cell.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, id: &str, outcomes: &[Outcome]) -> io::Result<()> {
        let id = id.to_owned();
        self.write(&Line { id, outcomes })
    }

    /// Writes a line at once, so that an interruption tears one at most; of one that does not fit nothing is left.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        let written = self.file.write_all(&text);
        if let Err(error) = written {
            // The first error counts; a second one adds nothing.
            let cut = self.file.set_len(self.whole);
            let _ = cut.and_then(|()| self.file.seek(SeekFrom::Start(self.whole)));
            let why = format!("cannot write {}: {error}", self.path.display());
            return Err(io::Error::new(error.kind(), why));
        }
        self.whole += text.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        let mut store = Store {
            path: PathBuf::from("cells.jsonl"),
            file: OpenOptions::new().write(true).open("/dev/full").unwrap(),
            whole: 0,
            known: BTreeMap::new(),
        };
        let error = store.put("a", &[]).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot write cells.jsonl: "),
            "{error}"
        );
    }

    #[test]
    fn a_torn_line_is_left_out_and_another_program_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.jsonl");
        let outcome = |load: &str| {
            vec![Outcome {
                load: load.to_owned(),
                ..Outcome::default()
            }]
        };
        let mut store = Store::new(&path, "this").unwrap();
        store.put("a", &outcome("first")).unwrap();
        store.put("b", &outcome("second")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut store = Store::open(&path, "this").unwrap();
            let lines = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(store.len(), lines.saturating_sub(1), "cut at {cut}");
            store.put("c", &outcome("third")).unwrap();
            let store = Store::open(&path, "this").unwrap();
            let third = store.outcomes("c").map(|outcomes| outcomes[0].load.clone());
            assert_eq!(third.as_deref(), Some("third"), "cut at {cut}");
        }
        std::fs::write(&path, &whole).unwrap();
        assert!(Store::open(&path, "other").unwrap().is_empty());
    }
}

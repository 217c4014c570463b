//! The files that a review leaves, written and read again.

use crate::failure::{Failure, Outcome};
use crate::files::{self, Folder};
use crate::session::Cache;
use crate::{provenance, screen};
use ftlab_drive::Catalog;
use ftlab_lab::Store;
use ftlab_result::{OLDEST, Provenance, ResultSet, SCHEMA, Unread};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The file in a review's directory that holds its results.
pub const RESULTS: &str = "results.json";
/// The report beside it.
pub const REPORT: &str = "index.html";

/// The store beside them, for a call that goes on.
const CELLS: &str = "cells.jsonl";

const WHAT: &str = "a directory that `ftlab review` or `ftlab run --out` wrote, the results.json in it, or that as a .json.zst";

/// The most that is read: all tests on all drives are some tens of megabytes.
const BYTES_MAX: u64 = 1 << 30;

/// The file that holds the results of `path`, which is that file, or the directory it is in.
pub fn file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(RESULTS)
    } else {
        path.to_owned()
    }
}

/// Reads a result set; `path` is the file, or the directory it is in.
///
/// # Errors
/// When there is none, or this ftlab cannot read it.
pub fn read(path: &Path) -> Result<ResultSet, Failure> {
    let file = file(path);
    let text = load(&file)?;
    files::guarded(&file, || {
        parse(&text).map_err(|why| {
            let file = file.display();
            Failure::Input(format!("cannot read {file}: {why}"))
        })
    })
}

/// The text of a file of results.
pub fn load(file: &Path) -> Result<String, Failure> {
    files::read_up_to(BYTES_MAX, file, WHAT)
}

/// Reads the text of a result set, or says why it is none.
pub fn parse(text: &str) -> Result<ResultSet, String> {
    ResultSet::read(text).map_err(|why| match why {
        Unread::Foreign(why) if why.is_eof() => {
            format!("it is cut off ({why}); run the review again, or give {WHAT}")
        }
        Unread::Foreign(why) => format!("it holds no results of a review ({why}); give {WHAT}"),
        Unread::Schema(found) => format!(
            "it has schema {found}, and this ftlab reads schema {OLDEST} to {SCHEMA}; run the review again"
        ),
    })
}

/// A result set with what made it.
#[derive(Serialize)]
struct Signed<'a> {
    provenance: Provenance,
    #[serde(flatten)]
    set: &'a ResultSet,
}

/// The directory for results and their report, before any work is done for them.
pub fn folder(out: &Path) -> Result<Folder, Failure> {
    let folder = Folder::ready(out)?;
    folder.check(&[RESULTS, REPORT])?;
    Ok(folder)
}

/// Writes the results and their report, both or neither.
pub fn write(folder: &Folder, set: &ResultSet) -> Outcome {
    let report = ftlab_report::html::render(set);
    let signed = Signed {
        provenance: provenance::here(),
        set,
    };
    let signed = screen::json(&signed)?;
    let files = [(RESULTS, signed.as_bytes()), (REPORT, report.as_bytes())];
    Ok(folder.write(&files)?)
}

/// The outcomes of the catalogue's drives that are kept in a directory: none, unless a call goes on with them.
pub fn cache(folder: &Folder, resumes: bool, catalog: &Catalog) -> Result<Cache, Failure> {
    folder.check(&[CELLS])?;
    let (path, simulator) = (folder.join(CELLS), provenance::simulator(catalog));
    let store = match resumes {
        true => Store::open(&path, &simulator),
        false => Store::new(&path, &simulator),
    };
    let wrong = |error| Failure::Running(format!("cannot write {}: {error}", path.display()));
    let store = store.map_err(wrong)?;
    Ok(Cache { store, resumes })
}

/// Returns the paths of report and results, in two lines.
pub fn places(folder: &Path) -> String {
    let (report, results) = (folder.join(REPORT), folder.join(RESULTS));
    format!(
        "Report:  {}\nResults: {}\n",
        report.display(),
        results.display()
    )
}

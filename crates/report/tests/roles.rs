//! The report knows tests by their roles and metrics by their columns: no slug of a test, no drive and no source
//! stands in its code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// What is between quotation marks in the code of a file, but for its tests.
fn literals(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let without_comments = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let joined: Vec<&str> = without_comments.collect();
    joined
        .join("\n")
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Slugs of drives and tests, and publishers, as the files of the repository have them.
fn names() -> BTreeSet<String> {
    let published =
        fs::read_to_string(root().join("reference/published.csv")).expect("published figures");
    let mut lines = published.lines();
    let heads: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let column = |name: &str| {
        heads
            .iter()
            .position(|head| *head == name)
            .expect("a column")
    };
    let (drive, test) = (column("drive"), column("test"));
    let mut names: BTreeSet<String> = (lines)
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Some([cells.get(drive)?.to_string(), cells.get(test)?.to_string()])
        })
        .flatten()
        .collect();
    for entry in fs::read_dir(root().join("drives")).expect("drive files") {
        let path = entry.expect("an entry").path();
        names.extend(
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
        );
    }
    // What has no hyphen is a word like any other.
    names.retain(|name| name.contains('-'));
    names.extend(["AnandTech", "BeHardware"].map(str::to_owned));
    names
}

#[test]
fn the_report_names_no_test_no_drive_and_no_source() {
    let names = names();
    assert!(names.len() > 100, "the names are read");
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        for literal in literals(&text) {
            let named = names
                .iter()
                .find(|name| literal == **name || (name.len() > 12 && literal.contains(*name)));
            assert_eq!(named, None, "{} has {literal:?}", file.display());
        }
    }
}

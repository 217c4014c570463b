//! What is kept of predictions, and the page of it.

use super::*;
use ftlab_bench::forecast::{Row, seal, text};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn row(id: &str, [low, middle, high]: [f64; 3]) -> Row {
    Row {
        id: id.to_owned(),
        date: "2026-11-30".to_owned(),
        model: "1 (model 1)".to_owned(),
        drive: "x-1000".to_owned(),
        test: "job".to_owned(),
        state: "new".to_owned(),
        testbed: "linux".to_owned(),
        metric: "iops".to_owned(),
        unit: "IOPS".to_owned(),
        middle,
        low,
        high,
        kind: "random-reads".to_owned(),
        members: 20,
        residual: 0.1,
        input_shows: false,
    }
}

const FILE: &str = "first/2026-11-30-x-1000.csv";
const HEADER: &str = "id,published,looked_up,source,url,note\n";

/// A folder with two predictions, of which one is compared.
fn folder(published: &str) -> TempDir {
    let folder = TempDir::new().expect("there is room");
    fs::create_dir(folder.path().join("first")).expect("it can be made");
    let rows = [row("a", [90.0, 100.0, 120.0]), row("b", [1.0, 2.0, 3.0])];
    put(folder.path(), FILE, &text(&rows));
    put(
        folder.path(),
        "published.csv",
        &format!("{HEADER}{published}"),
    );
    folder
}

fn put(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("it can be written");
}

fn wrong(folder: &TempDir) -> String {
    Kept::of(folder.path()).unwrap_err().to_string()
}

#[test]
fn hits_and_errors_are_those_of_what_was_compared() {
    let folder = folder("a,110,2026-11-30,a sheet,,\n");
    let kept = Kept::of(folder.path()).expect("all is well");
    let page = kept.page();
    assert!(
        page.contains("2 figures of 1 drives were predicted; 1 of them have been compared. 1 lie in their ranges (100 %"),
        "{page}"
    );
    assert!(
        page.contains("| random-reads | 2 | 1 | 1 (100 %) | × 1.33 |"),
        "{page}"
    );
    assert!(page.contains("| 110 | -9 % | yes | a sheet |"), "{page}");
    let missed = self::folder("a,130,2026-12-01,a sheet,https://x,\"a, b\"\n");
    let page = Kept::of(missed.path()).expect("all is well").page();
    assert!(page.contains("0 lie in their ranges (0 %"), "{page}");
    assert!(
        page.contains("| **no** | [a sheet](https://x); a, b |"),
        "{page}"
    );
}

#[test]
fn every_row_of_a_table_has_as_many_cells() {
    let folder = folder("a,110,2026-11-30,a sheet,,\n");
    let kept = Kept::of(folder.path()).expect("all is well");
    for text in [kept.page(), kept.section()] {
        let mut cells = 0;
        for line in text.lines() {
            let here = line.matches('|').count();
            assert!(cells == 0 || here == 0 || here == cells, "{line}");
            cells = here;
        }
    }
}

#[test]
fn a_prediction_that_changed_or_came_late_is_refused() {
    assert!(wrong(&folder("a,110,2026-11-29,a sheet,,\n")).contains("before it was predicted"));
    assert!(wrong(&folder("c,110,2026-11-30,a sheet,,\n")).contains("not predicted"));
    let twice = "a,110,2026-11-30,a sheet,,\n";
    assert!(wrong(&folder(&format!("{twice}{twice}"))).contains("twice"));
    let changed = folder(twice);
    let before = Kept::of(changed.path()).expect("all is well");
    put(changed.path(), "seals.csv", &before.seals_text());
    Kept::of(changed.path()).expect("it is as it was sealed");
    put(
        changed.path(),
        FILE,
        &text(&[row("a", [90.0, 110.0, 120.0])]),
    );
    assert!(wrong(&changed).contains("was changed after it was sealed"));
    fs::remove_file(changed.path().join(FILE)).expect("it is there");
    assert!(wrong(&changed).contains("is gone"));
}

/// Every published value has a prediction that is no later, every file is as it was sealed, and whatever was compared is sealed.
#[test]
fn what_is_kept_here_is_whole() {
    let kept = Kept::read().expect("all is well");
    let sealed = super::super::read(SEALS).expect("it is there");
    for compared in &kept.rows {
        let Row {
            low,
            middle,
            high,
            drive,
            date,
            ..
        } = &compared.row;
        assert!(low <= middle && middle <= high, "{}", compared.row.id);
        let file = format!("{}/{date}-{drive}.csv", compared.round);
        let is_sealed = sealed.contains(&format!("{file},{}", kept.seals[&file]));
        assert!(
            is_sealed || compared.published.is_none(),
            "{file} is not sealed"
        );
    }
    assert_ne!(seal("a"), seal("b"));
}

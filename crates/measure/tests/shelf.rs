//! The shelf: entries are what their results say and name nobody's drive, and those of the repository are such.

use ftlab_measure::shelf::{self, Licence, Said, ShelfError};
use ftlab_result::ResultSet;
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

const COMMITTED: &str = include_str!("../../../docs/schema/measured.schema.json");

fn shelf_of_the_repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measured")
}

#[test]
fn the_schema_of_the_docs_is_that_of_the_types() {
    assert!(
        COMMITTED == shelf::json_schema(),
        "cargo run -p ftlab-measure --example schema > docs/schema/measured.schema.json"
    );
}

#[test]
fn every_entry_of_the_repository_is_what_its_results_say() {
    let folder = shelf_of_the_repository();
    let entries = shelf::check(&folder).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert!(entries.len() >= 2);
    let schema: Value = serde_json::from_str(COMMITTED).unwrap();
    for entry in entries {
        let text = std::fs::read_to_string(folder.join(format!("{}.toml", entry.name))).unwrap();
        let value: Value = toml::from_str(&text).unwrap();
        jsonschema::validate(&schema, &value).unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        assert!(!entry.figures.is_empty(), "{}", entry.name);
    }
}

/// Results of a disk with a serial number, which fio wrote to at a path.
fn measured() -> ResultSet {
    let parameter = |key: &str, value: &str| {
        json!({
            "key": key, "value": value, "unit": "", "source": "measured", "confidence": "high", "note": "",
        })
    };
    let traffic = json!({
        "ios": 0, "bytes": 0, "iops": 0.0, "bytes_per_s": 0.0, "lat_ns_min": 0, "lat_ns_mean": 0.0,
        "lat_ns_stddev": 0.0, "lat_ns_max": 0, "lat_ns_percentiles": [], "lat_ns_histogram": [],
    });
    let set = json!({
        "schema": ftlab_result::SCHEMA,
        "origin": { "version": "0.2.0", "way": "measured", "seed": 1, "testbed": "real" },
        "drives": [{
            "drive": "acme", "name": "ACME 1", "summary": "A real drive.", "kind": "ssd",
            "capacity_bytes": 1_000_000, "file_hash": "00112233445566aa",
            "parameters": [
                parameter("drive.id", "disk:SER1234:eui.5678abcd:1000000"),
                parameter("drive.model", "ACME 1"),
                parameter("machine.kernel", "6.1.99"),
                parameter("bench.fio", "fio-3.33"),
                parameter("bench.engine", "io_uring"),
                parameter("suite.hash", "00000000000000ff"),
            ],
        }],
        "tests": [{
            "test": "read", "method": "P1", "title": "Reads", "text": "", "step": "", "chart": "bars",
            "chart_metric": "iops", "chart_unit": "IOPS", "source": "A suite",
        }],
        "figures": [],
        "runs": [{
            "id": "acme/read/filled", "drive": "acme", "test": "read", "state": "filled", "steps": [],
            "metrics": { "iops": 1234.5678901234567 }, "read": traffic, "write": traffic, "trim": traffic,
            "global_options": [["filename", "/dev/nvme0n1"], ["bs", "4k"]],
            "series_ios": [], "series_interval_s": 1.0,
        }],
    });
    ResultSet::read(&set.to_string()).unwrap()
}

fn said() -> Said {
    Said {
        drive: None,
        date: "2026-12-01".to_owned(),
        by: None,
        licence: Licence::Cc0,
        odd: vec!["Other work ran.".to_owned()],
    }
}

/// A folder with an entry.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let packed = shelf::pack(&measured(), &said(), Some("acme-1"), Some("my-machine")).unwrap();
    std::fs::write(folder.path().join(&packed.entry.0), packed.entry.1).unwrap();
    std::fs::write(folder.path().join(&packed.results.0), packed.results.1).unwrap();
    folder
}

fn change(folder: &Path, from: &str, to: &str) {
    let file = folder.join("acme-1.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(file, text.replace(from, to)).unwrap();
}

fn wrong(folder: &Path) -> Vec<(String, ShelfError)> {
    shelf::check(folder).unwrap_err()
}

#[test]
fn an_entry_names_neither_drive_nor_machine() {
    let folder = folder();
    let entries = shelf::check(folder.path()).unwrap();
    let entry = &entries[0];
    assert_eq!(
        (entry.name.as_str(), entry.drive.as_str()),
        ("acme-1", "ACME 1")
    );
    assert_eq!(entry.host.kernel.as_deref(), Some("6.1"));
    assert_eq!(entry.figures[0].value, 1234.5678901234567);
    let bytes = std::fs::read(folder.path().join("acme-1.json.zst")).unwrap();
    let text = String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap();
    for private in [
        "SER1234",
        "5678abcd",
        "/dev/",
        "6.1.99",
        "00112233445566aa",
        "drive.id",
    ] {
        assert!(!text.contains(private), "{private}");
    }
    assert!(text.contains("\"bs\",\"4k\""), "{text}");
}

#[test]
fn what_names_the_drive_or_the_machine_elsewhere_is_refused() {
    for note in ["It is SER1234.", "Measured on my-machine.", "In /mnt/disk."] {
        let mut set = measured();
        set.runs[0].notes.push(note.to_owned());
        let why = shelf::pack(&set, &said(), None, Some("my-machine")).unwrap_err();
        assert_eq!(why, ShelfError::Private(format!("`{note}`")));
    }
}

#[test]
fn only_results_of_one_real_drive_are_packed() {
    let refused = |break_it: fn(&mut ResultSet)| {
        let mut set = measured();
        break_it(&mut set);
        let why = shelf::pack(&set, &said(), None, None).unwrap_err();
        assert!(matches!(why, ShelfError::NotMeasured(_)), "{why}");
    };
    refused(|set| set.origin.way = ftlab_result::Way::Simulated);
    refused(|set| set.runs.clear());
    refused(|set| set.drives.push(set.drives[0].clone()));
    refused(|set| set.drives[0].parameters.retain(|of| of.key != "bench.fio"));
    for name in ["", "..", "a/b", "A", "-a"] {
        let why = shelf::pack(&measured(), &said(), Some(name), None).unwrap_err();
        assert!(matches!(why, ShelfError::Said(_)), "{name}: {why}");
    }
    for date in [
        "",
        "today",
        "2026-13-01",
        "2026-1-1",
        "2026-12-32",
        "2026-12-01-",
    ] {
        let said = Said {
            date: date.to_owned(),
            ..said()
        };
        let why = shelf::pack(&measured(), &said, None, None).unwrap_err();
        assert!(why.to_string().contains("is no day"), "{date}: {why}");
    }
}

#[test]
fn an_entry_that_says_something_else_than_its_results_is_named_with_the_key() {
    let changed = |from: &str, to: &str| {
        let folder = folder();
        change(folder.path(), from, to);
        wrong(folder.path()).remove(0).1.to_string()
    };
    let figure = changed("value = 1234.5678901234567", "value = 2000.0");
    assert!(
        figure.starts_with("figure.1.value is 2000.0 in the entry"),
        "{figure}"
    );
    let capacity = changed("capacity_bytes = 1000000", "capacity_bytes = 2000000");
    assert!(
        capacity.starts_with("capacity_bytes is 2000000"),
        "{capacity}"
    );
    let licence = changed("CC0-1.0", "mine");
    assert!(licence.contains("CC-BY-4.0"), "{licence}");
    let unknown = changed("schema = 1", "schema = 1\nserial = \"x\"");
    assert!(unknown.contains("serial"), "{unknown}");
}

#[test]
fn files_that_are_no_entry_are_named() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("README.md"), "A shelf.").unwrap();
    assert!(shelf::check(folder.path()).is_ok());
    std::fs::write(path("notes.txt"), "").unwrap();
    std::fs::write(path("other.json.zst"), "").unwrap();
    let names: Vec<String> = wrong(folder.path())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["notes.txt", "other.json.zst"]);
    for name in names {
        std::fs::remove_file(path(&name)).unwrap();
    }
    // Results that do not fit into a repository, that are none, and that do not end.
    std::fs::write(path("acme-1.json.zst"), vec![0; shelf::BYTES_MAX + 1]).unwrap();
    assert!(matches!(wrong(folder.path())[0].1, ShelfError::TooLong(_)));
    std::fs::write(path("acme-1.json.zst"), "no zstd").unwrap();
    assert!(matches!(
        wrong(folder.path())[0].1,
        ShelfError::Unreadable(_)
    ));
    let long = zstd::encode_all(std::io::repeat(b' ').take(65 << 20), 1).unwrap();
    std::fs::write(path("acme-1.json.zst"), long).unwrap();
    let why = wrong(folder.path()).remove(0).1.to_string();
    assert!(why.contains("they unpack to more than"), "{why}");
}

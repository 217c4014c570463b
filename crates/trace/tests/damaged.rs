//! Damaged files end in an error of theirs, whatever the library that reads them does.
#![cfg(feature = "parquet")]

use ftlab_base::CommandKind::{Read, Write};
use ftlab_base::RootSeed;
use ftlab_trace::{DeviceId, Format, Opening, Packing, Reader, Record, TraceError, Writer};
use std::path::Path;

/// Files that are damaged at most: the library panics over one of a few hundred.
const FILES: u64 = 8000;

/// Files over which it must have panicked.
const PANICS: usize = 2;

/// What is said of a file over which its reader panicked.
const PANICKED: &str = "it is no Parquet file that can be read: what reads it gave up on it";

/// A table as `ftlab trace convert` writes it.
fn table(path: &Path) {
    let names = ["sda".to_owned(), "sdb".to_owned()];
    let file = std::fs::File::create(path).unwrap();
    let packing = Packing::None;
    let mut writer = Writer::new(Format::Parquet, packing, Box::new(file), &names, 0).unwrap();
    for n in 0..40 {
        let kind = if n % 2 == 0 { Read } else { Write };
        let device = DeviceId(u32::from(n % 3 == 0));
        let mut record = Record::new(1000 * n, kind, device).of_bytes(4096 * (n * 7 % 11), 4096);
        record.fua = n % 5 == 0;
        record.response_ns = (n % 4 == 0).then_some(100 * n);
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
}

fn read(path: &Path) -> Result<usize, TraceError> {
    let reader = Reader::open(path, &Opening::default())?;
    reader
        .map(|record| record.map(drop))
        .collect::<Result<Vec<()>, _>>()
        .map(|all| all.len())
}

#[test]
fn a_damaged_table_is_an_error_also_where_the_library_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    table(&path);
    assert_eq!(read(&path).unwrap(), 40);
    let whole = std::fs::read(&path).unwrap();
    let (mut refused, mut panicked) = (0, 0);
    for n in 0..FILES {
        if panicked == PANICS {
            break;
        }
        let mut bytes = whole.clone();
        for place in ["first", "second", "third"] {
            let random = RootSeed(n).derive(place).0;
            bytes[(random >> 8) as usize % whole.len()] = random as u8;
        }
        std::fs::write(&path, &bytes).unwrap();
        if let Err(error) = read(&path) {
            refused += 1;
            let words = error.to_string();
            assert!(words.contains("trace.parquet"), "seed {n}: {words}");
            panicked += usize::from(words.contains(PANICKED));
        }
    }
    assert!(
        refused > panicked,
        "{refused} refused, {panicked} of them by a panic"
    );
    // Else nothing here shows that a panic is an error, and other damage has to be found that is one.
    assert_eq!(panicked, PANICS, "of {FILES} files");
}

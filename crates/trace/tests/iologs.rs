//! fio's iologs beside the program: what their times mean, and where a job moves their requests.

use ftlab_base::CommandKind::Read;
use ftlab_trace::{
    DeviceId, Format, Lost, Opening, Packing, Reader, Record, Selected, Selection, Writer,
};
use std::path::{Path, PathBuf};

fn write(
    format: Format,
    packing: Packing,
    path: &Path,
    records: &[Record],
    names: &[String],
) -> Lost {
    let file = std::fs::File::create(path).unwrap();
    let first_ns = records.iter().map(|record| record.at_ns).min().unwrap();
    let mut writer = Writer::new(format, packing, Box::new(file), names, first_ns).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_wait_of_version_2_ends_so_many_milliseconds_after_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let log = |lines: &str| {
        let text = format!("fio version 2 iolog\nx add\nx open\n{lines}x close\n");
        let path = folder.path().join("waits.log");
        std::fs::write(&path, text).unwrap();
        let records = Reader::open(&path, &Opening::default()).unwrap();
        let times = records.map(|record| record.unwrap().at_ns / 1_000_000);
        times.collect::<Vec<_>>()
    };
    let read = "x read 0 4096\n";
    let waits = format!("x wait 4000 0\n{read}x wait 6000 0\n{read}{read}");
    assert_eq!(log(&waits), [4000, 6000, 6000]);
    // What is over already is not waited for.
    let past = format!("{read}x wait 500 0\n{read}x wait 100 0\n{read}");
    assert_eq!(log(&past), [0, 500, 500]);
}

#[test]
fn iologs_are_written_with_the_times_that_fio_takes() {
    let folder = tempfile::tempdir().unwrap();
    let record = |at_us: u64| {
        let id = DeviceId(0);
        Record::new(at_us * 1000, Read, id).of_bytes(0, 4096)
    };
    let records = [record(0), record(5_000), record(5_300), record(12_900)];
    let written = |format: Format| {
        let path = folder.path().join(format.spec().name);
        let lost = write(format, Packing::None, &path, &records, &["x".to_owned()]);
        (std::fs::read_to_string(path).unwrap(), lost)
    };
    let (v2, lost) = written(Format::FioV2);
    assert_eq!(
        v2,
        "fio version 2 iolog\nx add\nx open\nx read 0 4096\nx wait 5 0\nx read 0 4096\nx read 0 4096\nx wait 12 0\n\
         x read 0 4096\nx close\n"
    );
    assert_eq!(lost.times, 2);
    let words = lost.words(Format::FioV2);
    assert!(words[0].contains("cut to milliseconds"), "{words:?}");
    let (v3, lost) = written(Format::FioV3);
    // A time of 0 is none to fio, and the pause behind it is lost.
    assert_eq!(
        v3,
        "fio version 3 iolog\n1 x add\n1 x open\n1 x read 0 4096\n5001 x read 0 4096\n5301 x read 0 4096\n\
         12901 x read 0 4096\n12901 x close\n"
    );
    assert_eq!(lost.times, 0);
}

#[test]
fn what_is_kept_may_be_moved() {
    let path = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/samples/msr.csv"
    ));
    let offsets = |selection: Selection| {
        let reader = Reader::open(&path, &Opening::default()).unwrap();
        let records = Selected::of(reader, selection);
        let offsets = records.map(|record| record.unwrap().offset_bytes);
        offsets.collect::<Vec<_>>()
    };
    let all = offsets(Selection::default());
    let moved = offsets(Selection {
        scale: 3,
        align_bytes: 4096,
        ..Selection::default()
    });
    let want = all.iter().map(|offset| offset / 3 / 4096 * 4096);
    assert_eq!(moved, want.collect::<Vec<_>>());
    assert_ne!(moved, all);
}

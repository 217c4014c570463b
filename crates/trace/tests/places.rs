//! Where addresses lie on a drive: within it, whole, and as the way of fitting says.

use ftlab_base::CommandKind::{Trim, Write};
use ftlab_base::SECTOR_BYTES;
use ftlab_trace::{
    DeviceId, Extent, Fit, Opening, Places, Reader, Record, Scan, Selected, Selection, TraceError,
};
use std::path::Path;

const MIB: u64 = 1 << 20;

fn open(path: &Path) -> Result<Selected, TraceError> {
    Ok(Selected::of(
        Reader::open(path, &Opening::default())?,
        Selection::default(),
    ))
}

/// The places of these writes (bytes, address, device) on a drive of that capacity.
fn places(writes: &[(u64, u64, &str)], capacity: u64, fit: Fit) -> Result<Places, TraceError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = writes
        .iter()
        .map(|(at, bytes, device)| format!("0,write,{at},{bytes},{device}\n"));
    let text = format!(
        "time_us,op,offset_bytes,bytes,device\n{}",
        rows.collect::<String>()
    );
    std::fs::write(file.path(), text).unwrap();
    let scan = Scan::of(open(file.path())?)?;
    Places::new(&scan, capacity, fit, || open(file.path()), "t.csv")
}

fn write(device: u32, at: u64, bytes: u64) -> Record {
    Record::new(0, Write, DeviceId(device)).of_bytes(at, bytes)
}

fn at(extent: Extent) -> (u64, u64) {
    (
        extent.lba * SECTOR_BYTES,
        u64::from(extent.sectors) * SECTOR_BYTES,
    )
}

#[test]
fn a_trace_that_fits_stays_as_it_is_whatever_is_asked() {
    for fit in [Fit::Refuse, Fit::Wrap, Fit::Compact, Fit::Scale] {
        let places = places(&[(8 * MIB, 4096, "a")], 16 * MIB, fit).unwrap();
        assert_eq!(at(places.of(&write(0, 8 * MIB, 4096))), (8 * MIB, 4096));
        assert_eq!(places.words(), None);
        // What is no whole sector is widened.
        assert_eq!(at(places.of(&write(0, 1000, 100))), (512, 1024));
    }
}

#[test]
fn devices_are_laid_end_to_end() {
    let places = places(
        &[(0, 4096, "a"), (0, 8192, "b"), (512, 512, "a")],
        16 * MIB,
        Fit::Refuse,
    )
    .unwrap();
    assert_eq!(at(places.of(&write(0, 512, 512))), (512, 512));
    assert_eq!(at(places.of(&write(1, 4096, 4096))), (MIB + 4096, 4096));
    assert!(places.words().unwrap().contains("2 devices"));
}

#[test]
fn what_does_not_fit_is_refused_with_the_ways_to_make_it() {
    let error = places(&[(64 * MIB, 4096, "a")], 16 * MIB, Fit::Refuse).unwrap_err();
    for words in [
        "67112960 bytes",
        "16777216",
        "compact",
        "wrap",
        "scale",
        "--share",
    ] {
        assert!(error.why.contains(words), "{error}");
    }
    let long = places(&[(0, 32 * MIB, "a")], 16 * MIB, Fit::Wrap).unwrap_err();
    assert!(long.why.contains("longest request"), "{long}");
}

#[test]
fn wrapped_and_scaled_addresses_lie_within_the_drive() {
    let all = [
        (0, 4096, "a"),
        (64 * MIB - 4096, 4096, "a"),
        (40 * MIB, 2 * MIB, "a"),
    ];
    let wrapped = places(&all, 16 * MIB, Fit::Wrap).unwrap();
    assert_eq!(at(wrapped.of(&write(0, 40 * MIB, 4096))), (8 * MIB, 4096));
    // What would go beyond the end lies at the end.
    assert_eq!(
        at(wrapped.of(&write(0, 47 * MIB, 2 * MIB))),
        (14 * MIB, 2 * MIB)
    );
    assert!(wrapped.folds() && wrapped.words().unwrap().contains("4.00 times"));
    let scaled = places(&all, 16 * MIB, Fit::Scale).unwrap();
    assert_eq!(at(scaled.of(&write(0, 40 * MIB, 4096))), (10 * MIB, 4096));
    assert_eq!(
        at(scaled.of(&write(0, 40 * MIB + 512, 512))),
        (10 * MIB + 512, 512)
    );
    assert_eq!(
        at(scaled.of(&write(0, 64 * MIB - 4096, 4096))).0,
        16 * MIB - 4096
    );
    let trim = Record::new(0, Trim, DeviceId(0)).of_bytes(0, 64 * MIB);
    assert_eq!(at(scaled.of(&trim)), (0, 16 * MIB));
}

#[test]
fn compacting_keeps_order_and_neighbours_and_lets_nothing_meet() {
    // Two far regions and requests side by side across chunks.
    let mut all: Vec<(u64, u64, &str)> = (0..64)
        .map(|n| (900 * MIB + n * 65_536, 65_536, "a"))
        .collect();
    all.extend((0..64).map(|n| (n * 131_072, 4096, "a")));
    let places = places(&all, 16 * MIB, Fit::Compact).unwrap();
    let mut seen: Vec<(u64, u64, u64)> = all
        .iter()
        .map(|(from, bytes, _)| {
            let (to, length) = at(places.of(&write(0, *from, *bytes)));
            assert_eq!(length, *bytes);
            assert!(to + length <= 16 * MIB);
            (*from, to, length)
        })
        .collect();
    seen.sort_unstable();
    for pair in seen.windows(2) {
        assert!(
            pair[0].1 + pair[0].2 <= pair[1].1,
            "in order, without overlap: {pair:?}"
        );
        if pair[0].0 + pair[0].2 == pair[1].0 {
            assert_eq!(pair[0].1 + pair[0].2, pair[1].1, "side by side: {pair:?}");
        }
    }
    assert!(!places.folds() && places.words().unwrap().contains("moved together"));
    // A TRIM of everything is of all that is there, and of nothing where nothing is.
    let trim =
        |from, bytes| at(places.of(&Record::new(0, Trim, DeviceId(0)).of_bytes(from, bytes)));
    assert_eq!(trim(0, 904 * MIB).0, 0);
    assert_eq!(
        trim(0, 904 * MIB).1,
        seen.last().map(|(_, to, length)| to + length).unwrap()
    );
    assert_eq!(trim(100 * MIB, MIB).1, 0);
}

#[test]
fn what_touches_more_than_the_drive_cannot_be_compacted() {
    let all: Vec<(u64, u64, &str)> = (0..5000).map(|n| (n * MIB, 4096, "a")).collect();
    let error = places(&all, 16 * MIB, Fit::Compact).unwrap_err();
    assert!(
        error.why.contains("touches more") && error.why.contains("--share"),
        "{error}"
    );
    // In blocks of 4 KiB it still fits where larger chunks do not.
    let places = places(&all[..4000], 16 * MIB, Fit::Compact).unwrap();
    assert!(places.words().unwrap().contains("chunks of 4096"));
}

//! Fits to figures of a drive whose numbers are known.

use super::numbers::number_of;
use super::*;
use ftlab_drive::Catalog;

fn testbed() -> Testbed {
    Testbed::load("linux-2024-nvme").unwrap()
}

fn load(slug: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Catalog::default().load(slug, &settings).unwrap()
}

/// The figure that a measurement of the drive would give.
fn measured(file: &DriveFile, kind: Kind) -> Measured {
    let (block_bytes, depth) = match kind {
        Kind::SequentialWrite => (128 << 10, 32),
        _ => (4096, 1),
    };
    let mut figure = Measured {
        source: format!("{kind:?}.json"),
        from: vec![format!("{kind:?}.json")],
        kind,
        block_bytes,
        depth,
        jobs: 1,
        bytes: 200_000_000_000,
        value: 1.0,
    };
    let testbed = testbed();
    let bench = Bench {
        testbed: &testbed,
        figure: &figure,
    };
    figure.value = kind.shown(bench.run(file).unwrap());
    figure
}

const HIDDEN: [&str; 4] = [
    "nand.blocks_per_die=2400",
    "nand.t_program=1500",
    "firmware.read_pipeline=11",
    "firmware.write_pipeline=2.5",
];

#[test]
fn a_hidden_drive_is_found_again() {
    let hidden = load("generic-dc-tlc-1920", &HIDDEN);
    let kinds = [Kind::Write, Kind::SequentialWrite, Kind::Read];
    let figures = kinds.map(|kind| measured(&hidden, kind));
    let at = MeasuredWa { wa: 1.0, used: 0.9 };
    let wa = flash::closed_form(&hidden, at).unwrap().1;
    let at = MeasuredWa { wa, ..at };
    let base = load("generic-dc-tlc-1920", &[]);
    let found = calibrate(&base, "Hidden", Some(at), &figures, &testbed()).unwrap();
    let keys: Vec<&str> = found.fitted.iter().map(|row| row.key).collect();
    let wanted = [
        "nand.blocks_per_die",
        "nand.t_program",
        "firmware.read_pipeline",
        "firmware.write_pipeline",
    ];
    assert_eq!(keys, wanted);
    for (row, hidden) in found.fitted.iter().zip([2400.0, 1500.0, 11.0, 2.5]) {
        assert!(
            (row.is / hidden - 1.0).abs() < 0.02,
            "{row:?}, not {hidden}"
        );
        assert!((row.model[1] / row.measured - 1.0).abs() < 0.01, "{row:?}");
        assert!((row.model[0] / row.measured - 1.0).abs() > 0.01, "{row:?}");
    }
    // The file stands alone, and says where its numbers are from.
    let again = Catalog::default().parse("again", &found.text, &[]).unwrap();
    assert_eq!((again.name(), again.hash()), ("Hidden", found.file.hash()));
    let row = number_of(&again, "nand.t_program").unwrap();
    assert_eq!(row.source, "fitted");
    assert!(
        found.text.contains("from = [\"SequentialWrite.json\"]"),
        "{}",
        found.text
    );
}

#[test]
fn a_figure_beyond_what_such_a_drive_gives_is_said() {
    let base = load("generic-dc-tlc-1920", &[]);
    let refused = |kind, value| {
        let figure = Measured {
            value,
            ..measured(&base, kind)
        };
        let refused = calibrate(&base, "x", None, &[figure], &testbed());
        refused.unwrap_err().to_string()
    };
    let why = refused(Kind::Read, 30.0);
    assert!(
        why.contains("Read.json: read latency of 30.0 us") && why.contains("nand.t_read"),
        "{why}"
    );
    let why = refused(Kind::SequentialWrite, 9000.0);
    assert!(why.contains("MB/s") && why.contains("link"), "{why}");
    let figure = measured(&base, Kind::Write);
    let twice = [figure.clone(), figure];
    let why = calibrate(&base, "x", None, &twice, &testbed()).unwrap_err();
    assert!(why.to_string().contains("measure the same"), "{why}");
    let wa = |slug, wa| {
        let at = MeasuredWa { wa, used: 1.0 };
        let refused = calibrate(&load(slug, &[]), "x", Some(at), &[], &testbed());
        refused.unwrap_err().to_string()
    };
    assert!(wa("generic-nvme-tlc-1000", 3.0).contains("cache of SLC"));
    assert!(wa("generic-dc-tlc-1920", 900.0).contains("no spare area"));
}

fn json(options: &str, side: &str) -> String {
    let none = r#"{"io_bytes": 0, "total_ios": 0, "bw_bytes": 0, "lat_ns": {"mean": 0.0}}"#;
    let some = r#"{"io_bytes": 4096000, "total_ios": 1000, "bw_bytes": 51200000, "lat_ns": {"mean": 78125.5}}"#;
    let [read, write] = if side == "read" {
        [some, none]
    } else {
        [none, some]
    };
    format!(
        "fio: a warning\n{{\"global options\": {{\"direct\": \"1\", \"filename\": \"/dev/nvme0n1\"}}, \"jobs\": [{{\"jobname\": \"a\", \
         \"error\": 0, \"job options\": {{{options}}}, \"read\": {read}, \"write\": {write}}}]}}"
    )
}

#[test]
fn fios_json_says_what_it_measures() {
    let read = |options: &str, side| Measured::read("a.json", &json(options, side));
    let figure = read(r#""rw": "randread", "bs": "4k", "iodepth": "1""#, "read").unwrap();
    assert_eq!((figure.kind, figure.block_bytes), (Kind::Read, 4096));
    assert!((figure.value - 78.1255).abs() < 1e-9);
    for (options, side, part) in [
        (r#""rw": "randread", "iodepth": "4""#, "read", "iodepth=4"),
        (r#""rw": "write", "bs": "4k""#, "write", "bs of 64k or more"),
        (
            r#""rw": "randwrite", "fsync": "1""#,
            "write",
            "it says fsync",
        ),
        (r#""rw": "randwrite""#, "read", "it has done nothing"),
        (r#""rw": "randread", "direct": "0""#, "read", "direct=1"),
        (
            r#""rw": "randread", "numjobs": "x""#,
            "read",
            "which is no count",
        ),
    ] {
        let why = read(options, side).unwrap_err().to_string();
        assert!(
            why.starts_with("a.json: job a: ") && why.contains(part),
            "{why}"
        );
    }
    for (text, part) in [
        ("", "this is not what"),
        ("{\"jobs\": []}", "it has 0 jobs"),
        ("{}", "jobs"),
    ] {
        let why = Measured::read("b.json", text).unwrap_err().to_string();
        assert!(why.starts_with("b.json: ") && why.contains(part), "{why}");
    }
}

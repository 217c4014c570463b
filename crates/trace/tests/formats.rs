//! Samples made by us in the layout of each format: what is read of them, and what becomes of requests that go through
//! every format.

use ftlab_base::CommandKind::{self, Flush, Read, Trim, Write};
use ftlab_trace::{
    Action, Format, Look, Opening, Packing, Place, Reader, Record, Scan, Selected, Selection,
    TraceError, Writer,
};
use std::path::{Path, PathBuf};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/samples")
        .join(name)
}

fn reader(path: &Path, format: Option<Format>, action: Action) -> Result<Reader, TraceError> {
    Reader::open(path, &Opening { format, action })
}

fn scan(path: &Path, opening: &Opening) -> Result<Scan, TraceError> {
    let reader = Reader::open(path, opening)?;
    Scan::of(Selected::of(reader, Selection::default()))
}

/// A sample, its format, and what is in it: reads, writes, TRIMs, flushes, bytes of all, nanoseconds from the first to
/// the last, devices.
type Golden = (
    &'static str,
    Format,
    [u64; 4],
    u64,
    u64,
    &'static [&'static str],
);

const GOLDEN: [Golden; 16] = [
    (
        "msr.csv",
        Format::Msr,
        [2, 2, 0, 0],
        37_376,
        3_332_061_600,
        &["usr_0", "usr_1"],
    ),
    (
        "alibaba.csv",
        Format::Alibaba,
        [2, 2, 0, 0],
        32_768,
        566_000,
        &["419", "725", "12"],
    ),
    (
        "tencent.csv",
        Format::Tencent,
        [2, 2, 0, 0],
        397_312,
        1_000_000_000,
        &["1063", "1627", "1360"],
    ),
    (
        "spc.csv",
        Format::Spc,
        [2, 2, 0, 0],
        56_832,
        698_294_000,
        &["0", "1", "2"],
    ),
    (
        "fiu.txt",
        Format::Fiu,
        [2, 2, 0, 0],
        12_800,
        967_197,
        &["6:0", "8:1"],
    ),
    (
        "systor.csv",
        Format::Systor,
        [2, 2, 0, 0],
        78_336,
        1_236_882_000,
        &["4"],
    ),
    (
        "blkparse.txt",
        Format::Blkparse,
        [1, 2, 1, 1],
        1_191_936,
        3_997_900,
        &["8:16"],
    ),
    (
        "sdb.blktrace.0",
        Format::Blktrace,
        [2, 2, 1, 1],
        1_192_448,
        9_340,
        &["8:16"],
    ),
    (
        "big-endian.bin",
        Format::Blktrace,
        [1, 1, 0, 0],
        4_608,
        10,
        &["8:16"],
    ),
    (
        "fio2.log",
        Format::FioV2,
        [1, 2, 1, 1],
        49_152,
        2_000_000_000,
        &["/dev/sdb"],
    ),
    (
        "fio3.log",
        Format::FioV3,
        [1, 2, 1, 1],
        49_152,
        2_151_000,
        &["/dev/sdb"],
    ),
    (
        "mqsim.trace",
        Format::MqSim,
        [2, 2, 0, 0],
        37_376,
        1_487_000,
        &["0", "1"],
    ),
    (
        "disksim.trace",
        Format::DiskSim,
        [2, 2, 0, 0],
        37_376,
        1_487_000,
        &["0", "1"],
    ),
    (
        "vscsi.bin",
        Format::Vscsi,
        [2, 1, 0, 0],
        70_144,
        7_559_000,
        &["0"],
    ),
    (
        "vscsi.csv",
        Format::VscsiCsv,
        [2, 1, 0, 0],
        70_144,
        7_559_000,
        &["0"],
    ),
    (
        "named.csv",
        Format::Csv,
        [1, 1, 1, 1],
        1_060_864,
        990_000,
        &["a", "b"],
    ),
];

#[test]
fn every_sample_is_recognised_and_holds_what_was_put_into_it() {
    for (name, format, requests, bytes, span_ns, devices) in GOLDEN {
        let path = sample(name);
        let opened = reader(&path, None, Action::default()).unwrap();
        assert_eq!(opened.format(), format, "{name}");
        let seen = scan(&path, &Opening::default()).unwrap();
        let got = (
            seen.requests,
            seen.bytes.iter().sum::<u64>(),
            seen.span_ns(),
        );
        assert_eq!(got, (requests, bytes, span_ns), "{name}");
        assert_eq!(seen.devices, devices, "{name}");
    }
}

#[test]
fn every_format_has_a_sample_or_is_written_by_the_round_trip() {
    for format in Format::ALL {
        let has_sample = GOLDEN.iter().any(|(_, of, ..)| *of == format);
        assert!(has_sample || format == Format::Parquet, "{format:?}");
        assert_eq!(Format::named(format.spec().name), Some(format));
    }
}

#[test]
fn an_event_of_a_request_is_chosen_by_its_action() {
    let count = |name: &str, action| {
        let opening = Opening {
            format: None,
            action,
        };
        scan(&sample(name), &opening).unwrap().requests
    };
    // Queued: a write with both flags is one request; issued and completed it is a flush and a write.
    assert_eq!(count("blkparse.txt", Action::Queued), [1, 2, 1, 0]);
    assert_eq!(count("blkparse.txt", Action::Issued), [1, 2, 1, 1]);
    assert_eq!(count("blkparse.txt", Action::Completed), [1, 2, 1, 1]);
    assert_eq!(count("sdb.blktrace.1", Action::Queued), [1, 1, 0, 0]);
    let opening = Opening {
        format: None,
        action: Action::Completed,
    };
    let error = scan(&sample("big-endian.bin"), &opening)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no events of action C") && error.contains("2 of D"),
        "{error}"
    );
}

#[test]
fn flags_and_digests_are_kept() {
    let queued = reader(&sample("blkparse.txt"), None, Action::Queued).unwrap();
    let both: Vec<Record> = queued
        .map(Result::unwrap)
        .filter(|record| record.preflush && record.fua)
        .collect();
    assert_eq!(both.len(), 1);
    assert_eq!(
        (both[0].offset_bytes, both[0].length_bytes),
        (9000 * 512, 16 * 512)
    );
    let issued = reader(&sample("sdb.blktrace.0"), None, Action::Issued).unwrap();
    let kinds: Vec<(CommandKind, bool)> = issued
        .map(Result::unwrap)
        .map(|record| (record.kind, record.fua))
        .collect();
    // The second CPU's requests stand between the first one's, by time.
    let want = [
        (Write, false),
        (Read, false),
        (Trim, false),
        (Flush, false),
        (Read, false),
        (Write, true),
    ];
    assert_eq!(kinds, want);
    let fiu = reader(&sample("fiu.txt"), None, Action::default()).unwrap();
    let digests: Vec<Option<[u8; 16]>> = fiu.map(|record| record.unwrap().digest).collect();
    assert!(digests[0].is_some() && digests[0] == digests[2] && digests[0] != digests[1]);
    assert_eq!(digests[3], None);
    let systor = reader(&sample("systor.csv"), None, Action::default()).unwrap();
    let responses: Vec<Option<u64>> = systor.map(|record| record.unwrap().response_ns).collect();
    assert_eq!(
        responses,
        [Some(1_221_000), None, Some(344_000), Some(80_000)]
    );
}

fn write(
    format: Format,
    packing: Packing,
    path: &Path,
    records: &[Record],
    names: &[String],
) -> ftlab_trace::Lost {
    let file = std::fs::File::create(path).unwrap();
    let first_ns = records.iter().map(|record| record.at_ns).min().unwrap();
    let mut writer = Writer::new(format, packing, Box::new(file), names, first_ns).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

/// Requests of every kind with everything that a record may say, at whole seconds.
fn everything() -> Vec<Record> {
    let device = ftlab_trace::DeviceId(0);
    let second = |n: u64| 1_700_000_000_000_000_000 + n * 1_000_000_000;
    let mut all: Vec<Record> = (0..40)
        .map(|n| {
            let kind = if n % 3 == 0 { Read } else { Write };
            Record::new(second(n), kind, device).of_bytes(4096 * (n * 7 % 31), 4096 * (1 + n % 5))
        })
        .collect();
    all[4].fua = true;
    all[5].preflush = true;
    all[6].response_ns = Some(2_000_000);
    all[7].digest = Some([7; 16]);
    all.push(Record::new(second(40), Trim, device).of_bytes(0, 1 << 20));
    all.push(Record::new(second(41), Flush, device));
    all[10].at_ns += 123;
    all
}

#[test]
fn reads_and_writes_go_through_all_formats_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let plain: Vec<Record> = (everything().into_iter())
        .filter(|record| matches!(record.kind, Read | Write))
        .map(|record| {
            let plain = Record::new(
                record.at_ns / 1_000_000_000 * 1_000_000_000,
                record.kind,
                record.device,
            );
            plain.of_bytes(record.offset_bytes, record.length_bytes)
        })
        .collect();
    let mut from = folder.path().join("0.csv");
    write(Format::Csv, Packing::None, &from, &plain, &["0".to_owned()]);
    for format in Format::ALL {
        for packing in [Packing::None, Packing::Gzip, Packing::Zstd] {
            if format == Format::Parquet && packing != Packing::None {
                continue;
            }
            let opened = reader(&from, None, Action::default()).unwrap();
            let records: Vec<Record> = opened.map(Result::unwrap).collect();
            let mut again = reader(&from, None, Action::default()).unwrap();
            again.by_ref().for_each(drop);
            let names = again.devices().to_owned();
            let name = format!("{}-{}", format.spec().name, packing.words());
            let to = folder.path().join(&name);
            let lost = write(format, packing, &to, &records, &names);
            assert_eq!(
                (
                    lost.trims,
                    lost.flushes,
                    lost.fua,
                    lost.times,
                    lost.split,
                    lost.widened
                ),
                (0, 0, 0, 0, 0, 0)
            );
            from = to;
            let opened = reader(&from, None, Action::default()).unwrap();
            assert_eq!(
                (opened.format(), opened.packing()),
                (format, packing),
                "{name}"
            );
            let read: Vec<Record> = opened.map(Result::unwrap).collect();
            assert_eq!(read.len(), plain.len(), "{name}");
            for (read, want) in read.iter().zip(&plain) {
                let told = |record: &Record, first: &Record| {
                    let since = record.at_ns - first.at_ns;
                    (record.kind, record.offset_bytes, record.length_bytes, since)
                };
                assert_eq!(
                    told(read, &read_first(&from)),
                    told(want, &plain[0]),
                    "{name}"
                );
            }
        }
    }
}

fn read_first(path: &Path) -> Record {
    reader(path, None, Action::default())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
}

/// What of [`everything`] each format loses: TRIMs, flushes, FUA, times, responses, digests.
const LOST: [(Format, [u64; 6]); 16] = [
    (Format::Msr, [1, 2, 1, 1, 0, 1]),
    (Format::Alibaba, [1, 2, 1, 1, 1, 1]),
    (Format::Tencent, [1, 2, 1, 1, 1, 1]),
    (Format::Spc, [1, 2, 1, 0, 1, 1]),
    (Format::Fiu, [1, 2, 1, 0, 1, 0]),
    (Format::Systor, [1, 2, 1, 0, 0, 1]),
    (Format::Blkparse, [0, 0, 0, 0, 1, 1]),
    (Format::Blktrace, [0, 0, 0, 0, 1, 1]),
    (Format::FioV2, [0, 0, 1, 1, 1, 1]),
    (Format::FioV3, [0, 0, 1, 1, 1, 1]),
    (Format::MqSim, [1, 2, 1, 0, 1, 1]),
    (Format::DiskSim, [1, 2, 1, 0, 1, 1]),
    (Format::Vscsi, [1, 2, 1, 1, 1, 1]),
    (Format::VscsiCsv, [1, 2, 1, 1, 1, 1]),
    (Format::Csv, [0, 0, 0, 0, 0, 0]),
    (Format::Parquet, [0, 0, 0, 0, 0, 0]),
];

#[test]
fn what_a_format_cannot_carry_is_counted_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let all = everything();
    assert_eq!(LOST.map(|(format, _)| format), Format::ALL);
    for (format, want) in LOST {
        let path = folder.path().join(format.spec().name);
        let lost = write(format, Packing::None, &path, &all, &["a b,c".to_owned()]);
        let got = [
            lost.trims,
            lost.flushes,
            lost.fua,
            lost.times,
            lost.responses,
            lost.digests,
        ];
        assert_eq!(got, want, "{format:?}");
        let told = lost.words(format).join(" ");
        assert_eq!(
            want == [0; 6] && lost.names.is_empty(),
            told.is_empty(),
            "{format:?}: {told}"
        );
        let read: Vec<Record> = reader(&path, None, Action::default())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(read.len() as u64, lost.written, "{format:?}");
        if want == [0; 6] {
            assert_eq!(read, all, "{format:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let error = scan(&path, &Opening::default()).unwrap_err();
        assert!(!error.why.is_empty());
        error
    };
    let good = std::fs::read_to_string(sample("msr.csv")).unwrap();
    let bad = error(
        "a.csv",
        format!("{good}128166372036382245,usr,0,Reed,0,512,7\n{good}").as_bytes(),
    );
    assert_eq!(bad.place, Some(Place::Line(5)));
    for words in [
        "Type is `Reed`",
        "Read or Write",
        "MSR Cambridge CSV",
        "--format",
    ] {
        assert!(bad.to_string().contains(words), "{bad}");
    }
    let cut = error("b.csv", &good.as_bytes()[..good.len() - 12]);
    assert!(
        cut.why.contains("cut off") && cut.place == Some(Place::Line(4)),
        "{cut}"
    );
    let beyond = error("c.csv", b"1,usr,0,Read,18446744073709551615,512,7\n");
    assert!(beyond.why.contains("16 EiB"), "{beyond}");
    let nothing = error("d.csv", b"\n# only a comment\n");
    assert!(nothing.why.contains("--format"), "{nothing}");
    let strange = error("e.txt", b"once upon a time\n");
    assert!(
        strange.why.contains("once upon a time") && strange.why.contains("time_ns"),
        "{strange}"
    );
    assert!(error("f", b"").why.contains("empty"));
    let vscsi = std::fs::read(sample("vscsi.bin")).unwrap();
    let cut = error("g", &vscsi[..vscsi.len() - 5]);
    assert!(
        cut.place == Some(Place::Byte(96)) && cut.why.contains("truncate -s 96"),
        "{cut}"
    );
    let mut damaged = std::fs::read(sample("big-endian.bin")).unwrap();
    damaged[48] = 1;
    let damaged = error("h", &damaged);
    assert!(
        damaged.place == Some(Place::Byte(48)) && damaged.why.contains("magic"),
        "{damaged}"
    );
    let xz = error("i.csv.xz", b"\xfd7zXZ\0 and more");
    assert!(xz.why.contains("xz -dc"), "{xz}");
    let mut tar = vec![0; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(error("j.tar", &tar).why.contains("tar -xf"));
    let long = [b"1,usr,0,Read,0,512,7\n".as_slice(), &vec![b'7'; 1 << 20]].concat();
    let long = error("k.csv", &long);
    assert!(
        long.place == Some(Place::Line(2)) && long.why.contains("longer than"),
        "{long}"
    );
    let header = error("l.csv", b"time_us,op,lba\n1,read,0\n");
    assert!(header.why.contains("--format"), "{header}");
}

#[test]
fn packed_files_that_end_early_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["0".to_owned()];
    for packing in [Packing::Gzip, Packing::Zstd] {
        let path = folder.path().join("whole");
        write(Format::Csv, packing, &path, &everything(), &names);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = scan(&path, &Opening::default()).unwrap_err();
        assert!(
            error.why.contains("cut off") || error.why.contains("too early"),
            "{error}"
        );
    }
}

#[test]
fn a_file_is_shown_as_it_was_taken() {
    let look = Look::at(&sample("msr.csv"), &Opening::default())
        .unwrap()
        .words();
    for words in [
        "MSR Cambridge CSV (msr), by its first bytes",
        "128166372003061629",
        "DiskNumber",
        "request 1: at 12816637200306162900 ns read of 24576 bytes at 7014609920 on usr_0",
        "the format cannot say: TRIM, flushes, FUA",
    ] {
        assert!(look.contains(words), "{words}\n{look}");
    }
    let named = Look::at(&sample("named.csv"), &Opening::default()).unwrap();
    assert_eq!(named.columns[0], ["seq", "not used", "1"]);
    assert_eq!(named.columns[1], ["time_us", "time in µs", "10"]);
    for (name, ..) in GOLDEN {
        let look = Look::at(&sample(name), &Opening::default()).unwrap();
        assert!(look.words().lines().count() >= 5, "{name}");
    }
}

#[test]
fn a_part_is_chosen_by_device_time_and_share() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let rows: Vec<String> = (0..4000_u64)
        .map(|n| {
            format!(
                "{},write,{},8,{}",
                1000 * n,
                2048 * n,
                if n % 4 == 0 { "a" } else { "b" }
            )
        })
        .collect();
    std::fs::write(
        &path,
        format!("time_us,op,lba,sectors,device\n{}\n", rows.join("\n")),
    )
    .unwrap();
    let count = |selection: Selection| {
        let reader = Reader::open(&path, &Opening::default()).unwrap();
        Scan::of(Selected::of(reader, selection)).map(|scan| scan.all())
    };
    let all = Selection::default();
    assert_eq!(count(all.clone()).unwrap(), 4000);
    assert_eq!(
        count(Selection {
            devices: vec!["a".to_owned()],
            ..all.clone()
        })
        .unwrap(),
        1000
    );
    let window = Selection {
        from_ns: Some(1_000_000_000),
        until_ns: Some(3_000_000_000),
        ..all.clone()
    };
    assert_eq!(count(window).unwrap(), 2000);
    let tenth = count(Selection {
        share: Some(0.1),
        ..all.clone()
    })
    .unwrap();
    assert!((330..470).contains(&tenth), "{tenth}");
    assert_eq!(
        count(Selection {
            share: Some(1.0),
            ..all.clone()
        })
        .unwrap(),
        4000
    );
    let missing = count(Selection {
        devices: vec!["c".to_owned()],
        ..all.clone()
    })
    .unwrap_err();
    assert!(
        missing.why.contains("no device `c`; give one of a, b"),
        "{missing}"
    );
    let empty = count(Selection {
        from_ns: Some(u64::MAX),
        ..all
    })
    .unwrap_err();
    assert!(empty.why.contains("--window"), "{empty}");
}

/// The scan of a text under a name.
fn scan_of(folder: &Path, name: &str, text: &[u8]) -> Scan {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    let format = None;
    let action = Action::default();
    scan(&path, &Opening { format, action }).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_mark_blank_lines_and_other_line_ends_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format, requests, bytes, span_ns, _) in GOLDEN {
        if format.spec().by.is_none() && format != Format::Blkparse {
            continue;
        }
        let text = std::fs::read_to_string(sample(name)).unwrap();
        let blank = text.replace('\n', "\r\n \r\n\r\n");
        let marked = ["\u{feff}", &blank].concat();
        let got = scan_of(folder.path(), name, marked.as_bytes());
        let sum: u64 = got.bytes.iter().sum();
        assert_eq!(
            (got.requests, sum, got.span_ns()),
            (requests, bytes, span_ns),
            "{name}"
        );
    }
}

#[test]
fn kinds_are_read_in_capitals_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = |name: &str, text: &str| scan_of(folder.path(), name, text.as_bytes()).requests;
    for (read, write) in [
        ("Read", "Write"),
        ("READ", "WRITE"),
        ("read", "write"),
        ("R", "w"),
    ] {
        let msr =
            format!("10,h,0,{write},0,4096,1\n20,h,0,{read},0,512,1\n30,h,0,{read},0,512,1\n");
        assert_eq!(kinds("msr.csv", &msr), [2, 1, 0, 0], "{read}");
        let named = format!(
            "time_us,OP,offset_bytes,Bytes\n1,{write},0,512\n2,{read},0,512\n3,{read},0,512\n"
        );
        assert_eq!(kinds("named.csv", &named), [2, 1, 0, 0], "{read}");
        let spc = format!("0,0,512,{write},0.0\n0,0,512,{read},0.5\n0,0,512,{read},0.6\n");
        assert_eq!(kinds("spc.csv", &spc), [2, 1, 0, 0], "{read}");
    }
}

#[test]
fn job_files_and_notes_are_told_from_traces() {
    let folder = tempfile::tempdir().unwrap();
    let is_trace = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        ftlab_trace::is_trace_file(&path).unwrap()
    };
    assert!(!is_trace("a.fio", "[w]\nrw=write\n"));
    assert!(!is_trace("b.fio", "# only\n# comments\n"));
    assert!(!is_trace("c.fio", "rw=write\n"));
    assert!(!is_trace("d", "; a job\n[w]\nrw=write\n"));
    assert!(!is_trace("e.toml", "reads = 3\n"));
    assert!(!is_trace("f", ""));
    assert!(!is_trace("g.fio", "CPU bound jobs\n"));
    // What is no job file either is to be refused as a trace: that says what formats there are.
    assert!(is_trace("h.txt", "some notes\n"));
    for (name, ..) in GOLDEN {
        assert!(ftlab_trace::is_trace_file(&sample(name)).unwrap(), "{name}");
    }
}
